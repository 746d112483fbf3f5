// SPDX-License-Identifier: Apache-2.0
// Ages of what waits: that of the oldest is how long ago it came, up to 255, however they come and go.
// prove: cover 8, search 8, induction 1
`default_nettype none

module waiting_ages_formal (
    input logic clk_i,
    input logic put_i,
    input logic take_i
);
  localparam int unsigned Places = 4;
  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  // A ring that nothing moves in.
  logic [2:0] head_q, tail_q, waiting;
  logic [31:0] since_q;
  logic [7:0] age;
  assign waiting = tail_q - head_q;
  waiting_ages #(
      .Places(Places)
  ) u_ages (
      .clk_i,
      .put_i,
      .waiting_i(waiting),
      .take_i,
      .age_o    (age)
  );
  logic [31:0] ages;  // see 4 x 8 of u_ages.ages_q

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Places; i++) if (since_q[8*i+:8] != '1) since_q[8*i+:8] <= since_q[8*i+:8] + 8'd1;
    if (!rst_nq) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      head_q <= head_q + 3'(take_i);
      tail_q <= tail_q + 3'(put_i);
      if (put_i) since_q[8*tail_q[1:0]+:8] <= 8'd1;
    end
  end

  logic alike;
  always_comb begin
    alike = 1'b1;
    for (int i = 0; i < Places; i++)
    if (3'(i) < waiting && ages[8*i+:8] != since_q[8*2'(head_q[1:0]+2'(i))+:8]) alike = 1'b0;
    assume (!rst_nq || !put_i || waiting != 3'(Places));
    assume (!rst_nq || !take_i || waiting != '0);
    if (rst_nq) begin
      a_bounded : assert (waiting <= 3'(Places));
      a_alike : assert (alike);
      a_oldest : assert (waiting == '0 || age == since_q[8*head_q[1:0]+:8]);
    end
    c_some_wait : cover (rst_nq && waiting == 3'd3 && take_i && put_i && age == 8'd5);
  end
endmodule

`default_nettype wire
