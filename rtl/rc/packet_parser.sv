// SPDX-License-Identifier: Apache-2.0
// Reads RoCEv2 packets, which come from the IP header to the pad, in beats of AXI-Stream, and says with the last beat what they say, or
// why they are refused. The model: parse() of tlm/roce/packet.h. The beats pass as they came: the payload is in them, from payload_at_o
// on. Stages: 1 the headers side by side, 2 what stands behind IP, 3 what the opcode has, 4 what is said behind the BTH, 5 lengths and
// checksum, 6 the verdict on each side of the BTH, 7 both. All move together.
//
// icrc_check has taken the ICRC off, so IP and UDP speak of four bytes more than there are. IPv6 is what begins with a 6: who takes off
// the Ethernet header lets nothing pass whose EtherType says another thing.
`default_nettype none

module packet_parser #(
    parameter int unsigned Width = 512      // of a beat, in bits: a power of two from 32 on
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // The packet
    input  logic               s_axis_tvalid_i,
    output logic               s_axis_tready_o,
    input  logic [Width-1:0]   s_axis_tdata_i,   // the first byte in the lowest bits
    input  logic [(Width>>3)-1:0] s_axis_tkeep_i,   // all, but of the last beat: the lowest, one at least
    input  logic               s_axis_tlast_i,
    input  logic               s_axis_tuser_i,   // with tlast: its ICRC was wrong
    // The packet
    output logic               m_axis_tvalid_o,
    input  logic               m_axis_tready_i,
    output logic [Width-1:0]   m_axis_tdata_o,   // zero beyond tkeep
    output logic [(Width>>3)-1:0] m_axis_tkeep_o,
    output logic               m_axis_tlast_o,
    output logic               m_axis_tuser_o,   // with tlast: refused
    // With tlast: what it says. Zero is what was not reached, and what the opcode has no header for, but where it is said
    output logic [3:0]         error_o,          // roce_pkg::Error*: the first in the model's order
    output logic               ipv6_o,
    output logic [31:0]        from_o,           // addresses of IPv4
    output logic [31:0]        to_o,
    output logic [15:0]        source_port_o,
    output logic [5:0]         dscp_o,
    output logic [1:0]         ecn_o,
    output logic [7:0]         hop_limit_o,
    output logic [6:0]         payload_at_o,     // bytes in front of the payload; with no error
    output logic [15:0]        payload_o,        // bytes of it
    // BTH
    output logic [7:0]         opcode_o,         // not reached: SEND_ONLY
    output logic               solicited_o,
    output logic               ack_request_o,
    output logic               fecn_o,
    output logic               becn_o,
    output logic               apart_o,
    output logic [15:0]        partition_o,      // not reached: all ones
    output logic [23:0]        to_qp_o,
    output logic [23:0]        psn_o,
    // RETH, AtomicETH; the key of an IETH
    output logic [63:0]        address_o,
    output logic [31:0]        key_o,
    output logic [31:0]        length_o,
    output logic [63:0]        swap_or_add_o,
    output logic [63:0]        compare_o,
    // AETH, FETH, AtomicAckETH, ImmDt, DETH, the PSN that came in place of the expected one
    output logic [2:0]         aeth_kind_o,
    output logic [4:0]         aeth_value_o,     // none: all ones, no credits
    output logic [23:0]        msn_o,
    output logic [3:0]         placement_o,
    output logic [1:0]         selectivity_o,
    output logic [63:0]        original_o,
    output logic [31:0]        immediate_o,
    output logic [31:0]        queue_key_o,
    output logic [23:0]        from_qp_o,
    output logic [23:0]        arrived_o
);
  localparam int unsigned Bytes = Width / 8;
  localparam int unsigned Ip4 = roce_pkg::Ipv4Bytes;
  localparam int unsigned Ip6 = roce_pkg::Ipv6Bytes;
  localparam int unsigned Udp = roce_pkg::UdpBytes;
  localparam int unsigned BthBits = 8 * roce_pkg::BthBytes;
  localparam int unsigned RestBits = 8 * roce_pkg::RestBytes;
  localparam int unsigned SaidBits = roce_pkg::SaidBits;
  localparam int unsigned InnerBytes = Udp + roce_pkg::MaxHeaderBytes;
  localparam int unsigned HeadBytes = Ip6 + InnerBytes;
  localparam logic [7:0] NoCredits = 8'h1F;  // the syndrome where there is none

  logic advance;
  assign advance = !m_axis_tvalid_o || m_axis_tready_i;
  assign s_axis_tready_o = advance;

  // Of stages 1 to 7, the first in the lowest bits.
  logic [6:0] valid_q, last_q;
  logic [4:0] bad_q;
  logic [7*Width-1:0] data_q;
  logic [7*Bytes-1:0] keep_q;
  logic [Width-1:0] present;
  always_comb begin
    for (int i = 0; i < Width; i++) present[i] = s_axis_tdata_i[i] && s_axis_tkeep_i[i/8];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (advance) valid_q <= {valid_q[5:0], s_axis_tvalid_i};
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      last_q <= {last_q[5:0], s_axis_tlast_i};
      bad_q  <= {bad_q[3:0], s_axis_tuser_i};
      data_q <= {data_q[6*Width-1:0], present};
      keep_q <= {keep_q[6*Bytes-1:0], s_axis_tkeep_i};
    end
  end
  assign m_axis_tvalid_o = valid_q[6];
  assign m_axis_tdata_o = data_q[6*Width+:Width];
  assign m_axis_tkeep_o = keep_q[6*Bytes+:Bytes];
  assign m_axis_tlast_o = last_q[6];

  // Stage 1
  logic [8*HeadBytes-1:0] head_q;
  logic [16:0] last_1;  // where the last byte is
  packet_head #(
      .Bytes    (Bytes),
      .HeadBytes(HeadBytes)
  ) u_head (
      .clk_i,
      .rst_ni,
      .advance_i(advance),
      .valid_i  (s_axis_tvalid_i),
      .data_i   (present),
      .keep_i   (s_axis_tkeep_i),
      .last_i   (s_axis_tlast_i),
      .head_o   (head_q),
      .last_o   (last_1)
  );

  // Stage 2: by the version of IP.
  logic ipv6;
  logic [8*InnerBytes-1:0] inner_2_q;  // from UDP on
  assign ipv6 = head_q[8*HeadBytes-1-:4] == 4'd6;
  always_ff @(posedge clk_i) begin
    if (advance) inner_2_q <= ipv6 ? head_q[8*InnerBytes-1:0] : head_q[8*(HeadBytes-Ip4)-1-:8*InnerBytes];
  end
  logic outer_good, ipv6_6;
  logic [3:0] outer_error;
  logic [15:0] source_port;
  logic [16:0] inside_4;  // bytes behind the IP header, as that says
  logic [79:0] ip;
  packet_outer #(
      .Trailer(roce_pkg::IcrcBytes)
  ) u_outer (
      .clk_i,
      .advance_i    (advance),
      .ip_i         (head_q[8*HeadBytes-1-:8*Ip4]),
      .ipv6_i       (ipv6),
      .udp_i        (inner_2_q[8*InnerBytes-1-:48]),
      .last_i       (last_1),
      .inside_o     (inside_4),
      .good_o       (outer_good),
      .error_o      (outer_error),
      .ipv6_o       (ipv6_6),
      .ip_o         (ip),
      .source_port_o(source_port)
  );

  // Stage 3: what the opcode has.
  logic [BthBits-1:0] bth, bth_3_q;
  logic [RestBits-1:0] rest, rest_3_q;
  logic [7:0] opcode;
  assign {bth, rest} = inner_2_q[8*(InnerBytes-Udp)-1:0];
  assign opcode = bth[roce_pkg::BthOpcodeLsb+:8];
  logic payload_3_q, aeth_3_q;
  logic [3:0] words_3_q;
  logic [roce_pkg::PlacesBits-1:0] places_3_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      bth_3_q     <= bth;
      rest_3_q    <= rest;
      payload_3_q <= roce_pkg::HasPayload[opcode];
      aeth_3_q    <= roce_pkg::HasAeth[opcode];
      words_3_q   <= roce_pkg::header_words(opcode);
      places_3_q  <= roce_pkg::places_of(opcode);
    end
  end

  // Stage 4: what is said behind the BTH.
  logic payload_4_q;
  logic [3:0] words_4_q;
  logic [5:0] headers_4_q;  // from UDP to what stands in front of the payload, and ICRC
  logic [BthBits-1:0] bth_4_q;
  logic [SaidBits-1:0] said_4_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      bth_4_q     <= bth_3_q;
      payload_4_q <= payload_3_q;
      words_4_q   <= words_3_q;
      headers_4_q <= 6'(Udp + roce_pkg::IcrcBytes) + {words_3_q, 2'b0};
      said_4_q    <= roce_pkg::said_of(places_3_q, rest_3_q);
      if (!aeth_3_q) said_4_q[roce_pkg::SaidSyndromeLsb+:8] <= NoCredits;
    end
  end

  // Stage 5: what is behind the headers.
  logic [16:0] behind;
  assign behind = inside_4 - {11'b0, headers_4_q};
  logic payload_5_q, version_5_q, known_5_q, misfit_5_q, unaligned_5_q, some_5_q, syndrome_5_q;
  logic [3:0] words_5_q;
  logic [15:0] behind_5_q;
  logic [BthBits-1:0] bth_5_q;
  logic [SaidBits-1:0] said_5_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      bth_5_q       <= bth_4_q;
      said_5_q      <= said_4_q;
      payload_5_q   <= payload_4_q;
      words_5_q     <= words_4_q;
      version_5_q   <= bth_4_q[roce_pkg::BthTVerLsb+:roce_pkg::BthTVerBits] == '0;
      known_5_q     <= words_4_q != '0;
      misfit_5_q    <= behind[16];
      unaligned_5_q <= inside_4[1:0] != '0;
      some_5_q      <= inside_4 != {11'b0, headers_4_q};
      behind_5_q    <= behind[15:0];
      // Kinds of answers: 0, 1, 3.
      syndrome_5_q  <= said_4_q[roce_pkg::SaidSyndromeLsb+7] || said_4_q[roce_pkg::SaidSyndromeLsb+5+:2] == 2'd2;
    end
  end

  // Stage 6: the first error behind UDP in the model's order, and what was reached before it. An unknown opcode has no
  // header that does not fit, and no payload.
  logic [1:0] pad;
  logic sound, no_room;
  assign pad = bth_5_q[roce_pkg::BthPadCountLsb+:2];
  assign no_room = unaligned_5_q || (some_5_q && !payload_5_q);
  assign sound = !bad_q[4] && version_5_q && !misfit_5_q;
  logic bth_said_6_q, parts_said_6_q, last_said_6_q;
  logic [3:0] words_6_q, error_6_q;
  logic [15:0] payload_6_q;
  logic [BthBits-1:0] bth_6_q, bth_7;
  logic [SaidBits-1:0] said_6_q, said_7, said_7_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      bth_6_q        <= bth_5_q;
      said_6_q       <= said_5_q;
      words_6_q      <= words_5_q;
      payload_6_q    <= behind_5_q - {14'b0, pad};
      bth_said_6_q   <= sound;
      parts_said_6_q <= sound && known_5_q;
      last_said_6_q  <= sound && !no_room && (some_5_q || pad == '0);
      if (bad_q[4]) error_6_q <= roce_pkg::ErrorIcrc;
      else if (!version_5_q) error_6_q <= roce_pkg::ErrorVersion;
      else if (!known_5_q) error_6_q <= roce_pkg::ErrorUnknownOpcode;
      else if (misfit_5_q) error_6_q <= roce_pkg::ErrorTruncated;
      else if (no_room) error_6_q <= roce_pkg::ErrorLength;
      else if (!some_5_q && pad != '0) error_6_q <= roce_pkg::ErrorPad;
      else if (syndrome_5_q) error_6_q <= roce_pkg::ErrorSyndrome;
      else error_6_q <= roce_pkg::ErrorNone;
    end
  end

  // Stage 7
  logic good;
  assign good = outer_good && error_6_q == roce_pkg::ErrorNone;
  always_comb begin
    bth_7 = outer_good && bth_said_6_q ? bth_6_q : '0;
    if (!(outer_good && bth_said_6_q)) begin
      bth_7[roce_pkg::BthOpcodeLsb+:8] = roce_pkg::OpcodeSendOnly;
      bth_7[roce_pkg::BthPKeyLsb+:16] = '1;
    end
    said_7 = outer_good && parts_said_6_q ? said_6_q : '0;
    if (!(outer_good && parts_said_6_q)) said_7[roce_pkg::SaidSyndromeLsb+:8] = NoCredits;
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      error_o        <= outer_good ? error_6_q : outer_error;
      m_axis_tuser_o <= last_q[5] && !good;
      ipv6_o         <= ipv6_6;
      source_port_o  <= source_port;
      {dscp_o, ecn_o, hop_limit_o, from_o, to_o} <= ip;
      payload_at_o   <= good ? (ipv6_6 ? 7'(Ip6 + Udp) : 7'(Ip4 + Udp)) + {1'b0, words_6_q, 2'b0} : '0;
      payload_o      <= outer_good && last_said_6_q ? payload_6_q : '0;
      opcode_o       <= bth_7[roce_pkg::BthOpcodeLsb+:8];
      solicited_o    <= bth_7[roce_pkg::BthSeLsb];
      ack_request_o  <= bth_7[roce_pkg::BthAckReqLsb];
      fecn_o         <= bth_7[roce_pkg::BthFecnLsb];
      becn_o         <= bth_7[roce_pkg::BthBecnLsb];
      apart_o        <= bth_7[roce_pkg::BthApartLsb];
      partition_o    <= bth_7[roce_pkg::BthPKeyLsb+:16];
      to_qp_o        <= bth_7[roce_pkg::BthDestQpLsb+:24];
      psn_o          <= bth_7[roce_pkg::BthPsnLsb+:24];
      said_7_q       <= said_7;
    end
  end
  assign address_o = said_7_q[roce_pkg::SaidAddressLsb+:64];
  assign key_o = said_7_q[roce_pkg::SaidKeyLsb+:32];
  assign length_o = said_7_q[roce_pkg::SaidLengthLsb+:32];
  assign swap_or_add_o = said_7_q[roce_pkg::SaidSwapOrAddLsb+:64];
  assign compare_o = said_7_q[roce_pkg::SaidCompareLsb+:64];
  assign {aeth_kind_o, aeth_value_o} = said_7_q[roce_pkg::SaidSyndromeLsb+:8];
  assign msn_o = said_7_q[roce_pkg::SaidMsnLsb+:24];
  assign placement_o = said_7_q[roce_pkg::SaidPlacementLsb+:4];
  assign selectivity_o = said_7_q[roce_pkg::SaidSelectivityLsb+:2];
  assign original_o = said_7_q[roce_pkg::SaidOriginalLsb+:64];
  assign immediate_o = said_7_q[roce_pkg::SaidImmediateLsb+:32];
  assign queue_key_o = said_7_q[roce_pkg::SaidQueueKeyLsb+:32];
  assign from_qp_o = said_7_q[roce_pkg::SaidFromQpLsb+:24];
  assign arrived_o = said_7_q[roce_pkg::SaidArrivedLsb+:24];

  // Legal parameters.
  if (Width < 32 || 2 ** $clog2(Width) != Width) begin : gen_illegal
    $error("packet_parser: Width must be a power of two, 32 at least");
  end
endmodule

`default_nettype wire
