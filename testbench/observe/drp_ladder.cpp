// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/drp_ladder.h"

#include "tlm/ethernet/frame.h"
#include "tlm/time/mac_timing.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace rnicsim {
namespace {

struct Remark {
    Tone tone = Tone::plain;
    std::string_view text;  // empty: the frames show it
    bool aside = false;     // does not break a group of frames
};

Remark remark(TransportCount what, Role role, bool go_back_n) {
    switch (what) {
        case TransportCount::request_timeouts: return {Tone::trouble, "request timer expires"};
        case TransportCount::data_timeouts: return {Tone::trouble, "data timer expires"};
        case TransportCount::release_timeouts: return {Tone::trouble, "release timer expires"};
        case TransportCount::idle_timeouts: return {Tone::trouble, "idle timer expires"};
        case TransportCount::fast_retransmissions: return {Tone::trouble, "duplicate ACKs: sends again"};
        case TransportCount::went_indirect: return {Tone::turn, "sends indirectly from now on"};
        case TransportCount::resumed: return {Tone::turn, "resumes at once"};
        case TransportCount::bulk_drains: return {Tone::turn, "drains the indirect buffer"};
        case TransportCount::duplicates:
            return {Tone::plain, go_back_n ? "not the frame it expects: dropped" : "has it already", true};
        case TransportCount::buffer_full: return {Tone::trouble, "indirect buffer full: drops it", true};
        case TransportCount::table_full: return {Tone::trouble, "connection table full"};
        case TransportCount::stale: return {Tone::trouble, "of a transfer that is over"};
        case TransportCount::out_of_window: return {Tone::trouble, "outside the window: dropped", true};
        case TransportCount::out_of_region: return {Tone::trouble, "outside the region: dropped"};
        case TransportCount::no_region: return {Tone::trouble, "no region yet: dropped"};
        case TransportCount::segment_mismatch: return {Tone::trouble, "another segment size: refused"};
        case TransportCount::request_ack_hidden: return {Tone::plain, "REQ_ACK not shown to the host again"};
        case TransportCount::connections:
            return {Tone::turn, role == Role::initiator ? "connection established" : "region is valid: answers"};
        case TransportCount::requests_sent:
        case TransportCount::request_acks_sent:
        case TransportCount::invalid_request_acks_sent:
        case TransportCount::data_sent:
        case TransportCount::retransmissions:
        case TransportCount::acks_sent:
        case TransportCount::releases_sent:
        case TransportCount::release_acks_sent:
        case TransportCount::placed_direct:
        case TransportCount::kept_indirect:
        case TransportCount::completed:
        case TransportCount::failed:
        case TransportCount::count: return {};
    }
    return {};
}

LadderFrames::Look looks(const DrpHeader& header) {
    if (header.is_ack()) return LadderFrames::Look::ack;
    return header.type == DrpType::data ? LadderFrames::Look::data : LadderFrames::Look::control;
}

std::string_view name_of(const DrpHeader& header) {
    if (header.is_ack()) return "ACK";
    if (header.type == DrpType::req_ack) return header.valid ? "REQ_ACK valid" : "REQ_ACK invalid";
    return type_name(header.type);
}

}  // namespace

Lane DrpLadder::lane_of(const LoggedEvent& event, bool host) const {
    if (event.end == transfer_.initiator) return host ? Lane::initiator_host : Lane::initiator_rnic;
    return host ? Lane::responder_host : Lane::responder_rnic;
}

void DrpLadder::mark(Time at, Lane lane, Tone tone, std::string text) {
    open_ = {};
    aside_ = 0;
    ladder_.rows.push_back({at, LadderMark{lane, tone, std::move(text)}});
}

/// A remark that stands once for several frames in a row.
void DrpLadder::mark_aside(Time at, Lane lane, Tone tone, std::string_view text) {
    if (aside_ != 0 && !every_frame_) {
        auto& last = std::get<LadderMark>(ladder_.rows[aside_].what);
        if (last.lane == lane && last.text == text) {
            ++last.count;
            return;
        }
    }
    aside_ = ladder_.rows.size();
    ladder_.rows.push_back({at, LadderMark{lane, tone, std::string(text)}});
}

void DrpLadder::sent(Time at, const WireFrame& frame, const DrpHeader& header) {
    const bool data = header.type == DrpType::data && !header.is_ack();
    sent_[frame.head] = {.begins = at - MacTiming{}.serialisation(frame.bytes), .again = data && header.sn < fresh_};
    if (data) fresh_ = std::max(fresh_, header.sn + 1);
}

/// What the link makes of a frame that has been sent.
void DrpLadder::frame(const LoggedEvent& event, const WireFrame& wire, const DrpHeader& header) {
    Sent& sent = sent_[wire.head];
    const bool by_initiator = wire.from == transfer_.initiator;
    const bool ack = header.is_ack();
    LadderFrames frames;
    frames.by_initiator = by_initiator;
    frames.again = sent.again;
    frames.indirect = header.indirect;
    frames.look = looks(header);
    frames.name = name_of(header);
    if (header.type == DrpType::data) frames.numbered = " ";
    frames.first = frames.last = ack ? header.ackn : header.sn;
    frames.lost = wire.step == WireFrame::Step::lost || wire.step == WireFrame::Step::dropped;
    frames.damaged = wire.step == WireFrame::Step::damaged;
    frames.copy = !frames.lost && std::exchange(sent.delivered, true);
    if (!frames.lost) frames.arrives = event.at;
    frames.waited = sent.waited;
    frames.place = std::move(sent.place);
    if (frames.lost && network_) {
        frames.place = (wire.step == WireFrame::Step::dropped ? "dropped by " : "lost behind ") + hops_.name(event.end);
    }
    const bool alone = frames.lost || frames.damaged || frames.copy;

    // What meets a fault stands alone, and what comes after it too.
    std::size_t& open = open_.at(by_initiator ? 1 : 0).at(ack ? 1 : 0);
    if (header.type != DrpType::data || alone) {
        open_ = {};
        aside_ = 0;
    }
    if (open != 0 && !every_frame_ && !alone) {
        auto& group = std::get<LadderFrames>(ladder_.rows[open].what);
        // Acknowledgements that say something new, or all the same.
        const bool repeats = ack && header.ackn == group.last && group.first == group.last;
        const bool next = ack ? header.ackn > group.last && (group.count == 1 || group.first != group.last)
                              : header.sn == group.last + 1;
        if ((next || repeats) && group.again == frames.again && group.indirect == frames.indirect) {
            return group.join(frames);
        }
    }
    if (header.type == DrpType::data && !alone) open = ladder_.rows.size();
    ladder_.rows.push_back({sent.begins, frames});
}

/// A frame reaches a switch, or the next node behind one: what it took beyond the shortest time it waited for others.
void DrpLadder::hop(const LoggedEvent& event, const WireFrame& wire) {
    Sent& sent = sent_[wire.head];
    if (sent.in_switch) {
        const Time waited = event.at - *sent.in_switch - hops_.shortest(event.end, wire.next, wire.bytes);
        if (waited > sent.waited) {
            sent.waited = waited;
            sent.place = hops_.name(event.end);
        }
    }
    sent.in_switch.reset();
    if (wire.next >= buffers_.size()) sent.in_switch = event.at;
}

void DrpLadder::decision(const LoggedEvent& event, const DecisionResult& result) {
    const Remark said = remark(result.what, result.role, go_back_n_);
    if (said.text.empty()) return;
    if (said.aside) {
        mark_aside(event.at, lane_of(event, false), said.tone, said.text);
    } else {
        mark(event.at, lane_of(event, false), said.tone, std::string(said.text));
    }
}

/// Whose slots come free: the buffer holds data of other transfers, too. Slots come free when a drain ends, in the
/// order of the drains, or in the decision that gives up their transfer.
void DrpLadder::fill(const LoggedEvent& event, std::uint32_t filled) {
    const Time at = event.at;
    Buffer& buffer = buffers_.at(event.end);
    const std::uint32_t before = std::exchange(buffer.filled, filled);
    if (filled >= before) return;
    std::uint32_t freed = before - filled;
    const auto free = [&](const TransferName& transfer, std::uint32_t& slots) {
        const std::uint32_t some = std::min(freed, slots);
        slots -= some;
        freed -= some;
        if (transfer == transfer_) own_freed(at, some);
    };
    if (buffer.decided && buffer.decided_at == at && !buffer.drained) free(*buffer.decided, kept_[*buffer.decided]);
    for (auto& [transfer, slots] : buffer.drains) free(transfer, slots);
    std::erase_if(buffer.drains, [](const auto& drain) { return drain.second == 0; });
}

void DrpLadder::own_freed(Time at, std::uint32_t slots) {
    if (slots == 0) return;
    own_ -= slots;
    fills_.emplace_back(at, own_);
    mark_aside(at, Lane::responder_rnic, Tone::plain, own_ == 0 ? "its slots are free again" : "slots come free");
}

/// What every transfer has in the indirect buffer of this end.
void DrpLadder::responder(const LoggedEvent& event, const std::optional<TransferName>& of) {
    if (!of) return;
    if (std::holds_alternative<DecisionCause>(event.what)) {
        Buffer& buffer = buffers_.at(event.end);
        buffer.decided = of;
        buffer.decided_at = event.at;
        buffer.drained = false;
    }
    const auto* const result = std::get_if<DecisionResult>(&event.what);
    if (result == nullptr) return;
    if (result->what == TransportCount::kept_indirect) {
        ++kept_[*of];
        if (of == transfer_) fills_.emplace_back(event.at, ++own_);
    }
    if (result->what == TransportCount::bulk_drains) {
        buffers_.at(event.end).drained = true;
        buffers_.at(event.end).drains.emplace_back(*of, std::exchange(kept_[*of], 0U));
    }
}

void DrpLadder::step(const LoggedEvent& event, const SoftwareStep& software) {
    const Lane lane = lane_of(event, true);
    const auto say = [&](Tone tone, std::string text) { mark(event.at, lane, tone, std::move(text)); };
    const std::string attempt = " (attempt " + std::to_string(software.value) + ")";
    switch (software.step) {
        case HostStep::requested:
            ladder_.found = true;
            ladder_.start = event.at;
            bytes_ = software.value;
            ladder_.responder_host = software.other;
            say(Tone::plain, "asks for " + size_text(bytes_));
            break;
        case HostStep::command_posted:
            if (software.command() == CommandCode::rdma_read) operation_ = Operation::read;
            break;
        case HostStep::event_taken:
            if (software.event() == EventCode::register_region) say(Tone::plain, "is asked to register");
            break;
        case HostStep::acknowledged:
            say(Tone::plain, software.simulated_ack() ? "is told REQ_ACK (simulated)" : "is told REQ_ACK");
            break;
        case HostStep::registered: say(Tone::turn, "region registered" + attempt); break;
        case HostStep::registration_failed: say(Tone::trouble, "registration fails" + attempt); break;
        case HostStep::no_memory: say(Tone::trouble, "no memory" + attempt); break;
        case HostStep::refused: say(Tone::trouble, "registration refused"); break;
        case HostStep::completed:
        case HostStep::failed:
            ladder_.end = event.at;
            ladder_.failed = software.error().has_value();
            reported_ = true;
            if (software.error()) {
                say(Tone::trouble, std::string("error: ") + error_name(*software.error()));
            } else {
                say(Tone::turn, "transfer completed");
            }
            break;
        case HostStep::released:
            released_ = true;
            say(Tone::plain, "region released");
            break;
        case HostStep::count: break;
    }
}

/// A completion may come before the last byte is in memory: posted writes are still in flight, or behind a drain.
void DrpLadder::placed(const LoggedEvent& event, const MemoryAccess& memory) {
    const bool write = operation_ == Operation::write;
    const unsigned receiver = write ? ladder_.responder_host : transfer_.initiator;
    if (!region_ || event.end != receiver || ladder_.in_memory != kEndOfTime) return;
    if (memory.address < *region_ || memory.address >= *region_ + bytes_) return;
    placed_ += memory.bytes;
    if (placed_ >= bytes_) ladder_.in_memory = event.at;
}

void DrpLadder::add(const LoggedEvent& event) {
    const Time at = event.at;
    const std::optional<TransferName> of = names_.of(event);
    if (event.end != transfer_.initiator) {
        responder(event, of);
        if (const auto* const buffer = std::get_if<BufferFill>(&event.what)) fill(event, buffer->slots);
    }
    if (const auto* const memory = std::get_if<MemoryAccess>(&event.what); memory != nullptr && memory->write)
        placed(event, *memory);
    if (of != transfer_) return;
    if (const auto* const result = std::get_if<DecisionResult>(&event.what)) decision(event, *result);
    if (const auto* const software = std::get_if<SoftwareStep>(&event.what)) step(event, *software);
    if (std::holds_alternative<Overrun>(event.what))
        mark_aside(at, lane_of(event, false), Tone::trouble, "receive buffer full: drops it");
    const DrpHeader* const header = header_of(event);
    if (header == nullptr || !ladder_.found) return;
    const auto* const wire = std::get_if<WireFrame>(&event.what);
    const bool leaves = wire != nullptr && wire->step == WireFrame::Step::sent;
    if (leaves) sent(at, *wire, *header);
    if (header->type == DrpType::req && !region_) {
        region_ = operation_ == Operation::write ? header->dba : header->sba;
    }
    // On the way through switches only its end counts, or where it is lost.
    if (wire != nullptr && wire->step == WireFrame::Step::arrives) hop(event, *wire);
    const bool ends =
        wire != nullptr && !leaves &&
        (wire->next < buffers_.size() || wire->step == WireFrame::Step::lost || wire->step == WireFrame::Step::dropped);
    if (ends) frame(event, *wire, *header);
}

Ladder DrpLadder::finish() {
    ladder_.what = operation_ == Operation::write ? "write of " : "read of ";
    ladder_.what += std::to_string(bytes_) + " B";
    std::vector<LadderRow>& rows = ladder_.rows;
    if (ladder_.in_memory != kEndOfTime) {
        const Lane lane = operation_ == Operation::write ? Lane::responder_host : Lane::initiator_host;
        rows.push_back({ladder_.in_memory, LadderMark{lane, Tone::plain, "has the last byte in memory"}});
    }
    std::ranges::stable_sort(rows, {}, &LadderRow::at);
    auto next = fills_.begin();
    std::uint32_t fill = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Time until = i + 1 < rows.size() ? rows[i + 1].at : kEndOfTime;
        for (; next != fills_.end() && next->first < until; ++next) fill = next->second;
        rows[i].fill = fill;
        ladder_.fullest = std::max(ladder_.fullest, fill);
    }
    return std::move(ladder_);
}

}  // namespace rnicsim
