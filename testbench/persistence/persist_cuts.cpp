#include "testbench/persistence/persist_cuts.h"

#include <fmt/format.h>

#include <algorithm>

namespace rnicsim {

PersistCuts::PersistCuts(const RunConfig& config, const VerbsLayout& layout, CutObserver* rows) : config_(config) {
    for (const VerbsLayout::Connection& plan : layout.persists) {
        const unsigned there = plan.ends[1].host;
        auto known = std::ranges::find(hosts_, there, [](const auto& of) { return of->host; });
        if (known == hosts_.end()) {
            hosts_.push_back(
                std::make_unique<OfHost>(*this, there, verbs_of(config, there).host.persistence->domain, rows));
            known = hosts_.end() - 1;
        }
        connections_.push_back({&plan, known->get(), 0, {}});
    }
}

void PersistCuts::attach(System& system) {
    for (const std::unique_ptr<OfHost>& of : hosts_) {
        of->path = system.verbs_end(of->host).host.persistence();
        of->path->set_observer(of.get());
    }
}

std::vector<LineObserver*> PersistCuts::lines() const {
    std::vector<LineObserver*> all(config_.names.size());
    for (const std::unique_ptr<OfHost>& of : hosts_) all[of->host] = of.get();
    return all;
}

std::uint64_t PersistCuts::message_at(unsigned host, std::uint64_t address) const {
    for (const Connection& c : connections_) {
        if (c.there->host != host || !c.plan->ends[1].in.has(address)) continue;
        const VerbsLayout::Buffer& in = c.plan->ends[1].in;
        for (std::size_t i = c.ids.size(); i-- != 0;) {
            const std::uint64_t slot = in.slot(c.first + static_cast<std::uint32_t>(i));
            if (address - slot < in.slot_bytes) return c.ids[i];
        }
    }
    return 0;
}

void PersistCuts::posted(std::size_t connection, std::uint32_t item, Time /*begins*/) {
    Connection& c = connections_[connection];
    c.ids.push_back(++c.there->messages);
    c.there->ledger.message_posted(
        {c.ids.back(), connection, std::uint64_t{item} + 1, config_.traffic[c.plan->item].size});
}

void PersistCuts::told_written(std::size_t connection, std::uint32_t item, Time now) {
    Connection& c = connections_[connection];
    c.there->ledger.told_written(c.ids[item - c.first], now);
}

void PersistCuts::told_persisted(std::size_t connection, std::uint32_t item, Time now) {
    Connection& c = connections_[connection];
    c.there->ledger.told_persisted(c.ids[item - c.first], now);
    // Its slot is used again when the next one is posted there.
    for (; c.ids.size() > c.plan->ends[1].in.slots; ++c.first) c.ids.pop_front();
}

void PersistCuts::advance(Time now) {
    if (now < advanced_) return;  // the last item has ended before others failed
    advanced_ = now;
    for (const std::unique_ptr<OfHost>& of : hosts_) of->ledger.advance(std::min(now, of->path->oldest_untold()));
}

std::vector<HostCuts> PersistCuts::finish(Time end) {
    std::vector<HostCuts> all;
    for (const std::unique_ptr<OfHost>& of : hosts_) {
        of->path->end();
        HostCuts cuts{of->host, of->ledger.finish(std::max(end, advanced_)), {}, {}};
        if (const auto& example = cuts.report.false_example) {
            cuts.example = in_words(*of, *example);
            const VerbsLayout::End& from = connections_[example->connection].plan->ends[0];
            cuts.item = config_.names.message(from.host, from.qp, item_of(*example));
        }
        all.push_back(std::move(cuts));
    }
    return all;
}

std::string PersistCuts::in_words(const OfHost& of, const FalseExample& example) const {
    const VerbsLayout::End& from = connections_[example.connection].plan->ends[0];
    std::string text =
        fmt::format("{} is told at {} ps that item {} of its q{} is durable at {}", config_.names[from.host],
                    example.at.ps, item_of(example), from.qp, config_.names[of.host]);
    if (!example.line) return text + ", and no byte of it has come";
    return text +
           fmt::format(", and line 0x{:x} of it is {}{}", *example.line * kLineBytes,
                       example.stage == WriteStage::nowhere ? "nowhere" : "in the ",
                       example.stage == WriteStage::nowhere ? "" : stage_name(example.stage)) +
           (example.overwritten ? ": an older version has come over it" : "");
}

}  // namespace rnicsim
