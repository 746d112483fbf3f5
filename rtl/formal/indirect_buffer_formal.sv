// SPDX-License-Identifier: Apache-2.0
// A slot in use is never given out again and comes free with its transfer alone; what was kept under TID and SN comes out under it.
// prove: cover 6, search 4, induction 1
// long: induction
//
// Followed is one slot, whichever, of 8 instead of 64. What lies in the slots: indirect_places_formal.sv, indirect_words_formal.sv.
`default_nettype none

module indirect_buffer_formal (
    input logic        clk_i,
    input logic        keep_i,
    input logic [15:0] keep_tid_i,
    input logic [ 7:0] keep_sn_i,
    input logic [63:0] keep_address_i,
    input logic [10:0] keep_bytes_i,
    input logic        mark_i,
    input logic        drop_i,
    input logic        left_i,
    input logic [15:0] tid_i,
    input logic [15:0] left_tid_i,
    input logic        walk_i,
    input logic [15:0] walk_tid_i,
    input logic        piece_ready_i
);
  localparam int unsigned Slots = 8;
  (* anyconst *) logic [6:0] slots;
  (* anyconst *) logic [5:0] some_slot;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic full, piece_valid, piece_last;
  logic [6:0] used;
  logic [5:0] keep_slot, piece_slot;
  logic [63:0] piece_address;
  logic [10:0] piece_bytes;
  indirect_buffer #(
      .Slots(Slots)
  ) u_buffer (
      .clk_i,
      .rst_ni          (rst_nq),
      .cfg_slots_i     (slots),
      .cfg_slot_words_i(8'd96),
      .full_o          (full),
      .used_o          (used),
      .keep_i,
      .keep_tid_i,
      .keep_sn_i,
      .keep_address_i,
      .keep_bytes_i,
      .keep_slot_o     (keep_slot),
      .write_i         (1'b0),
      .write_slot_i    ('0),
      .write_word_i    ('0),
      .write_data_i    (64'd0),
      .mark_i,
      .drop_i,
      .left_i,
      .tid_i,
      .left_tid_i,
      .walk_i,
      .walk_tid_i,
      .piece_valid_o   (piece_valid),
      .piece_ready_i,
      .piece_slot_o    (piece_slot),
      .piece_address_o (piece_address),
      .piece_bytes_o   (piece_bytes),
      .piece_last_o    (piece_last),
      .read_slot_i     ('0),
      .read_word_i     ('0),
      .read_data_o     ()
  );

  // What is inside it: for the induction.
  logic [7:0] used_set;  // see u_buffer.used_q
  logic [7:0] draining_set;  // see u_buffer.draining_q
  logic [7:0] walked_set;  // see u_buffer.walked_q
  logic [7:0] due_set;  // see u_buffer.due_q
  logic [7:0] never_set;  // see u_buffer.never_q
  logic [7:0] new_set;  // see u_buffer.new_q
  logic walking;  // see u_buffer.walking_q
  logic [15:0] walk_tid;  // see u_buffer.walk_tid_q
  logic [127:0] tids;  // see u_buffer.tid_q
  logic [63:0] sns;  // see u_buffer.sn_q
  logic [47:0] slots_in_order;  // see u_buffer.slot
  logic [511:0] addresses;  // see 8 x 64 of u_buffer.address_q
  logic [87:0] lengths;  // see 8 x 11 of u_buffer.bytes_q

  // Places: each slot has one. Where the slot that is followed stands, and the one that is named; what a walk has to come to.
  logic [2:0] place, piece_place;
  logic [7:0] with_place, due_all, moved_away, out_of_order;
  always_comb begin
    place = '0;
    piece_place = '0;
    with_place = '0;
    out_of_order = '0;
    for (int i = 0; i < 8; i++) begin
      if (slots_in_order[6*i+:6] == some_slot) place = 3'(i);
      if (slots_in_order[6*i+:6] == piece_slot) piece_place = 3'(i);
      with_place = with_place | (8'd1 << slots_in_order[6*i+:6]);
      moved_away[i] = (slots_in_order[6*i+:6] != 6'(i));
      if (i != 0) out_of_order[i] = !never_set[i] && (never_set[i-1] || sns[8*(i-1)+:8] > sns[8*i+:8]);
      due_all[i] = walking && draining_set[i] && !walked_set[i] && tids[16*i+:16] == walk_tid;
    end
  end

  // Shadow of the slot that is followed: who has it, as the inputs say.
  logic taken_q, marked_q, walked_q, given;
  logic [15:0] tid_q;
  logic [7:0] sn_q;
  logic [63:0] address_q;
  logic [10:0] bytes_q;
  logic leaves, comes_out;
  assign given = keep_i && keep_slot == some_slot;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      taken_q  <= 1'b0;
      marked_q <= 1'b0;
      walked_q <= 1'b0;
    end else begin
      if (given) begin
        taken_q   <= 1'b1;
        tid_q     <= keep_tid_i;
        sn_q      <= keep_sn_i;
        address_q <= keep_address_i;
        bytes_q   <= keep_bytes_i;
      end else if (leaves) begin
        taken_q  <= 1'b0;
        marked_q <= 1'b0;
        walked_q <= 1'b0;
      end else begin
        if (taken_q && !marked_q && drop_i && tid_q == tid_i) taken_q <= 1'b0;
        if (taken_q && !marked_q && mark_i && tid_q == tid_i) marked_q <= 1'b1;
        if (comes_out) walked_q <= 1'b1;
      end
    end
  end

  // Whether this walk still has to come to the slot that is followed.
  logic due, still_due_q, begun_q;
  logic [15:0] begun_tid_q;
  assign due = walking && taken_q && marked_q && !walked_q && tid_q == walk_tid;
  assign leaves = taken_q && marked_q && left_i && tid_q == left_tid_i;
  assign comes_out = piece_valid && piece_ready_i && piece_slot == some_slot;
  always_ff @(posedge clk_i) begin
    still_due_q <= rst_nq && due && !comes_out && !leaves;
    begun_q     <= rst_nq && walk_i;
    begun_tid_q <= walk_tid_i;
  end

  always_comb begin
    assume (some_slot < 6'(Slots));
    assume (slots != '0 && slots <= 7'(Slots));
    // A decision does one thing: rnic_core gives it on with done_o. It keeps only what it finds room for, and there is one in
    // eight cycles: transport_controller.
    assume (3'(keep_i) + 3'(mark_i) + 3'(drop_i) <= 3'd1);
    assume (!keep_i || !full);
    // One drain is walked at a time: rnic_core.
    assume (!walk_i || !walking);
    // All that a walk is to name has been marked before it begins: a transfer drains once, and its request leaves dma_queue a
    // cycle after the decision or later.
    assume (!mark_i || !((walk_i && walk_tid_i == tid_i) || (piece_valid && walk_tid == tid_i)));
    // What leaves has been walked before: payload_mover has its pieces.
    assume (!left_i || !walking || walk_tid != left_tid_i);
    if (rst_nq) begin
      a_never_given_twice : assert (!given || !taken_q);
      a_given_is_one_of_the_configured : assert (!keep_i || 7'(keep_slot) < slots);
      a_used : assert (used_set[place] == taken_q);
      a_draining : assert (draining_set[place] == (taken_q && marked_q));
      a_walked : assert (!taken_q || walked_set[place] == walked_q);
      a_marked_is_taken : assert (taken_q || (!marked_q && !walked_q));
      a_sets : assert ((draining_set & ~used_set) == '0 && (walked_set & ~draining_set) == '0);
      a_configured : assert ((~never_set >> slots) == '0 && (used_set & never_set) == '0);
      a_each_slot_has_a_place : assert (with_place == '1);
      a_never_taken_stay : assert ((never_set & moved_away) == '0);
      a_in_order : assert (out_of_order == '0);
      a_key : assert (!taken_q || (tids[16*place+:16] == tid_q && sns[8*place+:8] == sn_q));
      a_rest : assert (!taken_q || (addresses[64*some_slot+:64] == address_q && lengths[11*some_slot+:11] == bytes_q));
      // A walk begins when asked for and lasts until it has come to it.
      a_walk_begins : assert (!begun_q || (walking && walk_tid == begun_tid_q));
      a_walk_lasts : assert (!still_due_q || due);
      // Its walk comes to it, to none with a higher SN before it, and to nothing else.
      a_walk_comes : assert (!due || piece_valid);
      a_by_sn : assert (!due || sns[8*piece_place+:8] <= sn_q);
      a_not_the_last_before_it : assert (!due || piece_slot == some_slot || !piece_last);
      a_its_own : assert (!(piece_valid && piece_slot == some_slot) || (due && piece_address == address_q && piece_bytes == bytes_q));
      a_new_waits : assert ((new_set & draining_set) == '0);
      a_due : assert (due_set == due_all && piece_valid == (due_set != '0));
      a_first_due : assert (!piece_valid || (piece_slot < 6'(Slots) && due_set[piece_place] && (due_set & (due_set - 8'd1)) ==
                            (due_set & ~(8'd1 << piece_place))));
      a_last : assert (piece_last == (piece_valid && (due_set & (due_set - 8'd1)) == '0));
      a_count : assert (used == 7'($countones(used_set)));
      a_full : assert (full == (used >= slots));
    end
    c_comes_out : cover (rst_nq && piece_valid && piece_slot == some_slot && some_slot == 6'd1 && !piece_last);
  end
endmodule

`default_nettype wire
