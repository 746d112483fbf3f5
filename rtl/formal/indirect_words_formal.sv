// A word read is the one written last under its slot and its number.
// prove: cover 4, search 3, induction 2
//
// Followed is one word of one slot, whichever; of its 64 bits, which go one way, the lowest 4. Slots of any size in 256 words:
// indirect_places_formal.sv proves that no two of all 6,144 words have one place.
module indirect_words_formal (
    input logic        clk_i,
    input logic        write_i,
    input logic [ 5:0] write_slot_i,
    input logic [ 7:0] write_word_i,
    input logic [ 3:0] write_data_i,
    input logic [ 5:0] read_slot_i,
    input logic [ 7:0] read_word_i
);
  (* anyconst *) logic [6:0] slots;
  (* anyconst *) logic [7:0] slot_words;
  (* anyconst *) logic [5:0] some_slot;
  (* anyconst *) logic [7:0] some_word;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [63:0] read_data;
  indirect_buffer #(
      .Words(256)
  ) u_buffer (
      .clk_i,
      .rst_ni          (rst_nq),
      .cfg_slots_i     (slots),
      .cfg_slot_words_i(slot_words),
      .keep_i          (1'b0),
      .write_i,
      .write_slot_i,
      .write_word_i,
      .write_data_i    ({60'd0, write_data_i}),
      .mark_i          (1'b0),
      .drop_i          (1'b0),
      .left_i          (1'b0),
      .walk_i          (1'b0),
      .piece_ready_i   (1'b0),
      .read_slot_i,
      .read_word_i,
      .read_data_o     (read_data)
  );

  // What is inside it: for the induction.
  logic [16383:0] words;  // see 256 x 64 of u_buffer.words_q

  // Shadow of the word that is followed.
  logic written_q, read_q;
  logic [3:0] word_q, read_word_q;
  logic [7:0] some_at;
  assign some_at = 8'(14'(some_slot) * 14'(slot_words) + 14'(some_word));
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      written_q <= 1'b0;
      read_q    <= 1'b0;
    end else begin
      if (write_i && write_slot_i == some_slot && write_word_i == some_word) begin
        written_q <= 1'b1;
        word_q    <= write_data_i;
      end
      read_q      <= written_q && read_slot_i == some_slot && read_word_i == some_word;
      read_word_q <= word_q;
    end
  end

  always_comb begin
    assume (slots <= 7'd64 && 15'(slots) * 15'(slot_words) <= 15'd256);  // a_slots_fit
    // Words of a slot: payload_mover.
    assume (7'(some_slot) < slots && some_word < slot_words);
    assume (7'(write_slot_i) < slots && write_word_i < slot_words && 7'(read_slot_i) < slots && read_word_i < slot_words);
    if (rst_nq) begin
      a_stored : assert (!written_q || words[64*some_at+:4] == word_q);
      a_read : assert (!read_q || read_data[3:0] == read_word_q);
    end
    c_read_again : cover (rst_nq && read_q && some_slot == 6'd2 && some_word == 8'd3 && read_data[3:0] == 4'd5);
  end
endmodule
