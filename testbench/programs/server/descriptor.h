// SPDX-License-Identifier: Apache-2.0
// A file descriptor that is closed when nobody has it any more.
#pragma once

#include <unistd.h>

#include <utility>

namespace rnicsim::programs {

class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int get() const { return number_; }

  private:
    int number_;
};

}  // namespace rnicsim::programs
