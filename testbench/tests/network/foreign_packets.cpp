// SPDX-License-Identifier: Apache-2.0
// Packets that no card of ours sends come to a card: a frame made by hand, in place of one from the MAC.
#include "model/faults/random_faults.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/workloads/messages/verbs_workload.h"
#include "tlm/roce/packet.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

class Nobody final : public VerbsObserver {
    void connected(std::size_t /*connection*/, unsigned /*side*/, rc::Qpn qp) override { last = qp; }
    void receive_posted(unsigned /*host*/, std::uint32_t /*slot*/) override {}
    void posted(const PostedMessage& /*message*/, Time /*begins*/) override {}
    void completed(std::size_t, unsigned, const rc::Completion& /*completion*/, Time /*now*/) override {}
    void seen(std::size_t, unsigned, std::uint32_t /*number*/, Time /*now*/) override {}
    void ended(std::size_t /*connection*/, std::uint32_t /*messages*/, Time /*now*/) override {}

  public:
    rc::Qpn last;  // of the responder
};

/// Two hosts, and before anything else comes to b the packet that its QP expects next, as if from a.
class Pair {
  public:
    explicit Pair(std::size_t at, std::uint8_t byte)
        : config_(pair_of("operation: write, size: 8 B, transfers: 1")),
          layout_(lay_out(config_)),
          faults_(fault_config(config_)),
          workload_(config_, layout_, nobody_),
          system_("system", config_, KitEnds({layout_.taken[0].bytes, layout_.taken[1].bytes}), faults_, nullptr) {
        workload_.record_in(records_);
        workload_.attach(system_);
        roce::Header header;
        header.opcode = roce::Opcode::send_only;
        header.to = nobody_.last;
        header.psn = qp().responder.expected;
        const FrameRef frame = system_.frames().take();
        roce::format(*frame, {.from = 0, .to = 1}, header);
        frame->writable_bytes()[roce::kBthAt + at] = byte;
        roce::seal(*frame);
        card().put(frame, Cycle{1});
        system_.run(kMicrosecond * 1, Ahead::never);
    }
    [[nodiscard]] rc::RcRnic& card() { return verbs_end(system_, 1).rnic; }
    [[nodiscard]] const rc::Qp& qp() { return *card().transport().qp(nobody_.last); }

  private:
    RunConfig config_;
    VerbsLayout layout_;
    RandomFaults faults_;
    Nobody nobody_;
    VerbsWorkload workload_;
    Records<Sample> records_{workload_.samples()};
    System system_;
};

constexpr std::uint8_t kReserved = 0x15;  // between atomics and SEND with invalidate: of no opcode

TEST_CASE("Errors: a reserved opcode is refused, and the QP goes to ERR", "[network]") {
    Pair pair(0, kReserved);
    CHECK(pair.qp().state == rc::QpState::error);
    CHECK(pair.card().transport().count(rc::RcCount::naks_sent) == 1);
    REQUIRE(pair.card().events().size() == 1);
    CHECK(pair.card().events()[0].kind == rc::EventKind::qp_request_error);
}

TEST_CASE("Errors: more pad than payload, or another version: counted, and answered by nothing", "[network]") {
    const auto dropped = [](std::uint8_t byte, roce::Error error) {
        return apart([&] {
                   Pair pair(1, byte);
                   if (pair.qp().state != rc::QpState::rts) throw RunError("the QP is in another state");
                   if (pair.card().transport().count(rc::RcCount::naks_sent) != 0 ||
                       pair.card().transport().count(rc::RcCount::rnr_naks_sent) != 0)
                       throw RunError("it is answered");
                   if (pair.card().receiver().counters().errors[static_cast<std::size_t>(error)] != 1)
                       throw RunError("it is not counted");
                   return RunResult{};
               })
            .ran;
    };
    CHECK(dropped(0x30, roce::Error::pad));  // three bytes
    CHECK(dropped(0x01, roce::Error::version));
}

}  // namespace
}  // namespace rnicsim
