// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/event_log.h"

#include "testbench/events/microseconds.h"

#include <fmt/format.h>

namespace rnicsim {

std::string describe(const LoggedEvent& event, const HostNames& hosts) {
    return fmt::format("{} us  {}  {}", exact_microseconds(event.at), hosts[event.end],
                       std::visit([](const auto& what) { return text(what); }, event.what));
}

}  // namespace rnicsim
