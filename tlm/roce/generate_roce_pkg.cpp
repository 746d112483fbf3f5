// SPDX-License-Identifier: Apache-2.0
// Prints rtl/roce_pkg.sv, the constants of RoCEv2's headers for the RTL, from the tables in fields.h and opcodes.h.
#include "tlm/ethernet/ipv4.h"
#include "tlm/ethernet/ipv6.h"
#include "tlm/roce/codec.h"
#include "tlm/roce/udp.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace {

using namespace rnicsim::roce;

/// "SEND_FIRST" -> "SendFirst", "ip_checksum" -> "IpChecksum"
std::string camel(std::string_view name) {
    std::string out;
    bool start = true;
    for (const char c : name) {
        const auto u = static_cast<unsigned char>(c);
        if (c != '_') out += static_cast<char>(start ? std::toupper(u) : std::tolower(u));
        start = c == '_';
    }
    return out;
}

/// Of a run of capitals all but the first become small, and but the last if a word begins with it: "AtomicETH" ->
/// "AtomicEth", "DMALen" -> "DmaLen".
std::string calm(std::string_view name) {
    const auto capital = [name](std::size_t at) { return std::isupper(static_cast<unsigned char>(name[at])) != 0; };
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool inside = i > 0 && capital(i) && capital(i - 1) && (i + 1 == name.size() || capital(i + 1));
        out += inside ? static_cast<char>(std::tolower(static_cast<unsigned char>(name[i]))) : name[i];
    }
    return out;
}

/// As a name in Verilog: "AtomicEth" -> "atomic_eth"
std::string snake(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto u = static_cast<unsigned char>(c);
        if (std::isupper(u) != 0 && !out.empty()) out += '_';
        out += static_cast<char>(std::tolower(u));
    }
    return out;
}

/// A vector of 256 bits with a 1 at each opcode that is so.
void print_set(const std::string& name, const std::function<bool(const OpcodeMeaning&)>& is_in) {
    std::printf("  localparam logic [255:0] %s = 256'h", name.c_str());
    for (unsigned digit = 64; digit-- > 0;) {
        unsigned value = 0;
        for (unsigned bit = 0; bit < 4; ++bit) {
            const OpcodeMeaning* const one = meaning(static_cast<Opcode>(4 * digit + bit));
            if (one != nullptr && is_in(*one)) value |= 1U << bit;
        }
        std::printf("%X%s", value, digit % 16 == 0 && digit != 0 ? "_" : "");
    }
    std::printf(";\n");
}

void print_parts() {
    for (const PartFields& part : kParts) {
        const std::string name = calm(part.name);
        std::printf("\n  // %s\n  localparam int unsigned %sBytes = %zu;\n", std::string(part.name).c_str(),
                    name.c_str(), part.bytes());
        for (const Field& field : part.fields) {
            const std::string full = name + calm(field.name);
            std::printf(
                "  // %s: %s\n"
                "  localparam int unsigned %sLsb = %zu;\n"
                "  localparam int unsigned %sBits = %zu;\n",
                std::string(field.name).c_str(), std::string(field.meaning).c_str(), full.c_str(),
                8 * part.bytes() - field.offset - field.bits, full.c_str(), field.bits);
        }
    }
}

void print_opcodes() {
    std::printf("\n  // Opcodes, and the headers behind the BTH in their order\n");
    for (const OpcodeMeaning& one : kOpcodes) {
        std::string parts;
        for (const Part part : one.parts) parts += (parts.empty() ? "  // " : ", ") + std::string(fields_of(part).name);
        std::printf("  localparam logic [7:0] Opcode%s = 8'h%02X;%s\n", camel(one.name).c_str(),
                    static_cast<unsigned>(one.opcode), parts.c_str());
    }
    std::printf("\n  // Sets of opcodes: bit n is 1 if opcode n is in it\n");
    print_set("KnownOpcodes", [](const OpcodeMeaning&) { return true; });
    print_set("FromRequester", [](const OpcodeMeaning& one) { return one.sender == Sender::requester; });
    print_set("HasPayload", [](const OpcodeMeaning& one) { return one.payload; });
    for (std::size_t i = 1; i < kParts.size(); ++i) {
        print_set("Has" + calm(kParts.at(i).name), [i](const OpcodeMeaning& one) {
            for (const Part part : one.parts) {
                if (part == static_cast<Part>(i)) return true;
            }
            return false;
        });
    }
}

constexpr std::size_t kRestBytes = kMaxHeaderBytes - kBthBytes;

/// Whether the opcode has this part behind so many bytes of other parts.
bool stands_at(const OpcodeMeaning& one, Part wanted, std::size_t at) {
    std::size_t before = 0;
    for (const Part part : one.parts) {
        if (part == wanted && before == at) return true;
        before += fields_of(part).bytes();
    }
    return false;
}

/// Has it a field that means something?
bool tells(const PartFields& part) {
    for (const Field& field : part.fields) {
        if (field.meaning != "0") return true;
    }
    return false;
}

void print_header_words() {
    std::printf(
        "\n  // BTH and the headers behind it, in words of four bytes; 0 if there is no such opcode\n"
        "  localparam int unsigned MaxHeaderBytes = %zu;\n",
        kMaxHeaderBytes);
    std::size_t bits = 0;
    for (; kMaxHeaderBytes / 4 >> bits != 0; ++bits) {
        print_set("HeaderWordsBit" + std::to_string(bits),
                  [bits](const OpcodeMeaning& one) { return (header_bytes(one.opcode) / 4 >> bits & 1U) != 0; });
    }
    std::printf("  function automatic logic [%zu:0] header_words(input logic [7:0] opcode);\n    header_words = {",
                bits - 1);
    for (std::size_t bit = bits; bit-- > 0;) {
        std::printf("HeaderWordsBit%zu[opcode]%s", bit, bit == 0 ? "};\n  endfunction\n" : ", ");
    }
}

/// What a packet says behind its BTH, and the fields that say it: never two of them in one packet.
struct Said {
    std::string_view name;  ///< the member of Header
    struct From {
        Part part;
        std::string_view field;
    };
    std::array<From, 3> from;
    std::size_t count;
};
constexpr std::array<Said, 14> kSaid{{
    {"Address", {{{Part::reth, "VA"}, {Part::atomic_eth, "VA"}}}, 2},
    {"Key", {{{Part::reth, "RKey"}, {Part::atomic_eth, "RKey"}, {Part::ieth, "RKey"}}}, 3},
    {"Length", {{{Part::reth, "DMALen"}}}, 1},
    {"SwapOrAdd", {{{Part::atomic_eth, "SwapAdd"}}}, 1},
    {"Compare", {{{Part::atomic_eth, "Compare"}}}, 1},
    {"Syndrome", {{{Part::aeth, "Syndrome"}}}, 1},
    {"Msn", {{{Part::aeth, "MSN"}}}, 1},
    {"Placement", {{{Part::feth, "Placement"}}}, 1},
    {"Selectivity", {{{Part::feth, "Selectivity"}}}, 1},
    {"Original", {{{Part::atomic_ack_eth, "Original"}}}, 1},
    {"Immediate", {{{Part::imm_dt, "ImmDt"}}}, 1},
    {"QueueKey", {{{Part::deth, "QKey"}}}, 1},
    {"FromQp", {{{Part::deth, "SrcQP"}}}, 1},
    {"Arrived", {{{Part::arrived, "ArrivedPSN"}}}, 1},
}};

/// "RethVaLsb+:RethVaBits"
std::string bits_of(const Said::From& from) {
    const std::string full = calm(fields_of(from.part).name) + calm(from.field);
    return full + "Lsb+:" + full + "Bits";
}

/// For each part that says something, and each place where it stands: `line(part, name, bytes behind the BTH, which
/// place)`.
template <typename Line>
void each_place(Line line) {
    std::size_t index = 0;
    for (std::size_t i = 1; i < kParts.size(); ++i) {
        const auto part = static_cast<Part>(i);
        const std::string name = calm(fields_of(part).name);
        for (std::size_t at = 0; at + fields_of(part).bytes() <= kRestBytes; at += 4) {
            bool anywhere = false;
            for (const OpcodeMeaning& one : kOpcodes) anywhere = anywhere || stands_at(one, part, at);
            if (!anywhere || !tells(fields_of(part))) continue;
            line(part, name, at, index++);
        }
    }
}

std::string slice(Part part, std::size_t at) {
    return "[8*RestBytes-1-" + std::to_string(8 * at) + "-:" + std::to_string(8 * fields_of(part).bytes()) + "]";
}

void print_variables() {
    for (std::size_t i = 1; i < kParts.size(); ++i) {
        if (!tells(kParts.at(i))) continue;
        std::printf("    logic [%zu:0] %s;\n", 8 * kParts.at(i).bytes() - 1, snake(calm(kParts.at(i).name)).c_str());
    }
    for (std::size_t i = 1; i < kParts.size(); ++i) {
        if (tells(kParts.at(i))) std::printf("    %s = '0;\n", snake(calm(kParts.at(i).name)).c_str());
    }
}

/// The bytes behind the BTH to what they say, and the way back.
void print_said() {
    std::printf(
        "\n  // Where the headers behind the BTH stand: opcodes that have one so many bytes behind its end\n"
        "  localparam int unsigned RestBytes = %zu;\n",
        kRestBytes);
    each_place([](Part part, const std::string& name, std::size_t at, std::size_t) {
        print_set(name + "At" + std::to_string(at),
                  [part, at](const OpcodeMeaning& one) { return stands_at(one, part, at); });
    });
    std::string sets;
    std::size_t places = 0;
    each_place([&](Part, const std::string& name, std::size_t at, std::size_t index) {
        sets = name + "At" + std::to_string(at) + "[opcode]" + (sets.empty() ? "" : ", ") + sets;
        places = index + 1;
    });
    std::printf(
        "\n  // Which of these an opcode has, a bit for each\n"
        "  localparam int unsigned PlacesBits = %zu;\n"
        "  function automatic logic [PlacesBits-1:0] places_of(input logic [7:0] opcode);\n"
        "    places_of = {%s};\n  endfunction\n",
        places, sets.c_str());
    std::printf("\n  // What they say, whichever they are, as one vector\n");
    std::size_t total = 0;
    for (const Said& said : kSaid) {
        const std::size_t bits = place(said.from[0].part, said.from[0].field).bits;
        std::printf("  localparam int unsigned Said%sLsb = %zu;\n  localparam int unsigned Said%sBits = %zu;\n",
                    std::string(said.name).c_str(), total, std::string(said.name).c_str(), bits);
        total += bits;
    }
    std::printf(
        "  localparam int unsigned SaidBits = %zu;\n\n"
        "  // Zero: the opcode has no header for it\n"
        "  function automatic logic [SaidBits-1:0] said_of(input logic [PlacesBits-1:0] places, input logic "
        "[8*RestBytes-1:0] "
        "rest);\n",
        total);
    print_variables();
    each_place([](Part part, const std::string& name, std::size_t at, std::size_t index) {
        std::printf("    if (places[%zu]) %s = rest%s;\n", index, snake(name).c_str(), slice(part, at).c_str());
    });
    for (const Said& said : kSaid) {
        std::string sum;
        for (const Said::From& from : std::span(said.from).first(said.count)) {
            sum += (sum.empty() ? "" : " | ") + snake(calm(fields_of(from.part).name)) + "[" + bits_of(from) + "]";
        }
        const std::string name(said.name);
        std::printf("    said_of[Said%sLsb+:Said%sBits] = %s;\n", name.c_str(), name.c_str(), sum.c_str());
    }
    std::printf(
        "  endfunction\n"
        "  function automatic logic [8*RestBytes-1:0] rest_of(input logic [PlacesBits-1:0] places, input logic "
        "[SaidBits-1:0] "
        "said);\n");
    print_variables();
    for (const Said& said : kSaid) {
        const std::string name(said.name);
        for (const Said::From& from : std::span(said.from).first(said.count)) {
            std::printf("    %s[%s] = said[Said%sLsb+:Said%sBits];\n", snake(calm(fields_of(from.part).name)).c_str(),
                        bits_of(from).c_str(), name.c_str(), name.c_str());
        }
    }
    std::printf("    rest_of = '0;\n");
    each_place([](Part part, const std::string& name, std::size_t at, std::size_t index) {
        std::printf("    if (places[%zu]) rest_of%s = %s;\n", index, slice(part, at).c_str(), snake(name).c_str());
    });
    std::printf("  endfunction\n");
}

}  // namespace

int main() {
    std::printf(
        "// SPDX-License-Identifier: Apache-2.0\n"
        "// Constants of RoCEv2's headers. Generated by scripts/reference from tlm/roce: do not edit.\n"
        "// Each header as a vector: its first byte on the wire is the most significant one.\n"
        "`default_nettype none\n\n"
        "package roce_pkg;\n"
        "  localparam int unsigned Ipv4Bytes = %zu;  // without options\n"
        "  localparam int unsigned Ipv6Bytes = %zu;\n"
        "  localparam logic [7:0] UdpProtocol = 8'd%u;\n"
        "  localparam logic [15:0] UdpPort = 16'd%u;\n"
        "  localparam int unsigned UdpBytes = %zu;\n"
        "  localparam int unsigned IcrcBytes = %zu;\n",
        rnicsim::kIpv4HeaderBytes, rnicsim::kIpv6HeaderBytes, unsigned{rnicsim::kIpv4Udp},
        static_cast<unsigned>(kUdpPort), kUdpBytes, kIcrcBytes);
    print_parts();
    print_opcodes();
    print_header_words();
    print_said();
    std::printf("\n  // Why a packet is refused\n");
    for (std::size_t i = 0; i < kErrorNames.size(); ++i) {
        std::printf("  localparam logic [3:0] Error%s = 4'd%zu;\n", camel(kErrorNames.at(i)).c_str(), i);
    }
    std::printf("endpackage\n\n`default_nettype wire\n");
}
