// SPDX-License-Identifier: Apache-2.0
// The RNIC: everything between GMII, the host interface's queues and the PCIe link.
//
//   gmii_rx --> gmac_rx --> drp_frame_filter --> transport_controller --> dma_queue --> dma_engine --> TLPs
//                   \--> rx_staging ----- payload -----> payload_mover ------------------------------> payload
//                              \--------- early data --> indirect_buffer ----/
//   gmii_tx <-- gmac_tx <-- tx_path <-- control_queue <-- transport_controller
//                              ^------- payload of completions
//
// Each input of tx_path takes one cycle more than in the model; gmac_tx is built with a latency of one cycle less.
`default_nettype none

module rnic_core #(
    parameter bit DYNAMIC = 1'b1  // 0: the traditional RNIC, without an indirect buffer
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [31:0] now_i,                          // this cycle: the device's timebase
    // Configuration; constant while idle_o is low
    input  logic [47:0] cfg_own_address_i,
    input  logic [47:0] cfg_peer_address_i,             // point to point: where every DRP frame goes
    input  logic [10:0] cfg_segment_i,                  // bytes
    input  logic [ 3:0] cfg_window_i,                   // frames, 1 .. 8
    input  logic        cfg_go_back_n_i,
    input  logic [ 7:0] cfg_duplicate_acks_i,
    input  logic [30:0] cfg_request_timer_i,            // cycles, as all times
    input  logic [30:0] cfg_data_timer_i,
    input  logic [30:0] cfg_release_timer_i,
    input  logic [30:0] cfg_idle_timeout_i,
    input  logic [15:0] cfg_max_requests_i,
    input  logic [15:0] cfg_max_retransmissions_i,
    input  logic [15:0] cfg_indirect_after_i,
    input  logic        cfg_resume_i,
    input  logic [ 6:0] cfg_slots_i,                    // of the indirect buffer
    input  logic [ 7:0] cfg_slot_words_i,               // of 8 bytes
    input  logic [ 4:0] cfg_tx_buffers_i,               // 1 .. 16
    input  logic [ 4:0] cfg_rx_buffers_i,               // 1 .. 28
    input  logic [16:0] cfg_ordinary_share_i,           // in 65,536ths
    input  logic [ 3:0] cfg_max_payload_log2_i,
    input  logic [ 3:0] cfg_max_read_request_log2_i,
    input  logic [ 8:0] cfg_tags_i,
    input  logic [ 7:0] cfg_request_overhead_i,
    // GMII
    input  logic [ 7:0] gmii_rxd_i,
    input  logic        gmii_rx_dv_i,
    output logic [ 7:0] gmii_txd_o,
    output logic        gmii_tx_en_o,
    // Commands of the host, events for it
    input  logic        command_valid_i,
    output logic        command_ready_o,
    input  logic [ 2:0] command_code_i,                 // rnic_pkg::Command...
    input  logic [15:0] command_tid_i,
    input  logic [31:0] command_length_i,
    input  logic [63:0] command_sba_i,
    input  logic [63:0] command_dba_i,
    input  logic [15:0] command_generation_i,           // of a verdict: the event's that asked for it
    output logic        event_valid_o,
    output logic [ 2:0] event_o,                        // rnic_pkg::Event...
    output logic [ 2:0] event_status_o,
    output logic [15:0] event_tid_o,
    output logic [31:0] event_length_o,
    output logic [63:0] event_dba_o,
    output logic        event_read_o,
    output logic        event_indirect_o,
    output logic [15:0] event_generation_o,             // which life of the TID; 0: the initiator's
    // Ordinary frames to the wire: one waits, until ordinary_start_o; it is taken byte by byte
    input  logic        ordinary_waits_i,
    output logic        ordinary_start_o,
    output logic        ordinary_take_o,
    input  logic [ 7:0] ordinary_data_i,
    input  logic        ordinary_last_i,
    // Frames from the wire, FCS checked at their end; what the filter says of them, three cycles later
    output logic        rx_valid_o,
    output logic        rx_first_o,
    output logic [ 7:0] rx_data_o,
    output logic        rx_ordinary_o,
    output logic        rx_drop_o,                      // bad, malformed, for somebody else, or without room
    // DMA requests of the host interface
    input  logic        host_valid_i,
    output logic        host_ready_o,
    input  logic [ 7:0] host_age_i,                    // cycles that it has been waiting, 255 at most
    input  logic        host_write_i,
    input  logic [63:0] host_address_i,
    input  logic [10:0] host_bytes_i,
    // TLPs for the link, one a cycle; payload of frames, a word a cycle; the oldest write of a frame or a drain has left
    output logic        tlp_valid_o,
    output logic        tlp_write_o,
    output logic [63:0] tlp_address_o,
    output logic [12:0] tlp_bytes_o,
    output logic        tlp_first_o,
    output logic        tlp_last_o,
    output logic        tlp_piece_last_o,
    output logic [ 1:0] tlp_source_o,                   // 0 place, 1 fetch, 2 drain, 3 host interface
    output logic        payload_valid_o,
    output logic [63:0] payload_o,
    output logic        payload_last_o,
    input  logic        left_i,
    // Completions: tags are free; payload of the oldest fetch, a word a cycle, then all of it is there
    input  logic        completed_i,
    input  logic [ 8:0] completed_tags_i,
    input  logic        fill_i,
    input  logic [63:0] fill_data_i,
    input  logic        filled_i,
    // Statistics: what a decision counts
    output logic        done_o,
    output logic [rnic_pkg::Notes-1:0] notes_o,
    output logic        note_responder_o,
    output logic [15:0] note_tid_o,
    // Nothing in hand: the clock may stop, for a multiple of 64 cycles, and at most until the next timer
    output logic        idle_o,
    output logic        timer_write_o,
    output logic [ 5:0] timer_entry_o,
    output logic        timer_on_o,
    output logic [31:0] timer_deadline_o,
    output logic [ 6:0] entries_o                       // of the connection table, in use
);
  localparam logic [1:0] SourcePlace = 2'd0;
  localparam logic [1:0] SourceFetch = 2'd1;
  localparam logic [1:0] SourceDrain = 2'd2;

  // Configuration, taken while nothing is in hand. The ports are flat, as of every block that one's own may stand for.
  typedef struct packed {
    logic [47:0] own_address;
    logic [47:0] peer_address;
    logic [10:0] segment;
    logic [3:0]  window;
    logic        go_back_n;
    logic [7:0]  duplicate_acks;
    logic [30:0] request_timer;
    logic [30:0] data_timer;
    logic [30:0] release_timer;
    logic [30:0] idle_timeout;
    logic [15:0] max_requests;
    logic [15:0] max_retransmissions;
    logic [15:0] indirect_after;
    logic        resume;
    logic [6:0]  slots;
    logic [7:0]  slot_words;
    logic [4:0]  tx_buffers;
    logic [4:0]  rx_buffers;
    logic [16:0] ordinary_share;
    logic [3:0]  max_payload_log2;
    logic [3:0]  max_read_request_log2;
    logic [8:0]  tags;
    logic [7:0]  request_overhead;
  } config_t;
  config_t cfg_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cfg_q <= '0;
    end else if (idle_o) begin
      cfg_q.own_address           <= cfg_own_address_i;
      cfg_q.peer_address          <= cfg_peer_address_i;
      cfg_q.segment               <= cfg_segment_i;
      cfg_q.window                <= cfg_window_i;
      cfg_q.go_back_n             <= cfg_go_back_n_i;
      cfg_q.duplicate_acks        <= cfg_duplicate_acks_i;
      cfg_q.request_timer         <= cfg_request_timer_i;
      cfg_q.data_timer            <= cfg_data_timer_i;
      cfg_q.release_timer         <= cfg_release_timer_i;
      cfg_q.idle_timeout          <= cfg_idle_timeout_i;
      cfg_q.max_requests          <= cfg_max_requests_i;
      cfg_q.max_retransmissions   <= cfg_max_retransmissions_i;
      cfg_q.indirect_after        <= cfg_indirect_after_i;
      cfg_q.resume                <= cfg_resume_i;
      cfg_q.slots                 <= cfg_slots_i;
      cfg_q.slot_words            <= cfg_slot_words_i;
      cfg_q.tx_buffers            <= cfg_tx_buffers_i;
      cfg_q.rx_buffers            <= cfg_rx_buffers_i;
      cfg_q.ordinary_share        <= cfg_ordinary_share_i;
      cfg_q.max_payload_log2      <= cfg_max_payload_log2_i;
      cfg_q.max_read_request_log2 <= cfg_max_read_request_log2_i;
      cfg_q.tags                  <= cfg_tags_i;
      cfg_q.request_overhead      <= cfg_request_overhead_i;
    end
  end

  // Receive: MAC, filter.
  logic rx_end, rx_good, rx_runt, rx_oversize, rx_bad_fcs;
  logic is_drp, drp, overrun, other_destination, malformed;
  logic [2:0] malformed_reason;
  logic [7:0] f_ctrl, h_ctrl_q;
  logic [15:0] f_tid, h_tid_q;
  logic [31:0] f_len, f_sn, f_ackn, h_len_q, h_sn_q, h_ackn_q;
  logic [63:0] f_sba, f_dba, h_sba_q, h_dba_q;
  logic [10:0] frame_bytes;

  gmac_rx u_gmac_rx (
      .clk_i,
      .rst_ni,
      .gmii_rxd_i,
      .gmii_rx_dv_i,
      .valid_o   (rx_valid_o),
      .first_o   (rx_first_o),
      .data_o    (rx_data_o),
      .end_o     (rx_end),
      .good_o    (rx_good),
      .runt_o    (rx_runt),
      .oversize_o(rx_oversize),
      .bad_fcs_o (rx_bad_fcs)
  );

  drp_frame_filter u_filter (
      .clk_i,
      .rst_ni,
      .own_address_i      (cfg_q.own_address),
      .valid_i            (rx_valid_o),
      .first_i            (rx_first_o),
      .data_i             (rx_data_o),
      .end_i              (rx_end),
      .good_i             (rx_good),
      .drp_o              (is_drp),
      .ordinary_o         (rx_ordinary_o),
      .other_destination_o(other_destination),
      .malformed_o        (malformed),
      .reason_o           (malformed_reason),
      .ctrl_o             (f_ctrl),
      .tid_o              (f_tid),
      .len_o              (f_len),
      .sn_o               (f_sn),
      .ackn_o             (f_ackn),
      .sba_o              (f_sba),
      .dba_o              (f_dba),
      .frame_bytes_o      (frame_bytes)
  );
  assign rx_drop_o = rx_runt || rx_oversize || rx_bad_fcs || other_destination || malformed || overrun;

  // A frame that comes during a decision waits; the next one is at least 84 cycles behind it. If decisions are held for longer than
  // that, because a queue is full, the frame is dropped.
  logic hold, dma_hold, control_hold, frame_lost;
  logic held_q, frame_valid, frame_ready, with_payload, hand_payload_q, held_payload_q;
  logic [4:0] staging_slot, held_slot_q, hand_slot_q;
  assign with_payload = f_ctrl[drp_pkg::CtrlDataBit] && (f_len != '0);
  assign frame_valid = drp || held_q;
  assign frame_lost = held_q && !frame_ready;
  assign hold = dma_hold || control_hold;

  // Transport controller.
  logic [2:0] done_input;
  logic [5:0] done_entry;
  logic send, release_it, place, keep, drain, drop, fetch, transport_idle, data_waits, buffer_full;
  logic [7:0] send_ctrl, fetch_ctrl;
  logic [31:0] send_len, send_sn, send_ackn, bytes, sn;
  logic [63:0] send_sba, send_dba, fetch_sba, fetch_dba, address;
  logic sent_valid, sent_ready, buffer_free;
  logic [5:0] sent_entry;

  transport_controller u_transport (
      .clk_i,
      .rst_ni,
      .now_i,
      .cfg_dynamic_i(DYNAMIC),
      .cfg_segment_i(cfg_q.segment),
      .cfg_window_i(cfg_q.window),
      .cfg_go_back_n_i(cfg_q.go_back_n),
      .cfg_duplicate_acks_i(cfg_q.duplicate_acks),
      .cfg_request_timer_i(cfg_q.request_timer),
      .cfg_data_timer_i(cfg_q.data_timer),
      .cfg_release_timer_i(cfg_q.release_timer),
      .cfg_idle_timeout_i(cfg_q.idle_timeout),
      .cfg_max_requests_i(cfg_q.max_requests),
      .cfg_max_retransmissions_i(cfg_q.max_retransmissions),
      .cfg_indirect_after_i(cfg_q.indirect_after),
      .cfg_resume_i(cfg_q.resume),
      .frame_valid_i (frame_valid),
      .frame_ready_o (frame_ready),
      .frame_ctrl_i  (held_q ? h_ctrl_q : f_ctrl),
      .frame_tid_i   (held_q ? h_tid_q : f_tid),
      .frame_len_i   (held_q ? h_len_q : f_len),
      .frame_sn_i    (held_q ? h_sn_q : f_sn),
      .frame_ackn_i  (held_q ? h_ackn_q : f_ackn),
      .frame_sba_i   (held_q ? h_sba_q : f_sba),
      .frame_dba_i   (held_q ? h_dba_q : f_dba),
      .command_valid_i,
      .command_ready_o,
      .command_code_i,
      .command_tid_i,
      .command_length_i,
      .command_sba_i,
      .command_dba_i,
      .command_generation_i,
      .sent_valid_i  (sent_valid),
      .sent_ready_o  (sent_ready),
      .sent_entry_i  (sent_entry),
      .fetch_enable_i(buffer_free),
      .buffer_full_i (buffer_full),
      .hold_i        (hold),
      .done_o,
      .done_input_o  (done_input),
      .done_entry_o  (done_entry),
      .notes_o,
      .note_responder_o,
      .tid_o         (note_tid_o),
      .send_o        (send),
      .release_o     (release_it),
      .send_ctrl_o   (send_ctrl),
      .send_len_o    (send_len),
      .send_sn_o     (send_sn),
      .send_ackn_o   (send_ackn),
      .send_sba_o    (send_sba),
      .send_dba_o    (send_dba),
      .place_o       (place),
      .keep_o        (keep),
      .drain_o       (drain),
      .drop_o        (drop),
      .fetch_o       (fetch),
      .fetch_ctrl_o  (fetch_ctrl),
      .fetch_sba_o   (fetch_sba),
      .fetch_dba_o   (fetch_dba),
      .address_o     (address),
      .bytes_o       (bytes),
      .sn_o          (sn),
      .event_o,
      .event_status_o,
      .event_length_o,
      .event_dba_o,
      .event_read_o,
      .event_indirect_o,
      .event_generation_o,
      .timer_write_o,
      .timer_on_o,
      .timer_deadline_o,
      .idle_o        (transport_idle),
      .entries_o,
      .data_o        (data_waits)
  );
  assign event_valid_o = done_o && (event_o != rnic_pkg::EventNone);
  assign event_tid_o = note_tid_o;
  assign timer_entry_o = done_entry;

  // The slot of the frame that is being decided about: placed, copied, or free again.
  logic [31:0] staging_free;
  logic left_staging, copied, staging_empty;
  logic [4:0] left_slot, copied_slot;
  always_comb begin
    staging_free = '0;
    if (done_o && done_input == transport_pkg::InputFrame && hand_payload_q && !place && !keep) staging_free[hand_slot_q] = 1'b1;
    if (left_staging) staging_free[left_slot] = 1'b1;
    if (copied) staging_free[copied_slot] = 1'b1;
  end

  // Data in staging: from its arrival until it has been decided about, or, if it is to be placed, until it has left the link.
  // A frame for which there is no room any more is lost. Staging has a few more slots, for frames that are being copied.
  logic [4:0] staged_q;
  logic room, settled;
  assign room = (staged_q != cfg_q.rx_buffers);
  assign drp = is_drp && !frame_lost && (!with_payload || room);
  assign overrun = is_drp && (frame_lost || (with_payload && !room));
  assign settled = done_o && done_input == transport_pkg::InputFrame && hand_payload_q && !place;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) staged_q <= '0;
    else staged_q <= staged_q + 5'(drp && with_payload) - 5'(settled) - 5'(left_staging);
  end

  logic [4:0] read_slot;
  logic [7:0] read_word, buffer_word;
  logic [63:0] staging_data, buffer_data;
  rx_staging u_staging (
      .clk_i,
      .rst_ni,
      .valid_i    (rx_valid_o),
      .first_i    (rx_first_o),
      .data_i     (rx_data_o),
      .take_i     (drp && with_payload),
      .slot_o     (staging_slot),
      .free_i     (staging_free),
      .read_slot_i(read_slot),
      .read_word_i(read_word),
      .read_data_o(staging_data),
      .empty_o    (staging_empty)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q         <= 1'b0;
      held_payload_q <= 1'b0;
      held_slot_q    <= '0;
      hand_payload_q <= 1'b0;
      hand_slot_q    <= '0;
      h_ctrl_q       <= '0;
      h_tid_q        <= '0;
      h_len_q        <= '0;
      h_sn_q         <= '0;
      h_ackn_q       <= '0;
      h_sba_q        <= '0;
      h_dba_q        <= '0;
    end else begin
      held_q <= (held_q && !frame_ready) || (drp && (held_q || !frame_ready));
      if (drp) begin
        held_payload_q <= with_payload;
        held_slot_q    <= staging_slot;
        h_ctrl_q       <= f_ctrl;
        h_tid_q        <= f_tid;
        h_len_q        <= f_len;
        h_sn_q         <= f_sn;
        h_ackn_q       <= f_ackn;
        h_sba_q        <= f_sba;
        h_dba_q        <= f_dba;
      end
      if (frame_valid && frame_ready) begin
        hand_payload_q <= held_q ? held_payload_q : with_payload;
        hand_slot_q    <= held_q ? held_slot_q : staging_slot;
      end
    end
  end

  // Transmit: control frames wait for the data that they acknowledge to be posted. REL follows an acknowledgement of the
  // same decision a cycle later.
  logic [11:0] placed_q, posted_q, placed;
  logic release_q, control_valid, control_pop, control_empty;
  logic [247:0] control_head, send_header, release_header;
  logic first_place;
  logic [15:0] release_tid, release_tid_q;
  assign placed = placed_q + 12'(done_o && place);
  assign send_header = {send_ctrl, note_tid_o, send_len, send_sn, send_ackn, send_sba, send_dba};
  assign release_header = {
    fetch_ctrl ^ (8'd1 << drp_pkg::CtrlDataBit) ^ (8'd1 << drp_pkg::CtrlRelBit), release_tid, 96'd0, fetch_sba, fetch_dba
  };
  assign release_tid = release_q ? release_tid_q : note_tid_o;

  control_queue u_control (
      .clk_i,
      .rst_ni,
      .hold_o       (control_hold),
      .push_i       ((done_o && (send || release_it)) || release_q),
      .push_header_i((done_o && send) ? send_header : release_header),
      // Only an acknowledgement waits; the others stay in order behind it.
      .push_after_i ((done_o && send && send_ctrl[drp_pkg::CtrlDataBit]) ? placed : posted_q),
      .posted_i     (posted_q),
      .valid_o      (control_valid),
      .header_o     (control_head),
      .pop_i        (control_pop),
      .empty_o      (control_empty)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      placed_q      <= '0;
      posted_q      <= '0;
      release_q     <= 1'b0;
      release_tid_q <= '0;
    end else begin
      placed_q      <= placed;
      posted_q      <= posted_q + 12'(first_place);
      release_q     <= done_o && send && release_it;
      release_tid_q <= note_tid_o;
    end
  end

  logic tx_ready, tx_start, tx_take, tx_last, tx_idle;
  logic [7:0] tx_data;
  tx_path u_tx (
      .clk_i,
      .rst_ni,
      .cfg_own_address_i(cfg_q.own_address),
      .cfg_peer_address_i(cfg_q.peer_address),
      .cfg_ordinary_share_i(cfg_q.ordinary_share),
      .cfg_buffers_i   (cfg_q.tx_buffers),
      .control_valid_i (control_valid),
      .control_header_i(control_head),
      .control_pop_o   (control_pop),
      .buffer_free_o   (buffer_free),
      .fetch_i         (done_o && fetch),
      .fetch_header_i  ({fetch_ctrl, note_tid_o, bytes, sn, 32'd0, fetch_sba, fetch_dba}),
      .fetch_entry_i   (done_entry),
      .fill_i,
      .fill_data_i,
      .filled_i,
      .sent_valid_o    (sent_valid),
      .sent_ready_i    (sent_ready),
      .sent_entry_o    (sent_entry),
      .freed_i         (done_o && done_input == transport_pkg::InputSent),
      .ordinary_waits_i,
      .ordinary_start_o,
      .ordinary_take_o,
      .ordinary_data_i,
      .ordinary_last_i,
      .mac_ready_i     (tx_ready),
      .mac_start_o     (tx_start),
      .mac_take_i      (tx_take),
      .mac_data_o      (tx_data),
      .mac_last_o      (tx_last),
      .mac_tx_en_i     (gmii_tx_en_o),
      .idle_o          (tx_idle)
  );

  gmac_tx #(
      .TxLatency(3)
  ) u_gmac_tx (
      .clk_i,
      .rst_ni,
      .start_i(tx_start),
      .ready_o(tx_ready),
      .data_i (tx_data),
      .last_i (tx_last),
      .take_o (tx_take),
      .gmii_txd_o,
      .gmii_tx_en_o
  );

  // DMA. Of a drain the engine takes the pieces from the indirect buffer, which starts when the request is the first.
  logic queue_valid, queue_write, queue_empty, engine_ready, engine_idle, piece_ready, taken, walk, walking_q, pieces_q;
  logic piece_valid, piece_last;
  logic [1:0] queue_source, source_q;
  logic [63:0] queue_address, piece_address;
  logic [10:0] queue_bytes, bytes_q, piece_bytes;
  logic [15:0] queue_tid, tid_q, left_tid;
  logic [7:0] queue_age;
  logic [5:0] piece_slot, buffer_slot;
  logic queue_drain, request_valid, next_piece;

  dma_queue u_dma_queue (
      .clk_i,
      .rst_ni,
      .cfg_tags_i(idle_o ? cfg_tags_i : cfg_q.tags),  // as cfg_q will have it: the queue keeps its own
      .cfg_max_read_request_log2_i(cfg_q.max_read_request_log2),
      .hold_o             (dma_hold),
      .transport_valid_i  (done_o && (place || fetch || drain)),
      .transport_source_i (place ? SourcePlace : fetch ? SourceFetch : SourceDrain),
      .transport_address_i(address),
      .transport_bytes_i  (bytes[10:0]),
      .transport_tid_i    (place ? {11'd0, hand_slot_q} : note_tid_o),
      .host_valid_i,
      .host_ready_o,
      .host_age_i,
      .host_write_i,
      .host_address_i,
      .host_bytes_i,
      .completed_i,
      .completed_tags_i,
      .valid_o            (queue_valid),
      .ready_i            (taken),
      .source_o           (queue_source),
      .write_o            (queue_write),
      .address_o          (queue_address),
      .bytes_o            (queue_bytes),
      .tid_o              (queue_tid),
      .age_o              (queue_age),
      .empty_o            (queue_empty)
  );
  assign queue_drain = (queue_source == SourceDrain);
  assign walk = queue_valid && queue_drain && !walking_q && !pieces_q;
  assign request_valid = queue_valid && (!queue_drain || (walking_q && piece_valid));
  assign taken = request_valid && engine_ready;
  assign next_piece = pieces_q && piece_valid && piece_ready;

  dma_engine u_dma_engine (
      .clk_i,
      .rst_ni,
      .cfg_max_payload_log2_i(cfg_q.max_payload_log2),
      .cfg_max_read_request_log2_i(cfg_q.max_read_request_log2),
      .cfg_request_overhead_i(cfg_q.request_overhead),
      .request_valid_i (request_valid),
      .request_ready_o (engine_ready),
      .request_write_i (queue_write),
      .request_age_i   (queue_age),
      .piece_valid_i   (pieces_q && piece_valid),
      .piece_ready_o   (piece_ready),
      .piece_address_i ((pieces_q || queue_drain) ? piece_address : queue_address),
      .piece_bytes_i   ({6'd0, (pieces_q || queue_drain) ? piece_bytes : queue_bytes}),
      .piece_last_i    ((pieces_q || queue_drain) ? piece_last : 1'b1),
      .tlp_valid_o,
      .tlp_write_o,
      .tlp_address_o,
      .tlp_bytes_o,
      .tlp_first_o,
      .tlp_last_o,
      .tlp_piece_last_o,
      .idle_o          (engine_idle)
  );
  assign tlp_source_o = source_q;
  assign first_place = tlp_valid_o && tlp_first_o && (source_q == SourcePlace);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walking_q <= 1'b0;
      pieces_q  <= 1'b0;
      source_q  <= '0;
      bytes_q   <= '0;
      tid_q     <= '0;
    end else begin
      if (walk) walking_q <= 1'b1;
      if (taken) begin
        walking_q <= 1'b0;
        pieces_q  <= queue_drain && !piece_last;
        source_q  <= queue_source;
        bytes_q   <= queue_bytes;
        tid_q     <= queue_tid;
      end else if (next_piece && piece_last) begin
        pieces_q <= 1'b0;
      end
    end
  end

  logic left_buffer, buffer_write, mover_idle;
  logic [5:0] keep_slot, write_slot;
  logic [7:0] write_word;
  logic [63:0] buffer_in;
  payload_mover u_mover (
      .clk_i,
      .rst_ni,
      .write_i       (tlp_valid_o && tlp_first_o && (source_q == SourcePlace || source_q == SourceDrain)),
      .write_drain_i (source_q == SourceDrain),
      .write_slot_i  (tid_q[4:0]),
      .write_bytes_i (bytes_q),
      .write_tid_i   (tid_q),
      .piece_i       ((taken && queue_drain) || next_piece),
      .piece_slot_i  (piece_slot),
      .piece_bytes_i (piece_bytes),
      .piece_last_i  (piece_last),
      .payload_valid_o,
      .payload_o,
      .payload_last_o,
      .left_i,
      .left_staging_o(left_staging),
      .left_slot_o   (left_slot),
      .left_buffer_o (left_buffer),
      .left_tid_o    (left_tid),
      .copy_i        (done_o && keep),
      .copy_slot_i   (hand_slot_q),
      .copy_bytes_i  (bytes[10:0]),
      .copy_to_i     (keep_slot),
      .copied_o      (copied),
      .copied_slot_o (copied_slot),
      .buffer_write_o(buffer_write),
      .buffer_write_slot_o(write_slot),
      .buffer_write_word_o(write_word),
      .buffer_data_o (buffer_in),
      .staging_slot_o(read_slot),
      .staging_word_o(read_word),
      .staging_data_i(staging_data),
      .buffer_slot_o (buffer_slot),
      .buffer_word_o (buffer_word),
      .buffer_data_i (buffer_data),
      .idle_o        (mover_idle)
  );

  if (DYNAMIC) begin : gen_dynamic
    logic [6:0] unused_fill;
    indirect_buffer u_indirect_buffer (
        .clk_i,
        .rst_ni,
        .cfg_slots_i(cfg_q.slots),
        .cfg_slot_words_i(cfg_q.slot_words),
        .full_o         (buffer_full),
        .used_o         (unused_fill),
        .keep_i         (done_o && keep),
        .keep_tid_i     (note_tid_o),
        .keep_sn_i      (sn[7:0]),
        .keep_address_i (address),
        .keep_bytes_i   (bytes[10:0]),
        .keep_slot_o    (keep_slot),
        .write_i        (buffer_write),
        .write_slot_i   (write_slot),
        .write_word_i   (write_word),
        .write_data_i   (buffer_in),
        .mark_i         (done_o && drain),
        .drop_i         (done_o && drop),
        .left_i         (left_buffer),
        .tid_i          (note_tid_o),
        .left_tid_i     (left_tid),
        .walk_i         (walk),
        .walk_tid_i     (queue_tid),
        .piece_valid_o  (piece_valid),
        .piece_ready_i  ((taken && queue_drain) || next_piece),
        .piece_slot_o   (piece_slot),
        .piece_address_o(piece_address),
        .piece_bytes_o  (piece_bytes),
        .piece_last_o   (piece_last),
        .read_slot_i    (buffer_slot),
        .read_word_i    (buffer_word),
        .read_data_o    (buffer_data)
    );
  end else begin : gen_traditional
    assign buffer_full = 1'b1;
    assign piece_valid = 1'b0;
    assign piece_slot = '0;
    assign piece_address = '0;
    assign piece_bytes = '0;
    assign piece_last = 1'b0;
    assign buffer_data = '0;
    assign keep_slot = '0;
    // What would go to the indirect buffer.
    logic unused_traditional;
    assign unused_traditional = ^{cfg_q.slots, cfg_q.slot_words, drop, left_buffer, left_tid, buffer_slot, buffer_word,
                                  buffer_write, write_slot, write_word, buffer_in};
  end

  // Outputs of blocks that the core does not use.
  logic unused_signals;
  assign unused_signals = ^{malformed_reason, frame_bytes};

  assign idle_o = transport_idle && !done_o && !release_q && !frame_valid && !command_valid_i && !sent_valid &&
                  !(data_waits && buffer_free) && control_empty && tx_idle && queue_empty && !host_valid_i && engine_idle &&
                  mover_idle && staging_empty;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_staged_fit : assert (staged_q <= cfg_q.rx_buffers);
      a_nothing_waits_when_idle : assert (!idle_o || (staged_q == '0 && !held_q && !walking_q && !pieces_q));
      a_control_after_what_is_placed : assert (placed_q - posted_q <= 12'd28);
    end
  end
endmodule

`default_nettype wire
