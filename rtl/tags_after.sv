// SPDX-License-Identifier: Apache-2.0
// May a DMA read have its tags, and how many are left then? One that asks for more than there are at all uses its own again: it goes
// when it has all of them.
`default_nettype none

module tags_after (
    input  logic [8:0] left_i,
    input  logic       all_left_i,
    input  logic [4:0] tags_i,
    output logic       fits_o,
    output logic [8:0] after_o  // where it fits
);
  // The high bits of the difference do not wait for the carry of the low ones.
  logic borrows, over;
  logic [3:0] less;
  assign less = left_i[8:5] - 4'd1;
  always_comb begin
    borrows = 1'b0;
    for (int i = 0; i < 5; i++) borrows = (tags_i[i] && !left_i[i]) || (borrows && (tags_i[i] || !left_i[i]));
  end
  assign over = borrows && left_i[8:5] == '0;
  assign fits_o = !over || all_left_i;
  assign after_o = over ? '0 : {borrows ? less : left_i[8:5], left_i[4:0] - tags_i};
endmodule

`default_nettype wire
