// The transport controller in Verilog against TransportLogic, decision by decision: inputs that no well-behaved peer or
// host would give included.
#include "model/rtl/rtl_blocks.h"
#include "testbench/tests/protocol/logic_harness.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <random>

namespace rnicsim {
namespace {

constexpr Cycle kDecision{8};
constexpr std::uint32_t kEntries = 64;

/// Writes down every field: also those that mean nothing in a frame of this type, for they are on the wire, and those
/// that a host has no use for.
class EveryField final : public TransportActions {
  public:
    explicit EveryField(const TransportConfig& config) : recorder(config) {}
    void send(const DrpHeader& h) override {
        recorder.send(h);
        add("header", {static_cast<std::uint64_t>(h.type), static_cast<std::uint64_t>(h.operation), h.indirect, h.valid,
                       raw(h.tid), h.len, h.sn, h.ackn, h.sba, h.dba});
    }
    void place(std::uint64_t address, std::uint32_t bytes) override { recorder.place(address, bytes); }
    [[nodiscard]] bool buffer_full() const override { return recorder.buffer_full(); }
    void keep(Tid tid, Sn sn, std::uint64_t address, std::uint32_t bytes) override {
        recorder.keep(tid, sn, address, bytes);
        add("kept", {raw(tid), sn.n});
    }
    void drain(Tid tid) override { recorder.drain(tid); }
    void drop(Tid tid) override { recorder.drop(tid); }
    void notify(const Event& e) override {
        recorder.notify(e);
        add("event", {static_cast<std::uint64_t>(e.code), e.status, raw(e.tid), e.length, e.dba, e.read, e.indirect});
    }

    Recorder recorder;

  private:
    void add(std::string line, std::initializer_list<std::uint64_t> fields) {
        for (const std::uint64_t field : fields) line += " " + std::to_string(field);
        recorder.add(std::move(line));
    }
};

/// One engine with everything that it does written down.
class Side final : public TransportObserver {
  public:
    Side(std::unique_ptr<TransportEngine> engine, const TransportConfig& config)
        : engine_(std::move(engine)), actions(config) {
        engine_->set_observer(this);
    }
    void noted(TransportCount what, Role role, Tid tid) override {
        recorder.add(std::string(kTransportCountNames[static_cast<std::size_t>(what)]) +
                     (role == Role::initiator ? " i" : " r") + std::to_string(raw(tid)));
    }
    TransportEngine& operator*() { return *engine_; }
    TransportEngine* operator->() { return engine_.get(); }

  private:
    std::unique_ptr<TransportEngine> engine_;

  public:
    EveryField actions;
    Recorder& recorder = actions.recorder;
};

std::unique_ptr<TransportEngine> verilog(const TransportConfig& config) {
    RnicConfig rnic = default_config().ends[0].rnic;
    rnic.transport = config;
    rnic.blocks[Block::transport_controller] = "rtl";
    return RtlBlocks().transport(rnic);
}

/// Both, in step: decisions one after another, timers as the scanner finds them.
class Both {
  public:
    explicit Both(const TransportConfig& config, Cycle from = Cycle{1000})
        : Both(config, from, std::make_unique<TransportLogic>(config)) {}

    void frame(const DrpHeader& header, Cycle wait = {}) {
        begin(wait);
        each([&](Side& side) { side->on_frame(free_, header, side.actions); }, "frame: " + text(header));
    }
    void command(const Command& command, Cycle wait = {}) {
        begin(wait);
        each([&](Side& side) { side->on_command(free_, command, side.actions); },
             "command " + std::to_string(static_cast<int>(command.code)) + " tid " + std::to_string(raw(command.tid)));
    }
    /// Fetches a data frame if there is one to send.
    bool fetch(Cycle wait = {}) {
        reach(free_ + wait);  // timers may put an end to it
        if (!logic->has_data() || jobs.size() == 14) return false;
        begin({});
        each(
            [&](Side& side) {
                const DataJob job = *side->next_data(free_);
                side.recorder.add("fetch " + text(job.header) + " from " + std::to_string(job.address) + " entry " +
                                  std::to_string(job.entry));
                if (&side == &model_) jobs.push_back(job.entry);
            },
            "fetch");
        return true;
    }
    /// The oldest data frame leaves.
    void sent(Cycle wait = {}) {
        if (jobs.empty()) return;
        begin(wait);
        const ConnectionTable::Index entry = jobs.front();
        jobs.pop_front();
        each([&](Side& side) { side->on_transmitted(free_, entry, side.actions); }, "sent");
    }
    void pause(Cycle wait) { reach(free_ + wait); }

    TransportLogic* logic;
    std::deque<ConnectionTable::Index> jobs;  // entries of the data frames between fetch and wire
    std::uint64_t decisions = 0;

  private:
    Both(const TransportConfig& config, Cycle from, std::unique_ptr<TransportLogic> model)
        : logic(model.get()),
          model_(std::move(model), config),
          verilog_(verilog(config), config),
          free_(from),
          idle_(from) {}

    /// Time passes, timers are served, and a decision is made up to `free_`.
    void begin(Cycle wait) {
        reach(free_ + wait);
        free_ += kDecision;
    }
    void reach(Cycle at) {
        timers(at);
        if (free_ >= at) return;
        idle_ += at - free_;
        free_ = at;
    }
    void timers(Cycle until) {
        while (true) {
            const auto position = static_cast<ConnectionTable::Index>(idle_.n % kEntries);
            const TransportEngine::Expiry expected = model_->next_expiry(free_, position);
            const TransportEngine::Expiry found = verilog_->next_expiry(free_, position);
            REQUIRE(found.found.n == expected.found.n);
            REQUIRE(found.entry == expected.entry);
            if (expected.found >= until) return;
            idle_ += expected.found - free_;
            free_ = expected.found + kDecision;
            each([&](Side& side) { side->on_timer(free_, expected.entry, side.actions); }, "timer");
        }
    }
    template <typename Input>
    void each(Input input, const std::string& what) {
        ++decisions;
        input(model_);
        input(verilog_);
        Lines expected = model_.recorder.take();
        Lines found = verilog_.recorder.take();
        std::ranges::sort(expected);  // within a decision everything happens at its end
        std::ranges::sort(found);
        INFO(what << " at cycle " << free_.n);
        REQUIRE(found == expected);
        REQUIRE(verilog_->has_data() == model_->has_data());
        REQUIRE(verilog_->entries_used() == model_->entries_used());
        for (Side* side : {&model_, &verilog_}) {
            for (const IndirectBuffer::SlotIndex slot : side->recorder.take_draining())
                side->recorder.buffer.left(slot);
        }
    }

    Side model_, verilog_;
    Cycle free_;
    Cycle idle_;  // cycles outside decisions: where the scanner is
};

TransportConfig config_of(Method method = Method::dynamic) {
    TransportConfig config = small_config(method);
    config.table_entries = kEntries;
    return config;
}

/// Frames and commands that follow from the state of the table, or from nothing.
class Chance {
  public:
    Chance(Both& both, const TransportConfig& config, unsigned seed, std::uint32_t tids, std::uint32_t starts)
        : both_(both), config_(config), random_(seed), tids_(tids), starts_(starts) {}

    void step() {
        const Cycle wait{pick({0, 0, 0, 1, 7, 30, 100, 400})};
        if (below(20) < starts_) return both_.command(start(), wait);
        switch (below(19)) {
            case 0:
            case 1: both_.command(verdict(), wait); break;
            case 2: both_.pause(Cycle{pick({1, 63, 64, 300, 2500})}); break;
            case 3:
            case 4:
            case 5: both_.sent(wait); break;
            case 6:
            case 7:
            case 8:
                if (both_.fetch(wait)) break;
                [[fallthrough]];
            default: both_.frame(frame(), wait);
        }
    }

  private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    std::int64_t pick(std::initializer_list<std::int64_t> of) {
        return *(of.begin() + below(static_cast<std::uint32_t>(of.size())));
    }
    Tid tid() { return Tid{static_cast<std::uint16_t>(below(tids_))}; }
    std::uint64_t base() { return 0x1'0000 * (1 + below(2)) + 0x1'0000'0000 * below(2); }
    std::uint32_t length() { return static_cast<std::uint32_t>(pick({1, 999, 1000, 1001, 2500, 8000, 9999, 20'000})); }

    Command start() {
        Command command;
        command.code = below(2) == 0 ? CommandCode::rdma_write : CommandCode::rdma_read;
        command.tid = tid();
        for (const ConnectionTable::Index i : both_.logic->table().active()) {
            const Transfer& t = both_.logic->table()[i];
            // No host uses a TID of its own twice at a time.
            if (t.role == Role::initiator && t.tid == command.tid) command.code = CommandCode::not_registered;
        }
        command.length = length();
        command.sba = base();
        command.dba = base();
        return command;
    }
    const Transfer* entry() {
        const auto& active = both_.logic->table().active();
        return active.empty() || below(6) == 0
                   ? nullptr
                   : &both_.logic->table()[active[below(static_cast<std::uint32_t>(active.size()))]];
    }
    Command verdict() {
        Command command;
        command.code = below(2) == 0 ? CommandCode::registered : CommandCode::not_registered;
        const Transfer* const t = entry();
        command.tid = t != nullptr ? t->tid : tid();
        return command;
    }
    DrpHeader frame() {
        DrpHeader h;
        h.type = std::array{DrpType::req,  DrpType::req_ack, DrpType::data, DrpType::data,   DrpType::data,
                            DrpType::data, DrpType::data,    DrpType::rel,  DrpType::rel_ack}[below(9)];
        const Transfer* const t = entry();
        if (t != nullptr && below(3) != 0) {  // what this entry waits for
            const bool initiator = t->role == Role::initiator;
            if (h.type == DrpType::req && initiator) h.type = DrpType::req_ack;
            if (h.type == DrpType::req_ack && !initiator) h.type = DrpType::req;
            if (h.type == DrpType::rel && initiator) h.type = DrpType::rel_ack;
            if (h.type == DrpType::rel && t->receiver.expected().n < 2 && below(4) != 0) h.type = DrpType::data;
        }
        h.operation = t != nullptr ? t->operation : static_cast<Operation>(below(2));
        if (below(12) == 0) h.operation = static_cast<Operation>(below(2));
        h.indirect = below(3) != 0;
        h.valid = below(2) == 0;
        h.tid = t != nullptr ? t->tid : tid();
        h.sba = t != nullptr && below(8) != 0 ? t->sba : base();
        h.dba = t != nullptr && below(8) != 0 ? t->dba : base();
        h.sn = h.len = h.ackn = 0;
        if (h.type == DrpType::req || h.type == DrpType::req_ack) {
            h.len = t != nullptr && t->length != 0 && below(8) != 0 ? t->length : length();
            h.sn = below(12) == 0 ? 999 : config_.segment;
        } else if (h.type == DrpType::data) {
            const bool acknowledges = t != nullptr ? t->sends_data() : below(2) == 0;
            if (acknowledges) {
                h.ackn = t != nullptr ? t->sender.oldest_unacknowledged().n + below(4) : below(12);
                if (t != nullptr && below(3) == 0) h.ackn = t->sender.next_new().n;
                if (below(10) == 0) h.ackn = below(2) == 0 ? 0 : h.ackn + 9;
            } else {
                h.sn = t != nullptr ? t->receiver.expected().n + below(3) * below(4) : below(12);
                if (below(10) == 0) h.sn = below(2) == 0 ? h.sn + 8 : below(3);
                if (below(40) == 0) h.sn = 0xFFFF'FFFF - below(3);
                const bool last = t != nullptr && t->length != 0 && h.sn + 1 == t->frames();
                h.len = last ? t->length - h.sn * config_.segment : config_.segment;
                if (below(10) == 0) h.len = static_cast<std::uint32_t>(pick({1, 500, 999, 1001}));
            }
        }
        return h;
    }

    Both& both_;
    TransportConfig config_;
    std::mt19937 random_;
    std::uint32_t tids_;
    std::uint32_t starts_;  // of 20 steps
};

TEST_CASE("a full table: requests and data are dropped, a command gets an error", "[cosim]") {
    Both both(config_of());
    for (std::uint16_t tid = 0; tid < kEntries; ++tid) {
        tid % 2 == 0 ? both.command(start(write_of(2500, tid))) : both.frame(req(read_of(2500, tid)));
    }
    CHECK(both.logic->entries_used() == kEntries);
    both.command(start(write_of(2500, 100)));
    both.frame(req(write_of(2500, 101)));
    both.frame(data(write_of(2500, 102), 0, true));
    CHECK(both.logic->count(TransportCount::table_full) == 3);
    both.pause(Cycle{20'000});  // all give up
    CHECK(both.logic->entries_used() == 0);
    both.command(start(write_of(2500, 100)));
    CHECK(both.logic->entries_used() == 1);
}

TEST_CASE("window edges: every ACKN and every SN around them", "[cosim]") {
    for (const std::uint32_t window : {1U, 2U, 7U, 8U}) {
        TransportConfig config = config_of();
        config.window = window;
        for (std::uint32_t position = 0; position < 11; ++position) {
            Both both(config);
            const Spec s = write_of(10'500);
            both.command(start(s));
            both.frame(req_ack(s, true));
            while (both.fetch()) both.sent();
            for (std::uint32_t k = 0; k < 13; ++k) both.frame(ack(s, k * position % 12));
            while (both.fetch()) both.sent();
            Both other(config);
            other.frame(req(s));
            other.command(verdict(s, true));
            for (std::uint32_t sn = 0; sn < position; ++sn) other.frame(data(s, sn));
            for (std::uint32_t sn = 0; sn < 11; ++sn) other.frame(data(s, (sn + position) % 11));
        }
    }
}

TEST_CASE("the last, short frame: one byte, a byte less than a segment, a whole segment", "[cosim]") {
    for (const std::uint32_t length : {1U, 999U, 1000U, 1001U, 1999U, 2000U, 2001U}) {
        for (const Operation operation : {Operation::write, Operation::read}) {
            Spec s = write_of(length);
            s.operation = operation;
            Both initiator(config_of()), responder(config_of());
            initiator.command(start(s));
            responder.frame(req(s));
            responder.command(verdict(s, true));
            initiator.frame(req_ack(s, true));
            if (operation == Operation::read) responder.frame(ack(s, 0));
            Both& sender = operation == Operation::write ? initiator : responder;
            Both& receiver = operation == Operation::write ? responder : initiator;
            while (sender.fetch()) sender.sent();
            for (std::uint32_t sn = 0; sn < s.frames(); ++sn) receiver.frame(data(s, sn));
            sender.frame(ack(s, s.frames()));
            responder.frame(rel(s));
            initiator.frame(rel_ack(s));
            CHECK(initiator.logic->count(TransportCount::completed) == 1);
            CHECK(responder.logic->count(TransportCount::completed) == 1);
        }
    }
}

TEST_CASE("a timer and an acknowledgement at the same time, and all phases of the scanner", "[cosim]") {
    for (std::int64_t offset = -80; offset <= 80; ++offset) {
        Both both(config_of());
        const Spec s = write_of(2500);
        both.command(start(s));
        both.frame(req_ack(s, true));
        both.fetch();
        both.fetch();
        both.frame(ack(s, 1), Cycle{300 + offset});  // the data timer is 300
        both.pause(Cycle{400});
    }
}

TEST_CASE("a full indirect buffer, and the resume when it has been drained", "[cosim]") {
    for (const bool resume : {true, false}) {
        TransportConfig config = config_of();
        config.resume_on_valid_ack = resume;
        const Spec s = write_of(20'500);
        Both responder(config), initiator(config);
        responder.frame(req(s));
        responder.command(verdict(s, false));
        for (std::uint32_t sn = 0; sn < 12; ++sn) responder.frame(data(s, sn, true));
        CHECK(responder.logic->count(TransportCount::buffer_full) == 2);
        responder.command(verdict(s, true));
        responder.frame(data(s, 10, true));
        initiator.command(start(s));
        initiator.frame(req_ack(s, false));
        while (initiator.fetch()) initiator.sent();
        initiator.frame(ack(s, 5));
        while (initiator.fetch()) initiator.sent();
        initiator.frame(req_ack(s, true));
        while (initiator.fetch()) initiator.sent();
        CHECK(initiator.logic->count(TransportCount::resumed) == (resume ? 1 : 0));
    }
}

TEST_CASE("transfers whose TIDs differ in one bit, at both ends, while they last and when they are over", "[cosim]") {
    Both both(config_of());
    const auto each_tid = [](auto what) {
        what(std::uint16_t{0});
        for (unsigned bit = 0; bit < 16; ++bit) what(static_cast<std::uint16_t>(1U << bit));
    };
    each_tid([&](std::uint16_t tid) { both.command(start(write_of(2500, tid))); });
    each_tid([&](std::uint16_t tid) { both.frame(req_ack(write_of(2500, tid), false)); });
    CHECK(both.logic->count(TransportCount::went_indirect) == 17);
    both.pause(Cycle{20'000});  // all give up
    each_tid([&](std::uint16_t tid) {
        const Spec s = write_of(1000, tid);
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(data(s, 0));
        both.frame(rel(s));
    });
    CHECK(both.logic->count(TransportCount::stale) == 0);
    each_tid([&](std::uint16_t tid) { both.frame(req(write_of(1000, tid))); });
    CHECK(both.logic->count(TransportCount::stale) == 17);
}

TEST_CASE("the 64 transfers that were released last are remembered, the one before them is not", "[cosim]") {
    Both both(config_of());
    for (std::uint16_t tid = 100; tid < 165; ++tid) {
        const Spec s = write_of(1000, tid);
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(rel(s));
    }
    for (std::uint16_t tid = 101; tid < 165; ++tid) both.frame(req(write_of(1000, tid)));
    CHECK(both.logic->count(TransportCount::stale) == 64);
    both.frame(req(write_of(1000, 100)));
    CHECK(both.logic->count(TransportCount::stale) == 64);
}

TEST_CASE("a request that ends just where its early data does, or a byte before or behind", "[cosim]") {
    for (const std::uint32_t length : {1000U, 2000U, 2500U}) {
        for (const int more : {-1, 0, 1}) {
            Both both(config_of());
            const Spec early = write_of(length, 3);
            const Spec s = write_of(length + static_cast<std::uint32_t>(more), 3);
            both.frame(data(early, early.frames() - 1, true));
            both.frame(req(s));
            const bool short_one = length % 1000 != 0;
            const bool fits = more == 0 || (more > 0 && !short_one);
            CHECK(both.logic->count(TransportCount::out_of_region) == (fits ? 0 : 1));
            both.command(verdict(s, true));
            CHECK(both.logic->count(TransportCount::bulk_drains) == (fits ? 1 : 0));
        }
    }
}

TEST_CASE("what was given up: late frames of it, and its place when no other is free", "[cosim]") {
    Both both(config_of());
    const auto late = [&](const Spec& s) {
        for (const DrpHeader& h : {req(s), data(s, 0, true), data(s, 0), ack(s, 0), rel(s)}) both.frame(h);
        both.command(verdict(s, true));
    };
    const Cycle idle = config_of().idle_timeout;
    for (std::uint16_t tid = 0; tid < kEntries; ++tid) {
        switch (tid % 4) {
            case 0:
                if (tid < 40) {  // ten: what the indirect buffer takes
                    both.frame(data(write_of(2500, tid), 0, true));
                    break;
                }
                [[fallthrough]];
            case 1: both.frame(req(write_of(2500, tid))); break;
            default:
                both.frame(req(read_of(2500, tid)));
                both.command(verdict(read_of(2500, tid), true));
                if (tid % 4 == 3) both.frame(ack(read_of(2500, tid), 0));  // may send
        }
    }
    both.pause(idle + Cycle{1000});
    CHECK(both.logic->entries_used() == 0);
    CHECK(both.logic->count(TransportCount::idle_timeouts) == kEntries);
    for (std::uint16_t tid = 0; tid < 8; ++tid) late(tid % 4 < 2 ? write_of(2500, tid) : read_of(2500, tid));
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 0);
    for (std::uint16_t tid = 100; tid < 103; ++tid) both.frame(req(write_of(2500, tid)));  // places 0 to 2
    CHECK(both.logic->entries_used() == 3);
    late(write_of(2500, 4));
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 0);
    both.frame(rel(write_of(2500, 1)));  // forgotten
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 1);
    both.pause(idle + Cycle{1000});  // and all of them
    both.frame(rel(write_of(2500, 4)));
    CHECK(both.logic->count(TransportCount::release_acks_sent) == 2);
    both.pause(idle + idle);
    both.frame(req(write_of(2500, 4)));
    CHECK(both.logic->entries_used() == 1);
}

TEST_CASE("a read that its responder gave up sends nothing any more", "[cosim]") {
    Both both(config_of());
    const Spec s = read_of(8000);
    both.frame(req(s));
    both.command(verdict(s, true));
    both.frame(ack(s, 0));
    REQUIRE(both.fetch());
    both.pause(Cycle{20'000});
    CHECK(both.logic->entries_used() == 1);  // a frame is still on its way
    both.sent();
    CHECK(both.logic->entries_used() == 0);
    CHECK(!both.fetch());
    both.frame(req(s));
    both.frame(ack(s, 1));
    CHECK(!both.fetch());
    CHECK(both.logic->entries_used() == 0);
}

TEST_CASE("timers where the count of cycles passes 31 and 32 bits", "[cosim]") {
    for (const std::int64_t border : {std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{3} << 31}) {
        for (const std::int64_t before : {0, 1, 50, 150, 250, 1000}) {
            Both both(config_of(), Cycle{border - before});
            both.command(start(write_of(8000, 1)));
            both.frame(req(write_of(2500, 2)));
            both.command(start(write_of(2500, 3)));
            both.frame(req_ack(write_of(2500, 3), true));
            both.fetch();
            both.pause(Cycle{10'000});
            CHECK(both.logic->entries_used() == 1);  // a frame is still on its way
        }
    }
}

TEST_CASE("timers of more than 16 bits", "[cosim]") {
    TransportConfig config = config_of();
    config.request_timer = Cycle{70'000};
    config.data_timer = Cycle{80'000};
    config.release_timer = Cycle{90'000};
    config.idle_timeout = Cycle{1'000'000};
    Both both(config);
    both.command(start(write_of(2500, 1)));
    both.frame(req(write_of(2500, 2)));
    both.command(start(write_of(2500, 3)));
    both.frame(req_ack(write_of(2500, 3), true));
    both.fetch();
    both.sent();
    both.command(start(write_of(1000, 4)));
    both.frame(req_ack(write_of(1000, 4), true));
    while (both.fetch()) both.sent();
    both.frame(ack(write_of(1000, 4), 1));
    both.pause(Cycle{3'000'000});
    CHECK(both.logic->entries_used() == 0);
}

TEST_CASE("a release timer that is longer than the data timer", "[cosim]") {
    TransportConfig config = config_of();
    config.data_timer = Cycle{60};
    config.release_timer = Cycle{500};
    Both both(config);
    const Spec s = read_of(1000);
    both.command(start(s));
    both.frame(req_ack(s, true));
    both.frame(data(s, 0));  // all of it: REL
    both.pause(Cycle{3000});
    CHECK(both.logic->count(TransportCount::release_timeouts) != 0);
}

TEST_CASE("duplicate acknowledgements without end", "[cosim]") {
    for (const std::uint32_t limit : {0U, 3U, 255U}) {
        TransportConfig config = config_of();
        config.duplicate_acks = limit;
        config.data_timer = Cycle{1'000'000};
        Both both(config);
        const Spec s = write_of(8000);
        both.command(start(s));
        both.frame(req_ack(s, true));
        while (both.fetch()) both.sent();
        for (int i = 0; i < 1100; ++i) both.frame(ack(s, 0));
        CHECK(both.logic->count(TransportCount::fast_retransmissions) == (limit == 0 ? 0 : 1));
    }
}

TEST_CASE("a long transfer: places behind 64 KiB, addresses over 4 GiB", "[cosim]") {
    Spec s = write_of(100'000);
    s.sba = 0xFFFF'8000;
    s.dba = 0x1'FFFF'9000;
    Both initiator(config_of()), responder(config_of());
    initiator.command(start(s));
    responder.frame(req(s));
    responder.command(verdict(s, true));
    initiator.frame(req_ack(s, true));
    for (std::uint32_t sn = 0; sn < s.frames(); ++sn) {
        CHECK(initiator.fetch());
        initiator.sent();
        responder.frame(data(s, sn));
        initiator.frame(ack(s, sn + 1));
    }
    CHECK(initiator.logic->count(TransportCount::releases_sent) == 1);
    CHECK(responder.logic->count(TransportCount::placed_direct) == 100);
}

TEST_CASE("a sequence number whose place comes round 32 bits is not in the region", "[cosim]") {
    Both both(config_of());
    const Spec s = write_of(8000);
    both.frame(req(s));
    both.command(verdict(s, true));
    DrpHeader h = data(s, 0);
    h.sn = 1U << 29;  // a thousand times that: 0, of 32 bits
    both.frame(h);
    CHECK(both.logic->count(TransportCount::out_of_region) == 1);
}

TEST_CASE("a valid REQ_ACK where all has been sent, or the window is not full", "[cosim]") {
    for (const std::uint32_t length : {3000U, 2500U, 8000U, 20'000U}) {
        for (const std::uint32_t fetched : {1U, 2U, 3U, 8U}) {
            for (const std::uint32_t acknowledged : {0U, 1U, 3U, 8U}) {
                Both both(config_of());
                const Spec s = write_of(length);
                both.command(start(s));
                both.frame(req_ack(s, false));
                for (std::uint32_t i = 0; i < fetched; ++i) {
                    if (both.fetch()) both.sent();
                }
                if (acknowledged <= std::min(fetched, s.frames())) both.frame(ack(s, acknowledged));
                both.frame(req_ack(s, true));
                while (both.fetch()) both.sent();
            }
        }
    }
}

TEST_CASE("a request that early data does not fit, refused and asked again", "[cosim]") {
    Both both(config_of());
    const Spec s = write_of(3000);
    DrpHeader early = data(s, 0, true);
    early.len = 500;  // a short frame: the transfer would end here
    both.frame(early);
    both.frame(req(s));
    CHECK(both.logic->count(TransportCount::out_of_region) == 1);
    both.command(verdict(s, false));
    both.frame(data(s, 1, true));
    both.frame(req(s));
    both.command(verdict(s, true));
    CHECK(both.logic->count(TransportCount::out_of_region) == 1);
    CHECK(both.logic->count(TransportCount::bulk_drains) == 1);
}

TEST_CASE("a request for another place or another length than its early data", "[cosim]") {
    const Spec s = write_of(3000);
    Spec elsewhere = s;
    elsewhere.dba += 0x1000;
    Spec shorter = s;
    shorter.length = 2000;
    for (const Spec& asked : {elsewhere, shorter}) {
        Both both(config_of());
        both.frame(data(s, 2, true));
        both.frame(data(s, 0, true));
        both.frame(req(asked));
        CHECK(both.logic->count(TransportCount::out_of_region) == 1);
        both.command(verdict(asked, true));
        CHECK(both.logic->count(TransportCount::bulk_drains) == 0);
    }
}

TEST_CASE("a whole window that comes the wrong way round", "[cosim]") {
    for (const std::uint32_t window : {1U, 2U, 7U, 8U}) {
        TransportConfig config = config_of();
        config.window = window;
        const Spec s = write_of(20'000);
        for (const bool early : {false, true}) {
            Both both(config);
            if (!early) {
                both.frame(req(s));
                both.command(verdict(s, true));
            }
            for (std::uint32_t sn = window; sn-- != 0;) both.frame(data(s, sn, early));
            both.frame(data(s, window, early));
            CHECK(both.logic->count(TransportCount::out_of_window) == 0);
        }
    }
}

TEST_CASE("two timers of a transfer, one of which expires while the other one is looked at", "[cosim]") {
    for (std::int64_t request_timer = 200; request_timer <= 400; ++request_timer) {
        TransportConfig config = config_of();
        config.request_timer = Cycle{request_timer};
        Both both(config);
        const Spec s = write_of(8000);
        both.command(start(s));
        both.frame(req_ack(s, false));
        both.fetch();
        both.sent();
        both.pause(Cycle{1000});
        CHECK(both.logic->count(TransportCount::data_timeouts) != 0);
    }
}

TEST_CASE("an invalid REQ_ACK after the release has begun", "[cosim]") {
    for (const Method method : {Method::dynamic, Method::traditional}) {
        Both both(config_of(method));
        const Spec s = write_of(1000);
        both.command(start(s));
        both.frame(req_ack(s, true));
        both.fetch();
        both.sent();
        both.frame(ack(s, 1));
        both.frame(req_ack(s, false));
        both.pause(Cycle{3000});
        CHECK(both.logic->count(TransportCount::went_indirect) == 0);
        CHECK(both.logic->count(TransportCount::request_timeouts) == 0);
    }
}

TEST_CASE("a second verdict on a region whose transfer is over, but for a frame on its way", "[cosim]") {
    for (const bool on_its_way : {true, false}) {
        Both both(config_of());
        const Spec s = read_of(3000);
        both.frame(req(s));
        both.command(verdict(s, true));
        both.frame(ack(s, 0));  // ready
        CHECK(both.fetch());
        if (!on_its_way) both.sent();
        both.frame(rel(s));
        both.command(verdict(s, true));
        both.sent();
        both.command(verdict(s, true));
        CHECK(both.logic->count(TransportCount::stale) == 2);
    }
}

TEST_CASE("random inputs, plausible and not, lead to the same decisions", "[cosim]") {
    std::uint64_t decisions = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(TransportCount::count)> counts{};
    for (unsigned seed = 1; seed <= 24; ++seed) {
        TransportConfig config = config_of(seed % 4 == 0 ? Method::traditional : Method::dynamic);
        config.window = std::array{8U, 1U, 3U, 8U}[seed % 4];
        config.retransmission = seed % 3 == 0 ? &retransmission("go_back_n") : &retransmission("selective_repeat");
        config.duplicate_acks = std::array{3U, 1U, 0U, 2U}[seed / 2 % 4];
        config.indirect_after_timeouts = 1 + seed % 3;
        config.resume_on_valid_ack = seed % 5 != 0;
        config.max_requests = 1 + seed % 6;
        if (seed % 2 == 0) config.request_timer = config.data_timer = Cycle{250};  // at the same time
        config.indirect_buffer = seed % 2 == 0 ? 2000 : 10'000;
        const bool crowded = seed % 3 == 2;  // nobody gives up: the table fills
        if (crowded) config.request_timer = config.idle_timeout = Cycle{1'000'000};
        CAPTURE(seed);
        Both both(config);
        Chance chance(both, config, seed, std::array{3U, 12U, 300U}[seed % 3], crowded ? 6 : 1);
        for (int i = 0; i < 8000; ++i) chance.step();
        decisions += both.decisions;
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += both.logic->count(static_cast<TransportCount>(i));
    }
    CHECK(decisions > 120'000);
    for (std::size_t i = 0; i < counts.size(); ++i) {  // everything that can happen has happened
        INFO(kTransportCountNames[i]);
        CHECK(counts[i] > 20);
    }
}

}  // namespace
}  // namespace rnicsim
