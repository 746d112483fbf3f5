// SPDX-License-Identifier: Apache-2.0
// A point-to-point full-duplex link: propagation delay and faults of frames. Serialisation is the task of the
// transmitting MAC.
#pragma once

#include "model/faults/fault_source.h"
#include "model/network/link/config.h"
#include "model/network/link/frame_identity.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/taps.h"
#include "tlm/wakeup.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

namespace rnicsim {

class Link : public sc_core::sc_module {
  public:
    /// Shared by both directions. Not owned; `observer`: nullptr = none. `number`: of the link. `nodes`: the numbers of
    /// what it joins, by side.
    struct Environment {
        FaultSource& faults;
        FramePool& frames;
        const FrameNaming& naming;
        Observer* observer = nullptr;
        unsigned number = 0;
        std::array<unsigned, 2> nodes{0, 1};
    };

    /// One direction of the wire.
    class Lane : public sc_core::sc_module, public FrameTransport {
      public:
        SC_HAS_PROCESS(Lane);
        Lane(sc_core::sc_module_name name, unsigned from_side, const LinkConfig& config,
             const Environment& environment);

        FrameIn in{"in"};
        FrameOut out{"out"};

        void put(FrameRef frame, Time end) override;

        /// Frames. All that was taken and all copies that had room are carried, lost or held.
        struct Counters {
            std::uint64_t taken = 0, carried = 0, lost = 0, damaged = 0, copied = 0, delayed = 0, overtaken = 0,
                          held_copies = 0, dropped_copies = 0, marked = 0;
        };
        [[nodiscard]] const Counters& counters() const { return counters_; }
        [[nodiscard]] bool idle() const { return held_.empty(); }
        [[nodiscard]] std::size_t held() const { return held_.size(); }
        [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

      private:
        struct Arrival {
            Time end;  ///< of its last byte, at the other end
            FrameRef frame;
            FrameRef damaged;  ///< what arrives in its place, if it is damaged
            bool copy = false;
        };
        /// Keeps a frame that others may overtake.
        void hold(Arrival arrival);
        void release(Time until);
        void deliver(Arrival arrival);
        void carry(FrameRef frame, Time end);
        [[nodiscard]] Time behind_last(Time end, std::size_t length) const;
        [[nodiscard]] Time leaves(const Arrival& held) const;
        void wake();

        const Observer::Hop hop_;
        const MacTiming timing_;
        const Time delay_;
        const Time lateness_;
        Environment environment_;
        const std::unique_ptr<FrameIdentity> identity_;  // none if frames cannot have faults
        std::vector<Arrival> held_;                      // by arrival
        Time last_;                                      // arrival of the last frame delivered
        Time not_before_;                                // earliest arrival behind a delayed frame
        Wakeup wakeup_;
        Counters counters_;
    };

    Link(sc_core::sc_module_name name, const LinkConfig& config, const Environment& environment);

    [[nodiscard]] bool idle() const { return forth_.idle() && back_.idle(); }
    [[nodiscard]] std::uint64_t activations() const { return forth_.activations() + back_.activations(); }

    /// The direction from one side, 0 or 1, to the other.
    [[nodiscard]] Lane& from(unsigned side) { return side == 0 ? forth_ : back_; }
    [[nodiscard]] const Lane& from(unsigned side) const { return side == 0 ? forth_ : back_; }

  private:
    Lane forth_;
    Lane back_;
};

}  // namespace rnicsim
