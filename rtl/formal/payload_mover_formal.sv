// SPDX-License-Identifier: Apache-2.0
// Writes and pieces of drains never find a full queue; words of a frame are asked for in order, each once, up to its last byte.
// prove: cover 9, search 5, induction 1
// cut: u_mover.final_word
// cut: u_mover.piece_q
// cut: u_mover.draining
//
// The neighbours are those of rnic_core: at most 28 placed frames are in hand, and drains hold 64 slots of the buffer at most, each
// at least one. What a drain holds is free again when it has left. What stands in the queues is cut: it may be anything.
`default_nettype none

module payload_mover_formal (
    input logic        clk_i,
    input logic        write_i,
    input logic        write_drain_i,
    input logic [ 4:0] write_slot_i,
    input logic [10:0] write_bytes_i,
    input logic [15:0] write_tid_i,
    input logic        piece_i,
    input logic [ 5:0] piece_slot_i,
    input logic [10:0] piece_bytes_i,
    input logic        piece_last_i,
    input logic        left_i,
    input logic [ 6:0] freed_i,       // slots that the drain which leaves held
    input logic        copy_i,
    input logic [ 4:0] copy_slot_i,
    input logic [10:0] copy_bytes_i,
    input logic [ 5:0] copy_to_i
);
  localparam logic [7:0] Placed = 8'd28;  // cfg_rx_buffers_i of rnic_core, at most
  localparam logic [7:0] Slots = 8'd64;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic payload_valid, payload_last, left_staging, left_buffer, idle;
  logic [4:0] staging_slot;
  logic [7:0] staging_word, buffer_word;
  logic [5:0] buffer_slot;
  payload_mover u_mover (
      .clk_i,
      .rst_ni             (rst_nq),
      .write_i,
      .write_drain_i,
      .write_slot_i,
      .write_bytes_i,
      .write_tid_i,
      .piece_i,
      .piece_slot_i,
      .piece_bytes_i,
      .piece_last_i,
      .payload_valid_o    (payload_valid),
      .payload_o          (),
      .payload_last_o     (payload_last),
      .left_i,
      .left_staging_o     (left_staging),
      .left_slot_o        (),
      .left_buffer_o      (left_buffer),
      .left_tid_o         (),
      .copy_i,
      .copy_slot_i,
      .copy_bytes_i,
      .copy_to_i,
      .copied_o           (),
      .copied_slot_o      (),
      .buffer_write_o     (),
      .buffer_write_slot_o(),
      .buffer_write_word_o(),
      .buffer_data_o      (),
      .staging_slot_o     (staging_slot),
      .staging_word_o     (staging_word),
      .staging_data_i     (64'd0),
      .buffer_slot_o      (buffer_slot),
      .buffer_word_o      (buffer_word),
      .buffer_data_i      (64'd0),
      .idle_o             (idle)
  );

  // What is inside it: for the induction.
  logic [7:0] head;  // see u_mover.head_q
  logic [7:0] next;  // see u_mover.next_q
  logic [7:0] tail;  // see u_mover.tail_q
  logic [6:0] piece_head;  // see u_mover.piece_head_q
  logic [6:0] piece_tail;  // see u_mover.piece_tail_q
  logic [7:0] word;  // see u_mover.word_q
  logic [7:0] final_word;  // see u_mover.final_word
  logic draining;  // see u_mover.draining
  logic reading;  // see u_mover.reading
  logic last_word;  // see u_mover.last_word
  logic copying;  // see u_mover.copying_q
  logic copied;  // see u_mover.copied_o
  logic other;  // see u_mover.other_q

  // Shadow: placed frames and drains in hand, slots that drains hold, as the inputs say; words asked for of the frame in turn.
  logic [7:0] placed_q, drains_q, held_q, asked_q;
  logic [7:0] in_hand, unmoved;
  assign in_hand = tail - head;
  assign unmoved = 8'(7'(piece_tail - piece_head));
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      placed_q <= '0;
      drains_q <= '0;
      held_q   <= '0;
      asked_q  <= '0;
    end else begin
      placed_q <= placed_q + 8'(write_i && !write_drain_i) - 8'(left_staging);
      drains_q <= drains_q + 8'(write_i && write_drain_i) - 8'(left_buffer);
      held_q   <= held_q + 8'(piece_i) - (left_buffer ? 8'(freed_i) : 8'd0);
      if (reading) asked_q <= (asked_q == final_word) ? 8'd0 : asked_q + 8'd1;
    end
  end

  always_comb begin
    // rnic_core: a frame is placed out of rx_buffers, which it leaves with left_staging_o (a_staged_fit).
    assume (!(write_i && !write_drain_i) || placed_q < Placed);
    // indirect_buffer: a drain is of slots that nobody else drains (indirect_buffer_formal.sv: a walk comes to each once), there are
    // 64 of them, and they come free when the drain has left; by then all of them have been moved.
    assume (!(write_i && write_drain_i) || drains_q < Slots);
    assume (!piece_i || held_q < Slots);
    assume (!left_buffer || (8'(freed_i) <= held_q && held_q - 8'(freed_i) >= unmoved));
    // What leaves has been moved: a_left_was_moved of payload_mover.sv, by the link's rate.
    assume (!left_i || head != next);
    assume (drains_q != '0 || !left_buffer);
    assume (placed_q != '0 || !left_staging);
    // The wire brings no third frame before one of two has been copied: a_one_copy_interrupted of payload_mover.sv, not proved.
    assume (!copy_i || !copying || copied || !other);
    // Frames have bytes, 1,472 at most.
    assume (write_bytes_i != '0 && write_bytes_i <= 11'd1472 && piece_bytes_i != '0 && piece_bytes_i <= 11'd1472);
    assume (!reading || final_word <= 8'd183);
    // What is cut stands still while a frame is being moved: its entry is overwritten when it has left.
    assume (!reading || asked_q <= final_word);
    if (rst_nq) begin
      a_counted : assert (in_hand == placed_q + drains_q && placed_q <= Placed && drains_q <= Slots);
      a_writes_fit : assert (!write_i || in_hand < 8'd128);
      a_in_order : assert (8'(next - head) <= in_hand);
      a_pieces_counted : assert (unmoved <= held_q && held_q <= Slots);
      a_pieces_fit : assert (!piece_i || unmoved < Slots);
      a_word : assert (word == asked_q);
      a_up_to_the_last : assert (!reading || last_word == (word == final_word));
    end
    c_drained : cover (rst_nq && reading && draining && last_word && placed_q == 8'd1);
  end
endmodule

`default_nettype wire
