// SPDX-License-Identifier: Apache-2.0
// The write-combining buffers of a core: stores to such memory are kept until their line is full, and leave in an order
// that the program does not decide (Intel SDM volume 3A, 11.3.1, "Buffering of Write Combining Memory Locations").
// Plain logic: who owns it says which buffer leaves, and when.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rnicsim {

/// How a line leaves that is not full.
enum class PartialLine : std::uint8_t {
    chunks,  ///< 8 aligned bytes each, in any order: what the SDM warns of
    one_tlp  ///< all at once
};
inline constexpr std::array<std::string_view, 2> kPartialLineNames{"chunks", "one_tlp"};

class WriteCombining {
  public:
    static constexpr std::uint32_t kLine = 64;  ///< bytes of a cache's line, and of a full buffer's TLP
    static constexpr std::uint32_t kChunk = 8;  ///< bytes, aligned, of what a partial buffer leaves in
    struct Config {
        std::uint32_t buffers = 10;  ///< Intel Core: the fill buffers
        std::uint32_t line = kLine;  ///< bytes, a power of two, kChunk to kLine; less in exploration
        PartialLine partial = PartialLine::chunks;
    };
    /// What goes to the port at once: bytes of one line, of which `mask` says which were stored.
    struct Piece {
        std::uint64_t address = 0;  ///< aligned to its length
        std::uint32_t bytes = 0;    ///< a chunk's or a line's
        std::uint64_t mask = 0;     ///< bit i: byte address + i
        std::array<std::uint8_t, kLine> data{};
    };
    struct Buffer {
        std::uint64_t line = 0;  ///< address of its first byte
        std::uint64_t mask = 0;  ///< bytes that are stored, and have not left
        bool leaves = false;     ///< it has been told to, or a part has: it takes no more stores
        std::array<std::uint8_t, kLine> data{};
    };
    /// What becomes of a store.
    enum class Stored : std::uint8_t {
        taken,
        no_buffer,  ///< it waits until one has left
        its_line    ///< ... until that has left whose line it is of
    };

    explicit WriteCombining(const Config& config) : config_(config) {}

    /// Of one line. Bytes of the same line merge, others take a buffer.
    Stored store(std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// In the order in which they were taken.
    [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
    [[nodiscard]] bool empty() const { return buffers_.empty(); }
    [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const {
        return address & ~std::uint64_t{config_.line - 1};
    }
    [[nodiscard]] bool is_full(const Buffer& buffer) const { return buffer.mask == full_mask(); }
    /// One that is full: it leaves at once.
    [[nodiscard]] std::optional<std::size_t> full() const;
    /// That of this address.
    [[nodiscard]] std::optional<std::size_t> find(std::uint64_t address) const;
    /// It takes no more stores from now on.
    void close(std::size_t buffer) { buffers_.at(buffer).leaves = true; }
    /// In how many pieces the buffer leaves: one if it is full, or `one_tlp`.
    [[nodiscard]] std::uint32_t pieces(std::size_t buffer) const;
    /// The n-th of them leaves, by address; with the last one the buffer is free.
    Piece take(std::size_t buffer, std::uint32_t n);

  private:
    [[nodiscard]] std::uint64_t full_mask() const { return ~std::uint64_t{0} >> (64U - config_.line); }
    [[nodiscard]] bool leaves_whole(const Buffer& buffer) const {
        return is_full(buffer) || config_.partial == PartialLine::one_tlp;  // none is full of which a part has left
    }
    [[nodiscard]] static std::uint64_t chunk_mask(std::uint32_t chunk) { return std::uint64_t{0xFF} << (8U * chunk); }

    Config config_;
    std::vector<Buffer> buffers_;
};

}  // namespace rnicsim
