// SPDX-License-Identifier: Apache-2.0
// What a data frame or an acknowledgement leads to: PROTOCOL.md sections 4 and 6, 3.9, 5.7, 5.8. Whether the data is new and has
// room, and its acknowledgement: decide_common.
`default_nettype none

module decide_data (
    input  logic                     decide_i,   // step 5
    input  transport_pkg::config_t   cfg_i,
    input  transport_pkg::input_t    in_i,
    input  transport_pkg::facts_t    facts_i,
    input  transport_pkg::entry_t    entry_i,    // the entry in hand
    input  logic                     ack_i,      // an acknowledgement; else data
    output transport_pkg::decision_t decision_o
);
  transport_pkg::decision_t d;
  always_comb begin
    d = '0;
    if (decide_i) begin
      d.entry = entry_i;
      if (ack_i) begin
        if (!in_i.hit || facts_i.other_operation || (facts_i.frame_read ? !entry_i.established : !entry_i.sending)) begin
          d.notes[rnic_pkg::NoteStale] = 1'b1;
        end else begin
          if (entry_i.responder) d.entry.idle_timer = facts_i.armed_idle;
          if (!entry_i.sending) begin  // "ready"
            d.entry.sending = 1'b1;
            d.entry.indirect = 1'b0;
            d.entry.request_timer.on = 1'b0;
          end else begin
            d.check_release = 1'b1;
            if (in_i.ackn > entry_i.una && in_i.ackn <= entry_i.next) begin
              d.entry.una = in_i.ackn;
              d.entry.duplicates = '0;
              d.entry.retries = '0;
              if (in_i.ackn >= entry_i.recover) begin
                d.entry.recovering = 1'b0;
              end else if (entry_i.recovering && !cfg_i.go_back_n && entry_i.resend_end <= in_i.ackn) begin
                d.entry.resend = in_i.ackn;  // a partial acknowledgement uncovers the next hole
                d.entry.resend_end = in_i.ackn + 32'd1;
              end
              if (in_i.ackn != entry_i.next) d.entry.data_timer = facts_i.armed_data;
              else d.entry.data_timer.on = 1'b0;
            end else if (in_i.ackn == entry_i.una && facts_i.outstanding) begin
              if (entry_i.duplicates != '1) d.entry.duplicates = entry_i.duplicates + 9'd1;
              if (entry_i.duplicates + 10'd1 == 10'(cfg_i.duplicate_acks) && !entry_i.recovering) begin
                d.notes[rnic_pkg::NoteFastRetransmissions] = 1'b1;
                d.recover = 1'b1;
              end
            end
          end
        end
      end else begin  // DATA
        if (in_i.hit && (facts_i.other_operation || entry_i.phase == rnic_pkg::PhaseReleasing)) begin
          d.notes[rnic_pkg::NoteStale] = 1'b1;
        end else if (facts_i.frame_read) begin
          if (!in_i.hit) begin
            d.notes[rnic_pkg::NoteStale] = 1'b1;
          end else begin
            d.accept = 1'b1;
            if (facts_i.inside_region) begin
              if (!entry_i.established) begin  // such data is the missing REQ_ACK
                d.entry.established = 1'b1;
                d.notes[rnic_pkg::NoteConnections] = 1'b1;
                d.entry.request_timer.on = 1'b0;
                d.entry.phase = rnic_pkg::PhaseTransferring;
                d.report = 1'b1;
                d.simulated = 1'b1;
              end
              d.entry.indirect = in_i.ctrl[drp_pkg::CtrlModeBit];
              d.entry.retries = '0;
              d.entry.data_timer = facts_i.armed_data;
              d.check_release = 1'b1;
            end
          end
        end else begin
          if (in_i.hit) d.entry.idle_timer = facts_i.armed_idle;
          if (in_i.hit && entry_i.established) d.accept = 1'b1;
          else if (!in_i.ctrl[drp_pkg::CtrlModeBit] || !cfg_i.dynamic || (!in_i.hit && in_i.recent)) begin
            if (in_i.hit) d.notes[rnic_pkg::NoteNoRegion] = 1'b1;
            else d.notes[rnic_pkg::NoteStale] = 1'b1;
          end else begin
            d.keep = 1'b1;
          end
        end
      end
    end
  end
  assign decision_o = d;
endmodule

`default_nettype wire
