// DMA requests on their way to the DMA engine, in order of time; of one cycle first the transport controller's, then reads for
// which tags have come free, then the host interface's. A read waits until its TLPs have tags; writes pass it.
//
// A request that is held up on its way by a cycle or two loses nothing: age_o says how long its set-up could have been running.
module dma_queue #(
    parameter int unsigned Depth = 64  // a power of two
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

  // Reads that wait for tags.
  logic [Width-1:0] reads_q[Depth], read_head, read_in;
  logic [Bits:0] read_head_q, read_tail_q;
  logic reads_wait, read_push, read_admit;
  logic [8:0] tags_q, returned_q, need, need_all;
  logic [7:0] read_age_q, late_age_q, host_age_q, front_age_q;

  assign reads_wait = (read_head_q != read_tail_q);
  assign read_head = reads_q[read_head_q[Bits-1:0]];

  // TLPs of the first one: a tag each; a longer request uses its tags again.
  logic [12:0] limit, offset;
  logic [13:0] span;
  assign limit = 13'd1 << cfg_max_read_request_log2_i;
  assign offset = read_head[27+:13] & (limit - 13'd1);
  assign span = 14'(offset) + 14'(read_head[26:16]) + 14'(limit) - 14'd1;
  assign need_all = 9'(span >> cfg_max_read_request_log2_i);
  assign need = (need_all > cfg_tags_i) ? cfg_tags_i : need_all;
  assign read_admit = reads_wait && ({1'b0, tags_q} + {1'b0, need} <= {1'b0, cfg_tags_i});

  // A write of the transport controller that has to let a read pass waits in its own place.
  logic late_q, write_now, host_now;
  logic [Width-1:0] late_word_q, transport_word, host_word;
  logic transport_reads;
  assign transport_reads = (transport_source_i == SourceFetch);
  assign transport_word = {transport_source_i, !transport_reads, transport_address_i, transport_bytes_i, transport_tid_i};
  assign host_word = {SourceHost, host_write_i, host_address_i, host_bytes_i, 16'd0};
  assign write_now = late_q || (transport_valid_i && !transport_reads);
  assign host_now = host_valid_i && !write_now && !read_admit && !transport_valid_i && !completed_i && (returned_q == '0);
  assign host_ready_o = host_now;

  assign read_push = (transport_valid_i && transport_reads) || (host_now && !host_write_i);
  assign read_in = transport_valid_i ? transport_word : host_word;

  // What is admitted in this cycle, and how long it has been on its way.
  logic admit;
  logic [Width-1:0] admitted;
  logic [7:0] admitted_age;
  always_comb begin
    admit = read_admit || write_now || (host_now && host_write_i);
    admitted = host_word;
    admitted_age = host_age_q;
    if (read_admit) begin
      admitted = read_head;
      admitted_age = read_age_q;
    end else if (late_q) begin
      admitted = late_word_q;
      admitted_age = late_age_q;
    end else if (transport_valid_i) begin
      admitted = transport_word;
      admitted_age = '0;
    end
  end

  // Admitted requests, in order; the first one may go on in the same cycle.
  logic [Width-1:0] queue_q[Depth];
  logic [Bits:0] head_q, tail_q;
  logic queued, through;
  logic [Width-1:0] front;
  assign queued = (head_q != tail_q);
  assign front = queued ? queue_q[head_q[Bits-1:0]] : admitted;
  assign valid_o = queued || admit;
  assign {source_o, write_o, address_o, bytes_o, tid_o} = front;
  assign age_o = queued ? front_age_q : admitted_age;
  assign through = !queued && admit && ready_i;
  assign empty_o = !queued && !reads_wait && !late_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_head_q <= '0;
      read_tail_q <= '0;
      tags_q      <= '0;
      returned_q  <= '0;
      read_age_q  <= '0;
      late_age_q  <= '0;
      host_age_q  <= '0;
      front_age_q <= '0;
      late_q      <= 1'b0;
      head_q      <= '0;
      tail_q      <= '0;
    end else begin
      if (read_push) read_tail_q <= read_tail_q + (Bits + 1)'(1);
      if (read_admit) read_head_q <= read_head_q + (Bits + 1)'(1);
      // Tags come back behind a write that is late: it was first.
      tags_q <= tags_q + (read_admit ? need : '0) - (late_q ? '0 : returned_q + (completed_i ? completed_tags_i : '0));
      if (late_q) returned_q <= returned_q + (completed_i ? completed_tags_i : '0);
      else returned_q <= '0;
      if (read_push || completed_i || (returned_q != '0 && !late_q)) read_age_q <= 8'd1;
      else if (read_age_q != '1) read_age_q <= read_age_q + 8'd1;
      late_q <= write_now && read_admit;
      late_age_q <= late_q ? late_age_q + 8'd1 : 8'd1;
      host_age_q <= (host_valid_i && !host_now) ? host_age_q + 8'd1 : 8'd0;
      if (admit && !through) tail_q <= tail_q + (Bits + 1)'(1);
      if (queued && ready_i) head_q <= head_q + (Bits + 1)'(1);
      if (!queued) front_age_q <= admitted_age + 8'd1;
      else if (front_age_q != '1) front_age_q <= front_age_q + 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_push) reads_q[read_tail_q[Bits-1:0]] <= read_in;
    if (admit) queue_q[tail_q[Bits-1:0]] <= admitted;
    if (transport_valid_i && !late_q) late_word_q <= transport_word;
  end

  // Legal parameters.
  if (Depth < 4 || (Depth & (Depth - 1)) != 0) $error("dma_queue: Depth must be a power of two from 4 on");

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_no_overflow : assert (!admit || (tail_q - head_q) != (Bits + 1)'(Depth));
      a_no_read_overflow : assert (!read_push || (read_tail_q - read_head_q) != (Bits + 1)'(Depth));
      a_tags : assert (tags_q <= cfg_tags_i);
      a_one_late_write : assert (!(late_q && transport_valid_i));
    end
  end
endmodule
