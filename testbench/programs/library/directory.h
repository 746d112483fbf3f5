// SPDX-License-Identifier: Apache-2.0
// Objects by a number of 24 bits, as QPNs are. Lookups cost two loads; whoever uses it holds a lock.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

namespace rnicsim::programs {

template <class Object>
class Directory {
  public:
    ~Directory() {
        for (Page* page : pages_) std::free(page);
    }

    /// False: there is no memory, or the number is no number of 24 bits.
    bool put(std::uint32_t number, Object* object) {
        if (number >= kNumbers) return false;
        Page*& page = pages_[number / kPage];
        if (page == nullptr) page = static_cast<Page*>(std::calloc(1, sizeof(Page)));
        if (page == nullptr) return false;
        page->objects[number % kPage] = object;
        return true;
    }

    /// Null: there is none.
    [[nodiscard]] Object* find(std::uint64_t number) const {
        const Page* const page = number < kNumbers ? pages_[number / kPage] : nullptr;
        return page == nullptr ? nullptr : page->objects[number % kPage];
    }

    void remove(std::uint32_t number) {
        if (find(number) != nullptr) pages_[number / kPage]->objects[number % kPage] = nullptr;
    }

    /// Gives the object the next number that is free, from 1 on: what was is not soon mistaken for what is. 0: no
    /// memory.
    std::uint32_t number(Object* object) {
        do { last_ = last_ + 1 < kNumbers ? last_ + 1 : 1; } while (find(last_) != nullptr);
        return put(last_, object) ? last_ : 0;
    }

  private:
    static constexpr std::uint32_t kPage = 4096;
    static constexpr std::uint32_t kNumbers = kPage * kPage;
    struct Page {
        Object* objects[kPage];
    };
    std::array<Page*, kPage> pages_{};
    std::uint32_t last_ = 0;
};

}  // namespace rnicsim::programs
