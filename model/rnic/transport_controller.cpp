#include "model/rnic/transport_controller.h"

#include "model/rnic/host_interface.h"

#include <algorithm>

namespace rnicsim {
namespace {

// What a data frame carries through fetch and transmit queue: its table entry and SN.
constexpr std::uint64_t pack(ConnectionTable::Index entry, std::uint32_t sn) { return std::uint64_t{entry} << 32 | sn; }
constexpr ConnectionTable::Index entry_of(std::uint64_t context) {
    return static_cast<ConnectionTable::Index>(context >> 32);
}
constexpr Sn sn_of(std::uint64_t context) { return {static_cast<std::uint32_t>(context)}; }

}  // namespace

TransportController::TransportController(sc_core::sc_module_name name, const TransportConfig& config,
                                         const Peers& peers)
    : sc_module(name),
      config_(config),
      peers_(peers),
      logic_(config),
      stored_(logic_.buffer().slot_count()),
      tx_buffers_(config.tx_buffer / static_cast<std::uint32_t>(kMaxFrameBytes)) {
    pieces_.reserve(stored_.size());
}

void TransportController::put(FrameRef frame, const DrpHeader& header, Cycle due) {
    received_.push({std::move(frame), header}, due + config_.rx_latency);
}

void TransportController::command(Cycle now, const Command& command) {
    now_ = now;
    logic_.on_command(now, command, *this);
}

void TransportController::receive(Cycle now) {
    now_ = now;
    while (draining_.ready(now)) logic_.drained(draining_.pop());
    while (received_.ready(now)) {
        Received received = received_.pop();
        in_hand_ = std::move(received.frame);
        logic_.on_frame(now, received.header, *this);
        in_hand_ = {};
    }
}

void TransportController::run_timers(Cycle now) {
    now_ = now;
    logic_.on_timers(now, *this);
}

void TransportController::fetch(Cycle now) {
    now_ = now;
    while (tx_buffers_ != 0) {
        const std::optional<DataJob> job = logic_.next_data(now);
        if (!job) return;
        --tx_buffers_;
        FrameRef frame = peers_.frames.take();
        frame->format(peers_.peer, peers_.own, kDrpEtherType, kDrpHeaderBytes + job->header.len);
        const std::span<std::uint8_t> client = frame->client_data();
        encode(job->header, client.first<kDrpHeaderBytes>());
        std::uint8_t* const payload = client.data() + kDrpHeaderBytes;
        peers_.pcie.read(now + config_.tx_latency, job->address, payload, job->header.len, ReadPurpose::data_frame,
                         pack(job->entry, job->header.sn), std::move(frame));
    }
}

void TransportController::data_fetched(Cycle now, std::uint64_t context, FrameRef frame) {
    if (logic_.wanted(entry_of(context), sn_of(context))) {
        peers_.tx.put_data(std::move(frame), context, now);
    } else {
        left_transmit_path(now, context);
    }
}

void TransportController::data_transmitted(Cycle now, std::uint64_t context) { left_transmit_path(now, context); }

void TransportController::left_transmit_path(Cycle now, std::uint64_t context) {
    now_ = now;
    ++tx_buffers_;
    logic_.on_transmitted(now, entry_of(context), *this);
}

Cycle TransportController::next_due() const { return std::min(received_.next_due(), draining_.next_due()); }

bool TransportController::idle() const {
    return received_.empty() && draining_.empty() && logic_.table().used() == 0 && logic_.buffer().used() == 0;
}

void TransportController::send(const DrpHeader& header) {
    FrameRef frame = peers_.frames.take();
    frame->format(peers_.peer, peers_.own, kDrpEtherType, kDrpHeaderBytes);
    encode(header, frame->client_data().first<kDrpHeaderBytes>());
    control_due_ = std::max(control_due_, now_ + config_.tx_latency);
    if (header.is_ack()) control_due_ = std::max(control_due_, placed_);
    peers_.tx.put_control(std::move(frame), control_due_);
}

void TransportController::place(std::uint64_t address, std::uint32_t bytes) {
    const DmaPiece piece{address, in_hand_->client_data().data() + kDrpHeaderBytes, bytes, in_hand_};
    placed_ = peers_.pcie.write(now_ + config_.tx_latency, {&piece, 1}).posted;
}

void TransportController::keep(IndirectBuffer::SlotIndex slot) { stored_[slot] = in_hand_; }

void TransportController::drain(std::span<const IndirectBuffer::SlotIndex> slots) {
    pieces_.clear();
    for (const IndirectBuffer::SlotIndex index : slots) {
        const IndirectBuffer::Slot& slot = logic_.buffer().slot(index);
        FrameRef& frame = stored_[index];
        pieces_.push_back({slot.address, frame->client_data().data() + kDrpHeaderBytes, slot.length, frame});
        frame = {};
    }
    const Cycle at = now_ + config_.tx_latency;
    if (config_.bulk_drain) {
        const Cycle left = peers_.pcie.write(at, pieces_).left;
        for (const IndirectBuffer::SlotIndex index : slots) draining_.push(index, left);
    } else {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            draining_.push(slots[i], peers_.pcie.write(at, {&pieces_[i], 1}).left);
        }
    }
    pieces_.clear();
}

void TransportController::discard(IndirectBuffer::SlotIndex slot) { stored_[slot] = {}; }

void TransportController::notify(const Event& event) { peers_.host.post(now_ + config_.tx_latency, event); }

}  // namespace rnicsim
