// SPDX-License-Identifier: Apache-2.0
// Paths of the card in /dev and /sys: programs are led to the tree that the simulator has made for their host, or see
// no card of the machine's own. Without a simulator paths are the machine's.
#pragma once

#include <array>
#include <climits>

namespace rnicsim::programs {

/// A path as the system is to have it.
class Led {
  public:
    explicit Led(const char* path);
    [[nodiscard]] const char* path() const { return path_; }
    operator const char*() const { return path_; }  // NOLINT(google-explicit-constructor): for calls in its place

  private:
    const char* path_;
    std::array<char, PATH_MAX> made_;  // only where it is another
};

/// The environment names one: the program is to see its devices, and none of the machine's.
bool has_simulator();

/// The program is to see this path of the machine's in another place; true for devices, too.
bool is_led(const char* path);
/// A device of the card's.
bool is_device(const char* path);
/// A path of the system's as the program is to see it: in place.
void lead_back(char* path);

}  // namespace rnicsim::programs
