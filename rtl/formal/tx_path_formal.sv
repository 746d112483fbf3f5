// SPDX-License-Identifier: Apache-2.0
// Transmit buffers: one is never given out while in use, frames leave filled and in the order of their fetches.
// prove: cover 10, search 3, induction 1
// cut: u_path.word_q
//
// Followed is one data frame, whichever. The payload is cut: it may be anything; headers are not followed.
`default_nettype none

module tx_path_formal (
    input logic         clk_i,
    input logic         control_valid_i,
    input logic [247:0] control_header_i,
    input logic         fetch_i,
    input logic [247:0] fetch_header_i,
    input logic [  5:0] fetch_entry_i,
    input logic         filled_i,
    input logic         sent_ready_i,
    input logic         freed_i,
    input logic         ordinary_waits_i,
    input logic         mac_ready_i,
    input logic         mac_take_i,
    input logic         mac_tx_en_i,
    input logic         watch_i          // the frame fetched in this cycle is the one to follow
);
  (* anyconst *) logic [4:0] buffers;
  (* anyconst *) logic [16:0] share;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic control_pop, buffer_free, sent_valid, ordinary_start, ordinary_take, start, last, idle;
  logic [5:0] sent_entry;
  logic [7:0] data;
  tx_path u_path (
      .clk_i,
      .rst_ni              (rst_nq),
      .cfg_own_address_i   (48'd0),
      .cfg_peer_address_i  (48'd0),
      .cfg_ordinary_share_i(share),
      .cfg_buffers_i       (buffers),
      .control_valid_i,
      .control_header_i,
      .control_pop_o       (control_pop),
      .buffer_free_o       (buffer_free),
      .fetch_i,
      .fetch_header_i,
      .fetch_entry_i,
      .fill_i              (1'b0),
      .fill_data_i         (64'd0),
      .filled_i,
      .sent_valid_o        (sent_valid),
      .sent_ready_i,
      .sent_entry_o        (sent_entry),
      .freed_i,
      .ordinary_waits_i,
      .ordinary_start_o    (ordinary_start),
      .ordinary_take_o     (ordinary_take),
      .ordinary_data_i     (8'd0),
      .ordinary_last_i     (1'b0),
      .mac_ready_i,
      .mac_start_o         (start),
      .mac_take_i,
      .mac_data_o          (data),
      .mac_last_o          (last),
      .mac_tx_en_i,
      .idle_o              (idle)
  );

  // What is inside it: for the induction.
  logic [4:0] fetched;  // see u_path.fetched_q
  logic [4:0] filled;  // see u_path.filled_q
  logic [4:0] started;  // see u_path.started_q
  logic [4:0] left;  // see u_path.left_q
  logic [4:0] sent;  // see u_path.sent_q
  logic [4:0] freed;  // see u_path.freed_q
  logic left_now;  // see u_path.left_now
  logic tx_en;  // see u_path.tx_en_q
  logic [1:0] kind;  // see u_path.kind_q
  logic [95:0] entries;  // see 16 x 6 of u_path.entries_q

  // The MAC: a frame from its start until its last byte is on the wire; nothing is ready before.
  logic data_start, on_wire_q, was_en_q, wire_data_q, data_left;
  logic [4:0] used_q, unfilled_q, waiting_q, decided_q;  // buffers: in use, without their data, not started, decided about
  logic allowed_q;
  assign data_start = start && !control_pop && !ordinary_start;
  assign data_left = was_en_q && !mac_tx_en_i && wire_data_q;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      on_wire_q   <= 1'b0;
      was_en_q    <= 1'b0;
      wire_data_q <= 1'b0;
      allowed_q   <= 1'b0;
      used_q      <= '0;
      unfilled_q  <= '0;
      waiting_q   <= '0;
      decided_q   <= '0;
    end else begin
      was_en_q <= mac_tx_en_i;
      if (start) {on_wire_q, wire_data_q} <= {1'b1, data_start};
      else if (was_en_q && !mac_tx_en_i) on_wire_q <= 1'b0;
      allowed_q  <= buffer_free || (allowed_q && !fetch_i);
      used_q     <= used_q + 5'(fetch_i) - 5'(freed_i);
      unfilled_q <= unfilled_q + 5'(fetch_i) - 5'(filled_i);
      waiting_q  <= waiting_q + 5'(filled_i) - 5'(data_start);
      decided_q  <= decided_q + 5'(sent_valid && sent_ready_i) - 5'(freed_i);
    end
  end

  // The frame that is followed: how many stand before it at each station, and what it was fetched with.
  logic watched_q, is_filled_q, is_started_q, is_taken_q, now, its_start, its_taking;
  logic [4:0] to_fill_q, to_start_q, to_take_q, to_free_q, on_way_q;
  logic [5:0] entry_q;
  assign now = fetch_i && watch_i && !watched_q;
  assign its_start = data_start && watched_q && !is_started_q && to_start_q == '0;
  assign its_taking = sent_valid && watched_q && !is_taken_q && to_take_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      watched_q <= 1'b0;
      on_way_q  <= '0;
    end else begin
      on_way_q <= on_way_q + 5'(data_start) - 5'(sent_valid && sent_ready_i);  // started, but not decided about
      if (now) begin
        {watched_q, is_filled_q, is_started_q, is_taken_q} <= 4'b1000;
        to_fill_q     <= unfilled_q - 5'(filled_i);
        to_start_q    <= unfilled_q + waiting_q - 5'(data_start);
        to_take_q     <= unfilled_q + waiting_q + on_way_q - 5'(sent_valid && sent_ready_i);
        to_free_q     <= used_q - 5'(freed_i);
        entry_q    <= fetch_entry_i;
      end else if (watched_q) begin
        if (filled_i && to_fill_q == '0) is_filled_q <= 1'b1;
        if (filled_i && to_fill_q != '0) to_fill_q <= to_fill_q - 5'd1;
        if (its_start) is_started_q <= 1'b1;
        if (data_start && to_start_q != '0) to_start_q <= to_start_q - 5'd1;
        if (its_taking && sent_ready_i) is_taken_q <= 1'b1;
        if (sent_valid && sent_ready_i && to_take_q != '0) to_take_q <= to_take_q - 5'd1;
        if (freed_i && to_free_q == '0) watched_q <= 1'b0;
        if (freed_i && to_free_q != '0) to_free_q <= to_free_q - 5'd1;
      end
    end
  end

  // Where it stands.
  logic [4:0] place;
  logic [5:0] entry_there;
  assign place = freed + to_free_q;
  always_comb begin
    entry_there = '0;
    for (int i = 0; i < 16; i++) if (place[3:0] == 4'(i)) entry_there = entries[6*i+:6];
  end

  always_comb begin
    // rtl/README.md: 1 .. 16, constant while anything is in hand.
    assume (buffers >= 5'd1 && buffers <= 5'd16);
    // transport_controller decides to fetch where buffer_free_o says so, and is done with it before it decides on the next one.
    assume (!fetch_i || allowed_q);
    // Payload comes of the fetches in hand: rnic_core has it from the completions of their reads.
    assume (!filled_i || unfilled_q != '0);
    // A decision about a frame that has left is one about a frame that was taken: done_o and InputSent of transport_controller.
    assume (!freed_i || decided_q != '0);
    // gmac_tx: one frame at a time; on the wire only what was handed over; bytes only of that.
    assume (!mac_ready_i || !on_wire_q);
    assume (on_wire_q || (!mac_tx_en_i && !mac_take_i));
    if (rst_nq) begin
      // The ring: freed, sent, left, started, filled, fetched in this order, and never more than there are buffers.
      a_order : assert (5'(on_wire_q && wire_data_q) <= on_way_q && decided_q <= used_q && on_way_q <= used_q &&
                        waiting_q <= used_q && unfilled_q <= used_q &&
                        7'(decided_q) + 7'(on_way_q) + 7'(waiting_q) + 7'(unfilled_q) == 7'(used_q));
      a_buffers : assert (used_q <= buffers && (!allowed_q || used_q < buffers));
      a_counted : assert (used_q == 5'(fetched - freed) && unfilled_q == 5'(fetched - filled) && waiting_q == 5'(filled - started) &&
                          on_way_q == 5'(started - sent) && decided_q == 5'(sent - freed));
      a_on_wire : assert (5'(started - left) == 5'(on_wire_q && wire_data_q) && (kind == 2'd1) == wire_data_q);
      a_left : assert (left_now == data_left && tx_en == was_en_q && (!was_en_q || on_wire_q));
      a_sent_has_left : assert (sent_valid == (left != sent || data_left));
      a_ordinary : assert (!ordinary_start || (ordinary_waits_i && start && !control_pop));
      a_one_of_them : assert (start == (mac_ready_i && (control_valid_i || waiting_q != '0 || ordinary_waits_i)));
      // A control frame goes first, and is popped when it goes.
      a_control : assert (control_pop == (mac_ready_i && control_valid_i) && (!control_pop || (start && !ordinary_start)));
      a_idle : assert (!idle || (used_q == '0 && !ordinary_waits_i && !on_wire_q));
      if (watched_q) begin
        a_stands : assert (to_free_q < used_q && entry_there == entry_q);
        a_never_given_twice : assert (!fetch_i || fetched[3:0] != place[3:0]);
        a_fill : assert (is_filled_q ? to_free_q < decided_q + on_way_q + waiting_q
                                     : to_free_q == decided_q + on_way_q + waiting_q + to_fill_q && to_fill_q < unfilled_q);
        a_start : assert (is_started_q ? to_free_q < decided_q + on_way_q
                                       : to_free_q == decided_q + on_way_q + to_start_q && to_start_q < unfilled_q + waiting_q);
        a_take : assert (is_taken_q ? to_free_q < decided_q
                                   : to_free_q == decided_q + to_take_q && to_take_q < unfilled_q + waiting_q + on_way_q);
        a_starts_filled : assert (!its_start || is_filled_q);
        a_left_with_its_entry : assert (!its_taking || (is_started_q && sent_entry == entry_q));
        a_freed_was_taken : assert (!(freed_i && to_free_q == '0) || is_taken_q);
      end
    end
    c_sent : cover (rst_nq && its_taking && used_q == 5'd2);
  end
endmodule

`default_nettype wire
