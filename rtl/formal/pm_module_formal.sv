// SPDX-License-Identifier: Apache-2.0
// No PACK before a flush read has come back that was issued behind the last write; what is persistent never falls; nothing is forgotten.
// prove: cover 7, search 4, induction 1
//
// 2 QPs, 4 tags, 4 places, PSNs of 4 bits. Followed are one QP, whichever, and one of its persists. Completions come at any time.
`default_nettype none

module pm_module_formal (
    input logic       clk_i,
    input logic       accept_valid_i,
    input logic       accept_qp_i,
    input logic [3:0] accept_psn_i,
    input logic       posted_i,
    input logic       read_ready_i,
    input logic       completed_valid_i,
    input logic [1:0] completed_tag_i,
    input logic       pack_ready_i,
    input logic       drop_valid_i,
    input logic       drop_qp_i,
    input logic       watch_i             // the persist accepted in this cycle is the one to follow
);
  (* anyconst *) logic [2:0] outstanding;
  (* anyconst *) logic coalesce;
  (* anyconst *) logic qp;
  (* anyconst *) logic prompt;  // the host takes everything at once, and answers flush reads in the third cycle at the latest

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic accept_ready, read_valid, pack_valid, pack_qp, known;
  logic [1:0] read_tag;
  logic [3:0] pack_psn, persisted;
  pm_module #(
      .Qps     (2),
      .Tags    (4),
      .PsnBits (4),
      .Capacity(4)
  ) u_pm (
      .clk_i,
      .rst_ni           (rst_nq),
      .cfg_outstanding_i(outstanding),
      .cfg_coalesce_i   (coalesce),
      .accept_valid_i,
      .accept_ready_o   (accept_ready),
      .accept_qp_i,
      .accept_psn_i,
      .accept_address_i (64'd0),
      .posted_i,
      .read_valid_o     (read_valid),
      .read_ready_i,
      .read_tag_o       (read_tag),
      .read_address_o   (),
      .completed_valid_i,
      .completed_tag_i,
      .pack_valid_o     (pack_valid),
      .pack_ready_i,
      .pack_qp_o        (pack_qp),
      .pack_psn_o       (pack_psn),
      .lookup_qp_i      (qp),
      .lookup_valid_o   (known),
      .lookup_psn_o     (persisted),
      .drop_valid_i,
      .drop_qp_i
  );

  // What is inside it: for the induction.
  logic [3:0] accepted;  // see u_pm.accepted_q
  logic [3:0] forgotten;  // see u_pm.forgotten_q
  logic [3:0] waiting;  // see u_pm.waiting_q
  logic [3:0] reading;  // see u_pm.reading_q
  logic [3:0] done;  // see u_pm.persisted_q
  logic [3:0] qps;  // see u_pm.qps_q
  logic [3:0] taken;  // see u_pm.taken
  logic [7:0] tags;  // see u_pm.tags_q
  logic [15:0] psns;  // see 4 x 4 of u_pm.psns_q
  logic [7:0] told_psns;  // see 2 x 4 of u_pm.told_q
  logic [1:0] told_valid;  // see u_pm.told_valid_q
  logic [3:0] busy;  // see u_pm.busy_q
  logic [1:0] next;  // see u_pm.next_q
  logic [1:0] unposted;  // see u_pm.unposted_q

  logic accept, read, pack, drop;  // the last two of the QP that is followed
  assign accept = accept_valid_i && accept_ready;
  assign read = read_valid && read_ready_i;
  assign pack = pack_valid && pack_ready_i && pack_qp == qp;
  assign drop = drop_valid_i && drop_qp_i == qp;

  // The host's side: how many persists are still to be posted, which flush reads are under way.
  logic [2:0] unposted_q;
  logic [3:0] away_q;
  logic [7:0] ages_q;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      unposted_q <= '0;
      away_q     <= '0;
    end else begin
      unposted_q <= unposted_q + 3'(accept) - 3'(posted_i);
      away_q     <= (away_q & ~(4'(completed_valid_i) << completed_tag_i)) | (4'(read) << read_tag);
    end
    for (int i = 0; i < 4; i++) ages_q[2*i+:2] <= away_q[i] ? ages_q[2*i+:2] + 2'd1 : 2'd0;
  end

  // The QP: its first PSN less one, the last PSN received, the last PACK.
  logic begun_q, was_known_q, told_q;
  logic [3:0] start_q, received_q, was_q, told_psn_q, base, psn_ahead;
  assign base = told_q ? told_psn_q : start_q;
  assign psn_ahead = accept_psn_i - base;
  always_ff @(posedge clk_i) begin
    was_q       <= persisted;
    was_known_q <= rst_nq && known && !drop;
    if (accept && accept_qp_i == qp) begin
      if (!begun_q) start_q <= accept_psn_i - 4'd1;
      received_q <= accept_psn_i;
    end
    if (pack) told_psn_q <= pack_psn;
    begun_q <= rst_nq && !drop && (begun_q || (accept && accept_qp_i == qp));
    told_q  <= rst_nq && !drop && (told_q || pack);
  end

  // The persist that is followed: how many are to be posted before it, by which tags it is proved to be durable.
  logic watched_q, posted_q, durable_q, now, covered, covered_by_lookup;
  logic [1:0] ahead_q, place_q;
  logic [3:0] psn_q, proof_q, pack_after, lookup_after;
  logic [4:0] waited_q;  // cycles since its last write was posted
  assign now = accept && accept_qp_i == qp && watch_i && !watched_q;
  assign pack_after = pack_psn - psn_q;
  assign lookup_after = persisted - psn_q;
  assign covered = pack_valid && pack_qp == qp && pack_after < 4'd8;
  assign covered_by_lookup = known && lookup_after < 4'd8;
  always_ff @(posedge clk_i) begin
    if (!rst_nq || drop || (watched_q && covered && pack_ready_i)) begin
      watched_q <= 1'b0;
    end else if (now) begin
      watched_q <= 1'b1;
      posted_q  <= 1'b0;
      durable_q <= 1'b0;
      proof_q   <= '0;
      psn_q     <= accept_psn_i;
      place_q   <= next;
      ahead_q   <= 2'(unposted_q - 3'(posted_i));
      waited_q  <= '0;
    end else begin
      if (posted_q) waited_q <= waited_q + 5'd1;
      if (posted_i && ahead_q == '0) posted_q <= 1'b1;
      if (posted_i && !posted_q) ahead_q <= ahead_q - 2'd1;
      if (completed_valid_i && proof_q[completed_tag_i]) durable_q <= 1'b1;
      proof_q <= (proof_q & ~(4'(completed_valid_i) << completed_tag_i)) | (4'(read && posted_q) << read_tag);
    end
  end

  // Slots by age: what is read for comes before what is not; of the QP that is followed, PSNs go up, from behind the last PACK on.
  logic [3:0] live, of_qp, older;  // older: than the persist that is followed
  logic in_ring, in_order, reads_are_away, too_old, nothing_older;
  logic [1:0] at, after;
  logic [3:0] psn_at, psn_after;
  assign live = accepted | waiting | reading | done;
  always_comb begin
    in_ring = 1'b1;
    in_order = 1'b1;
    reads_are_away = 1'b1;
    too_old = 1'b0;
    for (int i = 0; i < 4; i++) begin
      of_qp[i] = live[i] && qps[i] == qp;
      older[i] = {1'b0, 2'(i) - next} < {1'b0, place_q - next};
      if ((accepted[i] || forgotten[i]) != ({1'b0, 2'(i) - unposted} < unposted_q)) in_ring = 1'b0;
      if (reading[i] && !away_q[tags[2*i+:2]]) reads_are_away = 1'b0;
      if (away_q[i] && ages_q[2*i+:2] == 2'd3) too_old = 1'b1;
    end
    for (int i = 0; i < 4; i++) begin
      at = next + 2'(i);
      psn_at = psns[4*at+:4] - base;
      if (of_qp[at] && (psn_at == '0 || psn_at > received_q - base)) in_order = 1'b0;
      for (int j = i + 1; j < 4; j++) begin
        after = next + 2'(j);
        psn_after = psns[4*after+:4] - base;
        if (of_qp[at] && of_qp[after] && psn_at >= psn_after) in_order = 1'b0;
        if ((accepted[at] || waiting[at]) && (reading[after] || done[after])) in_order = 1'b0;
      end
    end
    nothing_older = (of_qp & older) == '0;
  end

  logic [3:0] allowed;  // tags that may be used
  always_comb for (int i = 0; i < 4; i++) allowed[i] = 3'(i) < outstanding;

  // With a prompt host, how many cycles it may take until the PACK: four for each flush read up to the persist's own and three until a
  // tag is free, or what its QP's flush reads have left of three; then a cycle for each persist of the other QP that may go first.
  logic [4:0] reads_before, others_before, tag_left, back_left, at_most;
  always_comb begin
    reads_before = '0;
    others_before = '0;
    tag_left = 5'd3;
    back_left = '0;
    for (int i = 0; i < 4; i++) begin
      if (waiting[i] && (older[i] || 2'(i) == place_q)) reads_before = reads_before + 5'd4;
      if ((waiting[i] || reading[i] || done[i]) && older[i] && qps[i] != qp) others_before = others_before + 5'd1;
      if (allowed[i] && 5'(away_q[i] ? 2'd3 - ages_q[2*i+:2] : 2'd0) < tag_left) tag_left = 5'(away_q[i] ? 2'd3 - ages_q[2*i+:2] : 2'd0);
      if (reading[i] && qps[i] == qp && (older[i] || 2'(i) == place_q) && 5'(2'd3 - ages_q[2*tags[2*i+:2]+:2]) > back_left) begin
        back_left = 5'(2'd3 - ages_q[2*tags[2*i+:2]+:2]);
      end
    end
    at_most = (waiting[place_q] ? reads_before + tag_left : back_left) + others_before + 5'd1;
  end

  always_comb begin
    // scenarios/README.md.
    assume (outstanding >= 3'd1 && outstanding <= 3'd4);
    // What is posted was accepted, what comes back is under way.
    assume (!posted_i || unposted_q != '0);
    assume (!completed_valid_i || away_q[completed_tag_i]);
    if (prompt) begin
      assume (read_ready_i && pack_ready_i);
      for (int i = 0; i < 4; i++) assume (!(away_q[i] && ages_q[2*i+:2] == 2'd2) || (completed_valid_i && completed_tag_i == 2'(i)));
    end
    // A QP's PSNs go up, and less than half of them are in use (V-R4).
    assume (!(accept && accept_qp_i == qp && begun_q) || (psn_ahead < 4'd8 && psn_ahead > received_q - base));
    if (rst_nq) begin
      if (watched_q) begin
        // The first line.
        a_pack_is_durable : assert (!covered || durable_q);
        a_duplicates_are_told_what_is_durable : assert (!covered_by_lookup || durable_q);
        // Though a later one's flush read would prove it, its own has to be back, and those before it.
        a_own_read_is_back : assert (!(covered || covered_by_lookup) || done[place_q]);
        // It is kept until its PACK, in the state that the host knows of.
        a_kept : assert (of_qp[place_q] && psns[4*place_q+:4] == psn_q && accepted[place_q] == !posted_q);
        a_is_posted_in_turn : assert (posted_q || (3'(ahead_q) < unposted_q && place_q == unposted + ahead_q));
        a_read_behind_it : assert (!reading[place_q] || durable_q || proof_q[tags[2*place_q+:2]]);
        a_done : assert (!done[place_q] || durable_q);
        a_proof : assert ((proof_q & ~away_q) == '0 && (posted_q || (!durable_q && proof_q == '0)));
        // Its turn comes: the oldest that waits is read for, the oldest of the QP is told of.
        a_oldest_is_read : assert (!(waiting[place_q] && (waiting & older) == '0 && read) || taken[place_q]);
        a_oldest_is_told : assert (!(done[place_q] && nothing_older) || (pack_valid && (pack_qp != qp || covered)));
      end
      // It is told of in time.
      if (watched_q && prompt) begin
        a_told_in_time : assert (6'(waited_q) + 6'(posted_q ? at_most : 5'd0) <= 6'd23);
        a_waits_when_posted : assert (posted_q || waited_q == '0);
      end
      a_prompt : assert (!prompt || !too_old);
      // Whatever waits is read for as soon as a tag is free; a tag is free when it has come back.
      a_reads : assert (read_valid == (waiting != '0 && (allowed & ~away_q) != '0));
      a_tags : assert (busy == away_q && (away_q & ~allowed) == '0 && (!read_valid || (allowed[read_tag] && !away_q[read_tag])));
      a_ready : assert (accept_ready == !(live[next] || forgotten[next]));
      // What is persistent never falls, and never passes what was received.
      a_never_falls : assert (!was_known_q || (known && persisted - was_q < 4'd8));
      a_not_beyond : assert (!known || (begun_q && received_q - persisted < 4'd8));
      a_pack_is_new : assert (!(pack_valid && pack_qp == qp) || (pack_psn - base - 4'd1 < 4'd7 && received_q - pack_psn < 4'd8));
      // For the induction.
      a_states : assert (((accepted & forgotten) | ((accepted | forgotten) & (waiting | reading | done)) | (waiting & reading) |
                          ((waiting | reading) & done)) == '0);
      a_ring : assert (in_ring && unposted_q <= 3'd4 && next == unposted + unposted_q[1:0]);
      a_in_order : assert (in_order && reads_are_away && (!begun_q || received_q - base < 4'd8));
      a_told : assert (told_valid[qp] == told_q && (!told_q || told_psns[4*qp+:4] == told_psn_q));
      a_not_begun : assert (begun_q || (!told_q && of_qp == '0 && !watched_q));
    end
    c_prompt : cover (rst_nq && prompt && watched_q && covered && waited_q == 5'd2 && away_q != '0);
    c_two_told : cover (rst_nq && pack && watched_q && covered && told_q && outstanding == 3'd2 && away_q != '0);
  end
endmodule

`default_nettype wire
