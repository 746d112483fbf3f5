// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/observation.h"

#include "testbench/observe/capture_writer.h"
#include "testbench/observe/event_writer.h"
#include "testbench/observe/recording.h"
#include "testbench/observe/series_writer.h"
#include "testbench/observe/signal_writer.h"
#include "testbench/observe/trace_writer.h"
#include "testbench/records/run_result.h"

namespace rnicsim {

Observation::Observation(const RunRequest& request, EventSink* also)
    : from_(request.observe.from), to_(request.observe.to), also_(also) {
    const ObserveRequest& wanted = request.observe;
    if (!wanted.capture.empty()) writers_.push_back(std::make_unique<CaptureWriter>(request));
    if (!wanted.events.empty()) writers_.push_back(std::make_unique<EventTableWriter>(wanted.events, request));
    if (!wanted.trace.empty())
        writers_.push_back(std::make_unique<TraceWriter>(wanted.trace, request, wanted.from, wanted.to));
    if (!wanted.recording.empty()) writers_.push_back(std::make_unique<RecordingWriter>(wanted.recording, request));
    if (!wanted.series.empty()) {
        writers_.push_back(
            std::make_unique<SeriesWriter>(wanted.series, request, wanted.series_interval, wanted.from, wanted.to));
    }
}

void Observation::attach(const RunRequest& request, const System& system) {
    if (!request.observe.signals.empty()) writers_.push_back(std::make_unique<SignalWriter>(request, system));
}

void Observation::event(const LoggedEvent& event, std::span<const std::uint8_t> frame) {
    if (also_ != nullptr) also_->event(event, frame);
    const bool wanted = event.at >= from_ && event.at < to_;
    for (const std::unique_ptr<EventWriter>& writer : writers_) {
        if (wanted) {
            writer->event(event, frame);
        } else {
            writer->outside(event);
        }
    }
}

void Observation::at_once(const LoggedEvent& event) {
    for (const std::unique_ptr<EventWriter>& writer : writers_) writer->at_once(event);
}

void Observation::finish() {
    for (const std::unique_ptr<EventWriter>& writer : writers_) writer->finish();
    writers_.clear();
}

void Observation::finish_after_failure() noexcept {
    try {
        finish();
    } catch (const RunError&) { writers_.clear(); }
}

}  // namespace rnicsim
