// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/device_tree.h"

#include "model/request_error.h"
#include "testbench/programs/protocol/device_tree.h"
#include "testbench/programs/protocol/link_rate.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <system_error>

namespace rnicsim::programs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOurs = ".rnicsim";  // in a folder that may be removed

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
}

void link(const fs::path& name, const fs::path& to) {
    fs::create_directories(name.parent_path());
    fs::create_symlink(to, name);
}

std::string guid_text(std::uint64_t in_network_order) {
    std::uint64_t guid = in_network_order;
    if constexpr (std::endian::native == std::endian::little) guid = __builtin_bswap64(guid);
    return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48U, guid >> 32U & 0xFFFFU, guid >> 16U & 0xFFFFU,
                       guid & 0xFFFFU);
}

std::string gid_text(const std::uint8_t (&gid)[16]) {
    std::string text;
    for (unsigned i = 0; i < 16; i += 2) text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", gid[i], gid[i + 1]);
    return text;
}

std::string rate_text(std::uint32_t mbps) {
    const LinkRate& rate = link_rate(mbps);
    return fmt::format("{}{} Gb/sec ({}X{})", rate.mbps / 1000, rate.mbps % 1000 == 0 ? "" : ".5", rate.lanes,
                       rate.name);
}

void write_port(const fs::path& port, const Device& card) {
    write(port / "rate", rate_text(card.mbps));
    write(port / "link_layer", "Ethernet");
    write(port / "lid", "0x0");
    write(port / "lid_mask_count", "0");
    write(port / "sm_lid", "0x0");
    write(port / "sm_sl", "0");
    write(port / "cap_mask", fmt::format("{:#010x}", kPortCapabilities));
    write(port / "pkeys/0", "0xffff");
    for (unsigned i = 0; i < std::size(card.gid); ++i) {
        write(port / "gids" / std::to_string(i), gid_text(card.gid[i]));
        if (std::ranges::all_of(card.gid[i], [](auto byte) { return byte == 0; })) continue;
        write(port / "gid_attrs/types" / std::to_string(i), "RoCE v2");
        write(port / "gid_attrs/ndevs" / std::to_string(i), "lo");  // TCP of all hosts is that of the machine itself
    }
    for (const char* const state : kPortStates) write(port / state, "");
    for (const PortCounter& counter : kPortCounters) write(port / counter.folder / counter.name, "");
}

}  // namespace

DeviceTree::DeviceTree(const fs::path& socket) : folder_(fs::absolute(socket).string() + kTreeSuffix) {
    const auto refuse = [this](const std::string& why) {
        throw RequestError("the folder " + folder_.string() + ": cannot be made: " + why);
    };
    std::error_code error;
    if (fs::exists(folder_)) {
        if (!fs::exists(folder_ / kOurs)) refuse("it is there, and has something else in it");
        fs::remove_all(folder_, error);  // of a simulator that was killed
    }
    if (::mkdir(folder_.c_str(), 0700) != 0) refuse(std::generic_category().message(errno));
    write(folder_ / kOurs, "of rnicsim, which makes and removes this folder");
}

DeviceTree::~DeviceTree() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void DeviceTree::add(const std::string& host, const Device& card) {
    try {
        if (!fs::is_symlink(folder_ / kFirstHost)) link(folder_ / kFirstHost, host);
        const fs::path root = folder_ / host;
        const auto at = [&root](const std::string& path) { return root / path.substr(1); };
        const fs::path function = at(kCard), rnic = function / "infiniband/rnicsim0",
                       verbs = function / "infiniband_verbs/uverbs0";
        write(function / "vendor", fmt::format("{:#06x}", card.pci_vendor));
        write(function / "device", fmt::format("{:#06x}", card.pci_device));
        write(function / "numa_node", "-1");
        fs::create_directories(function / "net/lo");
        write(rnic / "node_type", "1: CA");
        write(rnic / "node_guid", guid_text(card.guid));
        write(rnic / "sys_image_guid", guid_text(card.guid));
        write(rnic / "node_desc", "rnicsim " + host);
        write(rnic / "fw_ver", kFirmware);
        write(rnic / "hw_rev", "0x0");
        write(rnic / "hca_type", "rnicsim");
        write(rnic / "board_id", "rnicsim");
        write_port(at(kPort), card);
        link(rnic / "device", "../../../rnicsim");
        write(verbs / "ibdev", "rnicsim0");
        write(verbs / "abi_version", "1");
        link(verbs / "device", "../../../rnicsim");
        link(at(kClass) / "rnicsim0", "../../devices/rnicsim/infiniband/rnicsim0");
        write(at(kClass + std::string("_verbs")) / "abi_version", "6");
        link(at(kClass + std::string("_verbs")) / "uverbs0", "../../devices/rnicsim/infiniband_verbs/uverbs0");
        for (const char* const device : {"uverbs0", "rdma_cm"}) link(at(kDevices) / device, "/dev/null");
    } catch (const fs::filesystem_error& error) { throw RequestError(error.what()); }
}

}  // namespace rnicsim::programs
