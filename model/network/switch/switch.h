// SPDX-License-Identifier: Apache-2.0
// A switch: gives the decisions of SwitchLogic their time. One process; in one instant what has left makes room first,
// then come the frames that arrive, by port, and then the ports that send, by port.
#pragma once

#include "model/network/switch/switch_logic.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/ring.h"
#include "tlm/taps.h"
#include "tlm/wakeup.h"

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

namespace rnicsim {

class Switch : public sc_core::sc_module {
  public:
    struct Environment {
        FramePool& frames;
        RandomSource random;
        unsigned number = 0;           ///< of the switch
        unsigned node = 0;             ///< its number for the observer
        Observer* observer = nullptr;  ///< not owned; nullptr = none
    };
    Switch(sc_core::sc_module_name name, const SwitchConfig& config, const SwitchLogic::Ports& ports,
           const Environment& environment);

    class Port : public sc_core::sc_module, public FrameTransport {
      public:
        /// `due`: where it says when the switch has to look at it.
        Port(sc_core::sc_module_name name, const MacTiming& timing, bool cut_through, Wakeup& wakeup, Time& due)
            : sc_module(name), timing_(timing), cut_through_(cut_through), wakeup_(wakeup), due_(due) {
            in.bind(*this);
        }

        FrameIn in{"in"};
        FrameOut out{"out"};

        /// A frame from the wire; it is looked at when its last byte has arrived, or its header.
        void put(FrameRef frame, Time end) override;

      private:
        friend class Switch;
        struct Arriving {
            FrameRef frame;
            Time end;
        };
        void plan();

        const MacTiming timing_;
        const bool cut_through_;
        Wakeup& wakeup_;
        Ring<Arriving> arriving_;  // in the order of `end`
        Time& due_;                // when the first one is looked at
        bool stored_ = false;      // it has been looked at, and did not go through at once
    };

    [[nodiscard]] Port& port(std::size_t number) { return ports_.at(number); }
    [[nodiscard]] const SwitchLogic& logic() const { return logic_; }
    /// Frames on the wire to this port.
    [[nodiscard]] std::size_t arriving(std::size_t port) const { return ports_.at(port).arriving_.size(); }
    /// The logic, with everything that has left by now.
    [[nodiscard]] SwitchLogic& settled();
    [[nodiscard]] bool idle() const;
    [[nodiscard]] std::uint64_t activations() const { return wakeup_.activations(); }

  private:
    void wake();
    void take_arrivals(Port& port, std::size_t number, Time now);
    void forward(FrameRef frame, Time now, SwitchLogic::Arrival& arrival);
    void carry_out(const SwitchLogic::Verdict& verdict, FrameRef frame, std::uint32_t handle, Time now);
    void send(const SwitchLogic::Departure& departure);
    [[nodiscard]] SwitchLogic::Arrival arrival(std::size_t port, const Frame& frame) const;
    std::uint32_t keep(FrameRef frame);
    FrameRef take(std::uint32_t handle);

    SwitchLogic logic_;
    const bool queues_;  // frames wait here until the logic says when they begin
    const bool learns_;
    Environment environment_;
    Wakeup wakeup_;
    std::vector<Time> due_;  // by port: when it has to be looked at; together, as all are asked at each wake-up
    std::deque<Port> ports_;
    std::vector<FrameRef> kept_;         // by handle
    std::vector<std::uint32_t> unused_;  // handles
};

}  // namespace rnicsim
