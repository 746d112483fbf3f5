// SPDX-License-Identifier: Apache-2.0
// Judges the receive WQEs that the QPs of a host share, and their buffers: each serves one message of one QP, in the
// order in which they were posted (V-I2, V-I3, V-I7). Whose message it was tells its completion.
#pragma once

#include "testbench/workloads/messages/shared_receives.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class SharedLanding {
  public:
    /// `reliable`: all QPs are. Of UC a receive WQE that was taken in vain serves again, from its start; with
    /// `begins_anew` (go_back_0) so does that of a message that has lost a packet.
    SharedLanding(const VerbsLayout::Buffer& buffer, bool reliable, bool begins_anew)
        : buffer_(buffer), reliable_(reliable), begins_anew_(begins_anew || !reliable), slots_(buffer.slots) {}

    // They return what is wrong, or nothing.
    std::string posted(std::uint32_t slot);
    std::string placed(std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// At the end, if no QP has failed: none was passed over.
    [[nodiscard]] std::string at_rest() const;

    struct Ended {
        std::uint64_t address = 0;
        std::uint32_t placed = 0;  ///< bytes
    };
    /// A receive has ended; nothing: it was not posted, or has ended before.
    std::optional<Ended> ended(std::uint32_t index);
    [[nodiscard]] bool reliable() const { return reliable_; }
    /// Did what was placed last bring more of its message than there has been so far?
    [[nodiscard]] bool progressed() const { return progressed_; }

  private:
    struct Slot {
        bool posted = false;
        std::uint32_t index = 0;   // of its receive WQE
        std::uint32_t placed = 0;  // bytes
        std::uint32_t most = 0;    // ... before it began anew
    };
    VerbsLayout::Buffer buffer_;
    bool reliable_, begins_anew_;
    bool progressed_ = false;
    std::vector<Slot> slots_;
    PostedSlots posted_;
    std::uint32_t next_index_ = 0;
    std::uint32_t begun_ = 0;  // behind the last one whose buffer was begun
};

}  // namespace rnicsim
