#include "model/rnic/rc/atomic_unit.h"

#include "model/rnic/rc/dma.h"

#include <boost/endian/conversion.hpp>

namespace rnicsim::rc {

void AtomicUnit::run(Cycle now) {
    if (busy_ || jobs_.empty() || now < free_at_) return;
    busy_ = true;
    FrameRef staged = staging(frames_, kAtomicBytes);
    std::uint8_t* const into = staged->writable_bytes().data();
    pcie_.read(now, jobs_.front().address, kAtomicBytes, dma_purpose::kAtomic, {*this, into, 0, std::move(staged)});
}

void AtomicUnit::read_done(Cycle now, std::uint64_t /*context*/, FrameRef frame) {
    const AtomicJob job = jobs_.pop_front();
    std::uint8_t* const bytes = frame->writable_bytes().data();
    const std::uint64_t original = boost::endian::load_little_u64(bytes);
    const bool writes = !job.compare_swap || original == job.compare;
    if (writes) {
        boost::endian::store_little_u64(bytes, job.compare_swap ? job.swap_or_add : original + job.swap_or_add);
        const DmaPiece piece{job.address, bytes, kAtomicBytes, std::move(frame)};
        pcie_.write(now, {&piece, 1}, dma_purpose::kAtomic);
    }
    busy_ = false;
    free_at_ = now + rest_;
    ++done_;
    transport_.on_atomic_done(clock_.time(now), job.qp, job.psn, original);
}

}  // namespace rnicsim::rc
