// SPDX-License-Identifier: Apache-2.0
// TCP between both processes: they say there which QPs they have, and their protocols what they say by a stream.
#pragma once

#include "testbench/programs/apps/card.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim::apps {

struct Hello {
    std::uint64_t settings = 0;  ///< both sides have to have the same
    Address address;
};

class Sockets {
  public:
    /// Waits for so many connections at a port of this machine. Throws Unusable.
    static Sockets listen(std::uint16_t port, std::uint32_t count);
    /// `address`: in numbers. Throws Unusable.
    static Sockets connect(const std::string& address, std::uint16_t port, std::uint32_t count);
    Sockets(Sockets&& other) noexcept : all_(std::move(other.all_)) { other.all_.clear(); }
    Sockets& operator=(Sockets&&) = delete;
    ~Sockets();

    [[nodiscard]] const std::vector<int>& all() const { return all_; }
    /// By connection number `which`. Throws Unusable.
    [[nodiscard]] Hello exchange(std::size_t which, const Hello& mine) const;

  private:
    Sockets() = default;
    std::vector<int> all_;
};

}  // namespace rnicsim::apps
