// SPDX-License-Identifier: Apache-2.0
// Two TransportLogic objects, a wire and two hosts: whole transfers, checked at every step.
#pragma once

#include "testbench/tests/protocol/logic_harness.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <queue>
#include <set>

namespace rnicsim {

/// Two ends, a wire that the test controls, and a host at each end. Memory has no bytes: a placed frame is identified
/// by where it was read. PROTOCOL.md section 7 is checked at every step; `violations` holds the breaches.
class Pair {
  public:
    struct Delays {
        At link = 10;          ///< leaves one end -> is at the other
        At fetch = 2;          ///< data frame decided -> on the wire
        At host = 5;           ///< asked to register -> verdict
        At drain = 7;          ///< bulk DMA decided -> buffer slots free
        At retry = 150;        ///< failed registration -> the host tries again by itself; 0 = only when asked
        unsigned fetches = 3;  ///< data frames between decision and wire at a time
    };
    /// A frame put on the wire. `number` counts the frames of both ends from 0.
    struct Flight {
        unsigned from = 0;
        DrpHeader header;
        std::uint64_t number = 0;
        At now = 0;
    };
    struct Outcome {
        Spec spec;
        unsigned initiator = 0;
        At asked_at = 0;
        At ended_at = -1;
        std::uint32_t acknowledged = 0;  ///< REQ_ACKs the upper layer saw
        std::uint32_t completed = 0;
        std::uint32_t failed = 0;
        TransferError error = TransferError::none;
    };

    explicit Pair(const TransportConfig& config) : Pair(config, Delays{}) {}
    Pair(const TransportConfig& config, const Delays& delays)
        : config_(config), delays_(delays), nodes_{Node(*this, 0, config), Node(*this, 1, config)} {}
    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;

    /// How long a frame travels: none = lost, two = duplicated. By default everything arrives, in order.
    std::function<std::vector<At>(const Flight&)> fate;
    /// Does the host's n-th attempt (from 0) to register for this TID succeed? By default yes.
    std::function<bool(Tid tid, unsigned attempt)> registers;

    void transfer(unsigned initiator, const Spec& spec, At at = 0) {
        outcomes.push_back({spec, initiator, at, -1, 0, 0, 0, TransferError::none});
        const std::size_t which = outcomes.size() - 1;
        later(at, [this, which] {
            const Outcome& o = outcomes[which];
            Node& node = nodes_[o.initiator];
            node.regions[{true, o.spec.tid}] = {o.spec.sba, o.spec.length, o.spec.operation == Operation::read, {}};
            node.logic.on_command(Cycle{now_}, start(o.spec), node);
        });
    }

    /// Runs until nothing is pending. Then both ends must be empty and every transfer ended.
    void run(At limit = 1'000'000) {
        while (true) {
            for (Node& node : nodes_) node.logic.refresh_deadline();
            const At timer = std::min(nodes_[0].logic.next_deadline(), nodes_[1].logic.next_deadline()).n;
            const At task = tasks_.empty() ? kNever.n : tasks_.top().at;
            const At next = std::min(timer, task);
            if (next == kNever.n) break;
            if (next > limit) {
                violation("it does not end");
                break;
            }
            now_ = next;
            if (task == next) {
                const std::function<void()> act = tasks_.top().act;
                tasks_.pop();
                act();
            } else {
                for (Node& node : nodes_) expire(node.logic, Cycle{now_}, node);
            }
            for (Node& node : nodes_) node.fetch();
        }
        for (const Node& node : nodes_) {
            if (node.logic.table().used() != 0) violation("a table is not empty");
            if (node.buffer.used() != 0) violation("an indirect buffer is not empty");
            if (!node.regions.empty()) violation("a region is still registered");
        }
        for (const Outcome& o : outcomes) {
            if (o.completed + o.failed != 1) violation("not exactly one end of a transfer", o.spec.tid);
            if (o.acknowledged > 1) violation("more than one REQ_ACK shown to the upper layer", o.spec.tid);
            if (o.completed == 1 && o.acknowledged == 0) violation("completed without a REQ_ACK", o.spec.tid);
        }
    }

    [[nodiscard]] std::uint64_t count(unsigned end, TransportCount c) const { return nodes_[end].logic.count(c); }
    [[nodiscard]] std::uint64_t frames() const { return flights_; }
    [[nodiscard]] std::uint32_t most_buffered(unsigned end) const { return nodes_[end].most_buffered; }

    std::vector<Outcome> outcomes;
    Lines violations;
    Lines log;  ///< every frame that left an end

  private:
    struct Region {
        std::uint64_t base = 0;
        std::uint32_t bytes = 0;
        bool writable = false;
        std::set<std::uint64_t> offsets;  // of the frames received
    };
    /// The host's view of a region for its peer.
    struct Peer {
        std::uint64_t base = 0;
        std::uint32_t bytes = 0;
        bool read = false;
        bool registered = false;
        bool retry_planned = false;
        unsigned attempts = 0;
    };
    using RegionKey = std::pair<bool, Tid>;  // own transfer?
    using PeerKey = std::pair<Tid, Generation>;

    struct Node final : TransportActions {
        Node(Pair& p, unsigned e, const TransportConfig& config)
            : pair(p),
              end(e),
              logic(config),
              buffer(config.method == Method::dynamic ? config.indirect_buffer : 0, config.segment) {}

        void send(const DrpHeader& header) override { pair.travel(end, header, 0); }
        void place(std::uint64_t address, std::uint32_t bytes) override { pair.store(*this, address, bytes, source); }
        [[nodiscard]] bool buffer_full() const override { return buffer.full(); }
        [[nodiscard]] std::uint32_t buffered_of(rnicsim::Peer peer) const override { return buffer.used_by(peer); }
        void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) override {
            buffer.keep(of, sn, address, bytes, {});
            most_buffered = std::max(most_buffered, buffer.used());
            kept[{of.tid, sn.n}] = source;
        }
        void drain(const TransferKey& of) override {
            std::uint32_t last = 0;
            for (const IndirectBuffer::SlotIndex slot : buffer.drain(of)) {
                const IndirectBuffer::Slot& s = buffer.slot(slot);
                if (s.sn.n < last) pair.violation("a bulk DMA is not sorted", s.of.tid);
                last = s.sn.n;
                const Flying was = source;
                source = kept.at({of.tid, s.sn.n});
                pair.store(*this, s.address, s.length, source);
                source = was;
                kept.erase({of.tid, s.sn.n});
                pair.later(pair.now_ + pair.delays_.drain, [this, slot] { buffer.left(slot); });
            }
        }
        void drop(const TransferKey& of) override {
            buffer.drop(of);
            std::erase_if(kept, [&of](const auto& entry) { return entry.first.first == of.tid; });
        }
        void notify(const Event& event) override { pair.host(*this, event); }

        void fetch() {
            while (fetching < pair.delays_.fetches) {
                const std::optional<DataJob> job = logic.next_data(Cycle{pair.now_});
                if (!job) return;
                ++fetching;
                pair.check_source(*this, *job);
                pair.later(pair.now_ + pair.delays_.fetch, [this, j = *job] {
                    --fetching;
                    pair.travel(end, j.header, j.address);
                    logic.on_transmitted(Cycle{pair.now_}, j.entry, *this);
                });
            }
        }

        struct Flying {
            DrpHeader header;
            std::uint64_t address = 0;  // where the payload was read at the other end
        };
        Pair& pair;
        unsigned end;
        TransportLogic logic;
        IndirectBuffer buffer;
        std::uint32_t most_buffered = 0;
        unsigned fetching = 0;
        Flying source;
        std::map<std::pair<Tid, std::uint32_t>, Flying> kept;  // by TID and SN
        std::map<RegionKey, Region> regions;
        std::map<PeerKey, Peer> peers;
        std::map<RegionKey, std::uint32_t> acknowledged;  // highest ACKN that has come, by transfer
    };

    struct Task {
        At at;
        std::uint64_t order;
        std::function<void()> act;
        bool operator<(const Task& other) const { return std::pair(at, order) > std::pair(other.at, other.order); }
    };

    void later(At at, std::function<void()> act) { tasks_.push({at, tasks_planned_++, std::move(act)}); }
    void violation(const std::string& what, Tid tid = Tid{}) {
        violations.push_back(what + " (tid " + std::to_string(raw(tid)) + ", cycle " + std::to_string(now_) + ")");
    }

    void travel(unsigned from, const DrpHeader& header, std::uint64_t address) {
        const bool payload = header.type == DrpType::data && !header.is_ack();
        if (payload) {
            const RegionKey key{header.operation == Operation::write, header.tid};
            if (header.sn >= nodes_[from].acknowledged[key] + config_.window) violation("window exceeded", header.tid);
        }
        const Flight flight{from, header, flights_++, now_};
        const std::vector<At> copies = fate ? fate(flight) : std::vector<At>{delays_.link};
        log.push_back(std::to_string(now_) + " end " + std::to_string(from) + ": " + text(header) +
                      (copies.empty() ? " LOST" : ""));
        for (const At delay : copies) {
            later(now_ + delay, [this, from, header, address] {
                Node& node = nodes_[1 - from];
                if (header.is_ack()) {
                    std::uint32_t& known = node.acknowledged[{header.operation == Operation::write, header.tid}];
                    known = std::max(known, header.ackn);
                }
                node.source = {header, address};
                node.logic.on_frame(Cycle{now_}, header, node);
            });
        }
    }

    /// Data may only be read where it has been registered.
    void check_source(const Node& node, const DataJob& job) {
        const auto region = node.regions.find({job.header.operation == Operation::write, job.header.tid});
        if (region == node.regions.end() || job.address < region->second.base ||
            job.address + job.header.len > region->second.base + region->second.bytes) {
            violation("data read outside a registered region", job.header.tid);
        }
    }

    void store(Node& node, std::uint64_t address, std::uint32_t bytes, const Node::Flying& from) {
        const DrpHeader& h = from.header;
        const bool own = h.operation == Operation::read;
        const auto found = node.regions.find({own, h.tid});
        if (found == node.regions.end()) return violation("memory written without a region", h.tid);
        Region& region = found->second;
        if (!region.writable || address < region.base || address + bytes > region.base + region.bytes)
            return violation("memory written outside the region", h.tid);
        const std::uint64_t offset = address - region.base;
        const std::uint64_t source_base = own ? h.dba : h.sba;
        if (bytes != h.len || from.address - source_base != offset) violation("wrong bytes", h.tid);
        if (!region.offsets.insert(offset).second) violation("placed twice", h.tid);
        if (!own) landed_[{node.end, h.tid}][offset] = bytes;
        if (own) own_landed_[{node.end, h.tid}][offset] = bytes;
    }

    void host(Node& node, const Event& event) {
        switch (event.code) {
            case EventCode::register_region: {
                const PeerKey key{event.tid, event.generation};
                Peer& peer = node.peers[key];
                peer.base = event.dba;
                peer.bytes = event.length;
                peer.read = event.read != 0;
                later(now_ + delays_.host, [this, &node, key] { attempt(node, key, true); });
                break;
            }
            case EventCode::released:
                node.peers.erase({event.tid, event.generation});
                node.regions.erase({false, event.tid});
                break;
            case EventCode::request_acknowledged:
            case EventCode::completed:
            case EventCode::failed: report(node, event); break;
            case EventCode::frame_received:
            case EventCode::none: violation("unexpected event", event.tid); break;
        }
    }

    void attempt(Node& node, const PeerKey& key, bool was_asked) {
        const auto found = node.peers.find(key);
        if (found == node.peers.end()) return;
        const auto [tid, generation] = key;
        Peer& peer = found->second;
        if (!was_asked) {
            peer.retry_planned = false;
            if (peer.registered) return;
        }
        Command command;
        command.tid = tid;
        command.generation = generation;
        if (peer.registered || !registers || registers(tid, peer.attempts++)) {
            if (!peer.registered) node.regions[{false, tid}] = {peer.base, peer.bytes, !peer.read, {}};
            peer.registered = true;
            command.code = CommandCode::registered;
            node.logic.on_command(Cycle{now_}, command, node);
            return;
        }
        if (delays_.retry != 0 && config_.method == Method::dynamic && !peer.retry_planned) {
            peer.retry_planned = true;
            later(now_ + delays_.retry, [this, &node, key] { attempt(node, key, false); });
        }
        command.code = CommandCode::not_registered;
        if (was_asked) node.logic.on_command(Cycle{now_}, command, node);
    }

    void report(Node& node, const Event& event) {
        const auto found = std::ranges::find_if(
            outcomes, [&](const Outcome& o) { return o.initiator == node.end && o.spec.tid == event.tid; });
        if (found == outcomes.end()) return violation("event of an unknown transfer", event.tid);
        if (found->ended_at >= 0) violation("event after the end", event.tid);
        if (event.code == EventCode::request_acknowledged) {
            ++found->acknowledged;
            return;
        }
        found->ended_at = now_;
        node.regions.erase({true, event.tid});
        if (event.code == EventCode::failed) {
            ++found->failed;
            found->error = static_cast<TransferError>(event.status);
            return;
        }
        ++found->completed;
        const auto& there = found->spec.operation == Operation::read ? own_landed_[{node.end, event.tid}]
                                                                     : landed_[{1 - node.end, event.tid}];
        std::uint64_t next = 0;
        for (const auto& [offset, bytes] : there) {
            if (offset != next) break;
            next += bytes;
        }
        if (next != found->spec.length) violation("completed before all bytes are there", event.tid);
    }

    TransportConfig config_;
    Delays delays_;
    At now_ = 0;
    std::uint64_t flights_ = 0;
    std::uint64_t tasks_planned_ = 0;
    std::priority_queue<Task> tasks_;
    std::array<Node, 2> nodes_;
    // Memory: what has been placed for a transfer, by end and TID; it outlives the registration.
    std::map<std::pair<unsigned, Tid>, std::map<std::uint64_t, std::uint32_t>> landed_;      // by the peer
    std::map<std::pair<unsigned, Tid>, std::map<std::uint64_t, std::uint32_t>> own_landed_;  // own reads
};

}  // namespace rnicsim
