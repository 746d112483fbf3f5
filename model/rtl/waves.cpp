// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/waves.h"

#include "model/request_error.h"
#include "model/rtl/rtl_blocks.h"
#include "tlm/time/clock.h"

#include <verilated.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#else
class VerilatedFstC {
  public:
    void open(const char* /*file*/) {}
    void close() {}
    void dump(std::uint64_t /*ps*/) {}
    void set_time_unit(const char* /*unit*/) {}
    void set_time_resolution(const char* /*unit*/) {}
};
#endif

namespace rnicsim {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "none: it has no Verilog" : text;
}

/// x.fst: x.a.gmac_tx.fst
std::string file_of(const std::filesystem::path& asked, const std::string& instance) {
    return (asked.parent_path() / (asked.stem().string() + "." + instance + ".fst")).string();
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

}  // namespace

Wave::Wave(const Waves& waves, std::string scope, std::string instance, const WaveRequest& request, Clock clock)
    : waves_(waves),
      scope_(std::move(scope)),
      instance_(std::move(instance)),
      file_(file_of(request.file, instance_)),
      clock_(clock),
      from_(clock.edge(request.from)),
      to_(request.to == kEndOfTime ? kNever : clock.cycle(request.to)),
      writer_(std::make_unique<VerilatedFstC>()) {
    // Verilator's writer does not say that it could not open its file.
    if (!std::ofstream(file_)) throw RequestError("--wave: cannot write " + file_ + ": " + std::strerror(errno));
    writer_->set_time_unit("ps");
    writer_->set_time_resolution("ps");
}

Wave::~Wave() {
    writer_->close();
    if (!waves_.granted()) {
        std::error_code ignored;
        std::filesystem::remove(file_, ignored);
        return;
    }
    std::printf("waveform: %s, %llu cycles\n", file_.c_str(), static_cast<unsigned long long>(drawn_));
    std::fflush(stdout);
}

void Wave::open() { writer_->open(file_.c_str()); }

bool Wave::holds_until(Cycle now) {
    if (now < cycle_) {
        throw RtlFault(instance_ + " (Verilog): driven in cycle " + std::to_string(now.n) + " when it is in cycle " +
                       std::to_string(cycle_.n) + " already");
    }
    cycle_ = std::max(cycle_, std::min(from_, now));
    return cycle_ < now && wanted();
}

void Wave::rise() { writer_->dump(static_cast<std::uint64_t>(clock_.time(cycle_).ps)); }

void Wave::fall() {
    writer_->dump(static_cast<std::uint64_t>(clock_.time(cycle_).ps + clock_.period().ps / 2));
    ++drawn_;
}

Waves::Waves(const WaveRequest& request) : request_(request) {
    if (request.file.empty()) return;
    if (!VM_TRACE_FST)
        throw RequestError("--wave: this program was built without waveforms, -DRNICSIM_RTL_TRACE=ON has them");
}

void Waves::check() {
    for (const std::string& block : request_.blocks) {
        if (contains(instances_, block)) continue;
        throw RequestError("--wave-blocks " + block + ": this run has no such block in Verilog, expected some of " +
                           joined(instances_));
    }
    granted_ = true;
}

std::unique_ptr<Wave> Waves::of(const std::string& end, const std::string& block, Clock clock) {
    if (request_.file.empty()) return nullptr;
    const std::string instance = end + "." + block;
    instances_.push_back(instance);
    if (!request_.blocks.empty() && !contains(request_.blocks, instance)) return nullptr;
    return std::make_unique<Wave>(*this, end, instance, request_, clock);
}

}  // namespace rnicsim
