// SPDX-License-Identifier: Apache-2.0
// What became of the frames of each stream: how long a block took for them, against what its manifest promises.
#pragma once

#include "model/rtl/port_check.h"
#include "model/rtl/stream_pins.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace rnicsim {

class Latencies {
  public:
    /// Throws RtlFault if a strict `check` finds it outside of what is promised; not where streams pause: `judged`.
    void add(Cycle now, const char* stream, std::int64_t cycles, const StreamPromise& promise, const PortCheck& check,
             bool judged) {
        ++counts_[cycles];
        if (!judged || !check.strict() || (promise.least <= cycles && cycles <= promise.most)) return;
        check.fault(now, stream,
                    "the latency of this frame is " + std::to_string(cycles) + " cycles, its manifest says " +
                        std::to_string(promise.least) + " .. " + std::to_string(promise.most));
    }

    /// How many frames took so many cycles.
    [[nodiscard]] const std::map<std::int64_t, std::uint64_t>& counts() const { return counts_; }

  private:
    std::map<std::int64_t, std::uint64_t> counts_;
};

/// A frame that has gone through a block.
struct Transaction {
    Time at;  ///< in the block's time: it was offered; of a MAC's rx, its last byte was on the wire
    std::span<const std::uint8_t> in;
    bool bad = false;                   ///< tuser came with it
    std::span<const std::uint8_t> out;  ///< empty: it did not come out, or as a bad one
    std::int64_t latency = 0;           ///< cycles, of one that came out
};

/// What a run's streams report, by "a.gmac.tx". Exists before the run's blocks and for longer than they do.
class StreamReports {
  public:
    using Listener = std::function<void(const std::string& stream, const Transaction&)>;

    class Stream {
      public:
        Latencies latencies;
        void tell(const Transaction& transaction) const {
            if (reports_ != nullptr && reports_->listener_) reports_->listener_(name_, transaction);
        }

      private:
        friend class StreamReports;
        const StreamReports* reports_ = nullptr;
        std::string name_;
    };

    /// `listener`: hears of each frame; empty: nobody does.
    explicit StreamReports(Listener listener = {}) : listener_(std::move(listener)) {}

    Stream& of(const std::string& end, const std::string& stream) {
        Stream& one = all_[end + "." + stream];
        one.reports_ = this;
        one.name_ = end + "." + stream;
        return one;
    }
    [[nodiscard]] const std::map<std::string, Stream>& all() const { return all_; }

  private:
    Listener listener_;
    std::map<std::string, Stream> all_;  // its elements stay where they are
};

}  // namespace rnicsim
