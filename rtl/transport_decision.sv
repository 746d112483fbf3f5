// SPDX-License-Identifier: Apache-2.0
// What the transport controller decides (PROTOCOL.md sections 3 to 6): both roles, both operations. Holds the entry in hand.
//
//   step 3  the entry is taken from the table, or begins anew
//   step 4  a sequence number times the segment: where the frame in question lies
//   step 5  the decision: decision_facts, then what the input leads to, then decide_common
//   step 6  what it leaves: is all acknowledged, is there more to send
//   step 7  REL or the end of the transfer, if they follow: decision_end
//
//   input          leads to        PROTOCOL.md
//   REQ, REQ_ACK   decide_request  3.3 to 3.6, 5.1, 5.2, 5.6, 6.7, 6.8
//   DATA, ACK      decide_data     4, 6, 5.7, 5.8
//   REL, REL_ACK   decide_release  3.15 to 3.17
//   command        decide_command  3.1, 3.7, 3.8, 6.3
//   sent, fetch    decide_send     3.13, 4.1, 4.7
//   timer          decide_timer    3.2, 3.9, 3.14, 4.7 to 4.9, 5.3, 5.4, 5.7
//
// Outputs are valid after step 7.
`default_nettype none

module transport_decision (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic [ 2:0]                      step_i,
    input  transport_pkg::config_t           cfg_i,
    input  transport_pkg::input_t            in_i,              // what it is about
    input  transport_pkg::entry_t            entry_i,           // of the table; valid in step 3
    // The entry afterwards
    output transport_pkg::entry_t            entry_o,
    output logic                             write_o,           // there is one
    output logic                             has_data_o,
    output logic                             used_o,            // status for the table, in step 7
    output logic                             open_o,
    output logic                             timer_o,
    output logic [31:0]                      deadline_o,
    // What follows
    output logic [rnic_pkg::Notes-1:0]       notes_o,
    output logic                             send_o,            // a control frame or acknowledgement ...
    output logic                             release_o,         // ... and then REL
    output logic [ 7:0]                      send_ctrl_o,
    output logic [31:0]                      send_len_o,
    output logic [31:0]                      send_sn_o,
    output logic [31:0]                      send_ackn_o,
    output logic [63:0]                      send_sba_o,
    output logic [63:0]                      send_dba_o,
    output logic                             place_o,
    output logic                             keep_o,
    output logic                             drain_o,
    output logic                             drop_o,
    output logic                             fetch_o,
    output logic [63:0]                      address_o,         // place, keep, fetch: of the payload in host memory
    output logic [31:0]                      bytes_o,
    output logic [31:0]                      sn_o,
    output logic                             ended_o,           // the TID is to be remembered
    output logic [ 2:0]                      event_o,           // 0: none
    output logic [ 2:0]                      event_status_o,
    output logic                             event_blank_o      // without length, address, flags: there is no entry
);
  transport_pkg::entry_t e_q;
  logic present_q;        // there is an entry in hand
  logic check_release_q;  // the data phase may be over
  logic [42:0] product_q; // step 5: place of the frame in question; step 7: of the next expected one
  logic [42:0] more_q;    // step 7: place of the next frame to send

  // What the input is.
  logic is_frame, is_command, is_req, is_req_ack, is_data, is_ack, is_rel, is_rel_ack, starts, verdict;
  assign is_frame = (in_i.kind == transport_pkg::InputFrame);
  assign is_command = (in_i.kind == transport_pkg::InputCommand);
  assign is_req = is_frame && in_i.ctrl[drp_pkg::CtrlReqBit];
  assign is_req_ack = is_frame && in_i.ctrl[drp_pkg::CtrlReqAckBit];
  assign is_data = is_frame && in_i.ctrl[drp_pkg::CtrlDataBit] && (in_i.len != '0);
  assign is_ack = is_frame && in_i.ctrl[drp_pkg::CtrlDataBit] && (in_i.len == '0);
  assign is_rel = is_frame && in_i.ctrl[drp_pkg::CtrlRelBit];
  assign is_rel_ack = is_frame && in_i.ctrl[drp_pkg::CtrlRelAckBit];
  assign starts = is_command && (in_i.code == rnic_pkg::CommandRdmaWrite || in_i.code == rnic_pkg::CommandRdmaRead);
  assign verdict = is_command && (in_i.code == rnic_pkg::CommandRegistered || in_i.code == rnic_pkg::CommandNotRegistered);

  // The entry that a transfer begins with.
  transport_pkg::entry_t fresh;
  always_comb begin
    fresh = '0;
    fresh.tid = in_i.tid;
    fresh.phase = rnic_pkg::PhaseAwaitingRequest;
    fresh.responder = 1'b1;
    fresh.read = in_i.ctrl[drp_pkg::CtrlRwBit];
    if (starts) begin
      fresh.phase = rnic_pkg::PhaseRequesting;
      fresh.responder = 1'b0;
      fresh.read = (in_i.code == rnic_pkg::CommandRdmaRead);
      fresh.length = in_i.len;
    end
    // Data ahead of its request; a request sets them itself.
    fresh.sba = in_i.sba;
    fresh.dba = in_i.dba;
  end
  // Step 3: an entry of the table, or a new one.
  logic from_table;
  assign from_table = (is_frame || verdict) ? in_i.hit : !is_command;

  transport_pkg::facts_t facts;
  decision_facts u_facts (
      .enable_i (step_i[2]),
      .cfg_i,
      .in_i,
      .entry_i  (e_q),
      .product_i(product_q),
      .facts_o  (facts)
  );

  // Which life of its TID a transfer is, from when its host is asked on; never 0.
  logic [15:0] generation_q, next_generation;
  assign next_generation = (generation_q == '1) ? 16'd1 : generation_q + 16'd1;

  // Step 5: what each input would lead to, and the one that is in hand.
  logic decides;
  assign decides = (step_i == 3'd5);
  transport_pkg::decision_t by_request, by_data, by_release, by_command, by_send, by_timer, by_input, d;
  decide_request u_request (
      .decide_i(decides && (is_req || is_req_ack)),
      .cfg_i,
      .in_i,
      .facts_i(facts),
      .entry_i(e_q),
      .req_i(is_req),
      .next_generation_i(next_generation),
      .decision_o(by_request)
  );
  decide_data u_data (
      .decide_i(decides && (is_ack || is_data)),
      .cfg_i,
      .in_i,
      .facts_i(facts),
      .entry_i(e_q),
      .ack_i(is_ack),
      .decision_o(by_data)
  );
  decide_release u_release (
      .decide_i(decides && (is_rel || is_rel_ack)),
      .in_i,
      .facts_i(facts),
      .entry_i(e_q),
      .rel_i(is_rel),
      .decision_o(by_release)
  );
  decide_command u_command (
      .decide_i(decides && is_command),
      .cfg_i,
      .in_i,
      .facts_i(facts),
      .entry_i(e_q),
      .starts_i(starts),
      .verdict_i(verdict),
      .decision_o(by_command)
  );
  decide_send u_send (
      .decide_i(decides && (in_i.kind == transport_pkg::InputSent || in_i.kind == transport_pkg::InputFetch)),
      .facts_i(facts),
      .entry_i(e_q),
      .fetch_i(in_i.kind == transport_pkg::InputFetch),
      .decision_o(by_send)
  );
  decide_timer u_timer (
      .decide_i(decides && (in_i.kind == transport_pkg::InputTimer)),
      .cfg_i,
      .facts_i(facts),
      .entry_i(e_q),
      .decision_o(by_timer)
  );
  always_comb begin
    by_input = '0;
    if (decides) begin
      by_input.entry = e_q;
      case (in_i.kind)
        transport_pkg::InputFrame: begin
          if (is_req || is_req_ack) by_input = by_request;
          else if (is_ack || is_data) by_input = by_data;
          else if (is_rel || is_rel_ack) by_input = by_release;
        end
        transport_pkg::InputCommand: by_input = by_command;
        transport_pkg::InputSent, transport_pkg::InputFetch: by_input = by_send;
        transport_pkg::InputTimer: by_input = by_timer;
        default: ;
      endcase
      if (present_q) by_input.present = 1'b1;
    end
  end
  decide_common u_common (
      .decide_i(decides),
      .cfg_i,
      .in_i,
      .facts_i(facts),
      .entry_i(e_q),
      .decision_i(by_input),
      .decision_o(d)
  );
  logic about_request;
  logic [63:0] base;
  assign about_request = d.send_type[drp_pkg::CtrlReqBit] || d.send_type[drp_pkg::CtrlReqAckBit];
  assign base = d.entry.responder ? d.entry.dba : d.entry.sba;  // of the region at this end

  // Step 7.
  logic releases, finishes, remembers;
  decision_end u_end (
      .cfg_i,
      .in_i,
      .facts_i(facts),
      .entry_i(e_q),
      .present_i(present_q),
      .check_release_i(check_release_q),
      .product_i(product_q),
      .more_i(more_q),
      .releases_o(releases),
      .finishes_o(finishes),
      .remembers_o(remembers),
      .used_o,
      .open_o,
      .has_data_o,
      .timer_o,
      .deadline_o
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      e_q             <= '0;
      generation_q    <= '0;
      present_q       <= 1'b0;
      check_release_q <= 1'b0;
      product_q       <= '0;
      more_q          <= '0;
      notes_o         <= '0;
      send_o          <= 1'b0;
      release_o       <= 1'b0;
      send_ctrl_o     <= '0;
      send_len_o      <= '0;
      send_sn_o       <= '0;
      send_ackn_o     <= '0;
      send_sba_o      <= '0;
      send_dba_o      <= '0;
      place_o         <= 1'b0;
      keep_o          <= 1'b0;
      drain_o         <= 1'b0;
      drop_o          <= 1'b0;
      fetch_o         <= 1'b0;
      address_o       <= '0;
      bytes_o         <= '0;
      sn_o            <= '0;
      ended_o         <= 1'b0;
      event_o         <= '0;
      event_status_o  <= '0;
      event_blank_o   <= 1'b0;
    end else begin
      case (step_i)
        3'd3: begin
          e_q       <= from_table ? entry_i : fresh;
          present_q <= from_table;
        end
        3'd4: begin
          if (is_data) product_q <= 43'(in_i.sn) * 43'(cfg_i.segment);
          else if (is_req_ack) product_q <= 43'(e_q.next) * 43'(cfg_i.segment);
          else if (is_rel) product_q <= 43'(e_q.expected) * 43'(cfg_i.segment);
          else product_q <= 43'(facts.fetch_sn) * 43'(cfg_i.segment);
        end
        3'd5: begin
          e_q             <= d.entry;
          if (d.entry.generation != e_q.generation) generation_q <= d.entry.generation;
          present_q       <= d.present;
          check_release_q <= d.check_release;
          notes_o         <= d.notes;
          send_o          <= (d.send_type[7:3] != '0);
          release_o       <= 1'b0;
          send_ctrl_o     <= d.send_type | ({7'd0, d.send_own ? facts.frame_read : d.entry.read} << drp_pkg::CtrlRwBit);
          send_len_o      <= about_request ? (d.send_own ? in_i.len : d.entry.length) : '0;
          send_sn_o       <= about_request ? facts.segment : '0;
          send_ackn_o     <= d.acknowledge ? d.entry.expected : '0;
          send_sba_o      <= d.send_own ? in_i.sba : d.entry.sba;
          send_dba_o      <= d.send_own ? in_i.dba : d.entry.dba;
          place_o         <= d.place;
          keep_o          <= d.store;
          drain_o         <= d.drain;
          drop_o          <= d.drop;
          fetch_o         <= d.fetch;
          address_o       <= base + 64'(product_q);
          bytes_o         <= d.fetch ? facts.full_payload : in_i.len;
          sn_o            <= d.fetch ? facts.fetch_sn : in_i.sn;
          ended_o         <= d.ended;
          event_o         <= d.event_code;
          event_status_o  <= d.event_status;
          event_blank_o   <= d.event_blank;
        end
        3'd6: begin
          product_q <= {11'd0, facts.sends_data ? e_q.una : e_q.expected} * 43'(cfg_i.segment);
          more_q    <= 43'(e_q.next) * 43'(cfg_i.segment);
        end
        3'd7: begin
          if (releases) begin
            e_q.phase                             <= rnic_pkg::PhaseReleasing;
            e_q.sending                           <= 1'b0;
            e_q.retries                           <= '0;
            e_q.data_timer.on                     <= 1'b0;
            e_q.release_timer                     <= facts.armed_release;
            notes_o[rnic_pkg::NoteReleasesSent] <= 1'b1;
            release_o                             <= 1'b1;
          end
          if (finishes) begin
            e_q.phase      <= remembers ? rnic_pkg::PhaseGivenUp : rnic_pkg::PhaseFree;
            if (remembers) e_q.idle_timer <= facts.armed_idle;
            event_status_o <= e_q.error;
            event_blank_o  <= 1'b0;
            if (e_q.error != rnic_pkg::ErrorNone) notes_o[rnic_pkg::NoteFailed] <= 1'b1;
            else notes_o[rnic_pkg::NoteCompleted] <= 1'b1;
            if (e_q.responder) event_o <= rnic_pkg::EventReleased;
            else if (e_q.error != rnic_pkg::ErrorNone) event_o <= rnic_pkg::EventFailed;
            else event_o <= rnic_pkg::EventCompleted;
          end
        end
        default: ;
      endcase
    end
  end

  assign entry_o = e_q;
  assign write_o = present_q;

  if ($bits(e_q) != transport_pkg::EntryBits) begin : gen_illegal_size
    $error("transport_decision: EntryBits is not the size of an entry");
  end
  if (rnic_pkg::Notes != transport_pkg::NoteBits) begin : gen_illegal_notes
    $error("transport_decision: NoteBits is not the number of notes");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else if (step_i == 3'd7) begin
      a_window : assert (facts.in_flight <= 32'(cfg_i.window));
      a_acknowledged_was_sent : assert (e_q.una <= e_q.next);
      a_one_data_action : assert (3'(place_o) + 3'(keep_o) + 3'(fetch_o) <= 3'd1);
      a_only_dynamic_keeps : assert (cfg_i.dynamic || !keep_o);
      a_no_second_event : assert (!(finishes && event_o != rnic_pkg::EventNone));
      a_entry_is_in_use : assert (!present_q || e_q.phase != rnic_pkg::PhaseFree || notes_o != '0 ||
                                  in_i.kind == transport_pkg::InputTimer);
    end
  end
endmodule

`default_nettype wire
