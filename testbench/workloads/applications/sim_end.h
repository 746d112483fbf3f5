// SPDX-License-Identifier: Apache-2.0
// One end of an application's connection in the simulator: what its protocol asks for becomes work of a thread, of a
// card and of a stream, is counted, and what it said is judged at the time for which it said it.
#pragma once

#include "model/host/cpu/store_cores.h"
#include "model/host/tcp/tcp_stack.h"
#include "model/host/verbs/verbs_driver.h"
#include "model/random.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/applications/application.h"
#include "testbench/applications/send_queue.h"
#include "testbench/events/rc/operation_events.h"
#include "testbench/workloads/applications/application_layout.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim {

/// What an end's operations come to, as it says.
class OperationBoard {
  public:
    virtual ~OperationBoard() = default;
    virtual void marked(std::size_t connection, std::uint32_t operation, unsigned part, Time now) = 0;
    virtual void ended(std::size_t connection, std::uint32_t operation, applications::Outcome outcome, Time now) = 0;
    /// The payload key of an operation's data.
    [[nodiscard]] virtual std::uint64_t key_of(std::size_t connection, std::uint32_t operation) const = 0;
    virtual void differs(std::size_t connection, unsigned side, std::uint32_t operation, Time now) = 0;
    /// A rule of its own is broken.
    virtual void violates(std::size_t connection, unsigned side, const std::string& what, Time now) = 0;
    /// Its queue is full of what is not signaled, and more waits for room.
    virtual void overflows(std::size_t connection, unsigned side, Time now) = 0;
    /// The other ends of its host that share this memory are to be told, at this time.
    virtual void wakes(std::size_t connection, unsigned side, std::uint32_t shared, std::uint32_t tag, Time at) = 0;
    /// Have all operations of all connections ended?
    [[nodiscard]] virtual bool is_over() const = 0;
    /// A part of an operation has been done.
    virtual void gets_on(Time at) = 0;
    /// Something is done until then.
    virtual void works_until(Time at) = 0;
    /// What an end does, or is told; for who looks on.
    virtual void did(std::size_t connection, unsigned side, const EndStep& step, Time at) = 0;
    /// Does anybody?
    [[nodiscard]] virtual bool is_watched() const = 0;
};

class SimEnd final : private applications::Actions, private StoreTarget {
  public:
    struct Init {
        std::size_t connection = 0;
        unsigned side = 0;
        const ApplicationLayout::End& plan;     ///< outlives it
        const applications::Plan::Side& needs;  ///< outlives it
        const VerbsHostConfig& host;            ///< outlives it
        VerbsDriver& driver;                    ///< outlives it
        ProgramNumber program;                  ///< there
        std::unique_ptr<applications::End> protocol;
        RandomSource random;
    };
    SimEnd(Init init, OperationBoard& board);

    // Set-up, before the simulation starts.
    /// The key of the area's region.
    void set_key(std::size_t area, std::uint32_t key) { keys_.at(area) = key; }
    void set_queues(rc::Qpn qp, rc::ReceiveQueueNumber receives) {
        qp_ = qp;
        receives_ = receives;
    }
    [[nodiscard]] rc::Qpn qp() const { return qp_; }
    /// That its program runs on.
    [[nodiscard]] Thread thread() const { return Thread{plan_.thread}; }
    /// Not owned.
    void set_stream(TcpStack& stack, StreamId stream) {
        stack_ = &stack;
        stream_ = stream;
    }
    /// Of a bridge, for its cores: where the other end's area is, and its doorbell. Not owned.
    struct Far {
        StoreCores* stores = nullptr;
        std::uint64_t area = 0, doorbell = 0;
    };
    void set_far(const Far& far) {
        far_ = far;
        driver_.follow_writes();
    }
    [[nodiscard]] const Far& far() const { return far_; }
    /// Its messages go by its stream until link_changed().
    void begin_without_link() { link_ = applications::LinkState::down; }
    [[nodiscard]] bool is_without_link() const { return link_ == applications::LinkState::down; }
    void start();

    // From its host. Numbers are those that it has given to the driver, behind it().
    void asked(Cycle now, std::uint32_t operation, std::uint32_t bytes);
    void completed(Cycle now, const rc::Completion& completion);
    void called(Cycle now, std::uint64_t number);
    void registered(Cycle now, std::uint64_t number, std::optional<std::uint32_t> key);
    /// Its bridge's link is up, or down; its host has heard of a change.
    void link_changed(Cycle now, bool up);
    /// Its doorbell has been rung; likewise. The thread is woken.
    void rung(Cycle now);
    /// Of its stream.
    void heard(Cycle now, applications::Event::What what, std::uint32_t bytes);
    /// By an end of its host, from this time on.
    void woken(Time at, std::uint32_t tag);
    /// It has memory that is shared by this number.
    [[nodiscard]] bool shares(std::uint32_t number) const;
    /// Requests wait for room in its queue.
    [[nodiscard]] bool waits_to_send() const { return sends_.waits(); }

    [[nodiscard]] const applications::EndCounts& counts() const { return counts_; }
    /// What calls of the driver carry: this end's number among those of its host, behind a number of its own.
    void set_place(std::uint32_t place) { place_ = place; }
    static constexpr unsigned kPlaceBits = 24;

  private:
    using Place = applications::Place;
    // Actions
    void post_send(const applications::WorkRequest& what) override;
    void post_receive(Place at, std::uint32_t bytes, std::uint32_t tag) override;
    void watch(Place at, std::uint32_t tag) override;
    void register_memory(Place at, std::uint32_t bytes, std::uint32_t tag) override;
    void deregister_memory(std::uint32_t area, std::uint32_t tag) override;
    void stream_send(Place from, std::uint32_t bytes) override;
    void stream_receive(Place to, std::uint32_t most) override;
    void stream_close() override;
    void copy(Place to, Place from, std::uint32_t bytes, std::uint32_t of) override;
    void store(std::span<const applications::Store> program, std::uint32_t tag) override;
    [[nodiscard]] applications::LinkState link() override { return link_; }
    void see_link() override {
        if (link_ == applications::LinkState::back) link_ = applications::LinkState::up;
    }
    void watch_link(std::uint32_t tag) override { link_tag_ = tag; }
    void watch_doorbell(std::uint32_t tag) override { doorbell_tag_ = tag; }
    void gets_on() override { board_.gets_on(time(now_)); }
    [[nodiscard]] bool is_over() override { return board_.is_over(); }
    void touch(Place at, std::uint32_t bytes) override;
    void call() override;
    void system_call() override;
    void work(Time cost) override;
    void set_up(Time cost) override;
    void then(std::uint32_t tag) override;
    void after(Time time, std::uint32_t tag) override;
    void wake(std::uint32_t shared, std::uint32_t tag) override {
        board_.wakes(connection_, side_, shared, tag, time(driver_.free_from(now_, thread())));
    }
    [[nodiscard]] std::span<std::uint8_t> memory(Place at, std::uint32_t bytes) override;
    [[nodiscard]] Time unseen(Place at, std::uint32_t bytes) override {
        return driver_.unseen(now_, address(at), bytes);
    }
    [[nodiscard]] applications::Remote remote(Place at) override;
    void produce(Place at, std::uint32_t bytes, std::uint32_t operation) override;
    void mark(std::uint32_t operation, unsigned part) override;
    void check(Place at, std::uint32_t bytes, std::uint32_t operation) override;
    void violates(const std::string& what) override { board_.violates(connection_, side_, what, time(now_)); }
    void ended(std::uint32_t operation, applications::Outcome outcome) override;

    void count(std::span<const applications::Store> program);
    void begin_stores(std::uint32_t number, Cycle now);
    // StoreTarget
    void stores_over(Time began, Time at, std::uint64_t context) override;

    /// What has room.
    void post_waiting();
    void post(const applications::WorkRequest& what);
    /// What happens at a time.
    struct Planned {
        enum class What : std::uint8_t { event, copy, mark, check, ended, registers, stores } what{};
        applications::Event event{};
        Place to, from;
        std::uint32_t bytes = 0, operation = 0;
        unsigned part = 0;
        applications::Outcome outcome{};
    };
    /// Behind all that the thread has been given.
    void plan_behind(const Planned& what) { plan_at(driver_.free_from(now_, thread()), what); }
    void plan_at(Cycle at, const Planned& what);
    /// The operating system refuses what is asked for; it is asked again later. False: it does not.
    bool refuses_registration(const Planned& what);
    [[nodiscard]] std::uint64_t remember(const Planned& what);
    Cycle charge(Charge kind, Cycle cost);
    void worked() { board_.works_until(time(driver_.free_from(now_, thread()))); }
    void tell(const applications::Event& event) {
        if (board_.is_watched()) show(event);
        protocol_->on(event, *this);
    }
    void show(const applications::Event& event);
    /// What the thread does next.
    void does(EndStep::What what, std::uint32_t bytes, rc::Verb verb = {}) {
        if (!board_.is_watched()) return;
        board_.did(connection_, side_, {.what = what, .verb = verb, .bytes = bytes},
                   time(driver_.free_from(now_, thread())));
    }
    [[nodiscard]] std::uint64_t address(Place at) const { return plan_.areas.at(at.area).address + at.offset; }
    [[nodiscard]] Time time(Cycle at) const { return host_.clock.time(at); }
    [[nodiscard]] rc::Sge sge(Place at, std::uint32_t bytes) const { return {address(at), bytes, keys_.at(at.area)}; }

    const std::size_t connection_;
    const unsigned side_;
    const ApplicationLayout::End& plan_;
    const applications::Plan::Side& needs_;
    const VerbsHostConfig& host_;
    VerbsDriver& driver_;
    const ProgramNumber program_;
    const std::unique_ptr<applications::End> protocol_;
    OperationBoard& board_;
    rc::Qpn qp_;
    rc::ReceiveQueueNumber receives_{};
    TcpStack* stack_ = nullptr;
    StreamId stream_{};
    Far far_;
    applications::LinkState link_{};
    std::optional<std::uint32_t> link_tag_, doorbell_tag_;
    struct Stores {
        std::vector<StoreInstruction> program;
        std::uint32_t tag = 0;
        Charge kind{};
        Cycle least;  ///< that the thread does nothing else
    };
    std::vector<Stores> asked_stores_;
    std::vector<std::uint32_t> free_stores_;
    std::uint32_t place_ = 0;
    std::vector<std::uint32_t> keys_;    // by area
    std::vector<rc::Range> registered_;  // by area: what is registered since set-up
    applications::SendQueue sends_;
    std::vector<std::uint32_t> receive_tags_;  // by number of the WQE, modulo its ring
    std::uint32_t posted_receives_ = 0;
    bool started_ = false;
    const RandomSource random_;
    std::uint64_t attempts_ = 0;  // at registering
    Cycle now_;
    std::vector<Planned> planned_;
    std::vector<std::uint32_t> free_;
    applications::EndCounts counts_;
};

}  // namespace rnicsim
