// SPDX-License-Identifier: Apache-2.0
#include "testbench/records/record_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace rnicsim {
namespace {

/// Closes it when it leaves the scope: a mapping does without.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return fd_; }

  private:
    int fd_;
};

[[noreturn]] void fail(const std::filesystem::path& file, int error) {
    throw std::system_error(error, std::generic_category(), file.string() + ": cannot be written");
}

}  // namespace

RecordMemory::RecordMemory(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = at;
}

RecordMemory::RecordMemory(int descriptor, std::size_t bytes, bool writable, const std::filesystem::path& file)
    : bytes_(bytes), file_(file) {
    if (bytes == 0) return;
    const int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void* const at = mmap(nullptr, bytes, access, MAP_SHARED, descriptor, 0);
    if (at == MAP_FAILED) fail(file, errno);
    data_ = at;
}

RecordMemory::RecordMemory(std::size_t bytes, const std::filesystem::path& file) {
    // A new one: who still reads the old one keeps it.
    unlink(file.c_str());  // if it cannot be, nor can the new one be made
    const Descriptor made(open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (made.get() < 0) throw std::system_error(errno, std::generic_category(), file.string() + ": cannot be created");
    // Its blocks now, so that a full disk is said in words: a page that cannot be written would be a signal.
    if (bytes != 0) {
        if (const int error = posix_fallocate(made.get(), 0, static_cast<off_t>(bytes)); error != 0) {
            unlink(file.c_str());
            fail(file, error);
        }
    }
    *this = RecordMemory(made.get(), bytes, true, file);
}

RecordMemory RecordMemory::of(const std::filesystem::path& file) {
    const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (opened.get() < 0 || fstat(opened.get(), &status) != 0)
        throw std::system_error(errno, std::generic_category(), file.string() + ": cannot be read");
    return {opened.get(), static_cast<std::size_t>(status.st_size), false, file};
}

RecordMemory::~RecordMemory() {
    if (data_ != nullptr) munmap(data_, bytes_);
}

RecordMemory::RecordMemory(RecordMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      file_(std::exchange(other.file_, {})) {}

RecordMemory& RecordMemory::operator=(RecordMemory&& other) noexcept {
    if (this == &other) return *this;
    if (data_ != nullptr) munmap(data_, bytes_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    file_ = std::exchange(other.file_, {});
    return *this;
}

void RecordMemory::rest() const {
    if (data_ != nullptr && !file_.empty()) madvise(data_, bytes_, MADV_DONTNEED);
}

}  // namespace rnicsim
