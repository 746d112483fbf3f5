// A file that is written while a run goes on. Whatever cannot be written ends the run, with the name of the file.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rnicsim {

class OutputFile {
  public:
    /// Creates the file, or empties it. Throws RequestError if that is impossible.
    explicit OutputFile(std::string name);

    /// Throws RunError.
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    void write(std::span<const std::byte> bytes);
    /// Writes what is left and closes the file. Throws RunError.
    void close();

  private:
    struct Closer {
        void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
    };
    [[noreturn]] void fail() const;

    std::string name_;
    std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace rnicsim
