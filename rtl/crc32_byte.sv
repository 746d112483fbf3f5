// SPDX-License-Identifier: Apache-2.0
// CRC-32 of Ethernet (IEEE 802.3 clause 3.2.9), one byte a cycle, least significant bit first. Combinational.
`default_nettype none

module crc32_byte (
    input  logic [31:0] crc_i,  // state: all ones before the first byte
    input  logic [ 7:0] data_i,
    output logic [31:0] crc_o   // state after the byte; the FCS is its complement, sent least significant byte first
);
  localparam logic [31:0] Polynomial = 32'hEDB8_8320;  // reflected

  always_comb begin
    crc_o = crc_i ^ {24'h0, data_i};
    for (int i = 0; i < 8; i++) begin
      crc_o = crc_o[0] ? ((crc_o >> 1) ^ Polynomial) : (crc_o >> 1);
    end
  end
endmodule

`default_nettype wire
