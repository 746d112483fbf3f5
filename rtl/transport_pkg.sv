// An entry of the connection table, as the transport controller's decision works on it.
`default_nettype none

package transport_pkg;
  // A protocol timer. Times are the low 32 bits of the cycle count: deadlines lie less than 2^31 cycles ahead.
  typedef struct packed {
    logic        on;
    logic [31:0] deadline;
  } timer_t;

  // Sequence numbers are 32 bits wide, as in the header.
  typedef struct packed {
    logic [15:0] tid;
    logic [15:0] generation;    // responder: what the host has been told of it under; 0 = nothing yet
    logic        responder;     // role of this end
    logic        read;          // operation
    logic [3:0]  phase;
    logic        established;
    logic        indirect;
    logic        sending;
    logic        told;          // the upper layer has seen a REQ_ACK
    logic [31:0] length;        // bytes; 0 while unknown
    logic [63:0] sba;
    logic [63:0] dba;
    logic [16:0] requests;
    logic [16:0] timeouts;      // of the request timer
    logic [16:0] retries;
    logic [5:0]  in_path;       // data frames between fetch decision and wire
    logic [2:0]  error;
    // Sender
    logic [31:0] una;           // oldest not acknowledged
    logic [31:0] next;          // next never sent
    logic [31:0] resend;        // [resend, resend_end) is to be sent again
    logic [31:0] resend_end;
    logic [31:0] recover;       // recovery ends when una reaches it
    logic        recovering;
    logic [8:0]  duplicates;
    // Receiver
    logic [31:0] expected;
    logic [7:0]  received;      // bit i: expected + i is here
    // Early data
    logic [31:0] early_end;     // bytes; 0 = nothing kept
    logic        early_short;
    timer_t      request_timer;
    timer_t      data_timer;
    timer_t      release_timer;
    timer_t      idle_timer;
  } entry_t;
  localparam int unsigned EntryBits = 637;  // Yosys does not know $bits of a type; transport_decision checks it

  // What a decision is about.
  localparam logic [2:0] InputFrame = 3'd0;
  localparam logic [2:0] InputCommand = 3'd1;
  localparam logic [2:0] InputSent = 3'd2;
  localparam logic [2:0] InputFetch = 3'd3;
  localparam logic [2:0] InputTimer = 3'd4;

  localparam int unsigned Entries = 64;
endpackage

`default_nettype wire
