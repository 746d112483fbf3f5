// SPDX-License-Identifier: Apache-2.0
// The GID and P_Key tables of the port. A GID of zeros is no entry.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/objects.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace rnicsim::programs;

namespace {

const std::uint16_t kDefaultPkey = htons(0xffff);

int read_entry(const ibv_context* context, std::uint32_t port, std::uint32_t index, ibv_gid_entry& to) {
    const Device& said = said_of(context);
    if (!is_port(port) || index >= std::size(said.gid)) return EINVAL;
    if (!has_gid(said, index)) return ENODATA;
    to = {};
    std::memcpy(to.gid.raw, said.gid[index], sizeof to.gid.raw);
    to.gid_index = index;
    to.port_num = port;
    to.gid_type = IBV_GID_TYPE_ROCE_V2;
    return 0;
}

}  // namespace

bool rnicsim::programs::has_gid(const Device& device, std::uint32_t index) {
    return index < std::size(device.gid) &&
           !std::ranges::all_of(device.gid[index], [](auto byte) { return byte == 0; });
}

int ibv_query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* gid) {
    ibv_gid_entry entry{};
    const int error = read_entry(context, port, static_cast<std::uint32_t>(index), entry);
    if (error != 0 && error != ENODATA) {
        errno = error;
        return -1;
    }
    *gid = entry.gid;
    return 0;
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t port, std::uint32_t index, ibv_gid_entry* to,
                      std::uint32_t flags, std::size_t bytes) {
    if (flags != 0) return EOPNOTSUPP;
    ibv_gid_entry entry{};
    if (const int error = read_entry(context, port, index, entry); error != 0) return error;
    std::memset(to, 0, bytes);
    std::memcpy(to, &entry, std::min(bytes, sizeof entry));
    return 0;
}

/// How many there are, or an errno below 0.
ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* to, std::size_t most, std::uint32_t flags,
                             std::size_t bytes) {
    if (flags != 0) return -EOPNOTSUPP;
    std::size_t count = 0;
    for (std::uint32_t index = 0; index < std::size(said_of(context).gid); ++index) {
        ibv_gid_entry entry{};
        if (read_entry(context, 1, index, entry) != 0) continue;
        if (count == most) return -EINVAL;
        auto* const place = reinterpret_cast<char*>(to) + count++ * bytes;
        std::memset(place, 0, bytes);
        std::memcpy(place, &entry, std::min(bytes, sizeof entry));
    }
    return static_cast<ssize_t>(count);
}

/// As ibv_devinfo calls it: 1 is RoCE v2, 0 all else.
extern "C" int ibv_query_gid_type(ibv_context* context, std::uint8_t port, unsigned index, int* type) {
    ibv_gid_entry entry{};
    const int error = read_entry(context, port, index, entry);
    if (error == EINVAL) {
        errno = error;
        return -1;
    }
    *type = error == 0 ? 1 : 0;
    return 0;
}

int ibv_query_pkey(ibv_context*, std::uint8_t port, int index, __be16* pkey) {
    if (!is_port(port) || index != 0) {
        errno = EINVAL;
        return -1;
    }
    *pkey = kDefaultPkey;
    return 0;
}

int ibv_get_pkey_index(ibv_context*, std::uint8_t port, __be16 pkey) {
    if (is_port(port) && pkey == kDefaultPkey) return 0;
    errno = EINVAL;
    return -1;
}
