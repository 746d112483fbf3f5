// SPDX-License-Identifier: Apache-2.0
// The first stages of packet_builder: the headers of a packet side by side, from IP to what follows the BTH, out of what they are to
// say. Stages: 1 what the opcode has, 2 what follows its BTH, 3 lengths of IP and UDP, 4 and 5 the checksum of IPv4, 6 all. They move
// together.
`default_nettype none

module packet_headers (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          advance_i,       // the stages move
    input  logic                          valid_i,
    input  logic                          ipv6_i,
    input  logic [127:0]                  source_i,        // IPv4: the lowest 32 bits
    input  logic [127:0]                  destination_i,
    input  logic [15:0]                   source_port_i,
    input  logic [7:0]                    tos_i,
    input  logic [7:0]                    hop_limit_i,
    input  logic [19:0]                   flow_label_i,
    input  logic [8*roce_pkg::BthBytes-1:0] bth_i,
    input  logic [roce_pkg::SaidBits-1:0] said_i,
    input  logic [15:0]                   payload_i,       // bytes
    output logic                          valid_o,
    output logic [8*(roce_pkg::Ipv6Bytes+roce_pkg::UdpBytes+roce_pkg::MaxHeaderBytes)-1:0] head_o,  // the first byte in the highest bits
    output logic [4:0]                    words_o,         // of four bytes, in head_o
    output logic                          has_payload_o
);
  localparam int unsigned BthBits = 8 * roce_pkg::BthBytes;
  localparam int unsigned RestBits = 8 * roce_pkg::RestBytes;
  localparam int unsigned ThroughBits = 1 + 256 + 16 + 8 + 8 + 20 + BthBits + 4 + 1;
  localparam logic [15:0] DontFragment = 16'h4000;
  localparam logic [7:0] Ipv4Start = 8'h45;  // version, and five words

  logic [7:0] opcode;
  assign opcode = bth_i[roce_pkg::BthOpcodeLsb+:8];

  // Of stages 1 to 5, the first in the lowest bits: what goes through as it is.
  logic [4:0] valid_q;
  logic [5*ThroughBits-1:0] through_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      valid_o <= 1'b0;
    end else if (advance_i) begin
      valid_q <= {valid_q[3:0], valid_i};
      valid_o <= valid_q[4];
    end
  end

  logic [13:0] payload_1_q;  // in words: what is less than one has zeros behind it
  logic [16:0] start_1_q, from_1_q, to_1_q;  // sums of two words each of the IPv4 header
  logic [roce_pkg::PlacesBits-1:0] places_1_q;
  logic [roce_pkg::SaidBits-1:0] said_1_q;
  logic [4*RestBits-1:0] rest_q;  // of stages 2 to 5
  logic [13:0] words_2_q;  // behind UDP, without ICRC
  logic [17:0] start_from_2_q, to_2_q;
  logic [15:0] udp_bytes_3_q, ip_bytes_3_q;
  logic [18:0] sum_3_q;
  logic [15:0] udp_bytes_4_q, ip_bytes_4_q, udp_bytes_5_q, ip_bytes_5_q;
  logic [18:0] sum_4_q;
  logic [16:0] sum_5_q;  // folded once
  logic [3:0] words_1;
  assign words_1 = through_q[4:1];
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      through_q <= {
        through_q[4*ThroughBits-1:0],
        ipv6_i, source_i, destination_i, source_port_i, tos_i, hop_limit_i, flow_label_i, bth_i,
        roce_pkg::header_words(opcode), payload_i != '0
      };
      places_1_q  <= roce_pkg::places_of(opcode);
      said_1_q    <= said_i;
      payload_1_q <= payload_i[15:2] + 14'(payload_i[1:0] != '0);
      start_1_q   <= {1'b0, Ipv4Start, tos_i} + {1'b0, hop_limit_i, roce_pkg::UdpProtocol};
      from_1_q    <= {1'b0, source_i[31:16]} + {1'b0, source_i[15:0]};
      to_1_q      <= {1'b0, destination_i[31:16]} + {1'b0, destination_i[15:0]};

      rest_q         <= {rest_q[3*RestBits-1:0], roce_pkg::rest_of(places_1_q, said_1_q)};
      words_2_q      <= payload_1_q + {10'b0, words_1};
      start_from_2_q <= {1'b0, start_1_q} + {1'b0, from_1_q};
      to_2_q         <= {1'b0, to_1_q} + {2'b0, DontFragment};

      udp_bytes_3_q <= {words_2_q + 14'((roce_pkg::UdpBytes + roce_pkg::IcrcBytes) / 4), 2'b0};
      ip_bytes_3_q  <= {words_2_q + 14'((roce_pkg::Ipv4Bytes + roce_pkg::UdpBytes + roce_pkg::IcrcBytes) / 4), 2'b0};
      sum_3_q       <= {1'b0, start_from_2_q} + {1'b0, to_2_q};

      udp_bytes_4_q <= udp_bytes_3_q;
      ip_bytes_4_q  <= ip_bytes_3_q;
      sum_4_q       <= sum_3_q + {3'b0, ip_bytes_3_q};

      udp_bytes_5_q <= udp_bytes_4_q;
      ip_bytes_5_q  <= ip_bytes_4_q;
      sum_5_q       <= {1'b0, sum_4_q[15:0]} + {14'b0, sum_4_q[18:16]};
    end
  end

  // Stage 6
  logic ipv6, has_payload;
  logic [127:0] source, destination;
  logic [15:0] source_port;
  logic [7:0] tos, hop_limit;
  logic [19:0] flow_label;
  logic [BthBits-1:0] bth;
  logic [3:0] words;
  logic [8*roce_pkg::UdpBytes-1:0] udp;
  logic [15:0] checksum;
  assign {ipv6, source, destination, source_port, tos, hop_limit, flow_label, bth, words, has_payload} = through_q[4*ThroughBits+:ThroughBits];
  assign udp = {source_port, roce_pkg::UdpPort, udp_bytes_5_q, 16'b0};
  assign checksum = ~(sum_5_q[15:0] + {15'b0, sum_5_q[16]});
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      if (ipv6) begin
        head_o <= {4'd6, tos, flow_label, udp_bytes_5_q, roce_pkg::UdpProtocol, hop_limit, source, destination, udp, bth, rest_q[3*RestBits+:RestBits]};
      end else begin
        head_o <= {
          Ipv4Start, tos, ip_bytes_5_q, 16'b0, DontFragment, hop_limit, roce_pkg::UdpProtocol, checksum, source[31:0], destination[31:0], udp,
          bth, rest_q[3*RestBits+:RestBits], (8 * (roce_pkg::Ipv6Bytes - roce_pkg::Ipv4Bytes))'(0)
        };
      end
      words_o       <= (ipv6 ? 5'((roce_pkg::Ipv6Bytes + roce_pkg::UdpBytes) / 4) : 5'((roce_pkg::Ipv4Bytes + roce_pkg::UdpBytes) / 4)) + {1'b0, words};
      has_payload_o <= has_payload;
    end
  end
endmodule

`default_nettype wire
