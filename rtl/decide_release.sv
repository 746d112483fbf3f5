// SPDX-License-Identifier: Apache-2.0
// What a REL or a REL_ACK leads to: PROTOCOL.md 3.15 to 3.17.
`default_nettype none

module decide_release (
    input  logic                     decide_i,   // step 5
    input  transport_pkg::input_t    in_i,
    input  transport_pkg::facts_t    facts_i,
    input  transport_pkg::entry_t    entry_i,    // the entry in hand
    input  logic                     rel_i,      // a REL; else a REL_ACK
    output transport_pkg::decision_t decision_o
);
  transport_pkg::decision_t d;
  always_comb begin
    d = '0;
    if (decide_i) begin
      d.entry = entry_i;
      if (rel_i) begin
        if (!facts_i.may_answer || (in_i.hit && !facts_i.frame_read && facts_i.expected_in_range)) begin
          d.notes[rnic_pkg::NoteStale] = 1'b1;
        end else begin
          d.notes[rnic_pkg::NoteReleaseAcksSent] = 1'b1;
          d.send_type[drp_pkg::CtrlRelAckBit] = 1'b1;
          d.send_own = 1'b1;
          d.notes[rnic_pkg::NoteStale] = !in_i.hit;  // its first answer may have been lost
          d.ended = in_i.hit;
          d.close = in_i.hit;
        end
      end else begin  // REL_ACK
        if (!in_i.hit || entry_i.phase != rnic_pkg::PhaseReleasing) d.notes[rnic_pkg::NoteStale] = 1'b1;
        else d.close = 1'b1;
      end
    end
  end
  assign decision_o = d;
endmodule

`default_nettype wire
