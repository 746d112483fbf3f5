// SPDX-License-Identifier: Apache-2.0
// What programs see of the card in /sys and /dev: a folder tree for each host, beside the socket, gone at the end. What
// changes is not in its files: the preloaded object asks for it (protocol/device_tree.h).
#pragma once

#include "testbench/programs/protocol/messages.h"

#include <filesystem>
#include <string>

namespace rnicsim::programs {

class DeviceTree {
  public:
    /// Throws RequestError if the folder cannot be made, or is there and has something else in it.
    explicit DeviceTree(const std::filesystem::path& socket);
    ~DeviceTree();
    DeviceTree(const DeviceTree&) = delete;
    DeviceTree& operator=(const DeviceTree&) = delete;

    /// The next host; the first one is that of programs without a name of a host.
    void add(const std::string& host, const Device& card);

  private:
    const std::filesystem::path folder_;
};

}  // namespace rnicsim::programs
