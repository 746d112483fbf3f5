// SPDX-License-Identifier: Apache-2.0
// Does a range lie in a region? Sums as if of endless numbers, so nothing wraps: address >= base, and address + bytes <= base + size.
// The first is the carry of a difference, the second the sign of a sum of four, of which a carry-save adder makes two. Carries go by
// pieces: each with and without one from below, then from the lowest piece up. Three stages.
`default_nettype none

module range_check #(
    parameter int unsigned AddressBits = 64,  // a multiple of Piece
    parameter int unsigned LengthBits = 32,   // from 1 to AddressBits
    parameter int unsigned Piece = 16        // bits that a carry passes in a stage
) (
    input  logic                   clk_i,
    input  logic                   advance_i,  // the stages move
    input  logic [AddressBits-1:0] address_i,
    input  logic [LengthBits-1:0]  bytes_i,
    input  logic [AddressBits-1:0] base_i,
    input  logic [AddressBits-1:0] size_i,
    output logic                   inside_o    // after three moves; a range of no bytes may lie at the region's end
);
  localparam int unsigned Pieces = AddressBits / Piece;
  localparam int unsigned Bits = AddressBits + 2;  // what the sum may be, and its sign

  // address + bytes - base - size - 2, in two summands; with 1 in the lowest carry, so that what is negative is not above zero.
  logic [Bits-1:0] address, bytes, not_base, not_size, some, some_carries, all, all_carries, sum_q, carries_q;
  assign address = {2'd0, address_i};
  assign bytes = {{Bits - LengthBits{1'b0}}, bytes_i};
  assign not_base = ~{2'd0, base_i};
  assign not_size = ~{2'd0, size_i};
  assign some = address ^ bytes ^ not_base;
  assign some_carries = {(address[Bits-2:0] & bytes[Bits-2:0]) | (not_base[Bits-2:0] & (address[Bits-2:0] | bytes[Bits-2:0])), 1'b0};
  assign all = some ^ some_carries ^ not_size;
  assign all_carries = {(some[Bits-2:0] & some_carries[Bits-2:0]) | (not_size[Bits-2:0] & (some[Bits-2:0] | some_carries[Bits-2:0])), 1'b1};

  // 0: is the piece of the address more than that of the base, is it not less. 1: does a piece of the sum carry by itself, and with a
  // carry; the highest one has the sign in place of that.
  logic [Pieces-1:0] more, more_q, not_less, not_less_q, makes, makes_q, passes, passes_q;
  for (genvar p = 0; p < Pieces; p++) begin : gen_pieces
    localparam int unsigned Wide = (p == Pieces - 1) ? Piece + 2 : Piece + 1;
    logic [Piece:0] difference;
    logic [Wide-1:0] some_piece, carries_piece, alone;
    logic [Piece+1:0] difference_carried;  // with two ones below, which carry
    logic [Wide:0] carried;
    assign difference = {1'b0, address_i[Piece*p+:Piece]} + {1'b0, ~base_i[Piece*p+:Piece]};
    assign difference_carried = {1'b0, address_i[Piece*p+:Piece], 1'b1} + {1'b0, ~base_i[Piece*p+:Piece], 1'b1};
    assign more[p] = difference[Piece];
    assign not_less[p] = difference_carried[Piece+1];
    if (p == Pieces - 1) begin : gen_highest
      assign some_piece = sum_q[Bits-1-:Wide];
      assign carries_piece = carries_q[Bits-1-:Wide];
    end else begin : gen_lower
      assign some_piece = {1'b0, sum_q[Piece*p+:Piece]};
      assign carries_piece = {1'b0, carries_q[Piece*p+:Piece]};
    end
    assign alone = some_piece + carries_piece;
    assign carried = {some_piece, 1'b1} + {carries_piece, 1'b1};
    assign makes[p] = alone[Wide-1];
    assign passes[p] = carried[Wide];
  end
  // 2: from the lowest piece up.
  logic behind, behind_q, carry;
  always_comb begin
    behind = 1'b1;
    for (int p = 0; p < Pieces; p++) behind = more_q[p] || (not_less_q[p] && behind);
    carry = 1'b0;
    for (int p = 0; p < Pieces - 1; p++) carry = makes_q[p] || (passes_q[p] && carry);
  end

  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      sum_q      <= all;
      carries_q  <= all_carries;
      more_q     <= more;
      not_less_q <= not_less;
      makes_q    <= makes;
      passes_q   <= passes;
      behind_q   <= behind;
      inside_o   <= behind_q && (carry ? passes_q[Pieces-1] : makes_q[Pieces-1]);
    end
  end

  // Legal parameters.
  if (Piece < 1 || Pieces < 2 || Pieces * Piece != AddressBits || LengthBits < 1 || LengthBits > AddressBits) begin : gen_illegal
    $error("range_check: AddressBits must be two times Piece at least, and a multiple of it; LengthBits no more than they are");
  end
endmodule

`default_nettype wire
