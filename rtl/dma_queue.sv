// SPDX-License-Identifier: Apache-2.0
// DMA requests on their way to the DMA engine, in order of time; of one cycle first the transport controller's, then completions,
// then the host interface's. A read waits until its TLPs have tags, and others behind it; writes pass it.
//
// What happens in a cycle is processed from the next one on, one item a cycle, the oldest first. That costs no time: age_o says how
// long a request's set-up could have been running.
//
// No queue overflows: while as many decisions wait as may, or the queues are full, hold_o keeps the next decision from its start; the
// host interface waits sooner, so that Reserve places are left for decisions; completions beyond Waiting are counted together.
`default_nettype none

module dma_queue #(
    parameter int unsigned Depth = 128,   // a power of two
    parameter int unsigned Waiting = 4,   // requests of the transport controller, and completions, not processed yet; a power of two
    parameter int unsigned Reserve = 16   // places that are not the host interface's: as many as there are transmit buffers
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [ 8:0] cfg_tags_i,          // may change while all are left
    input  logic [ 3:0] cfg_max_read_request_log2_i,
    // Transport controller: at the end of a decision; while hold_o none may begin
    output logic        hold_o,
    input  logic        transport_valid_i,
    input  logic [ 1:0] transport_source_i,
    input  logic [63:0] transport_address_i,
    input  logic [10:0] transport_bytes_i,
    input  logic [15:0] transport_tid_i,
    // Host interface
    input  logic        host_valid_i,
    output logic        host_ready_o,
    input  logic [ 7:0] host_age_i,              // cycles that it has been waiting
    input  logic        host_write_i,
    input  logic [63:0] host_address_i,
    input  logic [10:0] host_bytes_i,
    // A read is complete
    input  logic        completed_i,
    input  logic [ 8:0] completed_tags_i,
    // To the engine
    output logic        valid_o,
    input  logic        ready_i,
    output logic [ 1:0] source_o,
    output logic        write_o,
    output logic [63:0] address_o,
    output logic [10:0] bytes_o,
    output logic [15:0] tid_o,
    output logic [ 7:0] age_o,
    output logic        empty_o
);
  // Sources: rnic_core
  localparam logic [1:0] SourceFetch = 2'd1;
  localparam logic [1:0] SourceHost = 2'd3;
  localparam int unsigned Bits = $clog2(Depth);
  localparam int unsigned WaitBits = $clog2(Waiting);
  localparam int unsigned Width = 2 + 1 + 64 + 11 + 16;

  // What has happened: requests of the transport controller, completions, a request of the host interface.
  logic [Width-1:0] transport_words_q[Waiting], transport_word, host_word, word;
  logic [4:0] transport_tags_q[Waiting];  // that a read asks for, counted when it comes: its turn may come in the next cycle
  logic [8:0] returned_q[Waiting], returned;
  logic [7:0] transport_age, completed_age;
  logic [WaitBits:0] transport_head_q, transport_tail_q, completed_head_q, completed_tail_q;
  logic [WaitBits-1:0] completed_last_q, completed_at;
  logic transport_waits, completed_waits, completed_full, take_transport, take_completed, take_host;
  assign transport_waits = (transport_head_q != transport_tail_q);
  assign transport_word = transport_words_q[transport_head_q[WaitBits-1:0]];
  assign completed_waits = (completed_head_q != completed_tail_q);
  assign completed_full = (completed_tail_q == {~completed_head_q[WaitBits], completed_head_q[WaitBits-1:0]});
  assign completed_at = completed_full ? completed_last_q : completed_tail_q[WaitBits-1:0];  // to the youngest where there is no place
  assign returned = returned_q[completed_head_q[WaitBits-1:0]];
  waiting_ages #(.Places(Waiting)) u_ages_of_transport (
      .clk_i,
      .put_i    (transport_valid_i),
      .waiting_i(transport_tail_q - transport_head_q),
      .take_i   (take_transport),
      .age_o    (transport_age)
  );
  waiting_ages #(.Places(Waiting)) u_ages_of_completed (
      .clk_i,
      .put_i    (completed_i && !completed_full),
      .waiting_i(completed_tail_q - completed_head_q),
      .take_i   (take_completed),
      .age_o    (completed_age)
  );
  assign hold_o = (transport_tail_q - transport_head_q + (WaitBits + 1)'(transport_valid_i) >= (WaitBits + 1)'(Waiting));
  assign host_word = {SourceHost, host_write_i, host_address_i, host_bytes_i, 16'd0};

  // Reads that wait for tags.
  logic [Width-1:0] reads_q[Depth], read_head;
  logic [4:0] reads_tags_q[Depth];
  logic [Bits:0] read_head_q, read_tail_q;
  logic [7:0] read_age_q;
  logic reads_wait, read_on, request_first, goes, push_read;
  assign reads_wait = (read_head_q != read_tail_q);
  assign read_head = reads_q[read_head_q[Bits-1:0]];

  logic started_q;  // how many tags there are is known, which a reset cannot say

  // Admitted requests, in order; and places in both queues: for any request, and for one of the host interface.
  logic [Width-1:0] queue_q[Depth];
  logic [Bits:0] head_q, tail_q;
  logic place, read_place, more, more_reads, room, host_waits;
  assign room = place && read_place;
  assign host_waits = host_valid_i && more && more_reads && started_q;

  // Tags: what would be left after each read that could be admitted now.
  logic [4:0] arriving_tags, transport_tags, host_tags, word_tags, read_tags_q;  // the last: of the first that waits
  logic [8:0] tags_left_q, tags_q, after_read, after_transport, after_host;
  logic all_left, read_fits, transport_fits, host_fits, host_tags_fit;
  read_tags u_tags_of_transport (
      .cfg_max_read_request_log2_i,
      .address_i(transport_address_i[12:0]),
      .bytes_i  (transport_bytes_i),
      .tags_o   (arriving_tags)
  );
  read_tags u_tags_of_host (
      .cfg_max_read_request_log2_i,
      .address_i(host_address_i[12:0]),
      .bytes_i  (host_bytes_i),
      .tags_o   (host_tags)
  );
  assign transport_tags = transport_tags_q[transport_head_q[WaitBits-1:0]];
  assign all_left = (tags_left_q == tags_q);
  tags_after u_after_read (
      .left_i    (tags_left_q),
      .all_left_i(all_left),
      .tags_i    (read_tags_q),
      .fits_o    (read_fits),
      .after_o   (after_read)
  );
  tags_after u_after_transport (
      .left_i    (tags_left_q),
      .all_left_i(all_left),
      .tags_i    (transport_tags),
      .fits_o    (transport_fits),
      .after_o   (after_transport)
  );
  tags_after u_after_host (
      .left_i    (tags_left_q),
      .all_left_i(all_left),
      .tags_i    (host_tags),
      .fits_o    (host_tags_fit),
      .after_o   (after_host)
  );
  // Whether the host interface's read fits does not wait for its tags, which nobody has counted before: it does if it ends within
  // as many pieces as there are tags left. Three numbers are added as two, so that only one carry has to run; the sign counts.
  logic [17:0] host_offset, host_length, host_reach, host_halves, host_carries, host_beyond;
  always_comb begin
    for (int i = 0; i < 18; i++) host_offset[i] = i < 12 && 4'(i) < cfg_max_read_request_log2_i && host_address_i[i];
  end
  assign host_length = 18'(host_bytes_i);
  assign host_reach = 18'(tags_left_q[4:0]) << cfg_max_read_request_log2_i;
  assign host_halves = host_offset ^ host_length ^ ~host_reach;
  assign host_carries = (host_offset & host_length) | (host_offset & ~host_reach) | (host_length & ~host_reach);
  assign host_beyond = host_halves + {host_carries[16:0], 1'b0};
  assign host_fits = host_beyond[17] || tags_left_q[8:5] != '0 || all_left;

  // By the sign of the difference, which is there sooner than what a comparison finds.
  function automatic logic older(input logic [7:0] one, input logic [7:0] other);
    logic [8:0] difference;
    difference = {1'b0, other} - {1'b0, one};
    older = difference[8];
  endfunction

  // The oldest of what has happened, unless a read goes on.
  logic transport_first, completed_first, host_first, transport_reads, host_reads;
  logic completed_before_transport, host_before_transport, host_before_completed;
  assign completed_before_transport = completed_waits && older(completed_age, transport_age);
  assign host_before_transport = host_waits && older(host_age_i, transport_age);
  assign host_before_completed = host_waits && older(host_age_i, completed_age);
  assign transport_first = transport_waits && room && !completed_before_transport && !host_before_transport;
  assign completed_first = completed_waits && !transport_first && !host_before_completed;
  assign host_first = host_waits && host_age_i != '0 && !transport_first && (!completed_waits || host_before_completed);
  assign read_on = reads_wait && read_fits && place;
  assign take_transport = transport_first && !read_on;
  assign take_completed = completed_first && !read_on;
  assign take_host = host_first && !read_on;
  assign host_ready_o = take_host;
  assign request_first = transport_first || host_first;
  assign word = transport_first ? transport_word : host_word;
  assign word_tags = transport_first ? transport_tags : host_tags;
  // A write goes on at once, a read if none waits before it and there are tags.
  assign transport_reads = !transport_word[Width-3] && !reads_wait && transport_fits;
  assign host_reads = !host_write_i && !reads_wait && host_fits;
  assign goes = transport_first ? transport_word[Width-3] || transport_reads : host_write_i || host_reads;
  assign push_read = request_first && !goes && !read_on;

  // What is admitted in this cycle, and how long it has been on its way.
  logic admit;
  logic [Width-1:0] admitted;
  logic [7:0] admitted_age, admitted_older;  // in this cycle, and in the next one
  assign admit = read_on || (request_first && goes);
  assign admitted = read_on ? read_head : word;
  assign admitted_age = read_on ? read_age_q : transport_first ? transport_age : host_age_i;
  assign admitted_older = read_on ? read_age_q + 8'd1 : transport_first ? transport_age + 8'd1 : host_age_i + 8'd1;

  // The first of the queue; with nothing before it an admitted request may go on in the same cycle.
  logic queued, through;
  logic [7:0] front_age_q;
  logic [Width-1:0] front;
  assign queued = (head_q != tail_q);
  assign front = queued ? queue_q[head_q[Bits-1:0]] : admitted;
  assign valid_o = queued || admit;
  assign {source_o, write_o, address_o, bytes_o, tid_o} = front;
  assign age_o = queued ? front_age_q : admitted_age;
  assign through = !queued && admit && ready_i;
  queue_room #(.Depth(Depth), .Reserve(Reserve)) u_room (
      .clk_i,
      .rst_ni,
      .head_i (head_q),
      .tail_i (tail_q),
      .push_i (admit && !through),
      .pop_i  (queued && ready_i),
      .place_o(place),
      .more_o (more)
  );
  queue_room #(.Depth(Depth), .Reserve(Reserve)) u_room_of_reads (
      .clk_i,
      .rst_ni,
      .head_i (read_head_q),
      .tail_i (read_tail_q),
      .push_i (push_read),
      .pop_i  (read_on),
      .place_o(read_place),
      .more_o (more_reads)
  );
  assign empty_o = !queued && !reads_wait && !transport_waits && !completed_waits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      transport_head_q <= '0;
      transport_tail_q <= '0;
      completed_head_q <= '0;
      completed_tail_q <= '0;
      completed_last_q <= '1;
      read_head_q      <= '0;
      read_tail_q      <= '0;
      started_q        <= 1'b0;
      tags_q           <= '0;
      tags_left_q      <= '0;
      read_age_q       <= '0;
      front_age_q      <= '0;
      head_q           <= '0;
      tail_q           <= '0;
    end else begin
      if (transport_valid_i) transport_tail_q <= transport_tail_q + (WaitBits + 1)'(1);
      if (take_transport) transport_head_q <= transport_head_q + (WaitBits + 1)'(1);
      if (completed_i && !completed_full) begin
        completed_tail_q <= completed_tail_q + (WaitBits + 1)'(1);
        completed_last_q <= completed_tail_q[WaitBits-1:0];
      end
      if (take_completed) completed_head_q <= completed_head_q + (WaitBits + 1)'(1);
      if (push_read) read_tail_q <= read_tail_q + (Bits + 1)'(1);
      if (read_on) read_head_q <= read_head_q + (Bits + 1)'(1);
      started_q <= 1'b1;
      if (read_on) tags_left_q <= after_read;
      else if (transport_first && transport_reads) tags_left_q <= after_transport;
      else if (host_first && host_reads) tags_left_q <= after_host;
      else if (completed_first) tags_left_q <= tags_left_q + returned;
      else if (all_left) begin
        tags_q      <= cfg_tags_i;
        tags_left_q <= cfg_tags_i;
      end
      read_age_q <= take_completed ? completed_age + 8'd1 : read_age_q + 8'd1;
      if (admit && !through) tail_q <= tail_q + (Bits + 1)'(1);
      if (queued && ready_i) head_q <= head_q + (Bits + 1)'(1);
      if (!queued) front_age_q <= admitted_older;
      else if (front_age_q != '1) front_age_q <= front_age_q + 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (transport_valid_i) begin
      transport_tags_q[transport_tail_q[WaitBits-1:0]]  <= arriving_tags;
      transport_words_q[transport_tail_q[WaitBits-1:0]] <= {transport_source_i, transport_source_i != SourceFetch,
                                                            transport_address_i, transport_bytes_i, transport_tid_i};
    end
    if (completed_i) begin
      returned_q[completed_at] <= completed_tags_i + (completed_full ? returned_q[completed_at] : 9'd0);
    end
    if (push_read) begin
      reads_q[read_tail_q[Bits-1:0]]      <= word;
      reads_tags_q[read_tail_q[Bits-1:0]] <= word_tags;
    end
    if (push_read && !reads_wait) read_tags_q <= word_tags;
    else if (read_on) read_tags_q <= reads_tags_q[read_head_q[Bits-1:0]+Bits'(1)];
    if (admit) queue_q[tail_q[Bits-1:0]] <= admitted;
  end

  // Legal parameters.
  if (Waiting < 2 || (Waiting & (Waiting - 1)) != 0) begin : gen_illegal_waiting
    $error("dma_queue: Waiting must be a power of two from 2 on");
  end
  if (Reserve >= Depth) begin : gen_illegal_reserve
    $error("dma_queue: Reserve must be less than Depth");
  end
  if (Depth < 4 || (Depth & (Depth - 1)) != 0) begin : gen_illegal_depth
    $error("dma_queue: Depth must be a power of two from 4 on");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_no_overflow : assert (!admit || place);
      a_no_read_overflow : assert (!push_read || read_place);
      a_host_fits : assert (!host_valid_i || host_fits == host_tags_fit);
      a_tags : assert (tags_left_q <= tags_q);
      a_decision_was_not_held : assert (!transport_valid_i || transport_tail_q - transport_head_q < (WaitBits + 1)'(Waiting));
    end
  end
endmodule

`default_nettype wire
