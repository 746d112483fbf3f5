// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/run_observers.h"

#include "testbench/records/run_result.h"

namespace rnicsim {

RunObservers::RunObservers(const RunRequest& request, EventSink* sink, Observer& judge)
    : request_(request), judge_(judge) {
    if (request.observe.of_events()) observation_.emplace(request, sink);
    EventSink* const events = observation_ ? &*observation_ : sink;
    if (events == nullptr) return;
    order_.emplace(*events, request.names.size() + request.switches.size(), request.bridges.size());
    recorder_.emplace(*order_, judge, request);
}

void RunObservers::attach(const System& system) {
    if (observation_) observation_->attach(request_, system);
}

void RunObservers::finish_events() {
    if (order_) order_->finish();
}

void RunObservers::finish_files() {
    if (observation_) observation_->finish();
}

void RunObservers::finish_after_failure() noexcept {
    try {
        finish_events();
    } catch (const RunError&) { static_cast<void>(0); }
    if (observation_) observation_->finish_after_failure();  // a failed run needs it most
}

}  // namespace rnicsim
