// SPDX-License-Identifier: Apache-2.0
// Where a request stands in the order of its QP: the next one, one that came before, or one behind a gap. The model: PsnEngine of
// model/rnic/rc. The QP's word comes with the request and goes back with the verdict: as it is now, and as it will be when the request
// has been executed; who executes it, or answers it with a NAK, writes it. Two cycles, a request in each; a stall stops both.
`default_nettype none

module responder_psn (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        cfg_repeats_message_i,  // go-back-0: a message that loses a packet comes anew from its first one
    // The request
    input  logic        request_valid_i,
    output logic        request_ready_o,
    input  logic [23:0] request_psn_i,
    input  logic        request_first_i,        // its opcode begins a message ...
    input  logic        request_last_i,         // ... or ends one
    input  logic [23:0] request_packets_i,      // PSNs that it takes: those of a READ's responses, else one; below 2^23
    // The word of its QP
    input  logic [23:0] word_expected_i,        // PSN of the next request
    input  logic [23:0] word_begun_i,           // of the first packet of the message under way
    input  logic        word_in_message_i,      // there is one
    input  logic        word_told_i,            // the gap has had its NAK
    // The verdict
    output logic        verdict_valid_o,
    input  logic        verdict_ready_i,
    output logic        verdict_expected_o,     // one of these: it is the next one,
    output logic        verdict_duplicate_o,    // it was executed before,
    output logic        verdict_gap_o,          // others are missing before it, and a NAK has to say so,
    output logic        verdict_told_o,         // the same, but it has been said
    output logic        restarts_o,             // the message under way is given up
    // The word, unless it is executed; a NAK sets `told`
    output logic [23:0] expected_o,
    output logic        in_message_o,
    // The word when it has been executed: `told` is 0
    output logic [23:0] executed_expected_o,
    output logic [23:0] executed_begun_o,
    output logic        executed_in_message_o
);
  logic advance;
  assign advance = !verdict_valid_o || verdict_ready_i;
  assign request_ready_o = advance;

  // How far it is ahead of what is expected, and would be if the message began anew; the sign is bit 23.
  logic valid_q, repeats_q, first_q, last_q, told_q;
  logic [23:0] psn_q, expected_q, begun_q, ahead_q, ahead_of_begun_q, end_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q         <= 1'b0;
      verdict_valid_o <= 1'b0;
    end else if (advance) begin
      valid_q         <= request_valid_i;
      verdict_valid_o <= valid_q;
    end
  end
  logic in_message_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      repeats_q        <= cfg_repeats_message_i;
      first_q          <= request_first_i;
      last_q           <= request_last_i;
      told_q           <= word_told_i;
      in_message_q     <= word_in_message_i;
      psn_q            <= request_psn_i;
      expected_q       <= word_expected_i;
      begun_q          <= word_begun_i;
      ahead_q          <= request_psn_i - word_expected_i;
      ahead_of_begun_q <= request_psn_i - word_begun_i;
      end_q            <= request_psn_i + request_packets_i;
    end
  end

  logic next, passed, again, restarts, is_expected, is_duplicate;
  assign next = ahead_q == '0;
  assign passed = ahead_q[23];
  assign again = first_q && ahead_of_begun_q == '0;
  assign restarts = repeats_q && in_message_q && (again || (!next && !passed));
  assign is_expected = restarts ? ahead_of_begun_q == '0 : next;
  assign is_duplicate = restarts ? ahead_of_begun_q[23] : passed;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      verdict_expected_o    <= is_expected;
      verdict_duplicate_o   <= is_duplicate;
      verdict_gap_o         <= !is_expected && !is_duplicate && !told_q;
      verdict_told_o        <= !is_expected && !is_duplicate && told_q;
      restarts_o            <= restarts;
      expected_o            <= restarts ? begun_q : expected_q;
      in_message_o          <= in_message_q && !restarts;
      executed_expected_o   <= end_q;
      executed_begun_o      <= first_q ? psn_q : begun_q;
      executed_in_message_o <= !last_q;
    end
  end
endmodule

`default_nettype wire
