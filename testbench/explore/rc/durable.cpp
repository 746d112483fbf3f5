// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/rc/durable.h"

#include <algorithm>

namespace rnicsim::rc {

void Durable::send(const PostedCounts& posted) {
    while (const auto read = module_.next_read()) reads_.push_back({read->tag, posted});
}

void Durable::posted(const PostedCounts& posted) {
    module_.posted();
    send(posted);
}

bool Durable::reads(std::uint32_t tag) const { return std::ranges::find(reads_, tag, &Read::tag) != reads_.end(); }

void Durable::completed(std::uint32_t tag, const PostedCounts& posted) {
    const auto read = std::ranges::find(reads_, tag, &Read::tag);
    for (std::size_t qp = 0; qp < lasting_.size(); ++qp)
        lasting_.at(qp) = std::max(lasting_.at(qp), read->behind.at(qp));
    reads_.erase(read);
    module_.completed(tag);
    send(posted);
}

}  // namespace rnicsim::rc
