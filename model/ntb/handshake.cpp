// SPDX-License-Identifier: Apache-2.0
#include "model/ntb/handshake.h"

#include "model/ntb/registers.h"

#include <algorithm>

namespace rnicsim::ntb {
namespace {

constexpr std::uint32_t kMagic = 0x4E5442U << 8U;  // "NTB", in front of the state

Handshake::State state_in(std::uint32_t word) {
    const std::uint32_t state = word - kMagic;
    return state <= static_cast<std::uint32_t>(Handshake::State::ready) ? Handshake::State{state}
                                                                        : Handshake::State::nothing;
}

}  // namespace

/// Its state last: with it the offer stands.
std::vector<Handshake::Write> Handshake::say() const {
    constexpr std::uint32_t kWord = sizeof(std::uint32_t);
    const std::array<std::uint64_t, kWords> words{kMagic + static_cast<std::uint32_t>(state_), mine_.address,
                                                  mine_.address >> 32U, mine_.bytes, mine_.bytes >> 32U};
    std::vector<Write> all;
    for (std::size_t i = words.size(); i-- > 0;)
        all.push_back({offset::kPeerScratchpads + i * kWord, words[i] & 0xFFFF'FFFFU, kWord});
    all.push_back({offset::kDoorbells + std::uint64_t{kDoorbell} * kWord, 1, kWord});
    return all;
}

std::vector<Handshake::Write> Handshake::saw(std::span<const std::uint32_t> scratchpads) {
    const State other = state_in(scratchpads[0]), before = state_;
    std::vector<Write> all;
    if (other == State::nothing) return all;
    if (state_ == State::here) {
        const auto offered = [&](std::size_t word) {
            return std::uint64_t{scratchpads[word + 1]} << 32U | scratchpads[word];
        };
        all.push_back({offset::kXbase, offered(1), sizeof(std::uint64_t)});
        all.push_back({offset::kXlmt, window_.address + std::min(window_.bytes, offered(3)), sizeof(std::uint64_t)});
        state_ = State::open;
    }
    if (other != State::here) state_ = State::ready;
    if (state_ == before && other == State::ready) return all;
    const std::vector<Write> said = say();
    all.insert(all.end(), said.begin(), said.end());
    return all;
}

}  // namespace rnicsim::ntb
