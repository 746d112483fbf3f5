// SPDX-License-Identifier: Apache-2.0
// The RoCEv2 RNIC: the block diagram, and the order in which its blocks act in a cycle.
//
//   host <== PCIe ==> pcie <--- WQEs, doorbells ----  work_queues ----+
//                      ^  ^                                           v
//                      |  +---- CQEs, MSI --  completion_queues <--- decisions (RcTransport: QPs, MRs, policies)
//                      |                                              |  ^
//                      +---- payload -- sender <-- packets to send ---+  |          sender -----> gmac ==> wire
//                      +---- payload -- receiver ---- packets -----------+          receiver <--- gmac <== wire
//                      |                                                            sender -> loopback -> receiver
//                      +---- 8 bytes -- atomic_unit
//                      +---- frames, descriptors, MSI -- ethernet_port <--- TCP --- receiver; ---> sender
//                      +---- contexts, regions, pages -- lines <-- at hand? -- all of these but atomic_unit
//
// The decisions are plain C++ without time of their own (rc_transport.h); the blocks here give them time, and carry
// payload, which the decisions never see.
#pragma once

#include "model/rnic/common/rnic.h"
#include "model/rnic/rc/atomic_unit.h"
#include "model/rnic/rc/blocks.h"
#include "model/rnic/rc/card_config.h"
#include "model/rnic/rc/completion_queues.h"
#include "model/rnic/rc/dma_queue.h"
#include "model/rnic/rc/ethernet_port.h"
#include "model/rnic/rc/line_dma.h"
#include "model/rnic/rc/loopback.h"
#include "model/rnic/rc/packet_receiver.h"
#include "model/rnic/rc/packet_sender.h"
#include "model/rnic/rc/persist_unit.h"
#include "model/rnic/rc/rc_observer.h"
#include "model/rnic/rc/rc_transport.h"
#include "model/rnic/rc/work_queues.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

namespace rnicsim::rc {

class RcRnic final : public Rnic, public ClockedFrameTransport, private RcActions, private ContextLines::Waiter {
  public:
    /// `host`: whose card it is; peers are known by the numbers of their hosts. `blocks`: makes what may be Verilog.
    RcRnic(sc_core::sc_module_name name, const CardConfig& config, unsigned host, const Ahead& ahead, FramePool& frames,
           PciePool& transactions, const CardBlocks& blocks);

    // What the driver sets up before the simulation starts (README.md, "Not built": the admin ring).
    /// Host memory for what does not fit into the card; first of all.
    void give_memory(const LineMemory& memory) { lines_.set_memory(memory); }
    /// Returns the key. Throws std::logic_error if there are too many regions.
    std::uint32_t add_region(Pd pd, const Range& range, Access access, PageSize page);
    Cqn create_cq(const CqRing& ring) { return completions_.create(ring); }
    void set_cq_records(CompletionQueues::Taken taken) { completions_.set_records(std::move(taken)); }
    /// Precondition of both: nothing of it is on its way any more. Its number is used again.
    void destroy_cq(Cqn cq) { completions_.destroy(cq); }
    void destroy_receive_queue(ReceiveQueueNumber queue) { transport_.destroy_receive_queue(queue); }
    // Is there room for one more, in numbers and in memory? In a command, or before the simulation starts.
    [[nodiscard]] bool has_room_for_qp() const {
        return lines_.has_room(LineKind::qp) && transport_.has_free_qp(clock_.time(acting_));
    }
    [[nodiscard]] bool has_room_for_cq() const { return lines_.has_room(LineKind::cq); }
    /// At any time. Returns the first entry, counted on, that goes to the new ring.
    std::uint32_t move_cq(Cqn cq, const CqRing& ring) { return completions_.move(cq, ring); }
    ReceiveQueueNumber create_receive_queue(const ReceiveRing& ring, bool shared);
    /// Precondition: has_room_for_qp().
    Qpn create_qp(const QpInit& init, const SendRing& ring);
    /// The same with memory that lies elsewhere on the bus (V-Q5). Nothing: there are too many regions, or no room for
    /// the entries of its pages.
    std::optional<std::uint32_t> add_region(Pd pd, const Range& range, Access access, PageSize page, std::uint64_t bus);
    /// RESET to RTS. Throws std::logic_error if the attributes are not legal.
    void connect(Qpn qp, const QpAttributes& attributes);

    struct Interrupts {
        Time moderation;  ///< from a frame that comes to the interrupt that tells of it
        bool wanted = true;
    };
    /// It is an Ethernet card, too. Once.
    void add_ethernet(const EthernetRings& rings, const Interrupts& interrupts);

    // What the driver asks for while the simulation runs.
    /// Carried out when the driver has written the register for it (page::kAdmin), each write one, in this order.
    using Command = std::function<void(Cycle now)>;
    void queue_command(Command command) { commands_.push_back(std::move(command)); }
    // In a command only.
    ModifyError modify_qp(Qpn qp, QpState to, AttributeMask mask, const QpAttributes& values);
    bool destroy_qp(Qpn qp) {
        persists_.drop(qp);
        return transport_.destroy_qp(clock_.time(acting_), qp);
    }
    /// The region keeps its key (V-Q6). False: there is none of this key, or no room for the entries of its pages.
    bool change_region(std::uint32_t key, Pd pd, const Range& range, Access access, PageSize page, std::uint64_t bus);
    /// Its pages have another place on the bus from now on, which nobody has to be told.
    bool move_region(std::uint32_t key, std::uint64_t bus) { return transport_.regions().move(key, bus); }
    [[nodiscard]] bool has_region(std::uint32_t key, Pd pd) const { return transport_.regions().knows(key, pd); }
    bool remove_region(std::uint32_t key) { return transport_.regions().remove(key); }
    /// Receives have been posted to a QP in ERR: they are flushed.
    void flush_receives(Qpn qp) { transport_.on_post_receive(clock_.time(acting_), qp, *this); }

    [[nodiscard]] const Clock& clock() const { return clock_; }
    [[nodiscard]] bool idle() const;
    [[nodiscard]] const RcTransport& transport() const { return transport_; }
    [[nodiscard]] const WorkQueues& work_queues() const { return queues_; }
    [[nodiscard]] const CompletionQueues& completion_queues() const { return completions_; }
    [[nodiscard]] const PacketSender& sender() const { return sender_; }
    [[nodiscard]] const PacketReceiver& receiver() const { return receiver_; }
    [[nodiscard]] const Loopback& loopback() const { return loopback_; }
    [[nodiscard]] Loopback& loopback() { return loopback_; }
    [[nodiscard]] const AtomicUnit& atomic_unit() const { return atomics_; }
    [[nodiscard]] const PersistUnit& persist_unit() const { return persists_; }
    [[nodiscard]] const ContextLines& context_lines() const { return lines_; }
    /// nullptr: it has none.
    [[nodiscard]] const EthernetPort* ethernet() const { return ethernet_.get(); }
    [[nodiscard]] std::uint64_t pauses_heard() const { return pauses_heard_; }
    /// Asynchronous events, in their order.
    [[nodiscard]] const std::vector<AsyncEvent>& events() const { return events_; }

    /// Not owned; nullptr: nobody looks on.
    void set_observer(RcObserver* observer) { observer_ = observer; }

    /// A good frame from the MAC.
    void put(FrameRef frame, Cycle due) override;

  private:
    // Rnic
    void cycle(Cycle now) override;
    Due next_due(Cycle now) override;
    void register_write(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) override;

    void write_cqe(const Completion& completion);
    void write_ethernet(Cycle now, std::uint64_t offset, std::uint32_t value);

    // RcActions
    void fetch_wqe(const SendFetch& fetch) override { queues_.fetch_sends(acting_, fetch); }
    void fetch_receives(ReceiveQueueNumber queue) override { queues_.fetch_receives(acting_, queue); }
    void read_record(ReceiveQueueNumber queue) override { queues_.read_record(acting_, queue); }
    void place(const Placement& placement) override { receiver_.place(acting_, placement); }
    void atomic(const AtomicJob& job) override { atomics_.ask(job); }
    bool has_room_to_persist() override { return persists_.has_room(); }
    void persist(const PersistJob& job) override;
    void complete(const Completion& completion) override;
    void event(const AsyncEvent& event) override;
    void noted(Qpn qp, RcCount what) override {
        if (observer_ != nullptr) observer_->noted(qp, what);
    }
    void reached(Qpn qp, Stage stage, std::uint32_t end) override {
        if (observer_ != nullptr) observer_->reached(qp, stage, end, clock_.time(acting_));
    }
    void progressed(Qpn qp, bool again) override {
        if (observer_ != nullptr) observer_->progressed(qp, again, clock_.time(acting_));
    }
    void goes_back(Qpn qp, Time not_before) override {
        if (observer_ != nullptr) observer_->goes_back(qp, not_before, clock_.time(acting_));
    }
    bool at_hand(Qpn qp, Lane lane) override {
        const LineUser user = lane == Lane::request ? LineUser::request_lane : LineUser::answer_lane;
        return lines_.at_hand(acting_, user, qp, [&] { return transport_.memory_of_next(qp, lane); });
    }

    // ContextLines::Waiter
    void line_came(Cycle now, LineUser user, std::uint32_t of) override;

    ClockedFrameIn in_{"in"};
    const Clock clock_;
    const Cycle rx_latency_;  // of the MAC
    FramePool& frames_;
    DmaBacklog dma_;
    std::unique_ptr<RequestCheckEngine> checks_;
    std::unique_ptr<PsnEngine> psns_;
    RcTransport transport_;
    ContextLines lines_;
    LineDma line_dma_;
    WorkQueues queues_;
    CompletionQueues completions_;
    std::unique_ptr<IcrcEngine> icrc_;
    std::unique_ptr<PacketParser> parser_;
    std::unique_ptr<PacketBuilder> builder_;
    PacketReceiver receiver_;
    Loopback loopback_;
    PacketSender sender_;
    AtomicUnit atomics_;
    PersistUnit persists_;
    const bool has_firmware_;  // of that unit
    Inbox<Completion> told_;   // CQEs of receive WQEs that wait for it
    std::unique_ptr<EthernetPort> ethernet_;
    Cycle acting_;              // the cycle of the present decision
    std::vector<Cqn> overrun_;  // CQs that were full
    std::vector<AsyncEvent> events_;
    std::deque<Command> commands_;
    std::uint64_t pauses_heard_ = 0;
    RcObserver* observer_ = nullptr;
};

}  // namespace rnicsim::rc
