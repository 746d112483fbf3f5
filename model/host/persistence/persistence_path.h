// SPDX-License-Identifier: Apache-2.0
// The way of a device's writes from PCIe into storage class memory: IIO, LLC or not, the iMC's write queue, SCM. It
// books times; the bytes are in the host's memory (README.md).
#pragma once

#include "model/host/persistence/cache_and_medium.h"
#include "model/host/persistence/config.h"
#include "model/host/persistence/held_bytes_target.h"
#include "model/host/persistence/iio_arrivals.h"
#include "model/host/persistence/iio_stage.h"
#include "model/host/persistence/line_observer.h"
#include "model/random.h"
#include "tlm/pcie/posted_buffer.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rnicsim {

/// Of a host with several root ports.
enum class IioSharing : std::uint8_t { by_port, shared };

/// Of a host with one device it is that device's PostedBuffer.
class PersistencePath final : public PostedBuffer {
  public:
    /// `random`, `host`: for the draws of random evictions.
    explicit PersistencePath(const PersistenceConfig& config, const RandomSource& random = {}, unsigned host = 0);
    /// Of a host with several devices, each with its PostedBuffer (port()): at least two links, in the order of the
    /// root ports. Each port has an IIO as `config` says, or all have one.
    PersistencePath(const PersistenceConfig& config, const RandomSource& random, unsigned host,
                    std::span<const IioLink> links, IioSharing sharing);

    /// Precondition: several devices.
    [[nodiscard]] PostedBuffer& port(std::size_t number) { return arrivals_->port(number); }

    /// What lies there is SCM's; all else is DRAM's.
    void add_scm(std::uint64_t address, std::uint64_t bytes) { rest_.add_scm(address, bytes); }
    [[nodiscard]] bool is_scm(std::uint64_t address) const { return rest_.is_scm(address); }
    /// Not owned; nullptr = none.
    void set_observer(LineObserver* observer) { rest_.set_observer(observer); }
    void set_held_bytes_target(HeldBytesTarget* target);

    // PostedBuffer: of the only device.
    Taken write(Time arrives, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes) override {
        assert(!arrivals_);
        return iio_.write(0, arrives, address, bytes, attributes);
    }
    Taken interrupt(Time arrives, TlpAttributes attributes) override { return iio_.interrupt(0, arrives, attributes); }
    Time read_may_start(Time arrives, TlpAttributes attributes, std::uint32_t /*link_bytes*/ = 0) override {
        return iio_.read_may_start(0, arrives, attributes);
    }
    /// Nobody asks.
    Arrived arrived(Time now, std::uint32_t /*told*/) override { return {now, {}, 0}; }

    /// When the write up to line `number` has left the IIO that was not known to leave it when it was taken. If it is
    /// not known yet, kEndOfTime, and the target hears of these bytes later. To be asked once, in the order of the
    /// numbers of a port.
    Time left(std::uint64_t number, std::uint64_t address, std::uint64_t bytes) {
        return arrivals_ ? left_of_several(number, address, bytes) : iio_.left(0, number, address, bytes);
    }

    /// A read of SCM that may start at `from`: when its last byte is there. Bytes > 0.
    Time read_scm(Time from, std::uint64_t address, std::int64_t bytes) { return rest_.read_scm(from, address, bytes); }
    /// Do writes go to the memory's controller at once?
    [[nodiscard]] bool passes_llc(TlpAttributes attributes) const { return rest_.passes_llc(attributes); }

    /// A processor flushes these lines from the LLC (CLWB, then a fence): when it may go on, as the last one has
    /// entered the iMC's queue. What has arrived by `now` comes before it. Bytes > 0.
    Time flush(Time now, std::uint64_t address, std::uint64_t bytes) {
        settle(now);
        return rest_.flush(now, address, bytes);
    }

    /// A processor has written these lines by `now`: they are dirty in the LLC. Nobody else has done anything before.
    /// Bytes > 0.
    void store(Time now, std::uint64_t address, std::uint64_t bytes) { rest_.store(now, address, bytes); }

    /// Nothing arrives, is read or flushed before `now` any more: what is over is forgotten.
    void pass(Time now);

    /// The observer will not be told of a write that entered the IIO before this; kEndOfTime: of none.
    [[nodiscard]] Time oldest_untold() const;
    /// Is there one with at most this number?
    [[nodiscard]] bool holds(std::uint64_t up_to) const;
    /// Of what the IIO holds until it is pushed, as if it was never.
    void tell_held(LineObserver& observer) const;
    /// The run is over: the observer hears of what the IIO still holds.
    void end();

    [[nodiscard]] Domain domain() const { return domain_; }
    /// Number of the last line write that has been booked, or is held.
    [[nodiscard]] std::uint64_t last_number() const { return rest_.last_number(); }
    [[nodiscard]] std::size_t cached_lines() const { return rest_.cached_lines(); }

  private:
    void settle(Time now) {
        if (arrivals_) arrivals_->settle(now);
    }
    Time left_of_several(std::uint64_t number, std::uint64_t address, std::uint64_t bytes);

    const Domain domain_;
    CacheAndMedium rest_;
    IioStage iio_;                                 // the first port's, or that of all
    std::vector<std::unique_ptr<IioStage>> more_;  // the others'
    std::vector<IioArrivals::Into> into_;          // of several ports, by port
    std::unique_ptr<IioArrivals> arrivals_;        // nullptr: there is one port
};

}  // namespace rnicsim
