// SPDX-License-Identifier: Apache-2.0
// A slot has one owner at a time: the frame coming in never gets one that is in use, and one that is given back is free.
// prove: cover 6, search 4, induction 1
//
// Followed is one slot, whichever.
`default_nettype none

module rx_staging_formal (
    input logic        clk_i,
    input logic        valid_i,
    input logic        first_i,
    input logic [ 7:0] data_i,
    input logic        take_i,
    input logic [31:0] free_i
);
  (* anyconst *) logic [4:0] some_slot;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [4:0] slot;
  logic empty;
  rx_staging u_staging (
      .clk_i,
      .rst_ni     (rst_nq),
      .valid_i,
      .first_i,
      .data_i,
      .take_i,
      .slot_o     (slot),
      .free_i,
      .read_slot_i(5'd0),
      .read_word_i(8'd0),
      .read_data_o(),
      .empty_o    (empty)
  );

  // What is inside it: for the induction.
  logic [31:0] used_set;  // see u_staging.used_q
  logic [10:0] count;  // see u_staging.count_q

  // Shadow: whether the slot that is followed has an owner, as the inputs say.
  logic owned_q;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) owned_q <= 1'b0;
    else if (take_i && slot == some_slot) owned_q <= 1'b1;
    else if (free_i[some_slot]) owned_q <= 1'b0;
  end

  always_comb begin
    // rnic_core gives back what was taken, once: a_free_was_used of rx_staging.sv.
    assume ((free_i & ~used_set) == '0);
    // It takes a slot only where one is left for the next frame: 28 in use and 3 on their way at most, of 32.
    assume (!take_i || ((used_set & ~free_i) | (32'd1 << slot)) != '1);
    if (rst_nq) begin
      a_no_alias : assert (!(slot == some_slot && owned_q));
      a_no_leak : assert (used_set[some_slot] == owned_q);
      a_empty : assert (!empty || !owned_q);
      a_within : assert (count <= 11'd1582);  // 46 + 192 words
    end
    c_given_again : cover (rst_nq && take_i && slot == some_slot && some_slot == 5'd1 && used_set == 32'd5);
  end
endmodule

`default_nettype wire
