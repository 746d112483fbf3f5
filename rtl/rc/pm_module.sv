// SPDX-License-Identifier: Apache-2.0
// The persist module of a RoCEv2 responder: for each message that is to be persistent a flush read, behind the message's last write,
// and PACK once that has come back. The model: model/rnic/rc/persist/pm_module.h.
//
// Persists are held in a ring of slots, so that their order is that of the slots: those from next_q on are older than those before
// it. All that happens in a cycle counts from the next one on; a drop is the last of it.
`default_nettype none

module pm_module #(
    parameter int unsigned Qps = 8,        // from 2 on
    parameter int unsigned Tags = 16,      // flush reads under way at most, from 2 on
    parameter int unsigned PsnBits = 24,
    parameter int unsigned Capacity = 16   // persists held, from 1 on
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic [$clog2(Tags):0]          cfg_outstanding_i,   // of the tags, the lowest that are used: from 1 on
    input  logic                           cfg_coalesce_i,      // one flush read for all whose last write has been posted
    // The last packet of a message has been taken, its writes are asked for
    input  logic                           accept_valid_i,
    output logic                           accept_ready_o,
    input  logic [$clog2(Qps)-1:0]         accept_qp_i,
    input  logic [PsnBits-1:0]             accept_psn_i,        // of that packet
    input  logic [63:0]                    accept_address_i,    // for the flush read
    // The last write of the oldest persist of which that has not been said yet has been posted; dropped ones count
    input  logic                           posted_i,
    // A flush read is to be issued; a coalesced one is for more and more while it waits
    output logic                           read_valid_o,
    input  logic                           read_ready_i,
    output logic [$clog2(Tags)-1:0]        read_tag_o,
    output logic [63:0]                    read_address_o,
    // A flush read has come back
    input  logic                           completed_valid_i,
    input  logic [$clog2(Tags)-1:0]        completed_tag_i,
    // The QP's persists are persistent up to here; while this waits, it may tell of more, or of another QP
    output logic                           pack_valid_o,
    input  logic                           pack_ready_i,
    output logic [$clog2(Qps)-1:0]         pack_qp_o,
    output logic [PsnBits-1:0]             pack_psn_o,
    // The same of any QP, told or not: for duplicates
    input  logic [$clog2(Qps)-1:0]         lookup_qp_i,
    output logic                           lookup_valid_o,      // there is one
    output logic [PsnBits-1:0]             lookup_psn_o,
    // All persists of a QP are forgotten; tags under way stay taken until they come back
    input  logic                           drop_valid_i,
    input  logic [$clog2(Qps)-1:0]         drop_qp_i
);
  localparam int unsigned QpBits = $clog2(Qps);
  localparam int unsigned TagBits = $clog2(Tags);
  localparam int unsigned SlotBits = (Capacity == 1) ? 1 : $clog2(Capacity);
  localparam logic [SlotBits-1:0] LastSlot = SlotBits'(Capacity - 1);

  // The states of a slot, one at most: its last write is still to be posted; the same, but dropped; it waits for a flush read; that is
  // under way; that has come back. None: the slot is free.
  logic [Capacity-1:0] accepted_q, forgotten_q, waiting_q, reading_q, persisted_q, held;
  logic [Capacity*QpBits-1:0] qps_q;
  logic [Capacity*TagBits-1:0] tags_q;
  logic [PsnBits-1:0] psns_q[Capacity];
  logic [63:0] addresses_q[Capacity];
  logic [SlotBits-1:0] next_q, unposted_q;
  logic [Tags-1:0] busy_q;
  // The last PACK of each QP.
  logic [PsnBits-1:0] told_q[Qps];
  logic [Qps-1:0] told_valid_q;

  // Slots before next_q are younger than the others.
  logic [Capacity-1:0] old;
  always_comb begin
    for (int i = 0; i < Capacity; i++) old[i] = (SlotBits'(i) >= next_q);
  end
  function automatic logic [SlotBits-1:0] oldest(input logic [Capacity-1:0] these, input logic [Capacity-1:0] old_ones);
    oldest = '0;
    for (int i = Capacity - 1; i >= 0; i--) if (these[i] && !old_ones[i]) oldest = SlotBits'(i);
    for (int i = Capacity - 1; i >= 0; i--) if (these[i] && old_ones[i]) oldest = SlotBits'(i);
  endfunction
  function automatic logic [SlotBits-1:0] youngest(input logic [Capacity-1:0] these, input logic [Capacity-1:0] old_ones);
    youngest = '0;
    for (int i = 0; i < Capacity; i++) if (these[i] && old_ones[i]) youngest = SlotBits'(i);
    for (int i = 0; i < Capacity; i++) if (these[i] && !old_ones[i]) youngest = SlotBits'(i);
  endfunction

  logic accept;
  assign held = accepted_q | forgotten_q | waiting_q | reading_q | persisted_q;
  assign accept_ready_o = !held[next_q];
  assign accept = accept_valid_i && accept_ready_o;

  // The next flush read, with the lowest free tag.
  logic tag_free;
  logic [SlotBits-1:0] read_slot;
  logic [Capacity-1:0] taken;
  always_comb begin
    tag_free = 1'b0;
    read_tag_o = '0;
    for (int i = Tags - 1; i >= 0; i--) begin
      if (!busy_q[i] && (TagBits + 1)'(i) < cfg_outstanding_i) begin
        tag_free   = 1'b1;
        read_tag_o = TagBits'(i);
      end
    end
  end
  assign read_slot = cfg_coalesce_i ? youngest(waiting_q, old) : oldest(waiting_q, old);
  assign read_valid_o = tag_free && (waiting_q != '0);
  assign read_address_o = addresses_q[read_slot];
  always_comb begin
    for (int i = 0; i < Capacity; i++) begin
      taken[i] = read_valid_o && read_ready_i && waiting_q[i] && (cfg_coalesce_i || SlotBits'(i) == read_slot);
    end
  end

  // Persisted, and all of the QP before it as well: what is not read for yet is younger.
  logic [Capacity-1:0] in_order;
  always_comb begin
    in_order = persisted_q;
    for (int i = 0; i < Capacity; i++) begin
      for (int j = 0; j < Capacity; j++) begin
        if (reading_q[j] && qps_q[QpBits*j+:QpBits] == qps_q[QpBits*i+:QpBits] && (old[j] == old[i] ? j < i : old[j])) in_order[i] = 1'b0;
      end
    end
  end

  // Of the QP of the oldest of these all are told of, by the youngest one's PSN.
  logic take_pack;
  logic [SlotBits-1:0] pack_slot;
  logic [Capacity-1:0] of_pack, of_lookup;
  assign pack_slot = oldest(in_order, old);
  assign pack_qp_o = qps_q[QpBits*pack_slot+:QpBits];
  always_comb begin
    for (int i = 0; i < Capacity; i++) begin
      of_pack[i]   = in_order[i] && qps_q[QpBits*i+:QpBits] == pack_qp_o;
      of_lookup[i] = in_order[i] && qps_q[QpBits*i+:QpBits] == lookup_qp_i;
    end
  end
  assign pack_valid_o = (in_order != '0);
  assign pack_psn_o = psns_q[youngest(of_pack, old)];
  assign take_pack = pack_valid_o && pack_ready_i;
  assign lookup_valid_o = (of_lookup != '0) || told_valid_q[lookup_qp_i];
  assign lookup_psn_o = (of_lookup != '0) ? psns_q[youngest(of_lookup, old)] : told_q[lookup_qp_i];

  // What happens to each slot.
  logic [Capacity-1:0] accepted, posted, completed, packed_now, dropped;
  logic accept_dropped;
  assign accept_dropped = drop_valid_i && accept_qp_i == drop_qp_i;
  always_comb begin
    for (int i = 0; i < Capacity; i++) begin
      accepted[i]   = accept && SlotBits'(i) == next_q;
      posted[i]     = posted_i && SlotBits'(i) == unposted_q;
      completed[i]  = completed_valid_i && reading_q[i] && tags_q[TagBits*i+:TagBits] == completed_tag_i;
      packed_now[i] = take_pack && of_pack[i];
      dropped[i]    = drop_valid_i && qps_q[QpBits*i+:QpBits] == drop_qp_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q   <= '0;
      forgotten_q  <= '0;
      waiting_q    <= '0;
      reading_q    <= '0;
      persisted_q  <= '0;
      next_q       <= '0;
      unposted_q   <= '0;
      busy_q       <= '0;
      told_valid_q <= '0;
    end else begin
      accepted_q  <= (accepted_q & ~posted & ~dropped) | (accept_dropped ? '0 : accepted);
      forgotten_q <= ((forgotten_q | (accepted_q & dropped)) & ~posted) | (accept_dropped ? accepted : '0);
      waiting_q   <= ((waiting_q & ~taken) | (accepted_q & posted)) & ~dropped;
      reading_q   <= ((reading_q & ~completed) | taken) & ~dropped;
      persisted_q <= ((persisted_q & ~packed_now) | completed) & ~dropped;
      if (accept) next_q <= (next_q == LastSlot) ? '0 : next_q + SlotBits'(1);
      if (posted_i) unposted_q <= (unposted_q == LastSlot) ? '0 : unposted_q + SlotBits'(1);
      if (completed_valid_i) busy_q[completed_tag_i] <= 1'b0;
      if (read_valid_o && read_ready_i) busy_q[read_tag_o] <= 1'b1;
      if (take_pack) told_valid_q[pack_qp_o] <= 1'b1;
      if (drop_valid_i) told_valid_q[drop_qp_i] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Capacity; i++) begin
      if (accepted[i]) qps_q[QpBits*i+:QpBits] <= accept_qp_i;
      if (taken[i]) tags_q[TagBits*i+:TagBits] <= read_tag_o;
    end
    if (accept) psns_q[next_q] <= accept_psn_i;
    if (accept) addresses_q[next_q] <= accept_address_i;
    if (take_pack) told_q[pack_qp_o] <= pack_psn_o;
  end

  // Legal parameters.
  if (Qps < 2 || Tags < 2 || PsnBits < 1 || Capacity < 1) begin : gen_illegal
    $error("pm_module: Qps and Tags must be 2 at least, PsnBits and Capacity 1");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_outstanding : assert (cfg_outstanding_i >= (TagBits + 1)'(1) && cfg_outstanding_i <= (TagBits + 1)'(Tags));
      a_one_state : assert ((accepted_q & forgotten_q) == '0 && ((accepted_q | forgotten_q) & (waiting_q | reading_q | persisted_q)) == '0 &&
                            (waiting_q & reading_q) == '0 && ((waiting_q | reading_q) & persisted_q) == '0);
      a_posted_was_accepted : assert (!posted_i || accepted_q[unposted_q] || forgotten_q[unposted_q]);
      a_completed_was_under_way : assert (!completed_valid_i || busy_q[completed_tag_i]);
    end
  end
endmodule

`default_nettype wire
