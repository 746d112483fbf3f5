// SPDX-License-Identifier: Apache-2.0
// DMA requests: none is lost, none comes twice, admitted ones leave in order, reads are admitted in order; tags are those of reads.
// prove: cover 8, search 5, induction 1
// long: induction
//
// Followed is one request, whichever, and one bit of it; depth 4 instead of 128, 2 that wait instead of 4.
`default_nettype none

module dma_queue_formal (
    input logic        clk_i,
    input logic        begin_i,             // a decision begins
    input logic        end_i,               // it ends
    input logic        transport_valid_i,
    input logic [ 1:0] transport_source_i,
    input logic [63:0] transport_address_i,
    input logic [10:0] transport_bytes_i,
    input logic [15:0] transport_tid_i,
    input logic        host_valid_i,
    input logic [ 7:0] host_age_i,
    input logic        host_write_i,
    input logic [63:0] host_address_i,
    input logic [10:0] host_bytes_i,
    input logic        completed_i,
    input logic [ 8:0] completed_tags_i,
    input logic        ready_i,
    input logic        watch_i              // the request looked at in this cycle is the one to follow
);
  localparam int unsigned Depth = 4;
  localparam int unsigned Waiting = 2;
  (* anyconst *) logic [8:0] tags;
  (* anyconst *) logic [3:0] limit_log2;
  (* anyconst *) logic [6:0] bit_index;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic hold, host_ready, valid, write, empty;
  logic [1:0] source;
  logic [63:0] address;
  logic [10:0] bytes;
  logic [15:0] tid;
  dma_queue #(
      .Depth  (Depth),
      .Waiting(Waiting),
      .Reserve(1)
  ) u_queue (
      .clk_i,
      .rst_ni                     (rst_nq),
      .cfg_tags_i                 (tags),
      .cfg_max_read_request_log2_i(limit_log2),
      .hold_o                     (hold),
      .transport_valid_i,
      .transport_source_i,
      .transport_address_i,
      .transport_bytes_i,
      .transport_tid_i,
      .host_valid_i,
      .host_ready_o               (host_ready),
      .host_age_i,
      .host_write_i,
      .host_address_i,
      .host_bytes_i,
      .completed_i,
      .completed_tags_i,
      .valid_o                    (valid),
      .ready_i,
      .source_o                   (source),
      .write_o                    (write),
      .address_o                  (address),
      .bytes_o                    (bytes),
      .tid_o                      (tid),
      .age_o                      (),
      .empty_o                    (empty)
  );

  // What is inside it: for the induction.
  logic [2:0] head;  // see u_queue.head_q
  logic [2:0] tail;  // see u_queue.tail_q
  logic [2:0] read_head;  // see u_queue.read_head_q
  logic [2:0] read_tail;  // see u_queue.read_tail_q
  logic [375:0] queue;  // see 4 x 94 of u_queue.queue_q
  logic [375:0] reads;  // see 4 x 94 of u_queue.reads_q
  logic [1:0] wait_head;  // see u_queue.transport_head_q
  logic [1:0] wait_tail;  // see u_queue.transport_tail_q
  logic [187:0] wait_words;  // see 2 x 94 of u_queue.transport_words_q
  logic [1:0] back_head;  // see u_queue.completed_head_q
  logic [1:0] back_tail;  // see u_queue.completed_tail_q
  logic [17:0] returned;  // see 2 x 9 of u_queue.returned_q
  logic take_transport;  // see u_queue.take_transport
  logic take_completed;  // see u_queue.take_completed
  logic [8:0] tags_left;  // see u_queue.tags_left_q
  logic [8:0] tags_here;  // see u_queue.tags_q
  logic started;  // see u_queue.started_q
  logic [9:0] wait_tags;  // see 2 x 5 of u_queue.transport_tags_q
  logic [19:0] reads_tags;  // see 4 x 5 of u_queue.reads_tags_q
  logic [4:0] read_tags;  // see u_queue.read_tags_q
  logic has_place;  // see u_queue.place
  logic more;  // see u_queue.more
  logic read_place;  // see u_queue.read_place
  logic more_reads;  // see u_queue.more_reads
  logic back_last;  // see u_queue.completed_last_q
  logic read_on;  // see u_queue.read_on
  logic push_read;  // see u_queue.push_read
  logic admit;  // see u_queue.admit
  logic [93:0] admitted;  // see u_queue.admitted

  // What comes in, and what goes out.
  logic [93:0] transport_in, first_q, second_q, host_in, in, out;
  logic looked_at, leaves;
  assign transport_in = {transport_source_i, transport_source_i != 2'd1, transport_address_i, transport_bytes_i, transport_tid_i};
  assign host_in = {2'd3, host_write_i, host_address_i, host_bytes_i, 16'd0};
  assign looked_at = take_transport || (host_valid_i && host_ready);
  assign in = take_transport ? first_q : host_in;
  assign out = {source, write, address, bytes, tid};
  assign leaves = valid && ready_i;

  // Tags of a read: one for each piece between multiples of the limit that it touches, all of them at most.
  function automatic logic [4:0] touched(input logic [93:0] read);
    logic [13:0] first, final_byte;
    first = {1'b0, read[27+:13]};
    final_byte = first + {3'd0, read[16+:11]} - 14'd1;
    touched = 5'((final_byte >> limit_log2) - (first >> limit_log2) + 14'd1);
  endfunction
  logic [8:0] needs, owed_q;
  assign needs = (9'(touched(admitted)) > tags) ? tags : 9'(touched(admitted));

  // The transport controller: the decision that is being made; its requests that are not looked at yet, the first two of them.
  logic deciding_q;
  logic [1:0] waiting_q, back;
  logic [10:0] back_tags;
  assign back = back_tail - back_head;
  assign back_tags = ((back != '0) ? 11'(returned[9*back_head[0]+:9]) : 11'd0) +
                     ((back == 2'd2) ? 11'(returned[9*!back_head[0]+:9]) : 11'd0);
  always_ff @(posedge clk_i) begin
    deciding_q <= rst_nq && ((deciding_q && !end_i) || begin_i);
    waiting_q  <= rst_nq ? waiting_q + 2'(transport_valid_i) - 2'(take_transport) : 2'd0;
    if (take_transport) first_q <= second_q;
    if (transport_valid_i && waiting_q == 2'(take_transport)) first_q <= transport_in;
    if (transport_valid_i && waiting_q == 2'd1 + 2'(take_transport)) second_q <= transport_in;
  end

  // Shadow: how many requests are inside; of the one that is followed how many stand before it.
  logic [3:0] inside_q;
  logic [2:0] ahead_q, stored, reads_stored;
  logic watched_q, waits_q, bit_q, write_q, now, goes_on;
  assign stored = tail - head;
  assign reads_stored = read_tail - read_head;
  assign now = looked_at && watch_i && !watched_q;
  assign goes_on = watched_q && waits_q && read_on && ahead_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      inside_q  <= '0;
      watched_q <= 1'b0;
      owed_q    <= '0;
    end else begin
      inside_q <= inside_q + 4'(transport_valid_i) + 4'(host_valid_i && host_ready) - 4'(leaves);
      owed_q   <= owed_q + ((admit && !admitted[91]) ? needs : 9'd0) - (completed_i ? completed_tags_i : 9'd0);
      if (now) begin
        bit_q   <= in[bit_index];
        write_q <= in[91];
        waits_q <= push_read;
        ahead_q <= push_read ? reads_stored : stored - 3'(leaves && stored != '0);
        // It may go through in the same cycle.
        watched_q <= push_read || stored != '0 || !leaves;
      end else if (goes_on) begin
        waits_q   <= 1'b0;
        ahead_q   <= stored - 3'(leaves && stored != '0);
        watched_q <= stored != '0 || !leaves;
      end else if (watched_q && (waits_q ? read_on : leaves)) begin
        ahead_q <= ahead_q - 3'd1;
        if (ahead_q == '0) watched_q <= 1'b0;
      end
    end
  end

  // Where the request that is followed stands.
  logic [1:0] place;
  logic [93:0] there;
  assign place = 2'(waits_q ? read_head : head) + ahead_q[1:0];
  logic reads_are_reads;  // what waits for tags asks for bytes, and its tags are counted
  always_comb begin
    reads_are_reads = 1'b1;
    for (int i = 0; i < Depth; i++) begin
      if ({1'b0, 2'(2'(i) - read_head[1:0])} < reads_stored && (reads[94*i+91] || reads[94*i+16+:11] == '0)) reads_are_reads = 1'b0;
      if ({1'b0, 2'(2'(i) - read_head[1:0])} < reads_stored && reads_tags[5*i+:5] != touched(reads[94*i+:94])) reads_are_reads = 1'b0;
    end
    if (reads_stored != '0 && read_tags != reads_tags[5*read_head[1:0]+:5]) reads_are_reads = 1'b0;
    there = '0;
    for (int i = 0; i < Depth; i++) if (place == 2'(i)) there = waits_q ? reads[94*i+:94] : queue[94*i+:94];
  end

  always_comb begin
    assume (bit_index < 7'd94);
    // Legal configuration: rtl/README.md, scenarios/README.md.
    assume (tags >= 9'd1 && tags <= 9'd256 && limit_log2 >= 4'd7 && limit_log2 <= 4'd12);
    // A request has bytes: a_piece_has_bytes of dma_engine.sv.
    assume (transport_bytes_i != '0 && host_bytes_i != '0);
    // transport_controller.sv: a decision begins where hold_o lets it, when the one before has ended; it asks at its end, once at most.
    assume (!begin_i || (!hold && (!deciding_q || end_i)));
    assume (!end_i || deciding_q);
    assume (!transport_valid_i || end_i);
    // Tags come back of reads that have been admitted.
    assume (!completed_i || completed_tags_i <= owed_q);
    if (rst_nq) begin
      a_bounded : assert (stored <= 3'(Depth) && reads_stored <= 3'(Depth));
      a_no_overflow : assert (!(admit && stored == 3'(Depth)) && !(push_read && reads_stored == 3'(Depth)));
      a_no_leak : assert (inside_q == 4'(stored) + 4'(reads_stored) + 4'(waiting_q));
      a_empty : assert (!empty || (inside_q == '0 && back == '0));
      // What waits to be looked at: with the decision in hand never more than there are places, in order, as it came.
      a_waiting : assert (2'(wait_tail - wait_head) == waiting_q && 3'(waiting_q) + 3'(deciding_q) <= 3'(Waiting));
      a_first : assert (waiting_q == '0 || wait_words[94*wait_head[0]+:94] == first_q);
      a_second : assert (waiting_q != 2'd2 || wait_words[94*!wait_head[0]+:94] == second_q);
      // What is looked at waits for tags, is admitted, or goes through; a read only if no other one waits.
      a_not_lost : assert (!looked_at || push_read || (admit && admitted == in && !read_on));
      a_reads_in_order : assert (!(admit && !admitted[91]) || read_on || reads_stored == '0);
      a_writes_do_not_wait : assert (!push_read || !in[91]);
      if (watched_q) begin
        a_is_there : assert (ahead_q < (waits_q ? reads_stored : stored));
        a_kept : assert (there[bit_index] == bit_q && there[91] == write_q && (!waits_q || !write_q));
        a_admitted_as_it_came : assert (!goes_on || (admit && admitted[bit_index] == bit_q));
        a_leaves_as_it_came : assert (waits_q || ahead_q != '0 || (valid && out[bit_index] == bit_q));
      end
      a_through : assert (!now || push_read || stored != '0 || (valid && out == in));
      a_tags : assert (back <= 2'(Waiting) && 11'(tags) - 11'(tags_left) == 11'(owed_q) + back_tags && tags_left <= tags || !started);
      a_places : assert (has_place == (stored < 3'(Depth)) && more == (stored < 3'(Depth - 1)) &&
                         read_place == (reads_stored < 3'(Depth)) && more_reads == (reads_stored < 3'(Depth - 1)));
      a_start : assert (started ? tags_here == tags : inside_q == '0 && back == '0 && owed_q == '0 && tags_left == '0 && tags_here == '0);
      a_youngest : assert (back == '0 || back_last == !back_tail[0]);
      a_counted : assert ((waiting_q == '0 || wait_tags[5*wait_head[0]+:5] == touched(first_q)) &&
                          (waiting_q != 2'd2 || wait_tags[5*!wait_head[0]+:5] == touched(second_q)));
      a_reads : assert (reads_are_reads && (waiting_q == '0 || first_q[16+:11] != '0) &&
                          (waiting_q != 2'd2 || second_q[16+:11] != '0));
    end
    c_waited : cover (rst_nq && watched_q && !waits_q && !write_q && ahead_q == 3'd1 && leaves && reads_stored == 3'd1);
  end
endmodule

`default_nettype wire
