// SPDX-License-Identifier: Apache-2.0
// The records of one kind of a run, in their order: as many as the traffic asks for, in memory or in a file.
#pragma once

#include "testbench/records/record_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace rnicsim {

template <typename Record>
class Records {
    static_assert(std::is_trivially_copyable_v<Record>, "a file holds its bytes");

  public:
    using value_type = Record;

    Records() = default;
    /// So many of 0 bytes each, in memory; in a new file, if one is named.
    explicit Records(std::size_t count, const std::filesystem::path& file = {})
        : memory_(file.empty() ? RecordMemory(count * sizeof(Record)) : RecordMemory(count * sizeof(Record), file)),
          size_(count) {}
    Records(std::initializer_list<Record> records) : Records(records.size()) { std::ranges::copy(records, begin()); }
    /// Of a file, to be read. Throws std::system_error, and std::length_error if it does not hold whole records.
    static Records of(const std::filesystem::path& file) {
        Records read;
        read.memory_ = RecordMemory::of(file);
        if (read.memory_.bytes() % sizeof(Record) != 0) throw std::length_error(file.string() + ": is cut");
        read.size_ = read.memory_.bytes() / sizeof(Record);
        return read;
    }
    /// In memory, whatever the other one is.
    Records(const Records& other) : Records(other.size_) { std::ranges::copy(other, begin()); }
    Records& operator=(const Records& other) {
        if (this != &other) *this = Records(other);
        return *this;
    }
    Records(Records&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
    Records& operator=(Records&& other) noexcept {
        memory_ = std::move(other.memory_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    ~Records() = default;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] Record* begin() { return static_cast<Record*>(memory_.data()); }
    [[nodiscard]] Record* end() { return begin() + size_; }
    [[nodiscard]] const Record* begin() const { return static_cast<const Record*>(memory_.data()); }
    [[nodiscard]] const Record* end() const { return begin() + size_; }
    [[nodiscard]] Record& operator[](std::size_t i) { return begin()[i]; }
    [[nodiscard]] const Record& operator[](std::size_t i) const { return begin()[i]; }
    [[nodiscard]] const Record& at(std::size_t i) const {
        if (i >= size_) throw std::out_of_range("no such record");
        return begin()[i];
    }
    [[nodiscard]] Record& at(std::size_t i) { return const_cast<Record&>(std::as_const(*this).at(i)); }
    [[nodiscard]] const Record& front() const { return at(0); }
    [[nodiscard]] const Record& back() const { return at(size_ - 1); }
    [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(begin(), size_)); }

    /// One more, in memory.
    void push_back(const Record& record) {
        if (memory_.bytes() < (size_ + 1) * sizeof(Record) || !memory_.file().empty()) {
            Records more(std::max<std::size_t>(2 * size_, 16));
            std::ranges::copy(*this, more.begin());
            memory_ = std::move(more.memory_);
        }
        begin()[size_++] = record;
    }

    /// Calls `visit` for each in turn, and has no more than some of them in memory at a time if they are in a file.
    template <typename Visit>
    void each(const Visit& visit) const {
        constexpr std::size_t kAtOnce = 1U << 16U;
        for (std::size_t i = 0; i < size_; ++i) {
            visit((*this)[i]);
            if ((i + 1) % kAtOnce == 0) memory_.rest();
        }
    }

    [[nodiscard]] const std::filesystem::path& file() const { return memory_.file(); }
    /// What has been touched need not stay in memory, if it is in a file.
    void rest() const { memory_.rest(); }

  private:
    RecordMemory memory_;
    std::size_t size_ = 0;
};

}  // namespace rnicsim
