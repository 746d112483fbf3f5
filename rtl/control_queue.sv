// SPDX-License-Identifier: Apache-2.0
// Control frames and acknowledgements on their way to the wire, in order. An acknowledgement may not leave before the DMA
// request that places its data has been posted: each entry carries the number of requests that have to be (PROTOCOL.md 4.3).
// Their low 12 bits are compared: a frame that is placed takes as long on the wire as a control frame, so fewer than 2,048 are
// posted while a full queue is sent.
`default_nettype none

module control_queue #(
    // A power of two: of 64 transfers a window of acknowledgements each, while a drain holds up the first, and requests; what does not
    // fit waits with its decision
    parameter int unsigned Depth = 1024
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    output logic         hold_o,         // no decision may begin: each pushes two at most, and one may be on its way
    input  logic         push_i,
    input  logic [247:0] push_header_i,  // CTRL, TID, LEN, SN, ACKN, SBA, DBA
    input  logic [ 11:0] push_after_i,   // placed frames before it, modulo 4,096
    input  logic [ 11:0] posted_i,       // placed frames that have been posted, modulo 4,096
    output logic         valid_o,        // the first one may leave
    output logic [247:0] header_o,
    input  logic         pop_i,
    output logic         empty_o
);
  localparam int unsigned Bits = $clog2(Depth);

  // The first entry stands in a register, the others in block RAM. The second one is not needed within 84 cycles, so that a
  // cycle to fetch it costs nothing; what comes to an empty queue is there in the next cycle.
  logic [259:0] frames_q[Depth], fetched_q, first_q;
  logic [Bits:0] head_q, tail_q;
  logic first_valid_q, fetching_q, stored, direct, fetch;
  logic [11:0] missing;
  assign stored = (head_q != tail_q);
  assign direct = push_i && !stored && !fetching_q && (!first_valid_q || pop_i);
  assign fetch = stored && !fetching_q && (!first_valid_q || pop_i);

  assign empty_o = !first_valid_q && !fetching_q && !stored;
  assign header_o = first_q[259:12];
  assign missing = first_q[11:0] - posted_i;
  assign valid_o = first_valid_q && (missing == '0 || missing[11]);
  assign hold_o = (tail_q - head_q > (Bits + 1)'(Depth - 4));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q        <= '0;
      tail_q        <= '0;
      first_valid_q <= 1'b0;
      fetching_q    <= 1'b0;
    end else begin
      if (push_i && !direct) tail_q <= tail_q + (Bits + 1)'(1);
      if (fetch) head_q <= head_q + (Bits + 1)'(1);
      fetching_q <= fetch;
      if (direct || fetching_q) first_valid_q <= 1'b1;
      else if (pop_i) first_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i && !direct) frames_q[tail_q[Bits-1:0]] <= {push_header_i, push_after_i};
    if (fetch) fetched_q <= frames_q[head_q[Bits-1:0]];
    if (direct) first_q <= {push_header_i, push_after_i};
    else if (fetching_q) first_q <= fetched_q;
  end

  // Legal parameters.
  if (Depth < 8 || (Depth & (Depth - 1)) != 0) begin : gen_illegal_depth
    $error("control_queue: Depth must be a power of two from 8 on");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_no_overflow : assert (!push_i || (tail_q - head_q) != (Bits + 1)'(Depth));
      a_pop_what_is_there : assert (!pop_i || valid_o);
    end
  end
endmodule

`default_nettype wire
