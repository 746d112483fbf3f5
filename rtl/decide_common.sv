// SPDX-License-Identifier: Apache-2.0
// What all inputs share, from the entry as the input leaves it. In this order:
//
//   data        in the region, in the buffer, or dropped   PROTOCOL.md 3.12, 4.1, 4.2, 6.1, 6.2, 6.4, 6.6
//   ask         send REQ                                   PROTOCOL.md 3.1, 3.2
//   acknowledge                                            PROTOCOL.md 4.2
//   indirect    begin to send before the REQ_ACK           PROTOCOL.md 5.2, 5.3
//   report      the REQ_ACK, once a transfer               PROTOCOL.md 3.4, 5.8
//   recover     send again what is outstanding             PROTOCOL.md 4.4, 4.5, 4.7
//   give up     the idle timer has expired                 PROTOCOL.md 3.9, 3.20
//   close       the transfer ends                          PROTOCOL.md 3.18
`default_nettype none

module decide_common (
    input  logic                     decide_i,    // step 6
    input  transport_pkg::config_t   cfg_i,
    input  transport_pkg::input_t    in_i,
    input  transport_pkg::facts_t    facts_i,
    input  transport_pkg::entry_t    entry_i,     // the entry in hand
    input  transport_pkg::decision_t decision_i,  // by the input
    output transport_pkg::decision_t decision_o
);
  transport_pkg::decision_t d;
  always_comb begin
    d = '0;
    if (decide_i) begin
      d = decision_i;

      // Data: what is in the region of an established transfer goes to memory, the rest into the indirect buffer.
      if (d.accept && !facts_i.inside_region) begin
        d.notes[rnic_pkg::NoteOutOfRegion] = 1'b1;
      end else if (d.keep && !facts_i.can_keep) begin
        d.notes[rnic_pkg::NoteOutOfRegion] = 1'b1;
      end else if ((d.accept || d.keep) && facts_i.beyond) begin
        d.notes[rnic_pkg::NoteOutOfWindow] = 1'b1;
      end else if ((d.accept || d.keep) && !facts_i.new_frame) begin
        d.notes[rnic_pkg::NoteDuplicates] = 1'b1;
        d.acknowledge = in_i.hit;
      end else if (d.keep && in_i.buffer_full) begin
        d.notes[rnic_pkg::NoteBufferFull] = 1'b1;
      end else if (d.keep && !in_i.hit && in_i.table_full) begin
        d.notes[rnic_pkg::NoteTableFull] = 1'b1;
      end else if (d.accept || d.keep) begin
        d.present = 1'b1;
        d.acknowledge = 1'b1;
        d.entry.received = facts_i.with_frame >> facts_i.run;
        d.entry.expected = entry_i.expected + 32'(facts_i.run);
        if (d.accept) begin
          d.notes[rnic_pkg::NotePlacedDirect] = 1'b1;
          d.place = 1'b1;
        end else begin
          d.notes[rnic_pkg::NoteKeptIndirect] = 1'b1;
          d.store = 1'b1;
          d.entry.early_short = entry_i.early_short || !facts_i.whole_segment;
          if (facts_i.frame_end > entry_i.early_end) d.entry.early_end = facts_i.frame_end;
          if (!in_i.hit) d.entry.idle_timer = facts_i.armed_idle;
        end
      end

      if (d.ask) begin
        d.entry.requests = entry_i.requests + 17'd1;
        d.notes[rnic_pkg::NoteRequestsSent] = 1'b1;
        d.send_type[drp_pkg::CtrlReqBit] = 1'b1;
        d.entry.request_timer = facts_i.armed_request;
      end
      if (d.acknowledge) begin
        d.notes[rnic_pkg::NoteAcksSent] = 1'b1;
        d.send_type[drp_pkg::CtrlDataBit] = 1'b1;
      end
      d.send_type[drp_pkg::CtrlModeBit] = d.entry.indirect && !d.send_own;
      if (d.go_indirect) begin
        d.notes[rnic_pkg::NoteWentIndirect] = 1'b1;
        d.entry.sending = 1'b1;
        d.entry.indirect = 1'b1;
        d.entry.phase = rnic_pkg::PhaseTransferring;
        d.report = 1'b1;
        d.simulated = 1'b1;
      end
      if (d.report && !entry_i.reported) begin  // the real REQ_ACK or the simulated one, once a transfer
        d.entry.reported = 1'b1;
        d.event_code = rnic_pkg::EventRequestAcknowledged;
        d.event_status = 3'(d.simulated);
      end
      if (d.recover) begin
        d.entry.recovering = 1'b1;
        d.entry.recover = entry_i.next;
        d.entry.resend = entry_i.una;
        d.entry.resend_end = cfg_i.go_back_n ? entry_i.next : entry_i.una + 32'd1;
      end
      if (d.give_up) begin
        d.drop = (entry_i.early_end != '0) && !entry_i.established;
        if (entry_i.phase == rnic_pkg::PhaseAwaitingRequest) begin
          d.entry.phase = rnic_pkg::PhaseGivenUp;  // the host has never heard of it
          d.entry.idle_timer = facts_i.armed_idle;
        end else begin
          d.close = 1'b1;
          d.error = entry_i.established ? rnic_pkg::ErrorDataTimeout : rnic_pkg::ErrorRequestTimeout;
        end
      end
      if (d.close) begin
        d.entry.phase = rnic_pkg::PhaseClosing;
        d.entry.error = d.error;
      end
      if (d.entry.phase == rnic_pkg::PhaseClosing || d.entry.phase == rnic_pkg::PhaseFree) begin
        d.entry.request_timer.on = 1'b0;
        d.entry.data_timer.on = 1'b0;
        d.entry.release_timer.on = 1'b0;
        d.entry.idle_timer.on = 1'b0;
      end
    end
  end
  assign decision_o = d;
endmodule

`default_nettype wire
