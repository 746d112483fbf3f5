// SPDX-License-Identifier: Apache-2.0
// What a program gives a core to do behind a bridge.
#pragma once

#include <cstdint>
#include <span>

namespace rnicsim {

struct StoreInstruction {
    enum class What : std::uint8_t {
        copy,            ///< a memory copy to there
        word,            ///< a store of 8 bytes, aligned: at once
        fence,           ///< all before it has left the core
        load,            ///< of bytes from there
        doorbell,        ///< an uncached store of 4 bytes to a register: all before it has left the core
        write_register,  ///< likewise, of 8 bytes
        read_register    ///< an uncached load from there; likewise
    } what = What::fence;
    std::uint64_t address = 0;
    std::span<const std::uint8_t> bytes{};  ///< copy: they must stay valid
    std::span<std::uint8_t> into{};         ///< loads: likewise
    std::uint64_t word = 0;                 ///< little-endian
};

}  // namespace rnicsim
