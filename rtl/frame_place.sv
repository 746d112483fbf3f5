// SPDX-License-Identifier: Apache-2.0
// Where a frame lies in its transfer: its sequence number times the segment. The two halves of the product are kept, place_o is
// their sum, from the cycle after start_i on: a product and its use do not fit into one.
`default_nettype none

module frame_place (
    input  logic        clk_i,
    input  logic        start_i,
    input  logic [31:0] sn_i,
    input  logic [10:0] segment_i,
    output logic [42:0] place_o
);
  logic [26:0] low_q, high_q;
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      low_q  <= 27'(sn_i[15:0]) * 27'(segment_i);
      high_q <= 27'(sn_i[31:16]) * 27'(segment_i);
    end
  end
  assign place_o = {high_q + 27'(low_q[26:16]), low_q[15:0]};
endmodule

`default_nettype wire
