// SPDX-License-Identifier: Apache-2.0
// What a command of the host leads to: a start (PROTOCOL.md 3.1), or the verdict on a registration (3.7, 3.8, 6.3).
`default_nettype none

module decide_command (
    input  logic                     decide_i,   // step 5
    input  transport_pkg::config_t   cfg_i,
    input  transport_pkg::input_t    in_i,
    input  transport_pkg::facts_t    facts_i,
    input  transport_pkg::entry_t    entry_i,    // the entry in hand
    input  logic                     starts_i,   // a write or a read begins
    input  logic                     verdict_i,  // the host has registered the region, or has not
    output transport_pkg::decision_t decision_o
);
  transport_pkg::decision_t d;
  always_comb begin
    d = '0;
    if (decide_i) begin
      d.entry = entry_i;
      if (starts_i) begin
        d.present = !in_i.table_full;
        d.ask = !in_i.table_full;
        if (in_i.table_full) begin
          d.notes[rnic_pkg::NoteTableFull] = 1'b1;
          d.notes[rnic_pkg::NoteFailed] = 1'b1;
          d.event_code = rnic_pkg::EventFailed;
          d.event_status = rnic_pkg::ErrorTableFull;
          d.event_blank = 1'b1;
        end
      end else if (verdict_i) begin
        if (!in_i.hit || !facts_i.same_life) begin
          // Given up while the host was busy: the end of the entry has reported it.
          d.notes[rnic_pkg::NoteStale] = 1'b1;
        end else if (in_i.code == rnic_pkg::CommandRegistered) begin
          d.notes[rnic_pkg::NoteRequestAcksSent] = 1'b1;
          d.send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
          d.send_type[drp_pkg::CtrlValidBit] = 1'b1;
          if (!entry_i.established) begin
            d.entry.established = 1'b1;
            d.notes[rnic_pkg::NoteConnections] = 1'b1;
            d.entry.phase = rnic_pkg::PhaseEstablished;
            d.entry.idle_timer = facts_i.armed_idle;
            if (!entry_i.read && entry_i.early_end != '0) begin
              d.notes[rnic_pkg::NoteBulkDrains] = 1'b1;
              d.drain = 1'b1;
            end else if (entry_i.read && cfg_i.dynamic) begin
              d.entry.requests = 17'd1;
              d.entry.request_timer = facts_i.armed_request;  // waits for "ready"
            end
          end
        end else if (entry_i.phase == rnic_pkg::PhaseRegistering) begin
          d.entry.phase = rnic_pkg::PhaseRefused;
          d.notes[rnic_pkg::NoteInvalidRequestAcksSent] = 1'b1;
          d.send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
        end
      end
    end
  end
  assign decision_o = d;
endmodule

`default_nettype wire
