// SPDX-License-Identifier: Apache-2.0
// The first stage of packet_parser: the first bytes of a packet side by side, however wide its beats are, and where its last byte is.
`default_nettype none

module packet_head #(
    parameter int unsigned Bytes = 64,      // of a beat: a power of two from 4 on
    parameter int unsigned HeadBytes = 88
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   advance_i,   // the stage moves
    input  logic                   valid_i,
    input  logic [8*Bytes-1:0]     data_i,      // the first byte in the lowest bits; zero beyond the packet
    input  logic [Bytes-1:0]       keep_i,      // all, but of a last beat: the lowest, one at least
    input  logic                   last_i,
    output logic [8*HeadBytes-1:0] head_o,      // the first byte in the highest bits; what has not come is zero
    output logic [16:0]            last_o       // of the packet's last byte so far, the first being 0; more than IP can say stays so
);
  localparam int unsigned PlaceBits = $clog2(Bytes);
  localparam int unsigned BeatBits = 17 - PlaceBits;
  localparam int unsigned HeadBeats = (HeadBytes + Bytes - 1) / Bytes;
  localparam int unsigned HeadBits = $clog2(HeadBeats + 1);

  logic [8*HeadBytes-1:0] head;
  logic [HeadBits-1:0] head_beat_q;  // of this beat, as far as it matters for the head
  logic [BeatBits-1:0] beat_q, beats_q;
  logic [Bytes-1:0] keep_q;
  logic [PlaceBits-1:0] place;
  always_comb begin
    head = head_beat_q == '0 ? '0 : head_o;
    for (int i = 0; i < HeadBytes; i++) begin
      if (head_beat_q == HeadBits'(i / Bytes)) head[8*(HeadBytes-1-i)+:8] = data_i[8*(i%Bytes)+:8];
    end
    // Each bit of the last byte's place changes at multiples of its weight.
    place = '0;
    for (int b = 0; b < PlaceBits; b++) begin
      for (int i = 1; i < Bytes; i++) if (i % (1 << b) == 0) place[b] = place[b] ^ keep_q[i];
    end
  end
  assign last_o = {beats_q, place};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_beat_q <= '0;
      beat_q      <= '0;
    end else if (advance_i && valid_i) begin
      if (last_i) head_beat_q <= '0;
      else if (head_beat_q != HeadBits'(HeadBeats)) head_beat_q <= head_beat_q + HeadBits'(1);
      if (last_i) beat_q <= '0;
      else if (beat_q != '1) beat_q <= beat_q + BeatBits'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance_i && valid_i) begin
      head_o  <= head;
      beats_q <= beat_q;
      keep_q  <= keep_i;
    end
  end

  // Legal parameters.
  if (Bytes < 4 || 2 ** $clog2(Bytes) != Bytes) begin : gen_illegal
    $error("packet_head: Bytes must be a power of two, 4 at least");
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
