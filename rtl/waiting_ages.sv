// SPDX-License-Identifier: Apache-2.0
// For how many cycles each of a few has been waiting, up to 255. They move up when the oldest goes, so that its age is always at the
// same place.
`default_nettype none

module waiting_ages #(
    parameter int unsigned Places = 4  // a power of two
) (
    input  logic                      clk_i,
    input  logic                      put_i,      // one has come; precondition: there is a place
    input  logic [$clog2(Places):0] waiting_i,  // without the one that comes
    input  logic                      take_i,     // the oldest goes
    output logic [7:0]                age_o       // of the oldest
);
  logic [7:0] ages_q[Places], older[Places];
  assign age_o = ages_q[0];
  always_comb for (int i = 0; i < Places; i++) older[i] = (ages_q[i] == '1) ? ages_q[i] : ages_q[i] + 8'd1;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Places; i++) begin
      ages_q[i] <= (take_i && i + 1 < Places) ? older[(i+1)%Places] : older[i];
      if (put_i && waiting_i == ($clog2(Places) + 1)'(i) + ($clog2(Places) + 1)'(take_i)) ages_q[i] <= 8'd1;
    end
  end
endmodule

`default_nettype wire
