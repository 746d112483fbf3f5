// SPDX-License-Identifier: Apache-2.0
// An application of plain hosts and echo cards: each initiator sends a frame every microsecond, as far
// as its wire lets it. A sample is a frame's round trip.
#pragma once

#include "model/rnic/plain/plain_end.h"
#include "testbench/records/sample_kind.h"
#include "testbench/tests/echo/echo.h"
#include "testbench/workloads/work.h"
#include "testbench/workloads/work_kind.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rnicsim {

inline constexpr std::array<std::string_view, 1> kEchoParts{"round_trip"};
inline constexpr SampleKind kEchoSample{
    .name = "echo", .parts = kEchoParts, .may_be_lost = true, .operation = [](std::uint8_t) {
        return std::string_view("echo");
    }};

inline bool is_echoed(const TrafficConfig& item) { return item.application == kEcho; }

class EchoWork final : public Work {
  public:
    explicit EchoWork(const RunConfig& config) : config_(config) {
        for (std::size_t item = 0; item < config.traffic.size(); ++item) {
            if (!is_echoed(config.traffic[item])) continue;
            for (const unsigned host : config.traffic[item].from) askers_.emplace_back(*this, host, item);
        }
    }

    [[nodiscard]] std::size_t samples() const override {
        std::size_t all = 0;
        for (const Asker& one : askers_) all += one.item().transfers;
        return all;
    }
    void record_in(std::span<Sample> samples) override {
        for (Asker& one : askers_) {
            one.samples = samples.first(one.item().transfers);
            samples = samples.subspan(one.samples.size());
        }
    }
    void attach(System& system) override {
        for (Asker& one : askers_) plain_end(system, one.host).attach(one, {one.number});
    }
    [[nodiscard]] bool ended() const override { return true; }  // its hosts are idle then, which the system says
    [[nodiscard]] Time last_progress() const override { return last_end_; }
    [[nodiscard]] std::string violation() const override { return violation_; }
    [[nodiscard]] Time last_end() const override { return last_end_; }

  private:
    struct Asker final : PlainUser {
        Asker(EchoWork& of, unsigned asks, std::size_t which) : work(of), host(asks), number(which) {}
        [[nodiscard]] const TrafficConfig& item() const { return work.config_.traffic[number]; }
        std::optional<Offer> next(std::size_t /*item*/, Time sent) override {
            if (asked == samples.size()) return std::nullopt;
            const std::vector<unsigned> to = item().responders(host);
            PlainFrame frame;
            frame.from = host;
            frame.to = to[asked % to.size()];
            frame.item = static_cast<std::uint16_t>(number);
            frame.id = asked;
            frame.bytes = item().size;
            Sample& sample = samples[asked++];
            sample.id = frame.id;
            sample.item = frame.item;
            sample.initiator = static_cast<std::uint16_t>(host);
            sample.responder = static_cast<std::uint16_t>(frame.to);
            sample.status = 1;
            sample.bytes = item().size;
            return Offer{frame, std::max(sent, kMicrosecond * static_cast<std::int64_t>(frame.id + 1))};
        }
        void sends(const PlainFrame& frame, Time begin) override { samples[frame.id].start = begin; }
        void arrives(const PlainFrame& frame, Time end) override {
            if (frame.from != host || frame.id < back) work.violation_ = "an echo is another's, or out of order";
            back = frame.id + 1;
            Sample& sample = samples[frame.id];
            sample.status = 0;
            sample.end = work.last_end_ = end;
            sample.parts[0] = sample.took().ps;
        }

        EchoWork& work;
        unsigned host;
        std::size_t number;
        std::uint32_t asked = 0, back = 0;
        std::span<Sample> samples;
    };

    const RunConfig& config_;
    std::deque<Asker> askers_;  // they do not move
    Time last_end_;
    std::string violation_;
};

inline constexpr WorkKind kEchoWork{kEchoSample, is_echoed, [](const RunRequest& request, WireWork&) {
                                        return std::unique_ptr<Work>(std::make_unique<EchoWork>(request));
                                    }};

}  // namespace rnicsim
