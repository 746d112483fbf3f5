// SPDX-License-Identifier: Apache-2.0
// A Gigabit MAC with AXI-Stream of 8 bits and GMII, as another author would write it: other states and latencies than
// gmac_tx and gmac_rx, and what users have seen such MACs do wrong, by parameter.
`default_nettype none

module axis_mac #(
    parameter int unsigned Gap      = 12,  // cycles between two frames
    parameter int unsigned TxWait   = 4,   // cycles from tvalid to the preamble, less one; 2 .. Gap - 2
    parameter int unsigned RxWait   = 4,   // more cycles from the wire to the stream
    parameter bit          ChecksFcs = 1'b1,
    parameter bit          Pads      = 1'b1
) (
    input  wire       clk,
    input  wire       rst,  // synchronous
    // to the wire
    input  wire [7:0] s_axis_tdata,
    input  wire       s_axis_tvalid,
    input  wire       s_axis_tlast,
    output wire       s_axis_tready,
    output reg  [7:0] gmii_txd,
    output reg        gmii_tx_en,
    output reg        gmii_tx_er,
    // from the wire
    input  wire [7:0] gmii_rxd,
    input  wire       gmii_rx_dv,
    input  wire       gmii_rx_er,
    output wire [7:0] m_axis_tdata,
    output wire       m_axis_tvalid,
    output wire       m_axis_tlast,
    output wire       m_axis_tuser,
    // for software
    input  wire       cfg_enable,
    output reg [15:0] frames_seen
);
  function automatic [31:0] crc_of(input [31:0] crc, input [7:0] data);
    crc_of = crc;
    for (int i = 0; i < 8; i++) crc_of = (crc_of >> 1) ^ ((crc_of[0] ^ data[i]) ? 32'hEDB8_8320 : 32'h0);
  endfunction

  // Transmit: one counter walks through preamble, data, padding, FCS and gap.
  localparam bit [2:0] TxIdle = 0, TxWaits = 1, TxPreamble = 2, TxData = 3, TxPad = 4, TxFcs = 5, TxGap = 6;
  reg [2:0] tx;
  reg [10:0] count;
  reg [31:0] tx_crc;
  wire [31:0] tx_fcs = ~tx_crc;

  assign s_axis_tready = tx == TxData;

  always @(posedge clk) begin
    gmii_tx_en <= 1'b0;
    gmii_tx_er <= 1'b0;
    gmii_txd   <= 8'h00;
    count <= count + 1'b1;
    case (tx)
      TxIdle: begin
        count <= 11'd0;
        if (s_axis_tvalid && cfg_enable) tx <= TxWaits;
      end
      TxWaits:
      if (count == 11'(TxWait - 2)) begin
        tx <= TxPreamble;
        count <= 11'd0;
      end
      TxPreamble: begin
        gmii_tx_en <= 1'b1;
        gmii_txd <= (count == 11'd7) ? 8'hD5 : 8'h55;
        tx_crc <= '1;
        if (count == 11'd7) begin
          tx <= TxData;
          count <= 11'd0;
        end
      end
      TxData: begin
        gmii_tx_en <= 1'b1;
        gmii_txd <= s_axis_tdata;
        gmii_tx_er <= !s_axis_tvalid;
        tx_crc <= crc_of(tx_crc, s_axis_tdata);
        if (s_axis_tlast || !s_axis_tvalid) begin
          tx <= (Pads && count < 11'd59) ? TxPad : TxFcs;
          if (!(Pads && count < 11'd59)) count <= 11'd0;
        end
      end
      TxPad: begin
        gmii_tx_en <= 1'b1;
        tx_crc <= crc_of(tx_crc, 8'h00);
        if (count == 11'd59) begin
          tx <= TxFcs;
          count <= 11'd0;
        end
      end
      TxFcs: begin
        gmii_tx_en <= 1'b1;
        gmii_txd <= tx_fcs[8*count[1:0]+:8];
        if (count == 11'd3) begin
          tx <= TxGap;
          count <= 11'd0;
        end
      end
      default:
      if (count >= 11'(Gap - TxWait - 1)) begin
        tx <= TxIdle;
        count <= 11'd0;
      end
    endcase
    if (rst) begin
      tx <= TxIdle;
      gmii_tx_en <= 1'b0;
    end
  end

  // Receive: a byte leaves the line of bytes when five have come behind it, the last one when the frame has ended.
  reg [7:0] line[4];
  reg [2:0] held;  // bytes in the line
  reg in_frame, broken;
  reg [31:0] rx_crc;
  reg [11:0] rx_length;
  reg [7:0] late_data[RxWait+1];
  reg [RxWait:0] late_valid, late_last, late_user;
  reg [7:0] pending;  // is out when it is known whether it is the last one
  reg pending_valid;

  wire byte_in = gmii_rx_dv && in_frame;
  wire frame_ends = !gmii_rx_dv && in_frame;
  wire bad = (ChecksFcs && rx_crc != 32'hDEBB_20E3) || rx_length < 12'd64 || rx_length > 12'd1518 || broken;

  always @(posedge clk) begin
    late_valid <= (RxWait + 1)'({late_valid, 1'b0});
    late_last  <= (RxWait + 1)'({late_last, 1'b0});
    late_user  <= (RxWait + 1)'({late_user, 1'b0});
    for (int i = 1; i <= RxWait; i++) late_data[i] <= late_data[i-1];
    if (gmii_rx_dv && !in_frame && gmii_rxd == 8'hD5) begin
      in_frame <= 1'b1;
      held <= 3'd0;
      rx_crc <= '1;
      rx_length <= 12'd0;
      broken <= 1'b0;
      pending_valid <= 1'b0;
    end
    if (byte_in) begin
      rx_crc <= crc_of(rx_crc, gmii_rxd);
      if (rx_length != '1) rx_length <= rx_length + 1'b1;
      if (gmii_rx_er) broken <= 1'b1;
      line[0] <= gmii_rxd;
      for (int i = 1; i < 4; i++) line[i] <= line[i-1];
      if (held < 3'd4) held <= held + 1'b1;
      else begin
        pending <= line[3];
        pending_valid <= 1'b1;
        late_data[0] <= pending;
        late_valid[0] <= pending_valid;
      end
    end
    if (frame_ends) begin
      in_frame <= 1'b0;
      pending_valid <= 1'b0;
      late_data[0] <= pending;
      late_valid[0] <= pending_valid;
      late_last[0] <= 1'b1;
      late_user[0] <= bad;
      frames_seen <= frames_seen + 1'b1;
    end
    if (rst) begin
      in_frame <= 1'b0;
      late_valid <= '0;
      frames_seen <= 16'd0;
    end
  end

  assign m_axis_tdata  = late_data[RxWait];
  assign m_axis_tvalid = late_valid[RxWait];
  assign m_axis_tlast  = late_last[RxWait];
  assign m_axis_tuser  = late_user[RxWait];
endmodule

`default_nettype wire
