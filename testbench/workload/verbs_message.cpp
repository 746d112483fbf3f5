#include "testbench/workload/verbs_message.h"

#include <boost/endian/conversion.hpp>

#include <cstring>

namespace rnicsim {
namespace {

/// Eight bytes of a message; no two messages of a run have the same at one place.
constexpr std::uint64_t word(std::uint64_t of, std::uint64_t index) {
    return of * 0x9E37'79B9'7F4A'7C15 + index * 0xD6E8'FEB8'6659'FD93 + 0x0102'0304'0506'0708;
}

}  // namespace

std::uint32_t message_bytes(const TrafficConfig& item) {
    return rc::is_atomic(item.verbs.operation) ? rc::kAtomicBytes : item.size;
}

std::uint32_t receive_bytes(const TrafficConfig& item) {
    return item.size + (item.verbs.service == roce::Service::datagram ? rc::kGrhBytes : 0);
}

bool in_turn(const TrafficConfig& item) {
    return item.verbs.pattern == VerbsPattern::ping_pong && !rc::has_answer(item.verbs.operation);
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
