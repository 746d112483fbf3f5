// SPDX-License-Identifier: Apache-2.0
// Each frame gets the one verdict that its length and the CRC ask for, two cycles after it; its bytes come out, but for the FCS.
// prove: search 6, induction 3
//
// Frames of any length: the induction has no bound. The CRC is taken from the block; tests compare it with others.
`default_nettype none

module gmac_rx_formal (
    input logic       clk_i,
    input logic [7:0] rxd_i,
    input logic       dv_i
);
  localparam logic [31:0] Residue = 32'hDEBB_20E3;  // of a frame with its FCS: IEEE 802.3 3.2.9

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic valid, first, ended, good, runt, oversize, bad_fcs;
  logic [7:0] data;
  gmac_rx u_rx (
      .clk_i,
      .rst_ni      (rst_nq),
      .gmii_rxd_i  (rxd_i),
      .gmii_rx_dv_i(dv_i),
      .valid_o     (valid),
      .first_o     (first),
      .data_o      (data),
      .end_o       (ended),
      .good_o      (good),
      .runt_o      (runt),
      .oversize_o  (oversize),
      .bad_fcs_o   (bad_fcs)
  );

  // What is inside it.
  logic [1:0] state;  // see u_rx.state_q
  logic [10:0] length;  // see u_rx.length_q
  logic [31:0] crc;  // see u_rx.crc_q
  logic [31:0] delay;  // see u_rx.delay_q

  // Shadow: what comes behind the SFD is the frame, of which `bytes_q` have come, the last four of them in `last_q`.
  logic in_frame_q, ignored_q;
  logic [15:0] bytes_q;
  logic [31:0] last_q;
  // A cycle later, and another.
  logic ended1_q, ended2_q, residue1_q, residue2_q, byte1_q, first1_q;
  logic [15:0] bytes1_q, bytes2_q;
  logic [7:0] data1_q;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      in_frame_q <= 1'b0;
      ignored_q  <= 1'b0;
      bytes_q    <= '0;
      last_q     <= '0;
      ended1_q   <= 1'b0;
      ended2_q   <= 1'b0;
      byte1_q    <= 1'b0;
      first1_q   <= 1'b0;
    end else begin
      if (!dv_i) begin
        in_frame_q <= 1'b0;
        ignored_q  <= 1'b0;
      end else if (in_frame_q) begin
        if (bytes_q != '1) bytes_q <= bytes_q + 16'd1;
        last_q <= {last_q[23:0], rxd_i};
      end else if (!ignored_q) begin
        in_frame_q <= rxd_i == 8'hD5;
        ignored_q  <= rxd_i != 8'hD5 && rxd_i != 8'h55;
        bytes_q    <= '0;
      end
      ended1_q   <= in_frame_q && !dv_i;
      bytes1_q   <= bytes_q;
      residue1_q <= crc == Residue;
      ended2_q   <= ended1_q;
      bytes2_q   <= bytes1_q;
      residue2_q <= residue1_q;
      byte1_q    <= in_frame_q && dv_i && bytes_q >= 16'd4;
      first1_q   <= in_frame_q && dv_i && bytes_q == 16'd4;
      data1_q    <= last_q[31:24];
    end
  end

  logic fits;
  assign fits = bytes2_q >= 16'd64 && bytes2_q <= 16'd1518;
  always_comb begin
    if (rst_nq) begin
      // For the induction.
      a_state : assert (state == {ignored_q, in_frame_q});
      a_length : assert (!in_frame_q || 16'(length) == ((bytes_q < 16'd2047) ? bytes_q : 16'd2047));
      a_delay : assert (delay == last_q);
      // The rules.
      a_end : assert (ended == ended2_q);
      a_runt : assert (runt == (ended2_q && bytes2_q < 16'd64));
      a_oversize : assert (oversize == (ended2_q && bytes2_q > 16'd1518));
      a_good : assert (good == (ended2_q && fits && residue2_q));
      a_bad_fcs : assert (bad_fcs == (ended2_q && fits && !residue2_q));
      a_byte : assert (valid == byte1_q && first == first1_q && (!valid || data == data1_q));
    end
  end
endmodule

`default_nettype wire
