// SPDX-License-Identifier: Apache-2.0
// A user's transport controller with one wrong port: cosim names that port, the cycle and the time.
#include "Vtransport_controller.h"
#include "model/rtl/transport_beside.h"
#include "model/rtl/transport_rtl.h"
#include "testbench/tests/cosim/faulty_blocks.h"
#include "testbench/tests/cosim/transport_pair.h"

namespace rnicsim {
namespace {

/// Transfers of both roles in which every output is used: a read, early data, timers.
template <typename Module>
class Life {
  public:
    Life() : config_(config_of()), actions_(config_) {
        auto model = std::make_unique<TransportLogic>(config_);
        logic_ = model.get();
        engine_ = std::make_unique<TransportBeside>(
            std::make_unique<TransportRtl<Module>>(config_, "mine", BlockPlace{}), std::move(model),
            PortCheck("transport_controller", "mine", BlockPlace{}));
    }
    void live() {
        writes(write_of(2500, 1));
        reads(read_of(2500, 2));
        takes_early_data(write_of(2500, 3));
        command(start(write_of(1000, 5)));  // nobody answers
        for (int i = 0; i < 12; ++i) expire();
    }

  private:
    void writes(const Spec& s) {
        command(start(s));
        frame(req_ack(s, true));
        while (engine_->has_data()) {
            pass();
            const std::optional<DataJob> job = engine_->next_data(now_);
            pass();
            engine_->on_transmitted(now_, job->entry, actions_);
        }
        frame(ack(s, 3));
        frame(rel_ack(s));
    }
    void reads(const Spec& s) {
        command(start(s));
        frame(req_ack(s, true));
        for (std::uint32_t sn = 0; sn < 3; ++sn) frame(data(s, sn));
        frame(rel_ack(s));
    }
    void takes_early_data(const Spec& s) {
        frame(req(s));
        command(verdict(s, false));
        frame(data(s, 0, true));
        command(verdict(s, true));
        frame(data(s, 1, true));
        frame(req(write_of(2500, 4)));
        command(verdict(write_of(2500, 4), false));
        frame(data(write_of(2500, 4), 0, true));
    }

    void command(const Command& given) {
        const Command command = on_what_was_asked(*logic_, given);
        pass();
        engine_->on_command(now_, command, actions_);
    }
    void frame(const DrpHeader& header) {
        pass();
        engine_->on_frame(now_, header, actions_);
    }
    /// The next timer is served.
    void expire() {
        engine_->refresh_deadline();
        const TransportEngine::Expiry next =
            engine_->next_expiry(now_, static_cast<ConnectionTable::Index>(idle_.n % kEntries));
        if (next.found == kNever) return;
        idle_ += next.found + Cycle{1} - now_;  // the scanner continues behind the entry that it has found
        now_ = next.found + kDecision;
        engine_->on_timer(now_, next.entry, actions_);
    }
    /// Some decisions follow at once, others later: these may be held up.
    void pass() {
        const Cycle wait{++decisions_ % 2 == 0 ? 0 : 70};
        idle_ += wait;
        now_ += wait + kDecision;
    }

    TransportConfig config_;
    EveryField actions_;
    TransportLogic* logic_ = nullptr;
    std::unique_ptr<TransportEngine> engine_;
    Cycle now_{1000};
    Cycle idle_ = now_;  // cycles outside decisions: where the scanner is
    std::int64_t decisions_ = 0;
};

template <typename Module>
std::string fault_of_life() {
    return fault_of([] { Life<Module>().live(); });
}

TEST_CASE("a transport controller of one's own: the port that is wrong is named", "[cosim]") {
    CHECK(fault_of_life<Vtransport_controller>() == "nothing");
    const auto check = []<auto Port>(const char* port) {
        check_named(fault_of_life<WrongOutput<Vtransport_controller, Port, kInverted>>(), "transport_controller", port);
    };
    RNICSIM_CHECK(idle_o);
    RNICSIM_CHECK(done_o);
    RNICSIM_CHECK(frame_ready_o);
    RNICSIM_CHECK(command_ready_o);
    RNICSIM_CHECK(sent_ready_o);
    RNICSIM_CHECK(done_input_o);
    RNICSIM_CHECK(entries_o);
    RNICSIM_CHECK(data_o);
    RNICSIM_CHECK(tid_o);
    RNICSIM_CHECK(note_responder_o);
    RNICSIM_CHECK(send_o);
    RNICSIM_CHECK(send_ctrl_o);
    RNICSIM_CHECK(send_len_o);
    RNICSIM_CHECK(send_sn_o);
    RNICSIM_CHECK(send_ackn_o);
    RNICSIM_CHECK(send_sba_o);
    RNICSIM_CHECK(send_dba_o);
    RNICSIM_CHECK(release_o);
    RNICSIM_CHECK(place_o);
    RNICSIM_CHECK(keep_o);
    RNICSIM_CHECK(drain_o);
    RNICSIM_CHECK(drop_o);
    RNICSIM_CHECK(fetch_o);
    RNICSIM_CHECK(fetch_ctrl_o);
    RNICSIM_CHECK(fetch_sba_o);
    RNICSIM_CHECK(fetch_dba_o);
    RNICSIM_CHECK(address_o);
    RNICSIM_CHECK(bytes_o);
    RNICSIM_CHECK(sn_o);
    RNICSIM_CHECK(event_o);
    RNICSIM_CHECK(event_status_o);
    RNICSIM_CHECK(event_length_o);
    RNICSIM_CHECK(event_dba_o);
    RNICSIM_CHECK(event_read_o);
    RNICSIM_CHECK(event_indirect_o);
    RNICSIM_CHECK(event_generation_o);
    RNICSIM_CHECK(timer_deadline_o);
}

TEST_CASE("a transport controller of one's own that does not wait while hold_i, or is never ready", "[cosim]") {
    constexpr auto kZero = [](auto given) -> decltype(given) { return given * 0U; };
    constexpr auto kStuck = [](auto right, auto) -> decltype(right) { return right * 0U; };
    check_named(fault_of_life<WrongInput<Vtransport_controller, RNICSIM_PORT(hold_i), kZero>>(), "transport_controller",
                "frame_ready_o");
    check_named(fault_of_life<WrongOutput<Vtransport_controller, RNICSIM_PORT(frame_ready_o), kStuck>>(),
                "transport_controller", "frame_ready_o");
    check_named(fault_of_life<WrongOutput<Vtransport_controller, RNICSIM_PORT(done_o), kLate>>(),
                "transport_controller", "done_o");
}

}  // namespace
}  // namespace rnicsim
