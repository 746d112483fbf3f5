// SPDX-License-Identifier: Apache-2.0
// Waveforms of verilated blocks: a file of FST for each instance that a run is asked for, in the run's own time.
#pragma once

#include "model/rtl/wave_request.h"
#include "tlm/time/clock.h"

#include <memory>
#include <string>
#include <vector>

class VerilatedFstC;

namespace rnicsim {

class Waves;

/// The waveform of one instance. Its time only grows; what lies outside the window is not drawn.
class Wave {
  public:
    /// Throws RequestError if the file cannot be written.
    Wave(const Waves& waves, std::string scope, std::string instance, const WaveRequest& request, Clock clock);
    Wave(const Wave&) = delete;
    Wave& operator=(const Wave&) = delete;
    /// Completes the file, and says so on standard output.
    ~Wave();

    /// Names of scopes in the file start with it: the end system, "a" or "b".
    [[nodiscard]] const char* scope() const { return scope_.c_str(); }
    /// To be handed to the module before open().
    VerilatedFstC* writer() { return writer_.get(); }
    void open();

    /// A block without work keeps its state from the present cycle until `now`: whether that is to be drawn, once.
    bool holds_until(Cycle now);
    void go_to(Cycle now) { cycle_ = now; }
    [[nodiscard]] bool wanted() const { return cycle_ >= from_ && cycle_ < to_; }
    /// Takes down the module as it is, at the edges of clk_i that begin and halve the present cycle.
    void rise();
    void fall();
    void next() { cycle_ += Cycle{1}; }

  private:
    const Waves& waves_;
    std::string scope_;
    std::string instance_;
    std::string file_;
    Clock clock_;
    Cycle from_, to_;
    Cycle cycle_;
    std::uint64_t drawn_ = 0;
    std::unique_ptr<VerilatedFstC> writer_;
};

/// What a run draws. Exists before the run's blocks and for longer than they do; each asks for its own when it is made.
class Waves {
  public:
    /// Throws RequestError if this program cannot draw.
    explicit Waves(const WaveRequest& request);
    Waves(const Waves&) = delete;
    Waves& operator=(const Waves&) = delete;
    ~Waves() = default;

    /// Throws RequestError unless every block that was asked for has been made.
    void check();
    /// Whether it has not thrown: files are to stay.
    [[nodiscard]] bool granted() const { return granted_; }

    /// For a block that is being made, "gmac_tx" of the end system "a", with its clock; none if nobody wants it. Throws
    /// RequestError.
    std::unique_ptr<Wave> of(const std::string& end, const std::string& block, Clock clock);

  private:
    const WaveRequest& request_;
    std::vector<std::string> instances_;
    bool granted_ = false;
};

}  // namespace rnicsim
