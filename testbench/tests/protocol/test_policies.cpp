// SPDX-License-Identifier: Apache-2.0
// The rules that a scenario chooses by name: how each differs from the protocol's own.
#include "model/faults/loss_process.h"
#include "model/rnic/drp/host/registration_retry.h"
#include "model/rnic/drp/policies/acknowledgement.h"
#include "model/rnic/drp/policies/buffer_admission.h"
#include "model/rnic/drp/policies/mode_choice.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "testbench/tests/protocol/logic_harness.h"

#include <string_view>

namespace rnicsim {
namespace {

using Names = std::vector<std::string_view>;

TEST_CASE("policies: the first of each is the protocol's; an unknown name is refused", "[protocol]") {
    CHECK(mode_choice_names() == Names{"paper", "on_refusal"});
    CHECK(retransmission_names() == Names{"selective_repeat", "go_back_n"});
    CHECK(acknowledgement_names() == Names{"each", "every_second"});
    CHECK(buffer_admission_names() == Names{"any", "in_order", "per_initiator"});
    CHECK(registration_retry_names() == Names{"on_request", "when_released", "back_off"});
    CHECK(loss_process_names() == Names{"independent", "gilbert_elliott"});
    const TransportConfig config;
    CHECK(config.mode_choice->name() == "paper");
    CHECK(config.retransmission->name() == "selective_repeat");
    CHECK(config.acknowledgement->name() == "each");
    CHECK(config.buffer_admission->name() == "any");
    CHECK_THROWS_AS(mode_choice("papers"), std::invalid_argument);
    LinkFaultConfig link;
    link.loss_process = "none";
    CHECK_THROWS_AS(make_loss_process(link, {}), std::invalid_argument);
}

TEST_CASE("5 mode choice on_refusal: silence alone does not make it go indirect, a refusal does", "[protocol]") {
    TransportConfig config = small_config();
    config.mode_choice = &mode_choice("on_refusal");
    const Spec s = write_of(2500);
    End end(config);
    end.command(0, start(s));
    for (At at = 100; at <= 300; at += 100) CHECK(end.timers(at) == Lines{sent(req(s))});
    CHECK(end.send_data(300) == Lines{});
    CHECK(end.frame(310, req_ack(s, false)) == Lines{simulated(s)});
    CHECK(end.send_data(310, 1) == Lines{fetched(s, 0, true)});
}

TEST_CASE("5 mode choice on_refusal: a read's responder keeps repeating its REQ_ACK", "[protocol]") {
    TransportConfig config = small_config();
    config.mode_choice = &mode_choice("on_refusal");
    const Spec s = read_of(2500);
    config.max_requests = 5;
    End end(config);
    end.accept(s);
    for (At at = 100; at <= 400; at += 100) CHECK(end.timers(at) == Lines{sent(req_ack(s, true))});
    CHECK(end.send_data(400) == Lines{});
    // It has been sent five times, and is not sent again; the entry stays, and a REQ is answered.
    CHECK(end.timers(500) == Lines{});
    CHECK(end.timers(600) == Lines{});
    CHECK(end.frame(610, req(s)) == Lines{sent(req_ack(s, true))});
    CHECK(end.frame(620, ack(s, 0)) == Lines{});
    CHECK(end.send_data(620) == all_frames(s, false));
}

TEST_CASE("4 acknowledgement every_second: the second frame, the last, and whatever is out of order", "[protocol]") {
    TransportConfig config = small_config();
    config.acknowledgement = &acknowledgement("every_second");
    const Spec s = write_of(6500);  // seven frames
    End end(config);
    end.accept(s);
    CHECK(end.frame(1, data(s, 0)) == Lines{placed(s, 0)});
    CHECK(end.frame(2, data(s, 1)) == Lines{placed(s, 1), sent(ack(s, 2))});
    CHECK(end.frame(3, data(s, 3)) == Lines{placed(s, 3), sent(ack(s, 2))});  // a hole
    CHECK(end.frame(4, data(s, 2)) == Lines{placed(s, 2), sent(ack(s, 4))});  // closed
    CHECK(end.frame(5, data(s, 4)) == Lines{placed(s, 4)});
    CHECK(end.frame(6, data(s, 4)) == Lines{sent(ack(s, 5))});  // seen before
    CHECK(end.frame(7, data(s, 5)) == Lines{placed(s, 5)});
    CHECK(end.frame(8, data(s, 6)) == Lines{placed(s, 6), sent(ack(s, 7))});  // the last
}

TEST_CASE("4 acknowledgement every_second: early data, whose end is known by a short frame only", "[protocol]") {
    TransportConfig config = small_config();
    config.acknowledgement = &acknowledgement("every_second");
    const Spec s = write_of(2500);
    End end(config);
    CHECK(end.frame(1, data(s, 0, true)) == Lines{kept(s, 0)});
    CHECK(end.frame(2, data(s, 1, true)) == Lines{kept(s, 1), sent(ack(s, 2))});
    CHECK(end.frame(3, data(s, 2, true)) == Lines{kept(s, 2), sent(ack(s, 3))});
}

TEST_CASE("6 buffer admission in_order: no slot for a frame behind a hole", "[protocol]") {
    TransportConfig config = small_config();
    config.buffer_admission = &buffer_admission("in_order");
    const Spec s = write_of(3500);
    End end(config);
    end.refuse(s);
    CHECK(end.frame(1, data(s, 1, true)) == Lines{});
    CHECK(end.count(TransportCount::buffer_full) == 1);
    CHECK(end.buffer().used() == 0);
    CHECK(end.frame(2, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 1))});
    CHECK(end.frame(3, data(s, 1, true)) == Lines{kept(s, 1), sent(ack(s, 2))});
    CHECK(end.frame(4, data(s, 3, true)) == Lines{});
    CHECK(end.command(5, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {0, 1})});
    CHECK(end.frame(6, data(s, 3, true)) == Lines{placed(s, 3), sent(ack(s, 2))});  // memory takes any
}

TEST_CASE("3 registration retry: never, always after the interval, or after twice as much each time", "[protocol]") {
    constexpr Cycle kInterval{100};
    const RegistrationRetry& back_off = registration_retry("back_off");
    for (std::uint32_t attempts = 1; attempts < 9; ++attempts) {
        CHECK(!registration_retry("on_request").tries_after(attempts, kInterval));
        CHECK(registration_retry("when_released").tries_after(attempts, kInterval) == kInterval);
        CHECK(back_off.tries_after(attempts, kInterval) == kInterval * std::min(1 << (attempts - 1), 16));
    }
}

}  // namespace
}  // namespace rnicsim
