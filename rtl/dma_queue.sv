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
    input  logic [ 8:0] cfg_tags_i,
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
  logic [8:0] returned_q[Waiting], returned;
  logic [7:0] transport_ages_q[Waiting], completed_ages_q[Waiting], transport_age, completed_age, age;
  logic [WaitBits:0] transport_head_q, transport_tail_q, completed_head_q, completed_tail_q, completed_at;
  logic transport_waits, completed_waits, completed_full, take_transport, take_completed, take_host;
  assign transport_waits = (transport_head_q != transport_tail_q);
  assign transport_word = transport_words_q[transport_head_q[WaitBits-1:0]];
  assign transport_age = transport_ages_q[transport_head_q[WaitBits-1:0]];
  assign completed_waits = (completed_head_q != completed_tail_q);
  assign completed_full = (completed_tail_q - completed_head_q == (WaitBits + 1)'(Waiting));
  assign completed_at = completed_tail_q - (WaitBits + 1)'(completed_full);  // to the youngest where there is no place
  assign returned = returned_q[completed_head_q[WaitBits-1:0]];
  assign completed_age = completed_ages_q[completed_head_q[WaitBits-1:0]];
  assign hold_o = (transport_tail_q - transport_head_q + (WaitBits + 1)'(transport_valid_i) >= (WaitBits + 1)'(Waiting));
  assign host_word = {SourceHost, host_write_i, host_address_i, host_bytes_i, 16'd0};

  // Reads that wait for tags.
  logic [Width-1:0] reads_q[Depth], read_head;
  logic [Bits:0] read_head_q, read_tail_q;
  logic [8:0] tags_q, tags_left, head_needs, word_needs;
  logic [7:0] read_age_q;
  logic reads_wait, read_on, is_request, is_write, push_read;
  assign reads_wait = (read_head_q != read_tail_q);
  assign read_head = reads_q[read_head_q[Bits-1:0]];

  // Admitted requests, in order; and places in both queues: for any request, and for one of the host interface.
  logic [Width-1:0] queue_q[Depth];
  logic [Bits:0] head_q, tail_q, fill, read_fill;
  logic room, host_room, host_waits;
  assign fill = tail_q - head_q;
  assign read_fill = read_tail_q - read_head_q;
  assign room = (fill < (Bits + 1)'(Depth)) && (read_fill < (Bits + 1)'(Depth));
  assign host_room = (fill < (Bits + 1)'(Depth - Reserve)) && (read_fill < (Bits + 1)'(Depth - Reserve));
  assign host_waits = host_valid_i && host_room;

  // The oldest of what has happened, unless a read goes on.
  assign read_on = reads_wait && head_needs <= tags_left && fill < (Bits + 1)'(Depth);
  assign take_transport = !read_on && transport_waits && room && !(completed_waits && completed_age > transport_age) &&
                          !(host_waits && host_age_i > transport_age);
  assign take_completed = !read_on && completed_waits && !take_transport && !(host_waits && host_age_i > completed_age);
  assign take_host = !read_on && host_waits && (host_age_i != '0) && !take_transport && !take_completed;
  assign host_ready_o = take_host;
  assign is_request = take_transport || take_host;
  assign word = take_transport ? transport_word : host_word;
  assign age = take_transport ? transport_age : host_age_i;
  assign is_write = word[Width-3];

  read_tags u_tags_of_head (
      .cfg_max_read_request_log2_i,
      .cfg_tags_i,
      .address_i(read_head[27+:13]),
      .bytes_i  (read_head[16+:11]),
      .tags_o   (head_needs)
  );
  read_tags u_tags_of_word (
      .cfg_max_read_request_log2_i,
      .cfg_tags_i,
      .address_i(word[27+:13]),
      .bytes_i  (word[16+:11]),
      .tags_o   (word_needs)
  );
  assign tags_left = cfg_tags_i - tags_q;
  assign push_read = is_request && !is_write && (reads_wait || word_needs > tags_left);

  // What is admitted in this cycle, and how long it has been on its way.
  logic admit, read_admit;
  logic [Width-1:0] admitted;
  logic [7:0] admitted_age;
  assign admit = read_on || (is_request && !push_read);
  assign read_admit = is_request && !is_write && !push_read;
  assign admitted = read_on ? read_head : word;
  assign admitted_age = read_on ? read_age_q : age;

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
  assign empty_o = !queued && !reads_wait && !transport_waits && !completed_waits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      transport_head_q <= '0;
      transport_tail_q <= '0;
      completed_head_q <= '0;
      completed_tail_q <= '0;
      read_head_q      <= '0;
      read_tail_q      <= '0;
      tags_q           <= '0;
      read_age_q       <= '0;
      front_age_q      <= '0;
      head_q           <= '0;
      tail_q           <= '0;
    end else begin
      if (transport_valid_i) transport_tail_q <= transport_tail_q + (WaitBits + 1)'(1);
      if (take_transport) transport_head_q <= transport_head_q + (WaitBits + 1)'(1);
      if (completed_i) completed_tail_q <= completed_at + (WaitBits + 1)'(1);
      if (take_completed) completed_head_q <= completed_head_q + (WaitBits + 1)'(1);
      if (push_read) read_tail_q <= read_tail_q + (Bits + 1)'(1);
      if (read_on) read_head_q <= read_head_q + (Bits + 1)'(1);
      tags_q     <= tags_q + (read_on ? head_needs : read_admit ? word_needs : '0) - (take_completed ? returned : '0);
      read_age_q <= take_completed ? completed_age + 8'd1 : read_age_q + 8'd1;
      if (admit && !through) tail_q <= tail_q + (Bits + 1)'(1);
      if (queued && ready_i) head_q <= head_q + (Bits + 1)'(1);
      if (!queued) front_age_q <= admitted_age + 8'd1;
      else if (front_age_q != '1) front_age_q <= front_age_q + 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Waiting; i++) begin
      if (transport_ages_q[i] != '1) transport_ages_q[i] <= transport_ages_q[i] + 8'd1;
      if (completed_ages_q[i] != '1) completed_ages_q[i] <= completed_ages_q[i] + 8'd1;
    end
    if (transport_valid_i) begin
      transport_ages_q[transport_tail_q[WaitBits-1:0]]  <= 8'd1;
      transport_words_q[transport_tail_q[WaitBits-1:0]] <= {transport_source_i, transport_source_i != SourceFetch,
                                                            transport_address_i, transport_bytes_i, transport_tid_i};
    end
    if (completed_i) begin
      returned_q[completed_at[WaitBits-1:0]] <= completed_tags_i + (completed_full ? returned_q[completed_at[WaitBits-1:0]] : 9'd0);
      if (!completed_full) completed_ages_q[completed_at[WaitBits-1:0]] <= 8'd1;
    end
    if (push_read) reads_q[read_tail_q[Bits-1:0]] <= word;
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
      a_no_overflow : assert (!admit || fill < (Bits + 1)'(Depth));
      a_no_read_overflow : assert (!push_read || read_fill < (Bits + 1)'(Depth));
      a_tags : assert (tags_q <= cfg_tags_i);
      a_decision_was_not_held : assert (!transport_valid_i || transport_tail_q - transport_head_q < (WaitBits + 1)'(Waiting));
    end
  end
endmodule

`default_nettype wire
