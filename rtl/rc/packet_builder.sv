// SPDX-License-Identifier: Apache-2.0
// Makes RoCEv2 packets, from the IP header to the pad, out of what their headers are to say and a stream of payload. The model:
// format() of tlm/roce/packet.h; icrc_insert appends the ICRC, which the lengths count already. Behind packet_headers one beat a cycle
// is put together: words of headers in front, then of payload, moved behind them; what of a beat of payload has no room comes in the
// next one. Words are of four bytes, as all headers are multiples of that, and payload is made one by its pad.
`default_nettype none

module packet_builder #(
    parameter int unsigned Width = 512      // of a beat, in bits: a power of two from 32 on
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // What a packet says: roce::Header of the model, and its way
    input  logic               packet_valid_i,
    output logic               packet_ready_o,
    input  logic               ipv6_i,
    input  logic [127:0]       source_i,         // addresses; of IPv4 in the lowest 32 bits
    input  logic [127:0]       destination_i,
    input  logic [15:0]        source_port_i,
    input  logic [5:0]         dscp_i,
    input  logic [1:0]         ecn_i,
    input  logic [7:0]         hop_limit_i,
    input  logic [19:0]        flow_label_i,     // of IPv6
    input  logic [15:0]        payload_i,        // bytes that the stream has for it
    input  logic [7:0]         opcode_i,         // one of roce_pkg::KnownOpcodes; of what it has no header for is not said
    input  logic               solicited_i,
    input  logic               ack_request_i,
    input  logic               fecn_i,
    input  logic               becn_i,
    input  logic               apart_i,
    input  logic [15:0]        partition_i,
    input  logic [23:0]        to_qp_i,
    input  logic [23:0]        psn_i,
    input  logic [63:0]        address_i,
    input  logic [31:0]        key_i,
    input  logic [31:0]        length_i,
    input  logic [63:0]        swap_or_add_i,
    input  logic [63:0]        compare_i,
    input  logic [2:0]         aeth_kind_i,
    input  logic [4:0]         aeth_value_i,
    input  logic [23:0]        msn_i,
    input  logic [3:0]         placement_i,
    input  logic [1:0]         selectivity_i,
    input  logic [63:0]        original_i,
    input  logic [31:0]        immediate_i,
    input  logic [31:0]        queue_key_i,
    input  logic [23:0]        from_qp_i,
    input  logic [23:0]        arrived_i,
    // Payloads in the order of their packets; a packet without any has none here
    input  logic               s_axis_tvalid_i,
    output logic               s_axis_tready_o,
    input  logic [Width-1:0]   s_axis_tdata_i,   // the first byte in the lowest bits
    input  logic [(Width>>3)-1:0] s_axis_tkeep_i,   // all, but of the last beat: the lowest, one at least
    input  logic               s_axis_tlast_i,
    // The packet
    output logic               m_axis_tvalid_o,
    input  logic               m_axis_tready_i,
    output logic [Width-1:0]   m_axis_tdata_o,   // zero beyond tkeep
    output logic [(Width>>3)-1:0] m_axis_tkeep_o,
    output logic               m_axis_tlast_o
);
  localparam int unsigned Words = Width / 32;
  localparam int unsigned HeadBits = 8 * (roce_pkg::Ipv6Bytes + roce_pkg::UdpBytes + roce_pkg::MaxHeaderBytes);
  localparam int unsigned PlaceBits = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned Low = PlaceBits / 2;  // bits of a place by which the second stage moves words, the third by the others

  // BTH, and what may follow it.
  logic [8*roce_pkg::BthBytes-1:0] bth;
  logic [roce_pkg::SaidBits-1:0] said;
  always_comb begin
    bth = '0;
    bth[roce_pkg::BthOpcodeLsb+:8] = opcode_i;
    bth[roce_pkg::BthSeLsb] = solicited_i;
    bth[roce_pkg::BthMigReqLsb] = opcode_i != roce_pkg::OpcodeCnp;
    bth[roce_pkg::BthPadCountLsb+:2] = 2'd0 - payload_i[1:0];
    bth[roce_pkg::BthPKeyLsb+:16] = partition_i;
    bth[roce_pkg::BthFecnLsb] = fecn_i;
    bth[roce_pkg::BthBecnLsb] = becn_i;
    bth[roce_pkg::BthDestQpLsb+:24] = to_qp_i;
    bth[roce_pkg::BthAckReqLsb] = ack_request_i;
    bth[roce_pkg::BthApartLsb] = apart_i;
    bth[roce_pkg::BthPsnLsb+:24] = psn_i;
    said[roce_pkg::SaidAddressLsb+:64] = address_i;
    said[roce_pkg::SaidKeyLsb+:32] = key_i;
    said[roce_pkg::SaidLengthLsb+:32] = length_i;
    said[roce_pkg::SaidSwapOrAddLsb+:64] = swap_or_add_i;
    said[roce_pkg::SaidCompareLsb+:64] = compare_i;
    said[roce_pkg::SaidSyndromeLsb+:8] = {aeth_kind_i, aeth_value_i};
    said[roce_pkg::SaidMsnLsb+:24] = msn_i;
    said[roce_pkg::SaidPlacementLsb+:4] = placement_i;
    said[roce_pkg::SaidSelectivityLsb+:2] = selectivity_i;
    said[roce_pkg::SaidOriginalLsb+:64] = original_i;
    said[roce_pkg::SaidImmediateLsb+:32] = immediate_i;
    said[roce_pkg::SaidQueueKeyLsb+:32] = queue_key_i;
    said[roce_pkg::SaidFromQpLsb+:24] = from_qp_i;
    said[roce_pkg::SaidArrivedLsb+:24] = arrived_i;
  end

  logic head_advance, made_valid, made_payload;
  logic [HeadBits-1:0] made;
  logic [4:0] made_words;
  packet_headers u_headers (
      .clk_i,
      .rst_ni,
      .advance_i    (head_advance),
      .valid_i      (packet_valid_i),
      .ipv6_i,
      .source_i,
      .destination_i,
      .source_port_i,
      .tos_i        ({dscp_i, ecn_i}),
      .hop_limit_i,
      .flow_label_i,
      .bth_i        (bth),
      .said_i       (said),
      .payload_i,
      .valid_o      (made_valid),
      .head_o       (made),
      .words_o      (made_words),
      .has_payload_o(made_payload)
  );
  assign packet_ready_o = head_advance;

  // The packet at work: what of its headers is left, and how far its payload is.
  logic head_valid_q, payload_q, begun_q, spills_q;  // has payload; some of it is gone; its end comes in a beat of its own
  logic [HeadBits-1:0] head_q;
  logic [4:0] left_q;  // words; once less than a beat, the place of the payload in each
  logic advance, headers_only, with_payload, spills, sent, ends;
  assign headers_only = left_q >= 5'(Words) || !payload_q;
  assign with_payload = head_valid_q && !headers_only && !spills_q;
  always_comb begin
    spills = 1'b0;
    for (int i = 1; i < Words; i++) if (left_q == 5'(i) && s_axis_tkeep_i[4*(Words-i)]) spills = 1'b1;
  end
  assign sent = advance && head_valid_q && (!with_payload || s_axis_tvalid_i);
  assign ends = headers_only ? left_q <= 5'(Words) && !payload_q : spills_q || (s_axis_tlast_i && !spills);
  assign head_advance = !head_valid_q || !made_valid || (sent && ends);
  assign s_axis_tready_o = advance && with_payload;
  logic load;
  assign load = !head_valid_q || (sent && ends);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      begun_q      <= 1'b0;
      spills_q     <= 1'b0;
    end else begin
      if (load) head_valid_q <= made_valid;
      if (sent) begin
        begun_q  <= !headers_only && !ends;
        spills_q <= with_payload && s_axis_tlast_i && spills;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (load) begin
      head_q    <= made;
      left_q    <= made_words;
      payload_q <= made_payload;
    end else if (sent && headers_only) begin
      head_q <= head_q << Width;
      left_q <= left_q - 5'(Words);
    end
  end

  // The beats. Stage 1: their parts; 2 and 3 move words of payload up, in a circle; 3 is what leaves.
  logic valid_1_q, valid_2_q, last_1_q, last_2_q, later_1_q, later_2_q, paid_1_q, paid_2_q;
  logic [Width-1:0] head_1_q, head_2_q;
  logic [Words-1:0] front_1_q, front_2_q;  // words that are not of this beat of payload, but of the headers or of the one before
  logic [PlaceBits-1:0] place_1_q, place_2_q;
  logic [33*Words-1:0] words_1, words_1_q, words_2, words_2_q, words_3, carried_q;  // each with a bit: it is there
  assign advance = !m_axis_tvalid_o || m_axis_tready_i;
  always_comb begin
    for (int i = 0; i < Words; i++) begin
      words_1[33*i+32] = with_payload && s_axis_tkeep_i[4*i];
      for (int j = 0; j < 32; j++) words_1[33*i+j] = with_payload && s_axis_tdata_i[32*i+j] && s_axis_tkeep_i[4*i+j/8];
    end
    words_2 = words_1_q;
    for (int b = 0; b < Low; b++) if (place_1_q[b]) words_2 = (words_2 << (33 << b)) | (words_2 >> (33 * (Words - (1 << b))));
    words_3 = words_2_q;
    for (int b = Low; b < $clog2(Words); b++) if (place_2_q[b]) words_3 = (words_3 << (33 << b)) | (words_3 >> (33 * (Words - (1 << b))));
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_1_q       <= 1'b0;
      valid_2_q       <= 1'b0;
      m_axis_tvalid_o <= 1'b0;
    end else if (advance) begin
      valid_1_q       <= sent;
      valid_2_q       <= valid_1_q;
      m_axis_tvalid_o <= valid_2_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      for (int i = 0; i < Words; i++) begin
        for (int j = 0; j < 4; j++) head_1_q[32*i+8*j+:8] <= head_q[HeadBits-1-32*i-8*j-:8];
        front_1_q[i] <= left_q > 5'(i);
      end
      place_1_q <= PlaceBits'(left_q);
      words_1_q <= words_1;
      last_1_q  <= ends;
      later_1_q <= begun_q;
      paid_1_q  <= with_payload;
      head_2_q  <= head_1_q;
      front_2_q <= front_1_q;
      place_2_q <= place_1_q;
      words_2_q <= words_2;
      last_2_q  <= last_1_q;
      later_2_q <= later_1_q;
      paid_2_q  <= paid_1_q;
      if (valid_2_q && paid_2_q) carried_q <= words_3;
      m_axis_tlast_o <= last_2_q;
      for (int i = 0; i < Words; i++) begin
        if (!front_2_q[i]) {m_axis_tkeep_o[4*i+:4], m_axis_tdata_o[32*i+:32]} <= {{4{words_3[33*i+32]}}, words_3[33*i+:32]};
        else if (later_2_q) {m_axis_tkeep_o[4*i+:4], m_axis_tdata_o[32*i+:32]} <= {{4{carried_q[33*i+32]}}, carried_q[33*i+:32]};
        else {m_axis_tkeep_o[4*i+:4], m_axis_tdata_o[32*i+:32]} <= {4'hF, head_2_q[32*i+:32]};
      end
    end
  end

  // Legal parameters.
  if (Width < 32 || 2 ** $clog2(Width) != Width) begin : gen_illegal
    $error("packet_builder: Width must be a power of two, 32 at least");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_known : assert (!packet_valid_i || roce_pkg::KnownOpcodes[opcode_i]);
      a_may_have_payload : assert (!packet_valid_i || payload_i == '0 || roce_pkg::HasPayload[opcode_i]);
      a_keep_is_lowest : assert (!s_axis_tvalid_i || (s_axis_tkeep_i[0] && (s_axis_tkeep_i & (s_axis_tkeep_i + (Width / 8)'(1))) == '0));
      a_only_the_last_is_short : assert (!s_axis_tvalid_i || s_axis_tlast_i || s_axis_tkeep_i == '1);
    end
  end
endmodule

`default_nettype wire
