// SPDX-License-Identifier: Apache-2.0
// Memory for the records of a run: of this process, or a file, which holds them as they come. What lies in a file takes
// no memory that the system cannot have back at once.
#pragma once

#include <cstddef>
#include <filesystem>

namespace rnicsim {

class RecordMemory {
  public:
    RecordMemory() = default;
    /// So many bytes, all 0, of this process.
    explicit RecordMemory(std::size_t bytes);
    /// A new file of so many bytes, all 0, in the place of any other. Throws std::system_error.
    RecordMemory(std::size_t bytes, const std::filesystem::path& file);
    /// A file as it is, to be read. Throws std::system_error.
    static RecordMemory of(const std::filesystem::path& file);
    ~RecordMemory();
    RecordMemory(RecordMemory&& other) noexcept;
    RecordMemory& operator=(RecordMemory&& other) noexcept;
    RecordMemory(const RecordMemory&) = delete;
    RecordMemory& operator=(const RecordMemory&) = delete;

    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Empty: this process's.
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    /// Of a file: what has been touched need not stay in memory. It can still be read and written.
    void rest() const;

  private:
    RecordMemory(int descriptor, std::size_t bytes, bool writable, const std::filesystem::path& file);

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    std::filesystem::path file_;
};

}  // namespace rnicsim
