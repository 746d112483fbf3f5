// SPDX-License-Identifier: Apache-2.0
// The payload mover in Verilog, alone, between memories of words, the DMA engine and the link: all payload arrives, in
// order and in time, under what rnic_core guarantees and no more.
#pragma once

#include "Vpayload_mover.h"
#include "model/rtl/clocked.h"
#include "tlm/pcie/tlp_count.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <vector>

namespace rnicsim::mover {

using Words = std::vector<std::uint64_t>;

inline constexpr unsigned kStagingSlots = 32;
inline constexpr unsigned kMostPlaced = 28;
inline constexpr unsigned kBufferSlots = 64;
inline constexpr unsigned kSlotWords = 192;
inline constexpr unsigned kMost = 1472;         // bytes
inline constexpr std::size_t kReach = 256;      // of eight bits that name a word
inline constexpr std::int64_t kNextCopy = 76;   // the shortest frame takes 84 cycles, the one before may have waited 8
inline constexpr std::int64_t kOnWire = 62;     // beside its payload; likewise without 8
inline constexpr unsigned kShortest = 14;       // payload of the shortest frame, at most
inline constexpr std::int64_t kKeptBefore = 9;  // the decision to drain, and the request's way
inline constexpr unsigned kHeader = kTlpHeader3dw + kTlpLinkBytes;
inline constexpr unsigned kLinkRate = 4;  // bytes a cycle

inline std::size_t words_of(unsigned bytes) { return (bytes + 7) / 8; }
/// Compares payload only, not the bytes behind it.
inline bool same(std::uint64_t a, std::uint64_t b, std::size_t word, unsigned bytes) {
    const std::size_t left = bytes - 8 * word;
    return ((a ^ b) << (left < 8 ? 64 - 8 * left : 0)) == 0;
}

struct Frame {
    Words words;
    unsigned bytes = 0;
};

struct Pace {
    std::int64_t overhead = 2;    // of the engine
    unsigned tlp = 4096;          // bytes
    bool pieces_at_once = false;  // rather than in the cycles in which the engine asks for them
    unsigned slowness = 1;        // of the link
    unsigned stalls = 0;          // of the link, so many in 64 TLPs
};

/// The mover, and around it what rnic_core has there:
/// - memories, with a word one cycle after its address; freed words are overwritten at once
/// - frames to be copied, no closer to each other and no longer than the wire brings them
/// - the DMA engine, which names pieces, of slots that have been kept, and begins a write with its first TLP
/// - the link, which carries no TLP faster than the fastest link could
class Bench {
  public:
    explicit Bench(std::uint32_t seed, Pace pace = {}) : random(seed), pace_(pace) {
        for (Words& words : staging_) fill(words);
        for (Words& words : buffer_) fill(words);
    }

    std::mt19937_64 random;

    unsigned pick(std::size_t from, std::size_t to) { return static_cast<unsigned>(from + random() % (to - from + 1)); }
    bool chance(unsigned of_64) { return random() % 64 < of_64; }

    // Actions, from this cycle on.
    [[nodiscard]] bool place_possible() const { return placed_ < kMostPlaced; }
    void place(unsigned bytes) {
        ++placed_;
        Request request;
        request.slot = stage();
        request.frames.push_back({staging_[request.slot], bytes});
        requests_.push_back(std::move(request));
    }
    [[nodiscard]] std::int64_t next_copy(unsigned bytes) const {
        return std::max(copied_at_ + std::max(kNextCopy, static_cast<std::int64_t>(bytes) + kOnWire), now_);
    }
    [[nodiscard]] bool keep_possible() const { return !std::ranges::all_of(kept_, &Kept::used); }
    /// Its slot of the buffer: the lowest free one.
    unsigned copy(unsigned bytes) {
        hold(now_ >= next_copy(bytes) && !copy_now_, "the test copies too early");
        const auto free = std::ranges::find(kept_, false, &Kept::used);
        const auto to = static_cast<unsigned>(free - kept_.begin());
        const unsigned from = stage();
        const auto words = static_cast<std::int64_t>(words_of(bytes));
        for (Copy& other : copies_) other.due += 2 * words + 2;
        copies_.push_back(
            {{staging_[from], bytes}, from, to, std::vector<bool>(words_of(bytes)), now_ + 2 * words + 2});
        *free = {true, false, {staging_[from], bytes}, now_};
        copied_at_ = now_;
        copy_now_ = true;
        return to;
    }
    /// Slots that are kept and not being drained.
    [[nodiscard]] std::vector<unsigned> kept() const {
        std::vector<unsigned> slots;
        for (unsigned i = 0; i < kBufferSlots; ++i) {
            if (kept_[i].used && !kept_[i].draining) slots.push_back(i);
        }
        return slots;
    }
    void drain(const std::vector<unsigned>& slots) {
        Request request;
        request.drain = true;
        request.slot = pick(0, 0xFFFF);  // TID
        request.slots = slots;
        for (const unsigned slot : slots) {
            kept_[slot].draining = true;
            request.frames.push_back(kept_[slot].frame);
        }
        requests_.push_back(std::move(request));
    }
    /// Its copy may still be in progress.
    void drop(unsigned slot) { kept_[slot].used = false; }

    void run(std::int64_t cycles) {
        for (; cycles > 0; --cycles) cycle();
    }
    void run_until(std::int64_t at) { run(at - now_); }
    /// Runs until everything has ended, and compares what is kept with what was received.
    void finish() {
        constexpr std::int64_t kLongest = 500'000;
        for (std::int64_t left = kLongest; in_hand() || !requests_.empty(); --left) {
            hold(left > 0, "it does not come to an end");
            cycle();
        }
        run(2);
        mover_.settle();
        hold(mover_->idle_o != 0, "not idle at the end");
        run(20);  // nothing comes by itself
        for (unsigned slot = 0; slot < kBufferSlots; ++slot) {
            if (!kept_[slot].used) continue;
            const Frame& frame = kept_[slot].frame;
            for (std::size_t i = 0; i < words_of(frame.bytes); ++i) {
                hold(same(buffer_[slot][i], frame.words[i], i, frame.bytes), "what is kept has changed");
            }
        }
        CHECK(mover_->idle_o == 1);
    }
    [[nodiscard]] std::int64_t now() const { return now_; }

  private:
    struct Request {
        bool drain = false;
        unsigned slot = 0;            // of staging; TID of a drain
        std::vector<unsigned> slots;  // of the buffer
        std::vector<Frame> frames;
    };
    struct Write {
        Request request;
        std::size_t frames_moved = 0, words_moved = 0;
        bool on_link = false;  // all of it; its last byte leaves before `left`
        std::int64_t left = 0;
    };
    struct Copy {
        Frame frame;
        unsigned from = 0, to = 0;
        std::vector<bool> written;
        std::int64_t due = 0;  // if it gets every other cycle, and so do those that go first
        bool reported = false;
    };
    struct Kept {
        bool used = false, draining = false;
        Frame frame;
        std::int64_t at = 0;
    };

    void hold(bool so, const char* what) const {
        if (!so) FAIL("cycle " << now_ << ": " << what);
    }
    void fill(Words& words) {
        words.resize(kReach);
        for (std::size_t i = 0; i < kSlotWords; ++i) words[i] = random();
    }
    /// A free slot, with something new in it.
    unsigned stage() {
        unsigned slot = pick(0, kStagingSlots - 1);
        while (staged_[slot]) slot = (slot + 1) % kStagingSlots;
        staged_[slot] = true;
        fill(staging_[slot]);
        return slot;
    }
    [[nodiscard]] bool in_hand() const { return !copies_.empty() || !writes_.empty() || engine_busy_; }
    bool may_begin(const Request& request) const {
        return std::ranges::all_of(request.slots, [&](unsigned slot) { return now_ >= kept_[slot].at + kKeptBefore; });
    }

    void cycle() {
        const bool idle_would_lie = copies_.size() > std::size_t{copy_now_} || !writes_.empty() || pieces_named_ != 0;
        drive();
        mover_.settle();
        hold(mover_->idle_o == 0 || !idle_would_lie, "idle with something in hand");
        look();
        for (const Copy& copy : copies_) hold(copy.reported || now_ < copy.due, "a copy takes too long");
        // The memories: what is written in a cycle is not read in it.
        const std::uint64_t staged = staging_[mover_->staging_slot_o][mover_->staging_word_o];
        const std::uint64_t buffered = buffer_[mover_->buffer_slot_o][mover_->buffer_word_o];
        if (mover_->buffer_write_o != 0) {
            buffer_[mover_->buffer_write_slot_o][mover_->buffer_write_word_o] = mover_->buffer_data_o;
        }
        for (const unsigned slot : freed_) fill(staging_[slot]);
        freed_.clear();
        mover_.tick();
        mover_->staging_data_i = staged;
        mover_->buffer_data_i = buffered;
        copy_now_ = false;
        ++now_;
    }

    /// Inputs of this cycle. Unused ones are random.
    void drive() {
        mover_->copy_i = copy_now_;
        mover_->copy_slot_i = copy_now_ ? copies_.back().from : noise(5);
        mover_->copy_to_i = copy_now_ ? copies_.back().to : noise(6);
        mover_->copy_bytes_i = copy_now_ ? copies_.back().frame.bytes : noise(11);
        const bool takes = !engine_busy_ && !requests_.empty() && may_begin(requests_.front());
        if (takes) {
            engine_busy_ = true;
            first_tlp_ = now_ + pace_.overhead;
            frame_on_link_ = 0;
            bytes_on_link_ = 0;
            pieces_named_ = 0;
        }
        drive_piece(takes);
        drive_write();
        const bool leaves = !writes_.empty() && writes_.front().on_link && now_ >= writes_.front().left;
        mover_->left_i = leaves;
    }
    void drive_piece(bool takes) {
        const bool tlp_ends = engine_busy_ && !takes && now_ >= first_tlp_ && tlp() == frame_left();
        const std::size_t wanted = takes ? 1 : pace_.pieces_at_once ? kBufferSlots : frame_on_link_ + tlp_ends + 2;
        mover_->piece_i = 0;
        mover_->piece_slot_i = noise(6);
        mover_->piece_bytes_i = noise(11);
        mover_->piece_last_i = noise(1);
        if (!engine_busy_) return;
        const Request& request = now_ > first_tlp_ ? writes_.back().request : requests_.front();
        if (!request.drain || pieces_named_ >= std::min(wanted, request.slots.size())) return;
        mover_->piece_i = 1;
        mover_->piece_slot_i = request.slots[pieces_named_];
        mover_->piece_bytes_i = request.frames[pieces_named_].bytes;
        mover_->piece_last_i = ++pieces_named_ == request.slots.size();
    }
    void drive_write() {
        mover_->write_i = 0;
        mover_->write_drain_i = noise(1);
        mover_->write_slot_i = noise(5);
        mover_->write_bytes_i = noise(11);
        mover_->write_tid_i = noise(16);
        if (!engine_busy_ || now_ < first_tlp_) return;
        const unsigned bytes = tlp();
        const bool frame_ends = bytes == frame_left();
        if (now_ == first_tlp_) {
            writes_.push_back({std::move(requests_.front())});
            requests_.pop_front();
            const Request& request = writes_.back().request;
            mover_->write_i = 1;
            mover_->write_drain_i = request.drain;
            if (request.drain) {
                mover_->write_tid_i = request.slot;
            } else {
                mover_->write_slot_i = request.slot;
                mover_->write_bytes_i = request.frames[0].bytes;
            }
        }
        // Onto the link.
        link_ = std::max(link_, now_ * kLinkRate) + pace_.slowness * (kHeader + (bytes + 3) / 4 * 4);
        if (chance(pace_.stalls)) link_ += pick(0, 4000);
        bytes_on_link_ += bytes;
        if (!frame_ends) return;
        bytes_on_link_ = 0;
        if (++frame_on_link_ < writes_.back().request.frames.size()) return;
        writes_.back().on_link = true;
        writes_.back().left = (link_ + kLinkRate - 1) / kLinkRate;
        ending_ = true;
    }
    std::uint64_t noise(unsigned bits) { return random() & ((1U << bits) - 1); }
    const Frame& frame_of_tlp() const {
        return (now_ > first_tlp_ ? writes_.back().request : requests_.front()).frames[frame_on_link_];
    }
    unsigned frame_left() const { return frame_of_tlp().bytes - bytes_on_link_; }
    unsigned tlp() const { return std::min(frame_left(), pace_.tlp); }

    /// Outputs of this cycle.
    void look() {
        if (mover_->left_i != 0) leave();
        hold(mover_->left_i != 0 || (mover_->left_staging_o == 0 && mover_->left_buffer_o == 0), "nothing has left");
        if (mover_->payload_valid_o != 0) payload();
        look_at_copies();
        if (ending_) {
            engine_busy_ = false;
            pieces_named_ = 0;
            ending_ = false;
        }
    }
    void leave() {
        const Write& write = writes_.front();
        hold(write.frames_moved == write.request.frames.size(), "a write has left before its payload had come");
        hold((mover_->left_buffer_o != 0) == write.request.drain, "what has left: a drain");
        hold((mover_->left_staging_o != 0) != write.request.drain, "what has left: a frame");
        if (write.request.drain) {
            hold(mover_->left_tid_o == write.request.slot, "the TID of what has left");
            for (const unsigned slot : write.request.slots) kept_[slot].used = false;
            for (const unsigned slot : write.request.slots) fill(buffer_[slot]);
        } else {
            hold(mover_->left_slot_o == write.request.slot, "the slot of what has left");
            free(write.request.slot);
            --placed_;
        }
        writes_.pop_front();
    }
    void free(unsigned slot) {
        staged_[slot] = false;
        freed_.push_back(slot);
    }
    void payload() {
        const auto write =
            std::ranges::find_if(writes_, [](const Write& w) { return w.frames_moved != w.request.frames.size(); });
        hold(write != writes_.end(), "payload of nothing");
        const Frame& frame = write->request.frames[write->frames_moved];
        const std::size_t word = write->words_moved++;
        const bool last = write->words_moved == words_of(frame.bytes);
        hold(same(mover_->payload_o, frame.words[word], word, frame.bytes), "payload");
        hold((mover_->payload_last_o != 0) == last, "the last word of a frame");
        if (!last) return;
        write->words_moved = 0;
        ++write->frames_moved;
    }
    void look_at_copies() {
        if (mover_->buffer_write_o != 0) {
            const std::size_t word = mover_->buffer_write_word_o;
            const auto copy = std::ranges::find_if(copies_, [&](const Copy& c) {
                return c.to == mover_->buffer_write_slot_o && word < c.written.size() && !c.written[word] &&
                       same(mover_->buffer_data_o, c.frame.words[word], word, c.frame.bytes);
            });
            hold(copy != copies_.end(), "what is written into the buffer is nobody's");
            copy->written[word] = true;
        }
        // The last word is written a cycle after the copy has been reported.
        std::erase_if(copies_, [&](const Copy& copy) {
            if (!copy.reported) return false;
            hold(std::ranges::all_of(copy.written, [](bool written) { return written; }), "a copy is not whole");
            return true;
        });
        if (mover_->copied_o == 0) return;
        const auto copy = std::ranges::find(copies_, mover_->copied_slot_o, &Copy::from);
        hold(copy != copies_.end() && !copy->reported, "a copy is reported that is not being made");
        copy->reported = true;
        free(copy->from);
    }

    Clocked<Vpayload_mover> mover_{"payload_mover"};
    Pace pace_;
    std::array<Words, kStagingSlots> staging_;
    std::array<bool, kStagingSlots> staged_{};
    std::vector<unsigned> freed_;
    std::array<Words, kBufferSlots> buffer_;
    std::array<Kept, kBufferSlots> kept_{};
    std::deque<Copy> copies_;
    std::deque<Request> requests_;
    std::deque<Write> writes_;  // on the link or before it
    unsigned placed_ = 0;
    bool copy_now_ = false;
    std::int64_t copied_at_ = -10'000;
    // The engine: the last request taken, and how far its TLPs are
    bool engine_busy_ = false, ending_ = false;
    std::int64_t first_tlp_ = 0;
    std::size_t frame_on_link_ = 0, pieces_named_ = 0;
    unsigned bytes_on_link_ = 0;
    std::int64_t link_ = 0;  // free from there on, in bytes
    std::int64_t now_ = 1;
};

/// The longest frame that may be copied so many cycles after another one.
inline unsigned longest(std::int64_t after) {
    return static_cast<unsigned>(std::clamp<std::int64_t>(after - kOnWire, kShortest, kMost));
}

}  // namespace rnicsim::mover
