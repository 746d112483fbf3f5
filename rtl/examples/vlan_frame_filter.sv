// SPDX-License-Identifier: Apache-2.0
// An example of a block of one's own: a frame filter that also knows DRP frames with a VLAN tag (IEEE 802.1Q: 0x8100 and two
// more bytes before the type). It takes the tag out of the stream, holding each byte until the next one or the end, and leaves
// the rest to drp_frame_filter: that takes the last byte as late as with end_i, so the verdict comes at the same cycle.
`default_nettype none

module vlan_frame_filter (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [47:0] own_address_i,
    input  logic        valid_i,
    input  logic        first_i,
    input  logic [ 7:0] data_i,
    input  logic        end_i,
    input  logic        good_i,
    output logic        drp_o,
    output logic        ordinary_o,
    output logic        other_destination_o,
    output logic        malformed_o,
    output logic [ 2:0] reason_o,
    output logic [ 7:0] ctrl_o,
    output logic [15:0] tid_o,
    output logic [31:0] len_o,
    output logic [31:0] sn_o,
    output logic [31:0] ackn_o,
    output logic [63:0] sba_o,
    output logic [63:0] dba_o,
    output logic [10:0] frame_bytes_o
);
  localparam logic [15:0] VlanType = 16'h8100;
  localparam logic [10:0] TagBytes = 11'd4;
  localparam logic [3:0] TypeEnd = 4'd14;  // bytes up to the end of the type

  logic [3:0] count_q;             // bytes so far, up to TypeEnd
  logic [1:0] skip_q;              // bytes of the tag still to come
  logic tagged_q;
  logic held_q, held_first_q;      // a byte that waits for the next one
  logic [7:0] held_data_q;
  logic [10:0] bytes;
  logic tag_begins;

  assign tag_begins = valid_i && count_q == TypeEnd - 4'd1 && {held_data_q, data_i} == VlanType;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q      <= '0;
      skip_q       <= '0;
      tagged_q     <= 1'b0;
      held_q       <= 1'b0;
      held_first_q <= 1'b0;
      held_data_q  <= '0;
    end else begin
      if (end_i) held_q <= 1'b0;
      if (valid_i) begin
        held_q       <= !tag_begins && (first_i || skip_q == '0);
        held_first_q <= first_i;
        held_data_q  <= data_i;
        if (first_i) begin
          count_q  <= 4'd1;
          skip_q   <= '0;
          tagged_q <= 1'b0;
        end else begin
          if (count_q != TypeEnd) count_q <= count_q + 4'd1;
          if (tag_begins) begin
            skip_q   <= 2'd2;
            tagged_q <= 1'b1;
          end else if (skip_q != '0) begin
            skip_q <= skip_q - 2'd1;
          end
        end
      end
    end
  end

  drp_frame_filter u_filter (
      .clk_i,
      .rst_ni,
      .own_address_i,
      .valid_i      (held_q && (valid_i || end_i) && !tag_begins),
      .first_i      (held_first_q),
      .data_i       (held_data_q),
      .end_i,
      .good_i,
      .drp_o,
      .ordinary_o,
      .other_destination_o,
      .malformed_o,
      .reason_o,
      .ctrl_o,
      .tid_o,
      .len_o,
      .sn_o,
      .ackn_o,
      .sba_o,
      .dba_o,
      .frame_bytes_o(bytes)
  );

  // The next frame's first byte comes no sooner than the verdict: minimum gap and preamble are longer.
  assign frame_bytes_o = tagged_q ? bytes + TagBytes : bytes;
endmodule

`default_nettype wire
