// SPDX-License-Identifier: Apache-2.0
// Receive staging in Verilog, alone: a kept frame does not change, whatever is received after it.
#include "Vrx_staging.h"
#include "model/rtl/clocked.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

constexpr unsigned kHeader = 46;  // Ethernet and DRP
constexpr unsigned kLongestGood = 1514;

class Staging {
  public:
    /// The bytes of a frame as the MAC gives them, and later the verdict. Returns its slot.
    unsigned frame(unsigned bytes, bool wanted) {
        std::vector<std::uint8_t> payload;
        for (unsigned i = 0; i < bytes; ++i) {
            const auto byte = static_cast<std::uint8_t>(random_());
            if (i >= kHeader) payload.push_back(byte);
            rtl_->valid_i = 1;
            rtl_->first_i = i == 0;
            rtl_->data_i = byte;
            rtl_.tick();
        }
        rtl_->valid_i = 0;
        for (int i = 0; i < 4; ++i) rtl_.tick();
        const unsigned slot = rtl_->slot_o;
        CHECK_FALSE(kept_.contains(slot));
        if (wanted) {
            kept_[slot] = payload;
            rtl_->take_i = 1;
            rtl_.tick();
            rtl_->take_i = 0;
        }
        return slot;
    }
    void free(unsigned slot) {
        kept_.erase(slot);
        rtl_->free_i = 1U << slot;
        rtl_.tick();
        rtl_->free_i = 0;
    }
    /// The slots whose payload has changed.
    std::vector<unsigned> wrong() {
        std::vector<unsigned> slots;
        for (const auto& [slot, payload] : kept_) {
            bool same = true;
            for (unsigned i = 0; i < payload.size(); ++i) same &= byte(slot, i) == payload[i];
            if (!same) slots.push_back(slot);
        }
        return slots;
    }

  private:
    std::uint8_t byte(unsigned slot, unsigned at) {
        rtl_->read_slot_i = slot;
        rtl_->read_word_i = at / 8;
        rtl_.tick();
        return static_cast<std::uint8_t>(rtl_->read_data_o >> (8 * (at % 8)));
    }

    Clocked<Vrx_staging> rtl_{"rx_staging"};
    std::mt19937 random_{1};
    std::map<unsigned, std::vector<std::uint8_t>> kept_;
};

TEST_CASE("rx_staging: a frame that is longer than a slot leaves the next slot alone", "[cosim]") {
    Staging staging;
    for (unsigned i = 0; i < 6; ++i) staging.frame(kLongestGood - i, true);
    staging.free(3);
    staging.frame(60, true);  // into slot 6; the next one gets the one that is free again, before others in use
    for (const unsigned bytes : {1515U, 1582U, 1583U, 1584U, 1591U, 1600U, 2047U, 2048U, 2094U, 2095U, 3000U, 9018U}) {
        CAPTURE(bytes);
        CHECK(staging.frame(bytes, false) == 3);
        CHECK(staging.wrong().empty());
    }
    CHECK(staging.frame(kLongestGood, true) == 3);  // the bound is of the frame, not of the slot
    CHECK(staging.wrong().empty());
}

TEST_CASE("rx_staging: frames of all lengths, wanted or not, in all slots", "[cosim]") {
    Staging staging;
    std::mt19937 random(2);
    std::vector<unsigned> used;
    for (int i = 0; i < 200; ++i) {
        const bool wanted = random() % 4 != 0;
        const unsigned bytes = 60 + random() % (wanted ? kLongestGood - 59 : 2500);
        const unsigned slot = staging.frame(bytes, wanted);
        if (wanted) used.push_back(slot);
        while (used.size() > 28 || (!used.empty() && random() % 3 == 0)) {
            const auto which = used.begin() + static_cast<std::ptrdiff_t>(random() % used.size());
            staging.free(*which);
            used.erase(which);
        }
        if (i % 10 == 0) CHECK(staging.wrong().empty());
    }
    CHECK(staging.wrong().empty());
}

}  // namespace
}  // namespace rnicsim
