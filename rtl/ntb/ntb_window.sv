// SPDX-License-Identifier: Apache-2.0
// A memory window of a non-transparent bridge: whether a TLP passes, and where it goes at the other side. The model: model/ntb/window.h.
//
// Combinational: nothing is kept, and how many cycles a translation takes is the bridge's to choose; its registers stand around this.
`default_nettype none

module ntb_window (
    // Registers of this side
    input  logic        cfg_on_i,     // else nothing passes
    input  logic [63:0] cfg_base_i,   // of the BAR
    input  logic [63:0] cfg_size_i,   // of the BAR, bytes
    input  logic [63:0] cfg_xbase_i,  // where the BAR lies at the other side
    input  logic [63:0] cfg_xlmt_i,   // exclusive: no byte from here on passes
    // A TLP
    input  logic [63:0] address_i,    // of its first byte
    input  logic [12:0] bytes_i,      // 0 .. 8191; PCIe has 1 .. 4096; 0 does not pass
    output logic        pass_o,       // else it is an unsupported request
    output logic [63:0] address_o     // with `pass_o`
);
  // With a bit more than an address has, so that the last byte never lies before the first one.
  logic [12:0] more;  // bytes behind the first one
  logic [63:0] offset;
  logic [64:0] last, last_offset;
  logic in_bar;
  assign more = bytes_i - 13'd1;
  assign offset = address_i - cfg_base_i;
  assign last = {1'b0, address_i} + 65'(more);
  assign last_offset = {1'b0, offset} + 65'(more);
  assign in_bar = address_i >= cfg_base_i && last_offset < {1'b0, cfg_size_i};
  assign pass_o = cfg_on_i && bytes_i != '0 && in_bar && last < {1'b0, cfg_xlmt_i};
  assign address_o = cfg_xbase_i + offset;
endmodule

`default_nettype wire
