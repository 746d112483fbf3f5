// SPDX-License-Identifier: Apache-2.0
// Each beat of a packet comes out once, in order, as it came, with its verdict, and none is lost under any stall.
// prove: cover 12, search 13
// long: search
//
// Beats of 64 bits, both sides stall as they like. Followed is one beat, whichever, by the beats before it.
`default_nettype none

module packet_parser_formal (
    input logic        clk_i,
    input logic        valid_i,
    input logic [63:0] data_i,
    input logic [7:0]  keep_i,
    input logic        last_i,
    input logic        user_i,
    input logic        ready_i,
    input logic        watch_i   // the beat taken in this cycle is the one to follow
);
  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic ready, valid, last, user;
  logic [63:0] data;
  logic [7:0] keep;
  logic [3:0] error;
  logic [15:0] payload;
  logic [6:0] payload_at;
  logic [7:0] opcode;
  logic [23:0] psn;
  packet_parser #(
      .Width(64)
  ) u_block (
      .clk_i,
      .rst_ni         (rst_nq),
      .s_axis_tvalid_i(valid_i),
      .s_axis_tready_o(ready),
      .s_axis_tdata_i (data_i),
      .s_axis_tkeep_i (keep_i),
      .s_axis_tlast_i (last_i),
      .s_axis_tuser_i (user_i),
      .m_axis_tvalid_o(valid),
      .m_axis_tready_i(ready_i),
      .m_axis_tdata_o (data),
      .m_axis_tkeep_o (keep),
      .m_axis_tlast_o (last),
      .m_axis_tuser_o (user),
      .error_o        (error),
      .payload_at_o   (payload_at),
      .payload_o      (payload),
      .opcode_o       (opcode),
      .psn_o          (psn)
  );

  // Beats inside, and those in front of the one that is followed.
  logic in, out, watched_q, last_q;
  logic [3:0] inside_q, ahead_q;
  logic [63:0] data_q;
  logic [7:0] keep_q;
  assign in = valid_i && ready;
  assign out = valid && ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      watched_q <= 1'b0;
      inside_q  <= '0;
    end else begin
      inside_q <= inside_q + 4'(in) - 4'(out);
      if (in && watch_i && !watched_q) begin
        watched_q <= 1'b1;
        ahead_q   <= inside_q - 4'(out);
        last_q    <= last_i;
        data_q    <= data_i;
        keep_q    <= keep_i;
      end else if (out) begin
        if (ahead_q == '0) watched_q <= 1'b0;
        ahead_q <= ahead_q - 4'd1;
      end
    end
  end

  // What was offered and not taken.
  logic offered_q;
  logic [133:0] said, said_q;
  assign said = {last, user, keep, data, error, payload_at, payload, opcode, psn};
  always_ff @(posedge clk_i) begin
    offered_q <= rst_nq && valid && !ready_i;
    said_q    <= said;
  end

  logic here, same;
  assign here = watched_q && valid && ahead_q == '0;
  always_comb begin
    same = 1'b1;
    for (int i = 0; i < 8; i++) if (data[8*i+:8] != (keep_q[i] ? data_q[8*i+:8] : 8'd0)) same = 1'b0;
  end

  always_comb begin
    // The ports' comments.
    assume (!valid_i || (keep_i[0] && (keep_i & (keep_i + 8'd1)) == '0 && (last_i || keep_i == '1)));
    if (rst_nq) begin
      a_stays : assert (!offered_q || (valid && said == said_q));
      a_same : assert (!here || (same && keep == keep_q && last == last_q));
      a_none_from_nowhere : assert (!valid || inside_q != '0);
      a_no_room : assert (inside_q <= 4'd7);
      a_user : assert (!valid || user == (last && error != '0));
      a_payload : assert (!valid || payload_at == '0 || (error == '0 && payload_at >= 7'd40 && payload_at <= 7'd88 && payload_at[1:0] == '0));
    end
    c_end : cover (rst_nq && here && out && last && watched_q);
  end
endmodule

`default_nettype wire
