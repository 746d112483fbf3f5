// SPDX-License-Identifier: Apache-2.0
// A card that answers: it sends each frame back to where it came from, a while after its last bit has come.
#pragma once

#include "model/end_system.h"
#include "model/keys/fields.h"
#include "model/rnic/common/fields.h"
#include "tlm/ethernet/frame_socket.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <systemc>
#include <utility>

namespace rnicsim {

class EchoConfig final : public EndConfig {
  public:
    std::int64_t mtu = 1500;       ///< largest MAC client data, bytes
    Time delay = kNanosecond * 8;  ///< from a frame's last bit until it may begin again

    [[nodiscard]] std::string_view personality() const override { return "echo"; }
    [[nodiscard]] std::unique_ptr<EndConfig> copy() const override { return std::make_unique<EchoConfig>(*this); }
    [[nodiscard]] std::size_t largest_frame() const override {
        return static_cast<std::size_t>(mtu) + kEthernetHeaderBytes + kFcsBytes;
    }
};

inline Fields<EchoConfig> echo_fields() {
    Fields<EchoConfig> mac("system.rnic.gmac"), own("system.rnic.echo");
    declare_mtu(mac, &EchoConfig::mtu);
    own.picoseconds("delay", &EchoConfig::delay, Time{}, kMillisecond,
                    "from the last bit of a frame until the card may send it back", "a test's own");
    const auto whole = [](auto& config) -> auto& { return config; };
    own.part<EchoConfig>(whole, mac);
    return own;
}

class EchoEnd final : public EndSystem, public FrameTransport {
  public:
    EchoEnd(sc_core::sc_module_name name, const Environment& environment)
        : EndSystem(name),
          host_(environment.host),
          config_(environment.run.hosts.at(environment.host).as<EchoConfig>()),
          timing_(environment.link),
          frames_(environment.frames),
          observer_(environment.observer),
          wakeup_("wakeup") {
        in.bind(*this);
        SC_HAS_PROCESS(EchoEnd);
        SC_METHOD(wake);
        wakeup_.wakes(sensitive);
        dont_initialize();
    }

    FrameIn in{"in"};
    FrameOut out{"out"};
    [[nodiscard]] FrameOut& wire_out() override { return out; }
    [[nodiscard]] FrameIn& wire_in() override { return in; }
    [[nodiscard]] bool idle() const override { return waiting_.empty(); }
    [[nodiscard]] std::uint64_t activations() const override { return wakeup_.activations(); }

    /// Each frame received is answered, damaged, or waits.
    struct Counters {
        std::uint64_t answered = 0, rx_bad_fcs = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }
    [[nodiscard]] std::uint64_t waiting() const { return waiting_.size(); }

    void put(FrameRef frame, Time end) override {
        if (!frame->fcs_good()) {
            ++counters_.rx_bad_fcs;
            return;
        }
        waiting_.push_back({std::move(frame), end + config_.delay});
        wakeup_.at(std::max(free_at_, waiting_.front().ready));
    }

  private:
    struct Waiting {
        FrameRef frame;
        Time ready;
    };
    void wake() {
        const Time now = wakeup_.woke();
        if (!waiting_.empty() && std::max(free_at_, waiting_.front().ready) <= now) answer(now);
        wakeup_.sleep_until(waiting_.empty() ? kEndOfTime : std::max(free_at_, waiting_.front().ready));
    }
    /// The addresses change places; so do those of IP, whose checksum stays as it is.
    void answer(Time now) {
        FrameRef frame = frames_.copy(*waiting_.front().frame);
        waiting_.pop_front();
        const std::span<std::uint8_t> bytes = frame->writable_bytes();
        std::swap_ranges(bytes.begin(), bytes.begin() + 6, bytes.begin() + 6);
        std::swap_ranges(bytes.begin() + 26, bytes.begin() + 30, bytes.begin() + 30);
        frame->seal();
        const Time end = now + timing_.serialisation(frame->length());
        free_at_ = end + timing_.gap();
        ++counters_.answered;
        if (observer_ != nullptr) observer_->frame_sent(host_, *frame, end);
        out->put(std::move(frame), end);
    }

    const unsigned host_;
    const EchoConfig config_;
    const MacTiming timing_;
    FramePool& frames_;
    Observer* const observer_;
    std::deque<Waiting> waiting_;
    Time free_at_;  // the wire, behind the gap
    Wakeup wakeup_;
    Counters counters_;
};

}  // namespace rnicsim
