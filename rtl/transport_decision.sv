// What the transport controller decides (PROTOCOL.md sections 3 to 6): both roles, both operations. Holds the entry in hand.
//
//   step 3  the entry is taken from the table, or begins anew
//   step 4  a sequence number times the segment: where the frame in question lies
//   step 5  the decision
//   step 6  what it leaves: is all acknowledged, is there more to send
//   step 7  REL or the end of the transfer, if they follow
//
// Everything that comes out is to be looked at after step 7.
`default_nettype none

module transport_decision (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic [ 2:0]                      step_i,
    input  logic [31:0]                      end_i,             // cycle in which the decision ends
    // Configuration
    input  logic                             cfg_dynamic_i,
    input  logic [10:0]                      cfg_segment_i,
    input  logic [ 3:0]                      cfg_window_i,
    input  logic                             cfg_go_back_n_i,
    input  logic [ 7:0]                      cfg_duplicate_acks_i,
    input  logic [30:0]                      cfg_request_timer_i,
    input  logic [30:0]                      cfg_data_timer_i,
    input  logic [30:0]                      cfg_release_timer_i,
    input  logic [30:0]                      cfg_idle_timeout_i,
    input  logic [15:0]                      cfg_max_requests_i,
    input  logic [15:0]                      cfg_max_retransmissions_i,
    input  logic [15:0]                      cfg_indirect_after_i,
    input  logic                             cfg_resume_i,
    // What it is about
    input  logic [ 2:0]                      input_i,
    input  logic [ 2:0]                      code_i,            // of a command
    input  logic [ 7:0]                      ctrl_i,            // of a frame
    input  logic [15:0]                      tid_i,
    input  logic [31:0]                      len_i,
    input  logic [31:0]                      sn_i,
    input  logic [31:0]                      ackn_i,
    input  logic [63:0]                      sba_i,
    input  logic [63:0]                      dba_i,
    input  logic [15:0]                      generation_i,      // of a verdict
    input  logic                             hit_i,             // the table has it
    input  logic                             table_full_i,
    input  logic                             recent_i,          // released lately, closing, or given up
    input  logic                             released_i,        // released lately
    input  logic                             gave_up_i,
    input  logic                             buffer_full_i,
    input  transport_pkg::entry_t            entry_i,
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
  transport_pkg::entry_t e_q, e;
  logic present_q, present;              // there is an entry in hand
  logic check_release_q, check_release;  // the data phase may be over
  logic [42:0] product_q;                // step 5: place of the frame in question; step 7: of the next expected one
  logic [42:0] more_q;                   // step 7: place of the next frame to send

  // What a frame is.
  logic is_req, is_req_ack, is_data, is_ack, is_rel, is_rel_ack, frame_read, starts, verdict, nothing;
  assign is_req = (input_i == transport_pkg::InputFrame) && ctrl_i[drp_pkg::CtrlReqBit];
  assign is_req_ack = (input_i == transport_pkg::InputFrame) && ctrl_i[drp_pkg::CtrlReqAckBit];
  assign is_data = (input_i == transport_pkg::InputFrame) && ctrl_i[drp_pkg::CtrlDataBit] && (len_i != '0);
  assign is_ack = (input_i == transport_pkg::InputFrame) && ctrl_i[drp_pkg::CtrlDataBit] && (len_i == '0);
  assign is_rel = (input_i == transport_pkg::InputFrame) && ctrl_i[drp_pkg::CtrlRelBit];
  assign is_rel_ack = (input_i == transport_pkg::InputFrame) && ctrl_i[drp_pkg::CtrlRelAckBit];
  assign frame_read = ctrl_i[drp_pkg::CtrlRwBit];
  assign starts = (input_i == transport_pkg::InputCommand) &&
                  (code_i == rnic_pkg::CommandRdmaWrite || code_i == rnic_pkg::CommandRdmaRead);
  assign verdict = (input_i == transport_pkg::InputCommand) &&
                   (code_i == rnic_pkg::CommandRegistered || code_i == rnic_pkg::CommandNotRegistered);

  assign nothing = (input_i == transport_pkg::InputCommand) && !starts && !verdict;

  // The entry that a transfer begins with.
  transport_pkg::entry_t fresh;
  always_comb begin
    fresh = '0;
    fresh.tid = tid_i;
    fresh.phase = rnic_pkg::PhaseAwaitingRequest;
    fresh.responder = 1'b1;
    fresh.read = frame_read;
    if (starts) begin
      fresh.phase = rnic_pkg::PhaseRequesting;
      fresh.responder = 1'b0;
      fresh.read = (code_i == rnic_pkg::CommandRdmaRead);
      fresh.length = len_i;
    end
    // Data ahead of its request; a request sets them itself.
    fresh.sba = sba_i;
    fresh.dba = dba_i;
  end

  // What follows from the entry and the frame. It moves in steps 4 to 7 only: nobody looks at it before.
  logic [31:0] resend_from, fetch_sn, in_flight, segment;
  logic resends, sends_data, other_operation, outstanding;
  logic [31:0] place, rest, full_payload;
  logic in_range, whole_segment, inside_region;
  logic [31:0] ahead;
  logic duplicate, beyond, unwanted, new_frame;
  logic [7:0] with_frame;
  logic [3:0] run;  // frames in a row from the expected one on
  logic [31:0] frame_end;
  logic early_fits, request_fits, can_keep;
  logic idle_expired, request_expired, data_expired;
  logic [31:0] idle_overdue, request_overdue, data_overdue;
  logic may_answer;
  always_comb begin
    resend_from = '0;
    fetch_sn = '0;
    in_flight = '0;
    segment = '0;
    resends = '0;
    sends_data = '0;
    other_operation = '0;
    outstanding = '0;
    place = '0;
    rest = '0;
    full_payload = '0;
    in_range = '0;
    whole_segment = '0;
    inside_region = '0;
    ahead = '0;
    duplicate = '0;
    beyond = '0;
    unwanted = '0;
    new_frame = '0;
    with_frame = '0;
    run = '0;
    frame_end = '0;
    early_fits = '0;
    request_fits = '0;
    can_keep = '0;
    idle_expired = '0;
    request_expired = '0;
    data_expired = '0;
    idle_overdue = '0;
    request_overdue = '0;
    data_overdue = '0;
    may_answer = '0;
    if (step_i[2]) begin
      // Sender: the frame to send, and whether the window lets one go.
      segment = 32'(cfg_segment_i);
      resend_from = (e_q.resend > e_q.una) ? e_q.resend : e_q.una;
      resends = (resend_from < e_q.resend_end);
      fetch_sn = resends ? resend_from : e_q.next;
      in_flight = e_q.next - e_q.una;
      outstanding = (e_q.una != e_q.next);
      sends_data = (e_q.responder == e_q.read);
      other_operation = (e_q.read != frame_read);

      // Step 5: the frame in question.
      place = product_q[31:0];
      in_range = (product_q < 43'(e_q.length));
      rest = e_q.length - place;
      full_payload = (rest > segment) ? segment : rest;
      whole_segment = (len_i == segment);
      inside_region = in_range && (len_i == full_payload) && (sba_i == e_q.sba) && (dba_i == e_q.dba);

      // Receiver: is the frame new, and how far are we with it.
      ahead = sn_i - e_q.expected;
      beyond = (sn_i >= e_q.expected) && (ahead >= 32'(cfg_window_i));
      duplicate = (sn_i < e_q.expected) || (!beyond && e_q.received[ahead[2:0]]);
      unwanted = cfg_go_back_n_i && (ahead != '0);
      new_frame = !beyond && !duplicate && !unwanted;
      with_frame = e_q.received | (8'd1 << ahead[2:0]);

      run = 4'd8;
      for (int i = 7; i >= 0; i--) if (!with_frame[i]) run = 4'(i);

      // Early data of a transfer whose length is not known yet.
      frame_end = place + len_i;
      if (len_i > segment) early_fits = 1'b0;
      else if (!hit_i) early_fits = 1'b1;
      else if (dba_i != e_q.dba) early_fits = 1'b0;
      else if (whole_segment) begin
        early_fits = !e_q.early_short || (product_q + 43'(segment) < 43'(e_q.early_end));
      end else if (e_q.early_short) begin
        early_fits = (product_q + 43'(len_i) == 43'(e_q.early_end));
      end else begin
        early_fits = (product_q >= 43'(e_q.early_end));
      end
      can_keep = (hit_i && e_q.length != '0) ? in_range && (len_i == full_payload) && (dba_i == e_q.dba) : early_fits;
      request_fits = (e_q.dba == dba_i) && (e_q.early_short ? e_q.early_end == len_i : e_q.early_end <= len_i);

      // Timers: the first that has expired. The idle timer is never held off by one that is shorter than a decision.
      idle_overdue = end_i - e_q.idle_timer.deadline;
      request_overdue = end_i - e_q.request_timer.deadline;
      data_overdue = end_i - e_q.data_timer.deadline;
      idle_expired = e_q.idle_timer.on && !idle_overdue[31];
      request_expired = e_q.request_timer.on && !request_overdue[31];
      data_expired = e_q.data_timer.on && !data_overdue[31];

      // REL: an answer says that a write's data is in memory. in_range: of the next frame expected.
      if (hit_i) may_answer = !other_operation && e_q.established && (frame_read || !in_range);
      else may_answer = frame_read ? !gave_up_i : released_i;
    end
  end

  // Which life of its TID a transfer is, from when its host is asked on; never 0.
  logic [15:0] generation_q, next_generation;
  assign next_generation = (generation_q == '1) ? 16'd1 : generation_q + 16'd1;

  // Step 3: an entry of the table, or a new one.
  logic from_table, about_request;
  logic [7:0] send_type;  // CTRL, but for RW
  logic [63:0] base;
  assign from_table = (input_i == transport_pkg::InputFrame || verdict) ? hit_i : !starts && !nothing;
  assign about_request = send_type[drp_pkg::CtrlReqBit] || send_type[drp_pkg::CtrlReqAckBit];
  assign base = e.responder ? e.dba : e.sba;  // of the region at this end

  // Step 5.
  transport_pkg::timer_t armed_request, armed_data, armed_release, armed_idle;
  assign armed_request = {1'b1, end_i + 32'(cfg_request_timer_i)};
  assign armed_data = {1'b1, end_i + 32'(cfg_data_timer_i)};
  assign armed_release = {1'b1, end_i + 32'(cfg_release_timer_i)};
  assign armed_idle = {1'b1, end_i + 32'(cfg_idle_timeout_i)};

  logic [rnic_pkg::Notes-1:0] notes;
  logic accept, keep, ask, go_indirect, tell, simulated, acknowledge, recover, give_up, close;
  logic send_own, place_it, keep_it, drain, drop, fetch, ended, event_blank;
  logic [2:0] error, event_code, event_status;

  always_comb begin
    e = '0;
    present = present_q;
    check_release = 1'b0;
    notes = '0;
    accept = 1'b0;
    keep = 1'b0;
    ask = 1'b0;
    go_indirect = 1'b0;
    tell = 1'b0;
    simulated = 1'b0;
    acknowledge = 1'b0;
    recover = 1'b0;
    give_up = 1'b0;
    close = 1'b0;
    send_own = 1'b0;
    place_it = 1'b0;
    keep_it = 1'b0;
    drain = 1'b0;
    drop = 1'b0;
    fetch = 1'b0;
    ended = 1'b0;
    event_blank = 1'b0;
    send_type = '0;
    error = rnic_pkg::ErrorNone;
    event_code = rnic_pkg::EventNone;
    event_status = '0;
    if (step_i == 3'd5) begin
      e = e_q;
      case (input_i)
        transport_pkg::InputFrame: begin
          if (is_req) begin
            if (sn_i != segment) begin
              notes[rnic_pkg::NoteSegmentMismatch] = 1'b1;
              notes[rnic_pkg::NoteInvalidRequestAcksSent] = 1'b1;
              send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
              send_own = 1'b1;
            end else if (!hit_i && recent_i) begin
              notes[rnic_pkg::NoteStale] = 1'b1;
            end else if (!hit_i && table_full_i) begin
              notes[rnic_pkg::NoteTableFull] = 1'b1;
            end else if (hit_i && (other_operation || (e_q.length != '0 && (e_q.length != len_i || e_q.dba != dba_i)))) begin
              notes[rnic_pkg::NoteStale] = 1'b1;
            end else begin
              present = 1'b1;
              e.idle_timer = armed_idle;
              if (e_q.phase == rnic_pkg::PhaseAwaitingRequest || e_q.phase == rnic_pkg::PhaseRefused) begin
                if (e_q.early_end != '0 && e_q.length == '0 && !request_fits) begin
                  notes[rnic_pkg::NoteOutOfRegion] = 1'b1;
                  e.early_end = '0;
                  e.expected = '0;
                  e.received = '0;
                  drop = 1'b1;
                end
                e.phase = rnic_pkg::PhaseRegistering;
                if (e_q.generation == '0) e.generation = next_generation;
                e.length = len_i;
                e.sba = sba_i;
                e.dba = dba_i;
                event_code = rnic_pkg::EventRegisterRegion;
              end else if (e_q.phase == rnic_pkg::PhaseEstablished) begin
                notes[rnic_pkg::NoteRequestAcksSent] = 1'b1;
                send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
                send_type[drp_pkg::CtrlValidBit] = 1'b1;
              end
            end
          end else if (is_req_ack) begin
            if (!hit_i || other_operation) begin
              notes[rnic_pkg::NoteStale] = 1'b1;
            end else if (!ctrl_i[drp_pkg::CtrlValidBit]) begin
              if (!e_q.established && cfg_dynamic_i) go_indirect = !e_q.read && !e_q.sending;
              else if (!e_q.established) e.request_timer = armed_request;
            end else begin
              if (!e_q.established) begin
                e.established = 1'b1;
                notes[rnic_pkg::NoteConnections] = 1'b1;
                e.request_timer.on = 1'b0;
                tell = 1'b1;
                if (e_q.read || !e_q.sending) begin
                  e.phase = rnic_pkg::PhaseTransferring;
                  if (!e_q.read) begin
                    e.sending = 1'b1;
                    e.indirect = 1'b0;
                  end
                end else begin
                  notes[rnic_pkg::NoteRequestAckHidden] = 1'b1;
                  // All that the window allows has been sent: the far indirect buffer is full.
                  if (cfg_resume_i && outstanding && !resends && !(in_range && in_flight < 32'(cfg_window_i))) begin
                    notes[rnic_pkg::NoteResumed] = 1'b1;
                    e.duplicates = '0;
                    e.recovering = 1'b0;
                    e.resend = e_q.una;
                    e.resend_end = e_q.next;
                    e.retries = '0;
                    e.data_timer = armed_data;
                  end
                end
              end
              if (!e_q.read) check_release = 1'b1;
              else begin
                acknowledge = 1'b1;
                if (e.phase == rnic_pkg::PhaseTransferring) e.data_timer = armed_data;
              end
            end
          end else if (is_ack) begin
            if (!hit_i || other_operation || (frame_read ? !e_q.established : !e_q.sending)) begin
              notes[rnic_pkg::NoteStale] = 1'b1;
            end else begin
              if (e_q.responder) e.idle_timer = armed_idle;
              if (!e_q.sending) begin  // "ready"
                e.sending = 1'b1;
                e.indirect = 1'b0;
                e.request_timer.on = 1'b0;
              end else begin
                check_release = 1'b1;
                if (ackn_i > e_q.una && ackn_i <= e_q.next) begin
                  e.una = ackn_i;
                  e.duplicates = '0;
                  e.retries = '0;
                  if (ackn_i >= e_q.recover) begin
                    e.recovering = 1'b0;
                  end else if (e_q.recovering && !cfg_go_back_n_i && e_q.resend_end <= ackn_i) begin
                    e.resend = ackn_i;  // a partial acknowledgement uncovers the next hole
                    e.resend_end = ackn_i + 32'd1;
                  end
                  if (ackn_i != e_q.next) e.data_timer = armed_data;
                  else e.data_timer.on = 1'b0;
                end else if (ackn_i == e_q.una && outstanding) begin
                  if (e_q.duplicates != '1) e.duplicates = e_q.duplicates + 9'd1;
                  if (e.duplicates == 9'(cfg_duplicate_acks_i) && !e_q.recovering) begin
                    notes[rnic_pkg::NoteFastRetransmissions] = 1'b1;
                    recover = 1'b1;
                  end
                end
              end
            end
          end else if (is_data) begin
            if (hit_i && (other_operation || e_q.phase == rnic_pkg::PhaseReleasing)) begin
              notes[rnic_pkg::NoteStale] = 1'b1;
            end else if (frame_read) begin
              if (!hit_i) begin
                notes[rnic_pkg::NoteStale] = 1'b1;
              end else begin
                accept = 1'b1;
                if (inside_region) begin
                  if (!e_q.established) begin  // such data is the missing REQ_ACK
                    e.established = 1'b1;
                    notes[rnic_pkg::NoteConnections] = 1'b1;
                    e.request_timer.on = 1'b0;
                    e.phase = rnic_pkg::PhaseTransferring;
                    tell = 1'b1;
                    simulated = 1'b1;
                  end
                  e.indirect = ctrl_i[drp_pkg::CtrlModeBit];
                  e.retries = '0;
                  e.data_timer = armed_data;
                  check_release = 1'b1;
                end
              end
            end else begin
              if (hit_i) e.idle_timer = armed_idle;
              if (hit_i && e_q.established) accept = 1'b1;
              else if (!ctrl_i[drp_pkg::CtrlModeBit] || !cfg_dynamic_i || (!hit_i && recent_i)) begin
                if (hit_i) notes[rnic_pkg::NoteNoRegion] = 1'b1;
                else notes[rnic_pkg::NoteStale] = 1'b1;
              end else begin
                keep = 1'b1;
              end
            end
          end else if (is_rel) begin
            if (!may_answer) begin
              notes[rnic_pkg::NoteStale] = 1'b1;
            end else begin
              notes[rnic_pkg::NoteReleaseAcksSent] = 1'b1;
              send_type[drp_pkg::CtrlRelAckBit] = 1'b1;
              send_own = 1'b1;
              notes[rnic_pkg::NoteStale] = !hit_i;  // its first answer may have been lost
              ended = hit_i;
              close = hit_i;
            end
          end else if (is_rel_ack) begin
            if (!hit_i || e_q.phase != rnic_pkg::PhaseReleasing) notes[rnic_pkg::NoteStale] = 1'b1;
            else close = 1'b1;
          end
        end
        transport_pkg::InputCommand: begin
          if (starts) begin
            present = !table_full_i;
            ask = !table_full_i;
            if (table_full_i) begin
              notes[rnic_pkg::NoteTableFull] = 1'b1;
              notes[rnic_pkg::NoteFailed] = 1'b1;
              event_code = rnic_pkg::EventFailed;
              event_status = rnic_pkg::ErrorTableFull;
              event_blank = 1'b1;
            end
          end else if (verdict) begin
            if (!hit_i || generation_i == '0 || e_q.generation != generation_i) begin
              // Given up while the host was busy: it is told so with the end of the entry.
              notes[rnic_pkg::NoteStale] = 1'b1;
            end else if (code_i == rnic_pkg::CommandRegistered) begin
              notes[rnic_pkg::NoteRequestAcksSent] = 1'b1;
              send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
              send_type[drp_pkg::CtrlValidBit] = 1'b1;
              if (!e_q.established) begin
                e.established = 1'b1;
                notes[rnic_pkg::NoteConnections] = 1'b1;
                e.phase = rnic_pkg::PhaseEstablished;
                e.idle_timer = armed_idle;
                if (!e_q.read && e_q.early_end != '0) begin
                  notes[rnic_pkg::NoteBulkDrains] = 1'b1;
                  drain = 1'b1;
                end else if (e_q.read && cfg_dynamic_i) begin
                  e.requests = 17'd1;
                  e.request_timer = armed_request;  // waits for "ready"
                end
              end
            end else if (e_q.phase == rnic_pkg::PhaseRegistering) begin
              e.phase = rnic_pkg::PhaseRefused;
              notes[rnic_pkg::NoteInvalidRequestAcksSent] = 1'b1;
              send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
            end
          end
        end
        transport_pkg::InputSent: begin
          e.in_path = e_q.in_path - 6'd1;
          check_release = (e_q.in_path == 6'd1);
        end
        transport_pkg::InputFetch: begin
          fetch = 1'b1;
          notes[rnic_pkg::NoteDataSent] = 1'b1;
          notes[rnic_pkg::NoteRetransmissions] = resends;
          e.in_path = e_q.in_path + 6'd1;
          e.resend = resends ? resend_from + 32'd1 : resend_from;
          if (!resends) e.next = e_q.next + 32'd1;
          if (!e_q.data_timer.on) e.data_timer = armed_data;
        end
        default: begin  // a timer
          if (idle_expired) begin
            if (e_q.phase == rnic_pkg::PhaseGivenUp) begin
              e.phase = rnic_pkg::PhaseFree;
            end else begin
              notes[rnic_pkg::NoteIdleTimeouts] = 1'b1;
              e.idle_timer.on = 1'b0;
              give_up = 1'b1;
            end
          end else if (request_expired) begin
            e.request_timer.on = 1'b0;
            notes[rnic_pkg::NoteRequestTimeouts] = 1'b1;
            if (!e_q.responder) begin
              e.timeouts = e_q.timeouts + 17'd1;
              if (e_q.requests >= 17'(cfg_max_requests_i)) begin
                close = 1'b1;
                error = rnic_pkg::ErrorRequestTimeout;
              end else begin
                ask = 1'b1;
                go_indirect = cfg_dynamic_i && !e_q.read && !e_q.sending && (e.timeouts >= 17'(cfg_indirect_after_i));
              end
            end else if (!e_q.sending) begin
              e.timeouts = e_q.timeouts + 17'd1;
              if (e.timeouts >= 17'(cfg_indirect_after_i)) begin
                notes[rnic_pkg::NoteWentIndirect] = 1'b1;
                e.sending = 1'b1;
                e.indirect = 1'b1;
              end else if (e.timeouts < 17'(cfg_max_requests_i)) begin
                notes[rnic_pkg::NoteRequestAcksSent] = 1'b1;
                send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
                send_type[drp_pkg::CtrlValidBit] = 1'b1;
                e.request_timer = armed_request;
              end
            end
          end else if (data_expired) begin
            e.data_timer.on = 1'b0;
            notes[rnic_pkg::NoteDataTimeouts] = 1'b1;
            // Before the connection is established the request budget decides how long to try, not the data.
            if (e_q.established) e.retries = e_q.retries + 17'd1;
            if (e_q.established && e_q.retries >= 17'(cfg_max_retransmissions_i)) begin
              close = 1'b1;
              error = rnic_pkg::ErrorDataTimeout;
            end else if (!sends_data) begin
              acknowledge = 1'b1;
              e.data_timer = armed_data;
            end else if (outstanding) begin
              e.duplicates = '0;
              recover = 1'b1;
              e.data_timer = armed_data;
            end
          end else if (e_q.release_timer.on) begin
            notes[rnic_pkg::NoteReleaseTimeouts] = 1'b1;
            e.retries = e_q.retries + 17'd1;
            if (e_q.retries >= 17'(cfg_max_retransmissions_i)) begin
              close = 1'b1;
              error = rnic_pkg::ErrorReleaseTimeout;
            end else begin
              notes[rnic_pkg::NoteReleasesSent] = 1'b1;
              send_type[drp_pkg::CtrlRelBit] = 1'b1;
              e.release_timer = armed_release;
            end
          end
        end
      endcase

      // Data: what is in the region of an established transfer goes to memory, the rest into the indirect buffer.
      if (accept && !inside_region) begin
        notes[rnic_pkg::NoteOutOfRegion] = 1'b1;
      end else if (keep && !can_keep) begin
        notes[rnic_pkg::NoteOutOfRegion] = 1'b1;
      end else if ((accept || keep) && beyond) begin
        notes[rnic_pkg::NoteOutOfWindow] = 1'b1;
      end else if ((accept || keep) && !new_frame) begin
        notes[rnic_pkg::NoteDuplicates] = 1'b1;
        acknowledge = hit_i;
      end else if (keep && buffer_full_i) begin
        notes[rnic_pkg::NoteBufferFull] = 1'b1;
      end else if (keep && !hit_i && table_full_i) begin
        notes[rnic_pkg::NoteTableFull] = 1'b1;
      end else if (accept || keep) begin
        present = 1'b1;
        acknowledge = 1'b1;
        e.received = with_frame >> run;
        e.expected = e_q.expected + 32'(run);
        if (accept) begin
          notes[rnic_pkg::NotePlacedDirect] = 1'b1;
          place_it = 1'b1;
        end else begin
          notes[rnic_pkg::NoteKeptIndirect] = 1'b1;
          keep_it = 1'b1;
          e.early_short = e_q.early_short || !whole_segment;
          if (frame_end > e_q.early_end) e.early_end = frame_end;
          if (!hit_i) e.idle_timer = armed_idle;
        end
      end

      if (ask) begin
        e.requests = e_q.requests + 17'd1;
        notes[rnic_pkg::NoteRequestsSent] = 1'b1;
        send_type[drp_pkg::CtrlReqBit] = 1'b1;
        e.request_timer = armed_request;
      end
      if (acknowledge) begin
        notes[rnic_pkg::NoteAcksSent] = 1'b1;
        send_type[drp_pkg::CtrlDataBit] = 1'b1;
      end
      send_type[drp_pkg::CtrlModeBit] = e.indirect && !send_own;
      if (go_indirect) begin
        notes[rnic_pkg::NoteWentIndirect] = 1'b1;
        e.sending = 1'b1;
        e.indirect = 1'b1;
        e.phase = rnic_pkg::PhaseTransferring;
        tell = 1'b1;
        simulated = 1'b1;
      end
      if (tell && !e_q.told) begin  // the real REQ_ACK or the simulated one, once a transfer
        e.told = 1'b1;
        event_code = rnic_pkg::EventRequestAcknowledged;
        event_status = 3'(simulated);
      end
      if (recover) begin
        e.recovering = 1'b1;
        e.recover = e_q.next;
        e.resend = e_q.una;
        e.resend_end = cfg_go_back_n_i ? e_q.next : e_q.una + 32'd1;
      end
      if (give_up) begin
        drop = (e_q.early_end != '0) && !e_q.established;
        if (e_q.phase == rnic_pkg::PhaseAwaitingRequest) begin
          e.phase = rnic_pkg::PhaseGivenUp;  // the host has never heard of it
          e.idle_timer = armed_idle;
        end else begin
          close = 1'b1;
          error = e_q.established ? rnic_pkg::ErrorDataTimeout : rnic_pkg::ErrorRequestTimeout;
        end
      end
      if (close) begin
        e.phase = rnic_pkg::PhaseClosing;
        e.error = error;
      end
      if (e.phase == rnic_pkg::PhaseClosing || e.phase == rnic_pkg::PhaseFree) begin
        e.request_timer.on = 1'b0;
        e.data_timer.on = 1'b0;
        e.release_timer.on = 1'b0;
        e.idle_timer.on = 1'b0;
      end
    end
  end

  // Step 7: what the entry has come to.
  logic all_through, releases, finishes, buries, closing;
  assign all_through = (product_q >= 43'(e_q.length));
  assign closing = (e_q.phase == rnic_pkg::PhaseClosing);
  assign finishes = present_q && closing && (e_q.in_path == '0);
  assign releases = present_q && check_release_q && !e_q.responder && (e_q.phase == rnic_pkg::PhaseTransferring) &&
                    e_q.established && all_through && (e_q.in_path == '0);
  assign buries = finishes && e_q.responder && (e_q.error != rnic_pkg::ErrorNone);  // its TID must not live again
  assign used_o = !finishes && (e_q.phase != rnic_pkg::PhaseFree) && (e_q.phase != rnic_pkg::PhaseGivenUp);
  assign open_o = buries || (!closing && (e_q.phase != rnic_pkg::PhaseFree));
  assign has_data_o = e_q.sending && used_o && open_o && !releases &&
                      (resends || (more_q < 43'(e_q.length) && in_flight < 32'(cfg_window_i)));

  // The timer that expires first, by how far it is ahead.
  logic [3:0] on;
  logic [31:0] request_ahead, data_ahead, release_ahead, idle_ahead, nearest;
  assign on = {e_q.idle_timer.on || buries, e_q.release_timer.on || releases, e_q.data_timer.on && !releases, e_q.request_timer.on};
  assign request_ahead = e_q.request_timer.deadline - end_i;
  assign data_ahead = e_q.data_timer.deadline - end_i;
  assign release_ahead = (releases ? armed_release.deadline : e_q.release_timer.deadline) - end_i;
  assign idle_ahead = (buries ? armed_idle.deadline : e_q.idle_timer.deadline) - end_i;
  always_comb begin
    nearest = 32'h7FFF_FFFF;
    if (on[0]) nearest = request_ahead;
    if (on[1] && $signed(data_ahead) < $signed(nearest)) nearest = data_ahead;
    if (on[2] && $signed(release_ahead) < $signed(nearest)) nearest = release_ahead;
    if (on[3] && $signed(idle_ahead) < $signed(nearest)) nearest = idle_ahead;
  end
  assign timer_o = (on != '0);
  assign deadline_o = end_i + nearest;

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
          if (is_data) product_q <= 43'(sn_i) * 43'(cfg_segment_i);
          else if (is_req_ack) product_q <= 43'(e_q.next) * 43'(cfg_segment_i);
          else if (is_rel) product_q <= 43'(e_q.expected) * 43'(cfg_segment_i);
          else product_q <= 43'(fetch_sn) * 43'(cfg_segment_i);
        end
        3'd5: begin
          e_q             <= e;
          if (e.generation != e_q.generation) generation_q <= e.generation;
          present_q       <= present;
          check_release_q <= check_release;
          notes_o         <= notes;
          send_o          <= (send_type[7:3] != '0);
          release_o       <= 1'b0;
          send_ctrl_o     <= send_type | ({7'd0, send_own ? frame_read : e.read} << drp_pkg::CtrlRwBit);
          send_len_o      <= about_request ? (send_own ? len_i : e.length) : '0;
          send_sn_o       <= about_request ? segment : '0;
          send_ackn_o     <= acknowledge ? e.expected : '0;
          send_sba_o      <= send_own ? sba_i : e.sba;
          send_dba_o      <= send_own ? dba_i : e.dba;
          place_o         <= place_it;
          keep_o          <= keep_it;
          drain_o         <= drain;
          drop_o          <= drop;
          fetch_o         <= fetch;
          address_o       <= base + 64'(product_q);
          bytes_o         <= fetch ? full_payload : len_i;
          sn_o            <= fetch ? fetch_sn : sn_i;
          ended_o         <= ended;
          event_o         <= event_code;
          event_status_o  <= event_status;
          event_blank_o   <= event_blank;
        end
        3'd6: begin
          product_q <= {11'd0, sends_data ? e_q.una : e_q.expected} * 43'(cfg_segment_i);
          more_q    <= 43'(e_q.next) * 43'(cfg_segment_i);
        end
        3'd7: begin
          if (releases) begin
            e_q.phase                             <= rnic_pkg::PhaseReleasing;
            e_q.sending                           <= 1'b0;
            e_q.retries                           <= '0;
            e_q.data_timer.on                     <= 1'b0;
            e_q.release_timer                     <= armed_release;
            notes_o[rnic_pkg::NoteReleasesSent] <= 1'b1;
            release_o                             <= 1'b1;
          end
          if (finishes) begin
            e_q.phase      <= buries ? rnic_pkg::PhaseGivenUp : rnic_pkg::PhaseFree;
            if (buries) e_q.idle_timer <= armed_idle;
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

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else if (step_i == 3'd7) begin
      a_window : assert (in_flight <= 32'(cfg_window_i));
      a_acknowledged_was_sent : assert (e_q.una <= e_q.next);
      a_one_data_action : assert (3'(place_o) + 3'(keep_o) + 3'(fetch_o) <= 3'd1);
      a_only_dynamic_keeps : assert (cfg_dynamic_i || !keep_o);
      a_no_second_event : assert (!(finishes && event_o != rnic_pkg::EventNone));
      a_entry_is_in_use : assert (!present_q || e_q.phase != rnic_pkg::PhaseFree || notes_o != '0 || input_i == transport_pkg::InputTimer);
    end
  end
endmodule

`default_nettype wire
