// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md 3.10: attempts to register keep their numbers if the responder has forgotten the transfer in between.
#include "model/rnic/drp/host/registrar.h"

#include <catch2/catch_test_macros.hpp>

#include <utility>
#include <vector>

namespace rnicsim {
namespace {

/// Every attempt fails; their numbers are recorded.
struct EveryAttemptFails final : FaultSource {
    [[nodiscard]] bool concerns_frames(unsigned /*link*/) const override { return false; }
    FrameFate frame(const FrameName&, Time, bool) override { return {}; }
    bool registration_fails(unsigned, unsigned /*initiator*/, std::uint64_t transfer, std::uint32_t attempt) override {
        draws.emplace_back(transfer, attempt);
        return true;
    }
    bool holds_at_start(unsigned, std::uint32_t) override { return false; }
    Cycle task_time(unsigned, std::uint32_t, std::uint64_t, bool) override { return kNever; }

    std::vector<std::pair<std::uint64_t, std::uint32_t>> draws;
};

/// The host of a responder, with as many uses of TIDs as the test wants.
class Host {
  public:
    /// The responder asks for transfer `number`, whose attempts all fail, and then it is over.
    void life(std::uint64_t number, unsigned attempts, bool given_up) {
        Event request;
        request.tid = Tid{static_cast<std::uint16_t>(number)};
        request.generation = Generation{++generation_};
        request.dba = kRings.regions;
        request.length = 100;
        Registrar::Region& region = registrar.add(request);
        for (unsigned i = 0; i < attempts; ++i) { REQUIRE(registrar.attempt(region) == RegistrationOutcome::failed); }
        registrar.remove(Registrar::key_of(request), given_up);
    }
    /// The draw of the first attempt in the next use of its TID.
    std::pair<std::uint64_t, std::uint32_t> next_draw(std::uint64_t number) {
        life(number, 1, true);
        return faults.draws.back();
    }

    EveryAttemptFails faults;
    Registrar registrar{{}, faults, 0, PeerHosts({1}), kRings.regions + 1000};

  private:
    std::uint16_t generation_ = 0;
};

using Draw = std::pair<std::uint64_t, std::uint32_t>;

TEST_CASE("3.10: draws are counted on after each give-up, and each transfer has its own", "[protocol]") {
    Host host;
    host.life(7, 2, true);
    host.life(8, 1, true);
    host.life(7, 0, true);  // given up before there was an attempt
    host.life(7, 3, true);
    host.life(8, 1, false);
    CHECK(host.faults.draws == std::vector<Draw>{{7, 0}, {7, 1}, {8, 0}, {7, 2}, {7, 3}, {7, 4}, {8, 1}});
}

TEST_CASE("3.10: a TID that comes round is a new transfer, whose draws begin at 0", "[protocol]") {
    Host host;
    host.life(7, 2, true);
    for (std::uint64_t number = 8; number < 65'536 + 7; ++number) host.life(number, 1, true);
    CHECK(host.next_draw(65'536 + 7) == Draw{65'536 + 7, 0});
}

TEST_CASE("3.10: a bounded number of given-up transfers is remembered, at least those that a TID can mean",
          "[protocol]") {
    Host host;
    for (std::uint64_t number = 0; number < 300'000; ++number) host.life(number, 1, true);
    CHECK(host.registrar.remembered() == 0x8000);
    CHECK(host.next_draw(299'999) == Draw{299'999, 1});
    CHECK(host.next_draw(299'999 - 0x7FFF) == Draw{299'999 - 0x7FFF, 1});  // the oldest that the peer could still mean
    CHECK(host.registrar.remembered() == 0x8000);
}

TEST_CASE("3.10: nothing is kept of transfers that were not given up", "[protocol]") {
    Host host;
    for (std::uint64_t number = 0; number < 1000; ++number) host.life(number, 1, false);
    CHECK(host.registrar.remembered() == 0);
}

}  // namespace
}  // namespace rnicsim
