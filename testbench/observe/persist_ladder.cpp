// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/persist_ladder.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/rings.h"
#include "testbench/events/frame_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rnicsim {
namespace {

/// A flush read reads so much, and nothing of what lies there.
constexpr std::uint32_t kFlushReadBytes = 4;
/// ... if it has no address of its own, here.
constexpr std::uint64_t kNoTarget = 64;

const VerbsLayout::Connection& plan_of(const VerbsLayout& layout, const MessageName& item) {
    return *std::ranges::find_if(layout.persists, [&](const VerbsLayout::Connection& c) {
        return c.ends[0].host == item.sender && c.ends[0].qp == item.qp;
    });
}

const PersistenceConfig& path_of(const RunConfig& run, const VerbsLayout::Connection& plan) {
    return *verbs_of(run, plan.ends[1].host).host.persistence;
}

/// Behind what is due then; nullptr: nothing has come.
const PersistStays::State* state_at(const std::vector<PersistStays::State>& states, Time at) {
    const auto next = std::ranges::upper_bound(states, at, {}, &PersistStays::State::at);
    return next == states.begin() ? nullptr : &*(next - 1);
}

}  // namespace

PersistLadder::PersistLadder(const MessageName& item, const RunConfig& run, bool every_frame)
    : name_(item),
      run_(run),
      layout_(lay_out(run)),
      plan_(plan_of(layout_, item)),
      rows_(ladder_, run, every_frame),
      stays_(path_of(run, plan_).domain, run.traffic[plan_.item].size) {
    const PersistenceConfig& path = path_of(run, plan_);
    const auto add = [&](Lane lane, std::string_view name, Stage stage) {
        ladder_.stages.push_back({lane, name, survives(stage, path.domain)});
    };
    add(Lane::iio, "IIO", Stage::iio);
    if (path.ddio) add(Lane::llc, "LLC", Stage::llc);
    add(Lane::imc, path.domain == Domain::none ? "iMC" : "ADR", Stage::imc);
    add(Lane::scm, "SCM", Stage::scm);
    ladder_.responder_host = plan_.ends[1].host;
    const TrafficConfig& asked = run.traffic[plan_.item];
    ladder_.what = fmt::format("item {}, {} of {} B", name_.text(run.names),
                               kPersistSchemes.at(static_cast<std::size_t>(asked.verbs.scheme)), asked.size);
}

void PersistLadder::took_cqe(unsigned host, std::uint32_t n) {
    const unsigned side = host == name_.sender ? 0 : 1;
    if (n == 0 || n > cqes_.at(side).size() || !shown_cqes_.at(side).insert(n).second) return;
    rows_.mark(cqes_.at(side)[n - 1], side == 0 ? Lane::initiator_rnic : Lane::responder_rnic, Tone::plain, "CQE");
}

void PersistLadder::posts(const LoggedEvent& event, const PersistStep& step) {
    const bool by_initiator = step.step != PersistStep::Step::answers;
    parts_.push_back({step, by_initiator});
    asked_ = false;
    if (step.step == PersistStep::Step::posted) {
        ladder_.found = true;
        ladder_.start = event.at;
    }
    std::string text = "posts " + shown(step.verb);
    if (step.bytes != 0) text += ", " + size_text(step.bytes);
    rows_.mark(event.at, by_initiator ? Lane::initiator_host : Lane::responder_host, Tone::plain, std::move(text));
}

void PersistLadder::step(const LoggedEvent& event, const PersistStep& step) {
    if (step.sender != name_.sender || step.qp != name_.qp || step.number != name_.number) return;
    const Lane here = event.end == name_.sender ? Lane::initiator_host : Lane::responder_host;
    took_cqe(event.end, step.cqe);
    switch (step.step) {
        case PersistStep::Step::posted:
        case PersistStep::Step::follows:
        case PersistStep::Step::answers: return posts(event, step);
        case PersistStep::Step::arrived: return rows_.mark(event.at, here, Tone::plain, "takes the message");
        case PersistStep::Step::flushes: return rows_.mark(event.at, here, Tone::plain, "flushes the lines");
        case PersistStep::Step::written: told_written_ = event.at; return tell(event.at, "written");
        case PersistStep::Step::persisted:
            told_written_ = std::min(told_written_, event.at);
            told_persisted_ = ladder_.end = event.at;
            ladder_.told_durable = over_ = true;
            settled_ = stays_.settled();
            return tell(event.at, "durable");
        case PersistStep::Step::failed:
            over_ = ladder_.failed = true;
            ladder_.end = settled_ = event.at;
            return rows_.mark(event.at, here, Tone::trouble, "completion with an error");
    }
}

void PersistLadder::line(const LoggedEvent& event, const LineStep& line) {
    const std::uint64_t begin = plan_.ends[1].in.slot(static_cast<std::uint32_t>(name_.number));
    if (event.end != ladder_.responder_host || line.address + kLineBytes <= begin ||
        line.address >= begin + run_.traffic[plan_.item].size)
        return;
    const bool own = !line.stored && line.sender == name_.sender && line.qp == name_.qp && line.item == name_.number;
    stays_.add(line, event.at, own);
    if (line.stored) stores_.push_back({event.at, line.stage});
    if (over_ && !ladder_.failed) settled_ = stays_.settled();
}

bool PersistLadder::is_of(const Part& part, const WireFrame& wire) const {
    const roce::Bth& bth = *wire.bth;
    const unsigned asks = part.by_initiator ? name_.sender : ladder_.responder_host;
    const unsigned responds = part.by_initiator ? ladder_.responder_host : name_.sender;
    const std::uint32_t behind = (bth.psn - part.post.first.n).n;
    const bool inside = behind < part.post.packets;
    if (wire.from == asks && wire.to == responds && !answers(bth)) return bth.to == part.post.to && inside;
    if (wire.from != responds || wire.to != asks || !answers(bth) || bth.to != part.post.from) return false;
    if (inside || bth.opcode == roce::Opcode::cnp) return true;
    // One of a later message stands for this one, too; the first such says so.
    constexpr std::uint32_t kHalf = 1U << 23U;
    if (behind >= kHalf) return false;
    const bool persists = part.post.verb == rc::Verb::write_persist;
    return packet_name(bth) == "ACK" ? !part.acknowledged
                                     : persists && !part.persisted && bth.opcode == roce::Opcode::persist_ack;
}

void PersistLadder::packet(const LoggedEvent& event, const WireFrame& wire) {
    if (!wire.bth) return;
    const roce::Bth& bth = *wire.bth;
    const auto found = std::ranges::find_if(parts_, [&](const Part& part) { return is_of(part, wire); });
    if (found == parts_.end()) return;
    const bool by_initiator = wire.from == name_.sender;
    const bool came = rows_.packet(event, wire, {by_initiator, (bth.psn - found->post.first_of_qp.n).n});
    const bool of_its_end = (bth.psn - found->post.first.n).n + 1 >= found->post.packets;
    if (!came || !of_its_end) return;
    if (!answers(bth)) asked_ = asked_ || by_initiator;
    if (packet_name(bth) == "ACK") found->acknowledged = true;
    if (bth.opcode == roce::Opcode::persist_ack) found->acknowledged = found->persisted = true;
}

void PersistLadder::dma(const LoggedEvent& event, const DmaRequest& request) {
    for (unsigned side = 0; side < 2; ++side) {
        const rc::CqRing& ring = layout_.cqs[plan_.ends.at(side).host].front();
        if (event.end != plan_.ends.at(side).host || request.kind != TlpKind::memory_write ||
            request.address - ring.address >= std::uint64_t{ring.entries} * rc::kCqeBytes)
            continue;
        cqes_.at(side).insert(cqes_.at(side).end(), request.bytes / rc::kCqeBytes, event.at);
    }
    if (event.end != ladder_.responder_host || request.kind != TlpKind::memory_read || !asked_ || over_) return;
    // It goes behind the item's bytes; one before them is another item's, where the card does not send it too early.
    if (!stays_.whole() && !verbs_of(run_, ladder_.responder_host).card.transport.persist.read_bypass) return;
    const std::uint64_t place = plan_.ends[1].in.slot(static_cast<std::uint32_t>(name_.number));
    const bool own = request.address - place < run_.traffic[plan_.item].size;
    if (!own && !(request.address < kNoTarget && request.bytes == kFlushReadBytes)) return;
    rows_.mark(event.since, Lane::responder_rnic, Tone::plain,
               request.bytes == kFlushReadBytes ? "flush read" : "reads for the answer");
}

void PersistLadder::note(const LoggedEvent& event, const QpNote& note) {
    if (over_ || parts_.empty()) return;
    const bool asks = event.end == name_.sender && note.qp == parts_.front().post.from;
    const bool answers = event.end == ladder_.responder_host && note.qp == parts_.front().post.to;
    const CountSaid said = said_of(note.what);
    if (said.text.empty() || !(asks || answers)) return;
    rows_.mark(event.at, asks ? Lane::initiator_rnic : Lane::responder_rnic, said.tone, std::string(said.text));
}

void PersistLadder::add(const LoggedEvent& event) {
    if (!std::holds_alternative<LineStep>(event.what)) last_ = std::max(last_, event.at);  // those are booked ahead
    if (const auto* const what = std::get_if<LineStep>(&event.what)) return line(event, *what);
    if (const auto* const what = std::get_if<PersistStep>(&event.what)) return step(event, *what);
    if (const auto* const what = std::get_if<DmaRequest>(&event.what)) return dma(event, *what);
    if (!ladder_.found || event.at < ladder_.start) return;
    if (const auto* const what = std::get_if<WireFrame>(&event.what)) return packet(event, *what);
    if (const auto* const what = std::get_if<QpNote>(&event.what)) return note(event, *what);
}

/// Of one completion only the most that it says.
void PersistLadder::tell(Time at, std::string_view what) {
    const auto* const last = ladder_.rows.empty() ? nullptr : std::get_if<LadderMark>(&ladder_.rows.back().what);
    if (last == nullptr || !last->flag || ladder_.rows.back().at != at)
        rows_.mark(at, Lane::initiator_host, Tone::plain, {});
    told_row_ = ladder_.rows.size() - 1;
    auto& mark = std::get<LadderMark>(ladder_.rows[told_row_].what);
    mark.flag = true;
    mark.text = fmt::format("told: {}", what);
}

/// A row where the first and the last line come into a stage, and where all become safe, or are not any more.
void PersistLadder::show_lines(const std::vector<PersistStays::State>& states) {
    const std::uint32_t all = stays_.writes();
    PersistStays::State before;
    for (const PersistStays::State& state : states) {
        if (state.at > last_) break;
        for (const LadderStage& stage : ladder_.stages) {
            const std::uint32_t came = state.entered.at(stage_of(stage.lane));
            const std::uint32_t were = before.entered.at(stage_of(stage.lane));
            if (came == were || (were != 0 && came != all)) continue;
            const std::string lines = std::to_string(all) + (all == 1 ? " line write" : " line writes");
            rows_.mark(state.at, stage.lane, Tone::plain,
                       fmt::format("{}{} in {}", came == all ? "" : "first of ", lines, stage.name));
        }
        if (state.safe != before.safe) {
            ladder_.safe = state.safe ? state.at : kEndOfTime;
            rows_.mark(state.at, Lane::responder_rnic, state.safe ? Tone::turn : Tone::trouble,
                       state.safe ? "safe" : "an older version comes over it: not safe");
        }
        before = state;
    }
}

/// What the responder's processor has written there before is a row where it is stored, and where it is written back.
void PersistLadder::show_stores() {
    for (const auto& [at, stage] : stores_) {
        if (at > last_) continue;
        if (stage == WriteStage::llc) rows_.mark(at, Lane::responder_host, Tone::plain, "stores into its lines");
        if (stage == WriteStage::imc) rows_.mark(at, Lane::imc, Tone::plain, "stored lines are written back");
    }
}

/// What is known at the end: whether that was true.
void PersistLadder::judge_telling(const std::vector<PersistStays::State>& states) {
    if (told_persisted_ != kEndOfTime) {
        const PersistStays::State* const then = state_at(states, told_persisted_);
        const bool holds = then != nullptr && then->safe;
        auto& mark = std::get<LadderMark>(ladder_.rows[told_row_].what);
        mark.tone = holds ? Tone::turn : Tone::trouble;
        if (!holds) mark.text += ", and it is not";
    }
    if (!over_) rows_.mark(last_, Lane::initiator_host, Tone::trouble, "waits still, at the end");
    if (ladder_.told_durable && ladder_.safe == kEndOfTime)
        rows_.mark(last_, Lane::responder_host, Tone::trouble, "not safe so far");
}

Ladder PersistLadder::finish() {
    const std::vector<PersistStays::State> states = stays_.states();
    show_stores();
    show_lines(states);
    judge_telling(states);
    rows_.sort();
    for (LadderRow& row : ladder_.rows) {
        const PersistStays::State* const then = state_at(states, row.at);
        if (then == nullptr) continue;
        for (std::size_t i = 0; i < kStageLanes; ++i) {
            LadderStay& stay = row.stays.at(i);
            stay.lines = then->lines.at(i);
            if (then->unsafe.at(i) == 0) continue;
            if (row.at >= told_written_) stay.risk = LadderStay::Risk::written;
            if (row.at >= told_persisted_) stay.risk = LadderStay::Risk::persisted;
        }
    }
    return std::move(ladder_);
}

}  // namespace rnicsim
