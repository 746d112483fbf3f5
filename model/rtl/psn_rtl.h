// SPDX-License-Identifier: Apache-2.0
// responder_psn behind PsnEngine: a question goes through in cycles of its own, as the decisions have no time. Its
// waveform counts those cycles.
#pragma once

#include "model/rnic/rc/psn_engine.h"
#include "model/rtl/clocked.h"
#include "model/rtl/port_check.h"

namespace rnicsim {

/// What responder_psn (rtl/rc) is asked.
template <typename Module>
void show_psn(Module& to, const rc::PsnWord& word, const rc::PsnRequest& request, bool repeats_message) {
    to.cfg_repeats_message_i = repeats_message;
    to.request_psn_i = request.psn.n;
    to.request_first_i = request.first;
    to.request_last_i = request.last;
    to.request_packets_i = request.packets & roce::Psn::kMask;
    to.word_expected_i = word.expected.n;
    to.word_begun_i = word.begun.n;
    to.word_in_message_i = word.in_message;
    to.word_told_i = word.told;
}

/// What it has to answer: each port is named that differs.
template <typename Module>
void hold_psn(const PortCheck& check, Cycle now, const Module& of, const rc::PsnVerdict& expected) {
    const auto place = [&](const char* port, std::uint64_t found, rc::PsnPlace of_port) {
        check.expect(now, port, found, expected.place == of_port, "where the request stands");
    };
    place("verdict_expected_o", of.verdict_expected_o, rc::PsnPlace::expected);
    place("verdict_duplicate_o", of.verdict_duplicate_o, rc::PsnPlace::duplicate);
    place("verdict_gap_o", of.verdict_gap_o, rc::PsnPlace::gap);
    place("verdict_told_o", of.verdict_told_o, rc::PsnPlace::told);
    check.expect(now, "restarts_o", of.restarts_o, expected.restarts, "whether the message is given up");
    check.expect(now, "expected_o", of.expected_o, expected.now.expected.n, "the word as it is");
    check.expect(now, "in_message_o", of.in_message_o, expected.now.in_message, "the word as it is");
    check.expect(now, "executed_expected_o", of.executed_expected_o, expected.executed.expected.n, "the word then");
    check.expect(now, "executed_begun_o", of.executed_begun_o, expected.executed.begun.n, "the word then");
    check.expect(now, "executed_in_message_o", of.executed_in_message_o, expected.executed.in_message, "the word then");
}

template <typename Module>
class PsnRtl final : public rc::PsnEngine {
  public:
    /// In a strict place each answer is held to the model's.
    explicit PsnRtl(const BlockPlace& place)
        : module_("responder_psn", place, kClock), check_("responder_psn", "rtl", place, kClock) {
        module_->verdict_ready_i = 1;
        module_.settle();
    }

    [[nodiscard]] rc::PsnVerdict judge(const rc::PsnWord& word, const rc::PsnRequest& request,
                                       bool repeats_message) const override {
        show_psn(*module_, word, request, repeats_message);
        module_->request_valid_i = 1;
        module_.settle();
        check_.require(now_, "request_ready_o", module_->request_ready_o, 1, "nothing is under way");
        tick();
        module_->request_valid_i = 0;
        module_.settle();
        check_.expect(now_, "verdict_valid_o", module_->verdict_valid_o, 0, "in the second cycle");
        tick();
        check_.require(now_, "verdict_valid_o", module_->verdict_valid_o, 1, "in the second cycle");
        if (check_.strict()) hold_psn(check_, now_, *module_, rc::kPsnModel.judge(word, request, repeats_message));
        rc::PsnVerdict found;
        found.place = module_->verdict_expected_o != 0    ? rc::PsnPlace::expected
                      : module_->verdict_duplicate_o != 0 ? rc::PsnPlace::duplicate
                      : module_->verdict_gap_o != 0       ? rc::PsnPlace::gap
                                                          : rc::PsnPlace::told;
        found.restarts = module_->restarts_o != 0;
        found.now = {{module_->expected_o}, word.begun, module_->in_message_o != 0, word.told};
        found.executed = {
            {module_->executed_expected_o}, {module_->executed_begun_o}, module_->executed_in_message_o != 0, false};
        tick();
        return found;
    }

  private:
    static constexpr Clock kClock{Time{3'100}};  // a request a cycle (rtl/README.md)

    void tick() const {
        module_.tick();
        now_ += Cycle{1};
    }

    mutable Clocked<Module> module_;  // constant for who asks: the answers do not depend on what was asked before
    PortCheck check_;
    mutable Cycle now_;
};

}  // namespace rnicsim
