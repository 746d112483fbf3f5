// SPDX-License-Identifier: Apache-2.0
// What the transport controller decides (PROTOCOL.md sections 3 to 6): both roles, both operations. Holds the entry in hand.
//
//   step 2  the place of the frame: its SN, or ACKN, times the segment
//   step 3  the entry is taken from the table, or begins anew; the places of its frames
//   step 4  decision_facts: what input and entry say of each other
//   step 5  what the input leads to
//   step 6  decide_common: what all inputs share
//   step 7  REL or the end of the transfer, if they follow; the status of the entry: decision_end
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

  // Places of frames. That of the input is there before the entry; of those of the entry, one is that of the next frame
  // expected, but for a fetch.
  logic is_fetch;
  logic [31:0] sn_q;
  logic [42:0] frame_place, una_place, next_place, other_place;
  logic [42:0] place_q, end_q, whole_q, una_place_q, next_place_q, other_place_q;
  assign is_fetch = (in_i.kind == transport_pkg::InputFetch);
  frame_place u_frame_place (
      .clk_i,
      .start_i  (step_i == 3'd2),
      .sn_i     (sn_q),
      .segment_i(cfg_i.segment),
      .place_o  (frame_place)
  );
  frame_place u_una_place (
      .clk_i,
      .start_i  (step_i == 3'd3),
      .sn_i     (entry_i.una),
      .segment_i(cfg_i.segment),
      .place_o  (una_place)
  );
  frame_place u_next_place (
      .clk_i,
      .start_i  (step_i == 3'd3),
      .sn_i     (entry_i.next),
      .segment_i(cfg_i.segment),
      .place_o  (next_place)
  );
  frame_place u_other_place (
      .clk_i,
      .start_i  (step_i == 3'd3),
      .sn_i     (is_fetch ? entry_i.resend : entry_i.expected),
      .segment_i(cfg_i.segment),
      .place_o  (other_place)
  );

  transport_pkg::facts_t facts, facts_q;
  decision_facts u_facts (
      .enable_i  (step_i == 3'd4),
      .cfg_i,
      .in_i,
      .entry_i   (e_q),
      .place_i   (place_q),
      .end_i     (end_q),
      .whole_i   (whole_q),
      .una_i     (una_place),
      .next_i    (next_place),
      .expected_i(other_place),
      .facts_o   (facts)
  );

  // Which life of its TID the next transfer is, from when its host is asked on; never 0.
  logic [15:0] next_generation_q;

  // Step 5: what each input would lead to, and the one that is in hand.
  // One of these is high, from registers: what is decided is late enough.
  logic request_q, data_q, release_q, command_q, send_q, timer_q, none_q;
  logic req_q, ack_q, rel_q, starts_q, verdict_q;
  always_ff @(posedge clk_i) begin
    request_q <= (step_i == 3'd4) && (is_req || is_req_ack);
    data_q    <= (step_i == 3'd4) && (is_data || is_ack);
    release_q <= (step_i == 3'd4) && (is_rel || is_rel_ack);
    command_q <= (step_i == 3'd4) && is_command;
    send_q    <= (step_i == 3'd4) && (in_i.kind == transport_pkg::InputSent || is_fetch);
    timer_q   <= (step_i == 3'd4) && (in_i.kind == transport_pkg::InputTimer);
    none_q    <= (step_i == 3'd4) && is_frame && !(is_req || is_req_ack || is_data || is_ack || is_rel || is_rel_ack);
    if (step_i == 3'd4) {req_q, ack_q, rel_q, starts_q, verdict_q} <= {is_req, is_ack, is_rel, starts, verdict};
  end
  transport_pkg::decision_t by_request, by_data, by_release, by_command, by_send, by_timer, by_input;
  decide_request u_request (
      .decide_i(request_q),
      .cfg_i,
      .in_i,
      .facts_i(facts_q),
      .entry_i(e_q),
      .req_i(req_q),
      .next_generation_i(next_generation_q),
      .decision_o(by_request)
  );
  decide_data u_data (
      .decide_i(data_q),
      .cfg_i,
      .in_i,
      .facts_i(facts_q),
      .entry_i(e_q),
      .ack_i(ack_q),
      .decision_o(by_data)
  );
  decide_release u_release (
      .decide_i(release_q),
      .in_i,
      .facts_i(facts_q),
      .entry_i(e_q),
      .rel_i(rel_q),
      .decision_o(by_release)
  );
  decide_command u_command (
      .decide_i(command_q),
      .cfg_i,
      .in_i,
      .facts_i(facts_q),
      .entry_i(e_q),
      .starts_i(starts_q),
      .verdict_i(verdict_q),
      .decision_o(by_command)
  );
  decide_send u_send (
      .decide_i(send_q),
      .facts_i(facts_q),
      .entry_i(e_q),
      .fetch_i(is_fetch),
      .decision_o(by_send)
  );
  decide_timer u_timer (
      .decide_i(timer_q),
      .cfg_i,
      .facts_i(facts_q),
      .entry_i(e_q),
      .decision_o(by_timer)
  );
  // All but one are 0.
  always_comb begin
    by_input = by_request | by_data | by_release | by_command | by_send | by_timer;
    if (none_q) by_input.entry = e_q;
    if (present_q) by_input.present = 1'b1;
  end

  // Step 6. What it was led to waits in d_q, but for its entry: that is the one in hand.
  transport_pkg::decision_t d_q, led_to, d;
  always_comb begin
    led_to = d_q;
    led_to.entry = e_q;
  end
  decide_common u_common (
      .decide_i(step_i == 3'd6),
      .cfg_i,
      .in_i,
      .facts_i(facts_q),
      .entry_i(e_q),
      .decision_i(led_to),
      .decision_o(d)
  );
  logic about_request;
  logic [63:0] base;
  assign about_request = d.send_type[drp_pkg::CtrlReqBit] || d.send_type[drp_pkg::CtrlReqAckBit];
  assign base = e_q.responder ? e_q.dba : e_q.sba;  // of the region at this end

  // The frame that is fetched: its place and what is left behind it (step 5), its payload (step 6).
  logic [42:0] fetch_place;
  logic [31:0] rest_q;  // in bytes
  logic more_follows;   // frames behind it
  always_comb begin
    fetch_place = next_place_q;
    if (facts_q.resends) fetch_place = facts_q.resend_above ? other_place_q : una_place_q;
  end
  assign more_follows = (rest_q > 32'(cfg_i.segment));

  // Is all acknowledged (step 5), or here: without this frame, and with those that it completes (step 6). An ACK counts if it
  // acknowledges what was sent; one that is late is covered by the oldest frame that is not acknowledged.
  logic acknowledged_q, through_q, through_with_frame_q, more_q;
  logic [14:0] run_bytes_q;

  // How far the deadlines are ahead, in step 7.
  logic [31:0] request_ahead_q, data_ahead_q, release_ahead_q, idle_ahead_q;

  // Step 7.
  logic releases, finishes, remembers;
  decision_end u_end (
      .cfg_i,
      .facts_i(facts_q),
      .entry_i(e_q),
      .present_i(present_q),
      .check_release_i(check_release_q),
      .through_i(place_o ? through_with_frame_q : through_q),
      .more_i(more_q),
      .request_ahead_i(request_ahead_q),
      .data_ahead_i(data_ahead_q),
      .release_ahead_i(release_ahead_q),
      .idle_ahead_i(idle_ahead_q),
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
      e_q               <= '0;
      facts_q           <= '0;
      d_q               <= '0;
      next_generation_q <= 16'd1;
      present_q         <= 1'b0;
      check_release_q   <= 1'b0;
      notes_o           <= '0;
      send_o            <= 1'b0;
      release_o         <= 1'b0;
      send_ctrl_o       <= '0;
      send_len_o        <= '0;
      send_sn_o         <= '0;
      send_ackn_o       <= '0;
      send_sba_o        <= '0;
      send_dba_o        <= '0;
      place_o           <= 1'b0;
      keep_o            <= 1'b0;
      drain_o           <= 1'b0;
      drop_o            <= 1'b0;
      fetch_o           <= 1'b0;
      address_o         <= '0;
      bytes_o           <= '0;
      sn_o              <= '0;
      ended_o           <= 1'b0;
      event_o           <= '0;
      event_status_o    <= '0;
      event_blank_o     <= 1'b0;
    end else begin
      case (step_i)
        3'd3: begin
          e_q       <= from_table ? entry_i : fresh;
          present_q <= from_table;
        end
        3'd4: facts_q <= facts;
        3'd5: begin
          e_q       <= by_input.entry;
          d_q       <= by_input;
          d_q.entry <= '0;
        end
        3'd6: begin
          e_q             <= d.entry;
          if (d.new_life) next_generation_q <= (next_generation_q == '1) ? 16'd1 : next_generation_q + 16'd1;
          present_q       <= d.present;
          check_release_q <= d.check_release;
          notes_o         <= d.notes;
          send_o          <= (d.send_type[7:3] != '0);
          release_o       <= 1'b0;
          send_ctrl_o     <= d.send_type | ({7'd0, d.send_own ? facts_q.frame_read : d.entry.read} << drp_pkg::CtrlRwBit);
          send_len_o      <= about_request ? (d.send_own ? in_i.len : d.entry.length) : '0;
          send_sn_o       <= about_request ? 32'(cfg_i.segment) : '0;
          send_ackn_o     <= d.acknowledge ? d.entry.expected : '0;
          send_sba_o      <= d.send_own ? in_i.sba : d.entry.sba;
          send_dba_o      <= d.send_own ? in_i.dba : d.entry.dba;
          place_o         <= d.place;
          keep_o          <= d.store;
          drain_o         <= d.drain;
          drop_o          <= d.drop;
          fetch_o         <= d.fetch;
          address_o       <= base + 64'(place_q);
          if (!d.fetch) bytes_o <= in_i.len;
          else bytes_o    <= more_follows ? 32'(cfg_i.segment) : rest_q;
          sn_o            <= d.fetch ? facts_q.fetch_sn : in_i.sn;
          ended_o         <= d.ended;
          event_o         <= d.event_code;
          event_status_o  <= d.event_status;
          event_blank_o   <= d.event_blank;
        end
        3'd7: begin
          if (releases) begin
            e_q.phase                             <= rnic_pkg::PhaseReleasing;
            e_q.sending                           <= 1'b0;
            e_q.retries                           <= '0;
            e_q.data_timer.on                     <= 1'b0;
            e_q.release_timer                     <= facts_q.armed_release;
            notes_o[rnic_pkg::NoteReleasesSent] <= 1'b1;
            release_o                             <= 1'b1;
          end
          if (finishes) begin
            e_q.phase      <= remembers ? rnic_pkg::PhaseGivenUp : rnic_pkg::PhaseFree;
            if (remembers) e_q.idle_timer <= facts_q.armed_idle;
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

  // Numbers: no reset.
  always_ff @(posedge clk_i) begin
    case (step_i)
      3'd1: sn_q <= (in_i.len == '0) ? in_i.ackn : in_i.sn;
      3'd3: begin
        place_q <= frame_place;
        end_q   <= frame_place + 43'(in_i.len);
        whole_q <= frame_place + 43'(cfg_i.segment);
      end
      3'd4: begin
        una_place_q   <= una_place;
        next_place_q  <= next_place;
        other_place_q <= other_place;
      end
      3'd5: begin
        if (is_fetch) place_q <= fetch_place;
        rest_q         <= e_q.length - fetch_place[31:0];
        acknowledged_q <= !facts_q.una_in_range || (ack_q && facts_q.ackn_sent && !facts_q.in_range);
        run_bytes_q    <= 15'(facts_q.run) * 15'(cfg_i.segment);
      end
      3'd6: begin
        through_q            <= facts_q.sends_data ? acknowledged_q : !facts_q.expected_in_range;
        through_with_frame_q <= (other_place_q + 43'(run_bytes_q) >= 43'(e_q.length));
        more_q               <= facts_q.next_in_range && (!d.fetch || facts_q.resends || more_follows);
        request_ahead_q      <= d.entry.request_timer.deadline - in_i.end_cycle;
        data_ahead_q         <= d.entry.data_timer.deadline - in_i.end_cycle;
        release_ahead_q      <= d.entry.release_timer.deadline - in_i.end_cycle;
        idle_ahead_q         <= d.entry.idle_timer.deadline - in_i.end_cycle;
      end
      default: ;
    endcase
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
      a_window : assert (e_q.next - e_q.una <= 32'(cfg_i.window));
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
