// SPDX-License-Identifier: Apache-2.0
// V-I8: a READ of memory that the responder's program changes meanwhile.
#include "model/faults/random_faults.h"
#include "model/host/verbs/host_software.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "tlm/roce/packet.h"
#include "tlm/taps.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::uint64_t kReadBytes = 16 * 1024, kLineBytes = 64;
constexpr std::uint64_t kBuffer = 1 << 20, kCq = 0x1000, kSends = 0x8000, kReceives = 0xC000, kRecord = 0x10000;
constexpr std::uint64_t kMemoryBytes = 1 << 22;

/// A program that lets its card work.
class Idle final : public HostSoftware {
  public:
    void run(Cycle /*now*/) override {}
    [[nodiscard]] Cycle next_due() const override { return kNever; }
    void interrupt(Cycle /*at*/, std::uint32_t /*vector*/) override {}
    [[nodiscard]] bool idle() const override { return true; }
    void written(std::uint64_t /*address*/, std::uint64_t /*bytes*/, Time /*visible*/) override {}
};

/// What the memory held when the request came, and when each response packet left.
class Moments final : public Observer {
  public:
    std::uint8_t version = 1;  ///< that the memory holds now
    std::optional<std::uint8_t> accepted;
    std::vector<std::uint8_t> answered;

    void memory_access(unsigned /*end*/, const tlm::tlm_generic_payload& /*access*/) override {}
    void upstream_tlp(unsigned /*end*/, tlm::tlm_generic_payload& /*transaction*/, Time /*due*/) override {}
    void frame_sent(unsigned end, const Frame& frame, Time /*left*/) override {
        const roce::Header* const header = roce::header_of(frame);
        if (end == 1 && header && header->payload != 0) answered.push_back(version);
    }
    void frame_carried(const Hop& hop, const Frame& /*frame*/, Time /*arrived*/) override {
        if (hop.to == 1 && !accepted) accepted = version;
    }
};

TEST_CASE("V-I8: a READ gives what memory held between acceptance and response, each line by itself", "[network]") {
    const RunConfig config =
        pair_of("operation: read, size: 16 KiB, transfers: 1", "profile: cx5_100g", "rate: 100 Gbps");
    const std::uint32_t pmtu = verbs_of(config, 0).card.transport.port_mtu;
    RandomFaults faults(fault_config(config));
    Moments moments;
    const KitEnds ends({kMemoryBytes, kMemoryBytes});
    System system("system", config, ends, faults, &moments);
    Idle idle;
    std::vector<std::uint32_t> keys;
    for (unsigned host = 0; host < 2; ++host) {
        VerbsEnd& end = verbs_end(system, host);
        end.host.run_software(idle);
        end.rnic.give_memory({kMemoryBytes / 2, kMemoryBytes / 2});
        end.host.queues.create_cq({kCq, 64});
        const auto receives = end.host.queues.create_receive_queue({kReceives, 64, kRecord}, false);
        rc::QpInit init;
        init.receive_queue = receives;
        const rc::Qpn qp = end.host.queues.create_qp(init, {kSends, 16, 256});
        const rc::Access all = rc::kLocalWrite | rc::kRemoteRead;
        keys.push_back(end.rnic.add_region(init.pd, {kBuffer, kReadBytes}, all, verbs_of(config, host).host.page));
        rc::QpAttributes attributes = verbs_of(config, host).attributes;
        attributes.access = all;
        attributes.peer = Peer{static_cast<std::uint16_t>(1 - host)};
        attributes.dest_qpn = qp;
        attributes.path_mtu = pmtu;
        end.rnic.connect(qp, attributes);
    }
    const auto memory = [&](unsigned host) { return verbs_end(system, host).host.memory.at(kBuffer, kReadBytes); };
    std::ranges::fill(memory(1), moments.version);
    rc::SendWqe read;
    read.verb = rc::Verb::read;
    read.sges.push({kBuffer, kReadBytes, keys[0]});
    read.remote_address = kBuffer;
    read.remote_key = keys[1];
    system.run(kNanosecond, Ahead::never);
    verbs_end(system, 0).host.queues.send(verbs_of(config, 0).host.clock.edge(current_time()), rc::Qpn{2}, read, {},
                                          Posting::doorbell);
    for (unsigned slice = 0; slice < 240; ++slice) {
        system.run(kNanosecond * 40, Ahead::never);
        ++moments.version;
        std::ranges::fill(memory(1), moments.version);
    }
    REQUIRE(moments.accepted);
    REQUIRE(moments.answered.size() == kReadBytes / pmtu);
    REQUIRE(moments.answered.back() < moments.version);  // it is over
    const std::span<const std::uint8_t> came = memory(0);
    std::set<std::uint8_t> seen;
    for (std::uint64_t at = 0; at < kReadBytes; at += kLineBytes) {
        const auto line = came.subspan(at, kLineBytes);
        INFO("line at " << at);
        REQUIRE(std::ranges::all_of(line, [&](std::uint8_t byte) { return byte == line.front(); }));
        REQUIRE(line.front() >= *moments.accepted);
        REQUIRE(line.front() <= moments.answered[at / pmtu]);
        seen.insert(line.front());
    }
    CHECK(seen.size() > 3);  // it changed while it was read
}

}  // namespace
}  // namespace rnicsim
