// SPDX-License-Identifier: Apache-2.0
// The part of the LLC that devices may fill, as far as it matters here: which lines it has, and who wrote them. When
// something happens is the caller's business.
#pragma once

#include "model/host/persistence/config.h"
#include "model/random.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rnicsim {

class LastLevelCache {
  public:
    /// `host`: for draws of its own.
    LastLevelCache(const LlcConfig& config, const RandomSource& random, unsigned host);

    /// A write that has come into a line since that was written back.
    struct Version {
        std::uint64_t number = 0;
        Time enters;
        std::uint64_t mask = 0;
    };
    /// What goes to the iMC when the line is written back.
    struct Dirty {
        std::uint64_t number = 0;  ///< the newest; older ones go with it
        Time entered;
        std::uint64_t mask = 0;
    };
    struct Copy {
        std::uint64_t line = 0;
        bool scm = false;
        std::vector<Version> versions;  // not written back, by time

        /// All that it has, or will have. Nothing: it is clean.
        [[nodiscard]] std::optional<Dirty> dirty() const;
    };

    [[nodiscard]] const Copy* find(std::uint64_t line) const;
    /// Who has to leave before this line can come in; nullptr: nobody.
    [[nodiscard]] const Copy* victim(std::uint64_t line) const;
    /// Does nobody have to leave, whichever lines so many are?
    [[nodiscard]] bool has_room(std::size_t lines) const { return lines <= capacity_ - ways_.size(); }
    /// Of a line that has left: precondition: it is there.
    void remove(std::uint64_t line);
    /// Of an eviction: the next one draws anew.
    void evict(std::uint64_t line) {
        ++evictions_;
        remove(line);
    }
    /// Precondition: nobody has to leave. Nothing is written back before `now` any more.
    void write(std::uint64_t line, bool scm, const Version& version, Time now);
    /// The line is written back at `now` and stays: what it had by then.
    std::optional<Dirty> clean(std::uint64_t line, Time now);

    [[nodiscard]] std::size_t lines() const { return where_.size(); }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
    struct Way {
        Copy copy;
        std::uint32_t older = kNone, newer = kNone;  // by last use
    };
    void unlink(std::uint32_t way);
    void use(std::uint32_t way);

    const Eviction evict_;
    const std::size_t capacity_;  // lines
    const RandomSource random_;
    const unsigned host_;
    std::vector<Way> ways_;  // all in use
    std::unordered_map<std::uint64_t, std::uint32_t> where_;
    std::uint32_t oldest_ = kNone, newest_ = kNone;
    std::uint64_t evictions_ = 0;
};

}  // namespace rnicsim
