// SPDX-License-Identifier: Apache-2.0
// The rules that only networks have, off by default: how each differs from the protocol's own.
#include "model/rnic/drp/policies/resume_rule.h"
#include "model/rnic/drp/policies/window_rule.h"
#include "testbench/tests/protocol/logic_harness.h"

#include <string_view>

namespace rnicsim {
namespace {

using Names = std::vector<std::string_view>;

TEST_CASE("policies of networks: the first of each is the protocol's; an unknown name is refused", "[protocol]") {
    CHECK(window_rule_names() == Names{"fixed", "aimd"});
    CHECK(resume_rule_names() == Names{"window_full", "told"});
    const TransportConfig config;
    CHECK(config.window_rule->name() == "fixed");
    CHECK(config.resume_rule->name() == "window_full");
    CHECK_FALSE(config.busy_answer);
    CHECK_THROWS_AS(window_rule("cubic"), std::invalid_argument);
    CHECK_THROWS_AS(resume_rule("tell"), std::invalid_argument);
}

// 4.1 aimd

TransportConfig with_aimd() {
    TransportConfig config = small_config();
    config.window_rule = &window_rule("aimd");
    return config;
}

/// How many frames a sender has in flight once it may send no more.
std::uint32_t fill(DataSender& sender) {
    while (sender.has_next()) sender.next();
    return sender.next_new() - sender.oldest_unacknowledged();
}

TEST_CASE("4.1 aimd: two frames at first, one more for each window acknowledged, up to `window`", "[protocol]") {
    DataSender sender(1'000, with_aimd());
    CHECK(fill(sender) == 2);
    std::vector<std::uint32_t> windows;
    for (int i = 0; i < 8; ++i) {
        const std::uint32_t flight = sender.next_new() - sender.oldest_unacknowledged();
        for (std::uint32_t k = 0; k < flight; ++k) { sender.on_ack(Sn{sender.oldest_unacknowledged().n + 1}); }
        windows.push_back(fill(sender));
    }
    // 1/w for each of w ACKs is a little less than one frame a window: w grows meanwhile.
    CHECK(windows == std::vector<std::uint32_t>{2, 3, 4, 5, 6, 7, 7, 8});
}

TEST_CASE("4.1 aimd: a window of one stays one", "[protocol]") {
    TransportConfig config = with_aimd();
    config.window = 1;
    DataSender sender(10, config);
    CHECK(fill(sender) == 1);
    sender.on_ack(Sn{1});
    CHECK(fill(sender) == 1);
    sender.on_timeout();
    CHECK(sender.has_next());
}

TEST_CASE("4.1 aimd: a fast retransmission halves it, an expiry leaves one frame", "[protocol]") {
    DataSender sender(1'000, with_aimd());
    fill(sender);
    for (std::uint32_t sn = 1; sn <= 60; ++sn) {
        sender.on_ack(Sn{sn});
        fill(sender);
    }
    CHECK(fill(sender) == 8);
    for (int i = 0; i < 2; ++i) CHECK(sender.on_ack(Sn{60}) == AckResult::duplicate);
    CHECK(sender.on_ack(Sn{60}) == AckResult::loss);
    CHECK(sender.next() == Sn{60});
    CHECK_FALSE(sender.has_next());
    sender.on_ack(Sn{68});  // all; the recovery is over, and half of the window and a part of a frame is open
    CHECK(fill(sender) == 4);
    sender.on_timeout();
    CHECK(sender.next() == Sn{68});
    sender.on_ack(Sn{72});
    CHECK(fill(sender) == 2);  // 1, and 1/1 for the ACK
}

TEST_CASE("4.1 aimd: acknowledgements in a recovery open nothing", "[protocol]") {
    DataSender sender(1'000, with_aimd());
    fill(sender);
    for (std::uint32_t sn = 1; sn <= 60; ++sn) {
        sender.on_ack(Sn{sn});
        fill(sender);
    }
    for (int i = 0; i < 3; ++i) sender.on_ack(Sn{60});
    for (std::uint32_t sn = 61; sn < 68; ++sn) sender.on_ack(Sn{sn});
    CHECK(fill(sender) == 4);
}

// 6.8 told

TransportConfig with_told() {
    TransportConfig config = small_config();
    config.resume_rule = &resume_rule("told");
    config.indirect_buffer = 2'000;  // two frames
    return config;
}

DrpHeader with_mode(DrpHeader header) {
    header.indirect = true;
    return header;
}

TEST_CASE("6.8 told, responder: a valid REQ_ACK has MODE if a frame found no slot, its copies too", "[protocol]") {
    const Spec s = write_of(4500);
    for (const std::uint32_t frames : {2U, 3U}) {
        End end(with_told());
        end.refuse(s);
        for (std::uint32_t sn = 0; sn < frames; ++sn) end.frame(10, data(s, sn, true));
        CHECK(end.count(TransportCount::buffer_full) == (frames == 3 ? 1 : 0));
        const DrpHeader answer = frames == 3 ? with_mode(req_ack(s, true)) : req_ack(s, true);
        CHECK(end.command(20, verdict(s, true)).front() == sent(answer));
        CHECK(end.frame(30, req(s)) == Lines{sent(answer)});
    }
}

TEST_CASE("6.8 window_full: MODE stays 0", "[protocol]") {
    TransportConfig config = with_told();
    config.resume_rule = &resume_rule("window_full");
    const Spec s = write_of(4500);
    End end(config);
    end.refuse(s);
    for (std::uint32_t sn = 0; sn < 3; ++sn) end.frame(10, data(s, sn, true));
    CHECK(end.command(20, verdict(s, true)).front() == sent(req_ack(s, true)));
}

TEST_CASE("6.8 told, initiator: sends again if it is told, and only then", "[protocol]") {
    const Spec s = write_of(20'000);
    for (const bool told : {false, true}) {
        End end(with_told());
        end.command(0, start(s));
        end.frame(10, req_ack(s, false));
        CHECK(end.send_data(10).size() == 8);
        end.frame(90, told ? with_mode(req_ack(s, true)) : req_ack(s, true));
        CHECK(end.count(TransportCount::resumed) == (told ? 1 : 0));
        CHECK(end.send_data(90).size() == (told ? 8 : 0));
    }
}

// 6.4 per_initiator

TEST_CASE("6.4 per_initiator: no more than the quota of each peer", "[protocol]") {
    TransportConfig config = small_config();
    config.buffer_admission = &buffer_admission("per_initiator");
    config.buffer_quota = 3;
    End end(config);
    const Spec one = write_of(9'500, 7), other = write_of(9'500, 8), third = write_of(9'500, 9);
    const auto from = [](DrpHeader header, unsigned peer) {
        header.peer = Peer{static_cast<std::uint16_t>(peer)};
        return header;
    };
    for (std::uint32_t sn = 0; sn < 2; ++sn) end.frame(10, from(data(one, sn, true), 0));
    for (std::uint32_t sn = 0; sn < 2; ++sn) end.frame(10, from(data(other, sn, true), 0));
    CHECK(end.count(TransportCount::kept_indirect) == 3);  // of two transfers together
    CHECK(end.count(TransportCount::buffer_full) == 1);
    for (std::uint32_t sn = 0; sn < 4; ++sn) end.frame(10, from(data(third, sn, true), 1));
    CHECK(end.count(TransportCount::kept_indirect) == 6);
    CHECK(end.count(TransportCount::buffer_full) == 2);
    end.frame(20, from(req(one), 0));
    end.command(20, verdict(one, true));  // drains two of the three
    end.drain_done();
    for (std::uint32_t sn = 1; sn < 4; ++sn) end.frame(30, from(data(other, sn, true), 0));
    CHECK(end.count(TransportCount::kept_indirect) == 8);
    CHECK(end.count(TransportCount::buffer_full) == 3);
}

// 3.23 busy

TEST_CASE("3.23 busy_answer: a REQ that finds the table full is answered by a refusal with MODE", "[protocol]") {
    for (const bool answers : {false, true}) {
        TransportConfig config = small_config();
        config.busy_answer = answers;
        config.table_entries = 1;
        End end(config);
        end.frame(0, req(write_of(2500, 7)));
        const Spec s = write_of(2500, 8);
        CHECK(end.frame(10, req(s)) == (answers ? Lines{sent(with_mode(req_ack(s, false)))} : Lines{}));
        CHECK(end.count(TransportCount::table_full) == 1);
    }
}

TEST_CASE("3.23 busy_answer: the initiator goes indirect neither then nor on silence, but on a refusal", "[protocol]") {
    TransportConfig config = small_config();
    config.busy_answer = true;
    const Spec s = write_of(2500);
    End end(config);
    end.command(0, start(s));
    CHECK(end.frame(10, with_mode(req_ack(s, false))) == Lines{});
    CHECK(end.send_data(10) == Lines{});
    for (At at = 100; at <= 300; at += 100) CHECK(end.timers(at) == Lines{sent(req(s))});
    CHECK(end.send_data(300) == Lines{});
    CHECK(end.frame(310, req_ack(s, false)) == Lines{simulated(s)});
    CHECK(end.send_data(310, 1) == Lines{fetched(s, 0, true)});
}

TEST_CASE("3.23 without busy_answer MODE of a refusal means nothing", "[protocol]") {
    const Spec s = write_of(2500);
    End end(small_config());
    end.command(0, start(s));
    CHECK(end.frame(10, with_mode(req_ack(s, false))) == Lines{simulated(s)});
}

}  // namespace
}  // namespace rnicsim
