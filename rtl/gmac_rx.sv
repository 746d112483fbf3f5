// SPDX-License-Identifier: Apache-2.0
// Receive half of the Gigabit MAC: finds the frame in the GMII stream, checks length and FCS.
//
// The bytes from destination address to the end of the padding come out in cycles with valid_o; first_o marks the first.
// After them, three cycles after the last FCS byte was on the wire, end_o says how it ended: good_o, or one of the reasons.
// The client data is valid only then (store and forward).
`default_nettype none

module gmac_rx #(
    parameter int unsigned MaxFrameBytes = 1518  // destination address to FCS: MTU + 18
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // GMII
    input  logic [7:0] gmii_rxd_i,
    input  logic       gmii_rx_dv_i,
    // Frame
    output logic       valid_o,
    output logic       first_o,
    output logic [7:0] data_o,
    output logic       end_o,
    output logic       good_o,
    output logic       runt_o,
    output logic       oversize_o,
    output logic       bad_fcs_o
);
  localparam logic [7:0] SfdByte = 8'hD5;
  localparam logic [31:0] Residue = 32'hDEBB_20E3;  // CRC state after a frame with its FCS
  localparam logic [10:0] MinBytes = 11'd64;
  localparam logic [10:0] MaxBytes = 11'(MaxFrameBytes);
  localparam logic [10:0] Saturated = 11'h7FF;

  typedef enum logic [1:0] {
    StIdle,      // no frame, or its preamble
    StFrame,
    StIgnore     // data without an SFD at its start
  } state_e;

  state_e state_q, state_d;
  logic [10:0] length_q, length_d;
  logic [31:0] crc_q, crc_d, crc_next;
  logic [31:0] delay_q, delay_d;    // the last four bytes: the FCS, once the frame has ended
  logic valid_d, first_d, end_d;
  logic [7:0] data_d;

  crc32_byte u_crc (
      .crc_i (crc_q),
      .data_i(gmii_rxd_i),
      .crc_o (crc_next)
  );

  always_comb begin
    state_d  = state_q;
    length_d = length_q;
    crc_d    = crc_q;
    delay_d  = delay_q;
    valid_d  = 1'b0;
    first_d  = 1'b0;
    data_d   = delay_q[31:24];
    end_d    = 1'b0;
    case (state_q)
      StIdle: begin
        length_d = '0;
        crc_d    = 32'hFFFF_FFFF;
        if (gmii_rx_dv_i) begin
          if (gmii_rxd_i == SfdByte) state_d = StFrame;
          else if (gmii_rxd_i != 8'h55) state_d = StIgnore;
        end
      end
      StFrame: begin
        if (gmii_rx_dv_i) begin
          crc_d   = crc_next;
          delay_d = {delay_q[23:0], gmii_rxd_i};
          if (length_q != Saturated) length_d = length_q + 11'd1;
          valid_d = (length_q >= 11'd4);
          first_d = (length_q == 11'd4);
        end else begin
          end_d   = 1'b1;
          state_d = StIdle;
        end
      end
      StIgnore: if (!gmii_rx_dv_i) state_d = StIdle;
      default:  state_d = StIdle;
    endcase
  end

  // The verdict takes a cycle of its own.
  logic end_q, runt_q, oversize_q, residue_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      length_q   <= '0;
      crc_q      <= '0;
      delay_q    <= '0;
      valid_o    <= 1'b0;
      first_o    <= 1'b0;
      data_o     <= '0;
      end_q      <= 1'b0;
      runt_q     <= 1'b0;
      oversize_q <= 1'b0;
      residue_q  <= 1'b0;
      end_o      <= 1'b0;
      good_o     <= 1'b0;
      runt_o     <= 1'b0;
      oversize_o <= 1'b0;
      bad_fcs_o  <= 1'b0;
    end else begin
      state_q    <= state_d;
      length_q   <= length_d;
      crc_q      <= crc_d;
      delay_q    <= delay_d;
      valid_o    <= valid_d;
      first_o    <= first_d;
      data_o     <= data_d;
      end_q      <= end_d;
      runt_q     <= (length_q < MinBytes);
      oversize_q <= (length_q > MaxBytes);
      residue_q  <= (crc_q == Residue);
      end_o      <= end_q;
      good_o     <= end_q && !runt_q && !oversize_q && residue_q;
      runt_o     <= end_q && runt_q;
      oversize_o <= end_q && !runt_q && oversize_q;
      bad_fcs_o  <= end_q && !runt_q && !oversize_q && !residue_q;
    end
  end

  // Legal parameters.
  if (MaxFrameBytes < 64 || MaxFrameBytes > 1536) begin : gen_illegal_size
    $error("gmac_rx: MaxFrameBytes must be 64 .. 1536");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_one_verdict : assert (!end_o || (3'(good_o) + 3'(runt_o) + 3'(oversize_o) + 3'(bad_fcs_o) == 3'd1));
      a_no_byte_at_the_end : assert (!(end_o && valid_o));
    end
  end
endmodule

`default_nettype wire
