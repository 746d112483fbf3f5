// SPDX-License-Identifier: Apache-2.0
// A transmit MAC as another author might write it, with the ports and the timing of rtl/gmac_tx.sv: one counter from the start
// of a frame on, and a gap that it keeps by itself, from what is on the wire. own_block_test.py puts faults of one cycle into it.
`default_nettype none
module other_gmac_tx (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       start_i,
    output logic       ready_o,
    input  logic [7:0] data_i,
    input  logic       last_i,
    output logic       take_o,
    output logic [7:0] gmii_txd_o,
    output logic       gmii_tx_en_o
);
  localparam bit TakesEarly = 1'b0;        // a byte waits one cycle in a register
  localparam logic [4:0] TailCycles = 5'd9;  // from the last byte to ready_o
  localparam logic [3:0] Gap = 4'd12;

  logic [10:0] count_q;  // cycles since start_i; 0: idle
  logic [10:0] body_q;   // bytes sent, padding included
  logic [2:0] fcs_q;     // bytes of the FCS sent
  logic [4:0] tail_q;
  logic [3:0] quiet_q;   // cycles without a byte on the wire, before this one
  logic taken_q;         // the last byte
  logic ended_q;         // the last byte has been sent
  logic [7:0] held_data_q;
  logic held_last_q;
  logic [31:0] crc_q;

  logic take, preamble, body, fcs, tail, last, gap_kept;
  logic [7:0] data, sent;

  assign ready_o  = count_q == 0;
  assign take     = count_q >= (TakesEarly ? 11'd10 : 11'd11) && !taken_q;
  assign take_o   = take;
  assign gap_kept = quiet_q >= Gap - 4'd1;
  assign preamble = (count_q == 3 && gap_kept) || (count_q > 3 && count_q <= 10);
  assign body     = count_q >= 11 && !(ended_q && body_q >= 60);
  assign fcs      = count_q >= 11 && !body && fcs_q != 4;
  assign tail     = count_q >= 11 && !body && fcs_q == 4;
  assign data     = TakesEarly ? held_data_q : data_i;
  assign last     = TakesEarly ? held_last_q : last_i;

  always_comb begin
    sent = 8'h00;  // padding
    if (preamble) sent = count_q == 10 ? 8'hD5 : 8'h55;
    else if (body && !ended_q) sent = data;
    else if (fcs) sent = ~crc_q[7:0];
  end

  function automatic logic [31:0] crc_step(input logic [31:0] crc, input logic [7:0] value);
    logic [31:0] next;
    next = crc;
    for (int i = 0; i < 8; i++) next = (next >> 1) ^ ((next[0] ^ value[i]) ? 32'hEDB8_8320 : 32'h0);
    return next;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q      <= '0;
      body_q       <= '0;
      fcs_q        <= '0;
      tail_q       <= '0;
      quiet_q      <= Gap;
      taken_q      <= 1'b0;
      ended_q      <= 1'b0;
      held_data_q  <= '0;
      held_last_q  <= 1'b0;
      crc_q        <= '1;
      gmii_txd_o   <= '0;
      gmii_tx_en_o <= 1'b0;
    end else begin
      held_data_q  <= data_i;
      held_last_q  <= last_i;
      gmii_txd_o   <= sent;
      gmii_tx_en_o <= preamble || body || fcs;
      quiet_q      <= gmii_tx_en_o ? 4'd0 : quiet_q == Gap ? Gap : quiet_q + 4'd1;
      if (ready_o) begin
        if (start_i) count_q <= 11'd1;
        body_q  <= '0;
        fcs_q   <= '0;
        tail_q  <= 5'd1;
        taken_q <= 1'b0;
        ended_q <= 1'b0;
        crc_q   <= '1;
      end else begin
        if (!(count_q == 3 && !gap_kept) && count_q != '1) count_q <= count_q + 11'd1;
        if (take && last_i) taken_q <= 1'b1;
        if (body) begin
          body_q <= body_q + 11'd1;
          crc_q  <= crc_step(crc_q, sent);
          if (last) ended_q <= 1'b1;
        end
        if (fcs) begin
          fcs_q <= fcs_q + 3'd1;
          crc_q <= {8'hFF, crc_q[31:8]};
        end
        if (tail) begin
          tail_q <= tail_q + 5'd1;
          if (tail_q == TailCycles) count_q <= '0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) a_start : assert (!start_i || ready_o) else $error("mine: a frame is in hand");
  end
endmodule
`default_nettype wire
