// SPDX-License-Identifier: Apache-2.0
// How long each verb takes from the call to the program that sees its end, to the picosecond: the sum of the parts that
// model/rnic/rc/README.md names under "Times". Of several packets the first one's way counts, then the wire is full:
// the others are there before it is free.
#include "model/rnic/rc/end/end_config.h"
#include "model/system.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/theory/host_parts.h"
#include "tlm/roce/packet.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

using rc::Verb;
using roce::Opcode;

/// The packets of a message, as frames.
struct Packets {
    std::vector<std::size_t> frames;
    std::uint32_t first = 0, last = 0;  ///< bytes of payload
};
Packets packets_of(Opcode only, Opcode first, Opcode middle, Opcode last, std::uint32_t bytes, std::uint32_t mtu) {
    Packets p;
    const std::uint32_t count = rc::packets_of(bytes, mtu);
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool ends = i + 1 == count;
        const Opcode opcode = count == 1 ? only : i == 0 ? first : ends ? last : middle;
        p.last = ends ? bytes - i * mtu : mtu;
        p.frames.push_back(roce::frame_length(opcode, p.last));
    }
    p.first = std::min(bytes, mtu);
    return p;
}
/// UC's packets are as long as RC's.
Packets packets_of(Verb verb, std::uint32_t bytes, std::uint32_t mtu, rc::Service service = rc::Service::reliable) {
    using enum Opcode;
    if (service == rc::Service::datagram) return {{roce::frame_length(ud_send_only, bytes)}, bytes, bytes};
    if (rc::is_atomic(verb)) return {{roce::frame_length(atomic_ack, 0)}, bytes, bytes};
    if (verb == Verb::read) return packets_of(read_only, read_first, read_middle, read_last, bytes, mtu);
    if (verb == Verb::send) return packets_of(send_only, send_first, send_middle, send_last, bytes, mtu);
    return packets_of(write_only, write_first, write_middle, write_last, bytes, mtu);
}

/// From a's call to its completion: READs and atomics.
Time answered(const RunConfig& config, Time from, Verb verb, std::uint32_t bytes) {
    const MacTiming& wire = config.links[0].timing;
    HostParts a(verbs_of(config, 0)), b(verbs_of(config, 1));
    const Opcode asks = verb == Verb::read           ? Opcode::read_request
                        : verb == Verb::compare_swap ? Opcode::compare_swap
                                                     : Opcode::fetch_add;
    const Time asked = a.sent(a.post(from), {roce::frame_length(asks, 0)}, wire);
    const Packets answer = packets_of(verb, bytes, verbs_of(config, 0).attributes.path_mtu);
    const Time data = rc::is_atomic(verb) ? b.read(b.received(asked + config.links[0].delay), answer.first)
                                          : b.read_payload(b.received(asked + config.links[0].delay), answer.first);
    const Time came = a.received(b.sent(data, answer.frames, wire) + config.links[0].delay);
    a.write_payload(came, answer.last, rc::is_atomic(verb) ? 0 : answer.last);
    return a.polled(a.write(came, rc::kCqeBytes));
}

/// From one program's call to the other one's notice: WRITEs and SENDs.
Time seen(const RunConfig& config, Time from, Verb verb, std::uint32_t bytes) {
    HostParts a(verbs_of(config, 0)), b(verbs_of(config, 1));
    const rc::Service service = config.traffic[0].verbs.service;
    Packets message = packets_of(verb, bytes, verbs_of(config, 0).attributes.path_mtu, service);
    Time at = a.post(from);
    if (bytes > verbs_of(config, 0).host.inline_bytes) at = a.read_payload(at, message.first);
    const Time came = b.received(a.sent(at, message.frames, config.links[0].timing) + config.links[0].delay);
    if (verb == Verb::write) return b.polled(b.write_payload(came, message.last));
    // The first packet takes a receive WQE; fewer than eight are left, so the card reads the queue's record.
    if (message.frames.size() == 1) b.read(came, 4);
    b.write_payload(came, message.last + (service == rc::Service::datagram ? rc::kGrhBytes : 0), message.last);
    return b.polled(b.write(came, rc::kCqeBytes));
}

/// From a's call to its completion, which follows when the MAC has taken the only packet: UC and UD.
Time taken(const RunConfig& config, Time from, std::uint32_t bytes) {
    HostParts a(verbs_of(config, 0));
    Time at = a.post(from);
    if (bytes > verbs_of(config, 0).host.inline_bytes) at = a.read_payload_line(at, bytes);
    return a.polled(a.write(at + verbs_of(config, 0).card.clock.time(verbs_of(config, 0).card.tx_path), rc::kCqeBytes));
}

constexpr const char* kFastLink = "rate: 100 Gbps, delay: 390.4 ns";
/// The second one stores packets, the third one does not; the last one has a slow PCIe behind a fast wire, and packets
/// of 4 KiB.
constexpr std::array<std::pair<const char*, const char*>, 5> kCards{
    {{"personality: rc", ""},
     {"profile: cx5_100g, rc: {mode: store_and_forward}", kFastLink},
     {"profile: cx5_100g", kFastLink},
     {"profile: cx5_100g, rc: {pmtu: 4096 B}", kFastLink},
     {"profile: cx5_100g, rc: {pmtu: 4096 B}, pcie: {lanes: 4}", kFastLink}}};

/// The last message of a run takes exactly so long.
template <typename Sum>
void check_time(const std::string& item, Sum&& sum) {
    for (const auto& [card, link] : kCards) {
        const RunConfig config = pair_of(item + ", start: 10 us", card, link);
        const auto outcome = apart([&] {
            const RunResult result = simulate(config);
            const Sample& f = result.samples.back();
            const Time took = f.end - f.start, expected = sum(config, f.start);
            if (took != expected)
                throw RunError("took " + std::to_string(took.ps) + " ps, not " + std::to_string(expected.ps));
            return result;
        });
        INFO(item << ", " << card);
        CHECK(outcome.ran);
    }
}

TEST_CASE("the time of a WRITE and its answer is the sum of their parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : {1U, 3000U}) {
        check_time("transfers: 1, pattern: ping_pong, size: " + std::to_string(bytes) + " B",
                   [&](const RunConfig& config, Time from) {
                       const Time there = seen(config, from, Verb::write, bytes);
                       return Time{(seen(config, there, Verb::write, bytes) - from).ps / 2};
                   });
    }
}

TEST_CASE("the time of a SEND and its answer is the sum of their parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : {8U, 3000U}) {
        // The first one finds no receive WQE on the card.
        check_time("operation: send, transfers: 2, pattern: ping_pong, size: " + std::to_string(bytes) + " B",
                   [&](const RunConfig& config, Time from) {
                       const Time there = seen(config, from, Verb::send, bytes);
                       const Time back = HostParts(verbs_of(config, 1)).receive_posted(there);
                       return Time{(seen(config, back, Verb::send, bytes) - from).ps / 2};
                   });
    }
}

TEST_CASE("UC WRITE, one way: the sum of its parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : {1U, 3000U}) {
        check_time("service: uc, transfers: 1, pattern: ping_pong, size: " + std::to_string(bytes) + " B",
                   [&](const RunConfig& config, Time from) {
                       const Time there = seen(config, from, Verb::write, bytes);
                       return Time{(seen(config, there, Verb::write, bytes) - from).ps / 2};
                   });
    }
}

TEST_CASE("UC SEND and UD SEND, one way: the sum of their parts, to the picosecond", "[network]") {
    // Whole TLPs: the next message's place begins where this one's ends.
    for (const auto& [service, bytes] :
         {std::pair("uc", 8U), std::pair("uc", 2816U), std::pair("ud", 8U), std::pair("ud", 1000U)}) {
        // The first one finds no receive WQE on the card.
        check_time(std::string("operation: send, transfers: 2, pattern: ping_pong, service: ") + service +
                       ", size: " + std::to_string(bytes) + " B",
                   [bytes = bytes](const RunConfig& config, Time from) {
                       const Time there = seen(config, from, Verb::send, bytes);
                       const Time back = HostParts(verbs_of(config, 1)).receive_posted(there);
                       return Time{(seen(config, back, Verb::send, bytes) - from).ps / 2};
                   });
    }
}

TEST_CASE("V-C7: UC and UD complete when the MAC has taken the packet, to the picosecond", "[network]") {
    for (const char* const item :
         {"service: uc, operation: write", "service: uc, operation: send", "service: ud, operation: send"}) {
        for (const std::uint32_t bytes : {8U, 1000U}) {
            check_time(std::string(item) + ", transfers: 1, size: " + std::to_string(bytes) + " B",
                       [&](const RunConfig& config, Time from) { return taken(config, from, bytes) - from; });
        }
    }
}

TEST_CASE("the time of a READ is the sum of its parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : {8U, 3000U}) {
        check_time(
            "operation: read, transfers: 1, size: " + std::to_string(bytes) + " B",
            [&](const RunConfig& config, Time from) { return answered(config, from, Verb::read, bytes) - from; });
    }
}

TEST_CASE("the time of an atomic is the sum of its parts, to the picosecond", "[network]") {
    for (const Verb verb : {Verb::fetch_add, Verb::compare_swap}) {
        check_time(
            std::string("transfers: 1, size: 8 B, operation: ") +
                (verb == Verb::fetch_add ? "fetch_add" : "compare_swap"),
            [&](const RunConfig& config, Time from) { return answered(config, from, verb, rc::kAtomicBytes) - from; });
    }
}

/// The same where nothing of the connection is on the cards: its context is read, then the WQE, as its push has come in
/// vain; at the other card the context, then the region's entry and the pages of what is read; back here these, and the
/// context of the CQ.
Time answered_cold(const RunConfig& config, Time from, std::uint32_t bytes) {
    constexpr std::uint32_t kContext = 384, kOther = 64;
    const MacTiming& wire = config.links[0].timing;
    const auto from_memory = [](HostParts& end, Time at) { return end.read_line(end.read_line(at, kOther), kOther); };
    HostParts a(verbs_of(config, 0)), b(verbs_of(config, 1));
    const std::uint32_t wqe = lay_out(config).connections.front().ends[0].sends.stride;
    const Time fetched = a.read(a.read_line(a.post(from), kContext), wqe);
    const Time asked = a.sent(fetched, {roce::frame_length(Opcode::read_request, 0)}, wire);
    const Time taken = b.read_line(b.received(asked + config.links[0].delay), kContext);
    const Packets answer = packets_of(Verb::read, bytes, verbs_of(config, 0).attributes.path_mtu);
    const Time data = b.read_payload(from_memory(b, taken), answer.first);
    const Time came = from_memory(a, a.received(b.sent(data, answer.frames, wire) + config.links[0].delay));
    a.write_payload(came, answer.last);
    return a.polled(a.write(a.read_line(came, kOther), rc::kCqeBytes));
}

TEST_CASE("V-K4: hit < miss: the time of a READ whose lines are all missing, to the picosecond", "[network]") {
    for (const bool fast : {false, true}) {
        // The first connection's lines leave when those of the others are made, which begin when it is over.
        const RunConfig config = pair_of(
            "operation: read, size: 8 B, transfers: 1, start: 10 us}, {from: a, to: b, operation: read, size: 8 B, "
            "transfers: 1, connections: 30, start: 1 ms",
            fast ? "profile: cx5_100g, rc: {cache: 6144 B}" : "personality: rc, rc: {cache: 6144 B}",
            fast ? "rate: 100 Gbps, delay: 390.4 ns" : "");
        const auto outcome = apart([&] {
            const RunResult result = simulate(config);
            const Sample& f = result.samples.front();
            const Time took = f.end - f.start, miss = answered_cold(config, f.start, 8) - f.start;
            const Time hit = answered(config, f.start, Verb::read, 8) - f.start;
            if (took != miss || hit >= miss)
                throw RunError("took " + std::to_string(took.ps) + " ps, not " + std::to_string(miss.ps));
            return result;
        });
        INFO((fast ? "cx5_100g" : "gigabit_fpga"));
        CHECK(outcome.ran);
    }
}

TEST_CASE("V-S8: the atomic unit does one at a time: a read, and its rest while the new value is written",
          "[network]") {
    RunConfig config = pair_of("operation: fetch_add, size: 8 B, depth: 16, transfers: 60", "profile: cx5_100g",
                               "rate: 100 Gbps, delay: 390.4 ns");
    verbs_of(config, 0).host.costs = {};  // so that the unit is what all wait for
    HostParts b(verbs_of(config, 1));
    const rc::CardConfig& card = verbs_of(config, 1).card;
    Time one = kMicrosecond, other;  // when the unit has an old value
    for (int i = 0; i < 3; ++i) {
        other = std::exchange(one, b.read(one, rc::kAtomicBytes));
        b.write(one, rc::kAtomicBytes);
        one += card.clock.time(card.atomic_busy);
    }
    const RunResult result = simulate(config);
    for (std::size_t i = 30; i < 40; ++i)
        CHECK((result.samples[i].end - result.samples[i - 1].end).ps == (one - other).ps);
}

}  // namespace
}  // namespace rnicsim
