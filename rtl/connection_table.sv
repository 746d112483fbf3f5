// SPDX-License-Identifier: Apache-2.0
// Connection table: an entry for each transfer that this RNIC takes part in. Finds entries by role and TID, gives out the
// lowest free one, remembers which have data to send, and checks for expired timers, an entry a cycle. An entry that is open
// but not used has been given up: only its key and its timer count, and a new transfer may have its place.
//
// Two cycles to a lookup: every entry is compared in the first, the outcome stands from the second on until the next lookup. A
// read comes a cycle after its address. Status and word of an entry are written apart: the status decides about the very next
// cycle.
`default_nettype none

module connection_table #(
    parameter int unsigned Width = 32,  // bits of an entry
    parameter int unsigned Entries = transport_pkg::Entries  // a power of two, 64 at most
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [31:0]      now_i,
    output logic [6:0]       entries_o,          // in use
    // Lookup by key; the lowest free entry: from the cycle after lookup_i on
    input  logic             lookup_i,
    input  logic             key_responder_i,
    input  logic [15:0]      key_tid_i,
    output logic             hit_o,
    output logic [5:0]       hit_index_o,
    output logic             closing_o,          // an entry of this key is over, but not free yet
    output logic             gave_up_o,          // an entry of this key has been given up
    output logic             full_o,
    output logic [5:0]       free_index_o,       // the lowest free one, else the lowest that has been given up
    // Round robin: an entry has data to send; the next one after turn_i, from the cycle after lookup_i on
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

  // The lowest member of a set, by a tree; node n has 2n and 2n + 1 below it. A chain would be as long as the set.
  function automatic logic [Bits-1:0] lowest(input logic [Entries-1:0] set);
    logic [2*Entries-1:0] some;
    logic [2*Entries*Bits-1:0] at;
    some = {set, {Entries{1'b0}}};
    at = '0;
    for (int n = 2 * Entries - 1; n >= Entries; n--) at[Bits*n+:Bits] = Bits'(n - Entries);
    for (int n = Entries - 1; n >= 1; n--) begin
      some[n] = some[2*n] || some[2*n+1];
      at[Bits*n+:Bits] = some[2*n] ? at[Bits*(2*n)+:Bits] : at[Bits*(2*n+1)+:Bits];
    end
    lowest = at[Bits+:Bits];
  endfunction

  // First cycle of a lookup: which entries the key is that of, by what they are; which are free for good, which have their turn.
  logic [Entries-1:0] found, closing, gave_up, free, above;
  assign free = ~used_q & ~open_q;
  always_comb begin
    found = '0;
    closing = '0;
    gave_up = '0;
    above = '0;
    if (lookup_i) for (int i = 0; i < Entries; i++) begin
      if (responder_q[i] == key_responder_i && tid_q[i] == key_tid_i) begin
        found[i] = used_q[i] && open_q[i];
        closing[i] = used_q[i] && !open_q[i];
        gave_up[i] = !used_q[i] && open_q[i];
      end
      above[i] = data_q[i] && (6'(i) > turn_i);
    end
  end

  logic [Entries-1:0] found_q, closing_q, gave_up_q, above_q;
  logic any_free_q, full_q;
  logic [Bits-1:0] lowest_free_q, lowest_unused_q, lowest_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_q         <= '0;
      closing_q       <= '0;
      gave_up_q       <= '0;
      above_q         <= '0;
      any_free_q      <= 1'b0;
      full_q          <= 1'b0;
      lowest_free_q   <= '0;
      lowest_unused_q <= '0;
      lowest_data_q   <= '0;
    end else if (lookup_i) begin
      found_q         <= found;
      closing_q       <= closing;
      gave_up_q       <= gave_up;
      above_q         <= above;
      any_free_q      <= (free != '0);
      full_q          <= (used_q == '1);
      lowest_free_q   <= lowest(free);
      lowest_unused_q <= lowest(~used_q);
      lowest_data_q   <= lowest(data_q);
    end
  end

  // Second cycle. A new transfer may have the place of one that has been given up where none is free for good; of those with
  // data it is the lowest above the turn, else the lowest of all.
  assign hit_o = (found_q != '0);
  assign hit_index_o = 6'(lowest(found_q));
  assign closing_o = (closing_q != '0);
  assign gave_up_o = (gave_up_q != '0);
  assign full_o = full_q;
  assign free_index_o = any_free_q ? 6'(lowest_free_q) : 6'(lowest_unused_q);
  assign data_o = (data_q != '0);
  assign data_index_o = (above_q != '0) ? 6'(lowest(above_q)) : 6'(lowest_data_q);

  // Scanner: what it compares is read a cycle ahead. A deadline is behind or ahead by less than half of what 32 bits count.
  logic [Bits-1:0] position_q, following;
  logic due_timer_q, renewed;
  logic [31:0] due_deadline_q, overdue;
  assign following = position_q + Bits'(1);
  assign renewed = status_i && (scan_i ? status_index_i == 6'(following) : status_index_i == 6'(position_q));
  assign overdue = now_i - due_deadline_q;
  assign expired_o = due_timer_q && !overdue[31];
  assign expired_index_o = 6'(position_q);

  logic was_used;
  assign was_used = used_q[Bits'(status_index_i)];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q      <= '0;
      open_q      <= '0;
      responder_q <= '0;
      data_q      <= '0;
      timer_q     <= '0;
      position_q  <= '0;
      due_timer_q <= 1'b0;
      entries_o   <= '0;
    end else begin
      if (scan_i) position_q <= following;
      if (renewed) due_timer_q <= status_timer_i;
      else if (scan_i) due_timer_q <= timer_q[following];
      if (status_i && status_used_i != was_used) entries_o <= status_used_i ? entries_o + 7'd1 : entries_o - 7'd1;
      for (int i = 0; i < Entries; i++) begin
        if (status_i && status_index_i == 6'(i)) begin
          used_q[i]      <= status_used_i;
          open_q[i]      <= status_open_i;
          responder_q[i] <= status_responder_i;
          data_q[i]      <= status_data_i;
          timer_q[i]     <= status_timer_i;
        end
      end
    end
  end

  // Memories: no reset.
  always_ff @(posedge clk_i) begin
    if (status_i) begin
      tid_q[Bits'(status_index_i)]      <= status_tid_i;
      deadline_q[Bits'(status_index_i)] <= status_deadline_i;
    end
    if (renewed) due_deadline_q <= status_deadline_i;
    else if (scan_i) due_deadline_q <= deadline_q[following];
    if (write_i) words_q[Bits'(write_index_i)] <= write_data_i;
    if (read_i) read_o <= words_q[Bits'(read_index_i)];
  end

  // Legal parameters.
  if (Entries > 64 || Entries != (1 << Bits)) begin : gen_illegal_entries
    $error("connection_table: indices are 6 bits wide: Entries must be a power of two, 2 .. 64");
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
