// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/transport_controller.h"

#include "model/rnic/drp/dma_purpose.h"
#include "tlm/drp/drp_frame.h"

#include <algorithm>
#include <utility>

namespace rnicsim {
TransportController::TransportController(sc_core::sc_module_name name, const TransportConfig& config,
                                         const Peers& peers, std::unique_ptr<TransportEngine> engine,
                                         std::unique_ptr<IndirectBufferEngine> buffer)
    : sc_module(name),
      config_(config),
      peers_(peers),
      engine_(std::move(engine)),
      buffer_(std::move(buffer)),
      rx_buffers_(config.rx_buffer / static_cast<std::uint32_t>(kMaxFrameBytes)),
      tx_buffers_(config.tx_buffer / static_cast<std::uint32_t>(kMaxFrameBytes)) {
    engine_->set_observer(this);
    staged_.reserve(rx_buffers_ + 1);
}

void TransportController::put(FrameRef frame, const DrpHeader& header, Cycle due) {
    received_.push({std::move(frame), header}, due);
}

void TransportController::command(Cycle now, const Command& command) {
    if (core_observer_ != nullptr) core_observer_->command_arrives(now, command);
    commands_.push(command, now);
}

void TransportController::read_done(Cycle now, std::uint64_t context, FrameRef frame) {
    if (core_observer_ != nullptr) {
        core_observer_->payload_arrives(now, frame->client_data().subspan(kDrpHeaderBytes, drp_of(*frame).header.len));
    }
    peers_.tx.put_data(std::move(frame), static_cast<ConnectionTable::Index>(context), now);
}

/// A data frame needs a place in rx_buffer when it arrives. Whether one was free is known once all earlier frames have
/// been decided about.
void TransportController::admit() {
    while (!received_.empty()) {
        const DrpHeader& header = received_.front().header;
        const Cycle arrived = received_.next_due();
        std::erase_if(staged_, [=](Cycle until) { return until < arrived; });
        admitted_ = header.type != DrpType::data || header.is_ack() || staged_.size() < rx_buffers_;
        if (admitted_) return;
        ++counters_.rx_overruns;
        if (core_observer_ != nullptr) core_observer_->frame_overruns(arrived);
        if (observer_ != nullptr) observer_->overrun(header, arrived);
        static_cast<void>(received_.pop());
    }
}

TransportController::Decision TransportController::next_decision(Cycle now) const {
    const bool fetch = tx_buffers_ != 0 && has_data_;
    const Cycle earliest = std::min({received_.next_due(), commands_.next_due(), transmitted_.next_due()});
    const Cycle begins = fetch ? free_ : std::max(earliest, free_);
    // Between decisions the scanner looks at one entry per cycle; during them (busy_) it stands still. A timer begins
    // only in a cycle before any other input is ready.
    if (deadline_ <= now && deadline_ < begins) {
        const auto position = static_cast<ConnectionTable::Index>((free_ - busy_).n % config_.table_entries);
        const TransportEngine::Expiry expiry = engine_->next_expiry(free_, position);
        if (expiry.found < begins) return {expiry.found, TransportInput::timer, expiry.entry};
    }
    if (received_.ready(begins)) return {begins, TransportInput::frame, 0};
    if (commands_.ready(begins)) return {begins, TransportInput::command, 0};
    if (transmitted_.ready(begins)) return {begins, TransportInput::transmitted, 0};
    return {begins, TransportInput::fetch, 0};
}

void TransportController::run(Cycle now) {
    const bool decides = next_.begins != kNever && next_.begins + config_.decision == now;
    if (!decides && draining_.empty()) return;
    if (decides) {
        free_drained(next_.begins);  // a decision sees the indirect buffer as it is at its beginning
        buffer_was_full_ = buffer_->full();
        now_ = free_ = now;
        // The scanner continues behind this entry: timers shorter than a decision must not starve the others.
        busy_ += next_.input == TransportInput::timer ? config_.decision - Cycle{1} : config_.decision;
        decide();
        has_data_ = engine_->has_data();
    }
    const bool deciding = next_.begins < now && now < next_.begins + config_.decision;
    free_drained(deciding ? next_.begins : now);
    report_fill();
}

void TransportController::free_drained(Cycle until) {
    while (draining_.ready(until)) buffer_->left(draining_.pop());
}

void TransportController::decide() {
    switch (next_.input) {
        case TransportInput::frame: {
            Received received = received_.pop();
            admitted_ = false;
            in_hand_ = std::move(received.frame);
            in_hand_until_ = now_;
            engine_->on_frame(now_, received.header, *this);
            in_hand_ = {};
            if (received.header.type == DrpType::data && !received.header.is_ack()) staged_.push_back(in_hand_until_);
            report(key_of_received(received.header), &received.header, nullptr);
            break;
        }
        case TransportInput::command: {
            const Command command = commands_.pop();
            engine_->on_command(now_, command, *this);
            report(key_of(command), nullptr, &command);
            break;
        }
        case TransportInput::transmitted: {
            ++tx_buffers_;
            const ConnectionTable::Index entry = transmitted_.pop();
            const TransferKey of = engine_->key(entry);  // before the entry may be freed
            engine_->on_transmitted(now_, entry, *this);
            report(of, nullptr, nullptr);
            break;
        }
        case TransportInput::fetch: fetch(); break;
        case TransportInput::timer: {
            const TransferKey of = engine_->key(next_.entry);
            engine_->on_timer(now_, next_.entry, *this);
            report(of, nullptr, nullptr);
            break;
        }
    }
}

void TransportController::report(const TransferKey& of, const DrpHeader* header, const Command* command) {
    const std::uint64_t notes = std::exchange(notes_, 0);
    if (core_observer_ != nullptr && notes != 0) core_observer_->decided(now_, notes, noted_);
    if (observer_ == nullptr) return;
    observer_->decided({next_.input, of, header, command, next_.begins});
}

void TransportController::noted(TransportCount what, const TransferKey& of) {
    notes_ |= std::uint64_t{1} << static_cast<unsigned>(what);
    noted_ = of;
    if (observer_ != nullptr) observer_->noted(what, of);
}

void TransportController::report_fill() {
    if (buffer_->used() == reported_fill_) return;
    reported_fill_ = buffer_->used();
    if (observer_ != nullptr) observer_->filled(reported_fill_);
}

void TransportController::fetch() {
    const std::optional<DataJob> job = engine_->next_data(now_);
    --tx_buffers_;
    FrameRef frame = peers_.frames.take();
    frame->format(peers_.table[job->header.peer], peers_.own, kDrpEtherType, kDrpHeaderBytes + job->header.len);
    const std::span<std::uint8_t> client = frame->writable_client_data();
    encode(job->header, client.first<kDrpHeaderBytes>());
    std::uint8_t* const payload = client.data() + kDrpHeaderBytes;
    peers_.pcie.read(now_, job->address, job->header.len, dma_purpose::kFetch,
                     {*this, payload, job->entry, std::move(frame)});
    report(engine_->key(job->entry), &job->header, nullptr);
}

Cycle TransportController::plan(Cycle now) {
    if (!admitted_) admit();
    deadline_ = engine_->next_deadline();
    if (deadline_ <= now) {
        engine_->refresh_deadline();
        deadline_ = engine_->next_deadline();
    }
    next_ = next_decision(now);
    const Cycle ends = next_.begins == kNever ? kNever : next_.begins + config_.decision;
    // A slot that is freed during a decision is free at its end.
    return draining_.next_due() <= now ? ends : std::min(ends, draining_.next_due());
}

bool TransportController::idle() const {
    return received_.empty() && commands_.empty() && transmitted_.empty() && draining_.empty() &&
           engine_->entries_used() == 0 && buffer_->used() == 0;
}

TransportController::Fill TransportController::fill() const {
    const auto buffers = config_.tx_buffer / static_cast<std::uint32_t>(kMaxFrameBytes);
    const std::uint32_t slots =
        config_.method == Method::dynamic ? config_.indirect_buffer / ((config_.segment + 7) / 8 * 8) : 0;
    return {.slots = slots,
            .tx_buffers = buffers - tx_buffers_,
            .all_tx_buffers = buffers,
            .frames = received_.size(),
            .commands = commands_.size(),
            .transmitted = transmitted_.size(),
            .draining = draining_.size()};
}

void TransportController::send(const DrpHeader& header) {
    FrameRef frame = peers_.frames.take();
    frame->format(peers_.table[header.peer], peers_.own, kDrpEtherType, kDrpHeaderBytes);
    encode(header, frame->writable_client_data().first<kDrpHeaderBytes>());
    control_due_ = std::max(control_due_, now_);
    if (header.is_ack()) control_due_ = std::max(control_due_, placed_);
    peers_.tx.put_control(std::move(frame), control_due_);
}

void TransportController::place(std::uint64_t address, std::uint32_t bytes) {
    const DmaPiece piece{address, in_hand_->client_data().data() + kDrpHeaderBytes, bytes, in_hand_};
    const PcieEndpoint::Written written = write({&piece, 1}, dma_purpose::kPlace);
    placed_ = written.posted;
    in_hand_until_ = written.left;
}

PcieEndpoint::Written TransportController::write(std::span<const DmaPiece> pieces, DmaSource source) {
    const PcieEndpoint::Written written = peers_.pcie.write(now_, pieces, source);
    if (core_observer_ != nullptr) {
        for (const DmaPiece& piece : pieces) core_observer_->payload_leaves({piece.data, piece.bytes});
        core_observer_->write_leaves(written.left);
    }
    return written;
}

void TransportController::keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) {
    buffer_->keep(of, sn, address, bytes, in_hand_);
    counters_.buffer_high_water = std::max(counters_.buffer_high_water, buffer_->used());
}

/// One bulk DMA, or one DMA for each frame.
void TransportController::drain(const TransferKey& of) {
    const std::vector<IndirectBufferEngine::SlotIndex>& slots = buffer_->drain(of);
    pieces_.clear();
    for (const IndirectBufferEngine::SlotIndex index : slots) {
        const IndirectBufferEngine::Slot& slot = buffer_->slot(index);
        pieces_.push_back({slot.address, slot.data, slot.length, slot.frame});
    }
    counters_.drained_frames += slots.size();
    if (config_.bulk_drain) {
        const Cycle left = write(pieces_, dma_purpose::kDrain).left;
        for (const IndirectBufferEngine::SlotIndex slot : slots) draining_.push(slot, left);
    } else {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            draining_.push(slots[i], write({&pieces_[i], 1}, dma_purpose::kDrain).left);
        }
    }
    pieces_.clear();
}

void TransportController::notify(const Event& event) {
    if (core_observer_ != nullptr) core_observer_->event_raised(now_, event);
    peers_.host.post(now_, event);
}

}  // namespace rnicsim
