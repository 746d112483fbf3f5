// SPDX-License-Identifier: Apache-2.0
// The congestion control of one QP: what it is told, and how fast and how much the QP may send. Plain C++ without
// SystemC: time is passed in, nothing outside is reached, and a copy goes on from the same state by itself.
//
// Each hook has a default that ignores what it tells, so an algorithm overrides those that it needs.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace rnicsim::rc {

inline constexpr std::int64_t kNoRateLimit = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kNoWindow = std::numeric_limits<std::int64_t>::max();

/// How the sender has learned that packets are lost.
enum class Loss : std::uint8_t {
    nak,   ///< a NAK, or an answer that shows a gap
    timer  ///< nothing came until the timer of V-R8 expired
};

class CongestionControl {
  public:
    CongestionControl() = default;
    virtual ~CongestionControl() = default;
    [[nodiscard]] virtual std::unique_ptr<CongestionControl> copy() const = 0;

    /// A request or READ response of the QP leaves. `bytes`: on the wire, with preamble and gap.
    virtual void on_sent(Time /*now*/, std::uint32_t /*bytes*/) {}
    /// With Traits::hears_acks: so many bytes of payload have been acknowledged (may be 0). `round_trip`: of the packet
    /// that the ACK names; nothing where that was sent more than once, or the answer is no ACK (V-D8). An ACK
    /// may be of `ack_interval` packets; of a QP with a window each packet asks for one (V-D7).
    virtual void on_ack(Time /*now*/, std::optional<Time> /*round_trip*/, std::uint32_t /*bytes*/) {}
    /// With Traits::hears_marks: a CNP has come.
    virtual void on_cnp(Time /*now*/) {}
    /// With Traits::hears_losses: packets are lost, and will be sent again; told once for each try that this costs
    /// (V-R9).
    virtual void on_loss(Time /*now*/, Loss /*kind*/) {}

    /// When the QP may send more, or sooner, though nothing comes: the card then calls on_timer(). kEndOfTime: never. A
    /// timer that can wait until the next packet leaves or the next hook is called needs no deadline.
    [[nodiscard]] virtual Time next_deadline() const { return kEndOfTime; }
    /// Timers run up to now; next_deadline() is behind it then. Also called before each packet of a QP with a rate.
    virtual void on_timer(Time /*now*/) {}

    /// bit/s, counted as on_sent() counts bytes; more than 0. kNoRateLimit: as fast as the port.
    [[nodiscard]] virtual std::int64_t rate() const { return kNoRateLimit; }
    /// Bytes of payload of requests that may be sent and not acknowledged; kNoWindow: the PSNs' alone counts (V-R4).
    /// Either always or never kNoWindow, and needs Traits::hears_acks.
    [[nodiscard]] virtual std::int64_t window() const { return kNoWindow; }

  protected:
    CongestionControl(const CongestionControl&) = default;
    CongestionControl(CongestionControl&&) = default;
    CongestionControl& operator=(const CongestionControl&) = default;
    CongestionControl& operator=(CongestionControl&&) = default;
};

/// A control, or none, as a value.
class AnyControl {
  public:
    AnyControl() = default;
    explicit AnyControl(std::unique_ptr<CongestionControl> of) : of_(std::move(of)) {}
    AnyControl(const AnyControl& other) : of_(other.of_ ? other.of_->copy() : nullptr) {}
    AnyControl(AnyControl&&) noexcept = default;
    AnyControl& operator=(const AnyControl& other) {
        if (this != &other) of_ = other.of_ ? other.of_->copy() : nullptr;
        return *this;
    }
    AnyControl& operator=(AnyControl&&) noexcept = default;
    ~AnyControl() = default;

    [[nodiscard]] explicit operator bool() const { return of_ != nullptr; }
    /// Precondition of both: there is one.
    [[nodiscard]] CongestionControl* operator->() { return of_.get(); }
    [[nodiscard]] const CongestionControl* operator->() const { return of_.get(); }

  private:
    std::unique_ptr<CongestionControl> of_;
};

}  // namespace rnicsim::rc
