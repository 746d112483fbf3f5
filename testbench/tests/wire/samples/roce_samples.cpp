// SPDX-License-Identifier: Apache-2.0
// Prints a frame of each kind, one a line, without FCS: what was to be written as NAME=NUMBER..., then the bytes. For
// wire_test.py, which has other programs read them.
#include "testbench/tests/wire/samples.h"
#include "tlm/roce/describe.h"

#include <cstdio>

namespace rnicsim::roce {
namespace {

void print_number(const char* name, std::uint64_t value) {
    std::printf(" %s=%llu", name, static_cast<unsigned long long>(value));
}

void print_part(Part part, const Header& header) {
    switch (part) {
        case Part::deth:
            print_number("queue_key", header.queue_key);
            print_number("from", header.from.n);
            break;
        case Part::reth:
            print_number("address", header.address);
            print_number("key", header.key);
            print_number("length", header.length);
            break;
        case Part::atomic_eth:
            print_number("address", header.address);
            print_number("key", header.key);
            print_number("swap_or_add", header.swap_or_add);
            print_number("compare", header.compare);
            break;
        case Part::aeth:
            print_number("kind", static_cast<unsigned>(header.aeth.kind));
            print_number("value", header.aeth.value);
            print_number("msn", header.aeth.msn.n);
            break;
        case Part::atomic_ack_eth: print_number("original", header.original); break;
        case Part::imm_dt: print_number("immediate", header.immediate); break;
        case Part::ieth: print_number("invalidated", header.key); break;
        case Part::feth:
            print_number("placement", static_cast<unsigned>(header.feth.placement));
            print_number("selectivity", static_cast<unsigned>(header.feth.selectivity));
            break;
        case Part::arrived: print_number("arrived", header.arrived.n); break;
        case Part::bth:
        case Part::cnp_rest: break;
    }
}

void print(FramePool& pool, const Header& header, Ecn ecn = Ecn::capable) {
    Route route = kSampleRoute;
    route.ecn = ecn;
    route.dscp = header.opcode == Opcode::cnp ? 48 : 26;
    const FrameRef frame = sample_frame(pool, header, route);
    print_number("opcode", static_cast<unsigned>(header.opcode));
    print_number("psn", header.psn.n);
    print_number("to", header.to.n);
    print_number("partition", header.partition);
    print_number("solicited", header.solicited ? 1 : 0);
    print_number("ack_request", header.ack_request ? 1 : 0);
    print_number("payload", header.payload);
    print_number("dscp", route.dscp);
    print_number("ecn", static_cast<unsigned>(ecn));
    print_number("source_port", route.source_port);
    for (const Part part : meaning(header.opcode)->parts) print_part(part, header);
    std::printf(" bytes=");
    for (const std::uint8_t byte : frame->without_fcs()) std::printf("%02x", byte);
    std::printf("\n");
}

void print_all() {
    FramePool pool;
    for (const OpcodeMeaning& one : kOpcodes) {
        print(pool, sample(one.opcode, one.payload ? 8 : 0));
        if (!one.payload) continue;
        for (const std::uint32_t bytes : {0U, 1U, 2U, 3U, 4U, 1024U}) {
            Header header = sample(one.opcode, bytes);
            header.solicited = bytes == 1;
            header.ack_request = bytes == 2;
            header.partition = 0xFFFF;
            print(pool, header, bytes == 3 ? Ecn::congestion : bytes == 4 ? Ecn::not_capable : Ecn::capable);
        }
    }
    for (const AckKind kind : {AckKind::ack, AckKind::rnr_nak, AckKind::nak}) {
        for (std::uint8_t value = 0; value < (kind == AckKind::nak ? 5 : 32); ++value) {
            Header header = sample(Opcode::ack);
            header.aeth.kind = kind;
            header.aeth.value = value;
            print(pool, header);
        }
    }
}

}  // namespace
}  // namespace rnicsim::roce

int main() { rnicsim::roce::print_all(); }
