// SPDX-License-Identifier: Apache-2.0
// The payload of a frame that is wanted stands in its slot, whatever comes after it: of any length, rejected or not.
// prove: cover 6, search 5, induction 1
//
// Followed is one byte of the payload in one slot, whichever. Of the memory only that word is looked at, as its two ports are used.
`default_nettype none

module staging_payload_formal (
    input logic        clk_i,
    input logic        valid_i,
    input logic        first_i,
    input logic [ 7:0] data_i,
    input logic        end_i,       // the frame has ended: no more bytes of it
    input logic        take_i,
    input logic [31:0] free_i,
    input logic [ 4:0] read_slot_i,
    input logic [ 7:0] read_word_i
);
  localparam logic [10:0] Header = 11'd46;  // Ethernet and DRP
  localparam int unsigned Words = 192;
  (* anyconst *) logic [4:0] some_slot;
  (* anyconst *) logic [10:0] some_byte;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [4:0] slot;
  logic empty;
  rx_staging u_staging (
      .clk_i,
      .rst_ni     (rst_nq),
      .valid_i,
      .first_i,
      .data_i,
      .take_i,
      .slot_o     (slot),
      .free_i,
      .read_slot_i,
      .read_word_i,
      .read_data_o(),
      .empty_o    (empty)
  );

  // What is inside it: for the induction.
  logic [31:0] used_set;  // see u_staging.used_q
  logic [10:0] count;  // see u_staging.count_q
  logic [63:0] word_q;  // see u_staging.word_q
  logic write;  // see u_staging.write
  logic [12:0] write_at;  // see u_staging.write_at
  logic [63:0] word;  // see u_staging.word
  logic [12:0] read_at;  // see u_staging.read_at

  function automatic logic [7:0] lane(input logic [63:0] from, input logic [2:0] at);
    lane = from[7:0];
    for (int i = 1; i < 8; i++) if (at == 3'(i)) lane = from[8*i+:8];
  endfunction

  // The frame that comes in: how far it is (as many bytes as nobody sends), and the byte that is followed, if it was there.
  logic open_q, seen_q, comes;
  logic [15:0] bytes_q;
  logic [7:0] byte_q;
  assign comes = valid_i && !first_i && bytes_q == 16'(Header + some_byte);
  // The slot that is followed: whether it has an owner, what that one's byte was; the word that holds it.
  logic owned_q, has_q, ram_valid_q;
  logic [7:0] kept_q, ram_q;
  logic [12:0] some_at;
  assign some_at = 13'(some_slot) * 13'(Words) + 13'(some_byte[10:3]);
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      open_q      <= 1'b0;
      seen_q      <= 1'b0;
      bytes_q     <= '0;
      owned_q     <= 1'b0;
      ram_valid_q <= 1'b0;
    end else begin
      open_q <= (open_q || valid_i) && !end_i;
      if (valid_i) begin
        bytes_q <= first_i ? 16'd1 : bytes_q + 16'(bytes_q != '1);
        if (first_i) seen_q <= 1'b0;
        if (comes) {seen_q, byte_q} <= {1'b1, data_i};
      end
      if (write && write_at == some_at) {ram_valid_q, ram_q} <= {1'b1, lane(word, some_byte[2:0])};
      if (take_i) seen_q <= 1'b0;  // its slot is another frame's place from now on
      if (take_i && slot == some_slot) {owned_q, has_q, kept_q} <= {1'b1, seen_q, byte_q};
      else if (free_i[some_slot]) owned_q <= 1'b0;
    end
  end

  always_comb begin
    assume (some_byte < 11'(8 * Words));
    // gmac_rx: bytes of a frame between its first one and its end.
    assume (!valid_i || first_i || open_q);
    assume (!(valid_i && first_i && open_q));
    // drp_frame_filter: the verdict comes when the frame has ended, before the next one's first byte: gap and preamble are longer.
    assume (!take_i || (!open_q && !valid_i));
    // As in rx_staging_formal.sv.
    assume ((free_i & ~used_set) == '0);
    assume (!take_i || ((used_set & ~free_i) | (32'd1 << slot)) != '1);
    // What is read is a word of a slot: payload_mover stops at the frame's last byte.
    assume (read_word_i < 8'(Words));
    if (rst_nq) begin
      a_no_alias : assert (!(slot == some_slot && owned_q) && used_set[some_slot] == owned_q);
      a_counted : assert (16'(count) == ((bytes_q < 16'd1582) ? bytes_q : 16'd1582));
      // Never into another slot, and a word's place is its own.
      a_within : assert (!write || (write_at == some_at) == (slot == some_slot && 11'(count - Header) >> 3 == some_byte >> 3));
      a_read : assert ((read_at == some_at) == (read_slot_i == some_slot && read_word_i == some_byte[10:3]));
      a_word : assert (!seen_q || (bytes_q > 16'(Header + some_byte) && (slot != some_slot || (ram_valid_q && ram_q == byte_q))));
      a_collected : assert (!seen_q || 16'(bytes_q - 16'(Header)) >> 3 != 16'(some_byte >> 3) || lane(word_q, some_byte[2:0]) == byte_q);
      a_payload : assert (!owned_q || !has_q || (ram_valid_q && ram_q == kept_q));
    end
    c_taken : cover (rst_nq && owned_q && slot != 5'd0);
  end
endmodule

`default_nettype wire
