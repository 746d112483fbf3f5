// SPDX-License-Identifier: Apache-2.0
#include "model/host/cpu/store_fields.h"

namespace rnicsim {
namespace {

Fields<StoreConfig> declare_store() {
    Fields<StoreConfig> k("system.host.cpu.store");
    const auto wc = [](auto member) { return at(&StoreConfig::wc, member); };
    k.picoseconds("line", &StoreConfig::line, kPicosecond, kMicrosecond,
                  "processor: a line of 64 B that is copied to another host's memory",
                  "assumed; at most 6.04 ns: ntb_perf's 84.8 Gb/s")
        .in_networks();
    k.picoseconds("word", &StoreConfig::store, kPicosecond, kMicrosecond, "processor: a store of 8 B there", "assumed")
        .in_networks();
    k.picoseconds("evict", &StoreConfig::evict, Time{}, kMicrosecond * 10,
                  "from the decision that a write-combining buffer leaves until it is at the root port",
                  "with the fence 78 ns: Dolphin's SISCI")
        .in_networks();
    k.picoseconds("fence", &StoreConfig::fence, kPicosecond, kMicrosecond * 10,
                  "processor: from the last line at the root port to the fence's end",
                  "with evict 78 ns: Dolphin's SISCI")
        .in_networks();
    k.number("buffers", wc(&WriteCombining::Config::buffers), 1, 64, "write-combining buffers of a core, a line each",
             "Intel Core: the fill buffers")
        .in_networks();
    k.choice<PartialLine>("partial", wc(&WriteCombining::Config::partial), words_of<PartialLine>(kPartialLineNames),
                          "how a line leaves that is not full: in chunks of 8 B, or at once", "Intel SDM 3A, 11.3.1")
        .in_networks();
    k.choice<Mapping>("mapping", &StoreConfig::mapping, words_of<Mapping>(kMappingNames),
                      "of a window: stores are combined in buffers, or each 8 B are a TLP of their own",
                      "Intel SDM 3A, 11.3")
        .in_networks();
    k.picoseconds("uncached", &StoreConfig::uc_gap, kPicosecond, kMicrosecond * 10,
                  "processor: from an uncached store to the next one", "assumed: of 50 to 300 ns on Intel's processors")
        .in_networks();
    return k;
}

Fields<RootPortConfig> declare_root_port() {
    Fields<RootPortConfig> k("system.host.root_port");
    k.picoseconds(
         "down", &RootPortConfig::down, Time{}, kMicrosecond,
         "a core's store on its way to a root port; what the driver writes to the card has it in its own costs",
         "assumed")
        .in_networks();
    k.number("posted", &RootPortConfig::posted, 1, 256, "stores of cores that a root port keeps", "assumed")
        .in_networks();
    k.picoseconds("completion_timeout", &RootPortConfig::completion_timeout, kMicrosecond * 50, kSecond * 64,
                  "after which a core's load that nobody answers is given up, and reads all ones",
                  "PCI Express Base Specification 2.8: its default range ends there")
        .in_networks();
    return k;
}

}  // namespace

const Fields<StoreConfig>& store_fields() {
    static const Fields<StoreConfig> kAll = declare_store();
    return kAll;
}

const Fields<RootPortConfig>& root_port_fields() {
    static const Fields<RootPortConfig> kAll = declare_root_port();
    return kAll;
}

}  // namespace rnicsim
