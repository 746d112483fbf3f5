// SPDX-License-Identifier: Apache-2.0
// Several who hear what programs call.
#pragma once

#include "testbench/programs/server/call_observer.h"

#include <vector>

namespace rnicsim::programs {

class CallObservers final : public CallObserver {
  public:
    /// Not owned; each hears all from then on.
    void add(CallObserver& observer) { all_.push_back(&observer); }
    /// Itself, or null where nobody would hear anything.
    [[nodiscard]] CallObserver* any() { return all_.empty() ? nullptr : this; }

    void begins(const Program& program) override {
        for (CallObserver* one : all_) one->begins(program);
    }
    void told(const Program& program, const Asked& asked, const Posts& posts, Time ends) override {
        for (CallObserver* one : all_) one->told(program, asked, posts, ends);
    }
    void answered(const Program& program, const Asked& asked, int error, std::span<const std::byte> answer,
                  Time ends) override {
        for (CallObserver* one : all_) one->answered(program, asked, error, answer, ends);
    }
    void registered(const Program& program, std::uint32_t key, const Registration& as) override {
        for (CallObserver* one : all_) one->registered(program, key, as);
    }
    void modified(const Program& program, const rc::Qp& qp, rc::QpState before) override {
        for (CallObserver* one : all_) one->modified(program, qp, before);
    }
    void posted(const Program& program, const rc::Qp& qp, std::uint32_t index, const rc::SendWqe& wqe) override {
        for (CallObserver* one : all_) one->posted(program, qp, index, wqe);
    }
    void taken(const Program& program, const rc::Completion& completion, Time now) override {
        for (CallObserver* one : all_) one->taken(program, completion, now);
    }

  private:
    std::vector<CallObserver*> all_;
};

}  // namespace rnicsim::programs
