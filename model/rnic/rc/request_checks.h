// SPDX-License-Identifier: Apache-2.0
// Which requests a responder refuses, in this order (VERBS.md 4): opcode sequence, opcode allowed, resources, length,
// key. State and PSN come before these.
#pragma once

#include "model/rnic/rc/qp.h"
#include "model/rnic/rc/request_check_engine.h"

namespace rnicsim::rc {

RequestKind kind_of(roce::Opcode opcode);
/// It goes to the requester.
bool is_response(roce::Opcode opcode);

/// What a FLUSH is for; nothing: there is no region of its key.
std::optional<Range> flushed_range(const roce::Header& header, Pd pd, const MrTable& regions);
/// The model.
class RequestChecks final : public RequestCheckEngine {
  public:
    [[nodiscard]] Verdict check(const RequestKind& kind, const roce::Header& header, const Qp& qp,
                                const MrTable& regions) const override;
};
inline const RequestChecks kRequestChecks;  ///< it has no state

}  // namespace rnicsim::rc
