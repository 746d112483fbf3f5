// SPDX-License-Identifier: Apache-2.0
// B6: two drivers open their windows, whatever happens to what they say.
#include "model/ntb/handshake.h"

#include "model/ntb/registers.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace rnicsim::ntb {
namespace {

using State = Handshake::State;

constexpr std::uint64_t kBar = 0x3800'0000'0000, kLength = 1 << 20;
constexpr std::array<std::uint64_t, 2> kMemory{0x1'2345'6000, 0xFFFF'F000};

/// Scratchpads of who has heard all that another driver says first.
Handshake::Words offer_of(const Handshake::Offer& offer) {
    Handshake::Words words{};
    for (const Handshake::Write& one : Handshake(offer, {kBar, kLength}).say())
        if (one.offset >= offset::kPeerScratchpads)
            words.at((one.offset - offset::kPeerScratchpads) / 4) = static_cast<std::uint32_t>(one.word);
    return words;
}

/// A driver and its side's registers; what it writes acts at once.
struct Driver {
    explicit Driver(unsigned number) : part({kMemory.at(number), kLength}, {kBar, kLength}) {
        registers.place(0, kBar, kLength);
    }
    [[nodiscard]] std::optional<std::uint64_t> leads_to(std::uint64_t offset) const {
        return registers.windows()[0].translate(kBar + offset, 8);
    }
    Handshake part;
    Registers registers;
    bool is_rung = false;
};

class Two {
  public:
    std::array<Driver, 2> drivers{Driver(0), Driver(1)};
    bool up = true, stuck = false;
    std::mt19937* fails = nullptr;  // ... also while a driver speaks; nullptr: it does not

    void say(unsigned from) { write(from, drivers.at(from).part.say()); }
    /// Its handler runs.
    void look(unsigned at) {
        Driver& of = drivers.at(at);
        of.is_rung = false;
        std::vector<std::uint32_t> words(of.part.to_read());
        for (std::size_t i = 0; i < words.size(); ++i)
            REQUIRE(of.registers.read(offset::kScratchpads + 4 * i,
                                      {reinterpret_cast<std::uint8_t*>(&words[i]), sizeof words[i]},
                                      drivers.at(1 - at).registers));
        write(at, of.part.saw(words));
    }
    void write(unsigned from, const std::vector<Handshake::Write>& all) {
        for (const Handshake::Write& one : all) {
            if (fails != nullptr && (*fails)() % 8 == 0) up = !up;
            const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(&one.word), one.bytes);
            const auto effect = drivers.at(from).registers.write(one.offset, bytes);
            REQUIRE(effect);
            Driver& other = drivers.at(1 - from);
            if (const auto* word = std::get_if<Registers::Scratchpad>(&*effect)) {
                if (up && !stuck) other.registers.set_scratchpad(*word);
            } else if (std::holds_alternative<Registers::Doorbell>(*effect) && up) {
                other.is_rung = true;
            }
            ++writes;
        }
    }
    /// Who is ready may store: the other one's window is open.
    void check() const {
        for (const unsigned at : {0U, 1U}) {
            const State state = drivers.at(at).part.state();
            const bool is_open = drivers.at(at).leads_to(8) == kMemory.at(1 - at) + 8;
            CHECK(is_open == (state >= State::open));
            if (state == State::ready) CHECK(drivers.at(1 - at).part.state() >= State::open);
        }
    }
    [[nodiscard]] bool are_ready() const {
        return drivers[0].part.state() == State::ready && drivers[1].part.state() == State::ready;
    }
    std::size_t writes = 0;
};

TEST_CASE("B6 two drivers are ready once both windows are open, and store where the other one said", "[bridge]") {
    Two two;
    two.say(0);
    two.say(1);
    std::size_t looks = 0;
    for (; two.drivers[0].is_rung || two.drivers[1].is_rung; ++looks) {
        two.look(looks % 2);
        two.check();
    }
    CHECK(two.are_ready());
    CHECK(looks == 4);               // the second one to look finds the first one open, and is ready at once
    CHECK(two.writes == 5 * 7 + 4);  // six scratchpads and the doorbell; each opens its window
    CHECK(two.drivers[0].leads_to(kLength - 8) == kMemory[1] + kLength - 8);
    CHECK_FALSE(two.drivers[0].leads_to(kLength - 7));
}
TEST_CASE("B6 a driver that comes late finds the offer, and is answered", "[bridge]") {
    Two two;
    two.say(0);  // nobody is there to look
    two.say(1);
    two.look(0);
    two.look(1);
    two.look(0);
    two.check();
    CHECK(two.are_ready());
}
TEST_CASE("B6 half of a window is open where only half is offered", "[bridge]") {
    Handshake part({0, 4096}, {kBar, kLength});
    const auto writes = part.saw(offer_of({0, 4096}));
    REQUIRE(writes.size() == 2 + 7);
    CHECK(writes[1].offset == offset::kXlmt);
    CHECK(writes[1].word == kBar + 4096);
}
TEST_CASE("B6 an offer of which a part is lost opens nothing", "[bridge]") {
    const Handshake::Words whole = offer_of({0x1'2345'6000, kLength});
    for (std::size_t lost = 1; lost < whole.size(); ++lost) {
        CAPTURE(lost);
        Handshake::Words words = whole;
        words.at(lost) = 0;
        if (words == whole) continue;  // it was 0
        Handshake part({0, 4096}, {kBar, kLength});
        CHECK(part.saw(words).empty());
        CHECK_FALSE(part.saw(whole).empty());
    }
}
TEST_CASE("B6 other words than its own open nothing", "[bridge]") {
    Handshake part({0, 4096}, {kBar, kLength});
    for (const std::uint32_t word : {0U, 1U, 0x4E544200U, 0x4E544204U, 0xFFFF'FFFFU}) {
        CAPTURE(word);
        Handshake::Words words = offer_of({0, 4096});
        words[0] = word;
        CHECK(part.saw(words).empty());
        CHECK(part.state() == State::here);
    }
}
TEST_CASE("B6 nobody is ready before the other window is open, and both are, whatever is lost", "[bridge]") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        std::mt19937 draw(seed);
        Two two;
        two.fails = &draw;
        for (unsigned step = 0; step < 40; ++step) {
            const unsigned which = draw() % 8, at = draw() % 2;
            if (which == 0) two.up = !two.up;
            if (which == 1) two.stuck = !two.stuck;
            if (which <= 3 && two.drivers.at(at).part.state() != State::ready) two.say(at);  // it waits no longer
            if (which > 3 && two.drivers.at(at).is_rung) two.look(at);
            two.check();
        }
        two.up = true;
        two.stuck = false;
        two.fails = nullptr;
        for (unsigned round = 0; round < 8 && !two.are_ready(); ++round) {
            for (const unsigned at : {0U, 1U})
                if (two.drivers.at(at).part.state() != State::ready) two.say(at);
            for (const unsigned at : {0U, 1U})
                if (two.drivers.at(at).is_rung) two.look(at);
            two.check();
        }
        CHECK(two.are_ready());
        for (unsigned round = 0; round < 8; ++round) {
            for (const unsigned at : {0U, 1U})
                if (two.drivers.at(at).is_rung) two.look(at);
        }
        CHECK_FALSE((two.drivers[0].is_rung || two.drivers[1].is_rung));  // they do not go on for ever
    }
}

}  // namespace
}  // namespace rnicsim::ntb
