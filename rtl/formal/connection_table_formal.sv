// SPDX-License-Identifier: Apache-2.0
// A key is found where it was written last and nowhere else; entries in use are counted and never given out; timers, data, words.
// prove: cover 5, search 4, induction 1
//
// Followed is one entry, whichever, and a second one beside it. 8 entries instead of 64, words of 4 bits.
`default_nettype none

module connection_table_formal (
    input logic        clk_i,
    input logic [31:0] now_i,
    input logic        lookup_i,
    input logic        key_responder_i,
    input logic [15:0] key_tid_i,
    input logic [ 5:0] turn_i,
    input logic        scan_i,
    input logic        read_i,
    input logic [ 5:0] read_index_i,
    input logic        write_i,
    input logic [ 5:0] write_index_i,
    input logic [ 3:0] write_data_i,
    input logic        status_i,
    input logic [ 5:0] status_index_i,
    input logic        status_used_i,
    input logic        status_open_i,
    input logic        status_responder_i,
    input logic [15:0] status_tid_i,
    input logic        status_data_i,
    input logic        status_timer_i,
    input logic [31:0] status_deadline_i
);
  localparam int unsigned Entries = 8;
  (* anyconst *) logic [5:0] some_entry;
  (* anyconst *) logic [5:0] other_entry;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic hit, closing, gave_up, full, has_data, expired;
  logic [5:0] hit_index, free_index, data_index, expired_index;
  logic [6:0] entries;
  logic [3:0] word;
  connection_table #(
      .Width  (4),
      .Entries(Entries)
  ) u_table (
      .clk_i,
      .rst_ni         (rst_nq),
      .now_i,
      .entries_o      (entries),
      .lookup_i,
      .key_responder_i,
      .key_tid_i,
      .hit_o          (hit),
      .hit_index_o    (hit_index),
      .closing_o      (closing),
      .gave_up_o      (gave_up),
      .full_o         (full),
      .free_index_o   (free_index),
      .turn_i,
      .data_o         (has_data),
      .data_index_o   (data_index),
      .scan_i,
      .expired_o      (expired),
      .expired_index_o(expired_index),
      .read_i,
      .read_index_i,
      .read_o         (word),
      .write_i,
      .write_index_i,
      .write_data_i,
      .status_i,
      .status_index_i,
      .status_used_i,
      .status_open_i,
      .status_responder_i,
      .status_tid_i,
      .status_data_i,
      .status_timer_i,
      .status_deadline_i
  );

  // What is inside it: for the induction.
  logic [7:0] used_set;  // see u_table.used_q
  logic [7:0] open_set;  // see u_table.open_q
  logic [7:0] responders;  // see u_table.responder_q
  logic [7:0] data_set;  // see u_table.data_q
  logic [7:0] timer_set;  // see u_table.timer_q
  logic [127:0] tids;  // see 8 x 16 of u_table.tid_q
  logic [255:0] deadlines;  // see 8 x 32 of u_table.deadline_q
  logic [31:0] words;  // see 8 x 4 of u_table.words_q
  logic twin;  // see u_table.hit_twin
  logic [7:0] found_set;  // see u_table.found_q
  logic [7:0] closing_set;  // see u_table.closing_q
  logic [7:0] gave_up_set;  // see u_table.gave_up_q
  logic due_timer;  // see u_table.due_timer_q
  logic [31:0] due_deadline;  // see u_table.due_deadline_q

  // Shadow: status and word of the entry that is followed as written last, of the other one its key.
  logic used_q, open_q, data_q, timer_q, written_q, other_q, was_read_q;
  logic [16:0] key_q, other_key_q, key, status_key;
  logic [31:0] deadline_q, overdue;
  logic [3:0] word_q, read_q;
  logic [2:0] position_q;
  assign key = {key_responder_i, key_tid_i};
  assign status_key = {status_responder_i, status_tid_i};
  assign overdue = now_i - deadline_q;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      used_q     <= 1'b0;
      open_q     <= 1'b0;
      data_q     <= 1'b0;
      timer_q    <= 1'b0;
      written_q  <= 1'b0;
      other_q    <= 1'b0;
      was_read_q <= 1'b0;
      position_q <= '0;
    end else begin
      if (status_i && status_index_i == some_entry) begin
        {used_q, open_q, data_q, timer_q} <= {status_used_i, status_open_i, status_data_i, status_timer_i};
        key_q      <= status_key;
        deadline_q <= status_deadline_i;
      end
      if (status_i && status_index_i == other_entry) begin
        other_q     <= status_used_i && status_open_i;
        other_key_q <= status_key;
      end
      if (write_i && write_index_i == some_entry) begin
        written_q <= 1'b1;
        word_q    <= write_data_i;
      end
      was_read_q <= read_i && read_index_i == some_entry && written_q;
      read_q     <= word_q;
      position_q <= position_q + 3'(scan_i);
    end
  end

  logic mine;
  assign mine = (key_q == key);
  // Shadow: what the last lookup has to have found, whatever was written since.
  logic looked_q, found_q, closing_q, gave_up_q, other_found_q, was_used_q, was_open_q, had_data_q, any_data_q;
  logic [7:0] used_set_q, open_set_q;
  logic [6:0] entries_q;
  logic [5:0] turn_q;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      looked_q      <= 1'b0;
      found_q       <= 1'b0;
      closing_q     <= 1'b0;
      gave_up_q     <= 1'b0;
      other_found_q <= 1'b0;
    end else if (lookup_i) begin
      looked_q      <= 1'b1;
      found_q       <= used_q && open_q && mine;
      closing_q     <= used_q && !open_q && mine;
      gave_up_q     <= !used_q && open_q && mine;
      other_found_q <= other_q && other_key_q == key;
      was_used_q    <= used_q;
      was_open_q    <= open_q;
      had_data_q    <= data_q;
      any_data_q    <= has_data;
      used_set_q    <= used_set;
      open_set_q    <= open_set;
      entries_q     <= entries;
      turn_q        <= turn_i;
    end
  end

  // The entries that are followed, inside it.
  logic [16:0] some_key, some_other_key;
  logic [31:0] some_deadline;
  logic [3:0] some_word;
  always_comb begin
    {some_key, some_other_key, some_deadline, some_word} = '0;
    for (int i = 0; i < Entries; i++) begin
      if (6'(i) == some_entry) begin
        some_key = {responders[i], tids[16*i+:16]};
        some_deadline = deadlines[32*i+:32];
        some_word = words[4*i+:4];
      end
      if (6'(i) == other_entry) some_other_key = {responders[i], tids[16*i+:16]};
    end
  end

  logic [7:0] one;
  assign one = 8'd1 << some_entry;
  always_comb begin
    assume (some_entry < 6'(Entries) && other_entry < 6'(Entries) && some_entry != other_entry);
    // Indices are those of entries: of lookups, of data, of the scanner, of what was fetched.
    assume (turn_i < 6'(Entries) && read_index_i < 6'(Entries) && write_index_i < 6'(Entries) && status_index_i < 6'(Entries));
    // A key is written where it was found, or nowhere if it was not: transport_controller looks it up first, and the host starts
    // no TID that is in use. a_no_twin of connection_table.sv.
    assume (!(status_i && status_used_i && status_open_i && twin));
    // Only what is used and open has data, what is not open no timer: used_o, open_o, has_data_o, timer_o of transport_decision.
    assume (!status_i || !status_data_i || (status_used_i && status_open_i));
    assume (!status_i || !status_timer_i || status_open_i);
    if (rst_nq) begin
      a_status : assert ({used_set[some_entry], open_set[some_entry], data_set[some_entry], timer_set[some_entry]} == {used_q, open_q, data_q, timer_q});
      a_other : assert ((used_set[other_entry] && open_set[other_entry]) == other_q);
      a_key : assert (!(used_q || open_q) || some_key == key_q);
      a_other_key : assert (!other_q || some_other_key == other_key_q);
      a_deadline : assert (!timer_q || some_deadline == deadline_q);
      a_word : assert (!written_q || some_word == word_q);
      a_read : assert (!was_read_q || word == read_q);
      a_entries : assert (entries == 7'($countones(used_set)));
      a_sets : assert ((data_set & ~(used_set & open_set)) == '0 && (timer_set & ~open_set) == '0);
      // Lookup: found is what was written with the key, at one index.
      a_never_twice : assert (!(used_q && open_q && other_q && key_q == other_key_q));
      a_sets_found : assert (found_set[some_entry] == found_q && closing_set[some_entry] == closing_q &&
                             gave_up_set[some_entry] == gave_up_q && found_set[other_entry] == other_found_q);
      a_one_found : assert (!(found_q && other_found_q));
      a_found : assert (!found_q || hit);
      a_only_this : assert (!(hit && hit_index == some_entry) || found_q);
      a_no_other : assert (!found_q || hit_index != other_entry);
      a_closing : assert (!closing_q || closing);
      a_gave_up : assert (!gave_up_q || gave_up);
      a_only_closing : assert ((closing_set & ~one) != '0 || !closing || closing_q);
      a_only_gave_up : assert ((gave_up_set & ~one) != '0 || !gave_up || gave_up_q);
      if (looked_q) begin
        // The index that is given out: never one in use, the lowest free one, one that has been given up only where none is free.
        a_full : assert (full == (entries_q == 7'(Entries)) && (!full || was_used_q));
        a_never_given_in_use : assert (full || free_index != some_entry || !was_used_q);
        a_lowest_free : assert (was_used_q || was_open_q || free_index <= some_entry);
        a_given_up_last : assert (full || free_index != some_entry || !was_open_q || (used_set_q | open_set_q) == '1);
        // Data: the first after the turn; one that waits comes nearer with every choice, so it waits for all others once at most.
        a_has_data : assert (!(any_data_q && data_index == some_entry) || had_data_q);
        a_in_turn : assert (!had_data_q || 3'(data_index - turn_q - 6'd1) <= 3'(some_entry - turn_q - 6'd1));
      end
      a_data : assert (!data_q || has_data);
      // Timers: each scan looks at the next entry.
      a_scan : assert (expired_index == 6'(position_q));
      a_due : assert (position_q != 3'(some_entry) || (due_timer == timer_q && (!timer_q || due_deadline == deadline_q)));
      a_expired : assert (expired_index != some_entry || expired == (timer_q && !overdue[31]));
    end
    c_found : cover (rst_nq && found_q && hit_index == 6'd1 && some_entry == 6'd1 && entries == 7'd2 && other_q);
  end
endmodule

`default_nettype wire
