// SPDX-License-Identifier: Apache-2.0
// A ring's sender on a thread: what its receiver says while it is busy, however often.
#include "testbench/applications/nts/ring_writer.h"

#include <boost/endian/conversion.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim::nts {
namespace {

/// A thread that is given stores, and a memory; it does nothing else.
class OnlyStores final : public Actions {
  public:
    void store(std::span<const Store> program, std::uint32_t /*tag*/) override {
        for (const Store& one : program)
            if (one.what == Store::What::word) words.push_back({one.far, one.word});
    }
    std::span<std::uint8_t> memory(Place at, std::uint32_t bytes) override {
        return std::span(areas_.at(at.area)).subspan(at.offset, bytes);
    }
    struct Word {
        std::uint32_t at = 0;
        std::uint64_t word = 0;
    };
    std::vector<Word> words;

    void post_send(const applications::WorkRequest& /*what*/) override {}
    void post_receive(Place /*at*/, std::uint32_t /*bytes*/, std::uint32_t /*tag*/) override {}
    void watch(Place /*at*/, std::uint32_t /*tag*/) override {}
    void register_memory(Place /*at*/, std::uint32_t /*bytes*/, std::uint32_t /*tag*/) override {}
    void deregister_memory(std::uint32_t /*area*/, std::uint32_t /*tag*/) override {}
    void stream_send(Place /*from*/, std::uint32_t /*bytes*/) override {}
    void stream_receive(Place /*to*/, std::uint32_t /*most*/) override {}
    void stream_close() override {}
    void copy(Place /*to*/, Place /*from*/, std::uint32_t /*bytes*/, std::uint32_t /*of*/) override {}
    void touch(Place /*at*/, std::uint32_t /*bytes*/) override {}
    void call() override {}
    void system_call() override {}
    void work(Time /*cost*/) override {}
    void set_up(Time /*cost*/) override {}
    void then(std::uint32_t /*tag*/) override {}
    void after(Time /*time*/, std::uint32_t /*tag*/) override {}
    void wake(std::uint32_t /*shared*/, std::uint32_t /*tag*/) override {}
    applications::Remote remote(Place /*at*/) override { return {}; }
    void produce(Place /*at*/, std::uint32_t /*bytes*/, std::uint32_t /*operation*/) override {}
    void mark(std::uint32_t /*operation*/, unsigned /*part*/) override {}
    void check(Place /*at*/, std::uint32_t /*bytes*/, std::uint32_t /*operation*/) override {}
    void violates(const std::string& /*what*/) override {}
    void ended(std::uint32_t /*operation*/, applications::Outcome /*outcome*/) override {}

  private:
    std::array<std::vector<std::uint8_t>, 3> areas_{std::vector<std::uint8_t>(64), std::vector<std::uint8_t>(1 << 16),
                                                    std::vector<std::uint8_t>(OwnAt::kBytes)};
};

TEST_CASE("a question that comes before its sender has heard the one before is answered, too", "[bridge]") {
    NtsSettings settings;
    settings.slot = 1 << 10;
    settings.ring = 16 << 10;
    const RingProgram program(settings.shape(), settings.rules());
    Partition alone;
    alone.members.push_back({});
    RingWriter writer(settings, program, alone);
    OnlyStores actions;
    const auto asks = [&](std::uint64_t number) {
        boost::endian::store_little_u64(actions.memory({kRing, program.shape.asked_at()}, kWord).data(),
                                        word_of(Said::going_down, number));
    };
    writer.start(actions);
    writer.send(0, 0, 8, actions);
    asks(1);
    writer.asked(actions);   // it is busy
    asks(2);                 // it will be told of that
    writer.stored(actions);  // now it hears the first
    writer.stored(actions);  // its answer is there
    writer.asked(actions);
    REQUIRE(actions.words.size() == 3);
    CHECK(actions.words[1].word == word_of(Said::stopped, 1));
    CHECK(actions.words[2].word == word_of(Said::stopped, 2));
    CHECK(actions.words[2].at == program.shape.answered_at());
}

}  // namespace
}  // namespace rnicsim::nts
