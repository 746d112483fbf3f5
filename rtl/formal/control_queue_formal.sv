// SPDX-License-Identifier: Apache-2.0
// Control frames: none is lost, none comes twice, all come in order, and none before the data that it acknowledges is posted.
// prove: cover 11, search 5, induction 2
`default_nettype none

module control_queue_formal (
    input logic         clk_i,
    input logic         push_i,
    input logic [247:0] push_header_i,
    input logic [ 11:0] push_after_i,
    input logic [ 11:0] posted_i,
    input logic         begin_i,        // a decision begins
    input logic         end_i,          // it ends: in this cycle and the next it pushes
    input logic         pop_i,
    input logic         watch_i         // the frame pushed in this cycle is the one to follow
);
  localparam int unsigned Depth = 8;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic valid, empty, hold;
  logic [247:0] header;
  control_queue #(
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_ni  (rst_nq),
      .hold_o  (hold),
      .push_i,
      .push_header_i,
      .push_after_i,
      .posted_i,
      .valid_o (valid),
      .header_o(header),
      .pop_i,
      .empty_o (empty)
  );

  // What is inside it, and where: for the induction.
  logic [3:0] head;  // see u_queue.head_q
  logic [3:0] tail;  // see u_queue.tail_q
  logic first_valid;  // see u_queue.first_valid_q
  logic fetching;  // see u_queue.fetching_q
  logic [259:0] first;  // see u_queue.first_q
  logic [259:0] fetched;  // see u_queue.fetched_q
  logic [2079:0] frames;  // see 8 x 260 of u_queue.frames_q

  // Shadow: how many are in it; of the frame that is followed one bit, whichever, and how many stand before it.
  (* anyconst *) logic [8:0] bit_index;
  logic [4:0] count_q, ahead_q;
  logic watched_q, bit_q, now;
  logic [11:0] after_q, missing;
  logic [259:0] pushed;
  assign pushed = {push_header_i, push_after_i};
  assign now = push_i && watch_i && !watched_q;
  assign missing = after_q - posted_i;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      count_q   <= '0;
      ahead_q   <= '0;
      watched_q <= 1'b0;
    end else begin
      count_q <= count_q + 5'(push_i) - 5'(pop_i);
      if (now) begin
        watched_q <= 1'b1;
        ahead_q   <= count_q - 5'(pop_i);
        bit_q     <= pushed[bit_index];
        after_q   <= push_after_i;
      end else if (watched_q && pop_i) begin
        if (ahead_q == '0) watched_q <= 1'b0;
        else ahead_q <= ahead_q - 5'd1;
      end
    end
  end

  // The decision that is being made, and the one that has ended in the cycle before.
  logic deciding_q, ended_q;
  always_ff @(posedge clk_i) begin
    deciding_q <= rst_nq && ((deciding_q && !end_i) || begin_i);
    ended_q    <= rst_nq && end_i;
  end

  // Where the frame that is followed stands.
  logic [3:0] stored;
  logic [4:0] outside;  // of the ring
  logic [2:0] place;
  logic [259:0] there;
  assign stored = tail - head;
  assign outside = 5'(first_valid) + 5'(fetching);
  assign place = 3'(head) + 3'(ahead_q - outside);
  always_comb begin
    there = frames[260*place+:260];
    if (ahead_q == '0 && first_valid) there = first;
    else if (ahead_q < outside) there = fetched;
  end

  always_comb begin
    // Legal: a decision pushes at its end and in the cycle after, and begins where hold_o lets it, when the one before has ended
    // (transport_controller.sv; release_q of rnic_core.sv). How long it takes is left open.
    assume (!begin_i || (!hold && (!deciding_q || end_i)));
    assume (!end_i || deciding_q);
    assume (!push_i || end_i || ended_q);
    // Only a frame that may leave is taken: control_valid_i of tx_path.
    assume (!pop_i || valid);
    if (rst_nq) begin
      a_no_leak : assert (count_q == 5'(stored) + outside);
      a_empty : assert (empty == (count_q == '0));
      // Room for what the decision in hand, and the one that has just ended, still push.
      a_never_full : assert (5'(stored) + (deciding_q ? 5'd2 : 5'd0) + 5'(ended_q) <= 5'(Depth) && !(push_i && stored == 4'(Depth)));
      a_bounded : assert (stored <= 4'(Depth));
      a_one_first : assert (!fetching || !first_valid);
      a_is_there : assert (!watched_q || ahead_q < count_q);
      a_kept : assert (!watched_q || (there[bit_index] == bit_q && there[11:0] == after_q));
      if (watched_q && ahead_q == '0 && valid) begin
        a_order : assert (bit_index < 9'd12 || header[bit_index-9'd12] == bit_q);
        a_not_before_its_data : assert (missing == '0 || missing[11]);
      end
    end
    c_held : cover (rst_nq && stored == 4'd6);
    c_leaves : cover (rst_nq && watched_q && ahead_q == '0 && pop_i && count_q == 5'd3);
  end
endmodule

`default_nettype wire
