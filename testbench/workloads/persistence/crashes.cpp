// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/crashes.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace rnicsim {
namespace {

std::string encoded(const CrashLeft& left) {
    std::ostringstream text;
    text << left.at.ps << ' ' << left.posted << ' ' << left.told << ' ' << left.durable << ' ' << left.torn << ' '
         << left.wrong;
    return text.str();
}

CrashLeft decoded(const std::string& text) {
    CrashLeft left;
    std::istringstream(text) >> left.at.ps >> left.posted >> left.told >> left.durable >> left.torn >> left.wrong;
    return left;
}

}  // namespace

Time Crashes::next_copy() const {
    if (is_copy_ || made_ == crash_.at.size()) return kEndOfTime;
    const Time at = crash_.at[made_];
    return at > crash_.lead ? at - crash_.lead : Time{};
}

void Crashes::make_copies(Time now, const std::function<CrashLeft()>& rest) {
    while (next_copy() <= now) {
        if (running_.size() >= std::max(crash_.jobs, 1U)) collect();
        const Time at = crash_.at[made_];
        running_.emplace_back([&] {
            is_copy_ = true;
            host_.crash_at(at);
            CrashLeft left = rest();
            left.at = at;
            return encoded(left);
        });
        ++made_;
    }
}

void Crashes::collect() {
    left_.push_back(decoded(running_.front().wait()));
    running_.pop_front();
    if (crash_.on_copy) crash_.on_copy();
}

std::vector<CrashLeft> Crashes::finish(const CrashLeft& end) {
    while (!running_.empty()) collect();
    for (; made_ < crash_.at.size(); ++made_) {
        left_.push_back(end);
        left_.back().at = crash_.at[made_];
    }
    return std::move(left_);
}

}  // namespace rnicsim
