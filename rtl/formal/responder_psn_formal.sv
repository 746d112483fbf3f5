// SPDX-License-Identifier: Apache-2.0
// Each PSN is executed once, in order; one NAK a gap; a message that begins anew is executed from its first packet.
// prove: cover 9, search 12, induction 7
//
// A QP whose word goes round: a request comes at any time, with any number, and what follows from the verdict is written before the
// next one. The sender keeps to 2^22 PSNs from the oldest one that is not acknowledged, READs included, as it must. Verdicts are not
// taken at once, but a cycle later at most: what waits does not change.
`default_nettype none

module responder_psn_formal (
    input logic        clk_i,
    input logic        valid_i,
    input logic        ready_i,
    input logic        repeats_i,   // go-back-0
    input logic [23:0] psn_i,
    input logic        first_i,
    input logic        last_i,
    input logic [23:0] packets_i,
    input logic        executes_i,  // what is expected passes the other checks
    input logic [23:0] watched_i    // a PSN, whichever
);
  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  // One at a time: a request waits while its QP has one under way.
  logic busy_q, ready, valid, is_expected, is_duplicate, gap, told, restarts, in_message, after_in_message;
  logic [23:0] expected, after, after_begun;
  logic [23:0] expected_q, begun_q, packets_q, psn_q;
  logic in_message_q, told_q, repeats_q;
  logic taken, decided, executed;
  assign taken = valid_i && !busy_q && ready;
  assign decided = valid && ready_i;
  assign executed = decided && is_expected && executes_i;

  responder_psn u_block (
      .clk_i,
      .rst_ni                (rst_nq),
      .cfg_repeats_message_i (repeats_q),
      .request_valid_i       (valid_i && !busy_q),
      .request_ready_o       (ready),
      .request_psn_i         (psn_i),
      .request_first_i       (first_i),
      .request_last_i        (last_i),
      .request_packets_i     (packets_i),
      .word_expected_i       (expected_q),
      .word_begun_i          (begun_q),
      .word_in_message_i     (in_message_q),
      .word_told_i           (told_q),
      .verdict_valid_o       (valid),
      .verdict_ready_i       (ready_i),
      .verdict_expected_o    (is_expected),
      .verdict_duplicate_o   (is_duplicate),
      .verdict_gap_o         (gap),
      .verdict_told_o        (told),
      .restarts_o            (restarts),
      .expected_o            (expected),
      .in_message_o          (in_message),
      .executed_expected_o   (after),
      .executed_begun_o      (after_begun),
      .executed_in_message_o (after_in_message)
  );

  // Of the PSN that is watched: executed, and not given up since. Of the gap: how many NAKs.
  logic [23:0] watched_q, from_begun, from_psn;
  logic done_q, naks_q;
  assign from_psn = watched_q - psn_q;
  assign from_begun = watched_q - begun_q;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      repeats_q    <= repeats_i;
      watched_q    <= watched_i;
      busy_q       <= 1'b0;
      expected_q   <= '0;
      begun_q      <= '0;
      in_message_q <= 1'b0;
      told_q       <= 1'b0;
      done_q       <= 1'b0;
      naks_q       <= 1'b0;
    end else begin
      if (taken) begin
        busy_q    <= 1'b1;
        psn_q     <= psn_i;
        packets_q <= packets_i;
      end
      if (decided) begin
        busy_q       <= 1'b0;
        expected_q   <= expected;
        in_message_q <= in_message;
        if (restarts && from_begun < 24'h40_0000) done_q <= 1'b0;
        if (gap) told_q <= 1'b1;
        if (gap) naks_q <= 1'b1;
      end
      if (executed) begin
        expected_q   <= after;
        begun_q      <= after_begun;
        in_message_q <= after_in_message;
        told_q       <= 1'b0;
        naks_q       <= 1'b0;
        if (from_psn < packets_q) done_q <= 1'b1;
      end
    end
  end
  logic first_q, last_q, first_q_is_legal, was_ready_q;
  // What the sender keeps to; a middle of a message is executed in a message only, and a message is below 2^22 packets.
  always_comb begin
    if (rst_nq) begin
      assume (packets_i != '0 && packets_i < 24'h20_0000);
      assume (first_i || packets_i == 24'd1);
      if (executed) assume (first_q_is_legal);
      assume (ready_i || was_ready_q);
      assume (watched_q - expected_q < 24'h40_0000 || expected_q - watched_q <= 24'h40_0000);
      assume (!in_message_q || expected_q - begun_q < 24'h20_0000);
    end
  end
  always_ff @(posedge clk_i) was_ready_q <= ready_i || !rst_nq;
  always_ff @(posedge clk_i) begin
    if (taken) begin
      first_q <= first_i;
      last_q  <= last_i;
    end
  end
  assign first_q_is_legal = first_q != in_message;

  // Where it is, and what its verdict has to be, by the request and the word that it came with: the word waits for it.
  logic in_first_q, in_second_q, starts_over;
  logic [23:0] ahead, from;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      in_first_q  <= 1'b0;
      in_second_q <= 1'b0;
    end else if (!in_second_q || ready_i) begin
      in_first_q  <= taken;
      in_second_q <= in_first_q;
    end
  end
  assign ahead = psn_q - expected_q;
  assign starts_over = repeats_q && in_message_q && ((first_q && psn_q == begun_q) || (ahead != '0 && !ahead[23]));
  assign from = starts_over ? begun_q : expected_q;

  logic [23:0] past, of_from;
  assign of_from = psn_q - from;
  assign past = expected_q - watched_q;  // from 1 on: it is behind
  always_ff @(posedge clk_i) begin
    if (rst_nq) begin
      a_where : assert (valid == in_second_q && busy_q == (in_first_q || in_second_q));
      a_expected : assert (!valid || (is_expected == (of_from == '0) && is_duplicate == of_from[23]));
      a_gap : assert (!valid || (gap == (!is_expected && !is_duplicate && !told_q)));
      a_words : assert (!valid || (restarts == starts_over && expected == from && after == psn_q + packets_q &&
          in_message == (in_message_q && !starts_over)));
      a_executed : assert (!valid || (after_begun == (first_q ? psn_q : begun_q) && after_in_message == !last_q));
      a_one_verdict : assert (!valid || 32'(is_expected) + 32'(is_duplicate) + 32'(gap) + 32'(told) == 1);
      // Executed is what has been passed, and nothing else: so nothing twice, and nothing is left out.
      a_in_order : assert (!done_q || (past != '0 && past <= 24'h40_0000));
      a_once : assert (!executed || !(from_psn < packets_q) || !done_q || (restarts && from_begun < 24'h40_0000));
      a_none_left_out : assert (!executed || psn_q == expected);
      a_one_nak : assert (!decided || !gap || !naks_q);
      a_told : assert (naks_q == told_q);
      a_restart : assert (!decided || !restarts || (repeats_q && in_message_q && expected == begun_q));
      c_twice_in_a_gap : cover (decided && told);
      c_restart : cover (decided && restarts && is_expected);
      c_duplicate : cover (decided && is_duplicate);
    end
  end
endmodule

`default_nettype wire
