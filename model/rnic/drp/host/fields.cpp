// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/host/fields.h"

#include "model/host/fields.h"

#include <cstdint>

namespace rnicsim {
namespace {

constexpr std::int64_t kMillionBytes = 1'000'000;

Fields<RegistrationConfig> declare_registration() {
    Fields<RegistrationConfig> k("system.host.registration");
    k.time("base_cost", &RegistrationConfig::base_cost, Time{}, kSecond, "registering a region: fixed part",
           "working model t = a + b pages, a = 10 to 50 us");
    k.time("page_cost", &RegistrationConfig::page_cost, Time{}, kMillisecond,
           "registering a region: for each page of 4 KiB", "working model, b = 0.2 to 1 us");
    k.probability("failure", &RegistrationConfig::failure, "FRP: chance that an attempt fails, each by itself",
                  "paper 4.1");
    k.policy<RegistrationRetry>(
        "retry", &RegistrationConfig::retry, &registration_retry, registration_retry_names(),
        "a failed registration is tried again at the next request, or also by the host itself (dynamic RNICs): "
        "after retry_interval, or doubling it; for want of memory, when some is given back",
        "PROTOCOL.md 3.11");
    k.time("retry_interval", &RegistrationConfig::retry_interval, kNanosecond * 8, kSecond,
           "from a failed attempt to the host's own next one", "calibrated to figure 6");
    k.bytes("pool.size", at(&RegistrationConfig::pool, &MemoryPoolConfig::size), 0, std::int64_t{1} << 32,
            "memory that can be registered, shared with other tasks; 0 B = no limit", "paper 4.3: in use by others");
    k.number("pool.tasks", at(&RegistrationConfig::pool, &MemoryPoolConfig::tasks), 0, 64,
             "other tasks that hold some of it now and then", "paper 4.3: three");
    k.bytes("pool.held", at(&RegistrationConfig::pool, &MemoryPoolConfig::held), 0, std::int64_t{1} << 32,
            "what such a task holds", "assumed");
    k.time("pool.hold_time", at(&RegistrationConfig::pool, &MemoryPoolConfig::hold_time), kNanosecond * 8,
           kSecond * 100, "how long, mean of an exponential distribution", "assumed");
    k.time("pool.rest_time", at(&RegistrationConfig::pool, &MemoryPoolConfig::rest_time), kNanosecond * 8,
           kSecond * 100, "pause until it wants it again, mean of an exponential distribution", "assumed");
    return k;
}

const Fields<RegistrationConfig>& registration_fields() {
    static const Fields<RegistrationConfig> kAll = declare_registration();
    return kAll;
}

Fields<HostConfig> declare_host() {
    Fields<HostConfig> k("system.host");
    k.part(&HostConfig::memory, memory_fields());
    k.rate("bridge.bandwidth", at(&HostConfig::bridge, &BridgeConfig::bytes_per_second), 0, 1'000'000 * kMillionBytes,
           "of a parallel PCI bus between root complex and memory; 0 MB/s = there is none",
           "MPC5200B: PCI 2.2, 32 bit");
    k.time("bridge.request_cost", at(&HostConfig::bridge, &BridgeConfig::request_cost), Time{}, kMillisecond,
           "arbitration, address phase and target latency: once for what follows on in one burst", "PCI 2.2");
    k.part(&HostConfig::registration, registration_fields());
    k.custom(interrupt_latency_key(), {.number = SoftwareConfig{}.interrupt_latency.n},
             [](HostConfig& config, const Value& value) { config.software.interrupt_latency = Cycle{value.number}; });
    k.time("software.event_cost", at(&HostConfig::software, &SoftwareConfig::event_cost), kNanosecond * 8, kMillisecond,
           "handling of one event-ring entry", "assumed");
    k.time("software.command_cost", at(&HostConfig::software, &SoftwareConfig::command_cost), kNanosecond * 8,
           kMillisecond, "building one descriptor, up to the doorbell", "assumed");
    k.bytes_list("ping.sizes", at(&HostConfig::ping, &PingConfig::sizes), 46, 1500,
                 "echo requests to the other host: client data of each stream; empty = none",
                 "paper 4.3: 256, 512, 1024 B");
    k.time("ping.interval", at(&HostConfig::ping, &PingConfig::interval), kNanosecond * 8000, kSecond * 100,
           "from a request to the stream's next", "assumed");
    k.number("receive_ring", &HostConfig::receive_ring, 1, 512, "buffers of 2 KiB for ordinary frames", "assumed");
    return k;
}

}  // namespace

const Fields<HostConfig>& host_fields() {
    static const Fields<HostConfig> kAll = declare_host();
    return kAll;
}

}  // namespace rnicsim
