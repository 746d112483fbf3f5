// SPDX-License-Identifier: Apache-2.0
// What a decision's input and its entry say of each other: where a frame lies, whether it is new and fits, which timer has expired.
// In step 4; 0 in the others, which do not use it: that keeps simulation fast. Everything is compared with the entry at once, nothing
// with what another comparison has found: a path has one carry chain, or a sum and what it is compared with.
`default_nettype none

module decision_facts (
    input  logic                   enable_i,    // step 4
    input  transport_pkg::config_t cfg_i,
    input  transport_pkg::input_t  in_i,
    input  transport_pkg::entry_t  entry_i,     // the entry in hand
    // Places of frames, in bytes
    input  logic [42:0]            place_i,     // of the frame's SN, or of its ACKN
    input  logic [42:0]            end_i,       // ... and its end
    input  logic [42:0]            whole_i,     // ... and the end of a whole segment there
    input  logic [42:0]            una_i,       // ... of the oldest one that is not acknowledged
    input  logic [42:0]            next_i,      // ... of the next one that was never sent
    input  logic [42:0]            expected_i,  // ... of the next one that is expected
    output transport_pkg::facts_t  facts_o
);
  // By the sign of the difference: a comparison that has to know whether two numbers are equal takes as long again.
  function automatic logic below(input logic [42:0] one, input logic [42:0] other);
    logic [43:0] difference;
    difference = {1'b0, one} - {1'b0, other};
    below = difference[43];
  endfunction

  // Names of their own for what the proofs cut (rtl/formal/transport_decision_formal.sv).
  logic [31:0] segment, resend_from, fetch_sn, in_flight, ahead, frame_end;
  logic resends, resend_above, outstanding, sends_data, frame_read, other_operation, whole_segment, full, inside_region;
  logic in_range, una_in_range, next_in_range, expected_in_range, ackn_sent;
  logic duplicate, behind, beyond, unwanted, new_frame, early_fits, can_keep, request_fits, segment_agrees, same_life, same_region, may_answer;
  logic [7:0] with_frame;
  logic [3:0] run;  // frames in a row from the expected one on
  logic idle_expired, request_expired, data_expired;
  logic [31:0] idle_overdue, request_overdue, data_overdue;
  always_comb begin
    segment = '0;
    resend_from = '0;
    fetch_sn = '0;
    in_flight = '0;
    ahead = '0;
    frame_end = '0;
    resends = '0;
    resend_above = '0;
    outstanding = '0;
    sends_data = '0;
    frame_read = '0;
    other_operation = '0;
    in_range = '0;
    una_in_range = '0;
    next_in_range = '0;
    expected_in_range = '0;
    ackn_sent = '0;
    full = '0;
    whole_segment = '0;
    inside_region = '0;
    duplicate = '0;
    behind = '0;
    beyond = '0;
    unwanted = '0;
    new_frame = '0;
    early_fits = '0;
    can_keep = '0;
    request_fits = '0;
    segment_agrees = '0;
    same_life = '0;
    same_region = '0;
    may_answer = '0;
    with_frame = '0;
    run = '0;
    idle_expired = '0;
    request_expired = '0;
    data_expired = '0;
    idle_overdue = '0;
    request_overdue = '0;
    data_overdue = '0;
    if (enable_i) begin
      frame_read = in_i.ctrl[drp_pkg::CtrlRwBit];
      // Sender: the frame to send, and whether the window lets one go.
      segment = 32'(cfg_i.segment);
      resend_above = below(43'(entry_i.una), 43'(entry_i.resend));
      resend_from = resend_above ? entry_i.resend : entry_i.una;
      resends = below(43'(entry_i.resend), 43'(entry_i.resend_end)) && below(43'(entry_i.una), 43'(entry_i.resend_end));
      fetch_sn = resends ? resend_from : entry_i.next;
      in_flight = entry_i.next - entry_i.una;
      outstanding = (entry_i.una != entry_i.next);
      sends_data = (entry_i.responder == entry_i.read);
      ackn_sent = !below(43'(entry_i.next), 43'(in_i.ackn));
      una_in_range = below(una_i, 43'(entry_i.length));
      next_in_range = below(next_i, 43'(entry_i.length));

      // The frame: a whole segment, or what is left.
      other_operation = (entry_i.read != frame_read);
      in_range = below(place_i, 43'(entry_i.length));
      whole_segment = (in_i.len == segment);
      full = whole_segment ? !below(43'(entry_i.length), whole_i) : (end_i == 43'(entry_i.length) && below(43'(in_i.len), 43'(segment)));
      inside_region = full && (in_i.sba == entry_i.sba) && (in_i.dba == entry_i.dba);

      // Receiver: is the frame new, and how far are we with it.
      ahead = in_i.sn - entry_i.expected;
      behind = below(43'(in_i.sn), 43'(entry_i.expected));
      beyond = !behind && !below(43'(ahead), 43'(cfg_i.window));
      duplicate = behind || (!beyond && entry_i.received[ahead[2:0]]);
      unwanted = cfg_i.go_back_n && (ahead != '0);
      new_frame = !beyond && !duplicate && !unwanted;
      with_frame = entry_i.received | (8'd1 << ahead[2:0]);

      run = 4'd8;
      for (int i = 7; i >= 0; i--) if (!with_frame[i]) run = 4'(i);

      // Early data of a transfer whose length is not known yet.
      frame_end = end_i[31:0];
      if (below(43'(segment), 43'(in_i.len))) early_fits = 1'b0;
      else if (!in_i.hit) early_fits = 1'b1;
      else if (in_i.dba != entry_i.dba) early_fits = 1'b0;
      else if (whole_segment) begin
        early_fits = !entry_i.early_short || below(whole_i, 43'(entry_i.early_end));
      end else if (entry_i.early_short) begin
        early_fits = (end_i == 43'(entry_i.early_end));
      end else begin
        early_fits = !below(place_i, 43'(entry_i.early_end));
      end
      can_keep = (in_i.hit && entry_i.length != '0) ? full && (in_i.dba == entry_i.dba) : early_fits;
      request_fits = (entry_i.dba == in_i.dba) && (entry_i.early_short ? entry_i.early_end == in_i.len : !below(43'(in_i.len), 43'(entry_i.early_end)));
      segment_agrees = (in_i.sn == segment);
      same_life = (in_i.generation != '0) && (entry_i.generation == in_i.generation);
      same_region = (entry_i.length == '0) || (entry_i.length == in_i.len && entry_i.dba == in_i.dba);

      // Timers: the first that has expired. The idle timer is never held off by one that is shorter than a decision.
      idle_overdue = in_i.end_cycle - entry_i.idle_timer.deadline;
      request_overdue = in_i.end_cycle - entry_i.request_timer.deadline;
      data_overdue = in_i.end_cycle - entry_i.data_timer.deadline;
      idle_expired = entry_i.idle_timer.on && !idle_overdue[31];
      request_expired = entry_i.request_timer.on && !request_overdue[31];
      data_expired = entry_i.data_timer.on && !data_overdue[31];

      // REL: an answer says that a write's data is in memory (decide_release).
      expected_in_range = below(expected_i, 43'(entry_i.length));
      if (in_i.hit) may_answer = !other_operation && entry_i.established;
      else may_answer = frame_read ? !in_i.gave_up : in_i.released;
    end
  end

  always_comb begin
    facts_o = '0;
    if (enable_i) begin
      facts_o.armed_request = {1'b1, in_i.end_cycle + cfg_i.request_timer};
      facts_o.armed_data = {1'b1, in_i.end_cycle + cfg_i.data_timer};
      facts_o.armed_release = {1'b1, in_i.end_cycle + cfg_i.release_timer};
      facts_o.armed_idle = {1'b1, in_i.end_cycle + cfg_i.idle_timeout};
      facts_o.segment = segment;
      facts_o.resends = resends;
      facts_o.resend_above = resend_above;
      facts_o.una_in_range = una_in_range;
      facts_o.next_in_range = next_in_range;
      facts_o.expected_in_range = expected_in_range;
      facts_o.ackn_sent = ackn_sent;
      facts_o.resend_from = resend_from;
      facts_o.fetch_sn = fetch_sn;
      facts_o.in_flight = in_flight;
      facts_o.outstanding = outstanding;
      facts_o.sends_data = sends_data;
      facts_o.frame_read = frame_read;
      facts_o.other_operation = other_operation;
      facts_o.in_range = in_range;
      facts_o.whole_segment = whole_segment;
      facts_o.inside_region = inside_region;
      facts_o.beyond = beyond;
      facts_o.new_frame = new_frame;
      facts_o.with_frame = with_frame;
      facts_o.run = run;
      facts_o.frame_end = frame_end;
      facts_o.can_keep = can_keep;
      facts_o.request_fits = request_fits;
      facts_o.segment_agrees = segment_agrees;
      facts_o.same_life = same_life;
      facts_o.same_region = same_region;
      facts_o.may_answer = may_answer;
      facts_o.idle_expired = idle_expired;
      facts_o.request_expired = request_expired;
      facts_o.data_expired = data_expired;
    end
  end
endmodule

`default_nettype wire
