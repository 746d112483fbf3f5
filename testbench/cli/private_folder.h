// SPDX-License-Identifier: Apache-2.0
// A folder for one run's socket that nobody else can enter, guess or take first.
#pragma once

#include "testbench/programs/server/descriptor.h"

#include <filesystem>

namespace rnicsim::runner {

/// A new folder (mkdtemp, mode 0700) among the temporary files, removed with all that it holds at the end of its life.
/// A run that is killed leaves its folder behind: the next one removes it. The lock (flock) on a folder says that its
/// run lives; unlike a process number it means the same in every PID namespace.
class PrivateFolder {
  public:
    /// `among`: the folder for temporary files. Throws RunError.
    explicit PrivateFolder(const std::filesystem::path& among = std::filesystem::temp_directory_path());
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    [[nodiscard]] std::filesystem::path socket() const { return path_ / "socket"; }

  private:
    std::filesystem::path path_;
    programs::Descriptor lock_;
};

}  // namespace rnicsim::runner
