// SPDX-License-Identifier: Apache-2.0
// What a congestion control is told of its QP, and what it bounds: a control that writes down what it hears, and whose
// rate, window and deadline are the test's.
#include "model/rnic/rc/congestion/dcqcn/dcqcn.h"
#include "testbench/tests/verbs/verbs_end.h"
#include "tlm/roce/codec.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace rnicsim::rc {
namespace {

struct Script {
    std::int64_t rate = kNoRateLimit, window = kNoWindow;
    Time deadline = kEndOfTime;
    std::int64_t window_after_timer = kNoWindow, window_after_loss = kNoWindow;
    Lines heard{};

    Lines take() { return std::exchange(heard, {}); }
};

class Scripted final : public CongestionControl {
  public:
    explicit Scripted(Script& script) : script_(&script) {}
    [[nodiscard]] std::unique_ptr<CongestionControl> copy() const override { return std::make_unique<Scripted>(*this); }

    void on_sent(Time /*now*/, std::uint32_t bytes) override { say("sent " + std::to_string(bytes)); }
    void on_ack(Time /*now*/, std::optional<Time> round_trip, std::uint32_t bytes) override {
        say("acknowledged " + std::to_string(bytes) + (round_trip ? " in " + std::to_string(round_trip->ps) : ""));
    }
    void on_cnp(Time /*now*/) override { say("notified"); }
    void on_loss(Time /*now*/, Loss kind) override {
        say(kind == Loss::nak ? "lost by a NAK" : "lost by the timer");
        script_->window = std::min(script_->window, script_->window_after_loss);
    }
    [[nodiscard]] Time next_deadline() const override { return script_->deadline; }
    void on_timer(Time now) override {
        if (now < script_->deadline) return;
        say("timer");
        script_->deadline = kEndOfTime;
        script_->window = script_->window_after_timer;
    }
    [[nodiscard]] std::int64_t rate() const override { return script_->rate; }
    [[nodiscard]] std::int64_t window() const override { return script_->window; }

  private:
    void say(std::string what) { script_->heard.push_back(std::move(what)); }
    Script* script_;  // the test's
};

class ScriptedAlgorithm final : public CongestionAlgorithm {
  public:
    explicit ScriptedAlgorithm(Script& script) : script_(script) {}
    [[nodiscard]] std::string_view name() const override { return "scripted"; }
    [[nodiscard]] Traits traits() const override {
        return {.hears_marks = false, .hears_acks = true, .hears_losses = true};
    }
    [[nodiscard]] std::unique_ptr<CongestionControl> start(const CongestionConfigs& /*configs*/,
                                                           const CardFacts& /*card*/) const override {
        return std::make_unique<Scripted>(script_);
    }
    [[nodiscard]] std::optional<std::int64_t> least_rate(const CongestionConfigs& /*configs*/) const override {
        return {};
    }

  private:
    Script& script_;
};

EndSettings controlled_by(const CongestionAlgorithm& algorithm) {
    EndSettings s;
    s.config.congestion = &algorithm;
    return s;
}

/// A script, and the end that it controls.
struct Play {
    explicit Play(const Script& begin = {}, const char* retransmission_rule = "go_back_n") : script(begin) {
        EndSettings s = controlled_by(algorithm);
        s.config.retransmission = &retransmission(retransmission_rule);
        end.emplace(s);
    }
    Script script;
    ScriptedAlgorithm algorithm{script};
    std::optional<End> end;
};

std::size_t bytes_in_flight(const End& end) { return static_cast<std::size_t>(end.state().pace.in_flight->bytes()); }

Script with_window(std::int64_t window) {
    Script script;
    script.window = window;
    return script;
}

TEST_CASE("V-D7: a window bounds the payload in flight to the byte", "[verbs]") {
    constexpr std::uint32_t kLast = 44;
    constexpr std::int64_t kMessage = 2 * kMtu + kLast;
    Play exact(with_window(kMessage)), less(with_window(kMessage - 1));
    for (Play* const play : {&exact, &less}) {
        play->end->post(wqe(Verb::write, kMessage, *play->end));
        play->end->post(wqe(Verb::write, kMtu, *play->end));
    }
    CHECK(exact.end->send().size() == 3);
    CHECK(bytes_in_flight(*exact.end) == kMessage);
    CHECK(less.end->send().size() == 2);
    CHECK(bytes_in_flight(*less.end) == 2 * kMtu);

    // What is acknowledged makes room; here for the last 44 B, and not for 256 B more.
    less.end->packet(answer(kSq));
    CHECK(less.end->send().size() == 1);
    less.end->packet(answer(kSq + 1));
    CHECK(less.end->send().size() == 1);
    CHECK(bytes_in_flight(*less.end) == kLast + kMtu);
}

TEST_CASE("V-D7: the window of PSNs holds beside the one of bytes", "[verbs]") {
    Play play(with_window(1 << 30));
    play.end->post(wqe(Verb::write, 100 * kMtu, *play.end));
    CHECK(play.end->send().size() == 64);
}

TEST_CASE("V-D7: with a window each request asks for an ACK, so that one that shrinks opens again", "[verbs]") {
    Play play(with_window(4 * kMtu));
    End& end = *play.end;
    end.post(wqe(Verb::write, 20 * kMtu, end));
    const Lines sent = end.send();
    CHECK(sent.size() == 4);
    CHECK(std::ranges::all_of(sent, [](const std::string& line) { return line.ends_with(" ask"); }));
    play.script.window = kMtu;
    end.packet(answer(kSq + 2));
    CHECK(end.send() == Lines{});  // one is in flight
    end.packet(answer(kSq + 3));
    CHECK(end.send().size() == 1);
}

TEST_CASE("V-D7: a window smaller than a packet lets one through at a time", "[verbs]") {
    Play play(with_window(1));
    End& end = *play.end;
    end.post(wqe(Verb::write, 3 * kMtu, end));
    for (const Psn psn : {kSq, kSq + 1, kSq + 2}) {
        CHECK(end.send().size() == 1);
        end.packet(answer(psn));
    }
    CHECK(end.send() == Lines{});
    CHECK(bytes_in_flight(end) == 0);
}

TEST_CASE("V-D7: READs and atomics count no bytes, and pass a full window", "[verbs]") {
    Play play(with_window(kMtu));
    End& end = *play.end;
    end.post(wqe(Verb::write, kMtu, end));
    end.post(wqe(Verb::read, 8 * kMtu, end));
    end.post(wqe(Verb::write, kMtu, end));
    CHECK(end.send().size() == 2);
    CHECK(bytes_in_flight(end) == kMtu);
}

TEST_CASE("V-D7: what is sent again fits the window that the loss has left", "[verbs]") {
    Script script = with_window(4 * kMtu);
    script.window_after_loss = 2 * kMtu;
    Play play(script);
    End& end = *play.end;
    end.post(wqe(Verb::write, 8 * kMtu, end));
    CHECK(end.send().size() == 4);
    end.packet(nak(kSq, roce::NakCode::psn_sequence));
    CHECK(end.send().size() == 2);
    CHECK(bytes_in_flight(end) == 2 * kMtu);
    end.packet(answer(kSq));
    CHECK(end.send().size() == 1);
}

TEST_CASE("V-D7: selective repeat fills a gap though the window is full, and counts it once", "[verbs]") {
    Play play(with_window(3 * kMtu), "selective_repeat");
    End& end = *play.end;
    end.post(wqe(Verb::write, 6 * kMtu, end));
    CHECK(end.send().size() == 3);
    roce::Header told = nak(kSq, roce::NakCode::psn_sequence);
    told.opcode = roce::Opcode::selective_nak;
    told.arrived = kSq + 1;
    end.packet(told);
    CHECK(end.send().size() == 1);
    CHECK(bytes_in_flight(end) == 3 * kMtu);
    end.packet(answer(kSq + 2));
    CHECK(bytes_in_flight(end) == 0);
    CHECK(end.send().size() == 3);
}

TEST_CASE("V-D7: a control's deadline wakes the card, and what it then allows leaves", "[verbs]") {
    Script script = with_window(kMtu);
    script.deadline = kMicrosecond * 7;
    script.window_after_timer = 3 * kMtu;
    Play play(script);
    End& end = *play.end;
    end.post(wqe(Verb::write, 5 * kMtu, end));
    CHECK(end.send().size() == 1);
    CHECK(end.expiry(kMicrosecond * 7) == Lines{});
    CHECK(end.send().size() == 2);
    CHECK(end.rc.next_deadline() > kMicrosecond * 7);
}

TEST_CASE("V-D8: a control hears each packet's bytes on the wire, READ responses as well, answers not", "[verbs]") {
    Play play;
    End& end = *play.end;
    end.post(wqe(Verb::write, 2 * kMtu + 44, end));
    end.send();
    // 8 + 14 + 20 + 8 + 12 + 256 + 4 + 4 + 12 bytes, with the first packet's RETH 16 more.
    CHECK(play.script.take() == Lines{"sent 354", "sent 338", "sent 126"});
    end.packet(reth(request(roce::Opcode::write_only, kRq, kMtu), end, kMtu));
    end.packet(reth(request(roce::Opcode::read_request, kRq + 1), end, kMtu));
    CHECK(end.answers().size() == 2);
    CHECK(play.script.take() == Lines{"sent 342"});  // with an AETH
}

TEST_CASE("V-D8: a control hears how many bytes an ACK covers, and the round trip of the packet that it names",
          "[verbs]") {
    Play play;
    End& end = *play.end;
    end.post(wqe(Verb::write, 3 * kMtu, end));
    for (const std::int64_t at : {10, 11, 13}) {
        end.now = kMicrosecond * at;
        end.send(1);
    }
    play.script.take();
    end.now = kMicrosecond * 15 + kPicosecond;
    end.packet(answer(kSq + 1));
    CHECK(play.script.take() == Lines{"acknowledged 512 in 4000001"});
    end.now = kMicrosecond * 16;
    end.packet(answer(kSq + 2));
    CHECK(play.script.take() == Lines{"acknowledged 256 in 3000000"});
    end.packet(answer(kSq + 2));  // a ghost
    CHECK(play.script.take() == Lines{});
}

TEST_CASE("V-D8: a message of no bytes has a round trip", "[verbs]") {
    Play play;
    End& end = *play.end;
    end.post(wqe(Verb::write, 0, end));
    end.send();
    play.script.take();
    end.now = kMicrosecond;
    end.packet(answer(kSq));
    CHECK(play.script.take() == Lines{"acknowledged 0 in 1000000"});
}

TEST_CASE("V-D8: a NAK is a loss behind what it acknowledges, and what is sent again has no round trip", "[verbs]") {
    Play play;
    End& end = *play.end;
    end.post(wqe(Verb::write, 3 * kMtu, end));
    end.send();
    play.script.take();
    end.packet(nak(kSq + 1, roce::NakCode::psn_sequence));
    CHECK(play.script.take() == Lines{"acknowledged 256", "lost by a NAK"});
    end.packet(nak(kSq + 1, roce::NakCode::psn_sequence));  // a copy: the same loss
    CHECK(play.script.take() == Lines{});
    CHECK(end.send().size() == 2);
    play.script.take();
    end.packet(answer(kSq + 2));
    CHECK(play.script.take() == Lines{"acknowledged 512"});
}

TEST_CASE("V-D8: with selective repeat the packet of a gap has no round trip, one behind it has", "[verbs]") {
    Play play({}, "selective_repeat");
    End& end = *play.end;
    end.post(wqe(Verb::write, 3 * kMtu, end));
    end.send();
    roce::Header told = nak(kSq, roce::NakCode::psn_sequence);
    told.opcode = roce::Opcode::selective_nak;
    told.arrived = kSq + 1;
    end.packet(told);
    end.send();
    CHECK(play.script.take() == Lines{"sent 354", "sent 354", "sent 354", "lost by a NAK", "sent 354"});
    end.now = kMicrosecond;
    end.packet(answer(kSq));  // passes what has come, too
    CHECK(play.script.take() == Lines{"acknowledged 512"});
    end.packet(answer(kSq + 2));
    CHECK(play.script.take() == Lines{"acknowledged 256 in 1000000"});
}

TEST_CASE("V-D8: an expired timer is a loss, an RNR NAK is none", "[verbs]") {
    Play play;
    End& end = *play.end;
    end.post(wqe(Verb::write, kMtu, end));
    end.send();
    play.script.take();
    end.packet(rnr(kSq, 1));
    CHECK(play.script.take() == Lines{});
    end.timers(kMillisecond);
    CHECK(end.send().size() == 1);
    CHECK(bytes_in_flight(end) == kMtu);
    play.script.take();
    CHECK(end.expiry(kMillisecond + kAckTime) == Lines{});
    CHECK(play.script.take() == Lines{"lost by the timer"});
    CHECK(bytes_in_flight(end) == 0);
}

TEST_CASE("V-D8: a READ's answer acknowledges the WRITE before it, and has no round trip", "[verbs]") {
    Play play;
    End& end = *play.end;
    end.post(wqe(Verb::write, kMtu, end));
    end.post(wqe(Verb::read, 8, end));
    CHECK(end.send().size() == 2);
    play.script.take();
    end.now = kMicrosecond;
    end.packet(response(roce::Opcode::read_only, kSq + 1, 8));
    CHECK(play.script.take() == Lines{"acknowledged 256"});
}

TEST_CASE("V-D8: QPs of UC and UD have no control, and after RESET there is a new one", "[verbs]") {
    Script script = with_window(kMtu);
    const ScriptedAlgorithm algorithm(script);
    EndSettings s = controlled_by(algorithm);
    s.service = Service::unreliable;
    End uc(s);
    CHECK_FALSE(uc.state().pace.control);
    uc.post(wqe(Verb::write, 3 * kMtu, uc));
    CHECK(uc.send().size() == 3);
    CHECK(script.take() == Lines{});

    End rc(controlled_by(algorithm));
    rc.post(wqe(Verb::write, 3 * kMtu, rc));
    CHECK(rc.send().size() == 1);
    rc.to(QpState::error);
    rc.to(QpState::reset);
    CHECK(rc.state().pace.control);
    CHECK(bytes_in_flight(rc) == 0);
    rc.connect();
    rc.post(wqe(Verb::write, 3 * kMtu, rc));
    CHECK(rc.send().size() == 1);
}

TEST_CASE("V-D8: a copy of a card goes on by itself", "[verbs]") {
    End end(controlled_by(congestion_control("dcqcn")));
    RcTransport other = end.rc;
    roce::Header cnp = roce::congestion_notification(end.qp);
    other.on_packet({}, kFarCard, cnp, end);
    CHECK(other.qp(end.qp)->pace.control->rate() == end.rc.config().line_rate / 2);
    CHECK(end.state().pace.control->rate() == kNoRateLimit);

    Play play(with_window(3 * kMtu));
    play.end->post(wqe(Verb::write, 3 * kMtu, *play.end));
    play.end->send();
    RcTransport copied = play.end->rc;
    roce::Header acked = answer(kSq + 2);
    acked.to = play.end->qp;
    copied.on_packet({}, kFarCard, acked, *play.end);
    CHECK(copied.qp(play.end->qp)->pace.in_flight->bytes() == 0);
    CHECK(bytes_in_flight(*play.end) == 3 * kMtu);
}

}  // namespace
}  // namespace rnicsim::rc
