// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/file_text.h"

#include "testbench/scenario/scenario.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rnicsim {
namespace {

/// The largest file that is read. A network of 1,000 hosts with a line for each host, link and item needs some 200 KiB.
constexpr std::size_t kMostText = std::size_t{16} << 20U;
/// So long a named pipe may be without somebody who writes it. A shell opens both ends of it within milliseconds.
constexpr int kPatience = 2000;  // ms
constexpr int kLook = 10;        // ms

class Descriptor {
  public:
    explicit Descriptor(const std::filesystem::path& file)
        : number_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] bool good() const { return number_ >= 0; }
    [[nodiscard]] bool is_pipe() const {
        struct ::stat status {};
        return ::fstat(number_, &status) == 0 && S_ISFIFO(status.st_mode);
    }
    /// Bytes that have come, none at the end; nothing: it cannot be read. Waits for a writer that is there.
    std::optional<std::size_t> read(std::array<char, 1U << 16U>& part) const {
        for (;;) {
            const ::ssize_t got = ::read(number_, part.data(), part.size());
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno == EAGAIN) {
                wait(-1);
            } else if (errno != EINTR) {
                return std::nullopt;
            }
        }
    }
    void wait(int milliseconds) const {
        ::pollfd wanted{number_, POLLIN, 0};
        ::poll(&wanted, 1, milliseconds);
    }

  private:
    const int number_;
};

}  // namespace

std::string text_of(const std::filesystem::path& file, const std::string& expected) {
    const auto refuse = [&](const std::string& why) {
        throw ScenarioError(file.string() + ": " + why + ", expected " + expected);
    };
    if (std::filesystem::is_directory(file)) refuse("is a folder");
    const Descriptor in(file);
    if (!in.good()) refuse("cannot be read");
    std::string text;
    std::array<char, 1U << 16U> part{};
    int waited = 0;
    for (;;) {
        const std::optional<std::size_t> got = in.read(part);
        if (!got) refuse("cannot be read");
        if (*got == 0) {
            if (!text.empty() || !in.is_pipe()) return text;
            // A pipe at its end: its writer has not come yet, or has gone without a word.
            if (waited >= kPatience) refuse("is a pipe that nobody writes");
            ::usleep(kLook * 1000);
            waited += kLook;
            continue;
        }
        const std::string_view read(part.data(), *got);
        if (const std::size_t zero = read.find('\0'); zero != std::string_view::npos)
            refuse("has a zero byte at place " + std::to_string(text.size() + zero) + " and is no text");
        if (text.append(read).size() > kMostText) refuse("has more than 16 MiB");
    }
}

}  // namespace rnicsim
