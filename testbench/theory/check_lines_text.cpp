// SPDX-License-Identifier: Apache-2.0
#include "testbench/theory/check_lines_text.h"

#include "model/network/routes.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/events/microseconds.h"
#include "testbench/theory/check_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::size_t kNamed = 3;  // hosts, of those that are alike

/// Does it pay for interrupts, and for what goes over streams?
bool pays(const VerbsHostConfig& host) {
    return host.cpu.charges_events() || host.cpu.syscall + host.tcp.tx + host.tcp.rx != Cycle{};
}

std::string lines_of(const VerbsEndConfig& host, const LinkConfig& link) {
    const CheckLines lines(host, link);
    const bool kernel = host.host.tcp.place == TcpPlace::kernel;
    std::string text =
        fmt::format("  L1, 64 B one way between two of them: TCP {} us{}, SEND by interrupts {} us\n",
                    microseconds(lines.stream()), kernel ? "" : " (in user space)", microseconds(lines.verbs()));
    if (kernel && lines.sends() != 0 && lines.receives() != 0)
        text += fmt::format("  L2, a core and a long TCP stream: sends {:.1f} Gb/s, receives {:.1f} Gb/s\n",
                            lines.sends(), lines.receives());
    return text;
}

}  // namespace

std::string check_lines_text(const RunConfig& config) {
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    std::map<std::string, std::vector<unsigned>> hosts;  // by their lines
    for (const unsigned host : verbs_hosts(config)) {
        const VerbsEndConfig& of = verbs_of(config, host);
        const auto& ports = routes.of_host(host);
        if (!pays(of.host) || ports.empty()) continue;
        hosts[lines_of(of, config.links.at(ports.front().link))].push_back(host);
    }
    std::string text;
    for (const auto& [lines, of] : hosts) {
        text += "\nby the costs of " + config.names[of.front()];
        for (std::size_t i = 1; i < std::min(of.size(), kNamed); ++i) text += ", " + config.names[of[i]];
        if (of.size() > kNamed) text += fmt::format(" and {} more", of.size() - kNamed);
        text += ":\n" + lines;
    }
    return text;
}

}  // namespace rnicsim
