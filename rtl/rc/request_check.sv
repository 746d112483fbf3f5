// SPDX-License-Identifier: Apache-2.0
// What a responder asks of a request before it takes it: may it come now, may its QP's peer do this, are its lengths right, does its
// key open what it touches. The model: model/rnic/rc/request_checks.h. A request a cycle, answered in order; a stall stops all of it.
//
// Stages: 0 kind, 1 what is touched, 2 the table of regions is read, 3 its entry, 4 to 6 range, 7 the verdict. The state of a QP comes
// with the request: who asks for two of one QP at once says of the second what the first makes of the QP.
`default_nettype none

module request_check (
    input  logic        clk_i,
    input  logic        rst_ni,
    // A request, by its headers; what it has no header for is anything
    input  logic        request_valid_i,
    output logic        request_ready_o,
    input  logic [7:0]  request_opcode_i,      // RC's; of UC the lower five bits
    input  logic [63:0] request_address_i,
    input  logic [31:0] request_key_i,
    input  logic [31:0] request_length_i,
    input  logic [15:0] request_payload_i,     // bytes
    input  logic [roce_pkg::FethPlacementBits-1:0] request_placement_i,      // of a FLUSH
    input  logic [roce_pkg::FethSelectivityBits-1:0] request_selectivity_i,
    // Its QP
    input  logic [31:0] qp_pd_i,
    input  logic [rc_pkg::AccessBits-1:0] qp_access_i,
    input  logic [2:0]  qp_mtu_i,              // 256 bytes, shifted by this
    input  logic        qp_persist_i,          // WRITE_PERSIST may be done
    input  logic [1:0]  message_incoming_i,    // the message under way: rc_pkg::Incoming*
    input  logic        message_persist_i,     // of a WRITE: it is a WRITE_PERSIST
    input  logic [63:0] message_address_i,     // where its next byte goes
    input  logic [31:0] message_key_i,
    input  logic [31:0] message_left_i,        // bytes still to come
    // The table of regions. Its entry comes in the cycle after lookup_valid_o, and stays until the next one
    output logic        lookup_valid_o,
    output logic [23:0] lookup_index_o,
    input  logic        region_valid_i,
    input  logic [7:0]  region_tag_i,
    input  logic [31:0] region_pd_i,
    input  logic [rc_pkg::AccessBits-1:0] region_access_i,
    input  logic [63:0] region_base_i,
    input  logic [63:0] region_size_i,
    // The verdict: each holds or not whatever the others are
    output logic        verdict_valid_o,
    input  logic        verdict_ready_i,
    output logic        verdict_sequence_o,
    output logic        verdict_allowed_o,
    output logic        verdict_length_o,
    output logic        verdict_key_o,
    output logic [rc_pkg::KindBits-1:0] verdict_kind_o   // what the request is
);
  localparam int unsigned KindBits = rc_pkg::KindBits;
  localparam int unsigned AccessBits = rc_pkg::AccessBits;
  localparam logic [AccessBits-1:0] RemoteWrite = AccessBits'(1) << rc_pkg::AccessRemoteWrite;
  localparam logic [AccessBits-1:0] RemoteRead = AccessBits'(1) << rc_pkg::AccessRemoteRead;
  localparam logic [AccessBits-1:0] RemoteAtomic = AccessBits'(1) << rc_pkg::AccessRemoteAtomic;
  localparam logic [AccessBits-1:0] FlushVisible = AccessBits'(1) << rc_pkg::AccessFlushVisible;
  localparam logic [AccessBits-1:0] FlushPersistent = AccessBits'(1) << rc_pkg::AccessFlushPersistent;
  localparam logic [AccessBits-1:0] WritePersist = AccessBits'(1) << rc_pkg::AccessWritePersist;
  localparam logic [15:0] AtomicPayload = rc_pkg::AtomicBytes[15:0];
  localparam logic [31:0] AtomicAligned = rc_pkg::AtomicBytes - 32'd1;

  logic advance;
  logic [7:0] valid_q;  // by stage
  assign advance = !valid_q[7] || verdict_ready_i;
  assign request_ready_o = advance;
  assign verdict_valid_o = valid_q[7];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (advance) valid_q <= {valid_q[6:0], request_valid_i};
  end

  // 0: the kind, by the opcode.
  logic [KindBits-1:0] kind, kind_q;
  logic [63:0] address_q, message_address_q;
  logic [31:0] key_q, message_key_q, length_q, left_q, pd_q;
  logic [15:0] payload_q;
  logic [roce_pkg::FethPlacementBits-1:0] placement_q;
  logic [roce_pkg::FethSelectivityBits-1:0] selectivity_q;
  logic [AccessBits-1:0] access_q;
  logic [7:0] mtu_q, over_q;  // of the payload's upper bits: the one of the MTU, it and those above
  logic [1:0] incoming_q;
  logic may_persist_q, message_persist_q;
  always_comb begin
    for (int k = 0; k < KindBits; k++) kind[k] = rc_pkg::KindOpcodes[{4'(k), request_opcode_i}];
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      kind_q            <= kind;
      address_q         <= request_address_i;
      key_q             <= request_key_i;
      length_q          <= request_length_i;
      payload_q         <= request_payload_i;
      placement_q       <= request_placement_i;
      selectivity_q     <= request_selectivity_i;
      pd_q              <= qp_pd_i;
      access_q          <= qp_access_i;
      mtu_q             <= 8'd1 << qp_mtu_i;
      over_q            <= 8'hFF << qp_mtu_i;
      may_persist_q     <= qp_persist_i;
      incoming_q        <= message_incoming_i;
      message_persist_q <= message_persist_i;
      message_address_q <= message_address_i;
      message_key_q     <= message_key_i;
      left_q            <= message_left_i;
    end
  end
  logic send, write, read, atomic, flush, atomic_write, persist, first, last;
  assign send = kind_q[rc_pkg::KindSend];
  assign write = kind_q[rc_pkg::KindWrite];
  assign read = kind_q[rc_pkg::KindRead];
  assign atomic = kind_q[rc_pkg::KindAtomic];
  assign flush = kind_q[rc_pkg::KindFlush];
  assign atomic_write = kind_q[rc_pkg::KindAtomicWrite];
  assign persist = kind_q[rc_pkg::KindPersist];
  assign first = kind_q[rc_pkg::KindFirst];
  assign last = kind_q[rc_pkg::KindLast];

  // 1: sequence and rights of the QP; what is touched, and which rights that needs of a region; parts of the lengths.
  logic sequence_d, goes_on, asks_flush;
  logic [AccessBits-1:0] needs, touched_needs_q;
  logic [15:0] repeats, repeats_q;  // by eight bits: the RETH says what the message so far does
  always_comb begin
    goes_on = !first && (incoming_q == rc_pkg::IncomingSend ? send : write && persist == message_persist_q);
    sequence_d = (incoming_q == rc_pkg::IncomingNone) ? first : goes_on;

    needs = '0;
    if (write || atomic_write) needs = needs | RemoteWrite;
    if (read) needs = needs | RemoteRead;
    if (atomic) needs = needs | RemoteAtomic;
    if (flush && (placement_q & rc_pkg::PlaceVisible) != '0) needs = needs | FlushVisible;
    if (flush && (placement_q & rc_pkg::PlacePersistent) != '0) needs = needs | FlushPersistent;
    // A placement that there is not asks for nothing.
    asks_flush = placement_q != '0 && (placement_q & ~(rc_pkg::PlaceVisible | rc_pkg::PlacePersistent)) == '0;
    for (int i = 0; i < 8; i++) repeats[i] = address_q[8*i+:8] == message_address_q[8*i+:8];
    for (int i = 0; i < 4; i++) repeats[8+i] = key_q[8*i+:8] == message_key_q[8*i+:8];
    for (int i = 0; i < 4; i++) repeats[12+i] = length_q[8*i+:8] == left_q[8*i+:8];
  end
  logic [63:0] touched_q, touched_2_q;
  logic [31:0] touched_key_q, touched_bytes_q, bytes_2_q, pd_1_q, pd_2_q;
  logic known_q, granted_q, aligned_q, flushes_q;  // the opcode is allowed if all hold
  logic [15:0] payload_1_q;
  logic long_q, limited_q, empty_payload_q, without_q, eight_q, eight_payload_q, eights_q, full_q, below_mtu_q;
  logic counts_q, first_q, last_q, places_q, never_q, free_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      touched_q       <= (write && !first) ? message_address_q : address_q;
      touched_key_q   <= (write && !first) ? message_key_q : key_q;
      touched_bytes_q <= (write && !first) ? left_q : (atomic || atomic_write) ? rc_pkg::AtomicBytes : length_q;
      touched_needs_q <= persist ? needs | WritePersist : needs;
      repeats_q       <= repeats;
      payload_1_q     <= payload_q;
      pd_1_q          <= pd_q;
      counts_q        <= write;
      last_q          <= last;
      places_q        <= kind_q[rc_pkg::KindAddressed] && !first;
      never_q         <= flush && !asks_flush;
      free_q          <= !(write || read || atomic || flush || atomic_write || kind_q[rc_pkg::KindInvalidates]);
      known_q         <= (send || write || read || atomic || flush || atomic_write) && (!persist || may_persist_q);
      granted_q       <= (access_q & needs) == needs;
      aligned_q       <= !(atomic || atomic_write) || (address_q[31:0] & AtomicAligned) == '0;
      flushes_q       <= !flush || (asks_flush && (selectivity_q == rc_pkg::FlushRange || selectivity_q == rc_pkg::FlushRegion));
      long_q          <= (length_q & rc_pkg::MaxMessage) != '0 && (length_q & ~rc_pkg::MaxMessage) != '0;  // it is the highest bit
      limited_q       <= read || flush || (write && first);
      empty_payload_q <= payload_q == '0;
      without_q       <= read || flush || atomic;
      eight_q         <= length_q == rc_pkg::AtomicBytes;
      eight_payload_q <= payload_q == AtomicPayload;
      eights_q        <= atomic_write;
      full_q          <= payload_q == {mtu_q, 8'd0};
      below_mtu_q     <= (payload_q[15:8] & over_q) == '0;
      first_q         <= first;
    end
  end

  // 2: the table is read; of the lengths, what does not depend on the message so far, and the payload compared with what is left.
  logic allowed_d, packet, sized;
  logic [16:0] above;  // the payload is more than the lower half of what is left; not less, with two ones below that carry
  logic [17:0] reaches;
  assign above = {1'b0, payload_1_q} + {1'b0, ~touched_bytes_q[15:0]};
  assign reaches = {1'b0, payload_1_q, 1'b1} + {1'b0, ~touched_bytes_q[15:0], 1'b1};
  assign allowed_d = known_q && granted_q && aligned_q && flushes_q;
  // All packets but the last are full, and the last one is not empty unless it is the only one.
  assign packet = last_q ? (full_q || below_mtu_q) && (first_q || !empty_payload_q) : full_q;
  assign sized = !(limited_q && long_q) && (without_q ? empty_payload_q : eights_q ? eight_payload_q && eight_q : packet);
  assign lookup_valid_o = valid_q[1] && advance;
  assign lookup_index_o = touched_key_q[31:8];
  logic sized_2_q, counts_2_q, last_2_q, repeats_2_q, above_q, reaches_q, many_q, nothing_q;
  logic [7:0] tag_2_q;
  logic [AccessBits-1:0] needs_2_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      touched_2_q <= touched_q;
      bytes_2_q   <= touched_bytes_q;
      tag_2_q     <= touched_key_q[7:0];
      pd_2_q      <= pd_1_q;
      needs_2_q   <= touched_needs_q;
      sized_2_q   <= sized;
      counts_2_q  <= counts_q;
      last_2_q    <= last_q;
      repeats_2_q <= !places_q || repeats_q == '1;
      above_q     <= above[16];
      reaches_q   <= reaches[17];
      many_q      <= touched_bytes_q[31:16] != '0;
      nothing_q   <= touched_bytes_q == '0;
    end
  end

  // 3: the region's entry. A WRITE's last packet brings all that is left, others less.
  logic [63:0] touched_3_q, base_q, size_q;
  logic [31:0] bytes_3_q, pd_3_q, region_pd_q;
  logic [7:0] tag_3_q, region_tag_q;
  logic [AccessBits-1:0] needs_3_q, region_access_q;
  logic length_3_q, region_valid_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      touched_3_q     <= touched_2_q;
      bytes_3_q       <= bytes_2_q;
      tag_3_q         <= tag_2_q;
      pd_3_q          <= pd_2_q;
      needs_3_q       <= needs_2_q;
      length_3_q      <= sized_2_q && (!counts_2_q || (repeats_2_q && (last_2_q ? reaches_q && !above_q && !many_q : !reaches_q || many_q)));
      region_valid_q  <= region_valid_i;
      region_tag_q    <= region_tag_i;
      region_pd_q     <= region_pd_i;
      region_access_q <= region_access_i;
      base_q          <= region_base_i;
      size_q          <= region_size_i;
    end
  end

  // 4 to 6: the range; is it the key's region and the QP's, has it the rights, has it any bytes.
  logic lies_inside;
  range_check u_range (
      .clk_i,
      .advance_i(advance),
      .address_i(touched_3_q),
      .bytes_i  (bytes_3_q),
      .base_i   (base_q),
      .size_i   (size_q),
      .inside_o (lies_inside)
  );
  logic [3:0] same_pd_q, some_q;  // by pieces
  logic same_key_q, rights_4_q, match_q, rights_5_q, empty_q, match_6_q, rights_6_q, empty_6_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      for (int i = 0; i < 4; i++) same_pd_q[i] <= pd_3_q[8*i+:8] == region_pd_q[8*i+:8];
      for (int i = 0; i < 4; i++) some_q[i] <= size_q[16*i+:16] != '0;
      same_key_q <= region_valid_q && tag_3_q == region_tag_q;
      rights_4_q <= (region_access_q & needs_3_q) == needs_3_q;
      match_q    <= same_key_q && same_pd_q == '1;
      rights_5_q <= rights_4_q;
      empty_q    <= some_q == '0;
      match_6_q  <= match_q;
      rights_6_q <= rights_5_q;
      empty_6_q  <= empty_q;
    end
  end

  // What the verdict needs of the first stages, behind them in the lowest bits.
  logic [5:0] sequence_q, whole_q;                     // of 1 to 6; whole: a FLUSH of a region
  logic [6*KindBits-1:0] kinds_q;
  logic [4:0] allowed_q, never_after_q, free_after_q;  // of 2 to 6
  logic [3:0] nothing_after_q;                         // of 3 to 6
  logic [2:0] length_after_q;                          // of 4 to 6
  always_ff @(posedge clk_i) begin
    if (advance) begin
      sequence_q      <= {sequence_q[4:0], sequence_d};
      allowed_q       <= {allowed_q[3:0], allowed_d};
      whole_q         <= {whole_q[4:0], flush && selectivity_q == rc_pkg::FlushRegion};
      kinds_q         <= {kinds_q[5*KindBits-1:0], kind_q};
      never_after_q   <= {never_after_q[3:0], never_q};
      free_after_q    <= {free_after_q[3:0], free_q};
      nothing_after_q <= {nothing_after_q[2:0], nothing_q};
      length_after_q  <= {length_after_q[1:0], length_3_q};
    end
  end

  // 7: the verdict. No bytes need no key, but those of a region its own.
  logic opens;
  logic [KindBits-1:0] kind_6;
  assign kind_6 = kinds_q[5*KindBits+:KindBits];
  always_comb begin
    if (kind_6[rc_pkg::KindInvalidates]) opens = match_6_q;
    else if (whole_q[5]) opens = match_6_q && (empty_6_q || rights_6_q);
    else opens = nothing_after_q[3] || (match_6_q && rights_6_q && lies_inside);
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      verdict_sequence_o <= sequence_q[5];
      verdict_allowed_o  <= allowed_q[4];
      verdict_length_o   <= length_after_q[2];
      verdict_key_o      <= !never_after_q[4] && (free_after_q[4] || opens);
      verdict_kind_o     <= kind_6;
    end
  end
endmodule

`default_nettype wire
