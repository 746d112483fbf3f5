// SPDX-License-Identifier: Apache-2.0
// How many tags a DMA read takes: one for each of its MRd, which are cut at multiples of the maximum read request size. A longer
// request than there are tags uses its tags again.
`default_nettype none

module read_tags (
    input  logic [ 3:0] cfg_max_read_request_log2_i,
    input  logic [ 8:0] cfg_tags_i,
    input  logic [12:0] address_i,  // the low bits
    input  logic [10:0] bytes_i,
    output logic [ 8:0] tags_o
);
  logic [12:0] limit, offset;
  logic [13:0] span;
  logic [8:0] tlps;
  assign limit = 13'd1 << cfg_max_read_request_log2_i;
  assign offset = address_i & (limit - 13'd1);
  assign span = 14'(offset) + 14'(bytes_i) + 14'(limit) - 14'd1;
  assign tlps = 9'(span >> cfg_max_read_request_log2_i);
  assign tags_o = (tlps > cfg_tags_i) ? cfg_tags_i : tlps;
endmodule

`default_nettype wire
