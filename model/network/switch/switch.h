// A switch: gives the decisions of SwitchLogic their time. One process; of frames that arrive at the same time that of
// the lowest port comes first, and what has left by then has made room.
#pragma once

#include "model/network/switch/switch_logic.h"
#include "tlm/frame_socket.h"
#include "tlm/inbox.h"
#include "tlm/taps.h"
#include "tlm/wakeup.h"

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

namespace rnicsim {

class Switch : public sc_core::sc_module {
  public:
    /// `node`: its number for the observer, which is not owned; nullptr = none.
    Switch(sc_core::sc_module_name name, const SwitchConfig& config, const std::vector<MacTiming>& ports,
           const std::vector<std::size_t>& routes, unsigned node, Observer* observer);

    class Port : public sc_core::sc_module, public FrameTransport {
      public:
        Port(sc_core::sc_module_name name, Wakeup& wakeup) : sc_module(name), wakeup_(wakeup) { in.bind(*this); }

        FrameIn in{"in"};
        FrameOut out{"out"};

        /// A frame from the wire; it is looked at when its last byte has arrived.
        void put(FrameRef frame, Time end) override {
            arriving_.push_back({std::move(frame), end});
            wakeup_.at(arriving_.front().end);
        }

      private:
        friend class Switch;
        struct Arriving {
            FrameRef frame;
            Time end;
        };
        Wakeup& wakeup_;
        std::deque<Arriving> arriving_;  // in the order of `end`
    };

    [[nodiscard]] Port& port(std::size_t number) { return ports_.at(number); }
    [[nodiscard]] const SwitchLogic& logic() const { return logic_; }
    /// Frames on the wire to this port.
    [[nodiscard]] std::size_t arriving(std::size_t port) const { return ports_.at(port).arriving_.size(); }
    /// The logic, with everything that has left by now.
    [[nodiscard]] const SwitchLogic& settled();
    [[nodiscard]] bool idle() const;
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  private:
    void wake();
    void forward(std::size_t port, FrameRef frame, Time now);

    SwitchLogic logic_;
    const unsigned node_;
    Observer* const observer_;
    Wakeup wakeup_;
    std::deque<Port> ports_;
};

}  // namespace rnicsim
