// SPDX-License-Identifier: Apache-2.0
// The base configuration of the timing tests: all defaults of `rnicsim describe --keys`, in cycles.
#pragma once

#include "model/config.h"
#include "model/rnic/drp/end/end_config.h"

namespace rnicsim {

inline RunConfig default_config() {
    RunConfig config = two_drp_hosts();
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.gmac = {Cycle{4}, Cycle{2}, Cycle{12}, 1500};
        end.rnic.filter.latency = Cycle{3};
        end.rnic.pcie.latency = Cycle{19};
        end.rnic.pcie.request_overhead = Cycle{10};
        TransportConfig& t = end.rnic.transport;
        t.request_timer = Cycle{300'000};
        t.data_timer = t.release_timer = Cycle{62'500};
        t.idle_timeout = Cycle{12'500'000};
        t.decision = Cycle{8};
        end.rnic.queues.latency = Cycle{4};
        end.host.memory = {Cycle{12}, 1'600'000'000};
        end.host.registration = {Cycle{1250}, Cycle{25}, 0, &registration_retry("when_released"), Cycle{112'500}};
        end.host.software = {Cycle{250}, Cycle{50}, Cycle{30}};
    }
    config.links[0].delay = kGmiiClock.time(Cycle{5});
    config.traffic[0].transfers = 1;
    config.watchdog = Cycle{125'000'000};
    return config;
}

}  // namespace rnicsim
