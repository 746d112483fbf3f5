// SPDX-License-Identifier: Apache-2.0
// Of packet_parser, what stands in front of the BTH: IP, UDP and their lengths. The model: read_outer() of tlm/roce/packet.cpp. Stages
// as the parser counts them: 2 fields by the version of IP, 3 to 5 lengths and the sum that the checksum is about, 6 the verdict.
`default_nettype none

module packet_outer #(
    parameter int unsigned Trailer = 4      // bytes that IP and UDP count and that are not there: the ICRC
) (
    input  logic         clk_i,
    input  logic         advance_i,      // the stages move
    input  logic [159:0] ip_i,           // the first bytes of the packet, the first in the highest bits
    input  logic         ipv6_i,
    input  logic [47:0]  udp_i,          // in stage 3: ports and length
    input  logic [16:0]  last_i,         // of its last byte, the first being 0
    output logic [16:0]  inside_o,       // stage 4: bytes behind the IP header, as that says
    // Stage 6
    output logic         good_o,         // no error
    output logic [3:0]   error_o,        // roce_pkg::Error*
    output logic         ipv6_o,
    output logic [79:0]  ip_o,           // TOS, hop limit, addresses of IPv4; zero if it is not reached
    output logic [15:0]  source_port_o
);
  localparam int unsigned Ip4 = roce_pkg::Ipv4Bytes;
  localparam int unsigned Ip6 = roce_pkg::Ipv6Bytes;
  localparam int unsigned Udp = roce_pkg::UdpBytes;
  localparam int unsigned Least = Udp + roce_pkg::BthBytes + roce_pkg::IcrcBytes;
  localparam logic [7:0] Ipv4Start = 8'h45;  // version, and five words

  // Of stages 2 to 5, the first in the lowest bits.
  logic [3:0] ipv6_q, starts_q, fragment_q, is_udp_q;
  logic [4*80-1:0] ip_q;
  logic [2:0] short_q, port_q;  // 3 to 5
  logic [3*16-1:0] source_q;
  logic [1:0] length_q, little_q;  // 4 and 5
  logic cut_q;  // 5
  logic [16:0] last_2_q, inside_2_q, most_3_q, inside_3_q;  // inside negative: the IP header has no room in what it says
  logic [15:0] udp_length_3_q;
  logic none_4_q;
  logic [17:0] spare_4_q;  // negative: IP says more than there is
  logic [5*17-1:0] pairs_2_q;  // sums of two words each of the IPv4 header, then of them
  logic [3*18-1:0] sums_3_q;
  logic [18:0] sum_4_q;
  logic [17:0] sum_too_4_q;
  logic [19:0] sum_5_q;
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      ipv6_q     <= {ipv6_q[2:0], ipv6_i};
      starts_q   <= {starts_q[2:0], ipv6_i || ip_i[159:152] == Ipv4Start};
      fragment_q <= {fragment_q[2:0], !ipv6_i && ip_i[109:96] != '0};
      is_udp_q   <= {is_udp_q[2:0], (ipv6_i ? ip_i[111:104] : ip_i[87:80]) == roce_pkg::UdpProtocol};
      ip_q       <= {ip_q[239:0], ipv6_i ? {ip_i[155:148], ip_i[103:96], 64'b0} : {ip_i[151:144], ip_i[95:88], ip_i[63:0]}};
      last_2_q   <= last_i;
      inside_2_q <= {1'b0, ipv6_i ? ip_i[127:112] : ip_i[143:128]} - (ipv6_i ? 17'd0 : 17'(Ip4));
      for (int i = 0; i < 5; i++) pairs_2_q[17*i+:17] <= {1'b0, ip_i[32*i+:16]} + {1'b0, ip_i[32*i+16+:16]};

      // Room for IP and UDP; what IP may say.
      short_q        <= {short_q[1:0], last_2_q < (ipv6_q[0] ? 17'(Ip6 + Udp - Trailer - 1) : 17'(Ip4 + Udp - Trailer - 1))};
      most_3_q       <= last_2_q - (ipv6_q[0] ? 17'(Ip6 - Trailer - 1) : 17'(Ip4 - Trailer - 1));
      source_q       <= {source_q[31:0], udp_i[47:32]};
      port_q         <= {port_q[1:0], udp_i[31:16] == roce_pkg::UdpPort};
      udp_length_3_q <= udp_i[15:0];
      inside_3_q     <= inside_2_q;
      sums_3_q[0+:18]  <= {1'b0, pairs_2_q[0+:17]} + {1'b0, pairs_2_q[17+:17]};
      sums_3_q[18+:18] <= {1'b0, pairs_2_q[34+:17]} + {1'b0, pairs_2_q[51+:17]};
      sums_3_q[36+:18] <= {1'b0, pairs_2_q[68+:17]};

      inside_o    <= inside_3_q;
      none_4_q    <= inside_3_q[16] || inside_3_q < 17'(Udp);
      spare_4_q   <= {1'b0, most_3_q} - {1'b0, inside_3_q};
      little_q    <= {little_q[0], inside_3_q < 17'(Least)};
      length_q    <= {length_q[0], {1'b0, udp_length_3_q} == inside_3_q};
      sum_4_q     <= {1'b0, sums_3_q[0+:18]} + {1'b0, sums_3_q[18+:18]};
      sum_too_4_q <= sums_3_q[36+:18];

      cut_q   <= none_4_q || spare_4_q[17];
      sum_5_q <= {1'b0, sum_4_q} + {2'b0, sum_too_4_q};
    end
  end

  // Right, if the sum is a multiple of 65,535, of which there are ten.
  logic checksum, ip_said, udp_said;
  logic [3:0] error;
  assign checksum = ipv6_q[3] || (sum_5_q[15:4] == '1 && sum_5_q[3:0] == ~sum_5_q[19:16]);
  assign ip_said = !short_q[2] && starts_q[3];
  assign udp_said = ip_said && checksum && !fragment_q[3] && is_udp_q[3] && !cut_q;
  always_comb begin
    if (short_q[2]) error = roce_pkg::ErrorTruncated;
    else if (!starts_q[3]) error = roce_pkg::ErrorNotIpv4;
    else if (!checksum) error = roce_pkg::ErrorIpChecksum;
    else if (fragment_q[3]) error = roce_pkg::ErrorFragment;
    else if (!is_udp_q[3]) error = roce_pkg::ErrorNotRoce;
    else if (cut_q) error = roce_pkg::ErrorTruncated;
    else if (!port_q[2]) error = roce_pkg::ErrorNotRoce;
    else if (!length_q[1]) error = roce_pkg::ErrorLength;
    else if (little_q[1]) error = roce_pkg::ErrorTruncated;
    else error = roce_pkg::ErrorNone;
  end
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      good_o        <= error == roce_pkg::ErrorNone;
      error_o       <= error;
      ipv6_o        <= ipv6_q[3];
      ip_o          <= ip_said ? ip_q[240+:80] : '0;
      source_port_o <= udp_said ? source_q[32+:16] : '0;
    end
  end
endmodule

`default_nettype wire
