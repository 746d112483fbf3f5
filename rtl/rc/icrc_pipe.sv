// SPDX-License-Identifier: Apache-2.0
// The first stages of icrc_insert and icrc_check: beats of a RoCEv2 packet, from the IP header on, and CRC-32 of what routers leave
// alone (tlm/roce/icrc.h). Stages: 0 bytes that may change become ones, 1 what each four bytes add, 2 their sum, 3 the state. All move
// together. A last beat is filled up with zeros; who wants the state before them takes them back.
`default_nettype none

module icrc_pipe #(
    parameter int unsigned Bytes = 64,   // of a beat: a power of two from 4 on
    parameter int unsigned Trailer = 0   // a packet shorter than its headers and so much more is too short
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     advance_i,    // the stages move
    input  logic                     valid_i,
    input  logic [8*Bytes-1:0]       data_i,       // the first byte in the lowest bits
    input  logic [Bytes-1:0]         keep_i,       // all, but of a last beat: the lowest, one at least
    input  logic                     last_i,
    output logic                     valid_o,
    output logic [8*Bytes-1:0]       data_o,       // as it came; zero beyond the packet
    output logic [Bytes-1:0]         keep_o,
    output logic                     last_o,
    output logic [31:0]              state_o,      // after this beat, filled up; not complemented
    output logic [$clog2(Bytes)-1:0] pad_o,        // bytes of zero in it
    output logic                     too_short_o   // with last_o
);
  localparam int unsigned Width = 8 * Bytes;
  localparam int unsigned Groups = Bytes / 4;
  localparam int unsigned PadBits = $clog2(Bytes);
  localparam int unsigned Sixteens = (Bytes + 15) / 16;
  localparam logic [31:0] Polynomial = 32'hEDB8_8320;  // of crc32_byte
  // Headers up to the BTH, by the version of IP. A packet whose first four bits are no 6 is taken for IPv4, without options.
  localparam int unsigned Ipv4Bytes = 20;
  localparam int unsigned Ipv6Bytes = 40;
  localparam int unsigned Least4 = Ipv4Bytes + roce_pkg::UdpBytes + roce_pkg::BthBytes + Trailer;
  localparam int unsigned Least6 = Ipv6Bytes + roce_pkg::UdpBytes + roce_pkg::BthBytes + Trailer;
  localparam int unsigned HeadBeats = (Least6 + Bytes - 1) / Bytes;
  localparam int unsigned BeatBits = $clog2(HeadBeats + 1);

  // Eight bytes of ones stand in front, for a header that InfiniBand has there; then the zeros of a beat.
  function automatic logic [31:0] from_start(input int unsigned zeros);
    from_start = '1;
    for (int i = 0; i < 8; i++) begin
      from_start = from_start ^ 32'h0000_00FF;
      for (int j = 0; j < 8; j++) from_start = from_start[0] ? ((from_start >> 1) ^ Polynomial) : (from_start >> 1);
    end
    for (int i = 0; i < 8 * zeros; i++) from_start = from_start[0] ? ((from_start >> 1) ^ Polynomial) : (from_start >> 1);
  endfunction
  localparam logic [31:0] FromStart = from_start(Bytes);

  // Bits that may change on the way: TOS, TTL, checksums, FECN and BECN with their byte; of IPv6 class, flow label and hop limit.
  function automatic logic [8*Bytes*HeadBeats-1:0] changing(input logic ipv6);
    int unsigned ip;
    ip = ipv6 ? Ipv6Bytes : Ipv4Bytes;
    changing = '0;
    changing[8*(ip+6)+:16] = '1;
    changing[8*(ip+roce_pkg::UdpBytes+roce_pkg::BthBytes-1-roce_pkg::BthFecnLsb/8)+:8] = '1;
    if (ipv6) begin
      changing[3:0] = '1;
      changing[8+:24] = '1;
      changing[8*7+:8] = '1;
    end else begin
      changing[8+:8] = '1;
      changing[8*8+:8] = '1;
      changing[8*10+:16] = '1;
    end
  endfunction
  localparam logic [Width*HeadBeats-1:0] Changing4 = changing(1'b0);
  localparam logic [Width*HeadBeats-1:0] Changing6 = changing(1'b1);

  // Where in the packet this beat is, counted as far as it matters.
  logic [BeatBits-1:0] beat_q;
  logic ipv6, ipv6_q, first;
  assign first = (beat_q == '0);
  assign ipv6 = first ? (data_i[7:4] == 4'd6) : ipv6_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= '0;
    end else if (advance_i && valid_i) begin
      if (last_i) beat_q <= '0;
      else if (beat_q != BeatBits'(HeadBeats)) beat_q <= beat_q + BeatBits'(1);
    end
  end

  logic [Width-1:0] present, covered;
  logic enough;
  always_comb begin
    for (int i = 0; i < Width; i++) present[i] = data_i[i] && keep_i[i/8];
    covered = present;
    for (int b = 0; b < HeadBeats; b++) begin
      for (int i = 0; i < Width; i++) begin
        if (beat_q == BeatBits'(b) && keep_i[i/8] && (ipv6 ? Changing6[Width*b+i] : Changing4[Width*b+i])) covered[i] = 1'b1;
      end
    end
    // The last byte that has to be there is in this beat or an earlier one.
    if (ipv6) enough = beat_q > BeatBits'((Least6 - 1) / Bytes) || (beat_q == BeatBits'((Least6 - 1) / Bytes) && keep_i[(Least6-1)%Bytes]);
    else enough = beat_q > BeatBits'((Least4 - 1) / Bytes) || (beat_q == BeatBits'((Least4 - 1) / Bytes) && keep_i[(Least4-1)%Bytes]);
  end

  // Of stages 0 to 3, the first in the lowest bits.
  logic [3:0] valid_q, last_q, short_q;
  logic [2:0] first_q;
  logic [4*Width-1:0] data_q;
  logic [4*Bytes-1:0] keep_q;
  logic [Width-1:0] covered_q;  // 0
  logic [32*Groups-1:0] adds, adds_q;  // 1
  logic [31:0] sum, sum_q;  // 2
  logic [PadBits*Sixteens-1:0] changes, changes_q;
  logic [31:0] folded, state_q;  // 3
  logic [PadBits-1:0] place, pad_q;
  for (genvar g = 0; g < Groups; g++) begin : gen_groups
    crc32_word #(
        .Bytes(4),
        .After(Bytes - 4 - 4 * g)
    ) u_adds (
        .data_i(covered_q[32*g+:32]),
        .crc_o (adds[32*g+:32])
    );
  end
  crc32_word #(
      .Bytes(4),
      .After(Bytes - 4)
  ) u_folded (
      .data_i(state_q),
      .crc_o (folded)
  );

  // The place of the last byte: each bit of it changes where the place is a multiple of its weight. By sixteen bytes, then of all.
  always_comb begin
    sum = first_q[1] ? FromStart : '0;
    for (int g = 0; g < Groups; g++) sum = sum ^ adds_q[32*g+:32];
    changes = '0;
    for (int b = 0; b < PadBits; b++) begin
      for (int i = 1; i < Bytes; i++) if (i % (1 << b) == 0) changes[PadBits*(i/16)+b] = changes[PadBits*(i/16)+b] ^ keep_q[Bytes+i];
    end
    place = '0;
    for (int s = 0; s < Sixteens; s++) place = place ^ changes_q[PadBits*s+:PadBits];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (advance_i) valid_q <= {valid_q[2:0], valid_i};
  end
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      ipv6_q    <= ipv6;
      first_q   <= {first_q[1:0], first};
      last_q    <= {last_q[2:0], last_i};
      short_q   <= {short_q[2:0], !enough};
      data_q    <= {data_q[3*Width-1:0], present};
      keep_q    <= {keep_q[3*Bytes-1:0], keep_i};
      covered_q <= covered;
      adds_q    <= adds;
      sum_q     <= sum;
      changes_q <= changes;
      pad_q     <= ~place;
      if (valid_q[2]) state_q <= sum_q ^ (first_q[2] ? '0 : folded);
    end
  end

  assign valid_o = valid_q[3];
  assign data_o = data_q[3*Width+:Width];
  assign keep_o = keep_q[3*Bytes+:Bytes];
  assign last_o = last_q[3];
  assign state_o = state_q;
  assign pad_o = pad_q;
  assign too_short_o = short_q[3];

  // Legal parameters.
  if (Bytes < 4 || 2 ** $clog2(Bytes) != Bytes) begin : gen_illegal
    $error("icrc_pipe: Bytes must be a power of two, 4 at least");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_keep_is_lowest : assert (!valid_i || (keep_i[0] && (keep_i & (keep_i + Bytes'(1))) == '0));
      a_only_the_last_is_short : assert (!valid_i || last_i || keep_i == '1);
    end
  end
endmodule

`default_nettype wire
