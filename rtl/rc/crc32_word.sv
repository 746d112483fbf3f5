// SPDX-License-Identifier: Apache-2.0
// What some bytes add to CRC-32 (crc32_byte), whatever stands before them: the state that they lead to from zero. CRC is linear, so the
// state after a whole is the sum of what its parts lead to, each behind as many zeros as there are bytes after it. Combinational: each
// bit of the result is the parity of some bits of the data.
`default_nettype none

module crc32_word #(
    parameter int unsigned Bytes = 4,
    parameter int unsigned After = 0,   // bytes of zero behind them
    parameter int unsigned Undone = 0   // bytes of zero taken back at the end; may be more than there are
) (
    input  logic [8*Bytes-1:0] data_i,  // the first byte in the lowest bits; four bytes may be a state
    output logic [31:0]        crc_o
);
  localparam logic [31:0] Polynomial = 32'hEDB8_8320;  // reflected
  localparam int unsigned Bits = 8 * Bytes;

  // Which bits of the data count in each bit of the result. The last bit leads to the polynomial, each one before it to a step more.
  function automatic logic [32*Bits-1:0] parities(input int unsigned steps, input int unsigned back);
    logic [31:0] column;
    column = Polynomial;
    for (int i = 0; i < steps; i++) column = column[0] ? ((column >> 1) ^ Polynomial) : (column >> 1);
    for (int i = 0; i < back; i++) column = column[31] ? (((column ^ Polynomial) << 1) | 32'd1) : (column << 1);
    for (int i = Bits - 1; i >= 0; i--) begin
      for (int b = 0; b < 32; b++) parities[Bits*b+i] = column[b];
      column = column[0] ? ((column >> 1) ^ Polynomial) : (column >> 1);
    end
  endfunction
  localparam logic [32*Bits-1:0] Parities = parities(8 * After, 8 * Undone);

  always_comb begin
    for (int b = 0; b < 32; b++) crc_o[b] = ^(data_i & Parities[Bits*b+:Bits]);
  end
endmodule

`default_nettype wire
