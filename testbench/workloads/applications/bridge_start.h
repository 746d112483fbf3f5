// SPDX-License-Identifier: Apache-2.0
// A host's driver opens a window of a bridge when the run begins (B6): what the handshake writes and reads goes to the
// registers as uncached stores and loads of a core, which does nothing else meanwhile.
#pragma once

#include "model/host/verbs/verbs_host.h"
#include "model/ntb/handshake.h"
#include "model/ntb/side.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim {

class BridgeStart final : private StoreTarget {
  public:
    /// What it is called for.
    enum class Call : std::uint8_t { begin, again, over };
    class Caller {
      public:
        virtual ~Caller() = default;
        /// called() at this time.
        virtual void call_start(std::size_t bridge, Call what, Cycle at) = 0;
        /// The window of this bridge is open, and so is the other host's.
        virtual void ready(std::size_t bridge, Cycle now) = 0;
    };
    struct Init {
        std::size_t bridge = 0;  ///< its number, for the caller
        ntb::Side& side;
        VerbsHost& host;
        Thread thread{};  ///< on whose core the driver runs
        ntb::Handshake::Offer offer;
    };
    /// It begins at once. All that it refers to outlives it.
    BridgeStart(const Init& init, Caller& caller);

    void called(Call what, Cycle now);
    /// Doorbell 0 has been rung.
    void rung(Cycle now);
    /// The bridge's link is up again.
    void link_up(Cycle now) {
        if (!is_ready()) say(now);
    }
    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] bool is_ready() const { return ready_; }

  private:
    void say(Cycle now) { give(handshake_.say(), now); }
    void look(Cycle now);
    void give(std::span<const ntb::Handshake::Write> writes, Cycle now);
    void begin(std::span<const StoreInstruction> program, Cycle now);
    // StoreTarget
    void stores_over(Time began, Time at, std::uint64_t context) override;

    const std::size_t bridge_;
    ntb::Side& side_;
    VerbsHost& host_;
    const Thread thread_;
    Caller& caller_;
    ntb::Handshake handshake_;
    ntb::Handshake::Words scratchpads_{};  // as it has read them
    std::size_t read_ = 0;                 // so many; 0: the core writes, or does nothing
    bool busy_ = false;                    // the core has some of it
    bool rung_ = false, says_ = false;     // it is to look, to say it again, behind that
    bool open_ = false, ready_ = false;
};

}  // namespace rnicsim
