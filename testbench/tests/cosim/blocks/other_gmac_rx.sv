// SPDX-License-Identifier: Apache-2.0
// A receive MAC as another author might write it, with the ports and the timing of rtl/gmac_rx.sv: bytes go through a row of
// registers, and are told once the four behind them are there. own_block_test.py puts faults of one cycle into it.
`default_nettype none
module other_gmac_rx (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [7:0] gmii_rxd_i,
    input  logic       gmii_rx_dv_i,
    output logic       valid_o,
    output logic       first_o,
    output logic [7:0] data_o,
    output logic       end_o,
    output logic       good_o,
    output logic       runt_o,
    output logic       oversize_o,
    output logic       bad_fcs_o
);
  localparam logic [10:0] FirstOut = 11'd4;  // bytes that have come before the first one goes on
  localparam logic [10:0] Most = 11'd1519;   // counts no further

  logic waits_q, inside_q;  // no SFD yet; in a frame
  logic [10:0] bytes_q;
  logic [7:0] row_q[4];
  logic [31:0] crc_q;
  logic ended_q;

  function automatic logic [31:0] crc_step(input logic [31:0] crc, input logic [7:0] value);
    logic [31:0] next;
    next = crc;
    for (int i = 0; i < 8; i++) next = (next >> 1) ^ ((next[0] ^ value[i]) ? 32'hEDB8_8320 : 32'h0);
    return next;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q    <= 1'b1;
      inside_q   <= 1'b0;
      bytes_q    <= '0;
      row_q      <= '{default: '0};
      crc_q      <= '1;
      ended_q    <= 1'b0;
      valid_o    <= 1'b0;
      first_o    <= 1'b0;
      data_o     <= '0;
      end_o      <= 1'b0;
      good_o     <= 1'b0;
      runt_o     <= 1'b0;
      oversize_o <= 1'b0;
      bad_fcs_o  <= 1'b0;
    end else begin
      if (!gmii_rx_dv_i) waits_q <= 1'b1;
      else if (gmii_rxd_i != 8'h55) waits_q <= 1'b0;
      inside_q <= gmii_rx_dv_i && (inside_q || (waits_q && gmii_rxd_i == 8'hD5));
      if (inside_q && gmii_rx_dv_i) begin
        row_q   <= '{gmii_rxd_i, row_q[0], row_q[1], row_q[2]};
        crc_q   <= crc_step(crc_q, gmii_rxd_i);
        if (bytes_q != Most) bytes_q <= bytes_q + 11'd1;
      end else if (!ended_q && !inside_q) begin
        bytes_q <= '0;
        crc_q   <= '1;
      end
      valid_o    <= inside_q && gmii_rx_dv_i && bytes_q >= 11'd4;
      first_o    <= inside_q && gmii_rx_dv_i && bytes_q == FirstOut;
      data_o     <= row_q[3];
      ended_q    <= inside_q && !gmii_rx_dv_i;
      end_o      <= ended_q;
      runt_o     <= ended_q && bytes_q < 11'd64;
      oversize_o <= ended_q && bytes_q > 11'd1518;
      good_o     <= ended_q && bytes_q >= 11'd64 && bytes_q <= 11'd1518 && crc_q == 32'hDEBB_20E3;
      bad_fcs_o  <= ended_q && bytes_q >= 11'd64 && bytes_q <= 11'd1518 && crc_q != 32'hDEBB_20E3;
    end
  end
endmodule
`default_nettype wire
