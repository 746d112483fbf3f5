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
  always_comb begin
    unique case (cfg_max_read_request_log2_i)
      4'd7: tags_o = span[11:7];
      4'd8: tags_o = span[12:8];
      4'd9: tags_o = span[13:9];
      4'd10: tags_o = 5'(span[13:10]);
      4'd11: tags_o = 5'(span[13:11]);
      default: tags_o = 5'(span[13:12]);
    endcase
  end
endmodule

`default_nettype wire
