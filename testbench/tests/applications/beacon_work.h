// SPDX-License-Identifier: Apache-2.0
// An application of plain hosts: each initiator sends a frame every `pace` to each of its responders, as a router says
// that it is alive. A sample is the time from when one is due to its last bit at the responder.
#pragma once

#include "testbench/records/sample_kind.h"
#include "testbench/workloads/work.h"
#include "testbench/workloads/work_kind.h"

#include "model/rnic/plain/plain_end.h"
#include "model/traffic.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim {

inline constexpr std::array<std::string_view, 1> kBeaconParts{"flight"};
inline constexpr SampleKind kBeaconSample{
    .name = "beacon", .parts = kBeaconParts, .may_be_lost = true, .operation = [](std::uint8_t) {
        return std::string_view("beacon");
    }};

inline bool is_beacon(const TrafficConfig& item) { return item.application == "beacon"; }

class BeaconWork final : public Work {
  public:
    explicit BeaconWork(const RunConfig& config) : config_(config) {
        for (std::size_t i = 0; i < config.traffic.size(); ++i) {
            if (!is_beacon(config.traffic[i])) continue;
            for (const unsigned host : config.traffic[i].from) flows_[{i, host}];
        }
    }

    [[nodiscard]] std::size_t samples() const override {
        std::size_t all = 0;
        for (const auto& [of, flow] : flows_) all += config_.traffic[of.first].transfers;
        return all;
    }
    void record_in(std::span<Sample> samples) override {
        for (auto& [of, flow] : flows_) {
            flow.samples = samples.first(config_.traffic[of.first].transfers);
            samples = samples.subspan(flow.samples.size());
        }
    }
    void attach(System& system) override {
        std::map<unsigned, std::vector<std::size_t>> items;
        for (const auto& [of, flow] : flows_) {
            items[of.second].push_back(of.first);
            for (const unsigned host : config_.traffic[of.first].responders(of.second)) items[host];
        }
        for (const auto& [host, of] : items) plain_end(system, host).attach(users_.emplace_back(*this, host), of);
    }
    [[nodiscard]] bool ended() const override { return true; }  // its hosts are idle then, which the system says
    [[nodiscard]] Time last_progress() const override { return std::max(last_end_, due_); }
    [[nodiscard]] std::string violation() const override { return violation_; }
    [[nodiscard]] Time last_end() const override { return last_end_; }

  private:
    struct Flow {
        std::uint32_t sent = 0;
        std::span<Sample> samples;
    };
    class User final : public PlainUser {
      public:
        User(BeaconWork& work, unsigned host) : work_(work), host_(host) {}
        std::optional<Offer> next(std::size_t item, Time /*sent*/) override { return work_.next(host_, item); }
        void sends(const PlainFrame& /*frame*/, Time /*begin*/) override {}
        void arrives(const PlainFrame& frame, Time end) override { work_.arrives(host_, frame, end); }

      private:
        BeaconWork& work_;
        const unsigned host_;
    };

    std::optional<PlainUser::Offer> next(unsigned host, std::size_t number) {
        const TrafficConfig& item = config_.traffic[number];
        Flow& flow = flows_.at({number, host});
        if (flow.sent == item.transfers) return std::nullopt;
        const std::vector<unsigned> to = item.responders(host);
        const std::uint32_t id = flow.sent++;
        const auto round = static_cast<std::int64_t>(id / to.size());
        PlainFrame frame;
        frame.from = host;
        frame.to = to[id % to.size()];
        frame.item = static_cast<std::uint16_t>(number);
        frame.id = id;
        frame.bytes = item.size;
        Sample& sample = flow.samples[id];
        sample.id = id;
        sample.item = frame.item;
        sample.initiator = static_cast<std::uint16_t>(host);
        sample.responder = static_cast<std::uint16_t>(frame.to);
        sample.status = 1;
        sample.bytes = item.size;
        sample.start = sample.end = due_ = kMicrosecond + item.paced(std::int64_t{item.size} * 8) * round;
        return PlainUser::Offer{frame, due_};
    }
    void arrives(unsigned host, const PlainFrame& frame, Time end) {
        Sample& sample = flows_.at({frame.item, frame.from}).samples[frame.id];
        if (sample.responder != host || !sample.failed()) violation_ = "a beacon arrives twice, or elsewhere";
        sample.status = 0;
        sample.end = last_end_ = end;
        sample.parts[0] = sample.took().ps;
    }

    const RunConfig& config_;
    std::map<std::pair<std::size_t, unsigned>, Flow> flows_;  // by item and sender
    std::deque<User> users_;                                  // they do not move
    Time due_, last_end_;
    std::string violation_;
};

inline constexpr WorkKind kBeaconWork{kBeaconSample, is_beacon, [](const RunRequest& request, WireWork&) {
                                          return std::unique_ptr<Work>(std::make_unique<BeaconWork>(request));
                                      }};

}  // namespace rnicsim
