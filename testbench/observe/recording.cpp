// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/recording.h"

#include "model/request_error.h"
#include "testbench/records/run_result.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <variant>

namespace rnicsim {
namespace {

constexpr unsigned kVersion = 5;  // of LoggedEvent and the lines before: counts their changes
constexpr std::string_view kEnd = "complete";

std::string first_line() { return fmt::format("rnicsim recording {}, events of {} B", kVersion, sizeof(LoggedEvent)); }

/// Whose events they are.
std::string second_line(const RunConfig& run) {
    std::string line = "hosts and switches:";
    const HostNames names = node_names(run);
    for (unsigned node = 0; node < names.size(); ++node) line += ' ' + names[node];
    return line;
}

std::string third_line(const RunConfig& run) { return fmt::format("settings: {:016x}", run.settings); }

[[noreturn]] void refuse(const std::string& name, const std::string& why) { throw RequestError(name + ": " + why); }

}  // namespace

RecordingWriter::RecordingWriter(const std::string& name, const RunConfig& run) : file_(name) {
    file_.write(first_line() + '\n' + second_line(run) + '\n' + third_line(run) + '\n');
}

void RecordingWriter::event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) {
    file_.write(std::as_bytes(std::span(&event, 1)));
    ++events_;
}

void RecordingWriter::outside(const LoggedEvent& event) {
    if (std::holds_alternative<ProgramBegins>(event.what) || std::holds_alternative<QpConnected>(event.what))
        this->event(event, {});
}

void RecordingWriter::finish() {
    file_.write(std::as_bytes(std::span(&events_, 1)));
    file_.write(kEnd);
    file_.close();
}

Recording::Recording(const std::string& name, const RunConfig& run)
    : name_(name), file_(name, std::ios::binary), nodes_(node_names(run).size()) {
    if (!file_) refuse(name, "cannot be read, expected a file of `rnicsim exec --record`");
    std::string line;
    std::getline(file_, line);
    if (!line.starts_with("rnicsim recording "))
        refuse(name, "is no recording, expected a file of `rnicsim exec --record`");
    if (line != first_line()) refuse(name, "was recorded by another version of rnicsim, expected one of this");
    std::getline(file_, line);
    if (line != second_line(run))
        refuse(name, "has " + line + "; expected the scenario that it was recorded with, here " + second_line(run));
    std::getline(file_, line);
    same_settings_ = line == third_line(run);
    const std::streampos begin = file_.tellg();
    std::array<char, sizeof left_ + kEnd.size()> end{};
    file_.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
    const std::streampos behind = file_.tellg();
    if (!file_.read(end.data(), end.size()) || behind < begin ||
        std::string_view(end.data() + sizeof left_, kEnd.size()) != kEnd)
        refuse(name, "has no end, expected a recording of a run that has ended");
    std::memcpy(&left_, end.data(), sizeof left_);
    if (static_cast<std::uint64_t>(behind - begin) != left_ * sizeof(LoggedEvent))
        refuse(name, "is damaged, expected a recording as it was written");
    file_.seekg(begin);
}

std::optional<LoggedEvent> Recording::next() {
    if (left_ == 0) return {};
    --left_;
    LoggedEvent event;
    static_assert(std::is_trivially_copyable_v<LoggedEvent>);
    if (!file_.read(reinterpret_cast<char*>(&event), sizeof event)) refuse(name_, "cannot be read to its end");
    if (event.what.index() >= std::variant_size_v<decltype(event.what)> || event.end >= nodes_)
        refuse(name_, "is damaged, expected a recording as it was written");
    return event;
}

}  // namespace rnicsim
