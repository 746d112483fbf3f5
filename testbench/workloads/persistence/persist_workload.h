// SPDX-License-Identifier: Apache-2.0
// The programs of items with a scheme (scenarios/README.md, "Write persistence"): the initiator has data written and
// made durable at the responder, whose processor takes part in some. They tell an observer what they do and are told.
#pragma once

#include "model/config.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/kits/rc/rc_connection.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/records/run_result.h"
#include "testbench/workloads/persistence/persist_observer.h"
#include "testbench/workloads/persistence/told_region.h"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace rnicsim {

class PersistWorkload {
  public:
    /// All must outlive it.
    PersistWorkload(const RunConfig& config, const VerbsLayout& layout, PersistObserver& observer);

    /// Sets up rings, regions and QPs, and starts the programs. To be called once, before the simulation starts.
    void attach(System& system);
    /// Tells it of all connections, when they have been made.
    void introduce(WireJudge& wire) const;

    [[nodiscard]] bool all_ended() const { return running_ == 0; }
    [[nodiscard]] Time last_progress() const { return last_progress_; }
    [[nodiscard]] Time rests_until() const { return rests_until_; }
    [[nodiscard]] Time last_end() const { return last_end_; }
    /// How many items are to be recorded, and where, in the order of (item of the traffic, initiator, id). To be called
    /// before attach(); not owned.
    [[nodiscard]] std::size_t samples() const;
    void record_in(std::span<Sample> samples);
    /// At the end of the run: those of items that were never posted.
    void end_records();

  private:
    /// A send WQE of the initiator that has not completed.
    struct Posted {
        std::uint32_t item = 0;
        bool writes = false;  ///< when it completes the data are written
        bool ends = false;    ///< ... they are durable
    };
    struct End {
        rc::Qpn qp;
        rc::ReceiveQueueNumber receives{};
        std::uint32_t key = 0;              ///< of all its buffers
        std::uint32_t receives_posted = 0;  ///< receive WQEs
        std::uint32_t taken = 0;            ///< messages
        std::uint32_t sends_posted = 0;     ///< send WQEs
        std::uint32_t sends_done = 0;       ///< ... known to be complete; the others may still be the card's
        [[nodiscard]] std::uint32_t untold() const { return sends_posted - sends_done; }
    };
    struct Connection {
        const VerbsLayout::Connection* plan = nullptr;  // not owned
        const TrafficConfig* item = nullptr;            // not owned
        std::array<End, 2> ends;
        std::uint32_t begun = 0, ended = 0;
        std::deque<Posted> posted;
        std::deque<std::uint32_t> flushed;  ///< items that the responder has not answered
        std::deque<roce::Psn> to_answer;    ///< fig11: what the responder's program was told of
        std::span<Sample> samples;          ///< by item
        ToldRegion remote;                  ///< where the data go
        bool told = true;                   ///< the initiator knows that
        Time asked;                         ///< the initiator wants to begin
        bool over = false;
    };
    class Program final : public VerbsProgram {
      public:
        Program(PersistWorkload& all, unsigned host) : all_(all), host_(host) {}
        void completed(Cycle now, const rc::Completion& c) override { all_.completed(host_, now, c); }
        void limit_reached(Cycle /*now*/, rc::ReceiveQueueNumber /*queue*/) override {}  // no queue is shared
        void noticed(Cycle /*now*/, std::uint64_t /*what*/) override {}                  // nothing is watched
        void called(Cycle now, std::uint64_t what) override { all_.called(now, what); }

      private:
        PersistWorkload& all_;
        unsigned host_;
    };
    struct Place {
        std::size_t connection = 0;
        unsigned side = 0;
    };

    void set_up(std::size_t number);
    void called(Cycle now, std::uint64_t what);
    void post_table(Connection& c, Cycle now);
    void take_table(Connection& c, Cycle now);
    /// Of an item's data.
    [[nodiscard]] static std::uint64_t remote_address(const Connection& c, std::uint32_t item) {
        const VerbsLayout::Buffer& in = c.plan->ends[1].in;
        return c.remote.address + (in.slot(item) - in.address);
    }
    void begin_more(Connection& c, Cycle now);
    static void record(Connection& c, std::uint32_t id, Time ready);
    void begin(Connection& c, Cycle now);
    [[nodiscard]] static bool has_room(const Connection& c, unsigned side);
    /// So many that one has to tell?
    [[nodiscard]] static bool many_untold(const Connection& c, unsigned side);
    Cycle post(Connection& c, const PersistPost& what, Cycle now, const rc::SendWqe& wqe, Bell bell = Bell::rings);
    Cycle post_write(Connection& c, Cycle now, std::uint32_t item, rc::Verb verb, bool signaled, Bell bell);
    void post_read(Connection& c, Cycle now, std::uint32_t item);
    void post_flush(Connection& c, Cycle now, std::uint32_t item);
    rc::Sge message_about(Connection& c, unsigned side, std::uint32_t item);
    void post_notice(Connection& c, Cycle now, std::uint32_t item);
    Cycle post_message(Connection& c, unsigned side, Cycle now, std::uint32_t item, bool signaled);
    void post_receive(Connection& c, unsigned side, Cycle now);
    void completed(unsigned host, Cycle now, const rc::Completion& completion);
    void sent(Connection& c, unsigned side, Cycle now, std::uint32_t index);
    void post_pack(Connection& c, Cycle now, std::uint32_t item);
    void message_came(Connection& c, unsigned side, Cycle now, const rc::Completion& completion);
    void answer_more(Connection& c, Cycle now);
    void answer(Connection& c, Cycle now, std::uint32_t item);
    /// The responder's processor flushes the lines of the data.
    [[nodiscard]] Cycle flush_time(const Connection& c, Cycle begins, const rc::Segment& data) const;
    void written(Connection& c, Cycle now, std::uint32_t item);
    void persisted(Connection& c, Cycle now, std::uint32_t item);
    void fails(Connection& c, Time now);
    [[nodiscard]] VerbsDriver& driver(const Connection& c, unsigned side) const {
        return verbs_end(*system_, c.plan->ends.at(side).host).host.driver;
    }
    [[nodiscard]] const VerbsHostConfig& host_of(const Connection& c, unsigned side) const {
        return verbs_of(config_, c.plan->ends.at(side).host).host;
    }
    [[nodiscard]] Time time(const Connection& c, unsigned side, Cycle now) const {
        return host_of(c, side).clock.time(now);
    }
    [[nodiscard]] static std::array<QpOfHost, 2> qps_of(const Connection& c);
    [[nodiscard]] std::size_t number(const Connection& c) const {
        return static_cast<std::size_t>(&c - connections_.data());
    }

    const RunConfig& config_;
    PersistObserver& observer_;
    System* system_ = nullptr;  // not owned
    std::vector<Connection> connections_;
    std::deque<Program> programs_;
    std::vector<std::vector<Place>> by_qp_;  // by host, then by QPN
    std::size_t running_ = 0;                // connections
    Time last_progress_, rests_until_, last_end_;
};

}  // namespace rnicsim
