// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/hands.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rnicsim::explore {
namespace {

/// Where the transmissions of a kind of frame are counted: data frames by SN, behind the other kinds.
std::size_t ordinal_place(const DrpHeader& header) {
    constexpr std::size_t kKinds = 8;
    if (header.type != DrpType::data)
        return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(header.type)));
    return header.is_ack() ? 0 : kKinds + header.sn;
}

}  // namespace

std::uint32_t next_ordinal(const Progress& progress, const DrpHeader& header) {
    return progress.sent.at(ordinal_place(header)) + 1U;
}

std::string frame_name(const Setting& setting, const Flight& flight) {
    const DrpHeader& h = flight.header;
    std::string kind(type_name(h.type));
    if (h.type == DrpType::data) kind = h.is_ack() ? "ACK" : "DATA " + std::to_string(h.sn);
    return setting.name_of(flight.transfer) + " " + kind + " #" + std::to_string(flight.ordinal);
}

void Hands::breach(const std::string& what) {
    if (breach_.empty()) breach_ = what;  // the first one
}

void Hands::note(const std::string& what) const {
    if (notes_ != nullptr) notes_->push_back(what);
}

std::uint32_t Hands::concerns(const TransferKey& key) {
    const std::uint32_t transfer = world_.setting_->find(here_, key);
    if (in_hand_ != nullptr && transfer != in_hand_->transfer) {
        breach("a frame of " + name(in_hand_->transfer) + " does something for " + name(transfer));
    }
    return transfer;
}

std::uint32_t Hands::held(std::uint32_t transfer) const {
    std::uint32_t sns = plan(transfer).destination() == here_ ? progress(transfer).memory : 0;
    if (plan(transfer).initiator == here_) return sns;
    for (std::uint32_t i = 0; i < end().buffer.slot_count(); ++i) {
        const IndirectBuffer::Slot& slot = end().buffer.slot(i);
        if (slot.length != 0 && slot.of == plan(transfer).key_at(here_)) sns |= 1U << slot.sn.n;
    }
    return sns;
}

void Hands::launch(const DrpHeader& header) {
    const std::uint32_t transfer = concerns(key_of_sent(header));
    Progress& p = progress(transfer);
    if (header.sba != plan(transfer).sba || header.dba != plan(transfer).dba) {
        breach("a frame of " + name(transfer) + " names other regions than its own");
    }
    std::vector<Flight>& flights = wire_of(world_.wires_, here_, raw(header.peer)).flights;
    const Flight& flight = flights.emplace_back(Flight{header, transfer, ++p.sent.at(ordinal_place(header))});
    if (!noting()) return;
    std::string what = "sends " + frame_name(*world_.setting_, flight);
    if (header.type == DrpType::req_ack) what += header.valid ? " (valid)" : " (invalid)";
    if (header.is_ack()) what += " (next is " + std::to_string(header.ackn) + ")";
    if (header.type == DrpType::data && !header.is_ack()) what += header.indirect ? " (indirect)" : " (direct)";
    note(what);
}

void Hands::send(const DrpHeader& header) {
    if (nothing_ && header.type != DrpType::rel_ack) breach("a frame of a transfer that is over is answered");
    if (header.is_ack()) {
        const std::uint32_t transfer = concerns(key_of_sent(header));
        if (header.ackn > static_cast<std::uint32_t>(std::countr_one(held(transfer)))) {
            breach("a data frame of " + name(transfer) + " is acknowledged that is not here");
        }
    }
    if (header.type == DrpType::rel_ack) {
        const std::uint32_t transfer = concerns(key_of_sent(header));
        if (progress(transfer).memory != all_frames()) {
            breach("the release of " + name(transfer) + " is acknowledged, and not all of its data is in memory");
        }
    }
    launch(header);
}

void Hands::store(std::uint32_t transfer, std::uint32_t sn, std::uint64_t address, std::uint32_t bytes) {
    Progress& p = progress(transfer);
    const Plan& t = plan(transfer);
    if (t.destination() != here_) return breach("data of " + name(transfer) + " is placed at the wrong end");
    if (t.initiator == here_ ? !p.running : !p.registered) {
        breach("data of " + name(transfer) + " is placed in a region that is not registered");
    }
    if (address != t.base_at(here_) + std::uint64_t{sn} * world_.setting_->transport.segment ||
        bytes != world_.setting_->bytes_of(sn)) {
        breach("data of " + name(transfer) + " is placed where it does not belong");
    }
    if ((p.memory >> sn & 1U) != 0) breach("data of " + name(transfer) + " is placed twice");
    if (in_hand_ != nullptr) check_window(transfer, sn);
    p.memory |= 1U << sn;
    p.repeater = Repeater::none;
}

/// The receiver accepts only frames inside its window, whatever its peer takes for acknowledged.
void Hands::check_window(std::uint32_t transfer, std::uint32_t sn) {
    if (sn >= static_cast<std::uint32_t>(std::countr_one(held(transfer))) + world_.setting_->bounds.window) {
        breach("data of " + name(transfer) + " is taken from beyond the window");
    }
}

void Hands::place(std::uint64_t address, std::uint32_t bytes) {
    if (nothing_) breach("data of a transfer that is over is placed");
    if (in_hand_ == nullptr) return breach("data is placed and no frame has brought it");
    note("places it in memory");
    store(in_hand_->transfer, in_hand_->header.sn, address, bytes);
}

bool Hands::buffer_full() const { return end().buffer.full(); }
std::uint32_t Hands::buffered_of(Peer peer) const { return end().buffer.used_by(peer); }

void Hands::keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) {
    if (nothing_) breach("data of a transfer that is over is kept");
    if (in_hand_ == nullptr) return breach("data is kept and no frame has brought it");
    if (buffer_full()) return breach("data is kept although the indirect buffer is full");
    if (world_.quota_used_up(end(), of.peer)) breach("more of an initiator is kept than its quota");
    if (!in_hand_->header.indirect) breach("direct data is kept in the indirect buffer");
    check_window(concerns(of), sn.n);
    note("keeps it in the indirect buffer");
    end().buffer.keep(of, sn, address, bytes, {});
}

void Hands::drain(const TransferKey& of) {
    const std::vector<IndirectBuffer::SlotIndex>& slots = end().buffer.drain(of);
    const std::uint32_t transfer = concerns(of);
    note("moves " + std::to_string(slots.size()) + " frames from the indirect buffer to memory");
    for (const IndirectBuffer::SlotIndex index : slots) {
        const IndirectBuffer::Slot& slot = end().buffer.slot(index);
        store(transfer, slot.sn.n, slot.address, slot.length);
        end().draining |= 1U << raw(of.peer);
    }
}

void Hands::drop(const TransferKey& of) {
    concerns(of);
    note("drops what the indirect buffer holds");
    end().buffer.drop(of);
}

void Hands::read(const DataJob& job) {
    const DrpHeader& h = job.header;
    const bool own = h.from_initiator();
    const std::uint32_t transfer = concerns(key_of_sent(h));
    const Plan& t = plan(transfer);
    if (own ? !progress(transfer).running : !progress(transfer).registered) {
        breach("data of " + name(transfer) + " is read from a region that is not registered");
    }
    const std::uint64_t offset = std::uint64_t{h.sn} * world_.setting_->transport.segment;
    if (h.sn >= world_.setting_->bounds.frames || job.address != t.base_at(here_) + offset ||
        h.len != world_.setting_->bytes_of(h.sn) || h.sba != t.sba || h.dba != t.dba || h.operation != t.operation) {
        breach("a data frame of " + name(transfer) + " is not what it should be");
    }
}

void Hands::notify(const Event& event) {
    if (nothing_) breach("the host gets an event of a transfer that is over");
    const std::uint32_t transfer = concerns(key_of(event));
    Progress& p = progress(transfer);
    switch (event.code) {
        case EventCode::request_acknowledged:
            note(event.status != 0 ? "gives its host a simulated REQ_ACK" : "gives its host the REQ_ACK");
            if (p.acknowledged) breach("the upper layer gets a second REQ_ACK of " + name(transfer));
            if (!p.running) breach("the upper layer gets a REQ_ACK of " + name(transfer) + ", which is over");
            p.acknowledged = true;
            break;
        case EventCode::completed:
        case EventCode::failed: ended(transfer, event); break;
        case EventCode::register_region: asked_to_register(transfer, event); break;
        case EventCode::released:
            note("reports to its host that the region may be released");
            p.region_known = p.registered = p.retry = false;
            p.responder_ended = true;
            // Data of a write that was given up does not count: the host may use the region for something else.
            if (event.status != 0 && plan(transfer).operation == Operation::write) p.memory = 0;
            break;
        case EventCode::frame_received:
        case EventCode::none: breach("the host gets an event that belongs to no transfer");
    }
}

bool Hands::explained(std::uint32_t transfer, TransferError error) const {
    const Progress& p = progress(transfer);
    if (error == TransferError::table_full) {
        return end().logic.entries_used() == world_.setting_->transport.table_entries;
    }
    return p.silenced || (error == TransferError::request_timeout && p.turned_away);
}

void Hands::ended(std::uint32_t transfer, const Event& event) {
    Progress& p = progress(transfer);
    const bool failed = event.code == EventCode::failed;
    note(failed ? std::string("reports an error to its host: ") + error_name(static_cast<TransferError>(event.status))
                : "reports the completion to its host");
    if (!p.running) return breach("the upper layer gets a second end of " + name(transfer));
    p.running = false;
    p.outcome = failed ? Outcome::failed : Outcome::completed;
    if (failed) {
        if (!explained(transfer, static_cast<TransferError>(event.status))) {
            breach(name(transfer) + " fails although no fault explains it");
        }
        return;
    }
    if (!p.acknowledged) breach(name(transfer) + " completes and the upper layer has got no REQ_ACK");
    if (p.memory != all_frames()) { breach(name(transfer) + " completes before all of its data is in memory"); }
    // PROTOCOL.md 3.15 and 3.17: the responder frees its entry before the completion. Its last frames may not have left
    // yet.
    const unsigned responder = plan(transfer).responder;
    const ConnectionTable& there = world_.ends_[responder].logic.table();
    for (const ConnectionTable::Index i : there.active()) {
        const Transfer& t = there[i];
        if (t.key() == plan(transfer).key_at(responder) && t.phase != Phase::closing && t.phase != Phase::given_up) {
            breach(name(transfer) + " completes and its responder has not released it");
        }
    }
}

void Hands::asked_to_register(std::uint32_t transfer, const Event& event) {
    const Plan& t = plan(transfer);
    note("asks its host to register the region");
    if (event.dba != t.dba || event.length != t.length || (event.read != 0) != (t.operation == Operation::read)) {
        breach("the host is asked for another region than that of " + name(transfer));
    }
    const auto open = [&](const Question& q) { return q.transfer == transfer && q.generation == event.generation; };
    if (std::ranges::any_of(end().asked, open)) { breach("the host is asked again before it has answered"); }
    progress(transfer).region_known = true;
    progress(transfer).generation = event.generation;
    end().asked.push_back({transfer, event.generation});
}

}  // namespace rnicsim::explore
