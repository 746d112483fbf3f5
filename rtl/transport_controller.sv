// SPDX-License-Identifier: Apache-2.0
// Transport controller: makes one decision at a time, in eight cycles each. Of several inputs that wait it takes the first
// of frame, command, data frame that has left, fetch of the next data frame; in cycles in which none waits a scanner checks
// one table entry for an expired timer, and moves on.
//
//   step 0  an input is taken          4  place of the frame: sequence number x segment
//        1  lookup: compared           5  decision
//        2  ... found; entry read      6  what it leaves
//        3  entry in hand              7  REL or end; status of the entry
//
// What follows is on the ports in the cycle after step 7, with done_o: that is step 0 of the next one.
`default_nettype none

module transport_controller (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [31:0]                now_i,                // this cycle
    // Configuration; constant while idle_o is low
    input  logic                       cfg_dynamic_i,        // the dynamic RNIC
    input  logic [10:0]                cfg_segment_i,        // bytes, 1 .. 1468
    input  logic [ 3:0]                cfg_window_i,         // frames, 1 .. 8
    input  logic                       cfg_go_back_n_i,
    input  logic [ 7:0]                cfg_duplicate_acks_i, // 0: no fast retransmission
    input  logic [30:0]                cfg_request_timer_i,  // cycles, as all times
    input  logic [30:0]                cfg_data_timer_i,
    input  logic [30:0]                cfg_release_timer_i,
    input  logic [30:0]                cfg_idle_timeout_i,
    input  logic [15:0]                cfg_max_requests_i,
    input  logic [15:0]                cfg_max_retransmissions_i,
    input  logic [15:0]                cfg_indirect_after_i,
    input  logic                       cfg_resume_i,
    // A DRP frame from the filter
    input  logic                       frame_valid_i,
    output logic                       frame_ready_o,
    input  logic [ 7:0]                frame_ctrl_i,
    input  logic [15:0]                frame_tid_i,
    input  logic [31:0]                frame_len_i,
    input  logic [31:0]                frame_sn_i,
    input  logic [31:0]                frame_ackn_i,
    input  logic [63:0]                frame_sba_i,
    input  logic [63:0]                frame_dba_i,
    // A command of the host
    input  logic                       command_valid_i,
    output logic                       command_ready_o,
    input  logic [ 2:0]                command_code_i,
    input  logic [15:0]                command_tid_i,
    input  logic [31:0]                command_length_i,
    input  logic [63:0]                command_sba_i,
    input  logic [63:0]                command_dba_i,
    input  logic [15:0]                command_generation_i, // of a verdict: the event's that asked for it
    // A data frame of an entry has left
    input  logic                       sent_valid_i,
    output logic                       sent_ready_o,
    input  logic [ 5:0]                sent_entry_i,
    // A transmit buffer is free; the indirect buffer is full (sampled in step 1)
    input  logic                       fetch_enable_i,
    input  logic                       buffer_full_i,
    // No decision begins: what it leads to might find a queue full
    input  logic                       hold_i,
    // A decision has been made
    output logic                       done_o,
    output logic [ 2:0]                done_input_o,         // transport_pkg::Input...
    output logic [ 5:0]                done_entry_o,
    output logic [rnic_pkg::Notes-1:0] notes_o,              // what it counts, rnic_pkg::Note...
    output logic                       note_responder_o,
    output logic [15:0]                tid_o,
    // ... send a control frame, then perhaps REL
    output logic                       send_o,
    output logic                       release_o,
    output logic [ 7:0]                send_ctrl_o,
    output logic [31:0]                send_len_o,
    output logic [31:0]                send_sn_o,
    output logic [31:0]                send_ackn_o,
    output logic [63:0]                send_sba_o,
    output logic [63:0]                send_dba_o,
    // ... move the payload of the frame: to memory, or into the indirect buffer; drain or drop what that holds of the TID
    output logic                       place_o,
    output logic                       keep_o,
    output logic                       drain_o,
    output logic                       drop_o,
    // ... fetch a data frame; its header
    output logic                       fetch_o,
    output logic [ 7:0]                fetch_ctrl_o,
    output logic [63:0]                fetch_sba_o,
    output logic [63:0]                fetch_dba_o,
    output logic [63:0]                address_o,            // of the payload in host memory
    output logic [31:0]                bytes_o,
    output logic [31:0]                sn_o,
    // ... report to the host
    output logic [ 2:0]                event_o,              // rnic_pkg::Event...
    output logic [ 2:0]                event_status_o,
    output logic [31:0]                event_length_o,
    output logic [63:0]                event_dba_o,
    output logic                       event_read_o,
    output logic                       event_indirect_o,
    output logic [15:0]                event_generation_o,   // which life of the TID; 0: the initiator's
    // ... and the entry's first timer: for what stops the clock
    output logic                       timer_write_o,
    output logic                       timer_on_o,
    output logic [31:0]                timer_deadline_o,
    // State
    output logic                       idle_o,               // between decisions
    output logic [ 6:0]                entries_o,            // of the table, in use
    output logic                       data_o                // an entry has data to send
);
  localparam int unsigned Width = transport_pkg::EntryBits;

  logic [2:0] step_q;
  transport_pkg::input_t in_q;
  logic key_responder_q, responder_d;
  logic [5:0] index_q, index, turn_q, done_entry_q;

  logic hit, closing, gave_up, full, recent, expired, any_input, start;
  logic [5:0] hit_index, free_index, data_index, expired_index;
  logic [Width-1:0] word;
  transport_pkg::entry_t entry;
  logic write, has_data, used, open, timer_on, ended, event_blank;
  logic [31:0] deadline;

  // The ports are flat, as of every block that one's own may stand for; inside, the configuration is one structure.
  transport_pkg::config_t cfg;
  always_comb begin
    cfg.dynamic = cfg_dynamic_i;
    cfg.segment = cfg_segment_i;
    cfg.window = cfg_window_i;
    cfg.go_back_n = cfg_go_back_n_i;
    cfg.duplicate_acks = cfg_duplicate_acks_i;
    cfg.request_timer = 32'(cfg_request_timer_i);
    cfg.data_timer = 32'(cfg_data_timer_i);
    cfg.release_timer = 32'(cfg_release_timer_i);
    cfg.idle_timeout = 32'(cfg_idle_timeout_i);
    cfg.max_requests = cfg_max_requests_i;
    cfg.max_retransmissions = cfg_max_retransmissions_i;
    cfg.indirect_after = cfg_indirect_after_i;
    cfg.resume = cfg_resume_i;
  end

  // Step 0: the input.
  assign any_input = frame_valid_i || command_valid_i || sent_valid_i || (fetch_enable_i && data_o);
  assign start = (step_q == 3'd0) && !hold_i && (any_input || expired);
  assign idle_o = (step_q == 3'd0);
  assign frame_ready_o = (step_q == 3'd0) && !hold_i;
  assign command_ready_o = (step_q == 3'd0) && !hold_i && !frame_valid_i;
  assign sent_ready_o = (step_q == 3'd0) && !hold_i && !frame_valid_i && !command_valid_i;

  // Which end of a transfer a frame speaks to: data and acknowledgements by the direction of the transfer.
  logic to_responder;
  always_comb begin
    to_responder = frame_ctrl_i[drp_pkg::CtrlReqBit] || frame_ctrl_i[drp_pkg::CtrlRelBit];
    if (frame_ctrl_i[drp_pkg::CtrlDataBit]) to_responder = (frame_ctrl_i[drp_pkg::CtrlRwBit] == (frame_len_i == '0));
    responder_d = frame_valid_i ? to_responder
                : (command_code_i == rnic_pkg::CommandRegistered || command_code_i == rnic_pkg::CommandNotRegistered);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q          <= '0;
      in_q            <= '0;
      key_responder_q <= 1'b0;
      index_q         <= '0;
      turn_q          <= 6'd0;
      done_o          <= 1'b0;
    end else begin
      done_o <= (step_q == 3'd7);
      if (start) begin
        step_q          <= 3'd1;
        in_q.end_cycle  <= now_i + 32'd8;
        key_responder_q <= responder_d;
        in_q.code       <= command_code_i;
        in_q.generation <= command_generation_i;
        in_q.ctrl       <= frame_ctrl_i;
        in_q.len        <= frame_len_i;
        in_q.sn         <= frame_sn_i;
        in_q.ackn       <= frame_ackn_i;
        in_q.tid        <= frame_tid_i;
        in_q.sba        <= frame_sba_i;
        in_q.dba        <= frame_dba_i;
        if (frame_valid_i) begin
          in_q.kind <= transport_pkg::InputFrame;
        end else if (command_valid_i) begin
          in_q.kind <= transport_pkg::InputCommand;
          in_q.len  <= command_length_i;
          in_q.tid  <= command_tid_i;
          in_q.sba  <= command_sba_i;
          in_q.dba  <= command_dba_i;
        end else if (sent_valid_i) begin
          in_q.kind <= transport_pkg::InputSent;
          index_q   <= sent_entry_i;
        end else if (fetch_enable_i && data_o) begin
          in_q.kind <= transport_pkg::InputFetch;
        end else begin
          in_q.kind <= transport_pkg::InputTimer;
          index_q   <= expired_index;
        end
      end else if (step_q != 3'd0) begin
        step_q <= step_q + 3'd1;
      end
      if (step_q == 3'd1) in_q.buffer_full <= buffer_full_i;
      if (step_q == 3'd2) begin
        in_q.hit        <= hit;
        in_q.recent     <= recent || closing || gave_up;
        in_q.released   <= recent;
        in_q.gave_up    <= gave_up;
        in_q.table_full <= full;
        index_q         <= index;
        if (in_q.kind == transport_pkg::InputFetch) turn_q <= data_index;
      end
    end
  end

  // Step 2: the entry in question. One that has expired, or whose frame has left, was named with the input.
  always_comb begin
    index = index_q;
    if (in_q.kind == transport_pkg::InputFrame) index = hit ? hit_index : free_index;
    if (in_q.kind == transport_pkg::InputCommand) index = (hit && key_responder_q) ? hit_index : free_index;
    if (in_q.kind == transport_pkg::InputFetch) index = data_index;
  end

  connection_table #(
      .Width(Width)
  ) u_table (
      .clk_i,
      .rst_ni,
      .now_i,
      .entries_o,
      .lookup_i          (step_q == 3'd1),
      .key_responder_i   (key_responder_q),
      .key_tid_i         (in_q.tid),
      .hit_o             (hit),
      .hit_index_o       (hit_index),
      .closing_o         (closing),
      .gave_up_o         (gave_up),
      .full_o            (full),
      .free_index_o      (free_index),
      .turn_i            (turn_q),
      .data_o,
      .data_index_o      (data_index),
      .scan_i            (step_q == 3'd0 && !hold_i && !any_input),  // past the entry that it finds
      .expired_o         (expired),
      .expired_index_o   (expired_index),
      .read_i            (step_q == 3'd2),
      .read_index_i      (index),
      .read_o            (word),
      .write_i           (done_o && write),
      .write_index_i     (done_entry_q),
      .write_data_i      (entry),
      .status_i          (step_q == 3'd7 && write),
      .status_index_i    (index_q),
      .status_used_i     (used),
      .status_open_i     (open),
      .status_responder_i(entry.responder),
      .status_tid_i      (entry.tid),
      .status_data_i     (has_data),
      .status_timer_i    (timer_on),
      .status_deadline_i (deadline)
  );

  recent_tids u_recent (
      .clk_i,
      .rst_ni,
      .push_i (step_q == 3'd7 && ended),
      .tid_i  (in_q.tid),
      .lookup_i(step_q == 3'd1),
      .key_i  (in_q.tid),
      .found_o(recent)
  );

  transport_decision u_decision (
      .clk_i,
      .rst_ni,
      .step_i        (step_q),
      .cfg_i         (cfg),
      .in_i          (in_q),
      .entry_i       (word),
      .entry_o       (entry),
      .write_o       (write),
      .has_data_o    (has_data),
      .used_o        (used),
      .open_o        (open),
      .timer_o       (timer_on),
      .deadline_o    (deadline),
      .notes_o,
      .send_o,
      .release_o,
      .send_ctrl_o,
      .send_len_o,
      .send_sn_o,
      .send_ackn_o,
      .send_sba_o,
      .send_dba_o,
      .place_o,
      .keep_o,
      .drain_o,
      .drop_o,
      .fetch_o,
      .address_o,
      .bytes_o,
      .sn_o,
      .ended_o       (ended),
      .event_o,
      .event_status_o,
      .event_blank_o (event_blank)
  );

  // With done_o: what the entry says, and its timer.
  logic keyed;
  assign keyed = (in_q.kind == transport_pkg::InputFrame || in_q.kind == transport_pkg::InputCommand);
  assign done_input_o = in_q.kind;
  assign done_entry_o = done_entry_q;
  assign note_responder_o = keyed ? key_responder_q : entry.responder;
  assign tid_o = keyed ? in_q.tid : entry.tid;
  assign fetch_ctrl_o = (8'd1 << drp_pkg::CtrlDataBit) | ({7'd0, entry.read} << drp_pkg::CtrlRwBit) |
                        ({7'd0, entry.indirect} << drp_pkg::CtrlModeBit);
  assign fetch_sba_o = entry.sba;
  assign fetch_dba_o = entry.dba;
  assign event_length_o = event_blank ? '0 : entry.length;
  assign event_dba_o = event_blank ? '0 : entry.dba;
  assign event_read_o = !event_blank && entry.read;
  assign event_indirect_o = !event_blank && entry.indirect;
  assign event_generation_o = entry.generation;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_entry_q <= '0;
      timer_write_o    <= 1'b0;
      timer_on_o       <= 1'b0;
      timer_deadline_o <= '0;
    end else begin
      timer_write_o <= (step_q == 3'd7) && write;
      if (step_q == 3'd7) begin
        done_entry_q <= index_q;
        timer_on_o       <= timer_on;
        timer_deadline_o <= deadline;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_window_is_legal : assert (idle_o || (cfg_window_i >= 4'd1 && cfg_window_i <= 4'd8));
      a_segment_is_legal : assert (idle_o || cfg_segment_i != '0);
      a_one_frame_type : assert (!frame_valid_i || ((frame_ctrl_i[7:3] & (frame_ctrl_i[7:3] - 5'd1)) == '0));
    end
  end
endmodule

`default_nettype wire
