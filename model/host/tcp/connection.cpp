// SPDX-License-Identifier: Apache-2.0
#include "model/host/tcp/connection.h"

#include "tlm/ethernet/tcp.h"

#include <algorithm>

namespace rnicsim::tcp {

void Connection::establish(std::uint32_t window) {
    state_ = State::established;
    una_ = nxt_ = next_ = taken_ = 1;
    rto_ = settings_.rto;
    widest_ = window >> kTcpWindowShift << kTcpWindowShift;
    edge_ = una_ + widest_;
    advertised_ = next_;
    advertise();
}

Range Connection::connect(Cycle now) {
    state_ = State::syn_sent;
    rto_ = settings_.rto;
    nxt_ = 1;
    start_timer(now);
    return {0, 1};
}

std::uint32_t Connection::room() const {
    if (state_ != State::established || finished_) return 0;
    const std::uint64_t end = std::min(una_ + settings_.window, edge_);
    return end <= nxt_ ? 0 : static_cast<std::uint32_t>(end - nxt_);
}

/// A peer tells of room when there is half of its window.
std::uint32_t Connection::worth_sending(std::uint64_t left) const {
    const std::uint64_t half = std::max<std::uint64_t>(std::min<std::uint64_t>(settings_.window, widest_) / 2, 1);
    return static_cast<std::uint32_t>(std::min({left, std::uint64_t{settings_.piece}, half}));
}

Range Connection::write(Cycle now, std::uint32_t bytes) {
    const Range range{nxt_, nxt_ + bytes};
    if (una_ == nxt_) start_timer(now);
    nxt_ = range.end;
    waits_ = false;
    return range;
}

Range Connection::finish(Cycle now) {
    if (state_ != State::established || finished_) return {};
    const Range range = write(now, 1);
    finished_ = true;
    return range;
}

void Connection::wait_for_room(Cycle now) {
    waits_ = true;
    if (deadline_ == kNever) start_timer(now);
}

/// From the first byte that is not acknowledged.
Range Connection::again() const { return {una_, std::min(nxt_, una_ + settings_.piece)}; }

Connection::News Connection::hear(Cycle now, const Segment& segment) {
    News news;
    if (state_ == State::dead) return news;
    if (segment.reset) {
        die();
        news.died = true;
        return news;
    }
    if (segment.syn) {
        if (next_ != 0) {  // it comes again
            if (state_ == State::syn_received) news.send = {0, 1};
            news.ack = true;
        } else {
            next_ = taken_ = advertised_ = 1;
            if (state_ == State::closed) {
                state_ = State::syn_received;
                rto_ = settings_.rto;
                nxt_ = 1;
                start_timer(now);
                news.send = {0, 1};
            }
        }
    }
    if (segment.ack) hear_ack(now, segment, news);
    if (state_ == State::established) hear_bytes(now, segment, news);
    return news;
}

void Connection::hear_ack(Cycle now, const Segment& segment, News& news) {
    if (segment.acknowledged > nxt_) return;
    if (segment.acknowledged > una_ || una_ == nxt_) tries_ = 0;  // what says nothing new answers a probe alone
    widest_ = std::max(widest_, segment.window);
    const std::uint64_t edge = segment.acknowledged + segment.window;
    if (segment.acknowledged > una_) {
        una_ = segment.acknowledged;
        duplicates_ = 0;
        rto_ = settings_.rto;
        deadline_ = kNever;
        if (una_ < nxt_ || waits_) start_timer(now);
        if (una_ < recover_) news.send = again();
        news.room = true;
    } else if (segment.acknowledged == una_ && segment.bytes == 0 && !segment.syn && !segment.fin && una_ < nxt_ &&
               edge == edge_ && ++duplicates_ == Settings::kDuplicates && una_ >= recover_) {
        recover_ = nxt_;
        news.send = again();
        start_timer(now);
    }
    if (edge > edge_) {
        edge_ = edge;
        news.room = true;
    }
    if (una_ == 0 || (state_ != State::syn_sent && state_ != State::syn_received)) return;
    news.connected = true;
    news.ack = state_ == State::syn_sent;
    state_ = State::established;
}

Range Connection::kept(std::uint64_t sequence, std::uint32_t bytes) const {
    const std::uint64_t begin = std::max(sequence, next_);
    const std::uint64_t end = std::min(sequence + bytes, taken_ + settings_.window);
    return begin < end ? Range{begin, end} : Range{begin, begin};
}

void Connection::hear_bytes(Cycle now, const Segment& segment, News& news) {
    if (segment.bytes == 0 && !segment.fin) {
        if (segment.sequence < next_ && !segment.syn) news.ack = true;  // it asks for the window
        return;
    }
    news.ack = true;
    Range range = kept(segment.sequence, segment.bytes);
    if (segment.fin && segment.sequence + segment.bytes >= next_ &&
        (range.end == segment.sequence + segment.bytes || segment.bytes == 0)) {
        fin_at_ = segment.sequence + segment.bytes;
        if (range.empty()) range.begin = *fin_at_;
        range.end = *fin_at_ + 1;
    }
    if (range.empty()) return;
    keep(range);
    const std::uint64_t before = next_;
    while (!early_.empty() && early_.front().begin <= next_) {
        next_ = std::max(next_, early_.front().end);
        early_.erase(early_.begin());
    }
    news.finished = fin_at_ && before <= *fin_at_ && next_ > *fin_at_;
    // In order, and not much: it may go with what the program answers.
    if (next_ > before && early_.empty() && !news.finished && next_ - told_ < 2 * std::uint64_t{settings_.segment}) {
        news.ack = false;
        ack_by_ = std::min(ack_by_, now + settings_.delay);
    }
    news.bytes = next_ - (news.finished ? 1 : 0) > before;
}

/// In their order, and none touches another.
void Connection::keep(Range range) {
    auto at = early_.begin();
    while (at != early_.end() && at->end < range.begin) ++at;
    while (at != early_.end() && at->begin <= range.end) {
        range = {std::min(range.begin, at->begin), std::max(range.end, at->end)};
        at = early_.erase(at);
    }
    early_.insert(at, range);
}

Connection::News Connection::expire(Cycle now) {
    News news;
    if (deadline_ > now) return news;
    if (++tries_ > Settings::kTries) {
        die();
        news.died = true;
        return news;
    }
    rto_ = rto_ * 2;
    deadline_ = kNever;
    if (una_ < nxt_) {
        recover_ = nxt_;
        duplicates_ = 0;
        news.send = again();
        start_timer(now);
    } else if (waits_) {
        news.probe = true;
        start_timer(now);
    }
    return news;
}

std::uint32_t Connection::readable() const {
    const std::uint64_t end = fin_at_ && next_ > *fin_at_ ? *fin_at_ : next_;
    return static_cast<std::uint32_t>(end - taken_);
}

bool Connection::take(std::uint32_t bytes) {
    taken_ += bytes;
    return taken_ + settings_.window - advertised_ >= settings_.window / 2;
}

std::uint64_t Connection::advertise() {
    const std::uint64_t most = taken_ + settings_.window;
    const std::uint64_t window = (most < next_ ? 0 : most - next_) >> kTcpWindowShift << kTcpWindowShift;
    advertised_ = std::max(advertised_, next_ + window);
    told_ = next_;
    ack_by_ = kNever;
    return window;
}

}  // namespace rnicsim::tcp
