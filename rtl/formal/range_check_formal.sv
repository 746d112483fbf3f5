// SPDX-License-Identifier: Apache-2.0
// A range is said to lie in a region exactly if it begins in it or behind and ends in it, as numbers that do not end; so does each byte.
// prove: cover 5, search 5
//
// Addresses of 16 bits, lengths of 8, pieces of 4. The stages hold nothing but what came in the last three moves, so that five cycles
// from any state show all of it.
`default_nettype none

module range_check_formal (
    input logic        clk_i,
    input logic [15:0] address_i,
    input logic [7:0]  bytes_i,
    input logic [15:0] base_i,
    input logic [15:0] size_i,
    input logic [7:0]  byte_i      // one of the range, whichever
);
  logic said;
  range_check #(
      .AddressBits(16),
      .LengthBits (8),
      .Piece      (4)
  ) u_range (
      .clk_i,
      .advance_i(1'b1),
      .address_i,
      .bytes_i,
      .base_i,
      .size_i,
      .inside_o (said)
  );

  logic lies, as_the_model, outside, wraps;
  logic [17:0] touched;
  logic [2:0] valid_q = '0, lies_q, outside_q, wraps_q, empty_q;
  assign lies = address_i >= base_i && {2'd0, address_i} + {10'd0, bytes_i} <= {2'd0, base_i} + {2'd0, size_i};
  assign as_the_model = address_i >= base_i && {8'd0, bytes_i} <= size_i && address_i - base_i <= size_i - {8'd0, bytes_i};
  assign touched = {2'd0, address_i} + {10'd0, byte_i};
  assign outside = byte_i < bytes_i && (touched < {2'd0, base_i} || touched >= {2'd0, base_i} + {2'd0, size_i});
  // Of a region that ends where addresses do, or before.
  assign wraps = {2'd0, base_i} + {2'd0, size_i} <= 18'h1_0000 && byte_i < bytes_i && touched > 18'h0_FFFF;
  always_ff @(posedge clk_i) begin
    valid_q   <= {valid_q[1:0], 1'b1};
    lies_q    <= {lies_q[1:0], lies};
    outside_q <= {outside_q[1:0], outside};
    wraps_q   <= {wraps_q[1:0], wraps};
    empty_q   <= {empty_q[1:0], bytes_i == '0};
  end
  always_comb begin
    a_same : assert (!valid_q[2] || said == lies_q[2]);
    a_model : assert (lies == as_the_model);
    a_no_byte_outside : assert (!(valid_q[2] && said) || !outside_q[2]);
    a_no_wrap : assert (!(valid_q[2] && said) || !wraps_q[2]);
    c_inside : cover (valid_q[2] && said && !empty_q[2]);
  end
endmodule

`default_nettype wire
