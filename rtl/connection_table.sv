// SPDX-License-Identifier: Apache-2.0
// Connection table: an entry for each transfer that this RNIC takes part in. Finds entries by role and TID, gives out the
// lowest free one, remembers which have data to send, and checks for expired timers, an entry a cycle. An entry that is open
// but not used has been given up: only its key and its timer count, and a new transfer may have its place.
//
// Lookups are combinational. A read comes a cycle after its address. Status and word of an entry are written apart: the
// status decides about the very next cycle.
`default_nettype none

module connection_table #(
    parameter int unsigned Width = 32,  // bits of an entry
    parameter int unsigned Entries = transport_pkg::Entries  // a power of two, 64 at most
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [31:0]      now_i,
    output logic [6:0]       entries_o,          // in use
    // Lookup by key; the lowest free entry. Outputs are 0 without a lookup.
    input  logic             lookup_i,
    input  logic             key_responder_i,
    input  logic [15:0]      key_tid_i,
    output logic             hit_o,
    output logic [5:0]       hit_index_o,
    output logic             closing_o,          // an entry of this key is over, but not free yet
    output logic             gave_up_o,          // an entry of this key has been given up
    output logic             full_o,
    output logic [5:0]       free_index_o,       // the lowest free one, else the lowest that has been given up
    // Round robin: the next entry after turn_i that has data to send
    input  logic [5:0]       turn_i,
    output logic             data_o,
    output logic [5:0]       data_index_o,
    // Scanner: checks an entry a cycle while scan_i
    input  logic             scan_i,
    output logic             expired_o,
    output logic [5:0]       expired_index_o,
    // Entry
    input  logic             read_i,
    input  logic [5:0]       read_index_i,
    output logic [Width-1:0] read_o,
    input  logic             write_i,
    input  logic [5:0]       write_index_i,
    input  logic [Width-1:0] write_data_i,
    // Status of an entry
    input  logic             status_i,
    input  logic [5:0]       status_index_i,
    input  logic             status_used_i,
    input  logic             status_open_i,      // found by lookups
    input  logic             status_responder_i,
    input  logic [15:0]      status_tid_i,
    input  logic             status_data_i,
    input  logic             status_timer_i,     // a timer runs, and when the first one expires
    input  logic [31:0]      status_deadline_i
);
  localparam int unsigned Bits = $clog2(Entries);

  logic [Entries-1:0] used_q, open_q, responder_q, data_q, timer_q;
  logic [15:0] tid_q[Entries];
  logic [31:0] deadline_q[Entries];
  logic [Width-1:0] words_q[Entries];
  logic [Bits-1:0] position_q;

  logic [Entries-1:0] free, places;  // free for good; what a new transfer may have
  assign free = ~used_q & ~open_q;
  assign places = (free != '0) ? free : ~used_q;
  assign full_o = lookup_i && (places == '0);

  always_comb begin
    hit_o = 1'b0;
    hit_index_o = '0;
    closing_o = 1'b0;
    gave_up_o = 1'b0;
    free_index_o = '0;
    if (lookup_i) for (int i = Entries - 1; i >= 0; i--) begin
      if (responder_q[i] == key_responder_i && tid_q[i] == key_tid_i) begin
        if (used_q[i] && open_q[i]) begin
          hit_o = 1'b1;
          hit_index_o = 6'(i);
        end
        if (used_q[i] && !open_q[i]) closing_o = 1'b1;
        if (!used_q[i] && open_q[i]) gave_up_o = 1'b1;
      end
      if (places[i]) free_index_o = 6'(i);
    end
  end

  // Round robin: the lowest entry above the turn, else the lowest of all.
  logic [Entries-1:0] above, candidates;
  assign above = data_q & ~((64'd2 << turn_i) - 64'd1);
  assign candidates = (above != '0) ? above : data_q;
  assign data_o = (data_q != '0);

  always_comb begin
    data_index_o = '0;
    if (data_o) for (int i = Entries - 1; i >= 0; i--) if (candidates[i]) data_index_o = 6'(i);
  end

  // A deadline is behind or ahead by less than half of what 32 bits count.
  logic [31:0] overdue;
  assign overdue = now_i - deadline_q[position_q];
  assign expired_o = timer_q[position_q] && !overdue[31];
  assign expired_index_o = 6'(position_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q      <= '0;
      open_q      <= '0;
      responder_q <= '0;
      data_q      <= '0;
      timer_q     <= '0;
      position_q  <= '0;
      entries_o   <= '0;
    end else begin
      if (scan_i) position_q <= position_q + Bits'(1);
      if (status_i) begin
        entries_o                   <= entries_o + 7'(status_used_i) - 7'(used_q[status_index_i]);
        used_q[status_index_i]      <= status_used_i;
        open_q[status_index_i]      <= status_open_i;
        responder_q[status_index_i] <= status_responder_i;
        data_q[status_index_i]      <= status_data_i;
        timer_q[status_index_i]     <= status_timer_i;
      end
    end
  end

  // Memories: no reset.
  always_ff @(posedge clk_i) begin
    if (status_i) begin
      tid_q[status_index_i]      <= status_tid_i;
      deadline_q[status_index_i] <= status_deadline_i;
    end
    if (write_i) words_q[write_index_i] <= write_data_i;
    if (read_i) read_o <= words_q[read_index_i];
  end

  // Legal parameters.
  if (Entries > 64 || Entries != (1 << Bits)) begin : gen_illegal_entries
    $error("connection_table: indices are 6 bits wide");
  end

  logic hit_twin;
  always_comb begin
    hit_twin = 1'b0;
    if (status_i) for (int i = 0; i < Entries; i++) begin
      if (used_q[i] && open_q[i] && 6'(i) != status_index_i && responder_q[i] == status_responder_i && tid_q[i] == status_tid_i) begin
        hit_twin = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_data_is_open : assert ((data_q & ~(open_q & used_q)) == '0);
      a_timer_is_open : assert ((timer_q & ~open_q) == '0);
      // A key names one entry at most.
      a_no_twin : assert (!(status_i && status_used_i && status_open_i && hit_twin));
    end
  end
endmodule

`default_nettype wire
