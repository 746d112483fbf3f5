// What the programs on one host ask of its card, carried out: objects in control.cpp, work requests in
// host_service.cpp.
#pragma once

#include "model/config.h"
#include "model/end_system.h"
#include "testbench/programs/server/body.h"
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
        News news;
    };
    HostService(const VerbsEndConfig& config, VerbsEnd& end, const Surroundings& surroundings);

    [[nodiscard]] ProgramHost& host() { return host_; }
    [[nodiscard]] Welcome welcome() const;
    /// A request that is answered. Now is its time. The caller has to live until then.
    void call(Caller& caller, Op op, std::vector<std::byte> body, Cycle now);
    /// One that is not.
    void tell(Program& program, Op op, std::span<const std::byte> body, Cycle now);
    /// Takes completions that are there, and answers when that is done; false, and nothing happens: there is none.
    bool poll(Caller& caller, std::span<const std::byte> body, Cycle now);
    /// Completions are there that it has not taken.
    [[nodiscard]] bool has_entries(const Program& program) const;
    /// A program is gone; what it had goes, too.
    void forget(Program& program, Cycle now);
    /// It does not have the memory that it has registered: those regions are no more.
    void lose_memory(const Program& program, std::uint64_t address);
    /// Events that the card has raised since the last time.
    void hand_on_events();

  private:
    using Done = std::function<void(int error, const Reply& reply, int descriptor)>;
    /// Has the card do something, and then answers; what it throws as a Refusal is the answer.
    void at_card(Caller& caller, Cycle now, std::function<Reply()> what);
    void answer_at_once(Caller& caller, Op op, Body body, Cycle now);

    // Objects.
    Reply query_device() const;
    Reply register_memory(Program& program, const Registration& r);
    Reply free_memory(Program& program, Handle region);
    Reply create_cq(Program& program, const CqInit& init);
    Reply destroy_cq(Program& program, Handle cq);
    Reply create_srq(Program& program, const SrqInit& init);
    Reply modify_srq(Program& program, const SrqChange& change);
    Reply destroy_srq(Program& program, Handle srq);
    Reply create_qp(Program& program, const QpRequest& request);
    Reply modify_qp(Program& program, const QpChange& change);
    Reply destroy_qp(Program& program, Handle qp);
    QpChange query_qp(Program& program, Handle qp);
    Reply counters() const;
    rc::ReceiveRing take_receive_ring(std::uint32_t wqes);
    std::uint64_t take_ring(std::uint64_t bytes);

    // Work requests.
    void post_sends(Program& program, Body body, Cycle now);
    void post_receives(Program& program, Op op, Body body, Cycle now);
    rc::SendWqe send_wqe(const Send& send, Body& body, std::vector<std::uint8_t>& payload) const;

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
};

}  // namespace rnicsim::programs
