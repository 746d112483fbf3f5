// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/applications/application_layout.h"

#include "model/host/tcp/tcp_stack.h"
#include "model/rnic/rc/end/end_config.h"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::uint64_t kFirst = 0x1'0000;  // below it nothing lies
constexpr std::uint64_t kPage = 4096;

/// What has been given away of a host's memory, and what its card may have to keep there.
struct HostRoom {
    TakenOfHost taken;
    std::uint64_t qps = 0, regions = 1, pages = rc::kPagesOfLine;  // one more of each than there are
    std::uint32_t streams = 0;
    std::vector<std::uint64_t> entries;  // by thread
    std::map<std::uint32_t, rc::Range> shared;

    std::uint64_t take(std::uint64_t bytes) {
        const std::uint64_t at = std::max(taken.bytes, kFirst);
        taken.bytes = (at + bytes + kPage - 1) / kPage * kPage;
        return at;
    }
    rc::Range area(const applications::Plan::Area& of) {
        if (of.shared == 0) return {take(of.bytes), of.bytes};
        const auto [found, is_new] = shared.try_emplace(of.shared);
        if (is_new) found->second = {take(of.bytes), of.bytes};
        if (found->second.length != of.bytes)
            throw std::logic_error("an area is shared by ends that differ in its length");
        return found->second;
    }
    [[nodiscard]] std::uint64_t lines() const {
        using rc::LineKind;
        const auto of = [](LineKind kind) { return std::uint64_t{rc::kLineBytes[static_cast<std::size_t>(kind)]}; };
        const std::uint64_t lines_of_pages = (pages + rc::kPagesOfLine - 1) / rc::kPagesOfLine;
        return qps * of(LineKind::qp) + regions * of(LineKind::region) + lines_of_pages * of(LineKind::pages) +
               entries.size() * of(LineKind::cq);
    }
};

void lay_out_queues(ApplicationLayout::End& end, const applications::Plan::Side& plan, const VerbsHostConfig& config,
                    HostRoom& room) {
    ++room.qps;
    end.sends.entries = std::bit_ceil(plan.sends + 1);
    end.sends.stride = rc::stride_with_inline(config.inline_bytes);
    end.sends.address = room.take(std::uint64_t{end.sends.entries} * end.sends.stride);
    end.receives.entries = std::bit_ceil(plan.receives + 1);
    end.receives.address = room.take(end.receives.bytes());
    end.receives.record = room.take(rc::kRecordBytes);
    room.entries[end.thread] += end.sends.entries + end.receives.entries;
}

ApplicationLayout::End lay_out_end(const applications::Plan& all, unsigned side, unsigned host,
                                   const VerbsHostConfig& config, HostRoom& room) {
    const applications::Plan::Side& plan = all.sides.at(side);
    ApplicationLayout::End end;
    end.host = host;
    end.thread = room.taken.acting++ % config.threads;
    end.qp = room.taken.connections++;
    if (all.has_card()) lay_out_queues(end, plan, config, room);
    for (const applications::Plan::Area& area : plan.areas) {
        end.areas.push_back(room.area(area));
        ++room.regions;
        // Entries that come and go leave gaps between others.
        room.pages += (area.registered ? 1 : 2) * config.page.pages_of(end.areas.back());
    }
    return end;
}

}  // namespace

ApplicationLayout lay_out(const RunConfig& config, const applications::Application& application,
                          std::span<const TakenOfHost> before) {
    ApplicationLayout layout;
    layout.before.assign(before.begin(), before.end());
    layout.before.resize(config.names.size());
    std::vector<HostRoom> rooms(config.names.size());
    for (std::size_t host = 0; host < rooms.size(); ++host) rooms[host].taken = layout.before[host];
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (item.application != application.name()) continue;
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                for (std::uint32_t number = 0; number < item.verbs.connections; ++number) {
                    ApplicationLayout::Connection c{
                        i, number, application.plan_at(item, {0, number, from, to, &config}), {}};
                    for (unsigned side = 0; side < 2; ++side) {
                        const unsigned host = side == 0 ? from : to;
                        const VerbsHostConfig& of = verbs_of(config, host).host;
                        rooms[host].entries.resize(of.threads);
                        c.ends.at(side) = lay_out_end(c.plan, side, host, of, rooms[host]);
                        if (c.plan.stream) c.ends.at(side).stream = rooms[host].streams++;
                    }
                    layout.connections.push_back(std::move(c));
                }
            }
        }
    }
    layout.cqs.resize(rooms.size());
    layout.lines.resize(rooms.size());
    layout.sockets.resize(rooms.size());
    layout.streams.resize(rooms.size());
    layout.taken.resize(rooms.size());
    for (std::size_t host = 0; host < rooms.size(); ++host) {
        HostRoom& room = rooms[host];
        layout.taken[host] = room.taken;
        if (room.qps == 0) continue;
        // Twice what can be outstanding: the card hears of free entries by halves.
        for (const std::uint64_t entries : room.entries) {
            rc::CqRing& cq = layout.cqs[host].emplace_back();
            cq.entries = static_cast<std::uint32_t>(std::bit_ceil(2 * entries + 2));
            cq.address = room.take(std::uint64_t{cq.entries} * rc::kCqeBytes);
        }
        layout.streams[host] = room.streams;
        if (room.streams != 0) {
            const TcpConfig& tcp = verbs_of(config, static_cast<unsigned>(host)).host.tcp;
            layout.sockets[host].length = TcpStack::memory_bytes(tcp, room.streams);
            layout.sockets[host].address = room.take(layout.sockets[host].length);
        }
        layout.lines[host].bytes = room.lines();
        layout.lines[host].address = room.take(layout.lines[host].bytes);
        layout.taken[host] = room.taken;
    }
    return layout;
}

}  // namespace rnicsim
