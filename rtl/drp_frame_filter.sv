// SPDX-License-Identifier: Apache-2.0
// Sorts received frames: DRP to the transport controller, others to the host, malformed ones nowhere. Reads the header while
// the frame comes in; says what it is Latency cycles after its end.
`default_nettype none

module drp_frame_filter (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [47:0] own_address_i,  // stable
    // Frame from the MAC
    input  logic        valid_i,
    input  logic        first_i,
    input  logic [ 7:0] data_i,
    input  logic        end_i,
    input  logic        good_i,
    // What it is: one of these for a cycle, or none for a frame that the MAC has found bad
    output logic        drp_o,
    output logic        ordinary_o,
    output logic        other_destination_o,
    output logic        malformed_o,
    output logic [ 2:0] reason_o,       // of malformed_o: drp_pkg::Error*
    // With drp_o
    output logic [ 7:0] ctrl_o,
    output logic [15:0] tid_o,
    output logic [31:0] len_o,
    output logic [31:0] sn_o,
    output logic [31:0] ackn_o,
    output logic [63:0] sba_o,
    output logic [63:0] dba_o,
    // With drp_o and ordinary_o
    output logic [10:0] frame_bytes_o   // destination address to the end of the padding
);
  localparam logic [10:0] EthernetHeaderBytes = 11'd14;
  localparam logic [10:0] DrpHeaderBytes = 11'(drp_pkg::HeaderBytes);
  localparam logic [10:0] Saturated = 11'h7FF;

  // Addresses, type and DRP header go through one shift register: when its last byte is in, it holds them all.
  localparam int unsigned ShiftBits = 8 * (14 + drp_pkg::HeaderBytes);
  localparam int unsigned DrpBits = 8 * drp_pkg::HeaderBytes;
  logic [ShiftBits-1:0] shift_q, shift_d;
  logic [10:0] count_q, count_d, place;

  assign place = first_i ? 11'd0 : count_q;

  always_comb begin
    shift_d = shift_q;
    count_d = count_q;
    if (valid_i) begin
      if (place < EthernetHeaderBytes + DrpHeaderBytes) shift_d = {shift_q[ShiftBits-9:0], data_i};
      if (place != Saturated) count_d = place + 11'd1;
    end
  end

  // Stage 1: the end of a good frame. An Ethernet frame is never shorter than the register: the MAC drops runts.
  logic end_q;
  // Stage 2: fields and the checks of each.
  logic check_q, group_q, own_q, drp_type_q, one_type_q, ext_zero_q, is_data_q, is_req_q, data_fits_q, asks_q, whole_q;
  logic [DrpBits-1:0] header_q;
  logic [10:0] bytes_q;

  logic [DrpBits-1:0] drp;
  logic [7:0] ctrl;
  logic [4:0] type_bits;
  logic [31:0] len, sn;
  logic [31:0] room;

  assign drp       = shift_q[DrpBits-1:0];
  assign ctrl      = drp[drp_pkg::CtrlLsb+:drp_pkg::CtrlBits];
  assign type_bits = ctrl[7:3];
  assign len       = drp[drp_pkg::LenLsb+:drp_pkg::LenBits];
  assign sn        = drp[drp_pkg::SnLsb+:drp_pkg::SnBits];
  assign room      = 32'(count_q) - (32'(EthernetHeaderBytes) + 32'(DrpHeaderBytes));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shift_q     <= '0;
      count_q     <= '0;
      end_q       <= 1'b0;
      check_q     <= 1'b0;
      group_q     <= 1'b0;
      own_q       <= 1'b0;
      drp_type_q  <= 1'b0;
      one_type_q  <= 1'b0;
      ext_zero_q  <= 1'b0;
      is_data_q   <= 1'b0;
      is_req_q    <= 1'b0;
      data_fits_q <= 1'b0;
      asks_q      <= 1'b0;
      whole_q     <= 1'b0;
      header_q    <= '0;
      bytes_q     <= '0;
    end else begin
      shift_q     <= shift_d;
      count_q     <= count_d;
      end_q       <= end_i && good_i;
      check_q     <= end_q;
      group_q     <= shift_q[DrpBits+8*13];
      own_q       <= (shift_q[DrpBits+8*8+:48] == own_address_i);
      drp_type_q  <= (shift_q[DrpBits+:16] == drp_pkg::EtherType);
      one_type_q  <= (type_bits != '0) && ((type_bits & (type_bits - 5'd1)) == '0);
      ext_zero_q  <= (drp[drp_pkg::ExtLsb+:drp_pkg::ExtBits] == '0);
      is_data_q   <= ctrl[drp_pkg::CtrlDataBit];
      is_req_q    <= ctrl[drp_pkg::CtrlReqBit];
      data_fits_q <= (len <= room);
      asks_q      <= (len != '0) && (sn != '0);
      whole_q     <= (count_q >= EthernetHeaderBytes + DrpHeaderBytes);
      header_q    <= drp;
      bytes_q     <= count_q;
    end
  end

  // Stage 3: the verdict.
  logic for_us, well_formed;
  logic [2:0] reason;

  always_comb begin
    for_us = group_q || own_q;
    reason = drp_pkg::ErrorNone;
    if (!whole_q) reason = drp_pkg::ErrorTruncated;
    else if (!one_type_q) reason = drp_pkg::ErrorTypeBits;
    else if (!ext_zero_q) reason = drp_pkg::ErrorExtension;
    else if (is_data_q && !data_fits_q) reason = drp_pkg::ErrorLength;
    else if (is_req_q && !asks_q) reason = drp_pkg::ErrorLength;
    well_formed = (reason == drp_pkg::ErrorNone);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drp_o               <= 1'b0;
      ordinary_o          <= 1'b0;
      other_destination_o <= 1'b0;
      malformed_o         <= 1'b0;
      reason_o            <= '0;
      ctrl_o              <= '0;
      tid_o               <= '0;
      len_o               <= '0;
      sn_o                <= '0;
      ackn_o              <= '0;
      sba_o               <= '0;
      dba_o               <= '0;
      frame_bytes_o       <= '0;
    end else begin
      drp_o               <= check_q && for_us && drp_type_q && well_formed;
      ordinary_o          <= check_q && for_us && !drp_type_q;
      other_destination_o <= check_q && !for_us;
      malformed_o         <= check_q && for_us && drp_type_q && !well_formed;
      reason_o            <= reason;
      ctrl_o              <= header_q[drp_pkg::CtrlLsb+:drp_pkg::CtrlBits];
      tid_o               <= header_q[drp_pkg::TidLsb+:drp_pkg::TidBits];
      len_o               <= header_q[drp_pkg::LenLsb+:drp_pkg::LenBits];
      sn_o                <= header_q[drp_pkg::SnLsb+:drp_pkg::SnBits];
      ackn_o              <= header_q[drp_pkg::AcknLsb+:drp_pkg::AcknBits];
      sba_o               <= header_q[drp_pkg::SbaLsb+:drp_pkg::SbaBits];
      dba_o               <= header_q[drp_pkg::DbaLsb+:drp_pkg::DbaBits];
      frame_bytes_o       <= bytes_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_one_verdict :
      assert (3'(drp_o) + 3'(ordinary_o) + 3'(other_destination_o) + 3'(malformed_o) <= 3'd1);
      a_malformed_has_a_reason : assert (!malformed_o || reason_o != drp_pkg::ErrorNone);
    end
  end
endmodule

`default_nettype wire
