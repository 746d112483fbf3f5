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

std::size_t StreamMac::Wire::length() const { return sent - std::min(sent, std::size_t{kPreambleAndSfdBytes}); }

void StreamMac::watch(Wire& wire) {
    const Cycle cycle = tx_.now();
    const GmiiByte byte = tx_.cycle();
    if (byte.enable) {
        if (wire.sent == 0) wire.first = cycle;
        if (byte.error)
            check_.fault(cycle, "gmii tx_er",
                         "the frame is marked as damaged on its way out" +
                             std::string(judged_ ? "" : " (tvalid may have paused)"));
        if (wire.sent < kPreambleAndSfdBytes)
            check_.require(cycle, "gmii txd", byte.data, preamble(wire.sent), "seven bytes of preamble, then the SFD");
        else if (wire.length() < wire.bytes.size())
            wire.bytes[wire.length()] = byte.data;
        ++wire.sent;
    } else if (wire.sent != 0) {
        wire.end = cycle;
    }
}

MacEngine::Sent StreamMac::send(Frame& frame, Cycle now) {
    const Cycle ahead = tx_.idle_until(now);
    const Cycle begin = tx_.now();
    frame.seal();
    tx_.start(without_padding(frame), false, Time{});
    Watchdog watchdog(check_, "gmii tx_en",
                      "no frame comes, or it does not end: is the block in reset still, or disabled by an input?");
    Wire& wire = wires_[0];
    wire.sent = 0;
    wire.end = kNever;
    while (wire.end == kNever) {
        watchdog.tick(tx_.now());
        watch(wire);
    }
    if (!tx_.taken())
        check_.fault(wire.end, "tx", "the frame on the wire has ended, and tready has not taken all of it");
    if (check_.strict()) {
        look_at_gap(wire);
        look_at_sent(frame, wire);
    }
    // One that was offered before the gap had passed has waited for that, too.
    if (begin - left_ >= kInterpacketGap) {
        tx_report_.latencies.add(wire.first, "tx", (wire.first - begin).n, manifest_.in, check_, judged_);
    } else if (const Cycle late = wire.first - left_ - kInterpacketGap; check_.strict() && late.n > manifest_.in.most) {
        check_.fault(wire.first, "tx",
                     "this frame follows another, and comes " + std::to_string(late.n) +
                         " cycles after the gap, its manifest says at most " + std::to_string(manifest_.in.most));
    }
    left_ = wire.end;
    const std::size_t length = std::min(wire.length(), kFrameRoom);
    tx_report_.tell({kGmiiClock.time(begin), without_padding(frame), false, std::span(wire.bytes).first(length),
                     (wire.first - begin).n});
    frame.truncate(length);
    std::copy_n(wire.bytes.begin(), length, frame.writable_bytes().begin());
    // The next frame may be offered: the gap is the MAC's business. Not before the block's time, or that would get
    // further ahead with each frame, and the gap shorter in the run's.
    return {wire.end - ahead, tx_.now() + kLeastIdle - ahead};
}

void StreamMac::look_at_gap(const Wire& wire) const {
    if (wire.first - left_ >= kInterpacketGap) return;
    check_.fault(wire.first, "gmii tx_en",
                 "gap " + std::to_string((wire.first - left_).n) + " < " + std::to_string(kInterpacketGap.n) +
                     " cycles between two frames");
}

/// What was on the wire against what had to be.
void StreamMac::look_at_sent(const Frame& frame, const Wire& wire) const {
    const std::size_t length = wire.length();
    const std::span<const std::uint8_t> found(wire.bytes.data(), std::min(length, wire.bytes.size()));
    if (std::ranges::equal(found, frame.bytes())) return;
    std::string hint;
    if (length + kFcsBytes == frame.length()) hint = "; does it add the FCS?";
    if (length < kMinFrameBytes) hint = "; does it pad short frames to 64 bytes?";
    check_.fault(wire.end, "gmii txd", difference(found, frame.bytes()) + hint);
}

void StreamMac::try_two(std::array<Frame*, 2> out, std::array<const Frame*, 2> in) {
    tx_.idle_until(tx_.now());
    Watchdog watchdog(check_, "gmii tx_en", "the second of two frames does not end");
    for (Frame* const frame : out) frame->seal();
    tx_.start(without_padding(*out[0]), false, Time{});
    bool follows = false;
    for (std::size_t i = 0; i < 2; ++i) {
        Wire& wire = wires_[i];
        wire.sent = 0;
        wire.end = kNever;
        while (wire.end == kNever) {
            watchdog.tick(tx_.now());
            watch(wire);
            if (!follows && tx_.taken()) {
                tx_.follow(without_padding(*out[1]), Time{});
                follows = true;
            }
        }
        look_at_gap(wire);
        look_at_sent(*out[i], wire);
        left_ = wire.end;
    }

    rx_.idle_until(std::max(rx_.now(), arrived_ + kInterpacketGap));
    rx_.start();
    rx_.follow();
    for (const Frame* const frame : in) {
        while (frame != in[0] && rx_.now() < arrived_ + kInterpacketGap) rx_.cycle();
        for (std::size_t i = 0; i < kPreambleAndSfdBytes; ++i) rx_.cycle({preamble(i), true, false});
        for (const std::uint8_t byte : frame->bytes()) rx_.cycle({byte, true, false});
        arrived_ = rx_.now();
    }
    const Cycle until = arrived_ + rx_.patience(in[0]->length() + in[1]->length(), true);
    while (!rx_.second().ended && rx_.now() < until) rx_.cycle();
    came_out_ = rx_.output().ended;
    for (std::size_t i = 0; i < 2; ++i) {
        const StreamOutput& found = i == 0 ? rx_.output() : rx_.second();
        const std::span<const std::uint8_t> bytes(found.bytes.data(), std::min(found.length, found.bytes.size()));
        if (found.ended && !found.bad && std::ranges::equal(bytes, in[i]->without_fcs())) continue;
        check_.fault(rx_.now(), "rx",
                     std::string("of two frames with a gap of 12 the ") + (i == 0 ? "first" : "second") +
                         " does not come out as it was");
    }
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
        check_.fault(rx_.now(), "rx",
                     "a frame that was thought lost comes out later than its manifest says: more than " +
                         std::to_string(manifest_.out.most) + " cycles");
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
    const bool accepted = expected == Verdict::runt ? manifest_.accepts_runt
                                                    : expected == Verdict::oversize && manifest_.accepts_oversize;
    if (check_.strict() && error >= frame.length() && !accepted) look_at_received(frame, expected, last);
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
