// SPDX-License-Identifier: Apache-2.0
// Step 7 of a decision, what the entry has come to: REL if the data phase is over (PROTOCOL.md 3.13), its end (3.18, 3.20), and its
// status in the table: is there more to send (4.1), and which timer expires first.
`default_nettype none

module decision_end (
    input  transport_pkg::config_t cfg_i,
    input  transport_pkg::facts_t  facts_i,
    input  transport_pkg::entry_t  entry_i,          // the entry in hand
    input  logic                   present_i,        // there is an entry in hand
    input  logic                   check_release_i,  // the data phase may be over
    input  logic                   through_i,        // all frames are acknowledged, or here
    input  logic                   more_i,           // there is a frame that was never sent
    // How far its deadlines are ahead
    input  logic [31:0]            request_ahead_i,
    input  logic [31:0]            data_ahead_i,
    input  logic [31:0]            release_ahead_i,
    input  logic [31:0]            idle_ahead_i,
    output logic                   releases_o,       // REL is sent
    output logic                   finishes_o,       // the entry ends
    output logic                   remembers_o,         // ... and its TID must not live again
    output logic                   used_o,
    output logic                   open_o,
    output logic                   has_data_o,
    output logic                   timer_o,
    output logic [31:0]            deadline_o
);
  // By the sign of the difference: a comparison that has to know whether two numbers are equal takes as long again.
  function automatic logic sooner(input logic [31:0] one, input logic [31:0] other);
    logic [32:0] difference;
    difference = {one[31], one} - {other[31], other};
    sooner = difference[32];
  endfunction
  function automatic logic below(input logic [31:0] one, input logic [31:0] other);
    logic [32:0] difference;
    difference = {1'b0, one} - {1'b0, other};
    below = difference[32];
  endfunction

  logic closing, resends;
  logic [3:0] in_flight;  // never more than a window, which is 8 at most
  assign resends = below(entry_i.resend, entry_i.resend_end) && below(entry_i.una, entry_i.resend_end);
  assign in_flight = entry_i.next[3:0] - entry_i.una[3:0];
  assign closing = (entry_i.phase == rnic_pkg::PhaseClosing);
  assign finishes_o = present_i && closing && (entry_i.in_path == '0);
  assign releases_o = present_i && check_release_i && !entry_i.responder && (entry_i.phase == rnic_pkg::PhaseTransferring) &&
                      entry_i.established && through_i && (entry_i.in_path == '0);
  assign remembers_o = finishes_o && entry_i.responder && (entry_i.error != rnic_pkg::ErrorNone);
  assign used_o = !finishes_o && (entry_i.phase != rnic_pkg::PhaseFree) && (entry_i.phase != rnic_pkg::PhaseGivenUp);
  assign open_o = remembers_o || (!closing && (entry_i.phase != rnic_pkg::PhaseFree));
  assign has_data_o = entry_i.sending && used_o && open_o && !releases_o &&
                      (resends || (more_i && in_flight < cfg_i.window));

  // The timer that expires first: each is compared with each, all at once. REL ends the data timer and begins its own; an entry
  // that is remembered has its idle timer alone.
  logic request_on, data_on, release_on, idle_on;
  logic data_request, release_request, release_data, idle_request, idle_data, idle_release;  // the one is before the other
  assign request_on = entry_i.request_timer.on;
  assign data_on = entry_i.data_timer.on && !releases_o;
  assign release_on = entry_i.release_timer.on || releases_o;
  assign idle_on = entry_i.idle_timer.on;
  assign data_request = sooner(data_ahead_i, request_ahead_i);
  assign idle_request = sooner(idle_ahead_i, request_ahead_i);
  assign idle_data = sooner(idle_ahead_i, data_ahead_i);
  assign release_data = sooner(release_ahead_i, data_ahead_i);
  assign release_request = releases_o ? sooner(cfg_i.release_timer, request_ahead_i) : sooner(release_ahead_i, request_ahead_i);
  assign idle_release = releases_o ? sooner(idle_ahead_i, cfg_i.release_timer) : sooner(idle_ahead_i, release_ahead_i);
  logic request_first, data_first, release_first;
  assign request_first = request_on && !(data_on && data_request) && !(release_on && release_request) && !(idle_on && idle_request);
  assign data_first = data_on && (!request_on || data_request) && !(release_on && release_data) && !(idle_on && idle_data);
  assign release_first = release_on && (!request_on || release_request) && (!data_on || release_data) &&
                         !(idle_on && idle_release);
  assign timer_o = request_on || data_on || release_on || idle_on || remembers_o;
  always_comb begin
    deadline_o = entry_i.idle_timer.deadline;
    if (remembers_o) deadline_o = facts_i.armed_idle.deadline;
    else if (request_first) deadline_o = entry_i.request_timer.deadline;
    else if (data_first) deadline_o = entry_i.data_timer.deadline;
    else if (release_first) deadline_o = releases_o ? facts_i.armed_release.deadline : entry_i.release_timer.deadline;
  end
endmodule

`default_nettype wire
