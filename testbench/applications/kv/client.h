// SPDX-License-Identifier: Apache-2.0
// Who asks: commands go out as they are wanted, answers come in their order.
#pragma once

#include "testbench/applications/kv/kv_end.h"

#include <deque>
#include <memory>

namespace rnicsim::applications::kv {

/// Of a sample.
enum class Part : unsigned { client, request, server, answer };

class Client final : public KvEnd {
  public:
    using KvEnd::KvEnd;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Client>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        KvEnd::state(words);
        words.push_back(open_.size());
        words.insert(words.end(), open_.begin(), open_.end());
    }

  private:
    void asked(std::uint32_t operation, std::uint32_t bytes, Actions& actions) override;
    bool take(Actions& actions) override;
    void fails(Actions& actions) override;

    std::deque<std::uint32_t> open_;  // operations without an answer
};

}  // namespace rnicsim::applications::kv
