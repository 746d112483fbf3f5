// SPDX-License-Identifier: Apache-2.0
// A frame filter of 64 bits that knows destinations only: what is for this station, or for a group, passes, malformed
// DRP frames too. A beat comes out a cycle after it went in.
`default_nettype none

module axis_wide_filter (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire [47:0] station,  // first byte on the wire in the most significant place
    input  wire [63:0] s_axis_tdata,
    input  wire [ 7:0] s_axis_tkeep,
    input  wire        s_axis_tvalid,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tuser,
    output wire        s_axis_tready,
    output reg  [63:0] m_axis_tdata,
    output reg  [ 7:0] m_axis_tkeep,
    output reg         m_axis_tvalid,
    output reg         m_axis_tlast,
    output reg         m_axis_tuser,
    input  wire        m_axis_tready
);
  reg first_q, drops_q;

  wire [47:0] destination = {
    s_axis_tdata[7:0], s_axis_tdata[15:8], s_axis_tdata[23:16], s_axis_tdata[31:24], s_axis_tdata[39:32], s_axis_tdata[47:40]
  };
  wire drops = first_q ? !s_axis_tdata[0] && destination != station : drops_q;

  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;

  always @(posedge aclk) begin
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid && !drops;
      m_axis_tdata  <= s_axis_tdata;
      m_axis_tkeep  <= s_axis_tkeep;
      m_axis_tlast  <= s_axis_tlast;
      m_axis_tuser  <= s_axis_tuser;
      if (s_axis_tvalid) begin
        first_q <= s_axis_tlast;
        drops_q <= drops;
      end
    end
    if (!aresetn) begin
      m_axis_tvalid <= 1'b0;
      first_q <= 1'b1;
    end
  end
endmodule

`default_nettype wire
