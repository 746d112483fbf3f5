// Control frames and acknowledgements on their way to the wire, in order. An acknowledgement may not leave before the DMA
// request that places its data has been posted: each entry carries the number of requests that have to be (protocol section 4).
module control_queue #(
    // A power of two: of 64 transfers a window of acknowledgements each, while a drain holds up the first, and requests
    parameter int unsigned Depth = 1024
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         push_i,
    input  logic [247:0] push_header_i,  // CTRL, TID, LEN, SN, ACKN, SBA, DBA
    input  logic [  7:0] push_after_i,   // placed frames before it, modulo 256
    input  logic [  7:0] posted_i,       // placed frames that have been posted, modulo 256
    output logic         valid_o,        // the first one may leave
    output logic [247:0] header_o,
    input  logic         pop_i,
    output logic         empty_o
);
  localparam int unsigned Bits = $clog2(Depth);

  logic [255:0] frames_q[Depth];
  logic [Bits:0] head_q, tail_q;
  logic [7:0] missing;

  assign empty_o = (head_q == tail_q);
  assign header_o = frames_q[head_q[Bits-1:0]][255:8];
  assign missing = frames_q[head_q[Bits-1:0]][7:0] - posted_i;
  assign valid_o = !empty_o && (missing == '0 || missing[7]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      if (push_i) tail_q <= tail_q + (Bits + 1)'(1);
      if (pop_i) head_q <= head_q + (Bits + 1)'(1);
    end
  end

  always_ff @(posedge clk_i) if (push_i) frames_q[tail_q[Bits-1:0]] <= {push_header_i, push_after_i};

  // Legal parameters.
  if (Depth < 4 || (Depth & (Depth - 1)) != 0) $error("control_queue: Depth must be a power of two from 4 on");

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_no_overflow : assert (!push_i || (tail_q - head_q) != (Bits + 1)'(Depth));
      a_pop_what_is_there : assert (!pop_i || valid_o);
    end
  end
endmodule
