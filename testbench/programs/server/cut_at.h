// SPDX-License-Identifier: Apache-2.0
// What a power cut at one instant would have left of programs' messages.
#pragma once

#include "model/host_names.h"
#include "testbench/programs/server/cut_messages.h"
#include "testbench/records/cut_report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim::programs {

class CutAt final : public CutObserver {
  public:
    explicit CutAt(Time at) : at_(at) {}

    void row(const CutRow& row) override {
        if (row.time < at_) row_ = row;
    }
    void message(const CutMessage& message) override;
    /// In words, a line each. At the end, when all has been heard.
    [[nodiscard]] std::vector<std::string> in_words(const CutMessages& messages, const HostNames& names) const;

  private:
    const Time at_;
    CutRow row_;                                     // as it is just before
    std::uint64_t come_ = 0, whole_ = 0, told_ = 0;  // messages of which a byte has come; that survive; told durable
    std::vector<CutMessage> lied_;                   // told durable, and a byte would be lost: the first ones
    std::uint64_t lies_ = 0;
};

}  // namespace rnicsim::programs
