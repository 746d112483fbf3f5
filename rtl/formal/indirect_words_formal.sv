// SPDX-License-Identifier: Apache-2.0
// A word read is the one written last under its slot and its number.
// prove: cover 4, search 3, induction 1
// cut: u_buffer.write_at
// cut: u_buffer.read_at
//
// Followed is one word of one slot, whichever; of its 64 bits, which go one way, the lowest 4. 256 words instead
// of 6,144. Places are any: taken from indirect_places_formal.sv is that no two words have one.
`default_nettype none

module indirect_words_formal (
    input logic        clk_i,
    input logic        write_i,
    input logic [ 5:0] write_slot_i,
    input logic [ 7:0] write_word_i,
    input logic [ 3:0] write_data_i,
    input logic [ 5:0] read_slot_i,
    input logic [ 7:0] read_word_i
);
  (* anyconst *) logic [5:0] some_slot;
  (* anyconst *) logic [7:0] some_word, some_at;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [63:0] read_data;
  indirect_buffer #(
      .Words(256)
  ) u_buffer (
      .clk_i,
      .rst_ni          (rst_nq),
      .cfg_slots_i     (7'd2),
      .cfg_slot_words_i(8'd96),
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
  logic [7:0] write_at;  // see u_buffer.write_at
  logic [7:0] read_at;  // see u_buffer.read_at
  logic [63:0] used_set;  // see u_buffer.used_q
  logic [63:0] draining_set;  // see u_buffer.draining_q
  logic [16383:0] words;  // see 256 x 64 of u_buffer.words_q

  // Shadow of the word that is followed.
  logic written_q, read_q;
  logic [3:0] word_q, read_word_q;
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
    // What indirect_places_formal.sv proves.
    assume ((write_at == some_at) == (write_slot_i == some_slot && write_word_i == some_word));
    assume ((read_at == some_at) == (read_slot_i == some_slot && read_word_i == some_word));
    if (rst_nq) begin
      a_no_slot_taken : assert (used_set == '0 && draining_set == '0);
      a_stored : assert (!written_q || words[64*some_at+:4] == word_q);
      a_read : assert (!read_q || read_data[3:0] == read_word_q);
    end
    c_read_again : cover (rst_nq && read_q && some_slot == 6'd2 && some_word == 8'd3 && read_data[3:0] == 4'd5);
  end
endmodule

`default_nettype wire
