// SPDX-License-Identifier: Apache-2.0
// DMA engine: cuts DMA requests into TLPs of PCI Express, one request after another, a TLP a cycle.
//
// A request comes with its first piece, in a cycle with request_valid_i and request_ready_o; its first TLP is on the ports
// cfg_request_overhead_i cycles later. Its further pieces come with piece_valid_i and piece_ready_o. One is read ahead, so
// that no cycle passes between the TLPs of two pieces: it has to be there two cycles before its first TLP is on the ports.
// request_ready_o returns in the cycle after the last TLP. What takes the TLPs takes one in every cycle.
`default_nettype none

module dma_engine (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Configuration: stable while a request is in hand
    input  logic [ 3:0] cfg_max_payload_log2_i,       // MWr are cut at multiples of it: 7 .. 12 for 128 .. 4096 bytes
    input  logic [ 3:0] cfg_max_read_request_log2_i,  // MRd likewise
    input  logic [ 7:0] cfg_request_overhead_i,       // cycles; 2 .. 255
    // Request
    input  logic        request_valid_i,
    output logic        request_ready_o,
    input  logic        request_write_i,              // MWr; else MRd
    input  logic [ 7:0] request_age_i,                // cycles that it was held up on its way; they count as set-up
    // Piece: the first one goes with the request, the others with piece_valid_i
    input  logic        piece_valid_i,
    output logic        piece_ready_o,
    input  logic [63:0] piece_address_i,
    input  logic [16:0] piece_bytes_i,                // 1 .. 131,071
    input  logic        piece_last_i,                 // of the request
    // TLP
    output logic        tlp_valid_o,
    output logic        tlp_write_o,
    output logic [63:0] tlp_address_o,
    output logic [12:0] tlp_bytes_o,                  // payload of an MWr, what an MRd asks for
    output logic        tlp_first_o,                  // of the request
    output logic        tlp_last_o,
    output logic        tlp_piece_last_o,             // of the piece
    // Nothing in hand
    output logic        idle_o
);
  // Between the cycle that takes a request and the one that shows its first TLP: one with the piece in hand at least.
  localparam logic [7:0] LeastOverhead = 8'd2;

  // The request and the piece in hand, as far as they are not out yet
  logic busy_q, busy_d;
  logic [7:0] setup_q, setup_d;  // cycles of set-up left
  logic write_q, write_d;
  logic first_q, first_d;
  logic [12:0] below_q, below_d;  // the bits of an address below the multiples that cut it
  logic [63:0] address_q, address_d;
  logic [16:0] more_q, more_d;    // bytes behind the first one
  logic last_q, last_d;

  // The piece read ahead
  logic ahead_valid_q, ahead_valid_d;
  logic [63:0] ahead_address_q, ahead_address_d;
  logic [16:0] ahead_more_q, ahead_more_d;
  logic ahead_last_q, ahead_last_d;

  // While the last TLP is on the ports, the next request's set-up has not begun.
  assign request_ready_o = !busy_q && !tlp_valid_o;
  assign piece_ready_o   = busy_q && !last_q && !ahead_valid_q;
  assign idle_o          = request_ready_o;

  logic request_taken, piece_taken;
  assign request_taken = request_valid_i && request_ready_o;
  assign piece_taken   = piece_valid_i && piece_ready_o;

  // Set-up could have been running while the engine had nothing else to do.
  logic [7:0] free_q, credit;
  assign credit = (request_age_i < free_q) ? request_age_i : free_q;

  // A TLP goes up to the next multiple of the limit, or to the end of the piece. The limit divides 4 KiB. All sums are of bytes behind
  // the first one, so that none waits for another.
  logic [16:0] room_more, piece_more;
  logic [12:0] tlp_more;
  logic piece_ends, next_there, put;
  assign piece_more = piece_bytes_i - 17'd1;
  assign room_more  = {4'd0, ~address_q[12:0] & below_q};
  assign piece_ends = (more_q <= room_more);
  assign tlp_more   = piece_ends ? more_q[12:0] : room_more[12:0];
  assign next_there = ahead_valid_q || piece_taken;
  // Were a piece late, the last TLP before it would wait.
  assign put        = busy_q && (setup_q == '0) && (!piece_ends || last_q || next_there);

  always_comb begin
    busy_d          = busy_q;
    setup_d         = setup_q;
    write_d         = write_q;
    first_d         = first_q;
    below_d         = below_q;
    address_d       = address_q;
    more_d          = more_q;
    last_d          = last_q;
    ahead_valid_d   = ahead_valid_q;
    ahead_address_d = ahead_address_q;
    ahead_more_d    = ahead_more_q;
    ahead_last_d    = ahead_last_q;

    if (setup_q != '0) setup_d = setup_q - 8'd1;
    if (piece_taken) begin
      ahead_valid_d   = 1'b1;
      ahead_address_d = piece_address_i;
      ahead_more_d    = piece_more;
      ahead_last_d    = piece_last_i;
    end
    if (put) begin
      first_d = 1'b0;
      if (!piece_ends) begin
        address_d = (address_q | 64'(below_q)) + 64'd1;
        more_d    = more_q - room_more - 17'd1;
      end else if (last_q) begin
        busy_d = 1'b0;
      end else begin
        // The piece read ahead, or past its place the one that comes in this cycle.
        address_d     = ahead_valid_q ? ahead_address_q : piece_address_i;
        more_d        = ahead_valid_q ? ahead_more_q : piece_more;
        last_d        = ahead_valid_q ? ahead_last_q : piece_last_i;
        ahead_valid_d = 1'b0;
      end
    end
    if (request_taken) begin
      busy_d    = 1'b1;
      setup_d   = (cfg_request_overhead_i - LeastOverhead > credit) ? cfg_request_overhead_i - LeastOverhead - credit : '0;
      write_d   = request_write_i;
      first_d   = 1'b1;
      address_d = piece_address_i;
      more_d    = piece_more;
      below_d   = (13'd1 << (request_write_i ? cfg_max_payload_log2_i : cfg_max_read_request_log2_i)) - 13'd1;
      last_d    = piece_last_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q           <= '0;
      busy_q           <= 1'b0;
      setup_q          <= '0;
      write_q          <= 1'b0;
      first_q          <= 1'b0;
      below_q          <= '0;
      address_q        <= '0;
      more_q           <= '0;
      last_q           <= 1'b0;
      ahead_valid_q    <= 1'b0;
      ahead_address_q  <= '0;
      ahead_more_q     <= '0;
      ahead_last_q     <= 1'b0;
      tlp_valid_o      <= 1'b0;
      tlp_write_o      <= 1'b0;
      tlp_address_o    <= '0;
      tlp_bytes_o      <= '0;
      tlp_first_o      <= 1'b0;
      tlp_last_o       <= 1'b0;
      tlp_piece_last_o <= 1'b0;
    end else begin
      free_q           <= !request_ready_o ? '0 : (free_q == '1) ? free_q : free_q + 8'd1;
      busy_q           <= busy_d;
      setup_q          <= setup_d;
      write_q          <= write_d;
      first_q          <= first_d;
      below_q          <= below_d;
      address_q        <= address_d;
      more_q           <= more_d;
      last_q           <= last_d;
      ahead_valid_q    <= ahead_valid_d;
      ahead_address_q  <= ahead_address_d;
      ahead_more_q     <= ahead_more_d;
      ahead_last_q     <= ahead_last_d;
      tlp_valid_o      <= put;
      tlp_write_o      <= write_q;
      tlp_address_o    <= address_q;
      tlp_bytes_o      <= tlp_more + 13'd1;
      tlp_first_o      <= put && first_q;
      tlp_last_o       <= put && piece_ends && last_q;
      tlp_piece_last_o <= put && piece_ends;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
    end else begin
      a_legal_max_payload :
      assert (!busy_q || (cfg_max_payload_log2_i >= 4'd7 && cfg_max_payload_log2_i <= 4'd12));
      a_legal_max_read_request :
      assert (!busy_q || (cfg_max_read_request_log2_i >= 4'd7 && cfg_max_read_request_log2_i <= 4'd12));
      a_legal_overhead : assert (!request_taken || cfg_request_overhead_i >= LeastOverhead);
      a_piece_has_bytes : assert (!(request_taken || piece_taken) || piece_bytes_i != '0);
      a_piece_in_time : assert (!busy_q || setup_q != '0 || !piece_ends || last_q || next_there);
      // PCI Express Base Specification 2.2.7
      a_not_across_4_kib : assert (!tlp_valid_o || 14'(tlp_address_o[11:0]) + 14'(tlp_bytes_o) <= 14'd4096);
    end
  end
endmodule

`default_nettype wire
