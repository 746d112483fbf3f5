// SPDX-License-Identifier: Apache-2.0
// What is on its way up several links into the IIOs of a host: it comes in the order of arrival, whoever was put on a
// link first. What would arrive at the same time comes in the order of the ports.
//
// An IIO without a place stops a link, as it does where there is only one: the TLP waits at the device, all TLPs behind
// it wait, and go on one behind the other from then on. The device hears of it with the next TLP that it puts on the
// link; what is on its way already has left it too early.
#pragma once

#include "model/host/persistence/iio_stage.h"
#include "model/rnic/common/config.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/ring.h"
#include "tlm/time/clock.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rnicsim {

/// A link into a host: its parameters, and the clock at whose edges TLPs arrive: the device's.
struct IioLink {
    PcieConfig pcie;
    Clock clock;
};

class IioArrivals {
  public:
    /// `stages`: each port's, not owned; one that several ports share is there several times.
    struct Into {
        IioStage* stage = nullptr;
        std::size_t of = 0;  ///< the port's number there
    };
    IioArrivals(std::span<const IioLink> links, std::span<const Into> stages);

    [[nodiscard]] PostedBuffer& port(std::size_t number) { return *ports_[number]; }
    /// All that arrives by `now`, this included, comes.
    void settle(Time now);
    /// The first that has not; kEndOfTime: there is none.
    [[nodiscard]] Time next() const;

  private:
    struct Tlp {
        enum class Kind : std::uint8_t { write, interrupt, read } kind = Kind::write;
        Time arrives;  // if nothing stops it
        std::uint64_t address = 0;
        std::uint32_t bytes = 0, link_bytes = 0;
        TlpAttributes attributes;
    };
    class Port final : public PostedBuffer {
      public:
        Port(IioArrivals& all, const IioLink& link, const Into& into);
        Taken write(Time arrives, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes) override;
        Taken interrupt(Time arrives, TlpAttributes attributes) override;
        Time read_may_start(Time arrives, TlpAttributes attributes, std::uint32_t link_bytes) override;
        Arrived arrived(Time now, std::uint32_t told) override;

        /// kEndOfTime: none.
        [[nodiscard]] Time next() const { return waiting_.empty() ? kEndOfTime : arrival(waiting_.front()); }
        /// Precondition: there is one.
        void come();

      private:
        void put(const Tlp& tlp);
        [[nodiscard]] Time sent(const Tlp& tlp) const { return stopped_ + direction_.length(tlp.link_bytes); }
        [[nodiscard]] Time behind_all(Time arrives) const;
        [[nodiscard]] Time arrival(const Tlp& tlp) const;

        IioArrivals& all_;
        const Into into_;
        const Clock clock_;
        const Time latency_;
        const PcieDirection direction_;
        Ring<Tlp> waiting_;
        Time waiting_lengths_;        // on the link
        Time stopped_ = kNotStopped;  // what follows leaves the device from then on
        Ring<Arrived> come_;          // and have not been asked for
        Arrived last_;                // of those that have
        std::uint32_t asked_for_ = 0;
        static constexpr Time kNotStopped{};
    };

    std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace rnicsim
