// SPDX-License-Identifier: Apache-2.0
// Payload on its way out of the RNIC: from receive staging or the indirect buffer to the PCIe link, in order of the DMA writes,
// eight bytes a cycle; and from staging into the indirect buffer.
//
// Staging has one read port. Where both want it they take turns: four bytes a cycle are what the fastest link carries, and
// more than the wire brings. A frame that is to be copied while another copy is running goes first: it is
// short, or it would not have come so soon, and is copied before the next one comes. (If the other one has been dropped meanwhile
// and this one has its slot: the other copy is already past the end of this one.)
`default_nettype none

module payload_mover #(
    parameter int unsigned Depth = 128  // writes between their first TLP and the end of the last; a power of two
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // A write begins: a frame to be placed, or a drain whose pieces follow
    input  logic        write_i,
    input  logic        write_drain_i,
    input  logic [ 4:0] write_slot_i,     // of staging
    input  logic [10:0] write_bytes_i,
    input  logic [15:0] write_tid_i,      // drain
    input  logic        piece_i,
    input  logic [ 5:0] piece_slot_i,     // of the indirect buffer
    input  logic [10:0] piece_bytes_i,
    input  logic        piece_last_i,
    // Its payload for the link; what takes it takes a word in every cycle
    output logic        payload_valid_o,
    output logic [63:0] payload_o,
    output logic        payload_last_o,   // of a frame
    // The oldest write has left the link
    input  logic        left_i,
    output logic        left_staging_o,
    output logic [ 4:0] left_slot_o,
    output logic        left_buffer_o,
    output logic [15:0] left_tid_o,
    // A frame goes from staging into the indirect buffer
    input  logic        copy_i,
    input  logic [ 4:0] copy_slot_i,
    input  logic [10:0] copy_bytes_i,
    input  logic [ 5:0] copy_to_i,
    output logic        copied_o,
    output logic [ 4:0] copied_slot_o,
    output logic        buffer_write_o,
    output logic [ 5:0] buffer_write_slot_o,
    output logic [ 7:0] buffer_write_word_o,
    output logic [63:0] buffer_data_o,
    // Memories: a word comes a cycle after its address
    output logic [ 4:0] staging_slot_o,
    output logic [ 7:0] staging_word_o,
    input  logic [63:0] staging_data_i,
    output logic [ 5:0] buffer_slot_o,
    output logic [ 7:0] buffer_word_o,
    input  logic [63:0] buffer_data_i,
    output logic        idle_o
);
  localparam int unsigned Bits = $clog2(Depth);
  localparam int unsigned Pieces = 64;

  logic drain_q[Depth];
  logic [4:0] slot_q[Depth];
  logic [10:0] bytes_q[Depth];            // less one: the high bits are the index of the last word
  logic [15:0] tid_q[Depth];
  logic [Bits:0] head_q, next_q, tail_q;  // oldest on the link, next to be moved, next place
  logic [17:0] pieces_q[Pieces];          // slot, bytes less one, last
  logic [6:0] piece_head_q, piece_tail_q;

  // The frame that is being read for the link.
  logic waiting, draining, wants_staging, reading, last_word, more_pieces, not_there_yet;
  logic copies;  // the port of staging is with the copy
  logic [7:0] final_word, word_q;
  logic [6:0] piece_following;
  logic [17:0] piece_q, piece_arrives;  // the first: in a register, because its slot is compared with three others
  logic [10:0] copy_less;               // bytes less one, as in the others
  assign waiting = (next_q != tail_q);
  assign draining = drain_q[next_q[Bits-1:0]];
  assign copy_less = copy_bytes_i - 11'd1;
  assign piece_arrives = {piece_slot_i, piece_bytes_i - 11'd1, piece_last_i};
  assign piece_following = piece_head_q + 7'd1;
  assign more_pieces = (piece_head_q != piece_tail_q);
  assign final_word = draining ? piece_q[11:4] : bytes_q[next_q[Bits-1:0]][10:3];
  assign wants_staging = waiting && !draining;
  assign reading = waiting && (draining ? more_pieces && !not_there_yet : !copies);
  assign last_word = (word_q == final_word);
  assign buffer_slot_o = piece_q[17:12];
  assign buffer_word_o = word_q;

  logic from_buffer_q, valid_q, last_q;
  assign payload_valid_o = valid_q;
  assign payload_last_o = last_q;
  assign payload_o = from_buffer_q ? buffer_data_i : staging_data_i;

  // The frame that is being copied, and the one that it has interrupted: from, to, last word, next word, and how many words can be
  // read: one less than have been asked for.
  logic copying_q, turn_q, copy_valid_q, copy_last, resume;
  logic [4:0] copy_slot_q;
  logic [5:0] copy_to_q, written_slot_q;
  logic [7:0] copy_final_q, copy_word_q, copy_there_q, written_word_q;
  logic other_q;
  logic [4:0] other_slot_q;
  logic [5:0] other_to_q;
  logic [7:0] other_final_q, other_word_q, other_there_q;
  assign copies = copying_q && (!wants_staging || turn_q);
  assign copy_last = (copy_word_q == copy_final_q);
  assign copied_o = copies && copy_last;
  assign copied_slot_o = copy_slot_q;
  assign resume = other_q && !copy_i && (copied_o || !copying_q);
  assign staging_slot_o = copies ? copy_slot_q : slot_q[next_q[Bits-1:0]];
  assign staging_word_o = copies ? copy_word_q : word_q;
  assign buffer_write_o = copy_valid_q;
  assign buffer_write_slot_o = written_slot_q;
  assign buffer_write_word_o = written_word_q;
  assign buffer_data_o = staging_data_i;

  // A drain must not overtake the copy of what it is about: a word can be read when it has been written a cycle before.
  assign not_there_yet = (copying_q && copy_to_q == piece_q[17:12] && word_q >= copy_there_q) ||
                         (other_q && other_to_q == piece_q[17:12] && word_q >= other_there_q) ||
                         (copy_valid_q && written_slot_q == piece_q[17:12] && word_q >= written_word_q);

  assign left_staging_o = left_i && !drain_q[head_q[Bits-1:0]];
  assign left_slot_o = slot_q[head_q[Bits-1:0]];
  assign left_buffer_o = left_i && drain_q[head_q[Bits-1:0]];
  assign left_tid_o = tid_q[head_q[Bits-1:0]];
  assign idle_o = (head_q == tail_q) && !copying_q && !other_q && !copy_valid_q && !valid_q && !more_pieces;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q        <= '0;
      next_q        <= '0;
      tail_q        <= '0;
      piece_head_q  <= '0;
      piece_tail_q  <= '0;
      word_q        <= '0;
      from_buffer_q <= 1'b0;
      valid_q       <= 1'b0;
      last_q        <= 1'b0;
      copying_q      <= 1'b0;
      turn_q         <= 1'b0;
      copy_valid_q   <= 1'b0;
      copy_slot_q    <= '0;
      copy_to_q      <= '0;
      copy_final_q   <= '0;
      copy_word_q    <= '0;
      copy_there_q   <= '0;
      written_slot_q <= '0;
      written_word_q <= '0;
      other_q        <= 1'b0;
      other_slot_q   <= '0;
      other_to_q     <= '0;
      other_final_q  <= '0;
      other_word_q   <= '0;
      other_there_q  <= '0;
    end else begin
      if (write_i) tail_q <= tail_q + (Bits + 1)'(1);
      if (left_i) head_q <= head_q + (Bits + 1)'(1);
      if (piece_i) piece_tail_q <= piece_tail_q + 7'd1;
      valid_q       <= reading;
      last_q        <= reading && last_word;
      from_buffer_q <= draining;
      if (reading) begin
        word_q <= last_word ? '0 : word_q + 8'd1;
        if (last_word && draining) piece_head_q <= piece_following;
        if (last_word && (!draining || piece_q[0])) next_q <= next_q + (Bits + 1)'(1);
      end
      copy_valid_q   <= copies;
      written_slot_q <= copy_to_q;
      written_word_q <= copy_word_q;
      turn_q         <= !copies;
      if (copies) begin
        copy_word_q  <= copy_word_q + 8'd1;
        copy_there_q <= copy_word_q;
      end
      if (copied_o) copying_q <= 1'b0;
      if (copy_i) begin
        copying_q    <= 1'b1;
        copy_slot_q  <= copy_slot_i;
        copy_to_q    <= copy_to_i;
        copy_final_q <= copy_less[10:3];
        copy_word_q  <= '0;
        copy_there_q <= '0;
        if (copying_q && !copied_o) begin
          other_q       <= 1'b1;
          other_slot_q  <= copy_slot_q;
          other_to_q    <= copy_to_q;
          other_final_q <= copy_final_q;
          other_word_q  <= copy_word_q + 8'(copies);
          other_there_q <= copies ? copy_word_q : copy_there_q;
        end
      end else if (resume) begin
        copying_q    <= 1'b1;
        copy_slot_q  <= other_slot_q;
        copy_to_q    <= other_to_q;
        copy_final_q <= other_final_q;
        copy_word_q  <= other_word_q;
        copy_there_q <= other_there_q;
        other_q      <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      drain_q[tail_q[Bits-1:0]] <= write_drain_i;
      slot_q[tail_q[Bits-1:0]]  <= write_slot_i;
      bytes_q[tail_q[Bits-1:0]] <= write_bytes_i - 11'd1;
      tid_q[tail_q[Bits-1:0]]   <= write_tid_i;
    end
    if (piece_i) pieces_q[piece_tail_q[5:0]] <= piece_arrives;
    if (!more_pieces) piece_q <= piece_arrives;
    else if (reading && last_word && draining)
      piece_q <= (piece_following == piece_tail_q) ? piece_arrives : pieces_q[piece_following[5:0]];
  end

  // Legal parameters.
  if (Depth < 4 || (Depth & (Depth - 1)) != 0) begin : gen_illegal_depth
    $error("payload_mover: Depth must be a power of two from 4 on");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_no_overflow : assert (!write_i || (tail_q - head_q) != (Bits + 1)'(Depth));
      a_pieces_fit : assert (!piece_i || (piece_tail_q - piece_head_q) != 7'(Pieces));
      a_left_was_moved : assert (!left_i || head_q != next_q);
      a_one_copy_interrupted : assert (!copy_i || !copying_q || copied_o || !other_q);
    end
  end
endmodule

`default_nettype wire
