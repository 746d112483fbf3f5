// SPDX-License-Identifier: Apache-2.0
// What the transmit path leads to: the next data frame is fetched (PROTOCOL.md 4.1, 4.7), or one has left (3.13, 3.18).
`default_nettype none

module decide_send (
    input  logic                     decide_i,   // step 5
    input  transport_pkg::facts_t    facts_i,
    input  transport_pkg::entry_t    entry_i,    // the entry in hand
    input  logic                     fetch_i,    // a data frame is fetched; else one has left
    output transport_pkg::decision_t decision_o
);
  transport_pkg::decision_t d;
  always_comb begin
    d = '0;
    if (decide_i) begin
      d.entry = entry_i;
      if (fetch_i) begin
        d.fetch = 1'b1;
        d.notes[rnic_pkg::NoteDataSent] = 1'b1;
        d.notes[rnic_pkg::NoteRetransmissions] = facts_i.resends;
        d.entry.in_path = entry_i.in_path + 6'd1;
        d.entry.resend = facts_i.resends ? facts_i.resend_from + 32'd1 : facts_i.resend_from;
        if (!facts_i.resends) d.entry.next = entry_i.next + 32'd1;
        if (!entry_i.data_timer.on) d.entry.data_timer = facts_i.armed_data;
      end else begin  // a data frame has left
        d.entry.in_path = entry_i.in_path - 6'd1;
        d.check_release = (entry_i.in_path == 6'd1);
      end
    end
  end
  assign decision_o = d;
endmodule

`default_nettype wire
