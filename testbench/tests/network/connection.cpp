// SPDX-License-Identifier: Apache-2.0
// One end of a TCP connection against another one, without hosts: losses in every order, timers to the cycle.
#include "model/host/tcp/connection.h"

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <vector>

using namespace rnicsim;
using tcp::Connection;

namespace {

constexpr std::uint32_t kPiece = 1000;
constexpr Cycle kRto{200'000}, kDelay{40'000}, kTrip{10};

tcp::Settings settings(std::uint32_t window = 16 * kPiece) { return {window, kPiece, kPiece, kRto, kDelay}; }

Connection established(std::uint32_t window = 16 * kPiece) {
    Connection c(settings(window));
    c.establish(window);
    return c;
}

tcp::Segment data(Connection& from, const tcp::Range& range) {
    tcp::Segment s;
    const std::uint64_t fin = from.has_fin(range) ? 1 : 0;
    s.sequence = range.begin;
    s.bytes = range.begin == 0 ? 0 : static_cast<std::uint32_t>(range.end - range.begin - fin);
    s.syn = range.begin == 0;
    s.fin = fin != 0;
    s.window = from.advertise();
    s.ack = from.next() != 0;
    s.acknowledged = from.next();
    return s;
}
tcp::Segment ack(Connection& from) { return data(from, {from.sent(), from.sent()}); }

/// Pieces from one to the other, of which those in `lost` (bits, by order of sending) are lost, and ACKs in
/// `lost_acks`.
struct Line {
    Connection a = established(), b = established();
    std::uint32_t lost = 0, lost_acks = 0, sent = 0, acks = 0, timeouts = 0;
    Cycle now;
    std::deque<tcp::Segment> to_b, to_a;

    void transmit(const tcp::Range& range) {
        const tcp::Segment s = data(a, range);
        if ((lost >> sent++ & 1U) == 0 || sent > 31) to_b.push_back(s);
    }
    void answer() {
        const tcp::Segment s = ack(b);
        if ((lost_acks >> acks++ & 1U) == 0 || acks > 31) to_a.push_back(s);
    }
    /// Until all has been acknowledged, or nothing happens.
    bool run() {
        while (a.acknowledged() != a.sent()) {
            now += kTrip;
            if (!to_b.empty()) {
                const tcp::Segment s = to_b.front();
                to_b.pop_front();
                if (b.hear(now, s).ack) answer();
            } else if (!to_a.empty()) {
                const tcp::Segment s = to_a.front();
                to_a.pop_front();
                const Connection::News news = a.hear(now, s);
                if (!news.send.empty()) transmit(news.send);
            } else {
                const Cycle next = std::min(a.deadline(), b.deadline());
                if (next == kNever) return false;
                now = std::max(now, next);
                if (b.has_to_ack(now)) {
                    answer();
                    continue;
                }
                ++timeouts;
                const Connection::News news = a.expire(now);
                if (news.died) return false;
                if (!news.send.empty()) transmit(news.send);
            }
        }
        return true;
    }
};

}  // namespace

TEST_CASE("streams: every loss of 4 segments and of their ACKs is made good", "[network]") {
    // The first four and what is sent next; with more the connection may die, as it should.
    for (std::uint32_t lost = 0; lost < 64; ++lost) {
        for (std::uint32_t acks = 0; acks < 8; ++acks) {
            Line line;
            line.lost = lost;
            line.lost_acks = acks;
            for (int i = 0; i < 4; ++i) line.transmit(line.a.write(line.now, kPiece));
            INFO(lost << ' ' << acks);
            REQUIRE(line.run());
            REQUIRE(line.b.readable() == 4 * kPiece);
            if (lost == 0 && acks == 0) REQUIRE(line.sent == 4);
        }
    }
}

TEST_CASE("streams: segments in every order are read in theirs", "[network]") {
    std::vector<int> order{0, 1, 2, 3};
    do {
        Connection a = established(), b = established();
        std::vector<tcp::Segment> segments;
        for (int i = 0; i < 4; ++i) segments.push_back(data(a, a.write({}, kPiece)));
        std::uint32_t come = 0;
        for (const int i : order) {
            b.hear({}, segments[static_cast<std::size_t>(i)]);
            come |= 1U << static_cast<unsigned>(i);
            std::uint32_t whole = 0;
            while ((come >> whole & 1U) != 0) ++whole;
            REQUIRE(b.readable() == whole * kPiece);
        }
    } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("streams: the third duplicate has the gap sent again, the second does not", "[network]") {
    Connection a = established(), b = established();
    std::vector<tcp::Segment> segments;
    for (int i = 0; i < 5; ++i) segments.push_back(data(a, a.write({}, kPiece)));
    for (std::size_t i = 1; i <= 4; ++i) {  // the first one is lost
        CHECK(b.hear({}, segments[i]).ack);
        const Connection::News news = a.hear({}, ack(b));
        CHECK(news.send == (i == 3 ? tcp::Range{1, 1 + kPiece} : tcp::Range{}));
    }
    CHECK(b.hear({}, data(a, {1, 1 + kPiece})).ack);
    CHECK(b.readable() == 5 * kPiece);
    a.hear({}, ack(b));
    CHECK(a.deadline() == kNever);
}

TEST_CASE("streams: only ACKs that say the same three times in a row tell of a gap", "[network]") {
    Connection a = established(), b = established();
    for (int i = 0; i < 5; ++i) a.write({}, kPiece);
    const auto hears = [&](std::uint64_t acknowledged, std::uint64_t window) {
        tcp::Segment s = ack(b);
        s.acknowledged = acknowledged;
        s.window = window;
        return !a.hear({}, s).send.empty();
    };
    for (int i = 0; i < 2; ++i) CHECK_FALSE(hears(1, 16 * kPiece));
    CHECK_FALSE(hears(1 + kPiece, 15 * kPiece));  // something new: they count from here on
    for (int i = 0; i < 2; ++i) CHECK_FALSE(hears(1 + kPiece, 15 * kPiece));
    // Those that open the window tell of a reader.
    for (std::uint64_t more = 1; more <= 3; ++more) CHECK_FALSE(hears(1 + kPiece, (15 + more) * kPiece));
    CHECK(hears(1 + kPiece, 18 * kPiece));
}

TEST_CASE("streams: of two gaps the second is sent again as soon as the first is filled", "[network]") {
    Connection a = established(), b = established();
    std::vector<tcp::Segment> segments;
    for (int i = 0; i < 6; ++i) segments.push_back(data(a, a.write({}, kPiece)));
    for (const std::size_t i : {1U, 3U, 4U}) {  // the first one and the third are lost
        b.hear({}, segments[i]);
        a.hear({}, ack(b));
    }
    b.hear({}, data(a, {1, 1 + kPiece}));
    CHECK(a.hear({}, ack(b)).send == tcp::Range{1 + 2 * kPiece, 1 + 3 * kPiece});
}

TEST_CASE("streams: what has come is not kept again", "[network]") {
    Connection a = established(), b = established();
    b.hear({}, data(a, a.write({}, kPiece)));
    CHECK(b.kept(1, 2 * kPiece) == tcp::Range{1 + kPiece, 1 + 2 * kPiece});
    CHECK(b.kept(1, kPiece).empty());
}

TEST_CASE("streams: a gap is sent again after 200 ms, then after twice as long, six times", "[network]") {
    Connection a = established();
    Cycle now{17};
    a.write(now, kPiece);
    Cycle wait = kRto;
    for (int i = 0; i < 6; ++i) {
        CHECK(a.deadline() == now + wait);
        CHECK(a.expire(a.deadline() - Cycle{1}).send.empty());  // not yet
        now = a.deadline();
        CHECK(a.expire(now).send == tcp::Range{1, 1 + kPiece});
        wait = wait * 2;
    }
    CHECK(a.deadline() == now + wait);
    CHECK(a.expire(a.deadline()).died);
    CHECK(a.state() == Connection::State::dead);
    CHECK(a.deadline() == kNever);
}

TEST_CASE("streams: an ACK of less than two frames waits for 40 ms, that of two does not", "[network]") {
    Connection a = established(), b = established();
    CHECK_FALSE(b.hear(Cycle{5}, data(a, a.write({}, kPiece))).ack);
    CHECK(b.deadline() == Cycle{5} + kDelay);
    CHECK_FALSE(b.has_to_ack(Cycle{4} + kDelay));
    CHECK(b.has_to_ack(Cycle{5} + kDelay));
    CHECK(b.hear(Cycle{6}, data(a, a.write({}, kPiece))).ack);
    a.hear({}, ack(b));
    CHECK(b.deadline() == kNever);
    CHECK(a.deadline() == kNever);
}

TEST_CASE("streams: what the peer has not read closes the window, and reading half of it opens it", "[network]") {
    constexpr std::uint32_t kWindow = 8192;
    Connection a = established(kWindow), b = established(kWindow);
    CHECK(a.room() == kWindow);
    const tcp::Range all = a.write({}, kWindow);
    CHECK(a.room() == 0);
    CHECK(b.hear({}, data(a, all)).ack);
    a.hear({}, ack(b));
    CHECK(a.room() == 0);
    CHECK_FALSE(b.take(kWindow / 2 - 1));
    CHECK(b.take(1));
    CHECK(a.hear({}, ack(b)).room);
    CHECK(a.room() == kWindow / 2);
    CHECK(a.worth_sending(1 << 20) == kPiece);
    // If the ACK that tells of room is lost it is asked for.
    a.wait_for_room(Cycle{3});
    CHECK(a.deadline() == Cycle{3} + kRto);
    CHECK(a.expire(a.deadline()).probe);
    tcp::Segment probe = ack(a);
    --probe.sequence;
    CHECK(b.hear({}, probe).ack);
}

TEST_CASE("streams: a FIN comes behind all bytes, and a reset ends all", "[network]") {
    Connection a = established(), b = established();
    const tcp::Segment bytes = data(a, a.write({}, kPiece)), fin = data(a, a.finish({}));
    CHECK(fin.fin);
    CHECK_FALSE(b.hear({}, fin).finished);
    CHECK(b.hear({}, bytes).finished);
    CHECK(b.readable() == kPiece);
    CHECK_FALSE(b.at_end());
    b.take(kPiece);
    CHECK(b.at_end());
    a.hear({}, ack(b));
    CHECK(a.deadline() == kNever);
    tcp::Segment reset = ack(a);
    reset.reset = true;
    CHECK(b.hear({}, reset).died);
}

TEST_CASE("streams: three segments connect, whichever is lost once", "[network]") {
    for (int lost = 0; lost < 4; ++lost) {
        Connection a(settings()), b(settings());
        Cycle now{1};
        std::deque<std::pair<bool, tcp::Segment>> way;  // to b?
        int sent = 0;
        const auto put = [&](bool to_b, const tcp::Segment& s) {
            if (++sent != lost) way.emplace_back(to_b, s);
        };
        put(true, data(a, a.connect(now)));
        bool a_knows = false, b_knows = false;
        for (int steps = 0; steps < 20 && !(a_knows && b_knows); ++steps) {
            now += kTrip;
            if (way.empty()) {
                for (Connection* const end : {&a, &b}) {
                    if (end->deadline() == kNever) continue;
                    now = std::max(now, end->deadline());
                    const Connection::News news = end->expire(now);
                    if (!news.send.empty()) put(end == &a, data(*end, news.send));
                }
                continue;
            }
            const auto [to_b, s] = way.front();
            way.pop_front();
            Connection& end = to_b ? b : a;
            const Connection::News news = end.hear(now, s);
            if (news.connected) (to_b ? b_knows : a_knows) = true;
            if (!news.send.empty()) put(!to_b, data(end, news.send));
            if (news.ack && news.send.empty()) put(!to_b, ack(end));
        }
        INFO(lost);
        CHECK(a_knows);
        CHECK(b_knows);
        CHECK(a.room() != 0);
        CHECK(b.room() != 0);
    }
}
