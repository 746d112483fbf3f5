// SPDX-License-Identifier: Apache-2.0
// Who answers: one command behind the other.
#pragma once

#include "testbench/applications/kv/kv_end.h"

#include <memory>

namespace rnicsim::applications::kv {

class Server final : public KvEnd {
  public:
    using KvEnd::KvEnd;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Server>(*this); }

  private:
    bool take(Actions& actions) override;
};

}  // namespace rnicsim::applications::kv
