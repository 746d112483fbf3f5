// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/stream_filter.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

const char* word(FilterEngine::Kind kind) {
    switch (kind) {
        case FilterEngine::Kind::drp: return "a DRP frame";
        case FilterEngine::Kind::ordinary: return "an ordinary frame";
        case FilterEngine::Kind::other_destination: return "a frame for another station";
        case FilterEngine::Kind::malformed: break;
    }
    return "a malformed DRP frame";
}

bool passes(FilterEngine::Kind kind) { return kind == FilterEngine::Kind::drp || kind == FilterEngine::Kind::ordinary; }

}  // namespace

StreamFilter::StreamFilter(std::unique_ptr<StreamPins> pins, StreamManifest manifest, const MacAddress& own,
                           std::unique_ptr<FilterEngine> model, const BlockPlace& place)
    : manifest_(std::move(manifest)),
      clock_(manifest_.period),
      check_("frame_filter", manifest_.name, place, clock_),
      judged_(!place.stalls),
      model_(std::move(model)),
      bench_(std::move(pins), manifest_, place, check_),
      report_(place.reports != nullptr ? place.reports->of(place.end, "frame_filter.out") : own_) {
    bench_.pins().own_address(own);
}

Cycle StreamFilter::pass(const Frame& frame, Cycle due, bool bad, bool expected) {
    const std::span<const std::uint8_t> bytes = frame.without_fcs();
    const Cycle begin = clock_.edge(kGmiiClock.time(due - Cycle{static_cast<std::int64_t>(bytes.size())}));
    const Cycle ahead = bench_.idle_until(begin);
    if (check_.strict() && bench_.output().ended != came_out_)
        check_.fault(bench_.now(), "out",
                     "a frame that was thought dropped comes out later than its manifest says: more than " +
                         std::to_string(manifest_.out.most) + " cycles");
    begin_ = bench_.now();
    bench_.start(bytes, bad, kGmiiClock.period());
    Watchdog watchdog(check_, "in tready", "a frame is not taken");
    while (!bench_.taken()) {
        watchdog.tick(bench_.now());
        bench_.cycle();
    }
    const Cycle patience = bench_.patience(bytes.size(), expected);
    while (!bench_.output().ended && bench_.now() <= bench_.taken_at() + patience) bench_.cycle();
    came_out_ = bench_.output().ended;
    return ahead;
}

FilterEngine::Classified StreamFilter::classify(const Frame& frame, Cycle due) {
    Classified result = model_->classify(frame, due);
    const bool expected = passes(result.kind);
    const Cycle ahead = pass(frame, due, false, expected);
    const StreamOutput& out = bench_.output();
    const bool passed = out.ended && !out.bad;
    if (check_.strict()) {
        if (passed != expected) {
            check_.fault(bench_.now(), "out",
                         std::string(passed ? "passes " : "drops ") + word(result.kind) + ", expected to " +
                             (expected ? "pass" : "drop") + " it");
        }
        look_at_passed(frame, expected);
    }
    report_.tell({clock_.time(begin_), frame.without_fcs(), false,
                  std::span(out.bytes).first(passed ? std::min(out.length, out.bytes.size()) : 0),
                  passed ? (out.end - bench_.taken_at()).n : 0});
    if (!passed) {
        if (expected) result.kind = Kind::other_destination;
        result.at = classified_ = std::max(result.at, classified_ + Cycle{1});
        return result;
    }
    if (!expected) result.kind = Kind::ordinary;
    report_.latencies.add(out.end, "out", (out.end - bench_.taken_at()).n, manifest_.out, check_, judged_);
    const Cycle since_taken = out.end - ahead;
    result.at = classified_ = std::max({due, kGmiiClock.edge(clock_.time(since_taken)), classified_ + Cycle{1}});
    return result;
}

void StreamFilter::try_bad(const Frame& frame, Cycle due) {
    pass(frame, due, true, false);
    if (bench_.output().ended && !bench_.output().bad)
        check_.fault(bench_.now(), "out", "passes a frame with tuser, which its MAC has called bad");
}

void StreamFilter::try_two(std::array<const Frame*, 2> frames, Cycle due) {
    bench_.idle_until(clock_.edge(kGmiiClock.time(due)));
    Watchdog watchdog(check_, "in tready", "the second of two frames is not taken");
    bench_.start(frames[0]->without_fcs(), false, Time{});
    for (const bool second : {false, true}) {
        if (second) bench_.follow(frames[1]->without_fcs(), Time{});
        while (!bench_.taken()) {
            watchdog.tick(bench_.now());
            bench_.cycle();
        }
    }
    const Cycle until = bench_.now() + bench_.patience(frames[0]->length() + frames[1]->length(), true);
    while (!bench_.second().ended && bench_.now() < until) bench_.cycle();
    came_out_ = bench_.output().ended;
    for (std::size_t i = 0; i < 2; ++i) {
        const StreamOutput& found = i == 0 ? bench_.output() : bench_.second();
        const std::span<const std::uint8_t> bytes(found.bytes.data(), std::min(found.length, found.bytes.size()));
        if (found.ended && !found.bad && std::ranges::equal(bytes, frames[i]->without_fcs())) continue;
        check_.fault(bench_.now(), "out",
                     std::string("of two frames without a pause between them the ") + (i == 0 ? "first" : "second") +
                         " does not come out as it was");
    }
}

void StreamFilter::look_at_passed(const Frame& frame, bool expected) const {
    if (!expected) return;
    const StreamOutput& out = bench_.output();
    const std::span<const std::uint8_t> found(out.bytes.data(), std::min(out.length, out.bytes.size()));
    if (std::ranges::equal(found, frame.without_fcs())) return;
    check_.fault(out.end, "out tdata",
                 "the frame that comes out is not the one that went in: it has " + std::to_string(out.length) +
                     " bytes, expected " + std::to_string(frame.length() - kFcsBytes));
}

}  // namespace rnicsim
