// Point-to-point full-duplex link: propagation delay and loss by frame. Serialisation is the transmitting MAC's: the
// link is a wire, it carries what the MAC puts on it, when it puts it there.
#pragma once

#include "model/link/config.h"
#include "model/link/frame_identity.h"
#include "model/random.h"
#include "tlm/frame_socket.h"
#include "tlm/taps.h"

#include <array>
#include <cstdint>
#include <systemc>

namespace rnicsim {

class LossyLink : public sc_core::sc_module {
  public:
    /// One direction of the wire.
    class Lane : public sc_core::sc_module, public FrameTransport {
      public:
        Lane(sc_core::sc_module_name name, unsigned from_end, const LinkConfig& config, const RandomSource& random,
             Observer* observer = nullptr);

        FrameIn in{"in"};
        FrameOut out{"out"};

        void put(FrameRef frame, Cycle due) override;

        [[nodiscard]] std::uint64_t carried() const { return carried_; }
        [[nodiscard]] std::uint64_t lost() const { return lost_; }

      private:
        const unsigned from_end_;
        const LinkConfig config_;
        const RandomSource random_;
        Observer* const observer_;  // not owned
        FrameIdentity identity_;
        std::uint64_t carried_ = 0;
        std::uint64_t lost_ = 0;
    };

    /// `observer`: not owned; nullptr = nobody looks.
    LossyLink(sc_core::sc_module_name name, const LinkConfig& config, const RandomSource& random,
              Observer* observer = nullptr);

    Lane a_to_b;
    Lane b_to_a;
};

}  // namespace rnicsim
