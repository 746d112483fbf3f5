// SPDX-License-Identifier: Apache-2.0
// A frame filter with AXI-Stream on both sides: a whole frame is kept until it is known to be a DRP frame, or an
// ordinary one, for this station. What is not vanishes. tuser with tlast: the MAC has found the frame bad.
`default_nettype none

module axis_frame_filter (
    input  logic        aclk,
    input  logic        areset,
    input  logic [47:0] station,
    input  logic [ 7:0] s_axis_tdata,
    input  logic        s_axis_tvalid,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tuser,
    output logic        s_axis_tready,
    output logic [ 7:0] m_axis_tdata,
    output logic        m_axis_tvalid,
    output logic        m_axis_tlast,
    input  logic        m_axis_tready
);
  localparam int unsigned Bits = 12;  // of an address: room for two of the longest frames

  logic [8:0] kept[1<<Bits];  // tlast and the byte
  logic [Bits-1:0] begin_q, write_q, read_q;  // of the frame that comes in; next byte in; next byte out
  logic first_q, bad_q;
  logic [2:0] wait_q;  // for the verdict: one-hot, from the cycle after the last byte on
  logic full, taken, end_q, is_drp, is_ordinary, passes;

  assign full = write_q + Bits'(1) == read_q;
  assign s_axis_tready = !full && !end_q && wait_q == '0;
  assign taken = s_axis_tvalid && s_axis_tready;

  drp_frame_filter u_sorts (
      .clk_i(aclk),
      .rst_ni(!areset),
      .own_address_i(station),
      .valid_i(taken),
      .first_i(first_q),
      .data_i(s_axis_tdata),
      .end_i(end_q),
      .good_i(!bad_q),
      .drp_o(is_drp),
      .ordinary_o(is_ordinary),
      .other_destination_o(),
      .malformed_o(),
      .reason_o(), .ctrl_o(), .tid_o(), .len_o(), .sn_o(), .ackn_o(), .sba_o(), .dba_o(), .frame_bytes_o()
  );
  assign passes = is_drp || is_ordinary;

  always_ff @(posedge aclk) begin
    end_q <= taken && s_axis_tlast;
    wait_q <= {wait_q[1:0], end_q};
    if (taken) begin
      kept[write_q] <= {s_axis_tlast, s_axis_tdata};
      write_q <= write_q + Bits'(1);
      first_q <= s_axis_tlast;
      bad_q <= s_axis_tlast && s_axis_tuser;
    end
    if (wait_q[2]) begin
      if (passes) begin_q <= write_q;
      else write_q <= begin_q;
    end
    if (m_axis_tvalid && m_axis_tready) read_q <= read_q + Bits'(1);
    if (areset) begin
      begin_q <= '0;
      write_q <= '0;
      read_q <= '0;
      first_q <= 1'b1;
      wait_q <= '0;
      end_q <= 1'b0;
    end
  end

  assign m_axis_tvalid = read_q != begin_q;
  assign {m_axis_tlast, m_axis_tdata} = kept[read_q];
endmodule

`default_nettype wire
