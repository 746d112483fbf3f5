// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/stream_mac.h"

#include "model/rtl/mac_frames.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

constexpr Cycle kInterpacketGap{12};  // IEEE 802.3 clause 4.4.2
const char* word(MacEngine::Verdict verdict) {
    switch (verdict) {
        case MacEngine::Verdict::runt: return "is a runt";
        case MacEngine::Verdict::oversize: return "is too long";
        case MacEngine::Verdict::bad_fcs: return "has a bad FCS";
        case MacEngine::Verdict::good: break;
    }
    return "is good";
}

/// Where the two differ first, in words.
std::string difference(std::span<const std::uint8_t> found, std::span<const std::uint8_t> expected) {
    const auto [at, of] = std::ranges::mismatch(found, expected);
    if (at == found.end() || of == expected.end())
        return "the frame has " + std::to_string(found.size()) + " bytes, expected " + std::to_string(expected.size());
    return "byte " + std::to_string(at - found.begin()) + " of the frame is " + std::to_string(*at) + ", expected " +
           std::to_string(*of);
}

}  // namespace

StreamMac::StreamMac(std::unique_ptr<StreamPins> tx, std::unique_ptr<StreamPins> rx, StreamManifest manifest,
                     const BlockPlace& place)
    : manifest_(std::move(manifest)),
      check_("gmac", manifest_.name, place),
      judged_(!place.stalls),
      tx_(std::move(tx), manifest_, place, check_),
      rx_(std::move(rx), manifest_, place, check_),
      tx_report_(place.reports != nullptr ? place.reports->of(place.end, "gmac.tx") : own_[0]),
      rx_report_(place.reports != nullptr ? place.reports->of(place.end, "gmac.rx") : own_[1]) {}

MacEngine::Sent StreamMac::send(Frame& frame, Cycle now) {
    const Cycle ahead = tx_.idle_until(now);
    const Cycle begin = tx_.now();
    frame.seal();
    tx_.start(without_padding(frame), false, Time{});
    Watchdog watchdog(check_, "gmii tx_en", "a frame does not end");
    Cycle first{};
    Cycle end = kNever;
    sent_ = 0;
    while (end == kNever) {
        const Cycle cycle = tx_.now();
        const GmiiByte byte = tx_.cycle();
        watchdog.tick(cycle);
        if (byte.enable) {
            if (sent_ == 0) first = cycle;
            if (byte.error) check_.fault(cycle, "gmii tx_er", "the frame is marked as damaged on its way out");
            if (sent_ < kPreambleAndSfdBytes)
                check_.require(cycle, "gmii txd", byte.data, preamble(sent_), "seven bytes of preamble, then the SFD");
            else if (sent_ - kPreambleAndSfdBytes < wire_.size())
                wire_[sent_ - kPreambleAndSfdBytes] = byte.data;
            ++sent_;
        } else if (sent_ != 0) {
            end = cycle;
        }
    }
    if (!tx_.taken()) check_.fault(end, "tx", "the frame on the wire has ended, and tready has not taken all of it");
    if (check_.strict() && first - left_ < kInterpacketGap) {
        check_.fault(first, "gmii tx_en",
                     "gap " + std::to_string((first - left_).n) + " < " + std::to_string(kInterpacketGap.n) +
                         " cycles between two frames");
    }
    if (check_.strict()) look_at_sent(frame, end);
    // One that was offered before the gap had passed has waited for that, too.
    if (begin - left_ >= kInterpacketGap) {
        tx_report_.latencies.add(first, "tx", (first - begin).n, manifest_.in, check_, judged_);
    } else if (const Cycle late = first - left_ - kInterpacketGap; check_.strict() && late.n > manifest_.in.most) {
        check_.fault(first, "tx",
                     "this frame follows another, and comes " + std::to_string(late.n) +
                         " cycles after the gap, its manifest says at most " + std::to_string(manifest_.in.most));
    }
    left_ = end;
    const std::size_t length = std::min(sent_ - std::min(sent_, std::size_t{kPreambleAndSfdBytes}), kFrameRoom);
    tx_report_.tell(
        {kGmiiClock.time(begin), without_padding(frame), false, std::span(wire_).first(length), (first - begin).n});
    frame.truncate(length);
    std::copy_n(wire_.begin(), length, frame.writable_bytes().begin());
    return {end - ahead, end - ahead};  // the next frame may be offered: the gap is the MAC's business
}

/// What was on the wire against what had to be.
void StreamMac::look_at_sent(const Frame& frame, Cycle end) const {
    const std::size_t length = sent_ - std::min(sent_, std::size_t{kPreambleAndSfdBytes});
    const std::span<const std::uint8_t> found(wire_.data(), std::min(length, wire_.size()));
    if (std::ranges::equal(found, frame.bytes())) return;
    std::string hint;
    if (length + kFcsBytes == frame.length()) hint = "; does it add the FCS?";
    if (length < kMinFrameBytes) hint = "; does it pad short frames to 64 bytes?";
    check_.fault(end, "gmii txd", difference(found, frame.bytes()) + hint);
}

void StreamMac::try_error(Frame& frame, Cycle due, std::size_t at) {
    if (take(frame, due, at).verdict == Verdict::good)
        check_.fault(rx_.output().end, "rx tuser",
                     "is 0 with tlast: it takes a frame with gmii rx_er; expected 1, or no frame");
}

MacEngine::Received StreamMac::take(Frame& frame, Cycle due, std::size_t error) {
    const Cycle begin = due - serialisation(frame.length());
    rx_.idle_until(std::max(begin, arrived_ + kInterpacketGap));
    const Cycle ahead = rx_.now() - begin;
    const Verdict expected = error < frame.length() ? Verdict::bad_fcs : verdict_of(frame);
    if (check_.strict() && rx_.output().ended != came_out_)
        check_.fault(rx_.now(), "rx", "a damaged frame comes out later than its manifest says");
    rx_.start();
    for (std::size_t i = 0; i < kPreambleAndSfdBytes; ++i) rx_.cycle({preamble(i), true, false});
    const Cycle last = rx_.now() + Cycle{static_cast<std::int64_t>(frame.length()) - 1};
    for (std::size_t i = 0; i < frame.length(); ++i) rx_.cycle({std::as_const(frame).bytes()[i], true, i == error});
    arrived_ = last + Cycle{1};
    // A damaged frame may vanish; a good one is waited for, beyond what is promised.
    const Cycle patience = rx_.patience(frame.length(), expected == Verdict::good);
    while (!rx_.output().ended && rx_.now() <= last + patience) rx_.cycle();
    const StreamOutput& out = rx_.output();
    came_out_ = out.ended;
    if (check_.strict() && error >= frame.length()) look_at_received(frame, expected, last);
    const bool passed = out.ended && !out.bad;
    const std::size_t length = std::min(out.length, kFrameRoom - kFcsBytes);
    rx_report_.tell({kGmiiClock.time(last), std::as_const(frame).bytes(), false,
                     std::span(out.bytes).first(passed ? length : 0), passed ? (out.end - last).n : 0});
    if (!passed) return {expected == Verdict::good ? Verdict::bad_fcs : expected, due};
    rx_report_.latencies.add(out.end, "rx", (out.end - last).n, manifest_.out, check_, judged_);
    frame.truncate(length + kFcsBytes);
    std::copy_n(out.bytes.begin(), length, frame.writable_bytes().begin());
    received_ = std::max({due, out.end - ahead, received_ + Cycle{1}});
    return {Verdict::good, received_};
}

void StreamMac::look_at_received(const Frame& frame, Verdict expected, Cycle last) const {
    const StreamOutput& out = rx_.output();
    if (expected != Verdict::good) {
        if (out.ended && !out.bad) {
            check_.fault(
                out.end, "rx tuser",
                std::string("is 0 with tlast: it takes a frame that ") + word(expected) + "; expected 1, or no frame");
        }
        return;
    }
    if (!out.ended) check_.fault(last, "rx", "a good frame does not come out");
    if (out.bad) check_.fault(out.end, "rx tuser", "is 1 with tlast: it refuses a good frame");
    const std::span<const std::uint8_t> found(out.bytes.data(), std::min(out.length, out.bytes.size()));
    if (std::ranges::equal(found, frame.without_fcs())) return;
    check_.fault(
        out.end, "rx tdata",
        difference(found, frame.without_fcs()) + (out.length == frame.length() ? "; does it keep the FCS?" : ""));
}

}  // namespace rnicsim
