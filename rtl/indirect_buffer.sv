// SPDX-License-Identifier: Apache-2.0
// Indirect buffer: 48 KiB for early data of writes, in slots of one segment, keyed by TID and SN (PROTOCOL.md 6.3).
//
// keep_i takes the lowest free slot; words of eight bytes of its payload come with write_i, before they are read. mark_i: all
// frames of a TID are going to memory; walk_i then names its slots by SN, one in each cycle with piece_ready_i, and read_i
// fetches words. left_i: it has left, its slots are free. drop_i frees what is not marked.
`default_nettype none

module indirect_buffer #(
    parameter int unsigned Slots = 64,    // at most
    parameter int unsigned Words = 6144   // of 8 bytes: 48 KiB, paper, table 2
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Configuration; constant while there is something kept
    input  logic [ 6:0] cfg_slots_i,      // 0 .. Slots
    input  logic [ 7:0] cfg_slot_words_i, // a segment, rounded up; slots x words <= Words
    output logic        full_o,
    output logic [ 6:0] used_o,           // slots
    // A frame comes
    input  logic        keep_i,
    input  logic [15:0] keep_tid_i,
    input  logic [ 7:0] keep_sn_i,
    input  logic [63:0] keep_address_i,   // where it wants to go
    input  logic [10:0] keep_bytes_i,
    output logic [ 5:0] keep_slot_o,      // with keep_i
    // Its payload
    input  logic        write_i,
    input  logic [ 5:0] write_slot_i,
    input  logic [ 7:0] write_word_i,
    input  logic [63:0] write_data_i,
    // What there is of a TID
    input  logic        mark_i,
    input  logic        drop_i,
    input  logic        left_i,
    input  logic [15:0] tid_i,            // of mark_i and drop_i
    input  logic [15:0] left_tid_i,
    // Its slots, by SN
    input  logic        walk_i,
    input  logic [15:0] walk_tid_i,
    output logic        piece_valid_o,
    input  logic        piece_ready_i,
    output logic [ 5:0] piece_slot_o,
    output logic [63:0] piece_address_o,
    output logic [10:0] piece_bytes_o,
    output logic        piece_last_o,
    // Payload: a cycle later
    input  logic [ 5:0] read_slot_i,
    input  logic [ 7:0] read_word_i,
    output logic [63:0] read_data_o
);
  localparam int unsigned WordBits = $clog2(Words);

  logic [Slots-1:0] used_q, draining_q, walked_q;
  logic [15:0] tid_q[Slots];
  logic [7:0] sn_q[Slots];
  logic [63:0] address_q[Slots];
  logic [10:0] bytes_q[Slots];
  logic [63:0] words_q[Words];
  logic [6:0] used_count_q;
  logic walking_q;
  logic [15:0] walk_tid_q;

  // The lowest free slot.
  logic [5:0] free;
  logic [Slots-1:0] of_tid, of_left, of_walk;
  always_comb begin
    free = '0;
    if (keep_i) for (int i = Slots - 1; i >= 0; i--) if (!used_q[i]) free = 6'(i);
  end
  assign keep_slot_o = free;
  assign full_o = (used_count_q >= cfg_slots_i);
  assign used_o = used_count_q;

  always_comb begin
    of_tid = '0;
    of_left = '0;
    if (mark_i || drop_i) for (int i = 0; i < Slots; i++) of_tid[i] = used_q[i] && !draining_q[i] && tid_q[i] == tid_i;
    if (left_i) for (int i = 0; i < Slots; i++) of_left[i] = draining_q[i] && tid_q[i] == left_tid_i;
  end

  // What is left of the walk, and the slot of the lowest SN in it: a tree, so that the way through it is 6 comparisons long.
  // Node n stands over nodes 2 n + 1 and 2 n + 2; the leaves are the slots.
  logic [2*Slots-2:0] one, two;  // at least so many below
  logic [8*(2*Slots-1)-1:0] sns;
  logic [6*(2*Slots-1)-1:0] slots;
  always_comb begin
    of_walk = '0;
    one = '0;
    two = '0;
    sns = '0;
    slots = '0;
    if (walking_q) begin
      for (int i = 0; i < Slots; i++) begin
        of_walk[i] = draining_q[i] && !walked_q[i] && tid_q[i] == walk_tid_q;
        one[Slots-1+i] = of_walk[i];
        sns[8*(Slots-1+i)+:8] = sn_q[i];
        slots[6*(Slots-1+i)+:6] = 6'(i);
      end
      for (int n = Slots - 2; n >= 0; n--) begin
        one[n] = one[2*n+1] || one[2*n+2];
        two[n] = two[2*n+1] || two[2*n+2] || (one[2*n+1] && one[2*n+2]);
        if (one[2*n+2] && (!one[2*n+1] || sns[8*(2*n+2)+:8] < sns[8*(2*n+1)+:8])) begin
          sns[8*n+:8] = sns[8*(2*n+2)+:8];
          slots[6*n+:6] = slots[6*(2*n+2)+:6];
        end else begin
          sns[8*n+:8] = sns[8*(2*n+1)+:8];
          slots[6*n+:6] = slots[6*(2*n+1)+:6];
        end
      end
    end
  end
  assign piece_valid_o = one[0];
  assign piece_last_o = one[0] && !two[0];
  assign piece_slot_o = slots[5:0];
  assign piece_address_o = address_q[piece_slot_o];
  assign piece_bytes_o = bytes_q[piece_slot_o];

  logic [6:0] freed;
  assign freed = 7'($countones(of_left | (drop_i ? of_tid : '0)));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q       <= '0;
      draining_q   <= '0;
      walked_q     <= '0;
      walking_q    <= 1'b0;
      walk_tid_q   <= '0;
      used_count_q <= '0;
    end else begin
      used_count_q <= used_count_q + 7'(keep_i) - freed;
      used_q       <= (used_q & ~of_left & ~(drop_i ? of_tid : '0)) | (keep_i ? (Slots'(1) << free) : '0);
      draining_q   <= (draining_q & ~of_left) | (mark_i ? of_tid : '0);
      walked_q     <= (walked_q & ~of_left) | ((piece_valid_o && piece_ready_i) ? (Slots'(1) << piece_slot_o) : '0);
      if (walk_i) begin
        walking_q  <= 1'b1;
        walk_tid_q <= walk_tid_i;
      end else if (!piece_valid_o || (piece_ready_i && piece_last_o)) begin
        walking_q <= 1'b0;
      end
    end
  end

  // Memories: no reset.
  logic [WordBits-1:0] read_at, write_at;
  assign write_at = WordBits'(write_slot_i) * WordBits'(cfg_slot_words_i) + WordBits'(write_word_i);
  assign read_at = WordBits'(read_slot_i) * WordBits'(cfg_slot_words_i) + WordBits'(read_word_i);
  always_ff @(posedge clk_i) begin
    if (keep_i) begin
      tid_q[free]     <= keep_tid_i;
      sn_q[free]      <= keep_sn_i;
      address_q[free] <= keep_address_i;
      bytes_q[free]   <= keep_bytes_i;
    end
    if (write_i) words_q[write_at] <= write_data_i;
    read_data_o <= words_q[read_at];
  end

  // Legal parameters.
  if (Slots < 2 || Slots > 64) begin : gen_illegal_slots
    $error("indirect_buffer: indices are 6 bits wide: Slots must be 2 .. 64");
  end
  if (Words < 256 || Words > 8192) begin : gen_illegal_words
    $error("indirect_buffer: Words must be 256 .. 8192");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_room_to_keep : assert (!keep_i || !full_o);
      a_slots_fit : assert (32'(cfg_slots_i) * 32'(cfg_slot_words_i) <= Words);
      a_draining_is_used : assert ((draining_q & ~used_q) == '0);
      a_one_walk_at_a_time : assert (!walk_i || !walking_q);
    end
  end
endmodule

`default_nettype wire
