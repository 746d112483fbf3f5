// SPDX-License-Identifier: Apache-2.0
// Ethernet frame as in a MAC: DA, SA, type, client data, padding, FCS. Pooled and reference counted, so that the model
// never copies a frame and never allocates one twice.
#pragma once

#include "tlm/time/cycle.h"
#include "tlm/time/mac_timing.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rnicsim {

using MacAddress = std::array<std::uint8_t, 6>;

// IEEE 802.3 clause 3 and 4.4.2, bytes.
inline constexpr std::size_t kEthernetHeaderBytes = 14;
inline constexpr std::size_t kFcsBytes = 4;
inline constexpr std::size_t kMinFrameBytes = 64;    // without preamble and SFD
inline constexpr std::size_t kMaxFrameBytes = 1518;  // untagged; jumbo frames are longer
inline constexpr std::int64_t kJumboMtu = 9198;      // client data that most devices take; no standard has it
inline constexpr std::size_t kFrameRoom = 1536;      // for a frame that is a little too long, too

class FramePool;

/// Storage of one frame. `length` counts DA to FCS.
class Frame {
  public:
    /// `room`: bytes that it can hold.
    explicit Frame(std::size_t room) : bytes_(room) {}

    [[nodiscard]] std::size_t length() const { return length_; }
    /// The whole frame with its FCS. A sealed frame gets its FCS here, when it is read.
    [[nodiscard]] std::span<const std::uint8_t> bytes() const {
        write_fcs();
        return {bytes_.data(), length_};
    }
    [[nodiscard]] std::span<const std::uint8_t> without_fcs() const {
        write_trailer();
        return {bytes_.data(), length_ < kFcsBytes ? 0 : length_ - kFcsBytes};
    }
    [[nodiscard]] std::span<const std::uint8_t> client_data() const {
        write_trailer();
        return {bytes_.data() + kEthernetHeaderBytes, length_ - kEthernetHeaderBytes - kFcsBytes};
    }
    /// Its first bytes, for who does not look at the trailer and so need not have it computed: one that is due, and the
    /// FCS, are not in them. Precondition: there are so many.
    [[nodiscard]] std::span<const std::uint8_t> front(std::size_t bytes) const { return {bytes_.data(), bytes}; }
    /// The bytes for writing. A sealed frame keeps the FCS that it had.
    [[nodiscard]] std::span<std::uint8_t> writable_bytes() {
        write_fcs();
        viewed_ = nullptr;
        return {bytes_.data(), length_};
    }
    [[nodiscard]] std::span<std::uint8_t> writable_client_data() {
        return writable_bytes().subspan(kEthernetHeaderBytes, length_ - kEthernetHeaderBytes - kFcsBytes);
    }
    [[nodiscard]] std::uint16_t ether_type() const { return static_cast<std::uint16_t>(bytes_[12] << 8 | bytes_[13]); }
    [[nodiscard]] std::span<const std::uint8_t, 6> destination() const {
        return std::span<const std::uint8_t>(bytes_).first<6>();
    }
    [[nodiscard]] std::span<const std::uint8_t, 6> source() const {
        return std::span<const std::uint8_t>(bytes_).subspan<6, 6>();
    }

    /// What a protocol reads out of the frame, `View(frame)`, read once for all who ask. It is valid until the frame is
    /// written to, or another protocol's view is asked for.
    template <typename View>
    [[nodiscard]] const View& as() const {
        static_assert(std::is_trivially_copyable_v<View> && sizeof(View) <= kViewBytes && alignof(View) <= 8);
        if (viewed_ != &kViewKey<View>) {
            new (view_.data()) View(*this);
            viewed_ = &kViewKey<View>;
        }
        return *std::launder(reinterpret_cast<const View*>(view_.data()));
    }

    /// Sets the header and the length for `client_bytes` of client data, zero-padded to the Ethernet minimum.
    /// Precondition: there is room for them. The client data proper is left as it is.
    void format(const MacAddress& destination, const MacAddress& source, std::uint16_t ether_type,
                std::size_t client_bytes);

    /// For a frame that is complete from DA to the end of the client data: pads it and leaves room for the FCS.
    /// Precondition: at least 14, and there is room for them.
    void set_length_from_header(std::size_t bytes_without_fcs);

    /// Completes the frame with its FCS (CRC-32, IEEE 802.3 clause 3.2.9). It is computed only when the bytes are read:
    /// most frames go from MAC to MAC unchanged, and their FCS is known to be good.
    void seal() { fcs_due_ = true; }
    /// The same for a frame with another checksum in front of the FCS, as RoCEv2 has: `trailer` writes it into the
    /// frame without FCS, and is called when the bytes are read.
    using Trailer = void (*)(std::span<std::uint8_t> without_fcs);
    void seal(Trailer trailer) {
        trailer_ = trailer;
        fcs_due_ = true;
    }
    /// Sealed with a trailer that nobody has read since: so it is right.
    [[nodiscard]] bool trailer_due() const { return trailer_ != nullptr; }
    [[nodiscard]] bool fcs_good() const;  ///< also false for a frame shorter than an FCS

    /// Cuts the frame to this number of bytes. For tests and link faults.
    void truncate(std::size_t bytes) {
        write_fcs();
        length_ = bytes;
        viewed_ = nullptr;
    }

  private:
    friend class FramePool;
    friend class FrameRef;
    [[nodiscard]] std::uint32_t computed_fcs() const;
    void write_fcs() const {
        if (fcs_due_) compute_fcs();
    }
    void compute_fcs() const;
    void write_trailer() const {
        if (trailer_ != nullptr) compute_trailer();
    }
    void compute_trailer() const;

    mutable std::vector<std::uint8_t> bytes_;  // as large as the pool makes it; the FCS is written when it is read
    std::size_t length_ = 0;
    static constexpr std::size_t kViewBytes = 192;
    template <typename View>
    static constexpr char kViewKey = 0;  // its address tells one kind of view from another
    alignas(8) mutable std::array<std::byte, kViewBytes> view_{};
    mutable const char* viewed_ = nullptr;  // whose view is kept; nullptr = none
    mutable bool fcs_due_ = false;          // sealed, and the FCS is not written yet
    mutable Trailer trailer_ = nullptr;     // sealed, and this is not written yet; if it is due, so is the FCS
    std::uint32_t references_ = 0;
    FramePool* pool_ = nullptr;
};

/// Shared handle of a pooled frame; the last one gives it back.
class FrameRef {
  public:
    FrameRef() = default;
    FrameRef(const FrameRef& other) : frame_(other.frame_) { retain(); }
    FrameRef(FrameRef&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    FrameRef& operator=(FrameRef other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~FrameRef() { release(); }

    Frame* operator->() const { return frame_; }
    Frame& operator*() const { return *frame_; }
    explicit operator bool() const { return frame_ != nullptr; }
    /// Does somebody else have it, too? Precondition: it has a frame.
    [[nodiscard]] bool shared() const { return frame_->references_ > 1; }

  private:
    friend class FramePool;
    explicit FrameRef(Frame* frame) : frame_(frame) { retain(); }
    void retain() {
        if (frame_ != nullptr) ++frame_->references_;
    }
    void release();

    Frame* frame_ = nullptr;
};

/// All frames of one simulation. Must outlive every FrameRef.
class FramePool {
  public:
    /// `room`: bytes for each frame, at least those of the largest one of the run.
    explicit FramePool(std::size_t room = kFrameRoom) : room_(room) {}
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    FrameRef take();
    /// Another frame with the same bytes.
    FrameRef copy(const Frame& frame);
    [[nodiscard]] std::size_t in_use() const { return all_.size() - free_.size(); }

  private:
    friend class FrameRef;
    const std::size_t room_;
    std::vector<std::unique_ptr<Frame>> all_;
    std::vector<Frame*> free_;
};

inline void FrameRef::release() {
    if (frame_ != nullptr && --frame_->references_ == 0) frame_->pool_->free_.push_back(frame_);
    frame_ = nullptr;
}

/// Length of a frame with `client_bytes` of client data, DA to FCS, padded.
constexpr std::size_t frame_bytes(std::size_t client_bytes) {
    const std::size_t bytes = kEthernetHeaderBytes + client_bytes + kFcsBytes;
    return bytes < kMinFrameBytes ? kMinFrameBytes : bytes;
}

/// Cycles on a GMII (one byte a cycle) from the first preamble byte to the last FCS byte.
constexpr Cycle serialisation(std::size_t frame_length) {
    return {kPreambleAndSfdBytes + static_cast<std::int64_t>(frame_length)};
}

}  // namespace rnicsim
