// SPDX-License-Identifier: Apache-2.0
// What the programs on one host ask of its card, carried out: objects in control.cpp and, by kind, in the files that
// it names; work requests in host_service.cpp.
#pragma once

#include "model/config.h"
#include "model/end_system.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/programs/server/body.h"
#include "testbench/programs/server/call_observer.h"
#include "testbench/programs/server/caller.h"
#include "testbench/programs/server/objects.h"
#include "testbench/programs/server/program_host.h"
#include "testbench/programs/server/program_judge.h"
#include "testbench/programs/server/ring_memory.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rnicsim::programs {

class HostService {
  public:
    struct Surroundings {
        unsigned host = 0, hosts = 0;
        bool strict = false;
        std::uint64_t ring_bytes = 0;  ///< of the host's memory
        ProcessMemory& memory;
        ProgramJudge& judge;
        CallObserver* observer;  ///< null: nobody looks
        News news;
        const HostNames& names;
        /// Why a host's card refuses what a peer has sent to its QP.
        std::function<std::string(unsigned host, rc::Qpn qp, const rc::SendWqe& wqe)> why;
    };
    HostService(const VerbsEndConfig& config, VerbsEnd& end, const Surroundings& surroundings);

    [[nodiscard]] ProgramHost& host() { return host_; }
    [[nodiscard]] Welcome welcome() const;
    /// What the card is and can do.
    [[nodiscard]] Device device() const;
    // As many as the card has memory for: its driver refuses more with ENOMEM.
    static constexpr std::uint32_t kMostRegions = 1U << 20U, kMostCqs = 65'536, kMostSrqs = 65'536, kMostPds = 65'536;
    /// A request that is answered. Now is its time. The caller has to live until then.
    void call(Caller& caller, Op op, std::vector<std::byte> body, Cycle now);
    /// One that is not.
    void tell(Program& program, Op op, std::span<const std::byte> body, Cycle now);
    /// Takes completions that are there, and answers when that is done; false, and nothing happens: there is none.
    bool poll(Caller& caller, std::span<const std::byte> body, Cycle now);
    /// Of the completions that it has not taken, in other CQs than this one, the number of the last that came; 0: none.
    [[nodiscard]] std::uint64_t newest_elsewhere(const Program& program, Handle but) const;
    /// A program is gone; what it had goes, too.
    void forget(Program& program, Cycle now);
    [[nodiscard]] std::string why_refused(rc::Qpn number, const rc::SendWqe& wqe) const;
    /// Events that the card has raised since the last time.
    void hand_on_events();
    /// Events that found no room in their sockets.
    void send_waiting();

  private:
    using Done = std::function<void(int error, const Reply& reply, int descriptor)>;
    /// From a command's call to its return, if it is carried out or refused.
    struct CallTime {
        Time done, refused;
    };
    template <class Value>
    [[nodiscard]] CallTime time_of(const Program& program, Op op, const Value& value);
    [[nodiscard]] CallTime time_of(const Program& program, Op op, const Registration& r);
    [[nodiscard]] CallTime time_of(const Program& program, Op op, const Reregistration& r);
    [[nodiscard]] CallTime time_of(const Program& program, Op op, Handle handle);
    /// Has the card do something, and answers when its time is over; what it throws as a Refusal is the answer.
    void at_card(Caller& caller, Cycle now, CallTime time, std::function<Reply()> what);
    /// For which the card gets an address each.
    [[nodiscard]] std::uint64_t card_pages(const Registration& r) const;
    /// The same, and if a QP has ended by it the answer says what of its SRQ nobody will hear of.
    void end_at_card(Caller& caller, Cycle now, std::function<std::optional<Ended>()> what);
    void answer_at_once(Caller& caller, Op op, Body body, Cycle now);

    // Objects.
    Reply register_memory(Program& program, const Registration& r);
    Reply reregister_memory(Program& program, const Reregistration& r);
    Reply free_memory(Program& program, Handle region);
    /// Of one region: what there is room for in the page table.
    [[nodiscard]] std::uint64_t most_region_bytes() const;
    void end_region(const Region& region);
    /// Throws Refusal where Linux would not pin it.
    void check_pinning(const Program& program, const MemoryRange& range) const;
    void leave_window(const Region& region);
    void give_back_memory(const Program& program, const MemoryRange& range);
    Reply create_cq(Program& program, const CqInit& init);
    Reply resize_cq(Program& program, const CqSize& size);
    Reply destroy_cq(Program& program, Handle cq);
    Reply create_srq(Program& program, const SrqInit& init);
    Reply modify_srq(Program& program, const SrqChange& change);
    Reply destroy_srq(Program& program, Handle srq);
    Reply create_qp(Program& program, const QpRequest& request);
    std::optional<Ended> modify_qp(Program& program, const QpChange& change);
    [[nodiscard]] Ended ended(const QueuePair& qp) const;
    std::optional<Ended> destroy_qp(Program& program, Handle qp);
    QpChange query_qp(Program& program, Handle qp);
    Reply counters() const;
    /// Takes what the card has told of a QP that has ended out of the program's CQs.
    Reply take_away(const Ended& ended, const Program& program);
    void keep_entries(CompletionQueue& cq);

    /// Of the card's memory, for anything but page entries.
    [[nodiscard]] std::uint64_t kept_bytes() const { return around_.ring_bytes / 8; }

    // Rings in host memory.
    rc::CqRing take_cq_ring(std::uint32_t cqes);
    rc::ReceiveRing take_receive_ring(std::uint32_t wqes);
    std::uint64_t take_ring(std::uint64_t bytes);
    /// When the card does not read or write any more in a ring that is given back now.
    [[nodiscard]] Cycle rested() const;
    void give_back(std::uint64_t ring, std::uint64_t bytes);
    void give_back(const rc::CqRing& ring);
    void give_back(const rc::ReceiveRing& ring);
    void give_back(rc::ReceiveQueueNumber queue);
    void end_cq(const CompletionQueue& cq);
    void end_srq(const SharedQueue& srq);
    void end_qp(const QueuePair& qp);

    // Work requests.
    void post_sends(const QueuePair& qp, std::span<const std::byte> message, Cycle now);
    void post_receives(rc::ReceiveQueueNumber queue, std::span<const std::byte> message);
    rc::SendWqe send_wqe(const Send& send, Body& body, std::vector<std::uint8_t>& payload) const;

    /// What is wrong with a key, for a program that hears of it by this completion.
    void tell_fault(const QueuePair& qp, const rc::Completion& c);
    [[nodiscard]] std::string fault_of(std::uint32_t key, rc::Pd pd, rc::Range range, rc::Access access,
                                       const char* what) const;
    [[nodiscard]] std::string why_not_taken(rc::Pd pd, std::span<const rc::Sge> sges, bool written) const;

    void entry(Cycle now, rc::Cqn cq);
    void interrupt(Cycle now, std::uint32_t vector);
    void raise(Handle channel, std::span<const std::byte> event, Program& program);
    void raise_async(Handle events, std::uint64_t cookie, int type, Program& program);

    const VerbsEndConfig config_;
    VerbsEnd& end_;
    const Surroundings around_;
    ProgramHost host_;
    RingMemory rings_;
    Table<ProtectionDomain> pds_;
    Table<Region> regions_;
    Table<Channel> channels_;
    Table<CompletionQueue> cqs_;
    Table<SharedQueue> srqs_;
    Table<QueuePair> qps_;        // by QPN
    std::vector<Handle> cq_of_;   // by the card's number; 0: destroyed
    std::vector<Handle> srq_of_;  // by the card's number; 0: destroyed, or of one QP
    std::size_t events_ = 0;      // of the card, handed on
    std::uint64_t entries_ = 0;   // that have come to CQs
    std::size_t waiting_events_ = 0;
    unsigned faults_told_ = 0;
};

}  // namespace rnicsim::programs
