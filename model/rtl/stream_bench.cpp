// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/stream_bench.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

constexpr int kResetCycles = 16;  // for what synchronises its reset
constexpr Cycle kIdle{64};        // of idle time a block sees no more: longer than any gap that one keeps

std::string hex(std::uint64_t value) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[value % 16]);
        value /= 16;
    } while (value != 0);
    return "0x" + text;
}

}  // namespace

StreamBench::StreamBench(std::unique_ptr<StreamPins> pins, const StreamManifest& manifest, const BlockPlace& place,
                         const PortCheck& check)
    : pins_(std::move(pins)),
      manifest_(manifest),
      check_(check),
      clock_(manifest.period),
      stalls_(place.stalls.has_value()),
      random_(place.stalls.value_or(1)) {
    for (const bool on : {true, false}) {
        pins_->reset(on);
        for (int i = 0; i < kResetCycles; ++i) cycle();
    }
    start();
}

Cycle StreamBench::idle_until(Cycle begin) {
    // One in any case: what comes behind the end of a frame is seen there.
    const Cycle until = std::max(std::min(begin, now_ + kIdle), now_ + kLeastIdle);
    while (now_ < until) cycle();
    now_ = std::max(now_, begin);
    pins_->at(now_);
    return now_ - begin;
}

void StreamBench::start(std::span<const std::uint8_t> frame, bool bad, Time per_byte) {
    offer(frame, bad, per_byte);
    for (StreamOutput& output : outputs_) {
        output.length = 0;
        output.ended = output.bad = false;
    }
    filling_ = 0;
    wanted_ = 1;
}

void StreamBench::follow(std::span<const std::uint8_t> frame, Time per_byte) {
    offer(frame, false, per_byte);
    wanted_ = 2;
}

void StreamBench::offer(std::span<const std::uint8_t> frame, bool bad, Time per_byte) {
    frame_ = frame;
    bad_ = bad;
    next_ = 0;
    begin_ = clock_.time(now_);
    per_byte_ = per_byte;
}

Cycle StreamBench::patience(std::size_t bytes, bool expected) const {
    constexpr std::int64_t kLongest = 8192;  // five of the longest frames at a byte a cycle
    constexpr std::int64_t kPauses = 4;      // far more than one time in four adds
    if (expected) return Cycle{std::max(manifest_.out.most, kLongest)};
    const auto beats = static_cast<std::int64_t>(bytes / manifest_.out.bytes + 16);
    return Cycle{manifest_.out.most + (stalls_ ? kPauses * beats : 0)};
}

/// One time in four, where it may.
bool StreamBench::pauses(const StreamPromise& promise) { return stalls_ && promise.stalls && random_() % 4 == 0; }

Beat StreamBench::offered() {
    Beat beat;
    if (taken()) return beat;
    const std::size_t bytes = std::min(manifest_.in.bytes, frame_.size() - next_);
    const Time complete = begin_ + per_byte_ * static_cast<std::int64_t>(next_ + bytes - 1);
    if (!offering_ && (clock_.time(now_) < complete || pauses(manifest_.in))) return beat;
    offering_ = true;
    beat.valid = true;
    std::copy_n(frame_.begin() + static_cast<std::ptrdiff_t>(next_), bytes, beat.data.begin());
    beat.keep = bytes == kMostStreamBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
    beat.last = next_ + bytes == frame_.size();
    beat.bad = beat.last && bad_;
    return beat;
}

GmiiByte StreamBench::cycle(GmiiByte received) {
    const Beat in = offered();
    const bool ready = !pauses(manifest_.out);
    pins_->drive(in, ready);
    pins_->drive(received);
    pins_->settle();
    if (in.valid && pins_->in_ready()) {
        next_ += std::min(manifest_.in.bytes, frame_.size() - next_);
        offering_ = false;
        taken_at_ = now_;
    }
    const Beat out = pins_->out();
    if (check_.strict() && waiting_.valid &&
        (!out.valid || out.data != waiting_.data || out.keep != waiting_.keep || out.last != waiting_.last ||
         out.bad != waiting_.bad)) {
        check_.fault(now_, "out", "a beat that was not taken is gone or another; AXI-Stream: it stays until tready");
    }
    waiting_ = ready ? Beat{} : out;
    if (out.valid && ready) take(out);
    const GmiiByte sent = pins_->sent();
    pins_->tick();
    now_ += Cycle{1};
    return sent;
}

void StreamBench::take(const Beat& beat) {
    const std::size_t bytes = static_cast<std::size_t>(std::popcount(beat.keep));
    const std::uint64_t whole =
        manifest_.out.bytes == kMostStreamBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << manifest_.out.bytes) - 1;
    if (beat.keep != whole && (!beat.last || beat.keep == 0 || (beat.keep & (beat.keep + 1)) != 0)) {
        check_.fault(now_, "tkeep", "is " + hex(beat.keep) + ", expected all bytes, or the first ones with tlast");
    }
    if (filling_ == wanted_) check_.fault(now_, "tvalid", "something comes after the end of the frame");
    StreamOutput& output = outputs_[filling_];
    if (output.length < output.bytes.size()) {
        std::copy_n(beat.data.begin(), std::min(bytes, output.bytes.size() - output.length),
                    output.bytes.begin() + static_cast<std::ptrdiff_t>(output.length));
    }
    output.length += bytes;
    output.end = now_;
    if (!beat.last) return;
    output.ended = true;
    output.bad = beat.bad;
    ++filling_;
}

}  // namespace rnicsim
