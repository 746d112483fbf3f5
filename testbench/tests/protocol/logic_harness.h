// One TransportLogic, or two joined by a wire, with everything they do written down. No SystemC: time is a number.
#pragma once

#include "model/rnic/transport_logic.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

using Lines = std::vector<std::string>;
using At = std::int64_t;  ///< cycles

inline Lines operator+(Lines a, const Lines& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// ---- What the tests talk about ------------------------------------------------------------------------------------

/// Round numbers, all different, so that a test that confuses two of them fails.
inline TransportConfig small_config(Method method = Method::dynamic) {
    TransportConfig config;
    config.method = method;
    config.segment = 1000;
    config.window = 8;
    config.request_timer = Cycle{100};
    config.data_timer = Cycle{300};
    config.release_timer = Cycle{50};
    config.idle_timeout = Cycle{2000};
    config.max_requests = 4;
    config.max_retransmissions = 3;
    config.table_entries = 4;
    config.indirect_buffer = 10'000;  // ten frames
    return config;
}

/// A transfer. 2500 bytes: two whole frames and a short one.
struct Spec {
    Operation operation = Operation::write;
    Tid tid{7};
    std::uint32_t length = 2500;
    std::uint64_t sba = 0x1'0000;
    std::uint64_t dba = 0x20'0000;
    std::uint32_t segment = 1000;

    [[nodiscard]] std::uint32_t frames() const { return (length + segment - 1) / segment; }
    [[nodiscard]] std::uint32_t bytes(std::uint32_t sn) const {
        return sn + 1 == frames() ? length - sn * segment : segment;
    }
};
inline Spec write_of(std::uint32_t length, std::uint16_t tid = 7) {
    return {Operation::write, Tid{tid}, length, 0x1'0000, 0x20'0000, 1000};
}
inline Spec read_of(std::uint32_t length, std::uint16_t tid = 7) {
    return {Operation::read, Tid{tid}, length, 0x1'0000, 0x20'0000, 1000};
}

inline DrpHeader req(const Spec& s) {
    return {DrpType::req, s.operation, false, false, 0, s.tid, s.length, s.segment, 0, s.sba, s.dba};
}
inline DrpHeader req_ack(const Spec& s, bool valid) {
    return {DrpType::req_ack, s.operation, false, valid, 0, s.tid, s.length, s.segment, 0, s.sba, s.dba};
}
inline DrpHeader data(const Spec& s, std::uint32_t sn, bool indirect = false) {
    return {DrpType::data, s.operation, indirect, false, 0, s.tid, s.bytes(sn), sn, 0, s.sba, s.dba};
}
inline DrpHeader ack(const Spec& s, std::uint32_t expected) {
    return {DrpType::data, s.operation, false, false, 0, s.tid, 0, 0, expected, s.sba, s.dba};
}
inline DrpHeader rel(const Spec& s) {
    return {DrpType::rel, s.operation, false, false, 0, s.tid, 0, 0, 0, s.sba, s.dba};
}
inline DrpHeader rel_ack(const Spec& s) {
    return {DrpType::rel_ack, s.operation, false, false, 0, s.tid, 0, 0, 0, s.sba, s.dba};
}
inline Command start(const Spec& s) {
    Command command;
    command.code = s.operation == Operation::write ? CommandCode::rdma_write : CommandCode::rdma_read;
    command.tid = s.tid;
    command.length = s.length;
    command.sba = s.sba;
    command.dba = s.dba;
    return command;
}
inline Command verdict(const Spec& s, bool valid) {
    Command command;
    command.code = valid ? CommandCode::registered : CommandCode::not_registered;
    command.tid = s.tid;
    return command;
}

// ---- How it is written down ---------------------------------------------------------------------------------------

/// Every field that protocol.md defines for the type of the frame, and only those.
inline std::string text(const DrpHeader& h) {
    const auto number = [](std::uint64_t n) { return std::to_string(n); };
    std::string s;
    switch (h.type) {
        case DrpType::req: s = "REQ len " + number(h.len) + " segment " + number(h.sn); break;
        case DrpType::req_ack: s = std::string("REQ_ACK ") + (h.valid ? "valid" : "invalid"); break;
        case DrpType::data:
            s = h.is_ack() ? "ACK " + number(h.ackn)
                           : "DATA " + number(h.sn) + " len " + number(h.len) + " mode " + (h.indirect ? "1" : "0");
            break;
        case DrpType::rel: s = "REL"; break;
        case DrpType::rel_ack: s = "REL_ACK"; break;
    }
    return s + (h.operation == Operation::write ? " write" : " read") + " tid " + number(raw(h.tid)) + " sba " +
           number(h.sba) + " dba " + number(h.dba) + (h.ext != 0 ? " ext" : "");
}
inline std::string sent(const DrpHeader& h) { return "send " + text(h); }
inline std::string fetched(const Spec& s, std::uint32_t sn, bool indirect = false) {
    const std::uint64_t base = s.operation == Operation::write ? s.sba : s.dba;
    return text(data(s, sn, indirect)) + " from " + std::to_string(base + std::uint64_t{sn} * s.segment);
}
inline std::string placed(std::uint64_t address, std::uint32_t bytes) {
    return "place " + std::to_string(address) + "+" + std::to_string(bytes);
}
/// The right place for frame `sn`.
inline std::string placed(const Spec& s, std::uint32_t sn) {
    return placed((s.operation == Operation::write ? s.dba : s.sba) + std::uint64_t{sn} * s.segment, s.bytes(sn));
}
inline std::string kept(std::uint64_t address, std::uint32_t bytes) {
    return "keep " + std::to_string(address) + "+" + std::to_string(bytes);
}
inline std::string kept(const Spec& s, std::uint32_t sn) { return "keep" + placed(s, sn).substr(5); }
inline std::string discarded(const Spec& s, std::uint32_t sn) { return "discard" + placed(s, sn).substr(5); }
/// One bulk DMA with these frames, in this order.
inline std::string drained(const Spec& s, const std::vector<std::uint32_t>& sns) {
    std::string line = "drain";
    for (const std::uint32_t sn : sns) line += placed(s, sn).substr(5);
    return line;
}

inline std::string text(const Event& e) {
    const std::string tid = " tid " + std::to_string(raw(e.tid));
    switch (e.code) {
        case EventCode::request_acknowledged:
            return std::string("host: acknowledged") + (e.status != 0 ? ", simulated" : "") + tid;
        case EventCode::completed: return std::string("host: completed") + (e.indirect != 0 ? ", indirect" : "") + tid;
        case EventCode::failed:
            return std::string("host: failed, ") + error_name(static_cast<TransferError>(e.status)) + tid;
        case EventCode::register_region:
            return "host: register " + std::to_string(e.dba) + "+" + std::to_string(e.length) +
                   (e.read != 0 ? " to be read" : " to be written") + tid;
        case EventCode::released: return "host: released" + tid;
        case EventCode::frame_received:
        case EventCode::none: break;
    }
    return "host: ?" + tid;
}
inline std::string told(EventCode code, const Spec& s, bool flag = false) {
    Event e;
    e.code = code;
    e.tid = s.tid;
    e.length = s.length;
    e.dba = s.dba;
    e.read = s.operation == Operation::read ? 1 : 0;
    e.indirect = flag ? 1 : 0;
    if (code == EventCode::request_acknowledged) e.status = flag ? 1 : 0;
    return text(e);
}
inline std::string acknowledged(const Spec& s) { return told(EventCode::request_acknowledged, s); }
inline std::string simulated(const Spec& s) { return told(EventCode::request_acknowledged, s, true); }
inline std::string completed(const Spec& s, bool indirect = false) { return told(EventCode::completed, s, indirect); }
inline std::string asked(const Spec& s) { return told(EventCode::register_region, s); }
inline std::string released(const Spec& s) { return told(EventCode::released, s); }
inline std::string failed(const Spec& s, TransferError error) {
    Event e;
    e.code = EventCode::failed;
    e.status = static_cast<std::uint8_t>(error);
    e.tid = s.tid;
    return text(e);
}

/// What the hardware would be asked to do.
class Recorder final : public TransportActions {
  public:
    void watch(const TransportLogic& logic) { logic_ = &logic; }
    void send(const DrpHeader& header) override { lines_.push_back(sent(header)); }
    void place(std::uint64_t address, std::uint32_t bytes) override { lines_.push_back(placed(address, bytes)); }
    void keep(IndirectBuffer::SlotIndex slot) override { lines_.push_back("keep" + where(slot)); }
    void drain(std::span<const IndirectBuffer::SlotIndex> slots) override {
        std::string line = "drain";
        for (const IndirectBuffer::SlotIndex slot : slots) line += where(slot);
        lines_.push_back(line);
        draining_.assign(slots.begin(), slots.end());
    }
    void discard(IndirectBuffer::SlotIndex slot) override { lines_.push_back("discard" + where(slot)); }
    void notify(const Event& event) override { lines_.push_back(text(event)); }

    void add(std::string line) { lines_.push_back(std::move(line)); }
    Lines take() { return std::exchange(lines_, {}); }
    std::vector<IndirectBuffer::SlotIndex> take_draining() { return std::exchange(draining_, {}); }

  private:
    [[nodiscard]] std::string where(IndirectBuffer::SlotIndex index) const {
        const IndirectBuffer::Slot& slot = logic_->buffer().slot(index);
        return " " + std::to_string(slot.address) + "+" + std::to_string(slot.length);
    }

    const TransportLogic* logic_ = nullptr;
    Lines lines_;
    std::vector<IndirectBuffer::SlotIndex> draining_;
};

// ---- One end ------------------------------------------------------------------------------------------------------

/// One RNIC's logic. Every input returns all that follows from it, so that a comparison also finds what is too much.
class End {
  public:
    explicit End(const TransportConfig& config = small_config()) : logic(config) { recorder_.watch(logic); }

    Lines command(At at, const Command& command) {
        logic.on_command(Cycle{at}, command, recorder_);
        return recorder_.take();
    }
    Lines frame(At at, const DrpHeader& header) {
        logic.on_frame(Cycle{at}, header, recorder_);
        return recorder_.take();
    }
    Lines timers(At at) {
        logic.on_timers(Cycle{at}, recorder_);
        return recorder_.take();
    }
    /// What happens at exactly this cycle; a cycle earlier nothing must.
    Lines expiry(At at) {
        CHECK(timers(at - 1) == Lines{});
        CHECK(logic.next_deadline() == Cycle{at});
        return timers(at);
    }
    /// Sends all data that may be sent (or the first `most` frames) and what follows from its having left.
    Lines send_data(At at, std::uint32_t most = 1000) {
        while (most-- != 0) {
            const std::optional<DataJob> job = logic.next_data(Cycle{at});
            if (!job) break;
            recorder_.add(text(job->header) + " from " + std::to_string(job->address));
            logic.on_transmitted(Cycle{at}, job->entry, recorder_);
        }
        return recorder_.take();
    }
    /// A frame that has been fetched and has not left yet.
    DataJob fetch(At at) {
        const std::optional<DataJob> job = logic.next_data(Cycle{at});
        REQUIRE(job);
        return *job;
    }
    Lines left(At at, const DataJob& job) {
        logic.on_transmitted(Cycle{at}, job.entry, recorder_);
        return recorder_.take();
    }
    /// The bulk DMA asked for last has gone to memory.
    void drain_done() {
        for (const IndirectBuffer::SlotIndex slot : recorder_.take_draining()) logic.drained(slot);
    }

    // Short cuts to where a test begins.
    /// Initiator, valid REQ_ACK received at `at`; a write may send, a read has said "ready".
    void establish(const Spec& s, At at = 0) {
        command(at, start(s));
        frame(at, req_ack(s, true));
    }
    /// Responder, valid REQ_ACK issued at `at`.
    void accept(const Spec& s, At at = 0) {
        frame(at, req(s));
        command(at, verdict(s, true));
    }
    /// Responder, invalid REQ_ACK issued at `at`.
    void refuse(const Spec& s, At at = 0) {
        frame(at, req(s));
        command(at, verdict(s, false));
    }

    [[nodiscard]] std::uint64_t count(TransportCount c) const { return logic.count(c); }
    [[nodiscard]] bool empty() const { return logic.table().used() == 0 && logic.buffer().used() == 0; }

    TransportLogic logic;

  private:
    Recorder recorder_;
};

// ---- Two ends -----------------------------------------------------------------------------------------------------

/// Two ends, a wire that does what the test says, and a host at each end. Memory has no bytes: a placed frame is known
/// by where it was read. Everything of protocol.md section 7 is checked all the time; breaches stand in `violations`.
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
    /// A frame about to travel. `number` counts the frames of both ends from 0.
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

    /// Until nothing is left to happen. Then both ends must be empty and every transfer ended.
    void run(At limit = 1'000'000) {
        while (true) {
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
                for (Node& node : nodes_) node.logic.on_timers(Cycle{now_}, node);
            }
            for (Node& node : nodes_) node.fetch();
        }
        for (const Node& node : nodes_) {
            if (node.logic.table().used() != 0) violation("a table is not empty");
            if (node.logic.buffer().used() != 0) violation("an indirect buffer is not empty");
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
    [[nodiscard]] std::uint32_t most_buffered(unsigned end) const { return nodes_[end].logic.buffer().high_water(); }

    std::vector<Outcome> outcomes;
    Lines violations;
    Lines log;  ///< every frame that left an end

  private:
    struct Region {
        std::uint64_t base = 0;
        std::uint32_t bytes = 0;
        bool writable = false;
        std::set<std::uint64_t> offsets;  // of the frames that are here
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

    struct Node final : TransportActions {
        Node(Pair& p, unsigned e, const TransportConfig& config) : pair(p), end(e), logic(config) {}

        void send(const DrpHeader& header) override { pair.travel(end, header, 0); }
        void place(std::uint64_t address, std::uint32_t bytes) override { pair.store(*this, address, bytes, source); }
        void keep(IndirectBuffer::SlotIndex slot) override { kept[slot] = source; }
        void drain(std::span<const IndirectBuffer::SlotIndex> slots) override {
            std::uint32_t last = 0;
            for (const IndirectBuffer::SlotIndex slot : slots) {
                const IndirectBuffer::Slot& s = logic.buffer().slot(slot);
                if (s.sn.n < last) pair.violation("a bulk DMA is not sorted", s.tid);
                last = s.sn.n;
                const Flying was = source;
                source = kept.at(slot);
                pair.store(*this, s.address, s.length, source);
                source = was;
                kept.erase(slot);
                pair.later(pair.now_ + pair.delays_.drain, [this, slot] { logic.drained(slot); });
            }
        }
        void discard(IndirectBuffer::SlotIndex slot) override { kept.erase(slot); }
        void notify(const Event& event) override { pair.host(*this, event); }

        void fetch() {
            while (fetching < pair.delays_.fetches) {
                const std::optional<DataJob> job = logic.next_data(Cycle{pair.now_});
                if (!job) return;
                ++fetching;
                pair.check_source(*this, *job);
                pair.later(pair.now_ + pair.delays_.fetch, [this, j = *job] {
                    --fetching;
                    if (logic.wanted(j.entry, Sn{j.header.sn})) pair.travel(end, j.header, j.address);
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
        unsigned fetching = 0;
        Flying source;
        std::map<IndirectBuffer::SlotIndex, Flying> kept;
        std::map<RegionKey, Region> regions;
        std::map<Tid, Peer> peers;
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
                Peer& peer = node.peers[event.tid];
                peer.base = event.dba;
                peer.bytes = event.length;
                peer.read = event.read != 0;
                later(now_ + delays_.host, [this, &node, tid = event.tid] { attempt(node, tid, true); });
                break;
            }
            case EventCode::released:
                node.peers.erase(event.tid);
                node.regions.erase({false, event.tid});
                break;
            case EventCode::request_acknowledged:
            case EventCode::completed:
            case EventCode::failed: tell(node, event); break;
            case EventCode::frame_received:
            case EventCode::none: violation("unexpected event", event.tid); break;
        }
    }

    void attempt(Node& node, Tid tid, bool was_asked) {
        const auto found = node.peers.find(tid);
        if (found == node.peers.end()) return;
        Peer& peer = found->second;
        if (!was_asked) {
            peer.retry_planned = false;
            if (peer.registered) return;
        }
        Command command;
        command.tid = tid;
        if (peer.registered || !registers || registers(tid, peer.attempts++)) {
            if (!peer.registered) node.regions[{false, tid}] = {peer.base, peer.bytes, !peer.read, {}};
            peer.registered = true;
            command.code = CommandCode::registered;
            node.logic.on_command(Cycle{now_}, command, node);
            return;
        }
        if (delays_.retry != 0 && config_.method == Method::dynamic && !peer.retry_planned) {
            peer.retry_planned = true;
            later(now_ + delays_.retry, [this, &node, tid] { attempt(node, tid, false); });
        }
        command.code = CommandCode::not_registered;
        if (was_asked) node.logic.on_command(Cycle{now_}, command, node);
    }

    void tell(Node& node, const Event& event) {
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
