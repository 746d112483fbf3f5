// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/ladder.h"

#include "testbench/events/microseconds.h"

namespace rnicsim {

std::string size_text(std::uint64_t bytes) {
    if (bytes != 0 && bytes % 1024 == 0) return std::to_string(bytes / 1024) + " KiB";
    return std::to_string(bytes) + " B";
}

namespace {

std::string apart(Time from, Time to) { return microseconds(to > from ? to - from : from - to) + " \u00B5s"; }

/// When a power cut stops to hurt it.
std::string safety(const Ladder& ladder) {
    if (ladder.safe == kEndOfTime) return ladder.told_durable ? ", and not safe" : "";
    if (!ladder.told_durable) return ", safe after " + apart(ladder.start, ladder.safe);
    return ", safe " + apart(ladder.end, ladder.safe) + (ladder.safe > ladder.end ? " later" : " before");
}

}  // namespace

std::string outcome(const Ladder& ladder) {
    const bool over = ladder.end != kEndOfTime;
    if (!ladder.stages.empty() && !over) return ": nobody is told that it is durable" + safety(ladder);
    if (!over) return {};
    const std::string after = " after " + apart(ladder.start, ladder.end);
    if (ladder.failed) return ": failed" + after;
    if (!ladder.stages.empty()) return ": told durable" + after + safety(ladder);
    std::string text = ": completed" + after;
    if (ladder.in_memory == kEndOfTime) return text;
    text += ", the last byte in memory " + apart(ladder.end, ladder.in_memory);
    return text + (ladder.in_memory > ladder.end ? " later" : " before");
}

std::string LadderMark::label() const { return count == 1 ? text : text + " (" + std::to_string(count) + " times)"; }

void LadderFrames::join(const LadderFrames& more) {
    last = more.last;
    next = more.next;
    arrives = more.arrives;
    ++count;
    if (more.waited <= waited) return;
    waited = more.waited;
    place = more.place;
}

std::string LadderFrames::label() const {
    std::string text = of + std::string(name);
    if (!numbered.empty()) {
        text.append(numbered) += std::to_string(first);
        if (first == last && count > 1) text += " (" + std::to_string(count) + " times)";
        if (first != last) text += ".." + std::to_string(last) + " (" + std::to_string(count) + " frames)";
    }
    if (indirect && look == Look::data) text += " indirect";
    if (again) text += " again";
    if (copy) text += ", a copy";
    if (damaged) text += ", damaged";
    return text;
}

std::string LadderFrames::on_the_way() const {
    if (place.empty()) return {};
    if (lost) return place;
    return std::string(count == 1 ? "waited " : "waited up to ") + microseconds(waited) + " \u00B5s at " + place;
}

}  // namespace rnicsim
