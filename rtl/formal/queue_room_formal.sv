// SPDX-License-Identifier: Apache-2.0
// Whether a queue has places is known in each cycle as it is then, whatever came and went in the one before.
// prove: cover 12, search 12, induction 1
`default_nettype none

module queue_room_formal (
    input logic clk_i,
    input logic push_i,
    input logic pop_i
);
  localparam int unsigned Depth = 8;
  localparam int unsigned Reserve = 3;
  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [3:0] head_q, tail_q, fill;
  logic place, more;
  assign fill = tail_q - head_q;
  queue_room #(
      .Depth  (Depth),
      .Reserve(Reserve)
  ) u_room (
      .clk_i,
      .rst_ni (rst_nq),
      .head_i (head_q),
      .tail_i (tail_q),
      .push_i,
      .pop_i,
      .place_o(place),
      .more_o (more)
  );
  always_ff @(posedge clk_i) begin
    head_q <= rst_nq ? head_q + 4'(pop_i) : '0;
    tail_q <= rst_nq ? tail_q + 4'(push_i) : '0;
  end

  always_comb begin
    assume (!rst_nq || !push_i || fill != 4'(Depth));
    assume (!rst_nq || !pop_i || fill != '0);
    if (rst_nq) begin
      a_bounded : assert (fill <= 4'(Depth));
      a_as_it_is : assert (place == (fill < 4'(Depth)) && more == (fill < 4'(Depth - Reserve)));
    end
    c_full : cover (rst_nq && fill == 4'(Depth) && pop_i);
  end
endmodule

`default_nettype wire
