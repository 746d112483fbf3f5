// SPDX-License-Identifier: Apache-2.0
// responder_psn beside the model: any request against any word of its QP, with and without stalls; and in a card, where
// the port that is wrong is named.
#include "Vresponder_psn.h"
#include "model/rtl/psn_rtl.h"
#include "testbench/tests/cosim/faulty_blocks.h"

#include <deque>
#include <random>
#include <string>

namespace rnicsim {
namespace {

using rc::PsnRequest, rc::PsnWord, roce::Psn;

struct Question {
    PsnWord word;
    PsnRequest request;
    bool repeats = false;
};

/// Numbers are near each other, half of 2^24 away, or anything; near the end of the numbers as often as not.
class Questions {
  public:
    explicit Questions(std::uint32_t seed) : random_(seed) {}
    std::uint32_t of(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    Question draw() {
        Question q;
        q.word.expected = {of(2) == 0 ? of(Psn::kMask + 1) : (Psn::kMask - 2 + of(5)) & Psn::kMask};
        q.word.begun = q.word.expected - (of(8) == 0 ? of(1U << 23U) : of(6));
        q.word.in_message = of(3) != 0;
        q.word.told = of(2) == 0;
        q.request = {near(of(4) == 0 ? q.word.begun : q.word.expected), of(2) == 0, of(2) == 0,
                     1 + of(of(2) == 0 ? 4 : 1U << 22U)};
        q.repeats = of(2) == 0;
        return q;
    }

  private:
    Psn near(Psn psn) {
        switch (of(5)) {
            case 0: return psn;
            case 1: return psn + of(4);
            case 2: return psn - of(4);
            case 3: return psn + ((1U << 23U) - 2 + of(5));
            default: return {of(Psn::kMask + 1)};
        }
    }
    std::mt19937 random_;
};

template <typename Module>
void live(std::uint32_t seed, int questions) {
    const PsnRtl<Module> block({});
    Questions draws(seed);
    for (int i = 0; i < questions; ++i) {
        const Question q = draws.draw();
        const rc::PsnVerdict found = block.judge(q.word, q.request, q.repeats);
        if (found != rc::kPsnModel.judge(q.word, q.request, q.repeats)) throw RtlFault("another verdict");
    }
}

TEST_CASE("responder_psn: a question at a time, equal to the model", "[cosim]") {
    CHECK(fault_of([] { live<Vresponder_psn>(1, 200'000); }) == "nothing");
}

TEST_CASE("responder_psn: a request a cycle, none lost or changed whatever stalls, two cycles without", "[cosim]") {
    const PortCheck check("responder_psn", "rtl", {});
    for (const std::uint32_t ready_of_16 : {16U, 12U, 3U}) {
        Clocked<Vresponder_psn> rtl("responder_psn");
        Questions draws(ready_of_16);
        std::deque<std::pair<Question, int>> under_way;
        Question next = draws.draw();
        int verdicts = 0;
        for (int cycle = 0; cycle < 20'000; ++cycle) {
            const bool offers = ready_of_16 == 16 || draws.of(4) != 0;
            show_psn(*rtl, next.word, next.request, next.repeats);
            rtl->request_valid_i = offers;
            rtl->verdict_ready_i = draws.of(16) < ready_of_16;
            rtl.settle();
            if (rtl->verdict_valid_o != 0) {
                REQUIRE_FALSE(under_way.empty());
                const auto& [q, since] = under_way.front();
                if (ready_of_16 == 16) REQUIRE(cycle == since + 2);
                hold_psn(check, Cycle{cycle}, *rtl, rc::kPsnModel.judge(q.word, q.request, q.repeats));
                if (rtl->verdict_ready_i != 0) {
                    under_way.pop_front();
                    ++verdicts;
                }
            }
            if (offers && rtl->request_ready_o != 0) {
                under_way.emplace_back(next, cycle);
                next = draws.draw();
            }
            REQUIRE(under_way.size() <= 2);
            rtl.tick();
        }
        CHECK(verdicts > (ready_of_16 == 16 ? 19'990 : 2'000));
    }
}

TEST_CASE("responder_psn of a card: the port that is wrong is named", "[cosim]") {
    const auto check = []<auto Port>(const char* port) {
        const std::string said = fault_of([] { live<WrongOutput<Vresponder_psn, Port, kInverted>>(1, 100); });
        INFO(said);
        CHECK(said.find("responder_psn (rtl): " + std::string(port) + " is ") != std::string::npos);
    };
    RNICSIM_CHECK(request_ready_o);
    RNICSIM_CHECK(verdict_valid_o);
    RNICSIM_CHECK(verdict_expected_o);
    RNICSIM_CHECK(verdict_duplicate_o);
    RNICSIM_CHECK(verdict_gap_o);
    RNICSIM_CHECK(verdict_told_o);
    RNICSIM_CHECK(restarts_o);
    RNICSIM_CHECK(expected_o);
    RNICSIM_CHECK(in_message_o);
    RNICSIM_CHECK(executed_expected_o);
    RNICSIM_CHECK(executed_begun_o);
    RNICSIM_CHECK(executed_in_message_o);
}

}  // namespace
}  // namespace rnicsim
