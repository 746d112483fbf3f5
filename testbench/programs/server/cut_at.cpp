// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/cut_at.h"

#include <fmt/format.h>

namespace rnicsim::programs {
namespace {

constexpr std::size_t kMostLies = 5;  // that are said one by one

}  // namespace

void CutAt::message(const CutMessage& message) {
    const bool whole = message.safe < at_, told = message.told_persisted < at_;
    come_ += message.first < at_ ? 1 : 0;
    whole_ += whole ? 1 : 0;
    told_ += told ? 1 : 0;
    if (!told || whole) return;
    ++lies_;
    if (lied_.size() < kMostLies) lied_.push_back(message);
}

std::vector<std::string> CutAt::in_words(const CutMessages& messages, const HostNames& names) const {
    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "of {} WRITEs that have come {} survive whole, {} in part; {} were told durable, of which {} are lost; lost "
        "bytes: {} in the iio, {} in the llc, {} in the imc",
        come_, whole_, row_.of(CutState::torn), told_, lies_, row_.iio_bytes, row_.llc_bytes, row_.imc_bytes));
    for (const CutMessage& lie : lied_)
        lines.push_back(fmt::format("{}, told durable at {} ps, is lost",
                                    programs::in_words(messages.info(lie.id), names), lie.told_persisted.ps));
    if (lies_ > lied_.size()) lines.push_back(fmt::format("and {} more", lies_ - lied_.size()));
    return lines;
}

}  // namespace rnicsim::programs
