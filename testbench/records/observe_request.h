// SPDX-License-Identifier: Apache-2.0
// What is to be observed of a run, as files.
#pragma once

#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rnicsim {

/// Of --pcap-at.
inline constexpr std::array<std::string_view, 3> kCaptureAtNames{"sent", "received", "both"};

/// An empty name: no such file.
struct ObserveRequest {
    enum class At : std::uint8_t { sent, received, both };
    std::string capture;  ///< .pcapng: the frames on the wire
    At capture_at = At::sent;
    bool tlps = false;   ///< ... and the DMA transactions
    std::string events;  ///< .csv or .jsonl: every event
    std::string trace;   ///< .json: a time line in Chrome's trace format
    std::string series;  ///< .csv: rates of links and fill of switches over time
    Time series_interval = kMicrosecond * 10;
    std::string signals;         ///< .vcd: the state of tables, timers and buffers
    std::string recording;       ///< .run: every event, for `rnicsim explain --recorded`
    std::string tape;            ///< .tape: what went wrong, to be played again; always of the whole run
    Time from, to = kEndOfTime;  ///< events that take effect at `from` or later and before `to`

    /// Are events to be observed?
    [[nodiscard]] bool of_events() const {
        return !(capture.empty() && events.empty() && trace.empty() && series.empty() && signals.empty() &&
                 recording.empty());
    }
    [[nodiscard]] bool any() const { return of_events() || !tape.empty(); }
};

}  // namespace rnicsim
