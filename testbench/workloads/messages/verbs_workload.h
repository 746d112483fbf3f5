// SPDX-License-Identifier: Apache-2.0
// The programs of hosts with RoCEv2 RNICs: connections between pairs of hosts, and messages on each, in a stream or in
// turn. They tell an observer what they do and see.
#pragma once

#include "model/config.h"
#include "model/system.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/kits/rc/verbs_observer.h"
#include "testbench/records/run_result.h"
#include "testbench/workloads/messages/shared_receives.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim {

class VerbsWorkload {
  public:
    /// All must outlive it.
    VerbsWorkload(const RunConfig& config, const VerbsLayout& layout, VerbsObserver& observer);

    /// Sets up rings, regions and QPs, and starts the programs. To be called once, before the simulation starts.
    void attach(System& system);

    [[nodiscard]] bool all_ended() const { return running_ == 0 && open_ == 0; }
    /// Nothing happens any more. Ends of UC and UD that wait in turn for a message that was lost wait for ever: their
    /// connections are over, and what they did not send is lost, too.
    void end_turns(Time now);
    [[nodiscard]] Time last_progress() const { return last_progress_; }
    [[nodiscard]] Time rests_until() const { return rests_until_; }
    [[nodiscard]] Time last_end() const { return last_end_; }
    /// How many messages are to be recorded, and where, in the order of (item, initiator, id). To be called before
    /// attach(); not owned.
    [[nodiscard]] std::size_t samples() const;
    void record_in(std::span<Sample> samples);
    /// At the end of the run: those of messages that were never posted.
    void end_records();

  private:
    static constexpr std::size_t kAlone = ~std::size_t{0};
    /// Connections of an initiator that post in turn.
    struct Turns {
        std::vector<std::size_t> of;  ///< connections
        std::size_t next = 0;
        std::uint32_t open = 0;  ///< messages that they have posted and that have not ended
    };
    /// One end of a connection, at run time.
    struct End {
        rc::Qpn qp;
        rc::ReceiveQueueNumber receives{};
        std::uint32_t key = 0;        ///< of its buffer
        std::uint32_t pmtu = 0;       ///< bytes
        rc::Psn psn;                  ///< of the next message
        std::uint32_t posted = 0;     ///< messages
        std::uint32_t takers = 0;     ///< of them, those that take a receive WQE
        std::uint32_t atomics = 0;    ///< of them, those that change their word
        std::uint32_t completed = 0;  ///< send completions, those that were not signaled counted with a later one
        std::uint32_t noticed = 0;    ///< messages of the peer seen in memory
        bool due = false;             ///< in turn: it is its turn, and it waits for its own last completion
    };
    struct Connection {
        Connection(const RunConfig& config, const VerbsLayout::Connection& of)
            : plan(&of), item(&config.traffic[of.item]), kinds(config, of) {}
        const VerbsLayout::Connection* plan;
        const TrafficConfig* item;
        MessageKinds kinds;
        std::array<End, 2> ends;      ///< the initiator's, the responder's
        std::span<Sample> samples{};  ///< by message
        std::uint32_t ended = 0;      ///< of records
        std::size_t turns = kAlone;   ///< in turns_
        bool over = false;
    };
    class Program final : public VerbsProgram {
      public:
        Program(VerbsWorkload& all, unsigned host) : all_(all), host_(host) {}
        void completed(Cycle now, const rc::Completion& c) override { all_.completed(host_, now, c); }
        void receive_written(rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges) override {
            std::optional<SharedReceives>& shared = all_.shared_[host_];
            if (shared && shared->queue() == queue) shared->written(sges);
        }
        void limit_reached(Cycle now, rc::ReceiveQueueNumber /*queue*/) override {  // the host has one
            all_.shared_[host_]->limit_reached(now);
        }
        void noticed(Cycle now, std::uint64_t what) override { all_.noticed(now, what / 2, what % 2); }
        void called(Cycle now, std::uint64_t what) override { all_.start(now, what); }

      private:
        VerbsWorkload& all_;
        unsigned host_;
    };
    struct Place {
        std::size_t connection = ~std::size_t{0};
        unsigned side = 0;
    };

    void set_up(System& system, std::size_t number);
    void post_again(const Connection& c, unsigned side, Cycle now, std::uint32_t index);
    void start(Cycle now, std::uint64_t connection);
    void completed(unsigned host, Cycle now, const rc::Completion& completion);
    void noticed(Cycle now, std::size_t connection, unsigned side);
    void watch_last_byte(const Connection& c, unsigned side, std::uint32_t m);
    void post(Connection& c, unsigned side, Cycle now);
    void post_more(Connection& c, Cycle now);
    void post_in_turn(Turns& turns, Cycle now);
    void record(Connection& c, std::uint32_t id, Time ready);
    void take_turn(Connection& c, unsigned side, Cycle now);
    void message_ends(Connection& c, std::uint32_t id, Cycle now, unsigned side);
    void arrived(Connection& c, unsigned side, Cycle now);
    void fails(Connection& c, unsigned side, Cycle now);
    [[nodiscard]] Place place_of(unsigned host, rc::Qpn qp) const;
    [[nodiscard]] VerbsDriver& driver(const Connection& c, unsigned side) const;
    [[nodiscard]] Time time(const Connection& c, unsigned side, Cycle now) const;

    [[nodiscard]] std::size_t number(const Connection& c) const {
        return static_cast<std::size_t>(&c - connections_.data());
    }

    const RunConfig& config_;
    const VerbsLayout& layout_;
    VerbsObserver& observer_;
    System* system_ = nullptr;
    std::vector<Connection> connections_;
    std::vector<Turns> turns_;
    std::deque<Program> programs_;
    std::vector<std::vector<Place>> by_qp_;                    // by host, then by QPN
    std::vector<std::optional<SharedReceives>> shared_;        // by host
    std::vector<std::optional<std::uint32_t>> keys_of_hosts_;  // of regions that hold all memory of a host
    std::size_t running_ = 0;                                  // connections
    std::uint64_t open_ = 0;                                   // messages without a completion, of both ends
    Time last_progress_, rests_until_, last_end_;
};

}  // namespace rnicsim
