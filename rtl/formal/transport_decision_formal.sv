// SPDX-License-Identifier: Apache-2.0
// At most a window of frames is outstanding, never more than 8; every acknowledged SN was placed or kept, and not dropped since.
// prove: search 6
// long: search
// solver: minisat
// cut: u_decision.place_q
// cut: u_decision.end_q
// cut: u_decision.whole_q
// cut: u_decision.una_place
// cut: u_decision.next_place
// cut: u_decision.other_place
// cut: u_decision.acknowledged_q
// cut: u_decision.through_with_frame_q
// cut: u_decision.more_q
// cut: u_decision.u_facts.next_in_range
// cut: u_decision.u_facts.una_in_range
// cut: u_decision.u_facts.expected_in_range
// cut: u_decision.u_facts.inside_region
// cut: u_decision.u_facts.can_keep
// cut: u_decision.u_facts.request_fits
// cut: u_decision.u_facts.in_range
// cut: u_decision.u_facts.request_overdue
// cut: u_decision.u_facts.data_overdue
//
// One decision about one entry, from any state of the registers and any entry that satisfies the invariant: it leaves one that
// satisfies it again. What an entry begins with (no hit) satisfies it, so that all do, after any number of decisions: the search
// over one decision is the induction over decisions. Entries do not touch each other: a decision writes the one in hand. The
// products of sequence number and segment, and what is compared with them, are cut: they may be anything, which is more than can
// happen.
`default_nettype none

module transport_decision_formal (
    input logic clk_i
);
  // A decision: steps 3 to 7. In step 0 what it has come to is looked at.
  logic [2:0] step_q = 3'd3;
  always_ff @(posedge clk_i) if (step_q != '0) step_q <= step_q + 3'd1;

  // Whatever stands still while a decision is made: transport_controller.sv.
  transport_pkg::config_t cfg;
  transport_pkg::input_t in;
  logic [transport_pkg::EntryBits-1:0] word;
  // The entry's flag in the table that it has data to send.
  logic has_data_before;

  transport_pkg::entry_t before, after;
  logic write, has_data, used, open, send, place, keep, drop, fetch, has_data_q, found_q;
  logic [7:0] send_ctrl;
  logic [31:0] send_ackn, sn_out, data_overdue;
  logic [rnic_pkg::Notes-1:0] notes;
  assign before = word;
  transport_decision u_decision (
      .clk_i,
      .rst_ni                  (1'b1),
      .step_i                  (step_q),
      .cfg_i                   (cfg),
      .in_i                    (in),
      .entry_i                 (before),
      .entry_o                 (after),
      .write_o                 (write),
      .has_data_o              (has_data),
      .used_o                  (used),
      .open_o                  (open),
      .notes_o                 (notes),
      .send_o                  (send),
      .send_ctrl_o             (send_ctrl),
      .send_ackn_o             (send_ackn),
      .place_o                 (place),
      .keep_o                  (keep),
      .drop_o                  (drop),
      .fetch_o                 (fetch),
      .sn_o                    (sn_out)
  );

  // Shadow: whether the frame with one SN, whichever, is in memory or in the indirect buffer.
  logic [31:0] some_sn;
  logic stored_before;
  logic from_table, stored, acknowledges;
  assign from_table = (in.kind == transport_pkg::InputSent) || (in.kind == transport_pkg::InputFetch) || (in.kind == transport_pkg::InputTimer) || in.hit;
  assign stored = !drop && ((from_table && stored_before) || ((place || keep) && sn_out == some_sn));
  assign acknowledges = send && send_ctrl[drp_pkg::CtrlDataBit];
  assign data_overdue = in.end_cycle - before.data_timer.deadline;

  // Any value, the same in all cycles: registers without a reset that keep what they have.
  always_ff @(posedge clk_i) begin
    cfg <= cfg;
    in <= in;
    word <= word;
    has_data_before <= has_data_before;
    some_sn <= some_sn;
    stored_before <= stored_before;
  end

  logic sender_before, sender_after, flag_before, flag_after, receiver_before, receiver_after, closed_before, closed_after;
  logic quiet_before, quiet_after;
  entry_invariant u_before (
      .entry_i   (before),
      .window_i  (cfg.window),
      .sn_i      (some_sn),
      .stored_i  (stored_before),
      .sender_o  (sender_before),
      .may_send_o(flag_before),
      .receiver_o(receiver_before),
      .quiet_o   (quiet_before),
      .closed_o  (closed_before)
  );
  entry_invariant u_after (
      .entry_i   (after),
      .window_i  (cfg.window),
      .sn_i      (some_sn),
      .stored_i  (stored),
      .sender_o  (sender_after),
      .may_send_o(flag_after),
      .receiver_o(receiver_after),
      .quiet_o   (quiet_after),
      .closed_o  (closed_after)
  );

  always_ff @(posedge clk_i) begin
    if (step_q == 3'd7) begin
      has_data_q <= has_data;
      found_q    <= used && open;
    end
  end

  // Whose entry a frame is about: transport_controller.sv.
  logic to_responder;
  assign to_responder = in.ctrl[drp_pkg::CtrlDataBit] ? in.ctrl[drp_pkg::CtrlRwBit] == (in.len == '0)
                                                   : in.ctrl[drp_pkg::CtrlReqBit] || in.ctrl[drp_pkg::CtrlRelBit];

  always_comb begin
    // Legal configuration: a_window_is_legal, a_segment_is_legal of transport_controller.sv.
    assume (cfg.window >= 4'd1 && cfg.window <= 4'd8 && cfg.segment != '0);
    assume (in.kind <= transport_pkg::InputTimer);
    // Exactly one type: drp_frame_filter, proved in drp_frame_filter_formal.sv.
    assume ((in.ctrl[7:3] & (in.ctrl[7:3] - 5'd1)) == '0);
    // Of the table: hits are used and open (a_found); only what has data is fetched, and its flag was written with the entry; no
    // timer runs of what is not open (connection_table.sv).
    assume (!from_table || (sender_before && receiver_before && quiet_before));
    assume (!has_data_before || flag_before);
    assume (in.kind != transport_pkg::InputFetch || has_data_before);
    assume (!(in.hit || in.kind == transport_pkg::InputFetch) || !closed_before);
    assume (in.kind != transport_pkg::InputTimer || before.phase != rnic_pkg::PhaseClosing);
    // Entries are found by role and TID.
    assume (!(in.hit && in.kind == transport_pkg::InputFrame) || before.responder == to_responder);
    // An entry is not freed before its frames have left.
    assume (!from_table || before.phase != rnic_pkg::PhaseFree);
    if (step_q == '0) begin
      a_window : assert (!write || after.next - after.una <= 32'(cfg.window));
      a_sender : assert (!write || sender_after);
      a_flag : assert (!write || !has_data_q || after.next == '1 || flag_after);
      a_sent_in_window : assert (!fetch || sn_out - after.una < 32'(cfg.window));
      a_receiver : assert (!write || receiver_after);
      a_quiet : assert (!write || quiet_after);
      // What indirect_buffer_formal.sv and connection_table_formal.sv assume: nothing goes where there is no room.
      a_keeps_where_there_is_room : assert (!keep || !in.buffer_full);
      a_entry_where_there_is_room : assert (!write || from_table || !in.table_full);
      a_found : assert (!write || found_q == !closed_after);
      // Direct data is never kept: its place is in a region, or nowhere.
      a_only_indirect_is_kept : assert (!keep || in.ctrl[drp_pkg::CtrlModeBit]);
      // A verdict establishes the life of the TID that it is on.
      a_verdict : assert (!(in.kind == transport_pkg::InputCommand && notes[rnic_pkg::NoteConnections]) ||
                          (in.generation == before.generation && in.generation != '0));
      // A timer that is due is seen, wherever the count of cycles comes round.
      a_data_timer : assert (in.kind != transport_pkg::InputTimer || !before.data_timer.on || before.idle_timer.on ||
                             before.request_timer.on || notes[rnic_pkg::NoteDataTimeouts] == !data_overdue[31]);
      a_acknowledged_was_stored : assert (!acknowledges || send_ackn <= some_sn || stored);
    end
    c_full_window : cover (step_q == '0 && write && fetch && cfg.window == 4'd8 && after.next - after.una == 32'd8);
    c_acknowledged : cover (step_q == '0 && acknowledges && keep && send_ackn == some_sn + 32'd3);
  end
endmodule

// What holds of every entry, before a decision and after it.
module entry_invariant (
    input  transport_pkg::entry_t entry_i,
    input  logic [ 3:0]           window_i,
    input  logic [31:0]           sn_i,
    input  logic                  stored_i,    // the frame with this SN is in memory or in the indirect buffer
    output logic                  sender_o,
    output logic                  may_send_o,  // if it is said to have data to send
    output logic                  receiver_o,
    output logic                  quiet_o,     // before its request and once it is over it has its idle timer at most
    output logic                  closed_o     // the table does not find it
);
  logic [31:0] in_flight, from, ahead;
  assign in_flight = entry_i.next - entry_i.una;
  assign from = (entry_i.resend > entry_i.una) ? entry_i.resend : entry_i.una;
  assign ahead = sn_i - entry_i.expected;
  assign sender_o = (entry_i.una <= entry_i.next) && (in_flight <= 32'(window_i)) && (entry_i.resend_end <= entry_i.next) &&
                    (entry_i.recover <= entry_i.next);
  assign may_send_o = entry_i.sending && ((from < entry_i.resend_end) ||
                                          (in_flight < 32'(window_i) && entry_i.next != '1));
  assign closed_o = (entry_i.phase == rnic_pkg::PhaseClosing) || (entry_i.phase == rnic_pkg::PhaseGivenUp) ||
                    (entry_i.phase == rnic_pkg::PhaseFree);
  logic unasked;
  assign unasked = (entry_i.phase == rnic_pkg::PhaseAwaitingRequest);
  assign quiet_o = !((unasked || closed_o) && (entry_i.request_timer.on || entry_i.data_timer.on || entry_i.release_timer.on)) &&
                   !(unasked && (!entry_i.responder || entry_i.established || entry_i.sending));
  // What is expected no more, or is marked as received, is stored.
  assign receiver_o = closed_o || stored_i || (sn_i >= entry_i.expected && !(ahead < 32'd8 && entry_i.received[ahead[2:0]]));
endmodule

`default_nettype wire
