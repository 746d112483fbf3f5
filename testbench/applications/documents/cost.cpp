// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/documents/cost.h"

#include "testbench/applications/documents/channel.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace rnicsim::applications::documents {

namespace {

/// What goes from an end to the other one.
class Sums {
  public:
    Sums(const DocumentSettings& of, std::uint32_t pmtu) : of_(of), pmtu_(pmtu) {}
    void hello() {
        for (EndCounts& end : counts) stream(end, DocumentSettings::kHello);
    }
    void message(unsigned from) {
        carry(from, DocumentSettings::kMessage);
        if (of_.takes_turns()) carry(1 - from, 0);
    }
    /// A request and its answer.
    void exchange(unsigned from) {
        message(from);
        message(1 - from);
    }
    /// To who asks.
    void data(std::uint32_t bytes) {
        carry(1, bytes);
        counts[0].add(Count::checked_bytes, bytes);
        if (!of_.registers_each()) return;
        for (EndCounts& end : counts) {
            end.add(Count::registrations);
            end.add(Count::deregistrations);
        }
    }
    Counts counts;

  private:
    void carry(unsigned from, std::uint32_t bytes) {
        EndCounts &here = counts.at(from), &there = counts.at(1 - from);
        if (!of_.is_rdma()) return stream(here, bytes);
        here.add(Count::writes);
        here.add(Count::payload_packets, payload_packets_of(bytes, pmtu_));
        there.add(Count::receives);
    }
    static void stream(EndCounts& from, std::uint32_t bytes) {
        from.add(Count::stream_sends);
        from.add(Count::stream_bytes, bytes);
    }

    const DocumentSettings& of_;
    const std::uint32_t pmtu_;
};

/// Receive WQEs that the busier end uses.
std::uint64_t most_receives(const TrafficConfig& item) {
    const std::vector<std::uint32_t> sizes(item.transfers, item.size);
    const Counts counts = counts_of(item, sizes, 1024);
    return std::max(counts[0][Count::receives], counts[1][Count::receives]);
}

const char* without_effect_on_log(const TrafficConfig& item, std::string_view name) {
    const DocumentSettings& of = documents_of(item);
    if (of.operation != DocumentOperation::oplog) return "nobody pulls a log, expected documents.operation: oplog";
    if (name == "history") return nullptr;
    if (name == "heartbeat")
        return of.heartbeat > item.transfers ? "there are fewer rounds, expected more transfers" : nullptr;
    if (item.transfers < 2) return "there is one round, which pulls the whole log, expected transfers of 2 or more";
    if (name == "initial_sync") return nullptr;
    if (!of.sync_once) return "each round pulls the whole log, expected documents.initial_sync: once";
    if (name == "timeout" && of.news == 1) return "each round finds new entries, expected documents.news of 2 or more";
    return nullptr;
}

const char* without_effect_on_pool(const TrafficConfig& item, std::string_view name) {
    const DocumentSettings& of = documents_of(item);
    if (!of.is_rdma()) return "all goes by TCP, expected documents.support: both";
    if (!of.has_data()) return "nobody registers buffers of data, expected documents.operation: query or oplog";
    if (name == "buffers") {
        const bool is_log = of.operation == DocumentOperation::oplog;
        return is_log ? "a secondary has one buffer, registered once, expected documents.operation: query" : nullptr;
    }
    if (!of.has_pool()) return "each buffer is registered for itself, expected documents.buffers: pool";
    if (name == "sizing") return nullptr;
    if (name == "overload" && of.sizing != PoolSizing::printed)
        return "there is no such bound but in algorithm 2, expected documents.sizing: printed";
    if (of.sizing == PoolSizing::slots)
        return "a buffer for each slot is registered, expected documents.sizing: equation";
    return nullptr;
}

}  // namespace

Counts counts_of(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) {
    const DocumentSettings& of = documents_of(item);
    Sums sums(of, pmtu);
    sums.hello();
    if (of.has_pool())
        for (EndCounts& end : sums.counts) end.add(Count::registrations);
    for (std::uint32_t i = 0; i < sizes.size(); ++i) {
        switch (of.operation) {
            case DocumentOperation::write:
                sums.exchange(0);
                sums.counts[1].add(Count::checked_bytes, sizes[i]);
                break;
            case DocumentOperation::query:
                sums.message(0);
                sums.data(sizes[i]);
                break;
            case DocumentOperation::oplog:
                if (of.beats(i)) sums.exchange(1);
                sums.exchange(0);
                if (!of.pulls(i)) break;
                sums.message(0);
                sums.data(of.pulls_all(i) ? of.history : sizes[i]);
                break;
        }
    }
    return sums.counts;
}

const char* without_effect(const TrafficConfig& item, std::string_view key) {
    const DocumentSettings& of = documents_of(item);
    const std::string_view name = key.substr(key.rfind('.') + 1);
    const auto is_one_of = [name](std::initializer_list<std::string_view> all) {
        return std::ranges::find(all, name) != all.end();
    };
    if (is_one_of({"news", "timeout", "history", "heartbeat", "initial_sync"}))
        return without_effect_on_log(item, name);
    if (is_one_of({"buffers", "sizing", "memory_load", "network_load", "overload"}))
        return without_effect_on_pool(item, name);
    if (name == "flow" && !of.is_rdma()) return "all goes by TCP, expected documents.support: both";
    if (name == "slots") {
        if (of.takes_turns()) return "one message is under way each way, expected documents.flow: slots";
        if (of.operation == DocumentOperation::oplog)
            return "a secondary has one round under way, expected documents.operation: write or query";
    }
    if (name == "repost") {
        if (!of.is_rdma()) return "all goes by TCP, expected documents.support: both";
        if (most_receives(item) <= Channel::receives(open_operations(item)))
            return "no end uses a receive WQE twice, expected more transfers";
    }
    return nullptr;
}

}  // namespace rnicsim::applications::documents
