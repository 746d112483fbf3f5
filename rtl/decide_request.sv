// SPDX-License-Identifier: Apache-2.0
// What a REQ or a REQ_ACK leads to: PROTOCOL.md 3.3 to 3.6, 5.1, 5.2, 5.6, 6.7, 6.8.
`default_nettype none

module decide_request (
    input  logic                     decide_i,           // step 5
    input  transport_pkg::config_t   cfg_i,
    input  transport_pkg::input_t    in_i,
    input  transport_pkg::facts_t    facts_i,
    input  transport_pkg::entry_t    entry_i,            // the entry in hand
    input  logic                     req_i,              // a REQ; else a REQ_ACK
    input  logic [15:0]              next_generation_i,  // which life of its TID a transfer is that begins now
    output transport_pkg::decision_t decision_o
);
  transport_pkg::decision_t d;
  always_comb begin
    d = '0;
    if (decide_i) begin
      d.entry = entry_i;
      if (req_i) begin
        if (!facts_i.segment_agrees) begin
          d.notes[rnic_pkg::NoteSegmentMismatch] = 1'b1;
          d.notes[rnic_pkg::NoteInvalidRequestAcksSent] = 1'b1;
          d.send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
          d.send_own = 1'b1;
        end else if (!in_i.hit && in_i.recent) begin
          d.notes[rnic_pkg::NoteStale] = 1'b1;
        end else if (!in_i.hit && in_i.table_full) begin
          d.notes[rnic_pkg::NoteTableFull] = 1'b1;
        end else if (in_i.hit && (facts_i.other_operation || !facts_i.same_region)) begin
          d.notes[rnic_pkg::NoteStale] = 1'b1;
        end else begin
          d.present = 1'b1;
          d.entry.idle_timer = facts_i.armed_idle;
          if (entry_i.phase == rnic_pkg::PhaseAwaitingRequest || entry_i.phase == rnic_pkg::PhaseRefused) begin
            if (entry_i.early_end != '0 && entry_i.length == '0 && !facts_i.request_fits) begin
              d.notes[rnic_pkg::NoteOutOfRegion] = 1'b1;
              d.entry.early_end = '0;
              d.entry.expected = '0;
              d.entry.received = '0;
              d.drop = 1'b1;
            end
            d.entry.phase = rnic_pkg::PhaseRegistering;
            if (entry_i.generation == '0) begin
              d.entry.generation = next_generation_i;
              d.new_life = 1'b1;
            end
            d.entry.length = in_i.len;
            d.entry.sba = in_i.sba;
            d.entry.dba = in_i.dba;
            d.event_code = rnic_pkg::EventRegisterRegion;
          end else if (entry_i.phase == rnic_pkg::PhaseEstablished) begin
            d.notes[rnic_pkg::NoteRequestAcksSent] = 1'b1;
            d.send_type[drp_pkg::CtrlReqAckBit] = 1'b1;
            d.send_type[drp_pkg::CtrlValidBit] = 1'b1;
          end
        end
      end else begin  // REQ_ACK
        if (!in_i.hit || facts_i.other_operation) begin
          d.notes[rnic_pkg::NoteStale] = 1'b1;
        end else if (!in_i.ctrl[drp_pkg::CtrlValidBit]) begin
          if (!entry_i.established && cfg_i.dynamic) d.go_indirect = !entry_i.read && !entry_i.sending;
          else if (!entry_i.established) d.entry.request_timer = facts_i.armed_request;
        end else begin
          if (!entry_i.established) begin
            d.entry.established = 1'b1;
            d.notes[rnic_pkg::NoteConnections] = 1'b1;
            d.entry.request_timer.on = 1'b0;
            d.report = 1'b1;
            if (entry_i.read || !entry_i.sending) begin
              d.entry.phase = rnic_pkg::PhaseTransferring;
              if (!entry_i.read) begin
                d.entry.sending = 1'b1;
                d.entry.indirect = 1'b0;
              end
            end else begin
              d.notes[rnic_pkg::NoteRequestAckHidden] = 1'b1;
              // All that the window allows has been sent: the far indirect buffer is full.
              if (cfg_i.resume && facts_i.outstanding && !facts_i.resends &&
                !(facts_i.next_in_range && facts_i.in_flight < 32'(cfg_i.window))) begin
                d.notes[rnic_pkg::NoteResumed] = 1'b1;
                d.entry.duplicates = '0;
                d.entry.recovering = 1'b0;
                d.entry.resend = entry_i.una;
                d.entry.resend_end = entry_i.next;
                d.entry.retries = '0;
                d.entry.data_timer = facts_i.armed_data;
              end
            end
          end
          if (!entry_i.read) d.check_release = 1'b1;
          else begin
            d.acknowledge = 1'b1;
            if (d.entry.phase == rnic_pkg::PhaseTransferring) d.entry.data_timer = facts_i.armed_data;
          end
        end
      end
    end
  end
  assign decision_o = d;
endmodule

`default_nettype wire
