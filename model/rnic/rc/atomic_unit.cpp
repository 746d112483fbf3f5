// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/atomic_unit.h"

#include "model/rnic/rc/dma.h"

#include <boost/endian/conversion.hpp>

namespace rnicsim::rc {

void AtomicUnit::ask(const AtomicJob& job) {
    ++asked_;
    const std::uint64_t number = by_address_ ? job.address / kAtomicBytes : 0;
    const auto [line, made] = lines_.try_emplace(number);
    line->second.jobs.push(job);
    if (made) fresh_.push(number);
}

void AtomicUnit::run(Cycle now) {
    while (!resting_.empty() && resting_.front().end <= now) {
        const std::uint64_t line = resting_.pop_front().line;
        const auto found = lines_.find(line);
        if (found->second.jobs.empty()) {
            lines_.erase(found);
        } else {
            begin(now, line);
        }
    }
    while (!fresh_.empty()) begin(now, fresh_.pop_front());
}

Cycle AtomicUnit::next_due() const {
    if (!fresh_.empty()) return Cycle{};
    for (auto n = resting_.first(); n != resting_.end(); ++n) {
        if (!lines_.at(resting_[n].line).jobs.empty()) return resting_[n].end;
    }
    return kNever;
}

void AtomicUnit::begin(Cycle now, std::uint64_t line) {
    FrameRef staged = staging(frames_, kAtomicBytes);
    std::uint8_t* const into = staged->writable_bytes().data();
    const std::uint64_t address = lines_.at(line).jobs.front().address;
    pcie_.read(now, address, kAtomicBytes, dma_purpose::kAtomic, {*this, into, line, std::move(staged)});
}

void AtomicUnit::read_done(Cycle now, std::uint64_t line, FrameRef frame) {
    const AtomicJob job = lines_.at(line).jobs.pop_front();
    std::uint8_t* const bytes = frame->writable_bytes().data();
    const std::uint64_t original = boost::endian::load_little_u64(bytes);
    const bool writes = !job.compare_swap || original == job.compare;
    if (writes) {
        boost::endian::store_little_u64(bytes, job.compare_swap ? job.swap_or_add : original + job.swap_or_add);
        const DmaPiece piece{job.address, bytes, kAtomicBytes, std::move(frame)};
        pcie_.write(now, {&piece, 1}, dma_purpose::kAtomic);
    }
    resting_.push({now + rest_, line});
    ++done_;
    transport_.on_atomic_done(clock_.time(now), job.qp, job.psn, original);
}

}  // namespace rnicsim::rc
