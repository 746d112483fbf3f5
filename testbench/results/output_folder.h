// SPDX-License-Identifier: Apache-2.0
// The folder that results go to: created, locked against a second process, written to only by whole files.
#pragma once

#include "testbench/results/shard.h"

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rnicsim::runner {

/// The results cannot be written; `what()` is one line.
struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What the system refused (`error` is its errno), and what to do about it.
OutputError output_error(const std::filesystem::path& path, const std::string& what, int error);
/// The same of what has been said already.
OutputError output_error(const std::string& said, int error);

/// Different for each process of a cluster: ".HOST.PID.tmp".
std::string unique_suffix();

/// Writes to a temporary file beside `file` and renames it: readers see the old content, the new, or nothing. Several
/// programs may do so at once, on several computers. Throws OutputError.
void write_atomically(const std::filesystem::path& file, std::string_view content);

/// The same, piece by piece.
class AtomicFile {
  public:
    /// Throws OutputError, as its other members do.
    explicit AtomicFile(std::filesystem::path file);
    /// Without commit() the old content stays.
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view text);
    void commit();

  private:
    [[noreturn]] void give_up(const std::string& what);
    void flush();

    const std::filesystem::path file_, temporary_;
    int fd_ = -1;
    std::string waiting_;
};

/// Creates the folder and keeps it locked: against all other programs, or, for a shard, against the same shard and all
/// programs that are no shards. Throws OutputError.
class OutputFolder {
  public:
    explicit OutputFolder(std::filesystem::path path, const std::optional<Shard>& shard = std::nullopt);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    int lock_ = -1;
    int shard_lock_ = -1;
};

}  // namespace rnicsim::runner
