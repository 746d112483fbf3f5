// SPDX-License-Identifier: Apache-2.0
// Transmit half of the Gigabit MAC: preamble, SFD, padding, FCS, inter-packet gap; GMII, one byte a cycle.
//
// A frame is handed over in a cycle with ready_o and start_i. Its first preamble byte is on the wire TxLatency cycles
// later. The MAC then takes the bytes from destination address to the end of the client data: data_i in each cycle with
// take_o, last_i with the last one. ready_o returns in time for the next frame to follow with the gap only.
`default_nettype none

module gmac_tx #(
    parameter int unsigned TxLatency     = 4,   // cycles; 3 is what these states need
    parameter int unsigned InterpacketGap = 12  // cycles; IEEE 802.3 clause 4.4.2: at least 12
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // Frame
    input  logic       start_i,
    output logic       ready_o,
    input  logic [7:0] data_i,
    input  logic       last_i,
    output logic       take_o,
    // GMII
    output logic [7:0] gmii_txd_o,
    output logic       gmii_tx_en_o
);
  localparam logic [7:0] PreambleByte = 8'h55;
  localparam logic [7:0] SfdByte = 8'hD5;
  localparam logic [5:0] MinClientBytes = 6'd60;  // destination address to padding: 64 with the FCS

  typedef enum logic [2:0] {
    StIdle,
    StPrepare,
    StPreamble,
    StData,
    StPad,
    StFcs,
    StGap
  } state_e;

  state_e state_q, state_d;
  logic [5:0] count_q, count_d;  // cycles in a state; in StData and StPad: bytes so far, as far as the minimum counts
  logic [31:0] crc_q, crc_d, crc_next;
  logic [7:0] txd_d, crc_data;
  logic tx_en_d;

  // ready_o in cycle end + gap - latency, where end is the cycle after the last byte on the wire.
  localparam logic [5:0] GapCycles = 6'(InterpacketGap - TxLatency + 1);
  localparam logic [5:0] PrepareCycles = 6'(TxLatency - 2);

  assign crc_data = (state_q == StData) ? data_i : 8'h00;

  crc32_byte u_crc (
      .crc_i (crc_q),
      .data_i(crc_data),
      .crc_o (crc_next)
  );

  assign ready_o = (state_q == StIdle);
  assign take_o  = (state_q == StData);

  always_comb begin
    state_d = state_q;
    count_d = count_q + 6'd1;
    crc_d   = crc_q;
    txd_d   = 8'h00;
    tx_en_d = 1'b0;
    case (state_q)
      StIdle: begin
        count_d = 6'd1;
        crc_d   = 32'hFFFF_FFFF;
        if (start_i) state_d = StPrepare;
      end
      StPrepare: begin
        if (count_q == PrepareCycles) begin
          state_d = StPreamble;
          count_d = 6'd1;
        end
      end
      StPreamble: begin
        tx_en_d = 1'b1;
        txd_d   = PreambleByte;
        if (count_q == 6'd8) begin
          txd_d   = SfdByte;
          state_d = StData;
          count_d = 6'd1;
        end
      end
      StData: begin
        tx_en_d = 1'b1;
        txd_d   = data_i;
        crc_d   = crc_next;
        if (count_q == MinClientBytes) count_d = MinClientBytes;
        if (last_i) begin
          state_d = StPad;
          if (count_q == MinClientBytes) begin
            state_d = StFcs;
            count_d = 6'd1;
          end
        end
      end
      StPad: begin
        tx_en_d = 1'b1;
        crc_d   = crc_next;
        if (count_q == MinClientBytes) begin
          state_d = StFcs;
          count_d = 6'd1;
        end
      end
      StFcs: begin
        tx_en_d = 1'b1;
        txd_d   = ~crc_q[7:0];
        crc_d   = {8'hFF, crc_q[31:8]};
        if (count_q == 6'd4) begin
          state_d = StGap;
          count_d = 6'd1;
        end
      end
      StGap: begin
        if (count_q == GapCycles) state_d = StIdle;
      end
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      count_q      <= '0;
      crc_q        <= '0;
      gmii_txd_o   <= '0;
      gmii_tx_en_o <= 1'b0;
    end else begin
      state_q      <= state_d;
      count_q      <= count_d;
      crc_q        <= crc_d;
      gmii_txd_o   <= txd_d;
      gmii_tx_en_o <= tx_en_d;
    end
  end

  // Legal parameters.
  if (TxLatency < 3 || TxLatency > InterpacketGap) begin : gen_illegal_latency
    $error("gmac_tx: TxLatency must be 3 .. InterpacketGap");
  end
  if (InterpacketGap < 12 || InterpacketGap > 60) begin : gen_illegal_gap
    $error("gmac_tx: InterpacketGap must be 12 .. 60");
  end

  // Nothing on the wire outside a frame, and the gap is kept.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_start_when_ready : assert (!start_i || ready_o);
      a_quiet_when_idle : assert (!(ready_o && gmii_tx_en_o));
    end
  end
endmodule

`default_nettype wire
