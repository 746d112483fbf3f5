#include "testbench/observe/output_file.h"

#include "model/config.h"
#include "testbench/run_result.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace rnicsim {

OutputFile::OutputFile(std::string name) : name_(std::move(name)), file_(std::fopen(name_.c_str(), "we")) {
    if (file_ == nullptr) throw RequestError(name_ + ": cannot be created: " + std::strerror(errno));
}

void OutputFile::write(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
}

void OutputFile::close() {
    if (std::fclose(file_.release()) != 0) fail();
}

void OutputFile::fail() const {
    throw RunError(name_ + ": cannot be written: " + std::strerror(errno) +
                   "; the run itself is not concerned, without this file it can be repeated");
}

}  // namespace rnicsim
