// SPDX-License-Identifier: Apache-2.0
// How many tags a DMA read asks for: one for each of its MRd, which are cut at multiples of the maximum read request size.
`default_nettype none

module read_tags (
    input  logic [ 3:0] cfg_max_read_request_log2_i,  // 7 .. 12
    input  logic [12:0] address_i,                    // the low bits
    input  logic [10:0] bytes_i,
    output logic [ 4:0] tags_o                        // at most 17: 2,047 bytes in MRd of 128
);
  // Three numbers are added as two, so that only one carry has to run.
  logic [12:0] below, offset, bytes, halves, carries;
  logic [13:0] span;
  always_comb for (int i = 0; i < 13; i++) below[i] = 4'(i) < cfg_max_read_request_log2_i;
  assign offset = address_i & below;
  assign bytes = 13'(bytes_i);
  assign halves = offset ^ bytes ^ below;
  assign carries = (offset & bytes) | (offset & below) | (bytes & below);
  assign span = 14'(halves) + {carries, 1'b0};
  // By the low two bits of the limit, which tell all but 8 from 12 and 7 from 11.
  always_comb begin
    unique case (cfg_max_read_request_log2_i[1:0])
      2'd0: tags_o = cfg_max_read_request_log2_i[2] ? 5'(span[13:12]) : span[12:8];
      2'd1: tags_o = span[13:9];
      2'd2: tags_o = 5'(span[13:10]);
      default: tags_o = cfg_max_read_request_log2_i[3] ? 5'(span[13:11]) : span[11:7];
    endcase
  end
endmodule

`default_nettype wire
