// SPDX-License-Identifier: Apache-2.0
// The MAC in Verilog behind MacEngine: frames become GMII bytes and back. Both halves are ticked in bursts, a frame
// each. All that is promised of their ports (rtl/README.md) follows from the frame and the cycle, and is looked at in
// every cycle.
#pragma once

#include "model/rtl/clocked.h"
#include "model/rtl/mac_frames.h"
#include "model/rtl/port_check.h"

#include <algorithm>
#include <array>

namespace rnicsim {

template <typename Tx, typename Rx>
class GmacRtl final : public MacEngine {
  public:
    /// Names: whose module each half is.
    GmacRtl(const char* tx, const char* rx, const BlockPlace& place)
        : tx_("gmac_tx", place),
          rx_("gmac_rx", place),
          tx_check_("gmac_tx", tx, place),
          rx_check_("gmac_rx", rx, place) {}

    Sent send(Frame& frame, Cycle now) override {
        tx_.pass(now, [this](Cycle idle) { look_at_idle_tx(idle); });
        tx_check_.require(now, "ready_o", tx_->ready_o, 1, "a frame may be handed over");
        frame.seal();
        const std::span<const std::uint8_t> given = without_padding(frame);
        std::size_t taken = 0;
        std::size_t sent = 0;  // preamble included
        Sent result{kNever, kNever};
        tx_->start_i = 1;
        Watchdog watchdog(tx_check_, "ready_o", "a frame does not end");
        for (Cycle cycle = now;; cycle += Cycle{1}) {
            look_at_tx(cycle, (cycle - now).n, frame, given.size());
            if (tx_->gmii_tx_en_o != 0) {
                put_on_wire(cycle, sent++, tx_->gmii_txd_o);
                if (result.end != kNever) tx_check_.fault(cycle, "gmii_tx_en_o", "a hole in a frame");
            } else if (sent != 0 && result.end == kNever) {
                result.end = cycle;
            }
            if (result.end != kNever && tx_->ready_o != 0) {
                result.ready_at = cycle;
                break;
            }
            if (tx_->take_o != 0) {
                tx_->data_i = taken < given.size() ? given[taken] : 0;
                tx_->last_i = taken + 1 >= given.size();
                ++taken;
            }
            tx_.settle();
            tx_.tick();
            tx_->start_i = 0;
            watchdog.tick(cycle);
        }
        take_from_wire(frame, sent);
        return result;
    }

    Received receive(Frame& frame, Cycle due) override {
        const Cycle begin = due - Cycle{kPreambleAndSfdBytes + static_cast<std::int64_t>(frame.length())};
        rx_.pass(begin, [this](Cycle idle) { look_at_idle_rx(idle); });
        Watchdog watchdog(rx_check_, "end_o", "a frame gets no verdict");
        const Verdict expected = verdict_of(frame);
        std::size_t out = 0;
        std::int64_t since = 0;  // its first byte was on the wire
        const auto cycle = [&](bool valid, std::uint8_t byte) {
            rx_->gmii_rx_dv_i = valid;
            rx_->gmii_rxd_i = byte;
            rx_.tick();
            ++since;
            look_at_rx(begin + Cycle{since}, since, frame, expected);
            if (rx_->valid_o != 0 && out < bytes_.size()) bytes_[out++] = rx_->data_o;
        };
        for (std::int64_t i = 0; i + 1 < kPreambleAndSfdBytes; ++i) cycle(true, kPreambleByte);
        cycle(true, kSfdByte);
        for (const std::uint8_t byte : std::as_const(frame).bytes()) cycle(true, byte);
        Received result{Verdict::good, due};
        while (rx_->end_o == 0) {
            cycle(false, 0);
            result.at += Cycle{1};
            watchdog.tick(begin + Cycle{since});
        }
        const bool good = rx_->good_o != 0;
        if (!good) {
            result.verdict = rx_->runt_o != 0       ? Verdict::runt
                             : rx_->oversize_o != 0 ? Verdict::oversize
                                                    : Verdict::bad_fcs;
        }
        cycle(false, 0);  // the verdict goes away
        if (good) {
            // What goes on is what came out; the FCS stays where it is.
            frame.truncate(out + kFcsBytes);
            std::copy_n(bytes_.begin(), out, frame.writable_bytes().begin());
        }
        return result;
    }

  private:
    // rtl/README.md, from the cycle of start_i, or of the first byte on the wire.
    static constexpr std::int64_t kFirstOut = 4;
    static constexpr std::int64_t kFirstTaken = 11;
    static constexpr std::int64_t kReadyAgain = 20;  // and a cycle a byte
    static constexpr std::int64_t kByteDelay = 5;
    static constexpr std::int64_t kVerdictDelay = 3;
    static constexpr std::int64_t kMostClientBytes = kMaxFrameBytes - kFcsBytes;

    void look_at_idle_tx(Cycle now) const {
        tx_check_.expect(now, "ready_o", tx_->ready_o, 1, "ready until the next frame");
        tx_check_.expect(now, "take_o", tx_->take_o, 0, "no frame is in hand");
        tx_check_.expect(now, "gmii_tx_en_o", tx_->gmii_tx_en_o, 0, "no frame is in hand");
    }
    /// `since`: the cycle with start_i. `given`: bytes that it is handed.
    void look_at_tx(Cycle now, std::int64_t since, const Frame& frame, std::size_t given) const {
        const auto length = static_cast<std::int64_t>(frame.length());
        const std::int64_t place = since - kFirstOut;  // on the wire
        const bool sends = place >= 0 && place < kPreambleAndSfdBytes + length;
        tx_check_.expect(now, "ready_o", tx_->ready_o, since == 0 || since >= kReadyAgain + length,
                         "again at t + 20 + L after the start of a frame of L bytes at t");
        tx_check_.expect(now, "take_o", tx_->take_o,
                         since >= kFirstTaken && since < kFirstTaken + static_cast<std::int64_t>(given),
                         "from t + 11 on, a byte a cycle until the one with last_i");
        tx_check_.expect(now, "gmii_tx_en_o", tx_->gmii_tx_en_o, sends,
                         "from t + 4 on preamble, SFD and the frame, a byte a cycle");
        if (sends) {
            tx_check_.expect(now, "gmii_txd_o", tx_->gmii_txd_o,
                             place < kPreambleAndSfdBytes
                                 ? preamble(static_cast<std::size_t>(place))
                                 : frame.bytes()[static_cast<std::size_t>(place - kPreambleAndSfdBytes)],
                             "preamble, SFD, the bytes given, zeros up to 60, FCS");
        }
    }

    void look_at_idle_rx(Cycle now) const {
        rx_check_.expect(now, "valid_o", rx_->valid_o, 0, "no frame on the wire");
        rx_check_.expect(now, "end_o", rx_->end_o, 0, "no frame on the wire");
    }
    /// `since`: the first byte of the preamble was on the wire.
    void look_at_rx(Cycle now, std::int64_t since, const Frame& frame, Verdict expected) const {
        const auto length = static_cast<std::int64_t>(frame.length());
        const std::int64_t place = since - kPreambleAndSfdBytes - kByteDelay;
        if (place < kMostClientBytes) {  // of a frame that is too long, nobody wants the rest
            const bool byte = place >= 0 && place < length - static_cast<std::int64_t>(kFcsBytes);
            rx_check_.expect(now, "valid_o", rx_->valid_o, byte, "each byte but the FCS 5 cycles after the wire");
            if (byte) {
                rx_check_.expect(now, "first_o", rx_->first_o, place == 0, "with the first byte of the frame");
                rx_check_.expect(now, "data_o", rx_->data_o, frame.bytes()[static_cast<std::size_t>(place)],
                                 "the byte on the wire 5 cycles before");
            }
        }
        const bool end = since == kPreambleAndSfdBytes - 1 + length + kVerdictDelay;
        rx_check_.expect(now, "end_o", rx_->end_o, end, "3 cycles after the last byte of the FCS");
        if (!end) return;
        rx_check_.expect(now, "good_o", rx_->good_o, expected == Verdict::good, kVerdict);
        rx_check_.expect(now, "runt_o", rx_->runt_o, expected == Verdict::runt, kVerdict);
        rx_check_.expect(now, "oversize_o", rx_->oversize_o, expected == Verdict::oversize, kVerdict);
        rx_check_.expect(now, "bad_fcs_o", rx_->bad_fcs_o, expected == Verdict::bad_fcs, kVerdict);
    }
    static constexpr const char* kVerdict = "the first that holds of runt, oversize, bad FCS; else good";

    void put_on_wire(Cycle now, std::size_t place, std::uint8_t byte) {
        if (place < kPreambleAndSfdBytes) {
            tx_check_.require(now, "gmii_txd_o", byte, preamble(place), "a preamble before a frame");
        } else if (place - kPreambleAndSfdBytes < bytes_.size()) {
            bytes_[place - kPreambleAndSfdBytes] = byte;
        }
    }
    void take_from_wire(Frame& frame, std::size_t sent) {
        const std::size_t length = std::min(sent - std::min(sent, std::size_t{kPreambleAndSfdBytes}), bytes_.size());
        frame.truncate(length);
        std::copy_n(bytes_.begin(), length, frame.writable_bytes().begin());
    }

    // As the wrapper, not the module, is constant where ports are looked at.
    mutable Clocked<Tx> tx_;
    mutable Clocked<Rx> rx_;
    PortCheck tx_check_, rx_check_;
    std::array<std::uint8_t, 1536> bytes_{};
};

}  // namespace rnicsim
