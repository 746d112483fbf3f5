// SPDX-License-Identifier: Apache-2.0
// Only a well-formed frame is forwarded as DRP, with the fields that came in; every other one for us is ordinary or malformed.
// prove: search 5, induction 3
//
// Any bytes, frames of any length up to the longest: the induction has no bound.
`default_nettype none

module drp_frame_filter_formal (
    input logic       clk_i,
    input logic       valid_i,
    input logic       first_i,
    input logic [7:0] data_i,
    input logic       end_i,
    input logic       good_i
);
  localparam int unsigned Bits = 8 * 46;  // addresses, type, DRP header
  (* anyconst *) logic [47:0] own_address;

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic drp, ordinary, other_destination, malformed;
  logic [2:0] reason;
  logic [7:0] ctrl;
  logic [15:0] tid;
  logic [31:0] len, sn, ackn;
  logic [63:0] sba, dba;
  logic [10:0] frame_bytes;
  drp_frame_filter u_filter (
      .clk_i,
      .rst_ni             (rst_nq),
      .own_address_i      (own_address),
      .valid_i,
      .first_i,
      .data_i,
      .end_i,
      .good_i,
      .drp_o              (drp),
      .ordinary_o         (ordinary),
      .other_destination_o(other_destination),
      .malformed_o        (malformed),
      .reason_o           (reason),
      .ctrl_o             (ctrl),
      .tid_o              (tid),
      .len_o              (len),
      .sn_o               (sn),
      .ackn_o             (ackn),
      .sba_o              (sba),
      .dba_o              (dba),
      .frame_bytes_o      (frame_bytes)
  );

  // What is inside it: for the induction.
  logic [367:0] shift;  // see u_filter.shift_q
  logic [10:0] count;  // see u_filter.count_q

  // Shadow: how many bytes have come, and the one at one place, whichever. Where it must stand: the first 46 bytes are shifted
  // in, the others only counted.
  (* anyconst *) logic [5:0] some_place;
  logic [15:0] length_q, place;
  logic [5:0] shifted, behind;
  logic [7:0] byte_q;
  assign place = first_i ? 16'd0 : length_q;
  assign shifted = (length_q < 16'd46) ? 6'(length_q) : 6'd46;
  assign behind = shifted - 6'd1 - some_place;

  // The rules (PROTOCOL.md 2.4), from the frame's first 46 bytes, as soon as it has ended; what they give in the next cycles.
  logic [255:0] header;
  logic for_us, drp_type, one_type, well_formed;
  logic ended_q;
  logic [1:0] drp_q, ordinary_q, other_q, malformed_q;
  logic [15:0] length2_q, length3_q;
  logic bit2_q, bit3_q;
  (* anyconst *) logic [7:0] some_bit;
  assign header = shift[255:0];
  assign for_us = shift[367-:48] == own_address || shift[360];
  assign drp_type = shift[271:256] == 16'h01FF;
  assign one_type = header[255:251] == 5'd16 || header[255:251] == 5'd8 || header[255:251] == 5'd4 || header[255:251] == 5'd2 ||
                    header[255:251] == 5'd1;
  assign well_formed = one_type && header[247:240] == 8'd0 &&
                       (!header[253] || 33'(header[223:192]) + 33'd46 <= 33'(length_q)) &&
                       (!header[255] || (header[223:192] != '0 && header[191:160] != '0));
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      length_q    <= '0;
      ended_q     <= '0;
      drp_q       <= '0;
      ordinary_q  <= '0;
      other_q     <= '0;
      malformed_q <= '0;
    end else begin
      if (valid_i) length_q <= place + 16'd1;
      if (valid_i && place == 16'(some_place)) byte_q <= data_i;
      ended_q     <= end_i && good_i;
      drp_q       <= {drp_q[0], ended_q && for_us && drp_type && well_formed};
      ordinary_q  <= {ordinary_q[0], ended_q && for_us && !drp_type};
      other_q     <= {other_q[0], ended_q && !for_us};
      malformed_q <= {malformed_q[0], ended_q && for_us && drp_type && !well_formed};
      bit2_q      <= header[some_bit];
      bit3_q      <= bit2_q;
      length2_q   <= length_q;
      length3_q   <= length2_q;
    end
  end

  logic [255:0] fields;
  assign fields = {ctrl, 8'd0, tid, len, sn, ackn, sba, dba};
  always_comb begin
    assume (some_place < 6'd46);
    // gmac_rx: the end of a frame never comes with a byte; a good frame has 60 bytes or more (without FCS), none more than 1,514.
    assume (!(end_i && valid_i));
    assume (!(end_i && good_i) || length_q >= 16'd60);
    assume (!valid_i || place < 16'd1514);
    if (rst_nq) begin
      a_count : assert (length_q == 16'(count) && length_q <= 16'd1514);
      a_bytes_in_place : assert (length_q <= 16'(some_place) || 8'(shift >> {behind, 3'd0}) == byte_q);
      a_judged_whole : assert (!ended_q || length_q >= 16'd60);
      a_only_well_formed : assert (drp == drp_q[1]);
      a_ordinary : assert (ordinary == ordinary_q[1]);
      a_other : assert (other_destination == other_q[1]);
      a_malformed : assert (malformed == malformed_q[1]);
      a_fields : assert (!drp || fields[some_bit] == bit3_q);
      a_bytes : assert (!(drp || ordinary) || 16'(frame_bytes) == length3_q);
    end
  end
endmodule

`default_nettype wire
