// SPDX-License-Identifier: Apache-2.0
// Receive staging: the payload of each frame on its way in, in slots of one frame, until it has been placed in memory or copied
// into the indirect buffer. The frame coming in always has a slot. A frame may be longer than a slot, which
// the MAC reports only at its end: what does not fit is not stored.
`default_nettype none

module rx_staging #(
    parameter int unsigned Slots = 32,  // 28 in use (cfg_rx_buffers_i of rnic_core), the one coming in, two being copied
    parameter int unsigned SlotWords = 192  // of 8 bytes
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // Bytes of a frame from the MAC
    input  logic             valid_i,
    input  logic             first_i,
    input  logic [      7:0] data_i,
    // The frame is wanted: its slot is taken, the next frame gets another
    input  logic             take_i,
    output logic [      4:0] slot_o,
    // Slots that are free again
    input  logic [Slots-1:0] free_i,
    // Words: a cycle later
    input  logic [      4:0] read_slot_i,
    input  logic [      7:0] read_word_i,
    output logic [     63:0] read_data_o,
    output logic             empty_o
);
  localparam int unsigned AddressBits = $clog2(Slots * SlotWords);
  localparam logic [10:0] PayloadAt = 11'd46;  // behind the Ethernet and DRP headers
  localparam logic [10:0] Full = PayloadAt + 11'(8 * SlotWords);  // bytes: the slot has no room for another

  logic [Slots-1:0] used_q, used;
  logic [4:0] slot_q, lowest;
  logic [10:0] count_q, payload_at;
  logic [63:0] word_q, word;
  logic write;
  logic [AddressBits-1:0] write_at, read_at;
  logic [63:0] words_q[Slots*SlotWords];

  assign slot_o = slot_q;
  assign used = used_q & ~free_i;
  assign empty_o = (used_q == '0);
  // The first of 32, if there is one: of each four, of two such, of two such. Cut for tables of six inputs.
  function automatic logic [4:0] first_of(input logic [31:0] set);
    logic [7:0] some;
    logic [15:0] low;
    logic [11:0] middle;
    logic [7:0] high;
    for (int i = 0; i < 8; i++) begin
      some[i] = (set[4*i+:4] != '0);
      low[2*i+:2] = {!set[4*i] && !set[4*i+1], !set[4*i] && (set[4*i+1] || !set[4*i+2])};
    end
    for (int i = 0; i < 4; i++) middle[3*i+:3] = some[2*i] ? {1'b0, low[4*i+:2]} : {1'b1, low[4*i+2+:2]};
    for (int i = 0; i < 2; i++)
      high[4*i+:4] = (some[4*i] || some[4*i+1]) ? {1'b0, middle[6*i+:3]} : {1'b1, middle[6*i+3+:3]};
    first_of = (some[3:0] != '0) ? {1'b0, high[3:0]} : {1'b1, high[7:4]};
  endfunction
  logic [Slots-1:0] open;
  always_comb begin
    open = '0;
    lowest = '0;
    if (take_i) begin
      for (int i = 0; i < Slots; i++) open[i] = !used[i] && 5'(i) != slot_q;
      lowest = first_of(open);
    end
  end

  // The word so far, written with each of its bytes.
  assign payload_at = count_q - PayloadAt;
  always_comb begin
    word = (payload_at[2:0] == '0) ? '0 : word_q;
    for (int i = 0; i < 8; i++) if (payload_at[2:0] == 3'(i)) word[8*i+:8] = data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q  <= '0;
      slot_q  <= '0;
      count_q <= '0;
      word_q  <= '0;
    end else begin
      used_q <= used;
      if (take_i) begin
        used_q[slot_q] <= 1'b1;
        slot_q         <= lowest;
      end
      if (valid_i) begin
        count_q <= first_i ? 11'd1 : count_q + 11'(count_q != Full);
        word_q  <= word;
      end
    end
  end

  assign write = valid_i && !first_i && count_q >= PayloadAt && count_q != Full;
  assign write_at = AddressBits'(slot_q) * AddressBits'(SlotWords) + AddressBits'(payload_at[10:3]);
  assign read_at = AddressBits'(read_slot_i) * AddressBits'(SlotWords) + AddressBits'(read_word_i);
  always_ff @(posedge clk_i) begin
    if (write) words_q[write_at] <= word;
    read_data_o <= words_q[read_at];
  end

  // Legal parameters.
  if (Slots != 32 || SlotWords < 186 || SlotWords > 250) begin : gen_illegal_slots
    $error("rx_staging: 32 slots for frames of 1,500 bytes");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_room_for_the_next : assert (!take_i || (used | (32'd1 << slot_q)) != '1);
      a_free_was_used : assert ((free_i & ~used_q) == '0);
      a_within_its_slot : assert (!write || 32'(payload_at[10:3]) < SlotWords);
    end
  end
endmodule

`default_nettype wire
