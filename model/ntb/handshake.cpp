// SPDX-License-Identifier: Apache-2.0
#include "model/ntb/handshake.h"

#include "model/ntb/registers.h"

#include <algorithm>
#include <bit>

namespace rnicsim::ntb {
namespace {

constexpr std::uint32_t kMagic = 0x4E5442U << 8U;  // "NTB", in front of the state

Handshake::State state_in(std::uint32_t word) {
    const std::uint32_t state = word - kMagic;
    return state <= static_cast<std::uint32_t>(Handshake::State::ready) ? Handshake::State{state}
                                                                        : Handshake::State::nothing;
}

}  // namespace

std::uint32_t Handshake::check_of(std::span<const std::uint32_t> words) {
    std::uint32_t check = kMagic;
    for (std::size_t i = 1; i + 1 < kWords; ++i) check = std::rotl(check, 7) ^ words[i];
    return check;
}

Handshake::Words Handshake::words() const {
    const auto half = [](std::uint64_t of, unsigned from) { return static_cast<std::uint32_t>(of >> from); };
    Words all{kMagic + static_cast<std::uint32_t>(state_),
              half(mine_.address, 0),
              half(mine_.address, 32),
              half(mine_.bytes, 0),
              half(mine_.bytes, 32),
              0};
    all.back() = check_of(all);
    return all;
}

/// Its state last: what has been said before is there by then, or lost.
std::vector<Handshake::Write> Handshake::say() const {
    constexpr std::uint32_t kWord = sizeof(std::uint32_t);
    const Words words = this->words();
    std::vector<Write> all;
    for (std::size_t i = words.size(); i-- > 0;)
        all.push_back({offset::kPeerScratchpads + i * kWord, words.at(i), kWord});
    all.push_back({offset::kDoorbells + std::uint64_t{kDoorbell} * kWord, 1, kWord});
    return all;
}

std::vector<Handshake::Write> Handshake::saw(std::span<const std::uint32_t> scratchpads) {
    const State other = state_in(scratchpads[0]), before = state_;
    std::vector<Write> all;
    if (other == State::nothing) return all;
    if (state_ == State::here && scratchpads[kWords - 1] != check_of(scratchpads)) return all;  // a part is lost
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
