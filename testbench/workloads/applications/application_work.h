// SPDX-License-Identifier: Apache-2.0
// The items of one application between RoCEv2 RNICs, as one work of a run: their connections, operations and samples,
// and whether what they cost is what the application's formulas say.
#pragma once

#include "model/host/verbs/verbs_host.h"
#include "testbench/applications/tallies.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/kits/rc/wire_taps.h"
#include "testbench/records/sample_kind.h"
#include "testbench/workloads/applications/application_layout.h"
#include "testbench/workloads/applications/host_bridges.h"
#include "testbench/workloads/applications/host_events.h"
#include "testbench/workloads/applications/line.h"
#include "testbench/workloads/applications/sharing.h"
#include "testbench/workloads/applications/sim_end.h"
#include "testbench/workloads/wire_work.h"
#include "testbench/workloads/work.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
class VerbsEnd;

class ApplicationWork final : public Work, public OperationBoard, public BridgeUser {
  public:
    /// All must outlive it.
    ApplicationWork(const RunConfig& config, const applications::Application& application, WireWork& shared);

    [[nodiscard]] Observer* observer_of(unsigned node) override { return layout_.has(node) ? &taps_ : nullptr; }
    [[nodiscard]] std::uint64_t memory_from(unsigned host) const override { return layout_.before[host].bytes; }
    void prepare(EventSink* events, EventRecorder* /*recorder*/) override { events_ = events; }
    void claim_memory(std::vector<std::uint64_t>& bytes) const override;
    [[nodiscard]] std::size_t samples() const override;
    void record_in(std::span<Sample> samples) override;
    void attach(System& system) override;

    void idle(Time now) override;
    /// What an end does behind its last operation is done, and nobody has to send anything again.
    [[nodiscard]] bool ended() const override { return running_ == 0 && !has_to_send(); }
    /// Who tries again and again does not get on: an operation may take longer by one wait that its ends ask for.
    [[nodiscard]] Time last_progress() const override { return last_progress_ + longest_wait_; }
    [[nodiscard]] std::string violation() const override { return violation_; }
    void check_end() override;
    /// A segment may be lost as often as TCP sends it.
    [[nodiscard]] Time patience() const override;
    [[nodiscard]] Time last_end() const override { return last_end_; }

  private:
    struct Connection {
        Connection(const RunConfig& config, const ApplicationLayout::Connection& of);
        const ApplicationLayout::Connection* plan;
        const TrafficConfig* item;
        MessageKinds kinds;
        std::array<SimEnd*, 2> ends{};        ///< not owned
        const ntb::Bridge* bridge = nullptr;  ///< not owned
        std::span<Sample> samples{};
        std::uint32_t asked = 0;  ///< operations that have a time to begin
        std::uint32_t begun = 0, over = 0, failed = 0;
        bool given_up = false;              ///< its operations would wait for ever
        std::optional<std::size_t> line{};  ///< it takes turns with others
    };
    /// Tells the ends on a host.
    class Program final : public VerbsProgram, public StreamProgram {
      public:
        Program(ApplicationWork& work, unsigned host) : work_(work), host_(host) {}
        void completed(Cycle now, const rc::Completion& completion) override;
        void limit_reached(Cycle /*now*/, rc::ReceiveQueueNumber /*queue*/) override {}
        /// As called().
        void noticed(Cycle now, std::uint64_t what) override { called(now, what); }
        void called(Cycle now, std::uint64_t what) override;
        void registered(Cycle now, std::uint64_t what, std::optional<std::uint32_t> key) override;

        std::vector<SimEnd*> ends;  ///< by their place, which their calls carry
        std::vector<SimEnd*> by_qp;
        std::vector<SimEnd*> by_stream;
        std::unique_ptr<HostBridges> bridges;  ///< nullptr: it has none

      private:
        // StreamProgram
        void stream_connected(Cycle /*now*/, StreamId /*stream*/) override {}
        void stream_readable(Cycle now, StreamId stream, std::uint32_t bytes) override {
            tell(now, stream, applications::Event::What::bytes, bytes);
        }
        void stream_read(Cycle now, StreamId stream, std::uint32_t bytes) override {
            tell(now, stream, applications::Event::What::read, bytes);
        }
        void stream_sent(Cycle now, StreamId stream) override { tell(now, stream, applications::Event::What::sent, 0); }
        void stream_closed(Cycle now, StreamId stream) override {
            tell(now, stream, applications::Event::What::closed, 0);
        }
        void tell(Cycle now, StreamId stream, applications::Event::What what, std::uint32_t bytes);

        ApplicationWork& work_;
        const unsigned host_;
    };
    class Taps final : public WireTaps {
      public:
        Taps(WireJudge& wire, ApplicationWork& work) : WireTaps(wire), work_(work) {}
        void memory_access(unsigned end, const tlm::tlm_generic_payload& access) override {
            work_.device_accesses(end, access.get_address(), access.get_data_length());
        }

      private:
        ApplicationWork& work_;
    };
    static constexpr std::uint64_t kAsks = (std::uint64_t{1} << SimEnd::kPlaceBits) - 1;  // place of who asks

    // OperationBoard
    void marked(std::size_t connection, std::uint32_t operation, unsigned part, Time now) override;
    void ended(std::size_t connection, std::uint32_t operation, applications::Outcome outcome, Time now) override;
    [[nodiscard]] std::uint64_t key_of(std::size_t connection, std::uint32_t operation) const override {
        return message_key(connection, 0, operation);
    }
    void differs(std::size_t connection, unsigned side, std::uint32_t operation, Time now) override;
    void overflows(std::size_t connection, unsigned side, Time now) override;
    void violates(std::size_t connection, unsigned side, const std::string& what, Time now) override;
    void wakes(std::size_t connection, unsigned side, std::uint32_t shared, std::uint32_t tag, Time at) override;
    [[nodiscard]] bool is_over() const override { return running_ == 0; }
    void gets_on(Time at) override { last_progress_ = std::max(last_progress_, at); }
    void works_until(Time at) override;
    void did(std::size_t connection, unsigned side, const EndStep& step, Time at) override;
    [[nodiscard]] bool is_watched() const override { return events_ != nullptr; }
    /// Of an operation, at the host of `side`.
    [[nodiscard]] OperationStep::Window window_of(const Connection& c, unsigned side) const;
    void show(const Connection& c, OperationStep::Step step, std::uint32_t operation, Time at, unsigned part = 0);

    [[nodiscard]] bool waits_for_solicited(unsigned host) const;
    void take_card(VerbsEnd& end, unsigned host);
    void set_up(System& system, std::size_t number);
    void join(System& system, Connection& c);
    void add_queues(VerbsEnd& host, SimEnd& end, const Connection& c, unsigned side);
    void connect(System& system, const Connection& c);
    void open_streams(System& system);
    void stand_in_lines();
    void ask(std::size_t connection, Time at);
    void call_user(std::size_t connection, Time at);
    void may_use(unsigned host, const ntb::Bridge& bridge, Cycle now) override;
    void begin_next(std::size_t connection, Cycle now);
    void begin(Connection& c, Time at);
    /// Else an end is wrong about it, and the run is.
    [[nodiscard]] bool is_under_way(const Connection& c, std::uint32_t operation, Time now);
    [[nodiscard]] bool has_to_send() const;
    [[nodiscard]] bool has_died(std::size_t number) const;
    void give_up(std::size_t number, Time now);
    void go_on(Time now);
    void device_accesses(unsigned host, std::uint64_t address, std::uint64_t bytes);
    [[nodiscard]] std::string name_of(const Connection& c) const;
    void violate(const std::string& what, Time now);
    /// By the application's formula.
    [[nodiscard]] applications::Counts expected(const Connection& c) const;
    /// `all`: of all connections nothing has failed.
    void check_counts(std::size_t number, const applications::Tallies& tallies, bool all);
    void check_packets();
    void check_receives();
    [[nodiscard]] bool nothing_was_repeated() const;

    const RunConfig& config_;
    const applications::Application& application_;
    const ApplicationLayout layout_;
    const Sharing sharing_;
    WireJudge& wire_;
    std::vector<ProgramNumber> numbers_;  // by host: its program's
    Taps taps_;
    std::vector<Connection> connections_;
    std::vector<Line> lines_;
    std::vector<std::pair<std::size_t, Time>> waiting_;  // who asks when its bridge is open: a connection, not before
    std::deque<SimEnd> ends_;                            // they do not move
    std::deque<Program> programs_;               // likewise, by host; without use where the application has no end
    EventSink* events_ = nullptr;                // not owned; nullptr: nobody wants any
    std::deque<HostEvents> watched_;             // they do not move
    System* system_ = nullptr;                   // not owned
    std::vector<std::vector<rc::Range>> given_;  // by host, sorted: what its card may touch
    std::size_t running_ = 0;                    // connections
    Time last_progress_, works_until_, longest_wait_, last_end_;
    std::string violation_;
};

/// The words for samples of an application's operations.
inline SampleKind operation_sample(const applications::Application& application) {
    return {.name = "request",
            .parts = application.parts(),
            .decimals = 3,
            .number = [](const Sample& of) { return "q" + std::to_string(of.qp) + '.' + std::to_string(of.id); },
            .operation = [](std::uint8_t) { return std::string_view("get"); },
            .status = [](std::uint8_t of) { return std::string_view(of == 0 ? "" : "failed"); }};
}

}  // namespace rnicsim
