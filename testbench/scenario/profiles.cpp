#include "testbench/scenario/profiles.h"

#include "testbench/scenario/schema.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rnicsim {
namespace {

using Setting = std::pair<std::string_view, std::string_view>;

/// ConnectX-5 class, 100 Gb/s: RNIC, PCIe, host and the costs of its driver (model/rnic/rc/README.md, "Profiles").
constexpr std::array<Setting, 36> kCx5{{
    {"system.rnic.personality", "rc"},
    {"system.rnic.clock", "3.2 ns"},
    {"system.rnic.gmac.mtu", "4200 B"},
    {"system.rnic.gmac.tx_latency", "76.8 ns"},
    {"system.rnic.gmac.rx_latency", "76.8 ns"},
    {"system.rnic.pcie.generation", "3"},
    {"system.rnic.pcie.lanes", "16"},
    {"system.rnic.pcie.max_payload", "256 B"},
    {"system.rnic.pcie.max_read_request", "512 B"},
    {"system.rnic.pcie.tags", "256"},
    {"system.rnic.pcie.latency", "150.4 ns"},
    {"system.rnic.pcie.request_overhead", "12.8 ns"},
    {"system.rnic.rc.pmtu", "1024 B"},
    {"system.rnic.rc.window", "128"},
    {"system.rnic.rc.ack_interval", "16"},
    {"system.rnic.rc.max_rd_atomic", "16"},
    {"system.rnic.rc.inline", "220 B"},
    {"system.rnic.rc.packet_interval", "9.6 ns"},
    {"system.rnic.rc.qp_interval", "102.4 ns"},
    {"system.rnic.rc.tx_path", "128 ns"},
    {"system.rnic.rc.rx_path", "128 ns"},
    {"system.rnic.rc.atomic_busy", "51.2 ns"},
    {"system.rnic.rc.cache", "2 MiB"},
    {"system.rnic.rc.cache_misses", "8"},
    {"system.rnic.rc.tx_buffer", "128 KiB"},
    {"system.rnic.rc.rx_buffer", "256 KiB"},
    {"system.host.clock", "0.4 ns"},
    {"system.host.memory.latency", "89.6 ns"},
    {"system.host.memory.bandwidth", "80 GB/s"},
    {"system.host.verbs.post", "250 ns"},
    {"system.host.verbs.push", "130 ns"},
    {"system.host.verbs.poll", "100 ns"},
    {"system.host.verbs.receive", "60 ns"},
    {"system.rnic.rc.timeout", "14"},
    {"system.rnic.rc.retry_cnt", "7"},
    {"system.rnic.rc.min_rnr_timer", "12"},
}};

}  // namespace

std::vector<std::string_view> profile_names() { return {"none", "gigabit_fpga", "cx5_100g"}; }

std::optional<std::string_view> profile_value(std::string_view profile, std::string_view path) {
    if (profile == "none") return std::nullopt;
    const auto* const found = std::ranges::find(kCx5, path, &Setting::first);
    if (found == kCx5.end()) return std::nullopt;
    if (profile == "cx5_100g" || path == "system.rnic.personality") return found->second;
    return find_key(path)->fallback;  // gigabit_fpga: a RoCEv2 RNIC as an FPGA would have it
}

}  // namespace rnicsim
