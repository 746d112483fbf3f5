// SPDX-License-Identifier: Apache-2.0
// Step 7 of a decision, what the entry has come to: REL if the data phase is over (PROTOCOL.md 3.13), its end (3.18, 3.20), and its
// status in the table: is there more to send (4.1), and which timer expires first.
`default_nettype none

module decision_end (
    input  transport_pkg::config_t cfg_i,
    input  transport_pkg::input_t  in_i,
    input  transport_pkg::facts_t  facts_i,
    input  transport_pkg::entry_t  entry_i,          // the entry in hand
    input  logic                   present_i,        // there is an entry in hand
    input  logic                   check_release_i,  // the data phase may be over
    input  logic [42:0]            product_i,        // place of the next expected frame
    input  logic [42:0]            more_i,           // place of the next frame to send
    output logic                   releases_o,       // REL is sent
    output logic                   finishes_o,       // the entry ends
    output logic                   remembers_o,         // ... and its TID must not live again
    output logic                   used_o,
    output logic                   open_o,
    output logic                   has_data_o,
    output logic                   timer_o,
    output logic [31:0]            deadline_o
);
  logic all_through, closing;
  assign all_through = (product_i >= 43'(entry_i.length));
  assign closing = (entry_i.phase == rnic_pkg::PhaseClosing);
  assign finishes_o = present_i && closing && (entry_i.in_path == '0);
  assign releases_o = present_i && check_release_i && !entry_i.responder && (entry_i.phase == rnic_pkg::PhaseTransferring) &&
                      entry_i.established && all_through && (entry_i.in_path == '0);
  assign remembers_o = finishes_o && entry_i.responder && (entry_i.error != rnic_pkg::ErrorNone);
  assign used_o = !finishes_o && (entry_i.phase != rnic_pkg::PhaseFree) && (entry_i.phase != rnic_pkg::PhaseGivenUp);
  assign open_o = remembers_o || (!closing && (entry_i.phase != rnic_pkg::PhaseFree));
  assign has_data_o = entry_i.sending && used_o && open_o && !releases_o &&
                      (facts_i.resends || (more_i < 43'(entry_i.length) && facts_i.in_flight < 32'(cfg_i.window)));

  // The timer that expires first, by how far it is ahead.
  logic [3:0] on;
  logic [31:0] request_ahead, data_ahead, release_ahead, idle_ahead, nearest;
  assign on = {entry_i.idle_timer.on || remembers_o, entry_i.release_timer.on || releases_o, entry_i.data_timer.on && !releases_o,
               entry_i.request_timer.on};
  assign request_ahead = entry_i.request_timer.deadline - in_i.end_cycle;
  assign data_ahead = entry_i.data_timer.deadline - in_i.end_cycle;
  assign release_ahead = (releases_o ? facts_i.armed_release.deadline : entry_i.release_timer.deadline) - in_i.end_cycle;
  assign idle_ahead = (remembers_o ? facts_i.armed_idle.deadline : entry_i.idle_timer.deadline) - in_i.end_cycle;
  always_comb begin
    nearest = 32'h7FFF_FFFF;
    if (on[0]) nearest = request_ahead;
    if (on[1] && $signed(data_ahead) < $signed(nearest)) nearest = data_ahead;
    if (on[2] && $signed(release_ahead) < $signed(nearest)) nearest = release_ahead;
    if (on[3] && $signed(idle_ahead) < $signed(nearest)) nearest = idle_ahead;
  end
  assign timer_o = (on != '0);
  assign deadline_o = in_i.end_cycle + nearest;
endmodule

`default_nettype wire
