// SPDX-License-Identifier: Apache-2.0
// Hears what programs call and what comes of it. Nobody has to: where there is none, nothing is told.
#pragma once

#include "model/rnic/rc/qp.h"
#include "model/rnic/rc/verbs.h"
#include "testbench/programs/server/objects.h"
#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rnicsim::programs {

/// A request on its way: what it asks for, and who asks.
struct Asked {
    Op op{};
    std::uint16_t thread = 0;  ///< of the program, from 0
    std::uint32_t object = 0;  ///< the first number behind its header: of most requests the handle that they are about
    std::uint8_t state = 0;    ///< modify_qp: that the QP is to go to, as ibv_qp_state; kNoState: it stays
    Time begins;
};
inline constexpr std::uint8_t kNoState = 255;

class CallObserver {
  public:
    virtual ~CallObserver() = default;
    virtual void begins(const Program& program) = 0;
    /// A call that has no answer is carried out; what it posts follows. `posts`: of those that post.
    virtual void told(const Program& program, const Asked& asked, const Posts& posts, Time ends) = 0;
    /// One that has an answer has it. `answer`: what stands behind its header.
    virtual void answered(const Program& program, const Asked& asked, int error, std::span<const std::byte> answer,
                          Time ends) = 0;
    /// The card knows this memory, or knows it anew.
    virtual void registered(const Program& program, std::uint32_t key, const Registration& as) = 0;
    /// A QP has been modified.
    virtual void modified(const Program& program, const rc::Qp& qp, rc::QpState before) = 0;
    /// This program's QP has a work request more; `index`: of its send queue.
    virtual void posted(const Program& program, const rc::Qp& qp, std::uint32_t index, const rc::SendWqe& wqe) = 0;
    /// It has taken this completion.
    virtual void taken(const Program& program, const rc::Completion& completion, Time now) = 0;
};

}  // namespace rnicsim::programs
