// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/verbs_layout.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/kits/rc/verbs_message.h"

#include <algorithm>
#include <bit>

namespace rnicsim {
namespace {

constexpr std::uint64_t kFirst = 0x1'0000;  // below it nothing lies
constexpr std::uint64_t kPage = 4096;

std::uint64_t take(std::uint64_t& next, std::uint64_t bytes) {
    const std::uint64_t at = next;
    next = (next + bytes + kPage - 1) / kPage * kPage;
    return at;
}

void lay_out(rc::ReceiveRing& ring, std::uint64_t& next) {
    ring.address = take(next, ring.bytes());
    ring.record = take(next, rc::kRecordBytes);
}

/// A shared queue's receive WQEs have room for the longest message of any item.
void add_to(std::optional<VerbsLayout::Shared>& shared, const VerbsHostConfig& host, const TrafficConfig& item) {
    if (!shared) shared.emplace();
    shared->ring.entries = std::bit_ceil(host.shared_receives + 1);
    shared->buffer.slots = host.shared_receives;
    shared->buffer.slot_bytes = std::max(shared->buffer.slot_bytes, receive_bytes(item));
    if (item.verbs.any(rc::takes_receive)) shared->prepared = host.shared_receives;
}

/// Data in `in` and `out`; small messages both ways in `received` and `word`; receive WQEs for more than the card reads
/// at once.
void lay_out_persist(VerbsLayout::End& end, unsigned side, const TrafficConfig& item) {
    const std::uint32_t depth = item.verbs.depth;
    end.out = end.in = {0, depth, item.size};
    const std::uint32_t message = item.verbs.sends_table ? std::max(kPersistMessage, kRegionTable) : kPersistMessage;
    end.word = {0, depth, message};
    const std::uint32_t most = depth + 2 * rc::RcConfig{}.receive_batch;
    const ReceivesAhead none = side == 0 ? ReceivesAhead::responder : ReceivesAhead::initiator;
    end.prepared = item.verbs.receives_ahead == none ? 0 : most;
    end.receives.entries = std::bit_ceil(most + depth + 1);
    end.received = {0, end.receives.entries, message};
}

/// How many lines a card may have to keep in its host's memory.
struct Lines {
    std::uint64_t qps = 0, cqs = 0, regions = 0, pages = 0;
    void add_region(const VerbsHostConfig& host, const rc::Range& range) {
        ++regions;
        pages += host.page.pages_of(range);
    }
    [[nodiscard]] std::uint64_t bytes() const {
        using rc::LineKind;
        const auto of = [](LineKind kind) { return std::uint64_t{rc::kLineBytes[static_cast<std::size_t>(kind)]}; };
        const std::uint64_t lines_of_pages = (pages + rc::kPagesOfLine - 1) / rc::kPagesOfLine;
        return qps * of(LineKind::qp) + regions * of(LineKind::region) + lines_of_pages * of(LineKind::pages) +
               cqs * of(LineKind::cq);
    }
};

/// By host: an application that has its card lays out the memory.
std::vector<bool> with_application(const RunConfig& config) {
    std::vector<bool> with(config.names.size());
    for (const TrafficConfig& item : config.traffic) {
        if (item.application.empty() || !item.has_card) continue;
        for (const unsigned from : item.from) {
            with[from] = true;
            for (const unsigned to : item.responders(from)) with[to] = true;
        }
    }
    return with;
}

}  // namespace

VerbsLayout lay_out(const RunConfig& config) {
    const std::vector<bool> elsewhere = with_application(config);
    VerbsLayout layout;
    std::vector<std::uint64_t> next(config.names.size(), kFirst);
    std::vector<std::vector<std::uint64_t>> entries(config.names.size());  // by host, then by thread
    for (unsigned host = 0; host < config.names.size(); ++host) {
        if (is_verbs(config, host)) entries[host].resize(verbs_of(config, host).host.threads);
    }
    std::vector<std::uint32_t> qps(config.names.size(), 0), acting(config.names.size(), 0);
    std::vector<Lines> lines(config.names.size());
    std::vector<bool> has_region_of_host(config.names.size(), false);
    layout.shared.resize(config.names.size());
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (!item.is(Workload::verbs)) continue;
        const std::uint32_t depth = item.verbs.under_way();
        const bool persists = item.verbs.scheme != PersistScheme::none;
        const bool mixed = !item.verbs.mix.empty() || persists;
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                for (std::uint32_t number = 0; number < item.verbs.connections; ++number) {
                    VerbsLayout::Connection c;
                    c.item = i;
                    c.number = number;
                    c.reliable = item.verbs.is_reliable();
                    for (unsigned side = 0; side < 2; ++side) {
                        VerbsLayout::End& end = c.ends[side];
                        end.host = side == 0 ? from : to;
                        end.qp = qps[end.host]++;
                        const VerbsEndConfig& of = verbs_of(config, end.host);
                        if (acts(item, side)) end.thread = acting[end.host]++ % of.host.threads;
                        const std::uint32_t untold = is_by_processor(item.verbs.scheme) ? kUntoldSends : 0;
                        end.sends.entries = std::bit_ceil((persists ? 2 : 1) * depth + 1 + untold);
                        end.sends.stride = rc::stride_with_inline(of.host.inline_bytes);
                        const bool shares = of.host.shared_receives != 0;
                        const std::uint32_t receives = item.verbs.any(rc::takes_receive) ? item.verbs.receives() : 0;
                        if (shares) {
                            add_to(layout.shared[end.host], of.host, item);
                        } else {
                            end.receives.entries = std::bit_ceil(item.verbs.receives() + 1);
                            end.prepared = receives;
                        }
                        end.out = {0, depth, std::max(item.size, rc::kAtomicBytes)};
                        // Nobody waits for the receiver of UC and UD: each receive WQE has a place of its own.
                        end.in = {0, std::max(item.verbs.is_reliable() ? 0 : receives, depth),
                                  std::max(receive_bytes(item), rc::kAtomicBytes)};
                        if (persists) lay_out_persist(end, side, item);
                        entries[end.host][end.thread] += end.sends.entries + end.receives.entries;
                        std::uint64_t& at = next[end.host];
                        end.sends.address = take(at, std::uint64_t{end.sends.entries} * end.sends.stride);
                        if (!shares) lay_out(end.receives, at);
                        end.out.address = take(at, end.out.bytes());
                        if (!persists) end.word = {end.out.address, 1, rc::kAtomicBytes};
                        if (!persists) end.received = end.in;
                        // Messages that land by their own number and by that of a receive have a place each.
                        if (mixed) {
                            end.word.address = take(at, end.word.bytes());
                            if (!shares) end.received.address = take(at, end.received.bytes());
                        }
                        end.in.address = take(at, end.in.bytes());
                        if (!mixed) end.received.address = end.in.address;
                        ++lines[end.host].qps;
                        if (item.verbs.region_of_host) {
                            has_region_of_host[end.host] = true;
                        } else {
                            lines[end.host].add_region(of.host, end.buffers());
                        }
                    }
                    (persists ? layout.persists : layout.connections).push_back(c);
                }
            }
        }
    }
    for (unsigned host = 0; host < config.names.size(); ++host) {
        std::optional<VerbsLayout::Shared>& shared = layout.shared[host];
        if (!shared) continue;
        lay_out(shared->ring, next[host]);
        shared->buffer.address = take(next[host], shared->buffer.bytes());
        for (std::uint64_t& of_thread : entries[host]) of_thread += shared->ring.entries;
        lines[host].add_region(verbs_of(config, host).host, {shared->buffer.address, shared->buffer.bytes()});
    }
    for (VerbsLayout::Connection& c : layout.connections) {
        for (VerbsLayout::End& end : c.ends) {
            if (layout.shared[end.host]) end.received = layout.shared[end.host]->buffer;
        }
    }
    layout.cqs.resize(config.names.size());
    layout.programs.resize(config.names.size());
    layout.lines.resize(config.names.size());
    layout.taken.resize(config.names.size());
    for (unsigned host = 0; host < config.names.size(); ++host) {
        if (!is_verbs(config, host) || elsewhere[host]) continue;
        layout.programs[host] = {kFirst, next[host] - kFirst};
        if (has_region_of_host[host]) lines[host].add_region(verbs_of(config, host).host, layout.programs[host]);
        // Twice what can be outstanding: the card hears of free entries by halves.
        for (const std::uint64_t of_thread : entries[host]) {
            rc::CqRing& cq = layout.cqs[host].emplace_back();
            cq.entries = static_cast<std::uint32_t>(std::bit_ceil(2 * of_thread + 2));
            cq.address = take(next[host], std::uint64_t{cq.entries} * rc::kCqeBytes);
        }
        lines[host].cqs = entries[host].size();
        layout.lines[host].bytes = lines[host].bytes();
        layout.lines[host].address = take(next[host], layout.lines[host].bytes);
        layout.taken[host] = {next[host], qps[host], acting[host]};
    }
    return layout;
}

}  // namespace rnicsim
