// SPDX-License-Identifier: Apache-2.0
#include "model/faults/random_faults.h"

#include "model/faults/random_key.h"

#include <algorithm>
#include <cmath>

namespace rnicsim {

RandomFaults::RandomFaults(const FaultConfig& config) : hosts_(config.hosts), random_{config.seed, config.repetition} {
    links_.reserve(config.links.size());
    for (const LinkFaultConfig& link : config.links) {
        OfLink& of_link = links_.emplace_back();
        of_link.config = link;
        of_link.loss = make_loss_process(link, random_);
        of_link.concerns_frames = of_link.loss->active() || link.down.probability > 0 || link.corruption > 0 ||
                                  link.duplication > 0 || link.reordering > 0 || link.delay_variation > 0 ||
                                  link.ecn_marking > 0;
    }
}

FrameFate RandomFaults::frame(const FrameName& name, Time sent, bool markable) {
    const auto happens = [&](RandomStream stream, double probability) {
        return probability > 0 && chance(random_, stream, name) < probability;
    };
    const OfLink& of_link = links_[name.link];
    const LinkFaultConfig& link = of_link.config;
    FrameFate fate;
    fate.lost = of_link.loss->loses(name);  // always called: the process counts frames
    fate.down = down(name.link, sent);
    fate.lost = fate.lost || fate.down;
    if (fate.lost) return fate;
    fate.marked = markable && happens(RandomStream::link_marking, link.ecn_marking);
    if (happens(RandomStream::corruption, link.corruption)) {
        fate.damaged = static_cast<std::uint32_t>(0x1p32 * chance(random_, RandomStream::damaged_bit, name));
    }
    if (happens(RandomStream::duplication, link.duplication)) {
        fate.copy = drawn(RandomStream::copy_delay, name, link.lateness);
    }
    if (happens(RandomStream::reordering, link.reordering)) {
        fate.overtaken = drawn(RandomStream::lateness, name, link.lateness);
    } else if (happens(RandomStream::delay, link.delay_variation)) {
        fate.delayed = drawn(RandomStream::lateness, name, link.jitter);
    }
    return fate;
}

/// 1 .. `most` in byte times, uniform.
Time RandomFaults::drawn(RandomStream stream, const FrameName& name, Time most) const {
    const Time byte_time = links_[name.link].config.byte_time;
    const std::int64_t units = most.ps / byte_time.ps;
    return byte_time * (1 + static_cast<std::int64_t>(chance(random_, stream, name) * static_cast<double>(units)));
}

std::optional<LinkDown> RandomFaults::down(std::uint16_t link, Time at) const {
    const LinkDownConfig& of = links_[link].config.down;
    if (of.probability <= 0) return std::nullopt;
    const std::optional<LinkDown> down = down_in(link, at.ps / of.period.ps);
    return down && at >= down->from && at < down->to ? down : std::nullopt;
}

/// In each period the link goes down with the given probability, at a time drawn so that it is up again at its end.
std::optional<LinkDown> RandomFaults::down_in(std::uint16_t link, std::int64_t period) const {
    const LinkFaultConfig& config = links_[link].config;
    const LinkDownConfig& d = config.down;
    const auto number = static_cast<std::uint64_t>(period);
    if (random_.uniform(RandomStream::link_down, number, 0, link) >= d.probability) return std::nullopt;
    const double place = random_.uniform(RandomStream::link_down, number, 1, link);
    const std::int64_t places = (d.period - d.duration).ps / config.byte_time.ps;
    const Time from =
        d.period * period + config.byte_time * static_cast<std::int64_t>(place * static_cast<double>(places));
    return LinkDown{from, from + d.duration, link};
}

std::optional<LinkDown> RandomFaults::outage(unsigned link, Time from, Time until) {
    const LinkDownConfig& of = links_[link].config.down;
    if (of.probability <= 0) return std::nullopt;
    for (std::int64_t period = from.ps / of.period.ps; of.period * period < until; ++period) {
        const std::optional<LinkDown> down = down_in(static_cast<std::uint16_t>(link), period);
        if (down && down->to > from && down->from < until) return down;
    }
    return std::nullopt;
}

/// Between two hosts `end` says which one has asked: the third word is 0 then.
bool RandomFaults::registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer, std::uint32_t attempt) {
    return random_.uniform(RandomStream::registration, transfer_key(transfer, end), attempt, initiator ^ end ^ 1U) <
           hosts_.at(end).registration_failure;
}

/// The steady state: times are exponential, so the rest of a period has the distribution of a whole one.
bool RandomFaults::holds_at_start(unsigned end, std::uint32_t task) {
    const HostFaultConfig& host = hosts_.at(end);
    const double share = static_cast<double>(host.hold_time.n) /
                         static_cast<double>(std::max<std::int64_t>(1, host.hold_time.n + host.rest_time.n));
    return random_.uniform(RandomStream::memory_task, end, task, 0) < share;
}

Cycle RandomFaults::task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) {
    const HostFaultConfig& host = hosts_.at(end);
    const Cycle mean = holds ? host.hold_time : host.rest_time;
    const double uniform = random_.uniform(RandomStream::memory_task, end, task, n + 1);
    return {std::max<std::int64_t>(1, std::llround(-std::log1p(-uniform) * static_cast<double>(mean.n)))};
}

}  // namespace rnicsim
