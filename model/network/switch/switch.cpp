#include "model/network/switch/switch.h"

#include "model/host_address.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim {

Switch::Switch(sc_core::sc_module_name name, const SwitchConfig& config, const std::vector<MacTiming>& ports,
               const std::vector<std::size_t>& routes, unsigned node, Observer* observer)
    : sc_module(name), logic_(config, ports, routes), node_(node), observer_(observer), wakeup_("wakeup") {
    for (std::size_t i = 0; i < ports.size(); ++i) ports_.emplace_back(("port" + std::to_string(i)).c_str(), wakeup_);
    SC_HAS_PROCESS(Switch);
    SC_METHOD(wake);
    sensitive << wakeup_.event();
    dont_initialize();
}

void Switch::wake() {
    const Time now = wakeup_.woke();
    Time next = kEndOfTime;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        std::deque<Port::Arriving>& arriving = ports_[i].arriving_;
        while (!arriving.empty() && arriving.front().end <= now) {
            FrameRef frame = std::move(arriving.front().frame);
            arriving.pop_front();
            forward(i, std::move(frame), now);
        }
        if (!arriving.empty()) next = std::min(next, arriving.front().end);
    }
    wakeup_.sleep_until(next);
}

void Switch::forward(std::size_t port, FrameRef frame, Time now) {
    const SwitchLogic::Verdict verdict = logic_.arrives(now, {.port = port,
                                                              .length = static_cast<std::int64_t>(frame->length()),
                                                              .fcs_good = frame->fcs_good(),
                                                              .to = host_of(frame->destination())});
    if (verdict.dropped) {
        if (observer_ != nullptr) observer_->frame_dropped(node_, *frame, now);
        return;
    }
    ports_[verdict.departure.port].out->put(std::move(frame), verdict.departure.end);
}

const SwitchLogic& Switch::settled() {
    logic_.settle(current_time());
    return logic_;
}

bool Switch::idle() const {
    return logic_.queued() == 0 && std::ranges::all_of(ports_, [](const Port& port) { return port.arriving_.empty(); });
}

}  // namespace rnicsim
