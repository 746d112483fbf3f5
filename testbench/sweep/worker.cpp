// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/worker.h"

#include "testbench/results/result_codec.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace rnicsim::runner {
namespace {

std::string encoded(RunRequest request, const std::filesystem::path& records, const Simulate& simulate) {
    request.records = records;
    try {
        return encode_result(simulate(request), records);
    } catch (const std::bad_alloc&) {
        throw std::runtime_error("out of memory: fewer --jobs, or smaller run.size x run.in_flight");
    }
}

/// Of a result that nobody keeps: in a new folder (mode 0700), whose name nobody else can guess or take first.
std::filesystem::path temporary_records() {
    std::string folder = (std::filesystem::temp_directory_path() / "rnicsim_run_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::system_error(errno, std::generic_category(), folder);
    return std::filesystem::path(folder) / "run";
}

}  // namespace

Worker::Worker(const std::size_t run, const RunRequest& request, const Simulate& simulate)
    : run_(run),
      records_(request.records.empty() ? temporary_records() : request.records),
      keeps_records_(!request.records.empty()),
      process_([&] { return encoded(request, records_, simulate); }) {}

Worker::~Worker() {
    if (keeps_records_) return;
    std::error_code ignored;  // what a result maps it keeps
    std::filesystem::remove_all(records_.parent_path(), ignored);
}

RunOutcome Worker::collect() {
    const ForkedText::Outcome outcome = process_.collect();
    switch (outcome.kind) {
        case ForkedText::Outcome::Kind::died: return {RunOutcome::Kind::died, {}, outcome.text, 0};
        case ForkedText::Outcome::Kind::failed: return {RunOutcome::Kind::failed, {}, outcome.text, 0};
        case ForkedText::Outcome::Kind::refused: return {RunOutcome::Kind::refused, {}, outcome.text, outcome.error};
        case ForkedText::Outcome::Kind::said: break;
    }
    try {
        return {RunOutcome::Kind::finished, decode_result(outcome.text, records_), {}, 0};
    } catch (const CodecError& e) {
        return {RunOutcome::Kind::died, {}, std::string("sent a damaged result: ") + e.what(), 0};
    }
}

}  // namespace rnicsim::runner
