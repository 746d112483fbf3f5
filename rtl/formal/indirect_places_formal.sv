// SPDX-License-Identifier: Apache-2.0
// No two words of the indirect buffer have one place, whatever the number and size of its slots: all of its 48 KiB.
// prove: cover 1, search 1
//
// One cycle says all: a place depends on nothing that was before.
`default_nettype none

module indirect_places_formal (
    input logic       clk_i,
    input logic [5:0] write_slot_i,
    input logic [7:0] write_word_i,
    input logic [5:0] read_slot_i,
    input logic [7:0] read_word_i
);
  (* anyconst *) logic [6:0] slots;
  (* anyconst *) logic [7:0] slot_words;

  indirect_buffer u_buffer (
      .clk_i,
      .rst_ni          (1'b1),
      .cfg_slots_i     (slots),
      .cfg_slot_words_i(slot_words),
      .keep_i          (1'b0),
      .write_i         (1'b0),
      .write_slot_i,
      .write_word_i,
      .mark_i          (1'b0),
      .drop_i          (1'b0),
      .left_i          (1'b0),
      .walk_i          (1'b0),
      .piece_ready_i   (1'b0),
      .read_slot_i,
      .read_word_i
  );

  logic [12:0] write_at;  // see u_buffer.write_at
  logic [12:0] read_at;  // see u_buffer.read_at

  always_comb begin
    assume (slots <= 7'd64 && 15'(slots) * 15'(slot_words) <= 15'd6144);  // a_slots_fit
    // Words of a slot: payload_mover.
    assume (7'(write_slot_i) < slots && write_word_i < slot_words && 7'(read_slot_i) < slots && read_word_i < slot_words);
    a_apart : assert ((write_at == read_at) == (write_slot_i == read_slot_i && write_word_i == read_word_i));
    a_inside : assert (write_at < 13'd6144);
    c_last : cover (slots == 7'd64 && write_at == 13'd6143);
  end
endmodule

`default_nettype wire
