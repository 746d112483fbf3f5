// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/run_faults.h"

#include "model/faults/random_faults.h"
#include "testbench/records/output_file.h"
#include "testbench/records/run_result.h"
#include "testbench/tape/tape_text.h"

#include <filesystem>
#include <string>
#include <system_error>

namespace rnicsim {
namespace {

std::unique_ptr<FaultSource> source_of(const RunConfig& config) {
    if (config.tape != nullptr) return std::make_unique<TapeFaults>(*config.tape);
    return std::make_unique<RandomFaults>(fault_config(config));
}

}  // namespace

RunFaults::RunFaults(const RunRequest& request) : request_(request), source_(source_of(request)), recorder_(*source_) {}

void RunFaults::finish() const {
    const std::string& name = request_.observe.tape;
    if (name.empty()) return;
    OutputFile file(name);
    file.write(write_tape(recorder_.tape(), TapeNames(request_)));
    try {
        file.close();
    } catch (const RunError&) {
        std::error_code ignored;  // a device has no size
        std::filesystem::resize_file(name, 0, ignored);
        throw;
    }
}

void RunFaults::finish_after(const std::exception& failure) const {
    try {
        finish();
    } catch (const RunError& error) { throw RunError(std::string(failure.what()) + '\n' + error.what()); }
}

std::uint64_t RunFaults::unused() const {
    const auto* const played = dynamic_cast<const TapeFaults*>(source_.get());
    return played == nullptr ? 0 : played->unused();
}

}  // namespace rnicsim
