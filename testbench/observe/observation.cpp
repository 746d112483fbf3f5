#include "testbench/observe/observation.h"

#include "testbench/observe/capture_writer.h"
#include "testbench/observe/event_writer.h"
#include "testbench/observe/signal_writer.h"
#include "testbench/observe/trace_writer.h"
#include "testbench/run_result.h"

namespace rnicsim {

Observation::Observation(const RunConfig& config, EventSink* also)
    : from_(config.observe.from), to_(config.observe.to), also_(also) {
    const ObserveRequest& request = config.observe;
    if (!request.capture.empty()) writers_.push_back(std::make_unique<CaptureWriter>(config));
    if (!request.events.empty()) writers_.push_back(std::make_unique<EventTableWriter>(request.events));
    if (!request.trace.empty())
        writers_.push_back(std::make_unique<TraceWriter>(request.trace, request.from, request.to));
}

void Observation::attach(const RunConfig& config, const System& system) {
    if (!config.observe.signals.empty()) writers_.push_back(std::make_unique<SignalWriter>(config, system));
}

void Observation::event(const LoggedEvent& event, std::span<const std::uint8_t> frame) {
    if (also_ != nullptr) also_->event(event, frame);
    const bool wanted = event.at >= from_.n && event.at < to_.n;
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
