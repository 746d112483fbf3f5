// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/persist_unit.h"

#include "model/rnic/rc/dma.h"

namespace rnicsim::rc {
namespace {

/// A read of no bytes takes one DW, of which none is enabled (PCIe base specification 2.2.5).
constexpr std::uint32_t kZeroLengthRead = 4;

}  // namespace

void PersistUnit::issue(Cycle now) {
    while (posted_.ready(now)) {
        static_cast<void>(posted_.pop());
        steps_.push(kPosted, step(now));
    }
    while (steps_.ready(now)) {
        const std::uint32_t what = steps_.pop();
        if (what == kPosted) {
            module_->posted();
        } else {
            module_->completed(what);
        }
    }
    while (const auto read = module_->next_read()) {
        FrameRef staged = staging(frames_, kZeroLengthRead);
        std::uint8_t* const into = staged->writable_bytes().data();
        const std::uint64_t address = read->address / kZeroLengthRead * kZeroLengthRead;
        pcie_.read(now, address, kZeroLengthRead, dma_purpose::kFlush, {*this, into, read->tag, std::move(staged)},
                   attributes_);
        ++reading_;
        ++reads_;
    }
}

bool PersistUnit::run(Cycle now) {
    issue(now);
    bool any = false;
    while (const auto durable = module_->next_pack()) {
        transport_.on_persisted(clock_.time(now), durable->qp, durable->psn, actions_);
        any = true;
    }
    return any;
}

void PersistUnit::read_done(Cycle now, std::uint64_t context, FrameRef /*frame*/) {
    --reading_;
    steps_.push(static_cast<std::uint32_t>(context), step(now));
}

}  // namespace rnicsim::rc
