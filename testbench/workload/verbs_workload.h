// The programs of hosts with RoCEv2 RNICs: connections between pairs of hosts, and messages on each, in a stream or in
// turn. What a program sees is checked in every run (VERBS.md 8).
#pragma once

#include "model/config.h"
#include "model/system.h"
#include "testbench/run_result.h"
#include "testbench/workload/verbs_layout.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace rnicsim {

class VerbsWorkload {
  public:
    explicit VerbsWorkload(const RunConfig& config);

    /// By host; 0 of those without a RoCEv2 RNIC.
    [[nodiscard]] std::vector<std::uint64_t> memory_bytes() const { return layout_.memory_bytes; }
    /// Sets up rings, regions and QPs, and starts the programs. To be called once, before the simulation starts.
    void attach(System& system);
    /// A device of this host is about to write.
    void device_writes(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes);
    void device_reads(unsigned host, std::uint64_t address, std::uint64_t bytes);

    [[nodiscard]] bool all_ended() const { return running_ == 0 && open_ == 0; }
    [[nodiscard]] Time last_progress() const { return last_progress_; }
    [[nodiscard]] Time rests_until() const { return rests_until_; }
    [[nodiscard]] Time last_end() const { return last_end_; }
    [[nodiscard]] const std::string& violation() const { return violation_; }
    /// To be called when the system is idle behind the last message.
    void check_end(const System& system);
    /// In the order of (item, initiator, id).
    [[nodiscard]] std::vector<FrameRecord> take_records();

  private:
    /// One end of a connection, at run time.
    struct End {
        rc::Qpn qp;
        std::uint32_t key = 0;        ///< of its buffer
        std::uint32_t posted = 0;     ///< messages
        std::uint32_t completed = 0;  ///< send completions, those that were not signaled counted with a later one
        std::uint32_t received = 0;   ///< receive completions
        std::uint32_t noticed = 0;    ///< messages of the peer seen in memory
        bool due = false;             ///< in turn: it is its turn, and it waits for its own last completion
        std::vector<std::uint32_t> of_slot;  ///< by slot of its buffer: the message that is written there
        std::vector<std::uint32_t> placed;   ///< ... and how many of its bytes have been
    };
    struct Connection {
        const VerbsLayout::Connection* plan = nullptr;
        const TrafficConfig* item = nullptr;
        End ends[2];  ///< the initiator's, the responder's
        std::vector<FrameRecord> records;
        std::uint32_t ended = 0;  ///< of records
        bool failed = false;
        bool over = false;
    };
    class Program final : public VerbsProgram {
      public:
        Program(VerbsWorkload& all, unsigned host) : all_(all), host_(host) {}
        void completed(Cycle now, const rc::Completion& c) override { all_.completed(host_, now, c); }
        void noticed(Cycle now, std::uint64_t address) override { all_.noticed(host_, now, address); }
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
    void start(Cycle now, std::uint64_t connection);
    void completed(unsigned host, Cycle now, const rc::Completion& completion);
    void noticed(unsigned host, Cycle now, std::uint64_t address);
    void post(Connection& c, unsigned side, Cycle now);
    void post_more(Connection& c, Cycle now);
    void take_turn(Connection& c, unsigned side, Cycle now);
    void message_ends(Connection& c, std::uint32_t id, Cycle now, unsigned side);
    void arrived(Connection& c, unsigned side, Cycle now);
    void fails(Connection& c, unsigned side, Cycle now, rc::Status status);
    void check_message(const Connection& c, unsigned side, std::uint32_t id, Cycle now);
    void violate(const Connection& c, Time at, const std::string& what);
    [[nodiscard]] Place place_of(unsigned host, rc::Qpn qp) const;
    [[nodiscard]] VerbsDriver& driver(const Connection& c, unsigned side) const;
    [[nodiscard]] Time time(const Connection& c, unsigned side, Cycle now) const;

    const RunConfig config_;
    const VerbsLayout layout_;
    System* system_ = nullptr;
    std::vector<Connection> connections_;
    std::deque<Program> programs_;
    std::vector<std::vector<Place>> by_qp_;  // by host, then by QPN
    std::size_t running_ = 0;                // connections
    std::uint64_t open_ = 0;                 // messages without a completion, of both ends
    Time last_progress_, rests_until_, last_end_;
    std::string violation_;

    /// A piece of a host's memory that its card may touch.
    struct Area {
        enum class What : std::uint8_t { ring, out, in } what = What::ring;
        std::uint64_t address = 0, bytes = 0;
        std::size_t connection = 0;
        unsigned side = 0;
    };
    [[nodiscard]] const Area* area_of(unsigned host, std::uint64_t address, std::uint64_t bytes) const;
    std::vector<std::vector<Area>> areas_;  // by host, sorted
};

}  // namespace rnicsim
