// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/core_expectations.h"

#include "model/rtl/rtl_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

namespace rnicsim {
namespace {

std::string hex(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t kShown = 48;
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text = std::to_string(bytes.size()) + " bytes:";
    for (std::size_t i = 0; i < std::min(kShown, bytes.size()); ++i) {
        text += i % 4 == 0 ? " " : "";
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15U];
    }
    return text + (bytes.size() > kShown ? " ..." : "");
}

std::string text_of(DmaEngine::Direction direction, DmaSource source, std::span<const DmaEngine::Piece> pieces) {
    constexpr std::array kSources{"place", "fetch", "drain", "host"};
    std::string text = direction == DmaEngine::Direction::write ? "write" : "read";
    text.append(" (").append(kSources.at(static_cast<std::size_t>(source))).append(")");
    for (const DmaEngine::Piece& piece : pieces) {
        text += " " + std::to_string(piece.address) + "+" + std::to_string(piece.bytes) + " (" +
                std::to_string(piece.count.tlps) + " TLPs)";
    }
    return text;
}

std::string text_of(const Event& e) {
    return "code " + std::to_string(static_cast<int>(e.code)) + " status " + std::to_string(e.status) + " tid " +
           std::to_string(raw(e.tid)) + " length " + std::to_string(e.length) + " dba " + std::to_string(e.dba) +
           (e.read != 0 ? " read" : "") + (e.indirect != 0 ? " indirect" : "") + " generation " +
           std::to_string(raw(e.generation));
}

std::string at(Cycle cycle) { return " in cycle " + std::to_string(cycle.n); }

}  // namespace

void CoreExpectations::fault(Cycle now, const std::string& what) {
    throw RtlFault("rnic_core (Verilog)" + at(now) + ": " + what);
}

void CoreExpectations::frame(const Frame& frame, Cycle end) {
    frames_.push({frame.bytes().begin(), frame.bytes().end()}, end);
}

void CoreExpectations::request(Cycle first, DmaEngine::Direction direction, DmaSource source,
                               std::span<const DmaEngine::Piece> pieces) {
    requests_.push({direction, source, {pieces.begin(), pieces.end()}}, first);
}

void CoreExpectations::payload(std::span<const std::uint8_t> payload) {
    payloads_.push({payload.begin(), payload.end()}, {});
}

void CoreExpectations::ordinary(const Frame& frame, Cycle at) {
    const std::span<const std::uint8_t> bytes = frame.without_fcs();
    ordinary_.push({bytes.begin(), bytes.end()}, at);
}

void CoreExpectations::byte_sent(Cycle now, bool valid, std::uint8_t value) {
    if (valid) return sending_.push_back(value);
    if (sending_.empty()) return;
    const std::span<const std::uint8_t> sent =
        std::span(sending_).subspan(std::min(sending_.size(), std::size_t{kPreambleAndSfdBytes}));
    if (frames_.empty() || frames_.next_due() != now || !std::ranges::equal(frames_.front(), sent)) {
        fault(now, "a frame ends, " + hex(sent) +
                       "; the model's: " + (frames_.empty() ? "none" : hex(frames_.front()) + at(frames_.next_due())));
    }
    static_cast<void>(frames_.pop());
    sending_.clear();
}

void CoreExpectations::tlp(Cycle now, bool write, DmaSource source, std::uint64_t address, std::uint32_t bytes,
                           bool first, bool piece_last, bool last) {
    if (first) {
        request_.direction = write ? DmaEngine::Direction::write : DmaEngine::Direction::read;
        request_.source = source;
        request_.pieces.clear();
        request_first_ = now;
        piece_ = {};
    }
    if (piece_.count.tlps == 0) piece_.address = address;
    if (address != piece_.address + piece_.bytes) fault(now, "a TLP at another address than where the last one ended");
    piece_.bytes += bytes;
    ++piece_.count.tlps;
    if (piece_last) {
        request_.pieces.push_back(piece_);
        piece_ = {};
    }
    if (!last) return;
    const auto same = [](const DmaEngine::Piece& a, const DmaEngine::Piece& b) {
        return a.address == b.address && a.bytes == b.bytes && a.count.tlps == b.count.tlps;
    };
    if (requests_.empty() || requests_.next_due() != request_first_ ||
        requests_.front().direction != request_.direction || requests_.front().source != request_.source ||
        !std::ranges::equal(requests_.front().pieces, request_.pieces, same)) {
        fault(request_first_,
              "DMA " + text_of(request_.direction, request_.source, request_.pieces) + "; the model's: " +
                  (requests_.empty()
                       ? "none"
                       : text_of(requests_.front().direction, requests_.front().source, requests_.front().pieces) +
                             at(requests_.next_due())));
    }
    static_cast<void>(requests_.pop());
}

void CoreExpectations::word(Cycle now, std::uint64_t word, bool last) {
    for (unsigned i = 0; i < 8; ++i) moving_.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
    if (!last) return;
    if (payloads_.empty()) fault(now, "payload for the link that nobody sends, " + hex(moving_));
    const Bytes expected = payloads_.pop();
    if (expected.size() > moving_.size() || moving_.size() - expected.size() >= 8 ||
        !std::equal(expected.begin(), expected.end(), moving_.begin())) {
        fault(now, "payload " + hex(moving_) + "; the model's: " + hex(expected));
    }
    moving_.clear();
}

void CoreExpectations::byte_received(bool first, std::uint8_t value) {
    if (first) receiving_.clear();
    receiving_.push_back(value);
}

void CoreExpectations::ordinary_received(Cycle now) {
    if (ordinary_.empty() || ordinary_.next_due() != now || ordinary_.front() != receiving_) {
        fault(now, "an ordinary frame, " + hex(receiving_) + "; the model's: " +
                       (ordinary_.empty() ? "none" : hex(ordinary_.front()) + at(ordinary_.next_due())));
    }
    static_cast<void>(ordinary_.pop());
}

void CoreExpectations::event_seen(Cycle now, const Event& event) {
    const std::string found = text_of(event);
    if (events_.empty() || events_.next_due() != now || text_of(events_.front()) != found) {
        fault(now, "event " + found + "; the model's: " +
                       (events_.empty() ? "none" : text_of(events_.front()) + at(events_.next_due())));
    }
    static_cast<void>(events_.pop());
}

void CoreExpectations::dropped(Cycle now) {
    Inbox<Nothing>& dropped = damaged_.next_due() == now ? damaged_ : overruns_;
    if (dropped.next_due() != now) fault(now, "a received frame is dropped; the model takes it");
    static_cast<void>(dropped.pop());
}

void CoreExpectations::decision_seen(Cycle now, const Decided& decided) {
    if (decisions_.next_due() != now || decisions_.front() != decided) {
        const auto text = [](const Decided& d) {
            std::ostringstream out;
            out << "notes 0x" << std::hex << d.notes << std::dec << (d.responder ? " as responder" : " as initiator")
                << " of tid " << d.tid;
            return out.str();
        };
        fault(now, "a decision, " + text(decided) + "; the model's: " +
                       (decisions_.empty() ? "none" : text(decisions_.front()) + at(decisions_.next_due())));
    }
    static_cast<void>(decisions_.pop());
}

void CoreExpectations::nothing_before(Cycle now) {
    const Cycle dropped = std::min(overruns_.next_due(), damaged_.next_due());
    if (dropped < now) fault(now, "no frame is dropped; the model's" + at(dropped));
    if (decisions_.next_due() < now) fault(now, "no decision; the model's" + at(decisions_.next_due()));
    if (frames_.next_due() < now)
        fault(now, "no frame has ended; the model's: " + hex(frames_.front()) + at(frames_.next_due()));
    if (events_.next_due() < now)
        fault(now, "no event; the model's: " + text_of(events_.front()) + at(events_.next_due()));
    if (ordinary_.next_due() < now) fault(now, "no ordinary frame; the model's" + at(ordinary_.next_due()));
    if (requests_.next_due() < now && request_first_ != requests_.next_due()) {
        fault(now, "no DMA; the model's: " +
                       text_of(requests_.front().direction, requests_.front().source, requests_.front().pieces) +
                       at(requests_.next_due()));
    }
}

void CoreExpectations::nothing_left(Cycle now) {
    nothing_before(kNever);
    if (!payloads_.empty()) fault(now, "payload that the model sends is missing, " + hex(payloads_.front()));
}

}  // namespace rnicsim
