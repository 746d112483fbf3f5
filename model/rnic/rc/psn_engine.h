// SPDX-License-Identifier: Apache-2.0
// Where a request stands in the order of its QP, and what follows for the order (V-S1, V-S2). No time.
#pragma once

#include "tlm/roce/psn.h"

#include <cstdint>

namespace rnicsim::rc {

/// What a QP keeps of the order of requests.
struct PsnWord {
    roce::Psn expected;       ///< of the next request
    roce::Psn begun;          ///< of the first packet of the message under way; go-back-0 only
    bool in_message = false;  ///< there is one
    bool told = false;        ///< the gap has had its NAK
    friend constexpr bool operator==(const PsnWord&, const PsnWord&) = default;
};
struct PsnRequest {
    roce::Psn psn;
    bool first = false, last = false;  ///< its opcode begins a message, or ends one
    std::uint32_t packets = 1;         ///< PSNs that it takes, mod 2^24: those of a READ's responses, else one
};

enum class PsnPlace : std::uint8_t {
    expected,
    duplicate,  ///< it was executed before
    gap,        ///< others are missing before it, and a NAK has to say so
    told        ///< the same, but it has been said
};
struct PsnVerdict {
    PsnPlace place = PsnPlace::expected;
    bool restarts = false;  ///< go-back-0: the message under way is given up, and comes anew from its first packet
    PsnWord now;            ///< unless it is executed; a NAK sets `told`
    PsnWord executed;       ///< when it has been
    friend constexpr bool operator==(const PsnVerdict&, const PsnVerdict&) = default;
};

class PsnEngine {
  public:
    virtual ~PsnEngine() = default;
    /// `repeats_message`: go-back-0. The same question has the same answer whenever it is asked.
    [[nodiscard]] virtual PsnVerdict judge(const PsnWord& word, const PsnRequest& request,
                                           bool repeats_message) const = 0;

  protected:
    PsnEngine() = default;
    PsnEngine(const PsnEngine&) = default;
    PsnEngine& operator=(const PsnEngine&) = default;
};

class PsnModel final : public PsnEngine {
  public:
    [[nodiscard]] PsnVerdict judge(const PsnWord& word, const PsnRequest& request,
                                   bool repeats_message) const override {
        PsnVerdict verdict;
        verdict.now = word;
        if (repeats_message && word.in_message) {
            const bool again = request.first && request.psn == word.begun;
            verdict.restarts = again || ahead(request.psn, word.expected) > 0;
        }
        if (verdict.restarts) {
            verdict.now.expected = word.begun;
            verdict.now.in_message = false;
        }
        const std::int32_t difference = ahead(request.psn, verdict.now.expected);
        if (difference < 0) {
            verdict.place = PsnPlace::duplicate;
        } else if (difference > 0) {
            verdict.place = word.told ? PsnPlace::told : PsnPlace::gap;
        }
        verdict.executed = {request.psn + request.packets, request.first ? request.psn : word.begun, !request.last,
                            false};
        return verdict;
    }
};
inline const PsnModel kPsnModel;  ///< it has no state

}  // namespace rnicsim::rc
