// SPDX-License-Identifier: Apache-2.0
// A slot in use is never given out again and comes free with its transfer alone; what was kept under TID and SN comes out under it.
// prove: cover 6, search 4, induction 1
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
  logic [6:0] used_count;  // see u_buffer.used_count_q
  logic walking;  // see u_buffer.walking_q
  logic [15:0] walk_tid;  // see u_buffer.walk_tid_q
  logic [127:0] tids;  // see 8 x 16 of u_buffer.tid_q
  logic [63:0] sns;  // see 8 x 8 of u_buffer.sn_q
  logic [511:0] addresses;  // see 8 x 64 of u_buffer.address_q
  logic [87:0] lengths;  // see 8 x 11 of u_buffer.bytes_q

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
    // What leaves has been walked before: payload_mover has its pieces.
    assume (!left_i || !walking || walk_tid != left_tid_i);
    if (rst_nq) begin
      a_never_given_twice : assert (!given || !taken_q);
      a_given_is_one_of_the_configured : assert (!keep_i || 7'(keep_slot) < slots);
      a_used : assert (used_set[some_slot] == taken_q);
      a_draining : assert (draining_set[some_slot] == (taken_q && marked_q));
      a_walked : assert (!taken_q || walked_set[some_slot] == walked_q);
      a_marked_is_taken : assert (taken_q || (!marked_q && !walked_q));
      a_sets : assert ((draining_set & ~used_set) == '0 && (walked_set & ~draining_set) == '0);
      a_configured : assert ((used_set >> slots) == '0);
      a_key : assert (!taken_q || (tids[16*some_slot+:16] == tid_q && sns[8*some_slot+:8] == sn_q));
      a_rest : assert (!taken_q || (addresses[64*some_slot+:64] == address_q && lengths[11*some_slot+:11] == bytes_q));
      // A walk begins when asked for and lasts until it has come to it.
      a_walk_begins : assert (!begun_q || (walking && walk_tid == begun_tid_q));
      a_walk_lasts : assert (!still_due_q || due);
      // Its walk comes to it, to none with a higher SN before it, and to nothing else.
      a_walk_comes : assert (!due || piece_valid);
      a_by_sn : assert (!due || sns[8*piece_slot+:8] <= sn_q);
      a_not_the_last_before_it : assert (!due || piece_slot == some_slot || !piece_last);
      a_its_own : assert (!(piece_valid && piece_slot == some_slot) || (due && piece_address == address_q && piece_bytes == bytes_q));
      a_count : assert (used_count == 7'($countones(used_set)) && used == used_count);
      a_full : assert (full == (used_count >= slots));
    end
    c_comes_out : cover (rst_nq && piece_valid && piece_slot == some_slot && some_slot == 6'd1 && !piece_last);
  end
endmodule

`default_nettype wire
