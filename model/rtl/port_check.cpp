// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/port_check.h"

#include "model/rtl/rtl_blocks.h"

#include <sstream>

namespace rnicsim {
namespace {

std::string value(std::uint64_t v) {
    std::ostringstream text;
    if (v > 9) text << "0x" << std::hex;
    text << v;
    return text.str();
}

}  // namespace

PortCheck::PortCheck(const std::string& block, const std::string& module, const BlockPlace& place, Clock clock)
    : name_((place.end.empty() ? "" : place.end + ": ") + block + " (" + module + ')'),
      strict_(place.strict),
      clock_(clock) {}

std::string PortCheck::in_cycle(Cycle now) const {
    return " in cycle " + std::to_string(now.n) + " (" + std::to_string(clock_.time(now).ps) + " ps in its waveform)";
}

void PortCheck::differs(Cycle now, const char* port, std::uint64_t found, std::uint64_t expected,
                        const char* promise) const {
    throw RtlFault(name_ + ": " + port + " is " + value(found) + in_cycle(now) + ", expected " + value(expected) +
                   ": " + promise);
}

void PortCheck::fault(Cycle now, const char* port, const std::string& what) const {
    throw RtlFault(name_ + ": " + port + in_cycle(now) + ": " + what);
}

}  // namespace rnicsim
