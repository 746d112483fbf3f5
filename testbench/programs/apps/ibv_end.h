// SPDX-License-Identifier: Apache-2.0
// One end of an application's connection on libibverbs: what its protocol asks for is done by this thread and a card of
// this machine, at once, and counted as the simulator counts it.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/send_queue.h"
#include "testbench/programs/apps/card.h"
#include "testbench/programs/protocol/charge.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim::apps {

using Clock = std::chrono::steady_clock;

/// What an end's operations come to, as it says.
class Board {
  public:
    virtual ~Board() = default;
    virtual void marked(std::size_t connection, std::uint32_t operation, unsigned part) = 0;
    virtual void ended(std::size_t connection, std::uint32_t operation, applications::Outcome outcome) = 0;
    /// It finds other bytes than those of the operation.
    virtual void differs(std::size_t connection, std::uint32_t operation) = 0;
    /// A rule of its own is broken.
    virtual void violates(std::size_t connection, const std::string& what) = 0;
};

class IbvEnd final : private applications::Actions {
  public:
    /// `card`, `board` outlive it; `socket`, a connected TCP socket, is its stream, and not closed. A payload of at
    /// most `inline_bytes` travels in its WQE.
    IbvEnd(const Card& card, Board& board, std::size_t connection, int socket, const applications::Plan::Side& needs,
           std::uint32_t inline_bytes, std::unique_ptr<applications::End> protocol);

    [[nodiscard]] Address address() const { return card_.address(*qp_); }
    /// Posts its first receives. The other end may send when both have.
    void connect(const Address& peer);
    void asked(std::uint32_t operation, std::uint32_t bytes);
    void completed(const ibv_wc& completion);
    /// At what is over, and at its socket if it has a stream or waits for the goodbye. True: there was something.
    bool look(bool at_socket);

    [[nodiscard]] const applications::EndCounts& counts() const { return counts_; }
    /// A wait may outlast the run, as a lease does.
    [[nodiscard]] bool waits_for_nothing() const { return signaled_ == 0 && !sends_.waits() && over_.empty(); }
    /// Nothing more is sent by the stream; the other end's look() tells it.
    void say_goodbye() const;
    [[nodiscard]] bool has_heard_goodbye() const { return closed_; }

  private:
    using Place = applications::Place;
    using Event = applications::Event;
    // Actions
    void post_send(const applications::WorkRequest& what) override;
    void post_receive(Place at, std::uint32_t bytes, std::uint32_t tag) override;
    /// Applications that do are refused.
    void watch(Place at, std::uint32_t tag) override;
    void register_memory(Place at, std::uint32_t bytes, std::uint32_t tag) override;
    void deregister_memory(std::uint32_t area, std::uint32_t tag) override;
    void stream_send(Place from, std::uint32_t bytes) override;
    void stream_receive(Place to, std::uint32_t most) override { reading_ = {to, most}; }
    void stream_close() override { say_goodbye(); }
    void copy(Place to, Place from, std::uint32_t bytes, std::uint32_t of) override;
    void touch(Place at, std::uint32_t bytes) override;
    /// There is no such process: on a card it takes no time.
    void call() override;
    void system_call() override;
    void work(Time cost) override;
    void set_up(Time cost) override;
    void then(std::uint32_t tag) override { over_.push_back({.what = Event::What::done, .tag = tag}); }
    void after(Time time, std::uint32_t tag) override;
    /// Applications that do are refused: they share memory.
    void wake(std::uint32_t shared, std::uint32_t tag) override;
    [[nodiscard]] std::span<std::uint8_t> memory(Place at, std::uint32_t bytes) override;
    [[nodiscard]] applications::Remote remote(Place at) override;
    void produce(Place at, std::uint32_t bytes, std::uint32_t operation) override;
    void mark(std::uint32_t operation, unsigned part) override { board_.marked(connection_, operation, part); }
    void violates(const std::string& what) override { board_.violates(connection_, what); }
    void check(Place at, std::uint32_t bytes, std::uint32_t operation) override;
    void ended(std::uint32_t operation, applications::Outcome outcome) override {
        board_.ended(connection_, operation, outcome);
    }

    /// What has room.
    void post_waiting();
    void post(const applications::WorkRequest& what);
    /// Under `rnicsim exec`, where a program computes in no time, the thread's time goes on by this. False: there is
    /// nobody who charges it.
    static bool charge(programs::ChargeKind kind, std::uint64_t amount, std::uint64_t of = 0);
    [[nodiscard]] ibv_sge sge(Place at, std::uint32_t bytes);
    void register_area(std::uint32_t area, std::span<std::uint8_t> bytes);
    bool read_stream();

    const Card& card_;
    Board& board_;
    const std::size_t connection_;
    const int socket_;
    const std::uint32_t inline_bytes_;
    const std::unique_ptr<applications::End> protocol_;
    std::vector<std::vector<std::uint8_t>> areas_;  // each begins a page behind the start of its vector at most
    std::vector<Mr> regions_;                       // by area; behind areas_: goes before them
    Qp qp_;
    applications::SendQueue sends_;
    std::uint32_t signaled_ = 0;                                       // work requests outstanding
    std::deque<Event> over_;                                           // to be told
    std::vector<std::pair<Clock::time_point, std::uint32_t>> timers_;  // and their tags
    std::optional<std::pair<Place, std::uint32_t>> reading_;           // into where, and at most how much
    bool told_ = false;    // that the stream has bytes, and has not asked for them since
    bool closed_ = false;  // by the other end
    applications::EndCounts counts_;
};

}  // namespace rnicsim::apps
