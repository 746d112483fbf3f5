// SPDX-License-Identifier: Apache-2.0
#include "testbench/records/output_file.h"

#include "model/request_error.h"
#include "testbench/records/run_result.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace rnicsim {

OutputFile::OutputFile(std::string name, Mode mode)
    : name_(std::move(name)), file_(std::fopen(name_.c_str(), mode == Mode::append ? "ae" : "we")) {
    if (file_ == nullptr) throw RequestError(name_ + ": cannot be created: " + std::strerror(errno));
}

void OutputFile::write(std::span<const std::byte> bytes) {
    if (error_ != 0) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) error_ = errno;
}

void OutputFile::close() {
    const bool flushed = std::fclose(file_.release()) == 0;
    if (error_ == 0 && !flushed) error_ = errno;
    if (error_ != 0)
        throw RunError(name_ + ": cannot be written: " + std::strerror(error_) + "; make room, or name another file");
}

}  // namespace rnicsim
