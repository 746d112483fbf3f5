// SPDX-License-Identifier: Apache-2.0
// The processor's time stamp counter in strict mode: rdtsc and rdtscp fault, and count simulated time.
#pragma once

namespace rnicsim::programs {

/// For the calling thread and those that it starts from here on. Only where the functions of libc are replaced, too:
/// the counter and the clocks have to agree.
void trap_tsc();

/// The counter is the machine's meanwhile: a program that another begins to run would not survive the first fault, as a
/// thread keeps this over execve().
class MachineTsc {
  public:
    MachineTsc();
    ~MachineTsc();
    MachineTsc(const MachineTsc&) = delete;
    MachineTsc& operator=(const MachineTsc&) = delete;

  private:
    bool trapped_;
};

}  // namespace rnicsim::programs
