// Two RcTransports and all that is between them as one value, without time and bytes: one end asks, the other answers.
// Each step calls the real decisions and checks what they do. A payload is a number: which packet of which message.
#pragma once

#include "model/rnic/rc/rc_transport.h"
#include "testbench/explore/mixer.h"
#include "testbench/explore/rc/step.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim::rc {

struct Workload {
    std::vector<Verb> messages;
    std::uint32_t packets = 2;  ///< of each message that has payload
    std::uint32_t window = 3, rd_atomic = 1;
    std::uint32_t faults = 1;
    std::uint32_t retry = 2, rnr = 7;  ///< retry_cnt, rnr_retry; rnr 7: endless
    bool apart = false;                ///< messages go to and come from different places
    const Retransmission* retransmission = &rc::retransmission("go_back_n");
};

/// One card with its host.
struct CardState final : RcActions {
    struct Write {
        bool of_request = false;
        std::uint8_t payload = 0;
        bool is_cqe = false;
        Completion cqe;
    };

    explicit CardState(const Workload& workload);
    void fetch_wqe(const SendFetch& fetch) override { fetches.push_back(fetch); }
    void fetch_receives(ReceiveQueueNumber /*queue*/) override { ++receive_fetches; }
    void read_record(ReceiveQueueNumber /*queue*/) override {}  // no limit is armed
    void place(const Placement& placement) override;
    void atomic(const AtomicJob& job) override { atomics.push_back(job); }
    void complete(const Completion& completion) override { writes.push_back({false, 0, true, completion}); }
    void event(const AsyncEvent& /*event*/) override { broken = "V-I10: an event without a cause"; }
    [[nodiscard]] const Qp& state() const { return *rc.qp(qp); }

    const Workload* workload;  // not owned
    RcTransport rc;
    ReceiveQueueNumber rq{};
    Qpn qp;
    std::uint32_t key = 0;
    Time now{};
    std::vector<SendFetch> fetches;
    std::uint32_t receive_fetches = 0, receives_waiting = 0, receives_posted = 0;
    std::vector<Write> writes;
    std::vector<AtomicJob> atomics;
    std::uint8_t payload = 0;             ///< of the present packet
    std::vector<std::uint8_t> placed;     ///< payloads in the order in which they are asked for
    std::vector<std::uint8_t> in_memory;  ///< ... in which they are posted
    std::uint32_t cqes = 0;
    std::string broken;
};

class PairWorld {
  public:
    explicit PairWorld(const Workload& workload);

    /// False: this cannot happen now. `quiet`: nothing else can, so that a timer is no fault.
    bool apply(Step step, bool quiet);
    [[nodiscard]] bool over() const;
    /// The rule that the last step has broken, or nothing.
    [[nodiscard]] std::string broken() const;
    /// What the step does here, in words.
    [[nodiscard]] std::string in_words(Step step) const;
    /// All that can matter later, to compare states.
    friend explore::Digest digest(const PairWorld& world);

  private:
    struct Flight {
        roce::Header header;
        std::uint8_t payload = 0;
    };
    bool post();
    bool transmit(CardState& from, Lane lane, std::vector<Flight>& wire);
    bool deliver(std::vector<Flight>& wire, CardState& to);
    bool fault(Step step);
    bool timer(bool quiet);
    bool write_one();
    void on_cqe(const Completion& c, bool at_asker);
    void settle();
    [[nodiscard]] bool has_arrived(std::uint32_t message) const;
    [[nodiscard]] std::uint32_t takers_before(std::uint32_t message) const;
    [[nodiscard]] std::uint64_t address_of_taker(std::uint32_t number) const;

    const Workload* workload_;  // not owned
    CardState asks_, answers_;
    std::vector<Flight> requests_, responses_;
    std::optional<Psn> open_nak_;  ///< the gap that the answering end has told of
    std::vector<Psn> told_;        ///< packets that it has told of by selective NAKs
    std::uint32_t posted_ = 0, atomics_done_ = 0, faults_left_;
    std::string broken_;
};

}  // namespace rnicsim::rc
