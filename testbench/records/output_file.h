// SPDX-License-Identifier: Apache-2.0
// A file that is written while a run goes on. An error is reported at the end, with the name of the file: the run
// itself does not need the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rnicsim {

class OutputFile {
  public:
    enum class Mode : std::uint8_t { replace, append };
    /// Creates the file, or empties it. Throws RequestError if that is impossible.
    explicit OutputFile(std::string name, Mode mode = Mode::replace);

    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    void write(std::span<const std::byte> bytes);
    /// Writes what is left and closes the file. Throws RunError if anything could not be written.
    void close();

  private:
    struct Closer {
        void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
    };
    std::string name_;
    std::unique_ptr<std::FILE, Closer> file_;
    int error_ = 0;  // errno of the first failure
};

}  // namespace rnicsim
