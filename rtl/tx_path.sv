// SPDX-License-Identifier: Apache-2.0
// Transmit path: a ring of buffers for data frames between DMA and wire, the choice of the next frame, and its bytes for the
// MAC. Control frames go first; data and ordinary frames by the configured share, at the last moment (PROTOCOL.md 3.22).
//
// A data frame's buffer goes round: fetched (header known), filled (payload there), started, left, free again.
`default_nettype none

module tx_path #(
    parameter int unsigned Buffers = 16,
    parameter int unsigned BufferWords = 192  // of 8 bytes
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [ 47:0] cfg_own_address_i,
    input  logic [ 47:0] cfg_peer_address_i,
    input  logic [ 16:0] cfg_ordinary_share_i,  // in 65,536ths
    input  logic [  4:0] cfg_buffers_i,         // 1 .. Buffers
    // Control frames
    input  logic         control_valid_i,
    input  logic [247:0] control_header_i,
    output logic         control_pop_o,
    // Data frames: fetch decision, payload by words, all of it there
    output logic         buffer_free_o,
    input  logic         fetch_i,
    input  logic [247:0] fetch_header_i,
    input  logic [  5:0] fetch_entry_i,
    input  logic         fill_i,
    input  logic [ 63:0] fill_data_i,
    input  logic         filled_i,
    // ... has left; the transport controller knows: its buffer is free
    output logic         sent_valid_o,
    input  logic         sent_ready_i,
    output logic [  5:0] sent_entry_o,
    input  logic         freed_i,
    // Ordinary frames lie outside, as many as there are
    input  logic         ordinary_waits_i,      // one can start
    output logic         ordinary_start_o,
    output logic         ordinary_take_o,
    input  logic [  7:0] ordinary_data_i,
    input  logic         ordinary_last_i,
    // MAC
    input  logic         mac_ready_i,
    output logic         mac_start_o,
    input  logic         mac_take_i,
    output logic [  7:0] mac_data_o,
    output logic         mac_last_o,
    input  logic         mac_tx_en_i,
    output logic         idle_o
);
  localparam int unsigned RingBits = $clog2(Buffers);
  localparam int unsigned AddressBits = $clog2(Buffers * BufferWords);
  localparam logic [10:0] HeaderBytes = 11'd46;  // Ethernet and DRP

  localparam logic [1:0] KindControl = 2'd0;
  localparam logic [1:0] KindData = 2'd1;
  localparam logic [1:0] KindOrdinary = 2'd2;

  // The ring.
  logic [RingBits:0] fetched_q, filled_q, started_q, left_q, sent_q, freed_q;
  logic [247:0] headers_q[Buffers];
  logic [5:0] entries_q[Buffers];
  logic [63:0] words_q[Buffers*BufferWords];
  logic [7:0] fill_word_q;

  logic tx_en_q, left_now;
  logic [1:0] kind_q;
  assign left_now = tx_en_q && !mac_tx_en_i && (kind_q == KindData);
  assign sent_valid_o = (left_q != sent_q) || left_now;
  assign sent_entry_o = entries_q[sent_q[RingBits-1:0]];

  // As of this cycle: a decision that ends now counts.
  logic [RingBits:0] in_use;
  assign in_use = fetched_q - freed_q + (RingBits + 1)'(fetch_i) - (RingBits + 1)'(freed_i);
  assign buffer_free_o = (in_use < (RingBits + 1)'(cfg_buffers_i));

  // The choice.
  logic [16:0] credit_q, credit_sum;
  logic data_waits, choose, ordinary_turn;
  logic [1:0] kind;
  assign data_waits = (filled_q != started_q);
  assign credit_sum = credit_q + cfg_ordinary_share_i;
  assign ordinary_turn = credit_sum[16];
  assign choose = mac_ready_i && (control_valid_i || data_waits || ordinary_waits_i);
  always_comb begin
    if (control_valid_i) kind = KindControl;
    else if (data_waits && ordinary_waits_i) kind = ordinary_turn ? KindOrdinary : KindData;
    else kind = data_waits ? KindData : KindOrdinary;
  end
  assign mac_start_o = choose;
  assign control_pop_o = choose && (kind == KindControl);
  assign ordinary_start_o = choose && (kind == KindOrdinary);

  // The bytes: header first, then words of the buffer.
  logic [247:0] header;
  logic [367:0] head_q;
  logic [10:0] count_q, count_d, total_q;
  logic [7:0] payload_word;
  logic [63:0] word_q;
  logic [AddressBits-1:0] read_at;
  logic [RingBits-1:0] slot_q;
  logic [7:0] payload_byte;
  assign header = (kind == KindControl) ? control_header_i : headers_q[started_q[RingBits-1:0]];
  assign count_d = choose ? '0 : count_q + 11'(mac_take_i);
  assign payload_word = 8'((count_d - HeaderBytes) >> 3);
  assign read_at = AddressBits'(slot_q) * AddressBits'(BufferWords) + AddressBits'(payload_word);
  always_comb begin
    payload_byte = word_q[7:0];
    for (int i = 1; i < 8; i++) if (3'(count_q - HeaderBytes) == 3'(i)) payload_byte = word_q[8*i+:8];
  end
  assign ordinary_take_o = mac_take_i && (kind_q == KindOrdinary);
  assign mac_data_o = (kind_q == KindOrdinary) ? ordinary_data_i : (count_q < HeaderBytes) ? head_q[367:360] : payload_byte;
  assign mac_last_o = (kind_q == KindOrdinary) ? ordinary_last_i : (count_q == total_q - 11'd1);

  logic is_data_frame;
  assign is_data_frame = header[240+drp_pkg::CtrlDataBit];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetched_q   <= '0;
      filled_q    <= '0;
      started_q   <= '0;
      left_q      <= '0;
      sent_q      <= '0;
      freed_q     <= '0;
      fill_word_q <= '0;
      tx_en_q     <= 1'b0;
      kind_q      <= KindControl;
      credit_q    <= '0;
      head_q      <= '0;
      count_q     <= '0;
      total_q     <= '0;
      slot_q      <= '0;
    end else begin
      tx_en_q    <= mac_tx_en_i;
      fetched_q  <= fetched_q + (RingBits + 1)'(fetch_i);
      filled_q   <= filled_q + (RingBits + 1)'(filled_i);
      left_q     <= left_q + (RingBits + 1)'(left_now);
      sent_q     <= sent_q + (RingBits + 1)'(sent_valid_o && sent_ready_i);
      freed_q    <= freed_q + (RingBits + 1)'(freed_i);
      if (filled_i) fill_word_q <= '0;
      else if (fill_i) fill_word_q <= fill_word_q + 8'd1;
      count_q <= count_d;
      if (choose) begin
        kind_q  <= kind;
        total_q <= HeaderBytes + ((is_data_frame) ? header[202:192] : 11'd0);
        head_q  <= {cfg_peer_address_i, cfg_own_address_i, drp_pkg::EtherType, header[247:240], 8'd0, header[239:0]};
        if (kind == KindData) begin
          started_q <= started_q + (RingBits + 1)'(1);
          slot_q    <= started_q[RingBits-1:0];
        end
        if (!control_valid_i && data_waits && ordinary_waits_i) credit_q <= {1'b0, credit_sum[15:0]};
      end else if (mac_take_i) begin
        head_q <= head_q << 8;
      end
    end
  end

  // Memories: no reset.
  always_ff @(posedge clk_i) begin
    if (fetch_i) begin
      headers_q[fetched_q[RingBits-1:0]] <= fetch_header_i;
      entries_q[fetched_q[RingBits-1:0]] <= fetch_entry_i;
    end
    if (fill_i) begin
      words_q[AddressBits'(filled_q[RingBits-1:0])*AddressBits'(BufferWords)+AddressBits'(fill_word_q)] <= fill_data_i;
    end
    word_q <= words_q[read_at];
  end

  assign idle_o = !control_valid_i && (fetched_q == freed_q) && !ordinary_waits_i && mac_ready_i && !tx_en_q;

  // Legal parameters.
  if (Buffers != 16 || BufferWords < 184) begin : gen_illegal_buffers
    $error("tx_path: 16 buffers for frames of 1,468 bytes of payload");
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_room_for_a_fetch : assert (!fetch_i || (fetched_q - freed_q) < (RingBits + 1)'(cfg_buffers_i));
      a_filled_was_fetched : assert (!filled_i || filled_q != fetched_q);
      a_freed_was_sent : assert (!freed_i || freed_q != sent_q);
    end
  end
endmodule

`default_nettype wire
