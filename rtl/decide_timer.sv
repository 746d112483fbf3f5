// SPDX-License-Identifier: Apache-2.0
// What an expired timer leads to, the first of idle, request, data and release timer: PROTOCOL.md 3.2, 3.9, 3.14, 4.7 to 4.9, 5.3,
// 5.4, 5.7.
`default_nettype none

module decide_timer (
    input  logic                     decide_i,   // step 5
    input  transport_pkg::config_t   cfg_i,
    input  transport_pkg::facts_t    facts_i,
    input  transport_pkg::entry_t    entry_i,    // the entry in hand
    output transport_pkg::decision_t decision_o
);
  transport_pkg::decision_t d;
  always_comb begin
    d = '0;
    if (decide_i) begin
      d.entry = entry_i;
      if (facts_i.idle_expired) begin
        if (entry_i.phase == rnic_pkg::PhaseGivenUp) begin
          d.entry.phase = rnic_pkg::PhaseFree;
        end else begin
          d.notes[rnic_pkg::NoteIdleTimeouts] = 1'b1;
          d.entry.idle_timer.on = 1'b0;
          d.give_up = 1'b1;
        end
      end else if (facts_i.request_expired) begin
        d.entry.request_timer.on = 1'b0;
        d.notes[rnic_pkg::NoteRequestTimeouts] = 1'b1;
        if (!entry_i.responder) begin
          d.entry.timeouts = entry_i.timeouts + 17'd1;
          if (entry_i.requests >= 17'(cfg_i.max_requests)) begin
            d.close = 1'b1;
            d.error = rnic_pkg::ErrorRequestTimeout;
          end else begin
            d.ask = 1'b1;
            d.go_indirect = cfg_i.dynamic && !entry_i.read && !entry_i.sending && (d.entry.timeouts >= 17'(cfg_i.indirect_after));
          end
        end else if (!entry_i.sending) begin
          d.entry.timeouts = entry_i.timeouts + 17'd1;
          if (d.entry.timeouts >= 17'(cfg_i.indirect_after)) begin
            d.notes[rnic_pkg::NoteWentIndirect] = 1'b1;
            d.entry.sending = 1'b1;
            d.entry.indirect = 1'b1;
          end else if (d.entry.timeouts < 17'(cfg_i.max_requests)) begin
            d.notes[rnic_pkg::NoteRequestAcksSent] = 1'b1;
            d.send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
            d.send_type[drp_pkg::CtrlValidBit] = 1'b1;
            d.entry.request_timer = facts_i.armed_request;
          end
        end
      end else if (facts_i.data_expired) begin
        d.entry.data_timer.on = 1'b0;
        d.notes[rnic_pkg::NoteDataTimeouts] = 1'b1;
        // Before the connection is established the request budget decides how long to try, not the data.
        if (entry_i.established) d.entry.retries = entry_i.retries + 17'd1;
        if (entry_i.established && entry_i.retries >= 17'(cfg_i.max_retransmissions)) begin
          d.close = 1'b1;
          d.error = rnic_pkg::ErrorDataTimeout;
        end else if (!facts_i.sends_data) begin
          d.acknowledge = 1'b1;
          d.entry.data_timer = facts_i.armed_data;
        end else if (facts_i.outstanding) begin
          d.entry.duplicates = '0;
          d.recover = 1'b1;
          d.entry.data_timer = facts_i.armed_data;
        end
      end else if (entry_i.release_timer.on) begin
        d.notes[rnic_pkg::NoteReleaseTimeouts] = 1'b1;
        d.entry.retries = entry_i.retries + 17'd1;
        if (entry_i.retries >= 17'(cfg_i.max_retransmissions)) begin
          d.close = 1'b1;
          d.error = rnic_pkg::ErrorReleaseTimeout;
        end else begin
          d.notes[rnic_pkg::NoteReleasesSent] = 1'b1;
          d.send_type[drp_pkg::CtrlRelBit] = 1'b1;
          d.entry.release_timer = facts_i.armed_release;
        end
      end
    end
  end
  assign decision_o = d;
endmodule

`default_nettype wire
