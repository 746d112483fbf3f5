// SPDX-License-Identifier: Apache-2.0
// Prints the part of scripts/wireshark/drp.lua that describes the DRP header, from the table in drp_header.h.
#include "tlm/drp/drp_header.h"

#include <cstdio>
#include <string>

int main() {
    using namespace rnicsim;
    std::printf("local ETHER_TYPE = 0x%04X\nlocal HEADER_BYTES = %zu\n", kDrpEtherType, kDrpHeaderBytes);
    std::printf("local FIELDS = {\n");
    for (const DrpField& field : kDrpFields) {
        std::printf("  { name = \"%s\", offset = %zu, size = %zu, meaning = \"%s\" },\n",
                    std::string(field.name).c_str(), field.offset, field.size, std::string(field.meaning).c_str());
    }
    std::printf("}\nlocal FLAGS = { -- bits of CTRL\n");
    for (const DrpFlag& flag : kDrpFlags) {
        std::printf("  { name = \"%s\", mask = 0x%02X, is_type = %s },\n", std::string(flag.name).c_str(), flag.mask,
                    (flag.mask & kCtrlTypeMask) != 0 ? "true" : "false");
    }
    std::printf("}\n");
}
