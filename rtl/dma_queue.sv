// DMA requests on their way to the DMA engine, in order of time; of one cycle first the transport controller's, then completions,
// then the host interface's. A read waits until its TLPs have tags, and others behind it; writes pass it.
//
// What happens in a cycle is looked at from the next one on, one thing a cycle, the oldest first. Nothing is lost by that: age_o
// says how long a request's set-up could have been running.
`default_nettype none

module dma_queue #(
    parameter int unsigned Depth = 128  // a power of two
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [ 8:0] cfg_tags_i,
    input  logic [ 3:0] cfg_max_read_request_log2_i,
    // Transport controller: at most one in eight cycles
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
  localparam int unsigned Width = 2 + 1 + 64 + 11 + 16;

  // What has happened: a request of the transport controller, a completion, a request of the host interface.
  logic transport_q, completed_q, take_transport, take_completed, take_host;
  logic [7:0] transport_age_q, completed_age_q;
  logic [8:0] returned_q;
  logic [Width-1:0] transport_word_q, host_word, word;
  logic [7:0] age;
  assign host_word = {SourceHost, host_write_i, host_address_i, host_bytes_i, 16'd0};

  // Reads that wait for tags.
  logic [Width-1:0] reads_q[Depth], read_head;
  logic [Bits:0] read_head_q, read_tail_q;
  logic [8:0] tags_q, tags_left, head_needs, word_needs;
  logic [7:0] read_age_q;
  logic reads_wait, read_on, is_request, is_write, push_read;
  assign reads_wait = (read_head_q != read_tail_q);
  assign read_head = reads_q[read_head_q[Bits-1:0]];

  // The oldest of them, unless a read goes on.
  assign read_on = reads_wait && head_needs <= tags_left;
  assign take_transport = !read_on && transport_q && !(completed_q && completed_age_q > transport_age_q) &&
                          !(host_valid_i && host_age_i > transport_age_q);
  assign take_completed = !read_on && completed_q && !take_transport && !(host_valid_i && host_age_i > completed_age_q);
  assign take_host = !read_on && host_valid_i && (host_age_i != '0) && !take_transport && !take_completed;
  assign host_ready_o = take_host;
  assign is_request = take_transport || take_host;
  assign word = take_transport ? transport_word_q : host_word;
  assign age = take_transport ? transport_age_q : host_age_i;
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

  // Admitted requests, in order; the first one may go on in the same cycle.
  logic [Width-1:0] queue_q[Depth];
  logic [Bits:0] head_q, tail_q;
  logic queued, through;
  logic [7:0] front_age_q;
  logic [Width-1:0] front;
  assign queued = (head_q != tail_q);
  assign front = queued ? queue_q[head_q[Bits-1:0]] : admitted;
  assign valid_o = queued || admit;
  assign {source_o, write_o, address_o, bytes_o, tid_o} = front;
  assign age_o = queued ? front_age_q : admitted_age;
  assign through = !queued && admit && ready_i;
  assign empty_o = !queued && !reads_wait && !transport_q && !completed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      transport_q     <= 1'b0;
      completed_q     <= 1'b0;
      transport_age_q <= '0;
      completed_age_q <= '0;
      returned_q      <= '0;
      read_head_q     <= '0;
      read_tail_q     <= '0;
      tags_q          <= '0;
      read_age_q      <= '0;
      front_age_q     <= '0;
      head_q          <= '0;
      tail_q          <= '0;
    end else begin
      transport_q     <= transport_valid_i || (transport_q && !take_transport);
      transport_age_q <= transport_valid_i ? 8'd1 : transport_age_q + 8'd1;
      completed_q     <= completed_i || (completed_q && !take_completed);
      completed_age_q <= completed_i ? 8'd1 : completed_age_q + 8'd1;
      if (completed_i) returned_q <= completed_tags_i;
      if (push_read) read_tail_q <= read_tail_q + (Bits + 1)'(1);
      if (read_on) read_head_q <= read_head_q + (Bits + 1)'(1);
      tags_q     <= tags_q + (read_on ? head_needs : read_admit ? word_needs : '0) - (take_completed ? returned_q : '0);
      read_age_q <= take_completed ? completed_age_q + 8'd1 : read_age_q + 8'd1;
      if (admit && !through) tail_q <= tail_q + (Bits + 1)'(1);
      if (queued && ready_i) head_q <= head_q + (Bits + 1)'(1);
      if (!queued) front_age_q <= admitted_age + 8'd1;
      else if (front_age_q != '1) front_age_q <= front_age_q + 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (transport_valid_i) begin
      transport_word_q <= {transport_source_i, transport_source_i != SourceFetch, transport_address_i, transport_bytes_i,
                           transport_tid_i};
    end
    if (push_read) reads_q[read_tail_q[Bits-1:0]] <= word;
    if (admit) queue_q[tail_q[Bits-1:0]] <= admitted;
  end

  // Legal parameters.
  if (Depth < 4 || (Depth & (Depth - 1)) != 0) begin : gen_illegal_depth
    $error("dma_queue: Depth must be a power of two from 4 on");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_no_overflow : assert (!admit || (tail_q - head_q) != (Bits + 1)'(Depth));
      a_no_read_overflow : assert (!push_read || (read_tail_q - read_head_q) != (Bits + 1)'(Depth));
      a_tags : assert (tags_q <= cfg_tags_i);
      a_transport_one_at_a_time : assert (!(transport_valid_i && transport_q && !take_transport));
      a_completion_one_at_a_time : assert (!(completed_i && completed_q && !take_completed));
    end
  end
endmodule

`default_nettype wire
