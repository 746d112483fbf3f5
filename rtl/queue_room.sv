// SPDX-License-Identifier: Apache-2.0
// Whether a queue has places, known when a cycle begins: what could come and go is weighed in the cycle before.
`default_nettype none

module queue_room #(
    parameter int unsigned Depth = 128,  // a power of two
    parameter int unsigned Reserve = 16  // less than Depth
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [$clog2(Depth):0] head_i,
    input  logic [$clog2(Depth):0] tail_i,
    input  logic                     push_i,
    input  logic                     pop_i,
    output logic                     place_o,  // for one
    output logic                     more_o    // for more than Reserve
);
  localparam int unsigned Bits = $clog2(Depth) + 1;
  localparam logic [Bits-1:0] Full = Bits'(Depth);
  localparam logic [Bits-1:0] Most = Bits'(Depth - Reserve);  // and one place more than are reserved is not left
  logic [Bits-1:0] fill;
  assign fill = tail_i - head_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_o <= 1'b1;
      more_o  <= 1'b1;
    end else if (push_i && !pop_i) begin
      place_o <= (fill < Full - Bits'(1));
      more_o  <= (fill < Most - Bits'(1));
    end else if (pop_i && !push_i) begin
      place_o <= 1'b1;
      more_o  <= (fill <= Most);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_place : assert (place_o == (fill < Full) && more_o == (fill < Most));
    end
  end
endmodule

`default_nettype wire
