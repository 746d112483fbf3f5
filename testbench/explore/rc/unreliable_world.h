// SPDX-License-Identifier: Apache-2.0
// A sender and a receiver of UC or UD and the wire between them as one value, without time and bytes, as
// reliable_world.h has it for RC. Nothing is answered, so what is left to check is the receiver: a message is there
// when its packets came one behind the other, and then once.
#pragma once

#include "model/rnic/rc/rc_transport.h"
#include "testbench/explore/mixer.h"
#include "testbench/explore/rc/step.h"

#include <string>
#include <vector>

namespace rnicsim::rc {

struct UnreliableWorkload {
    Service service = Service::unreliable;
    std::vector<Verb> messages;
    std::uint32_t packets = 2;  ///< of each message; of UD 1
    std::uint32_t faults = 1;
};

class UnreliableWorld {
  public:
    explicit UnreliableWorld(const UnreliableWorkload& workload);

    /// There is one of each step.
    [[nodiscard]] static std::uint8_t variants(Step step) {
        return step == Step::modify_to_error || step == Step::deregister ? 0 : 1;
    }
    Outcome apply(Step step, std::uint8_t of, bool quiet);
    [[nodiscard]] bool over() const;
    [[nodiscard]] std::string broken() const { return sends_.broken.empty() ? takes_.broken : sends_.broken; }
    /// What the step does here, in words.
    [[nodiscard]] std::string in_words(Step step, std::uint8_t of) const;
    /// All that can matter later, to compare states.
    friend explore::Digest digest(const UnreliableWorld& world);

  private:
    struct Flight {
        roce::Header header;
        std::uint8_t message = 0, packet = 0;
    };
    struct End final : RcActions {
        explicit End(const UnreliableWorkload& workload);
        void fetch_wqe(const SendFetch& fetch) override { fetches.push_back(fetch); }
        void fetch_receives(ReceiveQueueNumber /*queue*/) override { ++receive_fetches; }
        void read_record(ReceiveQueueNumber /*queue*/) override {}  // no limit is armed
        void place(const Placement& placement) override;
        void atomic(const AtomicJob& /*job*/) override { broken = "V-I10: an atomic"; }
        void persist(const PersistJob& /*job*/) override { broken = "V-I10: a FLUSH"; }
        void complete(const Completion& completion) override;
        void event(const AsyncEvent& /*event*/) override { broken = "V-I10: an event without a cause"; }
        [[nodiscard]] const Qp& state() const { return *rc.qp(qp); }

        RcTransport rc;
        ReceiveQueueNumber rq{};
        Qpn qp;
        std::uint32_t key = 0;
        std::vector<SendFetch> fetches;
        std::uint32_t receive_fetches = 0, receives_waiting = 0, receives_posted = 0;
        std::uint32_t cqes = 0;
        // Of the packets delivered: the message of the last one, and how many of it came one behind the other.
        std::uint8_t message = 0, came = 0;
        bool placed = false, ended = false;  ///< by the packet in hand
        std::string broken;
    };
    [[nodiscard]] bool takes_receive_at(const Flight& f) const;
    bool try_it(Step step);
    bool deliver();
    bool fault(Step step);

    const UnreliableWorkload* workload_;  // not owned
    End sends_, takes_;
    std::vector<Flight> wire_;
    std::uint32_t posted_ = 0, leaving_ = 0, faults_left_;
    std::uint32_t ends_ = 0;       ///< receives that have ended
    bool may_be_dropped_ = false;  ///< the message under way found no receive WQE
};

}  // namespace rnicsim::rc
