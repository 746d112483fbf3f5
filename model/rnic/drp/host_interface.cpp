// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/host_interface.h"

#include "model/rnic/drp/dma_purpose.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace rnicsim {

HostInterface::HostInterface(sc_core::sc_module_name name, std::uint32_t receive_ring, Cycle latency,
                             PcieEndpoint& pcie, CommandTarget& commands, TxArbiter& tx, FramePool& frames)
    : sc_module(name),
      receive_ring_(receive_ring),
      latency_(latency),
      pcie_(pcie),
      target_(commands),
      tx_(tx),
      frames_(frames) {}

void HostInterface::register_write(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    std::uint32_t value = 0;
    assert(bytes.size() == sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    switch (static_cast<Doorbell>(offset)) {
        case Doorbell::command_producer: command_producer_ = value; break;
        case Doorbell::event_consumer: event_consumer_ = value; break;
        case Doorbell::receive_consumer: receive_consumer_ = value; break;
    }
}

void HostInterface::post(Cycle at, const Event& event) { events_.push(event, at); }

void HostInterface::work(Cycle now) {
    receive(now);
    write_events(now);
    write_status(now);
    fetch_commands(now);
    fetch_frames(now);
}

void HostInterface::receive(Cycle now) {
    while (received_.ready(now)) {
        FrameRef frame = received_.pop();
        if (receive_producer_ - receive_consumer_ == receive_ring_) {
            ++counters_.no_receive_buffer;
            continue;
        }
        const std::uint64_t buffer =
            kRings.receive + std::uint64_t{receive_producer_++ % receive_ring_} * kReceiveBufferBytes;
        to_memory_.push({std::move(frame), buffer}, now + latency_);
    }
    while (to_memory_.ready(now)) {
        const ToMemory next = to_memory_.pop();
        const std::span<const std::uint8_t> frame = next.frame->without_fcs();
        const auto bytes = static_cast<std::uint32_t>(frame.size());
        const DmaPiece piece{next.buffer, frame.data(), bytes, next.frame};
        write(now, piece);
        Event event;
        event.code = EventCode::frame_received;
        event.length = bytes;
        events_.push(event, now);
        ++counters_.frames_received;
    }
}

void HostInterface::write_events(Cycle now) {
    while (events_ready() && events_.ready(now)) {
        Event& entry = staged_[event_producer_ % kEventRing];
        entry = events_.pop();
        const std::uint64_t address = kRings.event + std::uint64_t{event_producer_ % kEventRing} * kEventBytes;
        entry.sequence = static_cast<std::uint16_t>(++event_producer_);
        const DmaPiece piece{address, reinterpret_cast<const std::uint8_t*>(&entry), sizeof(Event), {}};
        write(now, piece);
        pcie_.interrupt(now);
        ++counters_.events;
    }
}

/// Later changes before it is written are part of the same write.
void HostInterface::change_status(Cycle now) { status_due_ = std::min(status_due_, now + latency_); }

void HostInterface::write_status(Cycle now) {
    if (now < status_due_) return;
    status_due_ = kNever;
    Status& entry = staged_status_[status_writes_++ % staged_status_.size()];
    entry = status_;
    const DmaPiece piece{kRings.status, reinterpret_cast<const std::uint8_t*>(&entry), sizeof entry, {}};
    write(now, piece);
    ++counters_.status_writes;
}

void HostInterface::fetch_commands(Cycle now) {
    if (!commands_wait()) return;
    const std::uint32_t first = command_consumer_ % kCommandRing;
    fetching_ = std::min({command_producer_ - command_consumer_, kCommandBatch, kCommandRing - first});
    read(now, kRings.command + std::uint64_t{first} * sizeof(Command), reinterpret_cast<std::uint8_t*>(fetched_.data()),
         static_cast<std::uint32_t>(fetching_ * sizeof(Command)), {});
}

void HostInterface::commands_fetched(Cycle now) {
    for (std::uint32_t i = 0; i < fetching_; ++i) {
        ++counters_.commands;
        if (fetched_[i].code == CommandCode::send_frame) {
            sends_.push(fetched_[i], now);
        } else {
            target_.command(now, fetched_[i]);
        }
    }
    command_consumer_ += fetching_;
    fetching_ = 0;
    status_.commands_fetched = command_consumer_;
    change_status(now);
}

void HostInterface::fetch_frames(Cycle now) {
    while (frames_wait()) {
        const Command command = sends_.pop();
        FrameRef frame = frames_.take();
        frame->set_length_from_header(command.length);
        std::uint8_t* const into = frame->writable_bytes().data();
        read(now, command.sba, into, command.length, std::move(frame));
        --tx_buffers_;
    }
}

void HostInterface::frame_fetched(Cycle now, FrameRef frame) {
    ++counters_.frames_sent;
    ++status_.frames_fetched;
    change_status(now);
    if (core_observer_ != nullptr) core_observer_->ordinary_frame_waits(now + latency_, *frame);
    tx_.put_ordinary(std::move(frame), now + latency_);
}

void HostInterface::write(Cycle now, const DmaPiece& piece) {
    if (core_observer_ != nullptr)
        core_observer_->host_requests(now, DmaEngine::Direction::write, piece.address, piece.bytes);
    pcie_.write(now, {&piece, 1}, dma_purpose::kHost);
}

void HostInterface::read(Cycle now, std::uint64_t address, std::uint8_t* into, std::uint32_t bytes, FrameRef frame) {
    if (core_observer_ != nullptr) core_observer_->host_requests(now, DmaEngine::Direction::read, address, bytes);
    pcie_.read(now, address, bytes, dma_purpose::kHost, {*this, into, 0, std::move(frame)});
}

/// A read with a frame fetches an ordinary frame, any other one fetches commands.
void HostInterface::read_done(Cycle now, std::uint64_t /*context*/, FrameRef frame) {
    if (frame) {
        frame_fetched(now, std::move(frame));
    } else {
        commands_fetched(now);
    }
}

bool HostInterface::idle() const {
    return command_producer_ == command_consumer_ && events_.empty() && sends_.empty() && received_.empty() &&
           to_memory_.empty() && status_due_ == kNever && tx_buffers_ == kTxBuffers;
}

}  // namespace rnicsim
