// SPDX-License-Identifier: Apache-2.0
// The TIDs of the transfers that were released last at this responder: late requests and data of them are dropped.
`default_nettype none

module recent_tids (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        push_i,
    input  logic [15:0] tid_i,
    input  logic        lookup_i,
    input  logic [15:0] key_i,
    output logic        found_o
);
  localparam int unsigned Entries = transport_pkg::Entries;

  logic [15:0] tids_q[Entries];
  logic [Entries-1:0] valid_q;
  logic [5:0] next_q;  // place of the oldest one, once all are taken

  always_comb begin
    found_o = 1'b0;
    if (lookup_i) for (int i = 0; i < Entries; i++) if (valid_q[i] && tids_q[i] == key_i) found_o = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      next_q  <= '0;
    end else if (push_i) begin
      valid_q[next_q] <= 1'b1;
      next_q          <= next_q + 6'd1;
    end
  end

  always_ff @(posedge clk_i) if (push_i) tids_q[next_q] <= tid_i;

  // Places are taken in turn.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_taken_in_turn : assert (valid_q[next_q] == valid_q[Entries-1]);
    end
  end
endmodule

`default_nettype wire
