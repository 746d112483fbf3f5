// The MAC in Verilog behind MacEngine: frames become GMII bytes and back. Both halves are ticked in bursts, a frame
// each.
#pragma once

#include "model/rtl/clocked.h"

#include <algorithm>
#include <array>

namespace rnicsim {

template <typename Tx, typename Rx>
class GmacRtl final : public MacEngine {
  public:
    Sent send(Frame& frame, Cycle now) override {
        if (!tx_->ready_o) throw RtlFault("gmac_tx (Verilog): not ready for a frame that may be handed over");
        tx_.at(now);
        const std::span<const std::uint8_t> given = without_padding(frame);
        std::size_t taken = 0;
        std::size_t sent = 0;  // preamble included
        Sent result{kNever, kNever};
        tx_->start_i = 1;
        Patience patience("gmac_tx", "a frame does not end");
        for (Cycle cycle = now;; cycle += Cycle{1}) {
            if (tx_->gmii_tx_en_o != 0) {
                put_on_wire(sent++, tx_->gmii_txd_o);
                if (result.end != kNever) throw RtlFault("gmac_tx (Verilog): a hole in a frame");
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
            patience.tick();
        }
        take_from_wire(frame, sent);
        return result;
    }

    Received receive(Frame& frame, Cycle due) override {
        rx_.at(due - Cycle{static_cast<std::int64_t>(kPreambleAndSfdBytes + frame.length())});
        Patience patience("gmac_rx", "a frame gets no verdict");
        std::size_t out = 0;
        const auto cycle = [&](bool valid, std::uint8_t byte) {
            rx_->gmii_rx_dv_i = valid;
            rx_->gmii_rxd_i = byte;
            rx_.tick();
            if (rx_->valid_o != 0 && out < bytes_.size()) bytes_[out++] = rx_->data_o;
        };
        for (std::size_t i = 0; i + 1 < kPreambleAndSfdBytes; ++i) cycle(true, kPreamble);
        cycle(true, kSfd);
        for (const std::uint8_t byte : std::as_const(frame).bytes()) cycle(true, byte);
        Received result{Verdict::good, due};
        while (rx_->end_o == 0) {
            cycle(false, 0);
            result.at += Cycle{1};
            patience.tick();
        }
        if (rx_->good_o == 0) {
            result.verdict = rx_->runt_o != 0       ? Verdict::runt
                             : rx_->oversize_o != 0 ? Verdict::oversize
                                                    : Verdict::bad_fcs;
        } else {
            // What goes on is what came out; the FCS stays where it is.
            frame.truncate(out + kFcsBytes);
            std::copy_n(bytes_.begin(), out, frame.bytes().begin());
        }
        cycle(false, 0);  // the verdict goes away
        return result;
    }

  private:
    static constexpr std::uint8_t kPreamble = 0x55;
    static constexpr std::uint8_t kSfd = 0xD5;

    /// What the MAC is given: padding is its own business. It is zeros, so zeros at the end of the shortest frame may
    /// go.
    static std::span<const std::uint8_t> without_padding(const Frame& frame) {
        std::size_t bytes = frame.length() - kFcsBytes;
        if (frame.length() == kMinFrameBytes) {
            while (bytes > kEthernetHeaderBytes && frame.bytes()[bytes - 1] == 0) --bytes;
        }
        return frame.bytes().first(bytes);
    }

    void put_on_wire(std::size_t place, std::uint8_t byte) {
        const bool preamble = place < kPreambleAndSfdBytes;
        if (preamble && byte != (place + 1 == kPreambleAndSfdBytes ? kSfd : kPreamble)) {
            throw RtlFault("gmac_tx (Verilog): no preamble before a frame");
        }
        if (!preamble && place - kPreambleAndSfdBytes < bytes_.size()) bytes_[place - kPreambleAndSfdBytes] = byte;
    }
    void take_from_wire(Frame& frame, std::size_t sent) {
        const std::size_t length = std::min(sent - std::min(sent, std::size_t{kPreambleAndSfdBytes}), bytes_.size());
        frame.truncate(length);
        std::copy_n(bytes_.begin(), length, frame.bytes().begin());
    }

    Clocked<Tx> tx_{"gmac_tx"};
    Clocked<Rx> rx_{"gmac_rx"};
    std::array<std::uint8_t, 1536> bytes_{};
};

}  // namespace rnicsim
