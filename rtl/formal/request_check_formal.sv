// SPDX-License-Identifier: Apache-2.0
// A request that passes touches no byte outside its region, nor without the rights of its QP and region; none is lost or overtaken.
// prove: cover 10, search 13
// cut: u_check.lies_inside
//
// Both sides stall as they like. Followed is one request, whichever, through the stages. What range_check says is anything (its own
// proof); here it is asked of the right range, of the entry that the table has given for this request's key, and is heeded.
`default_nettype none

module request_check_formal (
    input logic        clk_i,
    input logic        request_valid_i,
    input logic [7:0]  opcode_i,
    input logic [63:0] address_i,
    input logic [31:0] key_i,
    input logic [31:0] length_i,
    input logic [15:0] payload_i,
    input logic [3:0]  placement_i,
    input logic [1:0]  selectivity_i,
    input logic [31:0] qp_pd_i,
    input logic [15:0] qp_access_i,
    input logic [2:0]  qp_mtu_i,
    input logic        qp_persist_i,
    input logic [1:0]  incoming_i,
    input logic        message_persist_i,
    input logic [63:0] message_address_i,
    input logic [31:0] message_key_i,
    input logic [31:0] message_left_i,
    input logic        region_valid_i,
    input logic [7:0]  region_tag_i,
    input logic [31:0] region_pd_i,
    input logic [15:0] region_access_i,
    input logic [63:0] region_base_i,
    input logic [63:0] region_size_i,
    input logic        verdict_ready_i,
    input logic        watch_i            // the request taken in this cycle is the one to follow
);
  localparam int unsigned KindBits = rc_pkg::KindBits;
  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic request_ready, lookup, verdict_valid, in_sequence, is_allowed, good_length, good_key;
  logic [23:0] index;
  logic [KindBits-1:0] kind;
  request_check u_check (
      .clk_i,
      .rst_ni               (rst_nq),
      .request_valid_i,
      .request_ready_o      (request_ready),
      .request_opcode_i     (opcode_i),
      .request_address_i    (address_i),
      .request_key_i        (key_i),
      .request_length_i     (length_i),
      .request_payload_i    (payload_i),
      .request_placement_i  (placement_i),
      .request_selectivity_i(selectivity_i),
      .qp_pd_i,
      .qp_access_i,
      .qp_mtu_i,
      .qp_persist_i,
      .message_incoming_i   (incoming_i),
      .message_persist_i,
      .message_address_i,
      .message_key_i,
      .message_left_i,
      .lookup_valid_o       (lookup),
      .lookup_index_o       (index),
      .region_valid_i,
      .region_tag_i,
      .region_pd_i,
      .region_access_i,
      .region_base_i,
      .region_size_i,
      .verdict_valid_o      (verdict_valid),
      .verdict_ready_i,
      .verdict_sequence_o   (in_sequence),
      .verdict_allowed_o    (is_allowed),
      .verdict_length_o     (good_length),
      .verdict_key_o        (good_key),
      .verdict_kind_o       (kind)
  );

  // What range_check is asked, and what it says.
  logic [63:0] asked_address;  // see u_check.touched_3_q
  logic [31:0] asked_bytes;  // see u_check.bytes_3_q
  logic [63:0] asked_base;  // see u_check.base_q
  logic [63:0] asked_size;  // see u_check.size_q
  logic says_inside;  // see u_check.lies_inside

  // Where the request that is followed is, and that there are others before and behind it.
  logic take, now;
  logic [7:0] at_q, others_q;
  assign take = request_valid_i && request_ready;
  assign now = take && watch_i && at_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_nq) begin
      at_q     <= '0;
      others_q <= '0;
    end else if (request_ready) begin
      at_q     <= {at_q[6:0], now};
      others_q <= {others_q[6:0], take};
    end
  end

  // What it said, what the table has given for it, what range_check has.
  logic [7:0] opcode_q, entry_tag_q;
  logic [63:0] address_q, message_address_q, entry_base_q, entry_size_q;
  logic [31:0] key_q, length_q, message_key_q, left_q, pd_q, entry_pd_q;
  logic [15:0] payload_q, access_q, entry_access_q;
  logic [3:0] placement_q;
  logic [1:0] selectivity_q;
  logic may_persist_q, entry_valid_q, inside_q;
  always_ff @(posedge clk_i) begin
    if (now) begin
      opcode_q          <= opcode_i;
      address_q         <= address_i;
      key_q             <= key_i;
      length_q          <= length_i;
      payload_q         <= payload_i;
      placement_q       <= placement_i;
      selectivity_q     <= selectivity_i;
      pd_q              <= qp_pd_i;
      access_q          <= qp_access_i;
      may_persist_q     <= qp_persist_i;
      message_address_q <= message_address_i;
      message_key_q     <= message_key_i;
      left_q            <= message_left_i;
    end
    if (at_q[2] && request_ready) begin
      entry_valid_q  <= region_valid_i;
      entry_tag_q    <= region_tag_i;
      entry_pd_q     <= region_pd_i;
      entry_access_q <= region_access_i;
      entry_base_q   <= region_base_i;
      entry_size_q   <= region_size_i;
    end
    if (at_q[6] && request_ready) inside_q <= says_inside;
  end

  // By its opcode: what it touches, and what that takes.
  logic write, read, atomic, flush, atomic_write, persist, first, goes_on, touches, whole;
  logic [63:0] address;
  logic [31:0] key, bytes;
  logic [15:0] needs, needs_of_qp;
  assign write = rc_pkg::WriteOpcodes[opcode_q];
  assign read = opcode_q == roce_pkg::OpcodeReadRequest;
  assign atomic = opcode_q == roce_pkg::OpcodeCompareSwap || opcode_q == roce_pkg::OpcodeFetchAdd;
  assign flush = opcode_q == roce_pkg::OpcodeFlush;
  assign atomic_write = opcode_q == roce_pkg::OpcodeAtomicWrite;
  assign persist = rc_pkg::PersistOpcodes[opcode_q];
  assign first = rc_pkg::FirstOpcodes[opcode_q];
  assign goes_on = write && !first;
  assign address = goes_on ? message_address_q : address_q;
  assign key = goes_on ? message_key_q : key_q;
  assign bytes = goes_on ? left_q : (atomic || atomic_write) ? rc_pkg::AtomicBytes : length_q;
  assign whole = flush && selectivity_q == rc_pkg::FlushRegion;
  assign touches = whole ? entry_size_q != '0 : (write || read || atomic || flush || atomic_write) && bytes != '0;
  always_comb begin
    needs_of_qp = '0;
    needs_of_qp[rc_pkg::AccessRemoteWrite] = write || atomic_write;
    needs_of_qp[rc_pkg::AccessRemoteRead] = read;
    needs_of_qp[rc_pkg::AccessRemoteAtomic] = atomic;
    needs_of_qp[rc_pkg::AccessFlushVisible] = flush && placement_q[0];
    needs_of_qp[rc_pkg::AccessFlushPersistent] = flush && placement_q[1];
    needs = needs_of_qp;
    needs[rc_pkg::AccessWritePersist] = persist;
  end

  // A verdict that waits.
  logic waited_q;
  logic [KindBits+3:0] verdict, was_q;
  assign verdict = {in_sequence, is_allowed, good_length, good_key, kind};
  always_ff @(posedge clk_i) begin
    waited_q <= rst_nq && verdict_valid && !verdict_ready_i;
    was_q    <= verdict;
  end

  // The table's entry stays until the next lookup.
  logic looked_q;
  logic [184:0] entry, entry_q;
  assign entry = {region_valid_i, region_tag_i, region_pd_i, region_access_i, region_base_i, region_size_i};
  always_ff @(posedge clk_i) begin
    looked_q <= lookup;
    entry_q  <= entry;
  end

  logic passes;
  assign passes = at_q[7] && in_sequence && is_allowed && good_length && good_key;
  always_comb begin
    assume (looked_q || entry == entry_q);
    if (rst_nq) begin
      // None is lost, invented or overtaken.
      a_all : assert (verdict_valid == others_q[7] && request_ready == (!verdict_valid || verdict_ready_i));
      a_own : assert (!at_q[7] || kind[rc_pkg::KindWrite] == write);
      a_stays : assert (!waited_q || (verdict_valid && verdict == was_q));
      // The table is asked for its key, range_check for what it touches.
      a_lookup : assert (!at_q[1] || (lookup == request_ready && index == key[31:8]));
      a_range : assert (!at_q[3] || (asked_address == address && asked_bytes == bytes));
      a_region : assert (!at_q[3] || (asked_base == entry_base_q && asked_size == entry_size_q));
      // What passes may do so: by the QP, by its key, by its region, in each byte.
      a_qp : assert (!passes || (access_q & needs_of_qp) == needs_of_qp);
      a_persist : assert (!(passes && persist) || may_persist_q);
      a_key : assert (!(passes && touches) || (entry_valid_q && entry_tag_q == key[7:0] && entry_pd_q == pd_q));
      a_rights : assert (!(passes && touches) || ((entry_access_q & needs) == needs && needs != '0));
      a_inside : assert (!(passes && touches && !whole) || inside_q);
      a_payload : assert (!(passes && write) || 32'(payload_q) <= bytes);
      a_aligned : assert (!(passes && (atomic || atomic_write)) || address[2:0] == '0);
      a_invalidates : assert (!(passes && rc_pkg::InvalidatesOpcodes[opcode_q]) || (entry_valid_q && entry_tag_q == key_q[7:0] && entry_pd_q == pd_q));
    end
    c_write : cover (rst_nq && passes && goes_on && touches && others_q == '1);
  end
endmodule

`default_nettype wire
