// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/verbs_message.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace rnicsim {
namespace {

/// Eight bytes of a message; no two messages of a run have the same at one place.
constexpr std::uint64_t word(std::uint64_t of, std::uint64_t index) {
    return of * 0x9E37'79B9'7F4A'7C15 + index * 0xD6E8'FEB8'6659'FD93 + 0x0102'0304'0506'0708;
}

/// Atomics have eight bytes whatever the item says.
std::uint32_t bytes_of(rc::Verb verb, std::uint32_t bytes) { return rc::is_atomic(verb) ? rc::kAtomicBytes : bytes; }

}  // namespace

MessageKinds::MessageKinds(const TrafficConfig& item, const RandomSource& random, std::uint64_t item_number,
                           std::uint64_t connection)
    : item_(&item),
      random_(random),
      item_number_(item_number),
      connection_(connection),
      drawn_(!item.verbs.mix.empty() || !item.verbs.sizes.empty()),
      all_{item.verbs.operation, bytes_of(item.verbs.operation, item.size)} {}

MessageKind MessageKinds::draw(std::uint32_t message) const {
    const auto below = [&](RandomStream stream, std::uint64_t limit) {
        return static_cast<std::uint64_t>(random_.uniform(stream, item_number_, connection_, message) *
                                          static_cast<double>(limit));
    };
    MessageKind kind{item_->verbs.operation, item_->size};
    if (!item_->verbs.mix.empty()) {
        std::uint64_t at = below(RandomStream::message_verb, 1'000'000);
        const auto share = std::ranges::find_if(item_->verbs.mix, [&](const VerbsTraffic::Share& one) {
            if (at < one.parts) return true;
            at -= one.parts;
            return false;
        });
        kind.verb = share->verb;
    }
    const std::vector<std::uint32_t>& sizes = item_->verbs.sizes;
    if (!sizes.empty()) kind.bytes = sizes[below(RandomStream::message_size, sizes.size())];
    kind.bytes = bytes_of(kind.verb, kind.bytes);
    return kind;
}

std::uint32_t receive_bytes(const TrafficConfig& item) {
    return item.size + (item.verbs.service == roce::Service::datagram ? rc::kGrhBytes : 0);
}

// Whole words first, in loops that a compiler makes wide; then the bytes that are left.

void fill(std::span<std::uint8_t> bytes, std::uint64_t key) {
    const std::size_t words = bytes.size() / 8;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t value = boost::endian::native_to_little(word(key, i));
        std::memcpy(bytes.data() + 8 * i, &value, 8);
    }
    const std::uint64_t last = boost::endian::native_to_little(word(key, words));
    std::memcpy(bytes.data() + 8 * words, &last, bytes.size() % 8);
}

bool is_filled(std::span<const std::uint8_t> bytes, std::uint64_t key, std::uint64_t offset) {
    for (; offset % 8 != 0 && !bytes.empty(); ++offset, bytes = bytes.subspan(1)) {
        if (bytes.front() != static_cast<std::uint8_t>(word(key, offset / 8) >> offset % 8 * 8)) return false;
    }
    const std::size_t words = bytes.size() / 8;
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t found = 0;
        std::memcpy(&found, bytes.data() + 8 * i, 8);
        wrong |= found ^ boost::endian::native_to_little(word(key, offset / 8 + i));
    }
    const std::uint64_t last = boost::endian::native_to_little(word(key, offset / 8 + words));
    return wrong == 0 && std::memcmp(bytes.data() + 8 * words, &last, bytes.size() % 8) == 0;
}

}  // namespace rnicsim
