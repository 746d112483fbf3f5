// SPDX-License-Identifier: Apache-2.0
// A TLP passes a bridge's window exactly if each of its bytes lies in the BAR and below the limit; each keeps its place; no sum wraps.
// prove: cover 1, search 1
//
// One cycle says all: the block keeps nothing. Registers and TLPs of any value. With 65 bits no place wraps here.
`default_nettype none

module ntb_window_formal (
    input logic        clk_i,
    input logic        on_i,
    input logic [63:0] base_i,
    input logic [63:0] size_i,
    input logic [63:0] xbase_i,
    input logic [63:0] xlmt_i,
    input logic [63:0] address_i,
    input logic [12:0] bytes_i,
    input logic [12:0] byte_i      // the byte of the TLP that is looked at
);
  logic pass;
  logic [63:0] address;
  ntb_window u_window (
      .cfg_on_i   (on_i),
      .cfg_base_i (base_i),
      .cfg_size_i (size_i),
      .cfg_xbase_i(xbase_i),
      .cfg_xlmt_i (xlmt_i),
      .address_i,
      .bytes_i,
      .pass_o     (pass),
      .address_o  (address)
  );

  localparam logic [64:0] End = 65'd1 << 64;  // of all addresses
  logic legal;
  assign legal = {1'b0, xbase_i} + {1'b0, size_i} <= End;

  logic [12:0] more;  // bytes behind the first one
  assign more = bytes_i - 13'd1;
  // Of the first byte, the last one and that one: the place, and the distance from where the BAR begins.
  logic [64:0] first, last, place, distance, last_distance, byte_distance;
  assign first = {1'b0, address_i};
  assign last = first + 65'(more);
  assign place = first + 65'(byte_i);
  assign distance = first - {1'b0, base_i};
  assign last_distance = distance + 65'(more);
  assign byte_distance = distance + 65'(byte_i);

  always_comb begin
    a_off_or_empty : assert (!pass || (on_i && bytes_i != '0));
    // No byte outside passes: the byte may be any one, so this is of all.
    a_in_bar : assert (!(pass && byte_i < bytes_i) || (address_i >= base_i && byte_distance < {1'b0, size_i}));
    a_below_limit : assert (!(pass && byte_i < bytes_i) || place < {1'b0, xlmt_i});
    // What lies between two bytes inside lies inside.
    a_none_inside_refused : assert (pass || !on_i || bytes_i == '0 || address_i < base_i || last_distance >= {1'b0, size_i} ||
                                    last >= {1'b0, xlmt_i});
    a_distance : assert ({1'b0, base_i} + byte_distance == place);
    // The other side's window ends where addresses do, at the latest: then the TLP begins as far into it as into the BAR. With a_in_bar
    // each of its bytes lies inside, too.
    a_translated : assert (!pass || !legal || {1'b0, address} == {1'b0, xbase_i} + distance);
    c_whole : cover (pass && bytes_i == 13'd4096 && last + 65'd1 == {1'b0, xlmt_i} && first != {1'b0, base_i} && address != '0);
    c_last_one : cover (pass && {1'b0, base_i} + {1'b0, size_i} == End && xlmt_i == '1 && last + 65'd1 == {1'b0, xlmt_i});
    c_refused_by_a_byte : cover (on_i && bytes_i == 13'd4096 && !pass && last == {1'b0, xlmt_i} && first > {1'b0, base_i} && size_i[57]);
  end
endmodule

`default_nettype wire
