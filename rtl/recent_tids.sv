// SPDX-License-Identifier: Apache-2.0
// The TIDs of the transfers that were released last at this responder: late requests and data of them are dropped. A lookup
// takes two cycles: each place is compared in the first, found_o stands from the second on until the next lookup.
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

  logic [Entries-1:0] same, same_q;
  always_comb begin
    same = '0;
    if (lookup_i) for (int i = 0; i < Entries; i++) if (valid_q[i] && tids_q[i] == key_i) same[i] = 1'b1;
  end
  assign found_o = (same_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      next_q  <= '0;
      same_q  <= '0;
    end else begin
      if (lookup_i) same_q <= same;
      if (push_i) begin
        valid_q <= {valid_q[Entries-2:0], 1'b1};  // places are taken in turn
        next_q  <= next_q + 6'd1;
      end
    end
  end

  always_ff @(posedge clk_i) if (push_i) tids_q[next_q] <= tid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_taken_in_turn : assert (valid_q[next_q] == valid_q[Entries-1]);
    end
  end
endmodule

`default_nettype wire
