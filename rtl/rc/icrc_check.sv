// SPDX-License-Identifier: Apache-2.0
// Takes the ICRC off RoCEv2 packets, which come from the IP header to the ICRC, in beats of AXI-Stream, and says with the last beat
// whether it was wrong. The model: icrc_good() of tlm/roce/icrc.h. A beat leaves when the next one has shown whether bytes of the
// packet are in that as well; behind icrc_pipe, the state is compared with what it is after a right ICRC and the zeros of the last beat.
`default_nettype none

module icrc_check #(
    parameter int unsigned Width = 512      // of a beat, in bits: a power of two from 32 on
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // The packet and its ICRC
    input  logic               s_axis_tvalid_i,
    output logic               s_axis_tready_o,
    input  logic [Width-1:0]   s_axis_tdata_i,   // the first byte in the lowest bits
    input  logic [(Width>>3)-1:0] s_axis_tkeep_i,   // all, but of the last beat: the lowest, one at least
    input  logic               s_axis_tlast_i,
    // The packet
    output logic               m_axis_tvalid_o,
    input  logic               m_axis_tready_i,
    output logic [Width-1:0]   m_axis_tdata_o,   // beyond tkeep anything
    output logic [(Width>>3)-1:0] m_axis_tkeep_o,   // none if there was no more than an ICRC
    output logic               m_axis_tlast_o,
    output logic               m_axis_tuser_o    // with tlast: wrong ICRC, or no room for BTH and ICRC
);
  localparam int unsigned Bytes = Width / 8;
  localparam int unsigned PadBits = $clog2(Bytes);
  localparam logic [31:0] Polynomial = 32'hEDB8_8320;  // of crc32_byte
  localparam logic [31:0] Residue = 32'hDEBB_20E3;  // after a right ICRC

  // The residue behind each number of zeros.
  function automatic logic [32*Bytes-1:0] residues(input logic [31:0] from);
    logic [31:0] state;
    state = from;
    for (int i = 0; i < Bytes; i++) begin
      residues[32*i+:32] = state;
      for (int j = 0; j < 8; j++) state = state[0] ? ((state >> 1) ^ Polynomial) : (state >> 1);
    end
  endfunction
  localparam logic [32*Bytes-1:0] Residues = residues(Residue);

  logic advance, piped_valid, piped_last, piped_short;
  logic [Width-1:0] piped_data;
  logic [Bytes-1:0] piped_keep;
  logic [31:0] piped_state;
  logic [PadBits-1:0] piped_pad;
  icrc_pipe #(
      .Bytes  (Bytes),
      .Trailer(roce_pkg::IcrcBytes)
  ) u_pipe (
      .clk_i,
      .rst_ni,
      .advance_i  (advance),
      .valid_i    (s_axis_tvalid_i),
      .data_i     (s_axis_tdata_i),
      .keep_i     (s_axis_tkeep_i),
      .last_i     (s_axis_tlast_i),
      .valid_o    (piped_valid),
      .data_o     (piped_data),
      .keep_o     (piped_keep),
      .last_o     (piped_last),
      .state_o    (piped_state),
      .pad_o      (piped_pad),
      .too_short_o(piped_short)
  );
  assign s_axis_tready_o = advance;

  // Two stages for the verdict: in which bits the state is wrong, whether in any.
  logic [31:0] right, wrong_q;
  always_comb begin
    right = '0;
    for (int i = 0; i < Bytes; i++) if (piped_pad == PadBits'(i)) right = Residues[32*i+:32];
  end
  logic compared_valid_q, compared_last_q, compared_short_q, next_valid_q, next_last_q, next_bad_q;
  logic [Width-1:0] compared_data_q, next_data_q;
  logic [Bytes-1:0] compared_keep_q, next_keep_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      compared_valid_q <= 1'b0;
      next_valid_q     <= 1'b0;
    end else if (advance) begin
      compared_valid_q <= piped_valid;
      next_valid_q     <= compared_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      wrong_q          <= piped_state ^ right;
      compared_last_q  <= piped_last;
      compared_short_q <= piped_short;
      compared_data_q  <= piped_data;
      compared_keep_q  <= piped_keep;
      next_bad_q       <= compared_short_q || wrong_q != '0;
      next_last_q      <= compared_last_q;
      next_data_q      <= compared_data_q;
      next_keep_q      <= compared_keep_q;
    end
  end

  // The beat that leaves, and the next one, which is gone as well if it has no byte of the packet.
  logic out_valid_q, out_last_q, out_bad_q, out_free, swallowed;
  logic [Width-1:0] out_data_q;
  logic [Bytes-1:0] out_keep_q;
  logic [Bytes+3:0] next_keep;
  assign next_keep = {4'h0, next_keep_q};
  assign swallowed = out_valid_q && !out_last_q && next_valid_q && next_last_q && !next_keep[4];
  assign out_free = !out_valid_q || (m_axis_tvalid_o && m_axis_tready_i);
  assign advance = !next_valid_q || out_free;
  assign m_axis_tvalid_o = out_valid_q && (out_last_q || next_valid_q);
  assign m_axis_tdata_o = out_data_q;
  assign m_axis_tlast_o = out_last_q || swallowed;
  assign m_axis_tuser_o = out_last_q ? out_bad_q : swallowed && next_bad_q;
  always_comb begin
    m_axis_tkeep_o = out_last_q ? out_keep_q : '1;
    if (swallowed) m_axis_tkeep_o[Bytes-1-:4] = next_keep[3:0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_valid_q <= 1'b0;
    else if (out_free) out_valid_q <= next_valid_q && !swallowed;
  end
  always_ff @(posedge clk_i) begin
    if (out_free) begin
      out_data_q <= next_data_q;
      out_keep_q <= next_keep[4+:Bytes];
      out_last_q <= next_last_q;
      out_bad_q  <= next_bad_q;
    end
  end

  // Legal parameters.
  if (Width < 32 || 2 ** $clog2(Width) != Width) begin : gen_illegal
    $error("icrc_check: Width must be a power of two, 32 at least");
  end
endmodule

`default_nettype wire
