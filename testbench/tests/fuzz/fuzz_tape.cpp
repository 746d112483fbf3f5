// SPDX-License-Identifier: Apache-2.0
// Any text as a fault tape: a tape or a ScenarioError of one line, nothing else. An accepted tape is read
// again as the same tape after it was written, and can be played.
#include "testbench/scenario/scenario.h"
#include "testbench/tape/tape_text.h"
#include "testbench/tests/fuzz/fuzz.h"

namespace rnicsim::fuzz {
namespace {

/// Does a frame have the fault of this entry?
bool meets(const FrameFate& fate, const TapedFrame& taped) {
    switch (taped.fault) {
        case FrameFault::lost: return fate.lost;
        case FrameFault::corrupted: return fate.damaged == static_cast<std::uint32_t>(taped.value);
        case FrameFault::duplicated: return fate.copy == Time{taped.value};
        case FrameFault::delayed: return fate.delayed == Time{taped.value};
        case FrameFault::overtaken: return fate.overtaken == Time{taped.value};
        case FrameFault::marked: return fate.marked;
    }
    return false;
}

/// Plays every entry: each fault happens as written, and none is left. The recording plays the same.
void play(const FaultTape& tape) {
    TapeFaults played(tape);
    FaultRecorder faults(played);
    for (const TapeEntry& entry : tape) {
        if (const auto* const taped = std::get_if<TapedFrame>(&entry)) {
            require(meets(faults.frame(taped->frame, Time{-1}, true), *taped), "a frame on the tape meets its fault");
        } else if (const auto* const attempt = std::get_if<TapedRegistration>(&entry)) {
            require(faults.registration_fails(attempt->end, attempt->initiator, attempt->transfer, attempt->attempt),
                    "an attempt fails");
        } else if (const auto* const task = std::get_if<TapedTask>(&entry)) {
            require(faults.task_time(task->end, task->task, task->n, task->holds) == task->time, "a task has its time");
        } else {
            const auto& down = std::get<LinkDown>(entry);
            require(faults.frame({}, down.from, false).lost, "nothing gets through while the link is down");
        }
    }
    require(played.unused() == 0, "every fault has come up");
    TapeFaults again(faults.tape());
    for (const TapeEntry& entry : tape) {
        const auto* const down = std::get_if<LinkDown>(&entry);
        require(down == nullptr || again.frame({}, down->from, false).lost,
                "what was recorded is down when the link was");
    }
}

void check(std::string_view text) {
    try {
        const FaultTape tape = read_tape(text, "x");
        const FaultTape again = read_tape(write_tape(tape), "x");
        require_equal(write_tape(again), write_tape(tape), "what is written is read as the same tape");
        require(again == tape, "what is written is read as the same tape");
        play(tape);
    } catch (const ScenarioError& error) {
        require_one_line(error.what());
        require(std::string_view(error.what()).starts_with("x:"), "an error names file and line");
    }
}

}  // namespace
}  // namespace rnicsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rnicsim::fuzz::check(rnicsim::fuzz::as_text({data, size}));
    return 0;
}
