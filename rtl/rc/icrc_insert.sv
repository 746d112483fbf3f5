// SPDX-License-Identifier: Apache-2.0
// Appends the ICRC to RoCEv2 packets, which come from the IP header to the pad, in beats of AXI-Stream. The model: write_icrc() of
// tlm/roce/icrc.h. Behind icrc_pipe, the zeros that filled up the last beat are taken back from the state, a power of two a stage; then
// its complement comes behind the last byte, as far as it does not fit in a beat more.
`default_nettype none

module icrc_insert #(
    parameter int unsigned Width = 512      // of a beat, in bits: a power of two from 32 on
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // The packet
    input  logic               s_axis_tvalid_i,
    output logic               s_axis_tready_o,
    input  logic [Width-1:0]   s_axis_tdata_i,   // the first byte in the lowest bits
    input  logic [(Width>>3)-1:0] s_axis_tkeep_i,   // all, but of the last beat: the lowest, one at least
    input  logic               s_axis_tlast_i,
    // The packet and its ICRC
    output logic               m_axis_tvalid_o,
    input  logic               m_axis_tready_i,
    output logic [Width-1:0]   m_axis_tdata_o,   // zero beyond tkeep
    output logic [(Width>>3)-1:0] m_axis_tkeep_o,
    output logic               m_axis_tlast_o,
    output logic               m_axis_tuser_o    // with tlast: it ends before the BTH does, so nobody will take it
);
  localparam int unsigned Bytes = Width / 8;
  localparam int unsigned PadBits = $clog2(Bytes);
  localparam int unsigned BeatBits = Width + Bytes + PadBits + 2;

  logic advance, piped_valid, piped_last, piped_short;
  logic [Width-1:0] piped_data;
  logic [Bytes-1:0] piped_keep;
  logic [31:0] piped_state;
  logic [PadBits-1:0] piped_pad;
  icrc_pipe #(
      .Bytes  (Bytes),
      .Trailer(0)
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

  // Each stage takes back its power of two, the highest first. Lowest bits: what goes into the first; highest: what leaves the last.
  logic [PadBits-1:0] valid_q;
  logic [(PadBits+1)*32-1:0] states;
  logic [(PadBits+1)*BeatBits-1:0] beats;
  assign states[31:0] = piped_state;
  assign beats[BeatBits-1:0] = {piped_short, piped_last, piped_pad, piped_keep, piped_data};
  for (genvar s = 0; s < PadBits; s++) begin : gen_undo
    logic [31:0] undone, state_q;
    logic [BeatBits-1:0] beat_q;
    crc32_word #(
        .Bytes (4),
        .Undone(4 + 2 ** (PadBits - 1 - s))
    ) u_undone (
        .data_i(states[32*s+:32]),
        .crc_o (undone)
    );
    always_ff @(posedge clk_i) begin
      if (advance) begin
        state_q <= beats[BeatBits*s+Width+Bytes+PadBits-1-s] ? undone : states[32*s+:32];
        beat_q  <= beats[BeatBits*s+:BeatBits];
      end
    end
    assign states[32*(s+1)+:32] = state_q;
    assign beats[BeatBits*(s+1)+:BeatBits] = beat_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (advance) valid_q <= {valid_q[PadBits-2:0], piped_valid};
  end

  // The last beat of the packet, and what of the ICRC does not fit into it.
  logic end_valid, end_last, end_short, spills, spill_q, out_free;
  logic [Width-1:0] end_data;
  logic [Bytes-1:0] end_keep;
  logic [PadBits-1:0] end_pad;
  logic [31:0] state, icrc;
  assign end_valid = valid_q[PadBits-1];
  assign {end_short, end_last, end_pad, end_keep, end_data} = beats[BeatBits*PadBits+:BeatBits];
  assign state = states[32*PadBits+:32];
  assign spills = end_last && end_keep[Bytes-4];
  assign out_free = !m_axis_tvalid_o || m_axis_tready_i;
  assign advance = !end_valid || (out_free && (!spills || spill_q));

  // Turned so that its bytes are where they belong in any four: those of the beat are a multiple of it, so that is the pad's doing.
  always_comb begin
    unique case (end_pad[1:0])
      2'd0: icrc = ~state;
      2'd1: icrc = ~{state[7:0], state[31:8]};
      2'd2: icrc = ~{state[15:0], state[31:16]};
      default: icrc = ~{state[23:0], state[31:24]};
    endcase
  end
  // Bytes with and without it; before the last beat it has none.
  logic [Bytes+3:0] longer, shorter;
  assign longer = {end_keep, 4'hF};
  assign shorter = {4'h0, end_keep};
  logic [Width-1:0] data_d;
  always_comb begin
    data_d = end_data;
    for (int i = 0; i < Bytes; i++) begin
      if (longer[i] && !shorter[i]) data_d[8*i+:8] = icrc[8*(i%4)+:8];
    end
    if (spill_q) data_d = '0;
    for (int i = 0; i < 4; i++) if (spill_q && longer[Bytes+i]) data_d[8*i+:8] = icrc[8*i+:8];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      m_axis_tvalid_o <= 1'b0;
      spill_q         <= 1'b0;
    end else if (out_free) begin
      m_axis_tvalid_o <= end_valid;
      spill_q         <= end_valid && spills && !spill_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (out_free) begin
      m_axis_tdata_o <= data_d;
      m_axis_tkeep_o <= spill_q ? Bytes'(longer[Bytes+:4]) : longer[Bytes-1:0];
      m_axis_tlast_o <= end_last && (!spills || spill_q);
      m_axis_tuser_o <= end_last && end_short && (!spills || spill_q);
    end
  end

  // Legal parameters.
  if (Width < 32 || 2 ** $clog2(Width) != Width) begin : gen_illegal
    $error("icrc_insert: Width must be a power of two, 32 at least");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_spills_at_the_end : assert (!spill_q || (end_valid && spills && m_axis_tvalid_o));
    end
  end
endmodule

`default_nettype wire
