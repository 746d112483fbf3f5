// SPDX-License-Identifier: Apache-2.0
// What the transport controller's decision works on: the configuration, its input, an entry of the connection table, and what it comes to.
`default_nettype none

package transport_pkg;
  // The configuration: the ports cfg_*_i of transport_controller, which have its fields' names.
  typedef struct packed {
    logic        dynamic;
    logic        resume;
    logic [7:0]  duplicate_acks;
    logic        go_back_n;
    logic [3:0]  window;
    logic [10:0] segment;
    logic [15:0] indirect_after;
    logic [15:0] max_requests;
    logic [15:0] max_retransmissions;
    // Words, last: a simulation reads them fast
    logic [31:0] request_timer;
    logic [31:0] data_timer;
    logic [31:0] release_timer;
    logic [31:0] idle_timeout;
  } config_t;

  // A protocol timer. Times are the low 32 bits of the cycle count: deadlines lie less than 2^31 cycles ahead.
  typedef struct packed {
    logic        on;
    logic [31:0] deadline;
  } timer_t;

  // Sequence numbers are 32 bits wide, as in the header.
  typedef struct packed {
    logic [15:0] tid;
    logic [15:0] generation;    // responder: what the host knows it by; 0 = it does not
    logic        responder;     // role of this end
    logic        read;          // operation
    logic [3:0]  phase;
    logic        established;
    logic        indirect;
    logic        sending;
    logic        reported;      // the upper layer has seen a REQ_ACK
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

  typedef struct packed {
    logic [2:0]  kind;           // Input...
    logic [2:0]  code;           // of a command
    logic [15:0] generation;     // of a verdict
    logic [7:0]  ctrl;           // of a frame
    logic [15:0] tid;
    // What table and buffer say
    logic        hit;            // the table has it
    logic        table_full;
    logic        recent;         // released lately, closing, or given up
    logic        released;       // released lately
    logic        gave_up;
    logic        buffer_full;
    // Words, last: a simulation reads them fast
    logic [31:0] end_cycle;      // in which the decision ends
    logic [31:0] len;
    logic [31:0] sn;
    logic [31:0] ackn;
    logic [63:0] sba;
    logic [63:0] dba;
  } input_t;

  // What an input and its entry say of each other: decision_facts.
  typedef struct packed {
    // Sender
    logic        outstanding;    // something is in flight
    logic        resends;        // the next frame to send is one that was sent before
    logic        resend_above;   // ... and lies above the oldest one not acknowledged
    logic        una_in_range;
    logic        next_in_range;
    logic        sends_data;
    // The frame
    logic        frame_read;     // operation
    logic        other_operation;
    logic        in_range;       // the place of its SN, or of its ACKN
    logic        expected_in_range;
    logic        ackn_sent;      // what it acknowledges was sent
    logic        whole_segment;
    logic        inside_region;
    logic        beyond;         // the window
    logic        new_frame;
    logic        can_keep;       // it fits what the indirect buffer holds
    logic        request_fits;   // so does the request
    logic        segment_agrees; // a REQ is for our segment
    logic        same_life;      // a verdict is on the life that the entry is in
    logic        same_region;    // ... and for the region that it has asked for before, if it has
    logic        may_answer;     // a REL, if its data is here
    logic [3:0]  run;            // frames in a row from the expected one on
    logic [7:0]  with_frame;     // received, when it is taken
    // Timers
    logic        idle_expired;
    logic        request_expired;
    logic        data_expired;
    timer_t      armed_request;  // as set by this decision
    timer_t      armed_data;
    timer_t      armed_release;
    timer_t      armed_idle;
    // Words, last: a simulation reads them fast
    logic [31:0] segment;
    logic [31:0] resend_from;
    logic [31:0] fetch_sn;       // the next frame to send
    logic [31:0] in_flight;      // frames
    logic [31:0] frame_end;      // bytes
  } facts_t;

  localparam int unsigned NoteBits = 30;  // rnic_pkg::Notes: Yosys does not know it here; transport_decision checks it

  // What an input leads to.
  typedef struct packed {
    logic        present;        // there is an entry
    logic        check_release;  // the data phase may be over
    logic [NoteBits-1:0] notes;
    // What decide_common works out
    logic        accept;         // the data is for memory, if it fits
    logic        keep;           // ... for the indirect buffer
    logic        ask;            // send REQ
    logic        go_indirect;
    logic        report;         // the REQ_ACK to the host
    logic        simulated;      // ... which is none
    logic        acknowledge;
    logic        recover;        // send again what is outstanding
    logic        give_up;
    logic        close;
    logic [2:0]  error;          // ... with this
    // What leaves
    logic [7:0]  send_type;      // CTRL, but for RW; 0: nothing
    logic        send_own;       // an answer by the frame's own fields, not the entry's
    logic        place;          // payload to memory
    logic        store;          // ... into the indirect buffer
    logic        drain;
    logic        drop;
    logic        fetch;
    logic        ended;          // the TID is to be remembered
    logic        new_life;       // the generation is used
    logic [2:0]  event_code;
    logic [2:0]  event_status;
    logic        event_blank;    // without length, address, flags: there is no entry
    entry_t      entry;          // afterwards; last, as the widest: a simulation then copies it word by word
  } decision_t;

  localparam int unsigned Entries = 64;
endpackage

`default_nettype wire
