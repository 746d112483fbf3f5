#include "testbench/sweep/worker.h"

#include "testbench/results/result_codec.h"

#include <new>
#include <stdexcept>
#include <string>

namespace rnicsim::runner {
namespace {

std::string encoded(const RunRequest& request, const Simulate& simulate) {
    try {
        return encode_result(simulate(request));
    } catch (const std::bad_alloc&) {
        throw std::runtime_error("out of memory: fewer --jobs, or smaller run.size x run.in_flight");
    }
}

}  // namespace

Worker::Worker(const std::size_t run, const RunRequest& request, const Simulate& simulate)
    : run_(run), process_([&] { return encoded(request, simulate); }) {}

RunOutcome Worker::collect() {
    const ForkedText::Outcome outcome = process_.collect();
    switch (outcome.kind) {
        case ForkedText::Outcome::Kind::died: return {RunOutcome::Kind::died, {}, outcome.text};
        case ForkedText::Outcome::Kind::failed: return {RunOutcome::Kind::failed, {}, outcome.text};
        case ForkedText::Outcome::Kind::said: break;
    }
    try {
        return {RunOutcome::Kind::finished, decode_result(outcome.text), {}};
    } catch (const CodecError& e) {
        return {RunOutcome::Kind::died, {}, std::string("sent a damaged result: ") + e.what()};
    }
}

}  // namespace rnicsim::runner
