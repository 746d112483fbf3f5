// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/program_cuts.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/programs/protocol/flush_numbers.h"
#include "testbench/programs/server/cut_at.h"
#include "testbench/programs/server/cut_messages.h"
#include "testbench/workloads/persistence/cut_words.h"

#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <optional>

namespace rnicsim::programs {
namespace {

/// As the indices of a queue go round.
bool is_behind(std::uint32_t index, std::uint32_t other) { return static_cast<std::int32_t>(index - other) > 0; }

bool writes(rc::Verb verb) {
    return verb == rc::Verb::write || verb == rc::Verb::write_imm || verb == rc::Verb::atomic_write;
}

bool sends(rc::Verb verb) { return verb == rc::Verb::send || verb == rc::Verb::send_imm || verb == rc::Verb::send_inv; }

bool asks_for_persistence(const roce::Feth& flush) {
    return flush.placement == roce::FlushPlacement::persistent || flush.placement == roce::FlushPlacement::both;
}

}  // namespace

struct ProgramCuts::OfHost final : LineObserver {
    OfHost(Domain domain, std::optional<Time> cut) : ledger(domain, cut ? &moment.emplace(*cut) : nullptr) {}
    void line_written(const LineWrite& write) override {
        if (write.scm) ledger.line_written(write, messages.take(write));
    }
    void line_written_back(std::uint64_t number, Time adr, Time scm_done) override {
        ledger.line_written_back({number, adr, scm_done});
    }

    /// On the bus. Nothing: there is no such region, or it has not all of these bytes.
    [[nodiscard]] std::optional<Span> region(std::uint32_t key) const {
        const auto known = regions.find(key);
        if (known == regions.end()) return {};
        return Span{known->second.bus, known->second.bus + known->second.bytes};
    }
    [[nodiscard]] std::optional<Span> place(std::uint32_t key, std::uint64_t address, std::uint64_t bytes) const {
        const auto known = regions.find(key);
        if (known == regions.end()) return {};
        const Memory& of = known->second;
        if (address < of.iova || bytes > of.bytes || address - of.iova > of.bytes - bytes) return {};
        const std::uint64_t begin = of.bus + (address - of.iova);
        return Span{begin, begin + bytes};
    }

    /// That a program has registered: as peers address it, and on the bus.
    struct Memory {
        std::uint64_t iova = 0, bytes = 0, bus = 0;
    };
    std::map<std::uint32_t, Memory> regions;  // by key
    PersistencePath* path = nullptr;          // not owned
    std::optional<CutAt> moment;              // where somebody wants to know of one
    PowerCutLedger ledger;
    CutMessages messages;
    std::uint64_t told_durable = 0;
};

ProgramCuts::ProgramCuts(const RunConfig& config, const CutRequest& request) : config_(config), request_(request) {
    hosts_.resize(config.names.size());
    for (unsigned host = 0; host < hosts_.size(); ++host) {
        const auto& path = verbs_of(config, host).host.persistence;
        if (path) hosts_[host] = std::make_unique<OfHost>(path->domain, request.at);
    }
}

ProgramCuts::~ProgramCuts() = default;

bool ProgramCuts::has_hosts() const {
    return std::ranges::any_of(hosts_, [](const auto& of) { return of != nullptr; });
}

void ProgramCuts::attach(System& system) {
    system_ = &system;
    for (unsigned host = 0; host < hosts_.size(); ++host) {
        if (hosts_[host] == nullptr) continue;
        hosts_[host]->path = verbs_end(system, host).host.persistence();
        hosts_[host]->path->set_observer(hosts_[host].get());
    }
}

/// It stays persistent memory when it is registered no more, or differently.
void ProgramCuts::registered(const Program& program, std::uint32_t key, const Registration& as) {
    OfHost* const of = hosts_[program.host].get();
    if (of == nullptr) return;
    const std::uint64_t bus = ProcessMemory::bus(program.window, as.address);
    of->regions[key] = {as.iova, as.bytes, bus};
    constexpr std::uint32_t kBoth = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    const bool by_others = request_.reads_flush || request_.replies_flush;
    const bool persists = (as.access & kAccessFlushPersistent) != 0 || (by_others && (as.access & kBoth) == kBoth);
    if (persists) of->path->add_scm(bus, as.bytes);
}

void ProgramCuts::modified(const Program& program, const rc::Qp& qp, rc::QpState /*before*/) {
    if (qp.state == rc::QpState::reset || qp.state == rc::QpState::init) forget(program.host, qp.number);
}

/// Nothing more comes of what it has posted.
void ProgramCuts::forget(unsigned host, rc::Qpn qp) {
    const auto known = queues_.find({host, qp.n});
    if (known == queues_.end()) return;
    for (const auto& of : hosts_) {
        if (of != nullptr) of->messages.forget(known->second.number);
    }
    queues_.erase(known);
}

ProgramCuts::OfHost* ProgramCuts::peer_of(const rc::Qp& qp) {
    const unsigned peer = raw(qp.attributes.peer);
    return qp.init.service == rc::Service::reliable && peer < hosts_.size() ? hosts_[peer].get() : nullptr;
}

void ProgramCuts::posted(const Program& program, const rc::Qp& qp, std::uint32_t index, const rc::SendWqe& wqe) {
    OfHost* const there = peer_of(qp);
    if (there == nullptr || qp.state == rc::QpState::error) return;
    Queue& queue = queues_[{program.host, qp.number.n}];
    if (queue.number == 0) queue.number = ++connections_;
    if (writes(wqe.verb)) post_write(*there, queue, program.host, qp, index, wqe);
    if (wqe.verb == rc::Verb::flush && asks_for_persistence(wqe.flush)) post_flush(*there, queue, index, wqe);
    if (wqe.verb == rc::Verb::read && request_.reads_flush) queue.flushes.push_back({index, kAll});
    if (sends(wqe.verb) && request_.replies_flush) queue.sends.push_back(index);
}

void ProgramCuts::post_write(OfHost& there, Queue& queue, unsigned from, const rc::Qp& qp, std::uint32_t index,
                             const rc::SendWqe& wqe) {
    const std::uint64_t bytes = rc::bytes_of(wqe);
    const auto place = there.place(wqe.remote_key, wqe.remote_address, bytes);
    if (bytes == 0 || !place || !there.path->is_scm(place->begin)) return;  // it will fail, or would not last anyway
    const std::uint64_t message =
        there.messages.post({queue.number, place->begin, bytes, from, rc::QpTable::ordinal(qp.number), index});
    there.ledger.message_posted({message, queue.number, ++queue.posted, bytes});
    queue.writes.push_back({index, message, *place});
}

void ProgramCuts::post_flush(const OfHost& there, Queue& queue, std::uint32_t index, const rc::SendWqe& wqe) {
    const bool whole = wqe.flush.selectivity == roce::FlushSelectivity::region;
    const auto place =
        whole ? there.region(wqe.remote_key) : there.place(wqe.remote_key, wqe.remote_address, wqe.flush_length);
    if (place) queue.flushes.push_back({index, *place});  // else it will fail
}

void ProgramCuts::taken(const Program& program, const rc::Completion& completion, Time now) {
    const auto known = queues_.find({program.host, completion.qp.n});
    if (known == queues_.end()) return;
    const rc::Qp* const qp = verbs_end(*system_, program.host).rnic.transport().qp(completion.qp);
    OfHost* const there = qp == nullptr ? nullptr : peer_of(*qp);
    if (there == nullptr) return;
    Queue& queue = known->second;
    if (completion.receive) {
        if (completion.status != rc::Status::success || queue.sends.empty()) return;
        persist(*there, queue, {queue.sends.front(), kAll}, now);
        return queue.sends.pop_front();
    }
    // What is before one that has failed is done, too, as this comes in order; it and what is behind it never is.
    const bool failed = completion.status != rc::Status::success;
    complete(*there, queue, completion.index - (failed ? 1 : 0), now);
    if (failed) forget(program.host, completion.qp);
}

/// A completion stands for all before it that were not signaled.
void ProgramCuts::complete(OfHost& there, Queue& queue, std::uint32_t index, Time now) {
    for (; queue.told < queue.writes.size() && !is_behind(queue.writes[queue.told].index, index); ++queue.told)
        there.ledger.told_written(queue.writes[queue.told].message, now);
    for (; !queue.flushes.empty() && !is_behind(queue.flushes.front().index, index); queue.flushes.pop_front())
        persist(there, queue, queue.flushes.front(), now);
}

/// All of its bytes that were written before.
void ProgramCuts::persist(OfHost& there, Queue& queue, const Flush& flush, Time now) {
    std::size_t at = 0, told = 0;
    const std::size_t gone = std::erase_if(queue.writes, [&](const Write& write) {
        const bool is_told = at++ < queue.told;
        if (!is_behind(flush.index, write.index) || !flush.bytes.includes(write.bytes)) return false;
        there.ledger.told_persisted(write.message, now);
        told += is_told ? 1 : 0;
        return true;
    });
    queue.told -= told;
    there.told_durable += gone;
}

void ProgramCuts::advance(Time now) {
    for (const auto& of : hosts_) {
        if (of != nullptr) of->ledger.advance(std::min(now, of->path->oldest_untold()));
    }
}

std::vector<ProgramCutReport> ProgramCuts::finish(Time end) {
    std::vector<ProgramCutReport> all;
    for (unsigned host = 0; host < hosts_.size(); ++host) {
        if (hosts_[host] == nullptr) continue;
        OfHost& of = *hosts_[host];
        of.path->end();
        ProgramCutReport said{host, of.messages.count(), of.told_durable, of.ledger.finish(end), {}, {}};
        if (said.writes == 0) continue;
        if (auto& example = said.report.false_example) {
            if (example->line) example->line = ProcessMemory::in_program(*example->line * kLineBytes) / kLineBytes;
            said.example =
                fmt::format("{} is told that it is durable at {}",
                            in_words(of.messages.info(example->message), config_.names), config_.names[host]) +
                where_it_is(*example);
        }
        if (of.moment) said.cut = of.moment->in_words(of.messages, config_.names);
        all.push_back(std::move(said));
    }
    return all;
}

}  // namespace rnicsim::programs
