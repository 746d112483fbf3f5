// SPDX-License-Identifier: Apache-2.0
#include "model/host/fields.h"

#include <cstdint>

namespace rnicsim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

Fields<MemoryConfig> declare_memory() {
    Fields<MemoryConfig> k("system.host.memory");
    k.picoseconds("latency", &MemoryConfig::latency, kNanosecond * 8, kMillisecond,
                  "memory access until the first data", "assumed: DDR3");
    k.rate("bandwidth", &MemoryConfig::bytes_per_second, kMillion, 1'000'000 * kMillion,
           "sustained, reads and writes of devices together", "assumed: one DDR-200 channel");
    return k;
}

}  // namespace

const Fields<MemoryConfig>& memory_fields() {
    static const Fields<MemoryConfig> kAll = declare_memory();
    return kAll;
}

Key interrupt_latency_key() {
    Key key;
    key.path = "software.interrupt_latency";
    key.kind = Kind::time;
    key.least = 1;
    key.most = kGmiiClock.cycle(kMillisecond).n;
    key.meaning = "MSI to the handler's first instruction";
    key.source = "assumed: embedded processor, real-time system";
    return key;
}

}  // namespace rnicsim
