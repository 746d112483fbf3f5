// Control frames: none is lost, none comes twice, all come in order, and none before the data that it acknowledges is posted.
// prove: cover 9, search 5, induction 2
`default_nettype none

module control_queue_formal (
    input logic         clk_i,
    input logic         push_i,
    input logic [247:0] push_header_i,
    input logic [  7:0] push_after_i,
    input logic [  7:0] posted_i,
    input logic         pop_i,
    input logic         watch_i         // the frame pushed in this cycle is the one to follow
);
  localparam int unsigned Depth = 4;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic valid, empty;
  logic [247:0] header;
  control_queue #(
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_ni  (rst_nq),
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
  logic [2:0] head;  // see u_queue.head_q
  logic [2:0] tail;  // see u_queue.tail_q
  logic first_valid;  // see u_queue.first_valid_q
  logic fetching;  // see u_queue.fetching_q
  logic [255:0] first;  // see u_queue.first_q
  logic [255:0] fetched;  // see u_queue.fetched_q
  logic [1023:0] frames;  // see 4 x 256 of u_queue.frames_q

  // Shadow: how many are in it; of the frame that is followed one bit, whichever, and how many stand before it.
  (* anyconst *) logic [7:0] bit_index;
  logic [3:0] count_q, ahead_q;
  logic watched_q, bit_q, now;
  logic [7:0] after_q, missing;
  logic [255:0] pushed;
  assign pushed = {push_header_i, push_after_i};
  assign now = push_i && watch_i && !watched_q;
  assign missing = after_q - posted_i;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      count_q   <= '0;
      ahead_q   <= '0;
      watched_q <= 1'b0;
    end else begin
      count_q <= count_q + 4'(push_i) - 4'(pop_i);
      if (now) begin
        watched_q <= 1'b1;
        ahead_q   <= count_q - 4'(pop_i);
        bit_q     <= pushed[bit_index];
        after_q   <= push_after_i;
      end else if (watched_q && pop_i) begin
        if (ahead_q == '0) watched_q <= 1'b0;
        else ahead_q <= ahead_q - 4'd1;
      end
    end
  end

  // Where the frame that is followed stands.
  logic [2:0] stored;
  logic [3:0] outside;  // of the ring
  logic [1:0] place;
  logic [255:0] there;
  assign stored = tail - head;
  assign outside = 4'(first_valid) + 4'(fetching);
  assign place = 2'(head) + 2'(ahead_q - outside);
  always_comb begin
    there = frames[256*place+:256];
    if (ahead_q == '0 && first_valid) there = first;
    else if (ahead_q < outside) there = fetched;
  end

  always_comb begin
    // README: the queue is deep enough for all that may wait; what comes to a full one would be lost.
    assume (!push_i || stored != 3'(Depth));
    // Only a frame that may leave is taken: control_valid_i of tx_path.
    assume (!pop_i || valid);
    if (rst_nq) begin
      a_no_leak : assert (count_q == 4'(stored) + outside);
      a_empty : assert (empty == (count_q == '0));
      a_bounded : assert (stored <= 3'(Depth));
      a_one_first : assert (!fetching || !first_valid);
      a_is_there : assert (!watched_q || ahead_q < count_q);
      a_kept : assert (!watched_q || (there[bit_index] == bit_q && there[7:0] == after_q));
      if (watched_q && ahead_q == '0 && valid) begin
        a_order : assert (bit_index < 8'd8 || header[bit_index-8'd8] == bit_q);
        a_not_before_its_data : assert (missing == '0 || missing[7]);
      end
    end
    c_full : cover (rst_nq && stored == 3'(Depth));
    c_leaves : cover (rst_nq && watched_q && ahead_q == '0 && pop_i && count_q == 4'd3);
  end
endmodule

`default_nettype wire
