// SPDX-License-Identifier: Apache-2.0
// The versions of one line on their way into the persistence domain.
//
// After a cut, what is in the iMC goes to SCM, then what the LLC holds, then what the IIO holds, as far as the domain
// has them. So a byte is what the outermost stage inside the domain has of it, and of one stage what came into it last:
// what entered the domain last, unless one overtakes another inside it.
#pragma once

#include "testbench/records/line_write.h"
#include "testbench/workloads/persistence/byte_owners.h"

#include <cstdint>
#include <vector>

namespace rnicsim {

/// A version of a line that may still be lost, or hurt one that is newer.
struct LineVersion {
    std::uint64_t number = 0;
    std::uint64_t message = 0;
    std::uint64_t mask = 0;
    std::uint64_t stale = 0;    ///< bytes whose content is older than this version
    std::uint64_t carried = 0;  ///< bytes that it, or the copy it is in, brings to the iMC
    std::uint64_t carrier = 0;  ///< the version with which it went to the iMC
    std::uint64_t cached = 0;   ///< its place in the order of entries into the LLC
    WriteStage stage = WriteStage::nowhere;
    bool replaced = false;     ///< in the LLC: newer ones have taken the place of all of it
    bool invalidated = false;  ///< ... some of it is gone in another way
    bool comes_back = false;   ///< ... it is known when the copy as it is with this version goes to the iMC

    /// As it was counted last.
    WriteStage counted_stage = WriteStage::nowhere;
    std::uint32_t counted_bytes = 0;
    bool counted_safe = false;

    [[nodiscard]] bool posted() const { return stage != WriteStage::nowhere; }
    [[nodiscard]] bool safe() const { return stale == 0; }  // of one that is posted
};

class LineVersions {
  public:
    explicit LineVersions(Domain domain) : domain_(domain) {}

    /// A version that will come. Newer ones may be known already, but have not come yet.
    void announce(const LineWrite& write, std::uint64_t message);

    /// The LLC's copy, as it was when this was the newest in it, goes to the iMC.
    void write_back(std::uint64_t number) {
        if (LineVersion* const version = find(number)) version->comes_back = true;
    }

    // It enters a stage. A version that has gone, or has left the LLC with another one, does not.
    void enter_iio(std::uint64_t number);
    void enter_llc(std::uint64_t number);
    void enter_imc(std::uint64_t number);
    void enter_scm(std::uint64_t number);

    /// After all entries of one time: what the content is now. Calls `changed` with each version that may count
    /// otherwise than before, some of them more than once.
    template <class Changed>
    void refresh(const Changed& changed) {
        update_content();
        for (const std::uint64_t number : touched_) {
            if (LineVersion* const version = find(number)) changed(*version);
        }
        touched_.clear();
    }

    /// Bytes of it that are in its stage, and that a cut would lose there.
    [[nodiscard]] std::uint64_t volatile_bytes(const LineVersion& version) const;

    /// Lets versions go that are safe and will stay so: nothing older can come any more. `gone`: called with each.
    template <class Gone>
    void let_go(const Gone& gone) {
        std::size_t n = 0;
        while (n < versions_.size() && is_settled(versions_[n])) gone(versions_[n++]);
        versions_.erase(versions_.begin(), versions_.begin() + static_cast<std::ptrdiff_t>(n));
    }

    [[nodiscard]] bool empty() const { return versions_.empty(); }
    /// As a new one, but for its room.
    void clear();
    [[nodiscard]] const std::vector<LineVersion>& versions() const { return versions_; }

  private:
    [[nodiscard]] LineVersion* find(std::uint64_t number);
    /// Of the oldest: nothing that happens to others hurts it.
    [[nodiscard]] bool is_settled(const LineVersion& version) const {
        if (!version.safe() || !survives(version.stage, domain_)) return false;
        return version.stage >= WriteStage::imc || (version.replaced && !version.comes_back);
    }
    void leave_iio(std::uint64_t number) { std::erase(in_iio_, number); }
    void take_from_llc(const LineVersion& named);
    void update_content();
    void content_changes(std::uint64_t bytes, std::uint64_t from, std::uint64_t to);

    Domain domain_;
    std::vector<LineVersion> versions_;  // by number
    std::vector<std::uint64_t> in_iio_;  // as they came
    ByteOwners llc_;
    ByteOwners memory_;   // of the iMC and SCM, or of SCM alone where the iMC is lost
    ByteOwners content_;  // what a cut would leave
    std::uint64_t entries_ = 0;
    std::vector<std::uint64_t> touched_;
};

}  // namespace rnicsim
