// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/plain/plain_end.h"

#include "model/rnic/plain/end_config.h"

#include "tlm/ethernet/host_address.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

PlainEnd::PlainEnd(sc_core::sc_module_name name, const Environment& environment)
    : EndSystem(name),
      host_(environment.host),
      config_(plain_of(environment.run, environment.host)),
      timing_(environment.link),
      frames_(environment.frames),
      observer_(environment.observer),
      pauses_(environment.link, config_.reaction),
      wakeup_("wakeup") {
    in.bind(*this);
    SC_HAS_PROCESS(PlainEnd);
    SC_METHOD(wake);
    wakeup_.wakes(sensitive);
    dont_initialize();
}

void PlainEnd::attach(PlainUser& user, const std::vector<std::size_t>& items) {
    user_ = &user;
    for (const std::size_t item : items) {
        flows_.push_back({item, user.next(item, {})});
        if (flows_.back().offer) wakeup_.at(flows_.back().offer->ready);
    }
}

bool PlainEnd::idle() const {
    return std::ranges::none_of(flows_, [](const Flow& flow) { return flow.offer.has_value(); });
}

void PlainEnd::wake() {
    const Time now = wakeup_.woke();
    Time next = kEndOfTime;
    if (now < free_at_) return wakeup_.sleep_until(free_at_);
    Flow* chosen = nullptr;
    for (Flow& flow : flows_) {
        if (!flow.offer) continue;
        const Time ready = flow.offer->ready;
        if (ready > now) {
            next = std::min(next, ready);
        } else if (!pauses_.paused(flow.offer->frame.traffic_class, now) &&
                   (chosen == nullptr || ready < chosen->offer->ready)) {
            chosen = &flow;
        }
    }
    if (chosen != nullptr) {
        send(*chosen, now);
        // What is ready by then is looked at when the wire is free.
        return wakeup_.sleep_until(idle() ? kEndOfTime : free_at_);
    }
    wakeup_.sleep_until(std::min(next, pauses_.next_end(now)));
}

void PlainEnd::send(Flow& flow, Time now) {
    const PlainFrame of = flow.offer->frame;
    FrameRef frame = frames_.take();
    write_plain_frame(*frame, of);
    const Time end = now + timing_.serialisation(frame->length());
    free_at_ = end + timing_.gap();
    ++counters_.tx_frames;
    counters_.tx_bytes += frame->length();
    user_->sends(of, now);
    if (observer_ != nullptr) observer_->frame_sent(host_, *frame, end);
    flow.offer = user_->next(flow.item, free_at_);
    out->put(std::move(frame), end);
}

void PlainEnd::put(FrameRef frame, Time end) {
    if (!frame->fcs_good()) {
        ++counters_.rx_bad_fcs;
        return;
    }
    if (frame->length() > static_cast<std::size_t>(config_.mtu) + kEthernetHeaderBytes + kFcsBytes) {
        ++counters_.rx_oversize;
        return;
    }
    if (const auto pause = read_pause_frame(*frame)) {
        ++counters_.rx_pause;
        pauses_.hears(*pause, end);
        if (!idle()) wakeup_.at(end);  // it may go on then
        return;
    }
    const auto of = read_plain_frame(*frame);
    if (!of || host_of(frame->destination()) != host_) {
        ++counters_.rx_other;
        return;
    }
    ++counters_.rx_frames;
    counters_.rx_bytes += frame->length();
    user_->arrives(*of, end);
}

}  // namespace rnicsim
