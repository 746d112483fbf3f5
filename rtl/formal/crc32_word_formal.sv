// SPDX-License-Identifier: Apache-2.0
// The state after a beat, summed from parts and with the zeros of its end taken back, is that of crc32_byte, for each number of bytes.
// prove: search 1
// solver: minisat
//
// Both sides are linear: exclusive ors only, for whichever place of the last byte. So any state and beat are right if each single bit is.
// No state, or one bit of it or of the beat, is set; parts as icrc_pipe and icrc_insert have them at 64 bits.
`default_nettype none

module crc32_word_formal (
    input logic       clk_i,
    input logic [6:0] bit_i,  // 96 and above: none
    input logic [2:0] last_i  // place of the beat's last byte
);
  logic [95:0] ones;
  logic [31:0] state;
  logic [63:0] data, kept;
  assign ones = (bit_i < 7'd96) ? (96'd1 << bit_i) : '0;
  assign {state, data} = ones;
  always_comb for (int i = 0; i < 8; i++) kept[8*i+:8] = (3'(i) <= last_i) ? data[8*i+:8] : 8'h00;

  logic [31:0] low, high, folded, filled, back_4, back_2, back_1, without_4, without_2, without_1;
  crc32_word #(
      .Bytes(4),
      .After(4)
  ) u_low (
      .data_i(kept[31:0]),
      .crc_o (low)
  );
  crc32_word #(
      .Bytes(4),
      .After(0)
  ) u_high (
      .data_i(kept[63:32]),
      .crc_o (high)
  );
  crc32_word #(
      .Bytes(4),
      .After(4)
  ) u_folded (
      .data_i(state),
      .crc_o (folded)
  );
  assign filled = low ^ high ^ folded;
  crc32_word #(
      .Bytes (4),
      .Undone(8)
  ) u_back_4 (
      .data_i(filled),
      .crc_o (back_4)
  );
  assign without_4 = last_i[2] ? filled : back_4;
  crc32_word #(
      .Bytes (4),
      .Undone(6)
  ) u_back_2 (
      .data_i(without_4),
      .crc_o (back_2)
  );
  assign without_2 = last_i[1] ? without_4 : back_2;
  crc32_word #(
      .Bytes (4),
      .Undone(5)
  ) u_back_1 (
      .data_i(without_2),
      .crc_o (back_1)
  );
  assign without_1 = last_i[0] ? without_2 : back_1;

  logic [32*9-1:0] states;
  assign states[31:0] = state;
  for (genvar i = 0; i < 8; i++) begin : gen_bytes
    logic [31:0] after;
    crc32_byte u_byte (
        .crc_i (states[32*i+:32]),
        .data_i(data[8*i+:8]),
        .crc_o (after)
    );
    assign states[32*(i+1)+:32] = (3'(i) <= last_i) ? after : states[32*i+:32];
  end

  always_comb a_same : assert (without_1 == states[32*8+:32]);
endmodule

`default_nettype wire
