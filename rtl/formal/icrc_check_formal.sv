// SPDX-License-Identifier: Apache-2.0
// Each byte of a packet but its last four comes out once, in order, and none is lost under any stall.
// prove: cover 14, search 13
// long: search
//
// Beats of 64 bits, both sides stall as they like. Followed is one beat, whichever: by the packets before it and its place in its own.
`default_nettype none

module icrc_check_formal (
    input logic        clk_i,
    input logic        valid_i,
    input logic [63:0] data_i,
    input logic [7:0]  keep_i,
    input logic        last_i,
    input logic        ready_i,
    input logic        watch_i   // the beat taken in this cycle is the one to follow
);
  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic ready, valid, last, user;
  logic [63:0] data;
  logic [7:0] keep;
  icrc_check #(
      .Width(64)
  ) u_block (
      .clk_i,
      .rst_ni         (rst_nq),
      .s_axis_tvalid_i(valid_i),
      .s_axis_tready_o(ready),
      .s_axis_tdata_i (data_i),
      .s_axis_tkeep_i (keep_i),
      .s_axis_tlast_i (last_i),
      .m_axis_tvalid_o(valid),
      .m_axis_tready_i(ready_i),
      .m_axis_tdata_o (data),
      .m_axis_tkeep_o (keep),
      .m_axis_tlast_o (last),
      .m_axis_tuser_o (user)
  );

  // Packets that are inside, as far as they are complete; the place of the next beat on each side.
  logic in, out, watched_q, last_q;
  logic [4:0] inside_q, ahead_q, in_place_q, out_place_q, place_q;
  logic [63:0] data_q;
  logic [7:0] keep_q;
  assign in = valid_i && ready;
  assign out = valid && ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      watched_q   <= 1'b0;
      inside_q    <= '0;
      in_place_q  <= '0;
      out_place_q <= '0;
    end else begin
      inside_q <= inside_q + 5'(in && last_i) - 5'(out && last);
      if (in) in_place_q <= last_i ? '0 : in_place_q + 5'd1;
      if (out) out_place_q <= last ? '0 : out_place_q + 5'd1;
      if (in && watch_i && !watched_q) begin
        watched_q <= 1'b1;
        ahead_q   <= inside_q - 5'(out && last);
        place_q   <= in_place_q;
        last_q    <= last_i;
        data_q    <= data_i;
        keep_q    <= keep_i;
      end else if (out && last) begin
        if (ahead_q == '0) watched_q <= 1'b0;
        ahead_q <= ahead_q - 5'd1;
      end
    end
  end

  // What was offered and not taken.
  logic offered_q, was_last_q, was_user_q;
  logic [63:0] was_data_q;
  logic [7:0] was_keep_q;
  always_ff @(posedge clk_i) begin
    offered_q  <= rst_nq && valid && !ready_i;
    was_last_q <= last;
    was_user_q <= user;
    was_data_q <= data;
    was_keep_q <= keep;
  end

  logic own, here, same;  // a beat of the watched one's packet; that one; its bytes are right
  assign own = watched_q && valid && ahead_q == '0;
  assign here = own && out_place_q == place_q;
  always_comb begin
    same = 1'b1;
    for (int i = 0; i < 8; i++) if (keep[i] && keep_q[i] && data[8*i+:8] != data_q[8*i+:8]) same = 1'b0;
  end

  always_comb begin
    // The ports' comments.
    assume (!valid_i || (keep_i[0] && (keep_i & (keep_i + 8'd1)) == '0 && (last_i || keep_i == '1)));
    if (rst_nq) begin
      a_stays : assert (!offered_q || (valid && last == was_last_q && user == was_user_q && data == was_data_q && keep == was_keep_q));
      a_full : assert (!valid || (last ? !user || last : keep == '1 && !user));
      a_bytes : assert (!here || same);
      a_less : assert (!(here && last_q) || (last && (keep_q[4] || place_q == '0) && keep == keep_q >> 4));
      a_cut : assert (!(own && last_q && place_q == out_place_q + 5'd1) || last == !keep_q[4]);
      a_cut_where : assert (!(own && last_q && last && place_q == out_place_q + 5'd1) || keep == {keep_q[3:0], 4'hF});
      a_not_before : assert (!(own && place_q > out_place_q + 5'd1) || !last);
      a_not_behind : assert (!(own && last_q) || place_q >= out_place_q);
    end
    c_end : cover (rst_nq && here && out && last && place_q == 5'd1 && last_q);
  end
endmodule

`default_nettype wire
