// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/profiles.h"

#include "testbench/scenario/schema.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

using Setting = Preset::Setting;

/// ConnectX-5 class, 100 Gb/s: RNIC, PCIe, host and the costs of its driver (model/rnic/rc/README.md, "Profiles").
constexpr std::array<Setting, 38> kCx5{{
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
    {"system.rnic.rc.ack_interval", "16"},
    {"system.rnic.rc.max_rd_atomic", "16"},
    {"system.rnic.rc.inline", "220 B"},
    {"system.rnic.rc.packet_interval", "9.6 ns"},
    {"system.rnic.rc.qp_interval", "102.4 ns"},
    {"system.rnic.rc.tx_path", "128 ns"},
    {"system.rnic.rc.rx_path", "128 ns"},
    {"system.rnic.rc.mode", "cut_through"},
    {"system.rnic.rc.loopback", "128 ns"},
    {"system.rnic.rc.atomic_busy", "51.2 ns"},
    {"system.rnic.rc.atomic_order", "address"},
    {"system.rnic.rc.cache", "2 MiB"},
    {"system.rnic.rc.cache_misses", "8"},
    // Line rate x DMA latency: from a payload's request to its frame at the MAC 0.61 us pass, in which 100 Gb/s
    // take 7.7 kB; and two of the longest frames, one on the wire and one about to be decided, 8.4 kB.
    {"system.rnic.rc.tx_buffer", "16 KiB"},
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

/// As `mlxconfig` shows them for ConnectX-4 and later; what they mean: NVIDIA, DOCA, "DCQCN CC Parameters". The byte
/// counter is in kB: its field has 15 bits, of which 32767 is the most, and the default that mstflint's source names,
/// 150, is IEEE 802.1Qau's 150,000 bytes. Taken for bytes it raises the rate faster than CNPs lower it.
constexpr std::array<Setting, 12> kNic{{
    {"system.rnic.rc.cnp_interval", "4 us"},               // MIN_TIME_BETWEEN_CNPS
    {"system.rnic.rc.dcqcn.g", "5"},                       // 1024 - DCE_TCP_G
    {"system.rnic.rc.dcqcn.first_alpha", "1023"},          // INITIAL_ALPHA_VALUE
    {"system.rnic.rc.dcqcn.alpha_update", "period"},       //
    {"system.rnic.rc.dcqcn.alpha_timer", "1 us"},          // DCE_TCP_RTT
    {"system.rnic.rc.dcqcn.reduction_interval", "4 us"},   // RATE_REDUCE_MONITOR_PERIOD
    {"system.rnic.rc.dcqcn.target_update", "timer"},       // CLAMP_TGT_RATE 0, CLAMP_TGT_RATE_AFTER_TIME_INC 1
    {"system.rnic.rc.dcqcn.rate_timer", "300 us"},         // RPG_TIME_RESET
    {"system.rnic.rc.dcqcn.byte_counter", "32767000 B"},   // RPG_BYTE_RESET
    {"system.rnic.rc.dcqcn.fast_recovery", "1"},           // RPG_THRESHOLD
    {"system.rnic.rc.dcqcn.additive_increase", "5 Mbps"},  // RPG_AI_RATE
    {"system.rnic.rc.dcqcn.hyper_increase", "50 Mbps"},    // RPG_HAI_RATE
}};

/// Whatever a profile is called, it is one of a RoCEv2 RNIC: this one has the keys' defaults, as an FPGA would.
constexpr std::array<Setting, 1> kFpga{{{"system.rnic.personality", "rc"}}};

constexpr std::string_view kNone = "none";
constexpr std::array<Preset::Choice, 3> kProfiles{{{kNone, {}}, {"gigabit_fpga", kFpga}, {"cx5_100g", kCx5}}};
constexpr std::array<Preset::Choice, 2> kParameters{{{"paper", {}}, {"nic", kNic}}};
constexpr std::array<Preset, 2> kPresets{
    {{"system.rnic.profile", kProfiles}, {"system.rnic.rc.dcqcn.parameters", kParameters}}};

const Preset::Setting* find(const Preset::Choice& choice, std::string_view path) {
    const auto found = std::ranges::find(choice.settings, path, &Setting::first);
    return found == choice.settings.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string_view> profile_names() { return kPresets[0].names(); }
std::vector<std::string_view> dcqcn_parameter_names() { return kPresets[1].names(); }
/// Vendor and part of ibv_query_device(3), and of PCI, as public listings of MT27800 (ConnectX-5) have them: 0x02c9 and
/// 4119; 15b3:1017. Inline: perftest's MAX_INLINE, 912 bytes.
Product product_of(std::string_view profile) {
    if (profile != "cx5_100g") return {};
    return {0x02C9, 4119, 0x15B3, 0x1017, 912, true};
}

std::span<const Preset> presets() { return kPresets; }

std::vector<std::string_view> Preset::names() const {
    std::vector<std::string_view> all;
    for (const Choice& choice : choices) all.push_back(choice.name);
    return all;
}

bool Preset::decides(std::string_view path) const {
    return std::ranges::any_of(choices, [&](const Choice& choice) { return find(choice, path) != nullptr; });
}

std::optional<std::string_view> Preset::value(std::string_view name, std::string_view path) const {
    if (name == kNone) return std::nullopt;  // nor has somebody else chosen one
    const auto choice = std::ranges::find(choices, name, &Choice::name);
    if (choice == choices.end()) throw std::logic_error(std::string(key) + " has no '" + std::string(name) + "'");
    if (!decides(path)) return std::nullopt;
    const Setting* const own = find(*choice, path);
    return own != nullptr ? own->second : find_key(path)->fallback;
}

}  // namespace rnicsim
