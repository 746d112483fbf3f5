// SPDX-License-Identifier: Apache-2.0
// The contract of transactions, for blocks with AXI-Stream ports: contents, order and verdicts are those of the model,
// each latency is the manifest's, and how much later a transfer ends for it is said.
#pragma once

#include "testbench/records/run_request.h"
#include "testbench/records/run_result.h"
#include "testbench/scenario/scenario.h"

#include <cstdint>
#include <map>
#include <string>

namespace rnicsim::runner {

/// Has a host of this run a block with this contract?
bool has_streams(const RunConfig& config);

/// What the runs of a scenario, each with models and with Verilog, have shown together.
class Transactions {
  public:
    /// `config`: with Verilog. Both runs have ended well.
    void add(const RunConfig& config, const RunResult& model, const RunResult& verilog);
    /// A line for each stream, and one for the transfers.
    void print() const;

  private:
    struct Stream {
        std::map<std::uint64_t, std::uint64_t> latencies;  ///< how many frames took so many cycles
        Time period;                                       ///< of the block's clock
        Time model;                                        ///< what the model takes
    };
    std::map<std::string, Stream> streams_;
    std::uint64_t pairs_ = 0, unpaired_ = 0;
    double model_ps_ = 0, verilog_ps_ = 0;  // of all pairs
};

/// Gives each MAC and each frame filter that the run has in Verilog so many frames, good ones and others. Prints what
/// they got; an RtlFault passes through. Leaves the waveforms that are asked for.
void stress_blocks(const RunConfig& config, std::uint64_t frames, const WaveRequest& wave);

}  // namespace rnicsim::runner
