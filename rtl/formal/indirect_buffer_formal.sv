// A slot in use is never given out again and comes free with its transfer alone; what was kept under TID and SN comes out under it.
// prove: cover 8, search 8, induction 1
//
// Followed is one slot, whichever. Of the payload's memory the addresses are looked at, not the words.
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
    input logic        piece_ready_i,
    input logic [ 5:0] write_slot_i,
    input logic [ 7:0] write_word_i,
    input logic [ 5:0] read_slot_i,
    input logic [ 7:0] read_word_i
);
  (* anyconst *) logic [6:0] slots;
  (* anyconst *) logic [7:0] slot_words;
  (* anyconst *) logic [5:0] some_slot;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic full, piece_valid, piece_last;
  logic [6:0] used;
  logic [5:0] keep_slot, piece_slot;
  logic [63:0] piece_address;
  logic [10:0] piece_bytes;
  indirect_buffer #(
      .Words(256)
  ) u_buffer (
      .clk_i,
      .rst_ni          (rst_nq),
      .cfg_slots_i     (slots),
      .cfg_slot_words_i(slot_words),
      .full_o          (full),
      .used_o          (used),
      .keep_i,
      .keep_tid_i,
      .keep_sn_i,
      .keep_address_i,
      .keep_bytes_i,
      .keep_slot_o     (keep_slot),
      .write_i         (1'b0),
      .write_slot_i    (write_slot_i),
      .write_word_i    (write_word_i),
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
      .read_slot_i     (read_slot_i),
      .read_word_i     (read_word_i),
      .read_data_o     ()
  );

  // What is inside it: for the induction.
  logic [63:0] used_set;  // see u_buffer.used_q
  logic [63:0] draining_set;  // see u_buffer.draining_q
  logic [63:0] walked_set;  // see u_buffer.walked_q
  logic [6:0] used_count;  // see u_buffer.used_count_q
  logic walking;  // see u_buffer.walking_q
  logic [15:0] walk_tid;  // see u_buffer.walk_tid_q
  logic [1023:0] tids;  // see 64 x 16 of u_buffer.tid_q
  logic [511:0] sns;  // see 64 x 8 of u_buffer.sn_q
  logic [4095:0] addresses;  // see 64 x 64 of u_buffer.address_q
  logic [703:0] lengths;  // see 64 x 11 of u_buffer.bytes_q

  logic [7:0] write_at;  // see u_buffer.write_at
  logic [7:0] read_at;  // see u_buffer.read_at

  // Shadow of the slot that is followed: who has it, as the inputs say.
  logic taken_q, marked_q, walked_q, given;
  logic [15:0] tid_q;
  logic [7:0] sn_q;
  logic [63:0] address_q;
  logic [10:0] bytes_q;
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
      end else if (taken_q && marked_q && left_i && tid_q == left_tid_i) begin
        taken_q  <= 1'b0;
        marked_q <= 1'b0;
        walked_q <= 1'b0;
      end else begin
        if (taken_q && !marked_q && drop_i && tid_q == tid_i) taken_q <= 1'b0;
        if (taken_q && !marked_q && mark_i && tid_q == tid_i) marked_q <= 1'b1;
        if (piece_valid && piece_ready_i && piece_slot == some_slot) walked_q <= 1'b1;
      end
    end
  end

  // Whether this walk still has to come to the slot that is followed.
  logic due;
  assign due = walking && taken_q && marked_q && !walked_q && tid_q == walk_tid;

  always_comb begin
    assume (slots != '0 && slots <= 7'd64 && 15'(slots) * 15'(slot_words) <= 15'd256);  // a_slots_fit
    // A decision does one thing: rnic_core gives it on with done_o. It keeps only what it finds room for, and there is one in
    // eight cycles: transport_controller.
    assume (3'(keep_i) + 3'(mark_i) + 3'(drop_i) <= 3'd1);
    assume (!keep_i || !full);
    // One drain is walked at a time: rnic_core.
    assume (!walk_i || !walking);
    // Words of a slot: payload_mover.
    assume (7'(write_slot_i) < slots && write_word_i < slot_words && 7'(read_slot_i) < slots && read_word_i < slot_words);
    if (rst_nq) begin
      a_words_apart : assert ((write_at == read_at) == (write_slot_i == read_slot_i && write_word_i == read_word_i));
      a_never_given_twice : assert (!given || !taken_q);
      a_given_is_one_of_the_configured : assert (!keep_i || 7'(keep_slot) < slots);
      a_used : assert (used_set[some_slot] == taken_q);
      a_draining : assert (draining_set[some_slot] == (taken_q && marked_q));
      a_walked : assert (!taken_q || walked_set[some_slot] == walked_q);
      a_marked_is_taken : assert (taken_q || (!marked_q && !walked_q));
      a_configured : assert ((used_set >> slots) == '0);
      a_key : assert (!taken_q || (tids[16*some_slot+:16] == tid_q && sns[8*some_slot+:8] == sn_q));
      a_rest : assert (!taken_q || (addresses[64*some_slot+:64] == address_q && lengths[11*some_slot+:11] == bytes_q));
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
