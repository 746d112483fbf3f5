// SPDX-License-Identifier: Apache-2.0
// The driver of a RoCEv2 RNIC, and the processor that runs it and its programs: their threads, on one core or several.
// One program has the card; others may be beside it, which ask the processor alone for something.
#pragma once

#include "model/host/cpu/cores.h"
#include "model/host/cpu/processor_observer.h"
#include "model/host/verbs/host_software.h"
#include "model/host/verbs/verbs_queues.h"
#include "tlm/inbox.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim {

/// What runs on the host. It acts at the end of what the processor did for it.
class VerbsProgram {
  public:
    virtual ~VerbsProgram() = default;
    /// A completion has been taken from a CQ.
    virtual void completed(Cycle now, const rc::Completion& completion) = 0;
    /// A receive WQE is in the ring of this shared queue: those of several cores in another order than they were
    /// posted.
    virtual void receive_written(rc::ReceiveQueueNumber /*queue*/, const rc::ReceiveSges& /*sges*/) {}
    /// Fewer receive WQEs are left in this SRQ than the limit with which it was armed; it is not armed any more.
    virtual void limit_reached(Cycle now, rc::ReceiveQueueNumber queue) = 0;
    /// What was waited for with watch() has been written.
    virtual void noticed(Cycle now, std::uint64_t what) = 0;
    /// What was asked for with call_at().
    virtual void called(Cycle now, std::uint64_t what) = 0;
    /// A call of register_memory() or deregister_memory() returns: with the region's key; nothing: the card has no room
    /// for it.
    virtual void registered(Cycle /*now*/, std::uint64_t /*what*/, std::optional<std::uint32_t> /*key*/) {}
};

/// Whose a number is that a program gives the driver to get it back: in its upper bits.
class ProgramNumber {
  public:
    static constexpr unsigned kBits = 56;  ///< that are left to the program

    ProgramNumber() = default;  ///< of who has the card
    explicit ProgramNumber(std::size_t number) : first_(std::uint64_t{number} << kBits) {}
    /// `own`: of this program, below 2^kBits.
    [[nodiscard]] std::uint64_t with(std::uint64_t own) const { return first_ + own; }
    [[nodiscard]] static std::size_t program(std::uint64_t what) { return static_cast<std::size_t>(what >> kBits); }
    [[nodiscard]] static std::uint64_t own(std::uint64_t what) { return what & ((std::uint64_t{1} << kBits) - 1); }

  private:
    std::uint64_t first_ = 0;
};

class VerbsDriver final : public HostSoftware {
    struct Call {
        enum class What : std::uint8_t { program, arm, handler, entry, byte, command, answer } what = What::program;
        Cycle at;
        /// `of`: the program's own, or the CQ; entry, byte: what is seen; command, answer: which one.
        std::uint64_t order = 0, of = 0;
        Thread thread{};  ///< of a byte
        [[nodiscard]] bool later_than(const Call& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

  public:
    VerbsDriver(const VerbsHostConfig& config, Memory& memory, VerbsQueues& queues, ClockedWakeup& wakeup)
        : config_(config),
          memory_(memory),
          queues_(queues),
          wakeup_(wakeup),
          cores_(config.cpu),
          tasks_(cores_.size()),
          rests_from_(config.threads) {}

    // Set-up, before the simulation starts; it costs no time. The memory is the program's to divide.
    /// It has the card: completions are its.
    void attach(VerbsProgram& program) { programs_.front() = &program; }
    /// It has no queues; each number with which it is to be called is `with()` this one.
    ProgramNumber attach_beside(VerbsProgram& program) {
        programs_.push_back(&program);
        return ProgramNumber(programs_.size() - 1);
    }
    /// Its completions are the thread's.
    rc::Cqn create_cq(const rc::CqRing& ring, Thread thread = Thread::first);
    /// Of one QP, or `shared` by several (SRQ).
    rc::ReceiveQueueNumber create_receive_queue(const rc::ReceiveRing& ring, bool shared) {
        return queues_.create_receive_queue(ring, shared);
    }
    /// A receive WQE that is there from the beginning.
    void prepare_receive(rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges) { queues_.receive(queue, sges); }
    /// Posted to by the thread of its send CQ. Precondition: that and its receive queue have been made.
    rc::Qpn create_qp(rc::QpInit init, const rc::SendRing& sends);

    /// Not owned; nullptr: none.
    void set_observer(ProcessorObserver* observer) { observer_ = observer; }
    /// The program is an application's: it may work for anything.
    void tell_all_kinds() { tells_all_kinds_ = true; }

    /// Only solicited completions, and failures, raise an event. Before the CQs are made.
    void wait_for_solicited() { armed_with_ = rc::page::kSolicitedOnly; }

    // For the program. Each takes the time of the thread's core, behind what it is doing; returns when it begins.
    /// The payload's SGEs are of this host's memory; whether they go inline is the driver's choice.
    Cycle post_send(Cycle now, rc::Qpn qp, rc::SendWqe wqe, Bell bell = Bell::rings);
    Cycle post_receive(Cycle now, rc::ReceiveQueueNumber queue, const rc::ReceiveSges& sges,
                       Thread thread = Thread::first);
    /// ibv_modify_srq(IBV_SRQ_LIMIT), behind what the thread has posted; it takes no time. Precondition: the queue is
    /// shared.
    void arm_limit(Cycle now, rc::ReceiveQueueNumber queue, std::uint32_t limit, Thread thread = Thread::first);
    /// The thread waits for the next write of a device to this byte.
    void watch(std::uint64_t address, std::uint64_t what, Thread thread = Thread::first) {
        watched_.push_back({address, what, thread});
    }
    /// Behind all that the program does in that cycle: what comes in the cycle of a timer came in time.
    void call_at(Cycle at, std::uint64_t what) { push({Call::What::program, at, kBehind | called_++, what, {}}); }
    /// For what a thread has been given, in its place among all that the program asks for.
    void call_in_order(Cycle at, std::uint64_t what) { plan(Call::What::program, at, what); }
    /// The first thread works for so long, behind what its core is doing; called() at the end.
    void work(Cycle now, Cycle cost, std::uint64_t what) {
        call_at(occupy(Thread::first, now, Charge::work, cost), what);
    }
    /// The thread works for so long, behind what its core is doing. Returns when it is done.
    Cycle occupy(Thread thread, Cycle from, Charge kind, Cycle cost, WorkedBy by = WorkedBy::thread);
    /// The same of an interrupt on its core.
    Cycle serve(Thread thread, Cycle from, Charge kind, Cycle cost);
    /// If the thread has nothing to do it slept, and is woken.
    void wake(Thread thread, Cycle now);
    struct Registration {
        rc::Pd pd{};
        rc::Range range;
        rc::Access access;
    };
    /// Commands of the thread, behind what its core is doing: registered(what) when the call returns, which is when it
    /// has cost what it costs and the card has answered, whichever is later.
    void register_memory(Cycle now, Thread thread, const Registration& region, std::uint64_t what);
    /// A call that the operating system refuses. Returns when it does.
    Cycle fail_to_register(Cycle now, Thread thread);
    void deregister_memory(Cycle now, Thread thread, std::uint32_t key, const rc::Range& range, std::uint64_t what);
    /// From now on unseen() knows what devices write.
    void follow_writes() { follows_writes_ = true; }
    /// How long until the processor sees all that devices have written to these bytes.
    [[nodiscard]] Time unseen(Cycle now, std::uint64_t address, std::uint64_t bytes);
    [[nodiscard]] std::span<std::uint8_t> memory(std::uint64_t address, std::uint64_t bytes) {
        return memory_.at(address, bytes);
    }

    // HostSoftware
    void run(Cycle now) override;
    /// A CQ's events are its thread's.
    [[nodiscard]] Thread handled_by(std::uint32_t vector) const override {
        return (vector & rc::page::kLimitVector) != 0 ? Thread::first : thread_of_cq_[vector];
    }
    void interrupt(Cycle at, std::uint32_t vector) override;
    [[nodiscard]] Cycle next_due() const override;
    [[nodiscard]] bool idle() const override { return next_task() == kNever && visible_.empty() && calls_.empty(); }

    /// Calls that were refused; nothing: none ever is.
    [[nodiscard]] std::optional<std::uint64_t> failed_registrations() const {
        if (config_.cpu.pin_faults.failure == 0) return {};
        return failed_registrations_;
    }
    /// When the thread can begin with something, from `now` on.
    [[nodiscard]] Cycle free_from(Cycle now, Thread thread) const { return std::max(now, cores_.free_at(thread)); }
    /// Which core it runs on.
    [[nodiscard]] std::size_t core_of(Thread thread) const { return cores_.core_of(thread); }
    /// When the first thread's core is free.
    [[nodiscard]] Cycle free_at() const { return cores_.free_at(Thread::first); }
    /// How long the cores have worked, and will for what they have been given.
    [[nodiscard]] Time worked() const { return wakeup_.clock().time(cores_.worked().all()); }
    [[nodiscard]] Time worked(Charge kind) const { return wakeup_.clock().time(cores_.worked().of(kind)); }
    /// Is there more to tell of the processor than how long it has worked: for what?
    [[nodiscard]] bool tells_kinds() const {
        return tells_all_kinds_ || config_.threads > 1 || (config_.gets_interrupts() && config_.cpu.charges_events());
    }
    /// ... also of the kinds that only applications have.
    [[nodiscard]] bool tells_all_kinds() const { return tells_all_kinds_; }

  private:
    static constexpr std::uint64_t kBehind = std::uint64_t{1} << 62U;  // in the order of a cycle; answers are last
    void plan(Call::What what, Cycle at, std::uint64_t of, Thread thread = Thread::first);
    void push(const Call& call);

    struct Task {
        enum class What : std::uint8_t { send, receive, poll, notice, arm, arm_limit, limit } what = What::poll;
        rc::Qpn qp;
        rc::SendWqe wqe;
        Bell bell = Bell::rings;  ///< of a send
        rc::ReceiveSges sges;
        std::uint64_t of = 0;     ///< poll, arm: the CQ; receive, *limit: the queue; notice: the program's own
        std::uint32_t limit = 0;  ///< arm_limit
        std::uint64_t order = 0;  ///< in which this and calls were asked for
    };
    struct Visible {
        bool cqe = false;
        std::uint64_t of = 0;  ///< CQ, or the program's own
        Thread thread{};
    };
    struct Watched {
        std::uint64_t address = 0;
        std::uint64_t what = 0;  ///< the program's own
        Thread thread{};
    };
    // MemoryWatcher
    void written(std::uint64_t address, std::uint64_t bytes, Time visible) override;

    struct Command {
        bool registers = false;
        Registration region;
        std::uint32_t key = 0;
        std::uint64_t what = 0;  ///< the program's own
        Cycle done;              ///< when it has cost what it costs
        std::optional<std::uint32_t> answer{};
    };
    void command(Cycle now, Thread thread, Charge kind, Time cost, Command command);
    void ask_card(Cycle now, std::uint64_t number);

    /// What the thread does when that is over.
    void give(Thread thread, Task task, Cycle due) {
        task.order = called_++;
        tasks_[cores_.core_of(thread)].push(task, due);
    }
    [[nodiscard]] Cycle next_task() const;
    [[nodiscard]] Thread thread_of(rc::Qpn qp) const { return thread_of_qp_[qp.n]; }
    void carry_out(Cycle now, const Task& task);
    void write_send(Cycle now, const Task& task);
    void write_receive(Cycle now, const Task& task);
    void carry_out(Cycle now, const Call& call);
    void see(const Visible& seen, Cycle due);
    void take_up(const Visible& seen, Cycle now);
    void handle(Cycle now, std::uint32_t vector);

    const VerbsHostConfig config_;
    Memory& memory_;
    VerbsQueues& queues_;
    ClockedWakeup& wakeup_;
    [[nodiscard]] VerbsProgram& of_card() const { return *programs_.front(); }
    [[nodiscard]] VerbsProgram& program_of(std::uint64_t what) const {
        return *programs_[ProgramNumber::program(what)];
    }
    std::vector<VerbsProgram*> programs_{nullptr};  // not owned; who has the card, then those beside it
    std::vector<std::uint32_t> unseen_;             // by CQ; events: entries that are written, and not announced yet
    Inbox<Visible> visible_;
    std::vector<Call> calls_;  // heap
    std::uint64_t called_ = 0;
    std::vector<Watched> watched_;
    Cores cores_;
    std::vector<Inbox<Task>> tasks_;  // by core, with the cycle in which each has its effect
    std::vector<Cycle> rests_from_;   // by thread: it has nothing more to do then
    std::vector<Thread> thread_of_cq_, thread_of_qp_;
    ProcessorObserver* observer_ = nullptr;  // not owned
    struct Written {
        rc::Range range;
        Time visible;
    };
    bool follows_writes_ = false;
    std::deque<Written> unseen_writes_;  // in the order in which they can be seen
    bool tells_all_kinds_ = false;
    std::uint32_t armed_with_ = 0;  // flags of the word that arms a CQ
    std::vector<Command> commands_;
    std::uint64_t failed_registrations_ = 0;
    std::vector<std::size_t> free_commands_;
};

}  // namespace rnicsim
