// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/persistence/line_versions.h"

#include <algorithm>

namespace rnicsim {

LineVersion* LineVersions::find(std::uint64_t number) {
    const auto found = std::ranges::lower_bound(versions_, number, {}, &LineVersion::number);
    return found != versions_.end() && found->number == number ? &*found : nullptr;
}

void LineVersions::announce(const LineWrite& write, std::uint64_t message) {
    const auto at = std::ranges::upper_bound(versions_, write.number, {}, &LineVersion::number);
    LineVersion& version = *versions_.insert(at, LineVersion{});
    version.number = write.number;
    version.message = message;
    version.mask = version.stale = version.carried = write.mask;
    version.comes_back = write.adr != kEndOfTime;
}

void LineVersions::enter_iio(std::uint64_t number) {
    LineVersion& version = *find(number);
    version.stage = WriteStage::iio;
    in_iio_.push_back(number);
    touched_.push_back(number);
}

void LineVersions::enter_llc(std::uint64_t number) {
    LineVersion& version = *find(number);
    leave_iio(number);
    version.stage = WriteStage::llc;
    version.cached = ++entries_;
    for (const ByteOwners::Part& part : llc_.parts()) {  // some of it is overwritten
        touched_.push_back(part.version);
        LineVersion* const other = find(part.version);
        if (other != nullptr && (part.mask & ~version.mask) == 0) other->replaced = !other->invalidated;
    }
    llc_.put(version.mask, number);
    touched_.push_back(number);
}

void LineVersions::enter_imc(std::uint64_t number) {
    LineVersion* const version = find(number);
    if (version == nullptr || version->stage > WriteStage::llc) return;
    if (version->stage == WriteStage::llc) {
        take_from_llc(*version);
    } else {
        leave_iio(number);
        for (const ByteOwners::Part& part : llc_.parts()) {
            touched_.push_back(part.version);
            LineVersion* const other = find(part.version);
            if (other != nullptr && (part.mask & version->mask) != 0) other->invalidated = true;
        }
        llc_.remove(version->mask);  // a write past the LLC invalidates its copy
    }
    version->stage = WriteStage::imc;
    version->carrier = number;
    if (survives(WriteStage::imc, domain_)) memory_.put(version->mask, number);
    touched_.push_back(number);
}

/// What came into the LLC before it is in the same copy, as far as it is not overwritten, and goes with it. The copy
/// stays, the same as what the iMC has now.
void LineVersions::take_from_llc(const LineVersion& named) {
    for (LineVersion& other : versions_) {
        if (other.stage != WriteStage::llc || other.cached >= named.cached) continue;
        other.stage = WriteStage::imc;
        other.carried = llc_.of(other.number);
        other.carrier = named.number;
        if (survives(WriteStage::imc, domain_)) memory_.put(other.carried, other.number);
        touched_.push_back(other.number);
    }
}

void LineVersions::enter_scm(std::uint64_t number) {
    for (LineVersion& version : versions_) {
        if (version.stage != WriteStage::imc || version.carrier != number) continue;
        version.stage = WriteStage::scm;
        memory_.put(version.carried, version.number);
        touched_.push_back(version.number);
    }
}

std::uint64_t LineVersions::volatile_bytes(const LineVersion& version) const {
    if (survives(version.stage, domain_)) return 0;
    switch (version.stage) {
        case WriteStage::iio: return version.stale;
        case WriteStage::llc: return version.stale & llc_.of(version.number);
        case WriteStage::imc: return version.stale & version.carried;
        case WriteStage::nowhere:
        case WriteStage::scm: break;
    }
    return 0;
}

void LineVersions::update_content() {
    ByteOwners now = memory_;
    if (survives(WriteStage::llc, domain_)) {
        for (const ByteOwners::Part& part : llc_.parts()) now.put(part.mask, part.version);
    }
    if (survives(WriteStage::iio, domain_)) {
        for (const std::uint64_t number : in_iio_) now.put(find(number)->mask, number);
    }
    std::uint64_t known = 0;
    for (const ByteOwners::Part& was : content_.parts()) known |= was.mask;
    for (const ByteOwners::Part& is : now.parts()) {
        content_changes(is.mask & ~known, 0, is.version);
        for (const ByteOwners::Part& was : content_.parts())
            content_changes(is.mask & was.mask, was.version, is.version);
    }
    content_ = std::move(now);
}

/// Which versions' bytes were older than they are, or have become it: those between the two contents.
void LineVersions::content_changes(std::uint64_t bytes, std::uint64_t from, std::uint64_t to) {
    if (bytes == 0 || from == to) return;
    auto at = std::ranges::upper_bound(versions_, std::min(from, to), {}, &LineVersion::number);
    for (; at != versions_.end() && at->number <= std::max(from, to); ++at) {
        if (to > from) {
            at->stale &= ~bytes;
        } else {
            at->stale |= at->mask & bytes;
        }
        touched_.push_back(at->number);
    }
}

void LineVersions::clear() {
    versions_.clear();
    in_iio_.clear();
    llc_.clear();
    memory_.clear();
    content_.clear();
    entries_ = 0;
    touched_.clear();
}

}  // namespace rnicsim
