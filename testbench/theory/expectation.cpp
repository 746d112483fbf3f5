// SPDX-License-Identifier: Apache-2.0
#include "testbench/theory/expectation.h"

#include "model/rnic/drp/policies/mode_choice.h"
#include "testbench/theory/closed_form.h"

namespace rnicsim {
namespace {

/// Probabilities and times that the derivations below share.
struct Setting {
    explicit Setting(const RunConfig& config)
        : form(config),
          transport(form.transport()),
          lost(form.loss()),
          refused(form.refusal()),
          asked(static_cast<double>(form.control_frame() + form.peer_registers() + form.control_frame())),
          repeated(static_cast<double>(2 * form.control_frame())),
          both_arrive((1 - lost) * (1 - lost)) {}

    /// A timer with its delay: on average the scanner finds it half a round of the table later; then the decision.
    [[nodiscard]] double timer(Cycle duration) const {
        return static_cast<double>((duration + transport.decision).n) + (transport.table_entries - 1) / 2.0;
    }

    ClosedForm form;
    TransportConfig transport;
    double lost;         ///< LFP
    double refused;      ///< FRP
    double asked;        ///< REQ -> REQ_ACK of a host that has to register
    double repeated;     ///< REQ -> REQ_ACK of one that has registered
    double both_arrive;  ///< a frame and its answer
};

/// A request that is repeated by a timer until its answer comes: time from the first to the answer.
double until_answered(const Setting& s, double answer, double timer) {
    return answer + timer * (1 - s.both_arrive) / s.both_arrive;
}

/// Traditional: first REQ -> valid REQ_ACK. An invalid REQ_ACK restarts the timer when it arrives. Once the region is
/// registered, a REQ_ACK can only be lost.
double traditional_connection(const Setting& s) {
    const double timer = s.timer(s.transport.request_timer);
    const double registered = until_answered(s, s.repeated, timer);
    const double there = 1 - s.lost;
    // E = success + (REQ lost: timer + E) + (refused: answer or not, timer + E) + (REQ_ACK lost: timer + registered)
    const double success = there * (1 - s.refused) * there * s.asked;
    const double again = s.lost + there * s.refused;
    const double refusals = there * s.refused * there * s.asked;  // the timer restarts when the answer arrives
    const double answer_lost = there * (1 - s.refused) * s.lost * (timer + registered);
    return (success + again * timer + refusals + answer_lost) / (1 - again);
}

/// Dynamic, no failed registrations: first REQ -> data may go, at the latest with the expiry that makes it indirect.
/// Derived backwards from that expiry.
double dynamic_connection(const Setting& s) {
    const double timer = s.timer(s.transport.request_timer);
    const double there = 1 - s.lost;
    double registered = 0;  // from here on, if the host has registered the region already
    double expected = 0;
    for (std::uint32_t expiry = s.transport.indirect_after_timeouts; expiry > 0; --expiry) {
        expected = s.both_arrive * s.asked + s.lost * (timer + expected) + there * s.lost * (timer + registered);
        registered = s.both_arrive * s.repeated + (1 - s.both_arrive) * (timer + registered);
    }
    return expected;
}

/// Window of one: a frame's time from the decision to send it until its acknowledgement. A copy of a frame that has
/// arrived already is acknowledged at once.
double one_frame(const Setting& s, std::int64_t payload) {
    const double timer = s.timer(s.transport.data_timer);
    const auto first = static_cast<double>(s.form.round_trip(payload));
    const double placed = until_answered(s, first - static_cast<double>(s.form.posting()), timer);
    const double there = 1 - s.lost;
    return (s.both_arrive * first + s.lost * timer + there * s.lost * (timer + placed)) / (1 - s.lost);
}

/// Decision to send the first data -> completion, window of one.
double rest_of_stop_and_wait(const Setting& s) {
    const auto frames = static_cast<double>(s.form.frames());
    const double data = (frames - 1) * one_frame(s, s.form.segment()) + one_frame(s, s.form.last_payload());
    const double release = until_answered(s, s.repeated, s.timer(s.transport.release_timer));
    return data + release + static_cast<double>(s.form.completion());
}

}  // namespace

Expectation expectation(const RunConfig& config) {
    Expectation result;
    if (!ClosedForm::only_pair(config)) return result;
    const Setting s(config);
    if (!s.form.applies() || s.lost >= 1 || s.refused >= 1) return result;
    const bool dynamic = s.transport.method == Method::dynamic;
    const bool faultless = s.lost == 0 && s.refused == 0;
    if (config.traffic[0].operation == OperationMix::read) {
        if (faultless) result.transfer = static_cast<double>(s.form.read());
        return result;
    }
    std::optional<double> connection;  // first REQ -> data may go
    if (!dynamic) {
        connection = traditional_connection(s);
    } else if (s.lost == 0) {
        connection = s.asked;  // any answer lets data go
    } else if (s.refused == 0 && s.transport.mode_choice->on_expiry(1, 1)) {
        connection = dynamic_connection(s);
    }
    if (!connection) return result;
    const auto command = static_cast<double>(s.form.command());
    result.set_up = command + *connection + static_cast<double>(s.form.first_data());
    const bool direct_only = !dynamic || faultless;
    if (!direct_only) return result;
    if (s.lost == 0) {
        result.transfer = static_cast<double>(s.form.write()) + (*connection - s.asked);
    } else if (s.transport.window == 1) {
        result.transfer = command + *connection + rest_of_stop_and_wait(s);
    }
    return result;
}

}  // namespace rnicsim
