// Hands what devices do to the memory of a host to who judges it: the scoreboard for DRP, of their own for verbs.
#pragma once

#include "model/config.h"
#include "testbench/judge/persist_judge.h"
#include "testbench/judge/verbs_judge.h"
#include "testbench/judge/wire_judge.h"
#include "testbench/run_cuts.h"
#include "testbench/scoreboard.h"
#include "tlm/pcie/pcie_tlp.h"
#include "tlm/taps.h"

namespace rnicsim {

class HostJudges final : public Observer {
  public:
    /// None is owned.
    HostJudges(const RunConfig& config, Scoreboard& board, VerbsJudge& verbs, PersistJudge& persists, WireJudge& wire,
               RunCuts& cuts)
        : config_(config), board_(board), verbs_(verbs), persists_(persists), wire_(wire), cuts_(cuts) {}

    void memory_access(unsigned end, const tlm::tlm_generic_payload& access) override {
        if (!is_verbs(config_, end)) return board_.memory_access(end, access);
        const std::uint64_t address = access.get_address();
        const std::uint64_t bytes = access.get_data_length();
        const bool of_scheme = persists_.judges(end);
        if (access.is_read())
            return of_scheme ? persists_.device_reads(end, address, bytes) : verbs_.device_reads(end, address, bytes);
        const std::span<const std::uint8_t> data(access.get_data_ptr(), bytes);
        of_scheme ? persists_.device_writes(end, address, data) : verbs_.device_writes(end, address, data);
    }
    void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) override {
        if (!is_verbs(config_, end)) return board_.upstream_tlp(end, transaction, due);
        if (cuts_.stops() && tlp(transaction).kind == TlpKind::memory_write)
            cuts_.device_posts(end, transaction.get_address(),
                               {transaction.get_data_ptr(), transaction.get_data_length()});
    }
    void frame_sent(unsigned end, const Frame& frame, Time left) override {
        if (!is_verbs(config_, end)) return board_.frame_sent(end, frame, left);
        wire_.sent(end, frame, left);
    }
    void frame_carried(const Hop& hop, const Frame& frame, Time /*arrived*/) override {
        if (hop.to < config_.names.size() && is_verbs(config_, hop.to)) wire_.arrived(hop.to, frame);
    }

  private:
    const RunConfig& config_;
    Scoreboard& board_;
    VerbsJudge& verbs_;
    PersistJudge& persists_;
    WireJudge& wire_;
    RunCuts& cuts_;
};

}  // namespace rnicsim
