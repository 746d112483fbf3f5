// SPDX-License-Identifier: Apache-2.0
// Prints the part of scripts/wireshark/roce.lua that describes headers and opcodes, from the tables in fields.h and
// opcodes.h: only what Wireshark's own dissector does not know.
#include "tlm/roce/opcodes.h"
#include "tlm/roce/udp.h"

#include <cstdio>
#include <string>

namespace {

using namespace rnicsim::roce;

/// The packets that Wireshark does not know, and the headers that they consist of.
constexpr std::array<Part, 6> kShown{Part::bth, Part::reth, Part::aeth, Part::feth, Part::arrived, Part::cnp_rest};

constexpr std::array<Opcode, 13> kUnknown{Opcode::flush,
                                          Opcode::atomic_write,
                                          Opcode::cnp,
                                          Opcode::write_persist_only,
                                          Opcode::persist_ack,
                                          Opcode::write_persist_first,
                                          Opcode::write_persist_middle,
                                          Opcode::write_persist_last,
                                          Opcode::selective_nak,
                                          Opcode::selective_write_first,
                                          Opcode::selective_write_middle,
                                          Opcode::selective_write_last,
                                          Opcode::selective_write_only};

void print_part(Part part) {
    const PartFields& fields = fields_of(part);
    std::printf("  %s = { bytes = %zu, fields = {\n", std::string(fields.name).c_str(), fields.bytes());
    for (const Field& field : fields.fields) {
        std::printf("    { name = \"%s\", offset = %zu, bits = %zu, meaning = \"%s\" },\n",
                    std::string(field.name).c_str(), field.offset, field.bits, std::string(field.meaning).c_str());
    }
    std::printf("  } },\n");
}

void print_opcode(Opcode opcode) {
    const OpcodeMeaning& one = *meaning(opcode);
    std::string parts;
    for (const Part part : one.parts) {
        parts += (parts.empty() ? "\"" : ", \"") + std::string(fields_of(part).name) + "\"";
    }
    std::printf("  [0x%02X] = { name = \"%s\", parts = { %s } },\n", static_cast<unsigned>(opcode),
                std::string(one.name).c_str(), parts.c_str());
}

}  // namespace

int main() {
    std::printf("local UDP_PORT = %u\nlocal ICRC_BYTES = %zu\n", static_cast<unsigned>(kUdpPort), kIcrcBytes);
    std::printf("local PARTS = { -- offsets in bits\n");
    for (const Part part : kShown) print_part(part);
    std::printf("}\nlocal OPCODES = { -- parts: behind the BTH\n");
    for (const Opcode opcode : kUnknown) print_opcode(opcode);
    std::printf("}\n");
}
