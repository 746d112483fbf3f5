// SPDX-License-Identifier: Apache-2.0
// Indirect buffer: 48 KiB for early data of writes, in slots of one segment, keyed by TID and SN (PROTOCOL.md 6.3).
//
// keep_i takes a free slot; words of eight bytes of its payload come with write_i, before they are read. mark_i: all
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
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned WordBits = $clog2(Words);
  localparam int unsigned Sixes = (Slots + 5) / 6;
  localparam int unsigned Quads = 16;

  // The slots stand in places, in order of their SNs: the next of a walk is the first one there is, and nobody compares what is
  // kept. A free slot keeps its place and the SN that it had; those never taken stand behind all others. What is kept
  // takes the first free slot to its own place; all between the two move one place towards the free one.
  logic [Slots-1:0] used_q, draining_q, walked_q;
  logic [Slots-1:0] due_q;    // of the walk, still to be named
  logic [Slots-1:0] never_q;  // never taken
  logic [Slots-1:0] new_q;    // kept in the cycle before: its slot follows
  logic [16*Slots-1:0] tid_q;
  logic [8*Slots-1:0] sn_q;
  logic [6*Slots-1:0] slot_q, slot;
  logic kept_q;
  logic [5:0] new_slot_q;
  logic [63:0] address_q[Slots];  // by slot, not by place
  logic [10:0] bytes_q[Slots];
  logic [63:0] words_q[Words];
  logic walking_q;
  logic [15:0] walk_tid_q;

  // The functions are cut for tables of six inputs.
  // From the first member of a set on.
  function automatic logic [Slots-1:0] from_first(input logic [Slots-1:0] set);
    logic [Slots-1:0] six, all;
    six = set | (set << 1) | (set << 2) | (set << 3) | (set << 4) | (set << 5);
    all = six | (six << 6) | (six << 12) | (six << 18) | (six << 24) | (six << 30);
    from_first = all | (all << 36);
  endfunction
  // The first slot of four that is meant; 0 if none is.
  function automatic logic [5:0] first_of(input logic [3:0] meant, input logic [23:0] slots);
    logic [5:0] low, high;
    low = meant[0] ? slots[5:0] : (slots[11:6] & {6{meant[1]}});
    high = meant[2] ? slots[17:12] : (slots[23:18] & {6{meant[3]}});
    first_of = low | (high & ~{6{meant[0] || meant[1]}});
  endfunction
  function automatic logic [5:0] first_of_quads(input logic [15:0] meant, input logic [95:0] slots);
    logic [3:0] some;
    logic [23:0] firsts;
    for (int i = 0; i < 4; i++) begin
      some[i] = (meant[4*i+:4] != '0);
      firsts[6*i+:6] = first_of(meant[4*i+:4], slots[24*i+:24]);
    end
    first_of_quads = first_of(some, firsts);
  endfunction
  // One SN is not above the other.
  function automatic logic not_above(input logic [7:0] one, input logic [7:0] other);
    logic [2:0] above;
    logic [2:1] same;
    above = {one[7:6] > other[7:6], one[5:3] > other[5:3], one[2:0] > other[2:0]};
    same = {one[7:6] == other[7:6], one[5:3] == other[5:3]};
    not_above = !(above[2] || (same[2] && (above[1] || (same[1] && above[0]))));
  endfunction
  // How many of six: sums of three, and of two such.
  function automatic logic [2:0] number_of(input logic [5:0] set);
    logic low, high, low_carry, high_carry, carry;
    low = set[0] ^ set[1] ^ set[2];
    high = set[3] ^ set[4] ^ set[5];
    low_carry = (set[0] && set[1]) || (set[2] && (set[0] || set[1]));
    high_carry = (set[3] && set[4]) || (set[5] && (set[3] || set[4]));
    carry = low && high;
    number_of = {
      (low_carry && high_carry) || (carry && (low_carry || high_carry)), low_carry ^ high_carry ^ carry, low ^ high
    };
  endfunction

  // What is kept: its slot, the first free one; its place, behind all whose SN is not above; who moves for it. A slot never
  // taken is the first free one only if all others are in use: so there are as many places as slots are configured.
  logic [Slots-1:0] from_free, behind, behind_below, from_free_below, moves_up, moves_down, enters;
  logic [15:0] quads_free;
  logic [95:0] quads_slot;
  logic [63:0] free;  // padded, as what follows is
  logic [383:0] slots;
  assign free = 64'({~used_q});
  assign slots = 384'(slot);
  always_comb begin
    slot = slot_q;
    if (kept_q) for (int i = 0; i < Slots; i++) if (new_q[i]) slot[6*i+:6] = new_slot_q;
    from_free = '0;
    behind = '0;
    quads_free = '0;
    quads_slot = '0;
    if (keep_i) begin
      from_free = from_first(~used_q);
      for (int i = 0; i < Slots; i++) behind[i] = !never_q[i] && not_above(sn_q[8*i+:8], keep_sn_i);
      for (int i = 0; i < Quads; i++) begin
        quads_free[i] = (free[4*i+:4] != '0);
        quads_slot[6*i+:6] = first_of(free[4*i+:4], slots[24*i+:24]);
      end
    end
  end
  assign keep_slot_o = first_of_quads(quads_free, quads_slot);
  assign behind_below = (behind << 1) | Slots'(keep_i);
  assign from_free_below = from_free << 1;
  assign moves_up = keep_i ? ~behind_below & ~from_free_below : '0;  // to this place from the one below
  assign moves_down = (behind >> 1) & from_free;
  assign enters = (behind & ~(behind >> 1) & from_free) | (~behind & behind_below & ~from_free_below);
  function automatic logic [Slots-1:0] moved(input logic [Slots-1:0] set);
    moved = (set & ~moves_up & ~moves_down & ~enters) | ((set << 1) & moves_up) | ((set >> 1) & moves_down);
  endfunction

  // Whom mark_i, drop_i, left_i and walk_i are about, by place.
  logic [Slots-1:0] of_tid, of_left, of_walk;
  always_comb begin
    of_tid = '0;
    of_left = '0;
    of_walk = '0;
    if (mark_i || drop_i) for (int i = 0; i < Slots; i++) of_tid[i] = used_q[i] && !draining_q[i] && tid_q[16*i+:16] == tid_i;
    if (left_i) for (int i = 0; i < Slots; i++) of_left[i] = draining_q[i] && tid_q[16*i+:16] == left_tid_i;
    if (walk_i && !(left_i && left_tid_i == walk_tid_i))
      for (int i = 0; i < Slots; i++) of_walk[i] = draining_q[i] && !walked_q[i] && tid_q[16*i+:16] == walk_tid_i;
  end

  // What becomes of the places, before anything moves.
  logic [Slots-1:0] used_d, first_due, named;
  assign used_d = used_q & ~of_left & ~(drop_i ? of_tid : '0);
  assign first_due = due_q & ~(from_first(due_q) << 1);
  assign named = piece_ready_i ? first_due : '0;

  // What is left of the walk, by four places: whether there is one, whether there are more, and the slot of the first. What is
  // kept moves places, but the order stays.
  logic [15:0] quads_due, from_quad, quads_due_q, quads_more_q;
  logic [95:0] quads_slot_q;
  logic [63:0] due, begun;
  logic [383:0] slots_due;
  assign due = 64'(due_q);
  assign begun = 64'(of_walk);
  assign slots_due = 384'(slot_q);
  always_comb for (int i = 0; i < Quads; i++) quads_due[i] = (due[4*i+:4] != '0);
  assign from_quad = 16'(from_first(Slots'(quads_due)));
  function automatic logic [3:0] without_first(input logic [3:0] set);
    without_first = {set[3] && set[2:0] != '0, set[2] && set[1:0] != '0, set[1] && set[0], 1'b0};
  endfunction

  logic [2*Quads-2:0] one, two;  // at least so many below; node n stands over nodes 2 n + 1 and 2 n + 2; the leaves are the quads
  logic walk_ends;
  always_comb begin
    one = {quads_due_q, {(Quads - 1) {1'b0}}};
    two = {quads_more_q, {(Quads - 1) {1'b0}}};
    for (int n = Quads - 2; n >= 0; n--) begin
      one[n] = one[2*n+1] || one[2*n+2];
      two[n] = two[2*n+1] || two[2*n+2] || (one[2*n+1] && one[2*n+2]);
    end
  end
  assign piece_valid_o = one[0];
  assign piece_last_o = one[0] && !two[0];
  assign piece_slot_o = first_of_quads(quads_due_q, quads_slot_q);
  assign piece_address_o = address_q[SlotBits'(piece_slot_o)];
  assign piece_bytes_o = bytes_q[SlotBits'(piece_slot_o)];
  assign walk_ends = !piece_valid_o || (piece_ready_i && piece_last_o);

  logic [15:0] takes;
  assign takes = piece_ready_i ? quads_due & ~(from_quad << 1) : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      quads_due_q  <= '0;
      quads_more_q <= '0;
    end else if (walk_i || walking_q) begin
      for (int i = 0; i < Quads; i++) begin
        quads_due_q[i] <= (begun[4*i+:4] != '0) || (takes[i] ? without_first(due[4*i+:4]) != '0 : quads_due[i]);
        quads_more_q[i] <= (without_first(begun[4*i+:4]) != '0) ||
                           ((takes[i] ? without_first(without_first(due[4*i+:4])) : without_first(due[4*i+:4])) != '0);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (walk_i || walking_q) begin
      for (int i = 0; i < Quads; i++) begin
        quads_slot_q[6*i+:6] <= first_of(begun[4*i+:4], slots_due[24*i+:24]) |
            (takes[i] ? first_of(without_first(due[4*i+:4]), slots_due[24*i+:24]) : first_of(due[4*i+:4], slots_due[24*i+:24]));
      end
    end
  end

  // Whether one of the first slots is free. How many are in use is counted in two steps: by sixes in this cycle, all in the next.
  logic [Quads-1:0] quads_there;
  logic [3*Sixes-1:0] sixes_q;
  logic [6*Sixes-1:0] counted;
  assign counted = (6 * Sixes)'(used_d);
  assign quads_there = ~({Quads{1'b1}} << cfg_slots_i[6:2]);
  always_comb begin
    full_o = 1'b1;
    for (int i = 0; i < Quads; i++) begin
      if (quads_there[i] && free[4*i+:4] != '0) full_o = 1'b0;
      if (cfg_slots_i[6:2] == 5'(i) && (free[4*i+:4] & ~(4'hF << cfg_slots_i[1:0])) != '0) full_o = 1'b0;
    end
    used_o = 7'(kept_q);
    for (int i = 0; i < Sixes; i++) used_o = used_o + 7'(sixes_q[3*i+:3]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q     <= '0;
      draining_q <= '0;
      walked_q   <= '0;
      due_q      <= '0;
      never_q    <= '1;
      new_q      <= '0;
      kept_q     <= 1'b0;
      sixes_q    <= '0;
      walking_q  <= 1'b0;
      walk_tid_q <= '0;
      for (int i = 0; i < Slots; i++) slot_q[6*i+:6] <= 6'(i);
    end else begin
      used_q     <= moved(used_d) | enters;
      draining_q <= moved((draining_q & ~of_left) | (mark_i ? of_tid : '0));
      walked_q   <= moved((walked_q & ~of_left) | named);
      due_q      <= moved((due_q & ~named) | of_walk);
      never_q    <= moved(never_q);
      new_q      <= enters;
      kept_q     <= keep_i;
      slot_q     <= slot;
      for (int i = 0; i < Sixes; i++) sixes_q[3*i+:3] <= number_of(counted[6*i+:6]);
      if (walk_i) begin
        walking_q  <= 1'b1;
        walk_tid_q <= walk_tid_i;
      end else if (walk_ends) begin
        walking_q <= 1'b0;
      end
      if (keep_i) begin
        for (int i = 1; i < Slots; i++) begin
          if (moves_up[i]) slot_q[6*i+:6] <= slot[6*(i-1)+:6];
          if (moves_down[i-1]) slot_q[6*(i-1)+:6] <= slot[6*i+:6];
        end
      end else if (used_q == '0) begin
        // Another configuration may follow: as after the reset.
        never_q <= '1;
        for (int i = 0; i < Slots; i++) slot_q[6*i+:6] <= 6'(i);
      end
    end
  end

  // Memories: no reset.
  logic [WordBits-1:0] read_at, write_at;
  assign write_at = WordBits'(write_slot_i) * WordBits'(cfg_slot_words_i) + WordBits'(write_word_i);
  assign read_at = WordBits'(read_slot_i) * WordBits'(cfg_slot_words_i) + WordBits'(read_word_i);
  always_ff @(posedge clk_i) begin
    if (keep_i) begin
      new_slot_q                        <= keep_slot_o;
      address_q[SlotBits'(keep_slot_o)] <= keep_address_i;
      bytes_q[SlotBits'(keep_slot_o)]   <= keep_bytes_i;
      for (int i = 0; i < Slots; i++) begin
        if (enters[i]) begin
          tid_q[16*i+:16] <= keep_tid_i;
          sn_q[8*i+:8]    <= keep_sn_i;
        end
      end
      for (int i = 1; i < Slots; i++) begin
        if (moves_up[i]) begin
          tid_q[16*i+:16] <= tid_q[16*(i-1)+:16];
          sn_q[8*i+:8]    <= sn_q[8*(i-1)+:8];
        end
        if (moves_down[i-1]) begin
          tid_q[16*(i-1)+:16] <= tid_q[16*i+:16];
          sn_q[8*(i-1)+:8]    <= sn_q[8*i+:8];
        end
      end
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
      a_no_mark_in_its_walk : assert (!mark_i || !((walk_i && walk_tid_i == tid_i) || (piece_valid_o && walk_tid_q == tid_i)));
      a_one_walk_at_a_time : assert (!walk_i || !walking_q);
    end
  end
endmodule

`default_nettype wire
