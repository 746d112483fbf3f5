// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/common/fields.h"

namespace rnicsim {
namespace {

Fields<GmacConfig> declare_gmac() {
    Fields<GmacConfig> k("system.rnic.gmac");
    k.picoseconds("tx_latency", &GmacConfig::tx_latency, kNanosecond * 8, kNanosecond * 672,
                  "frame given to the MAC to its first preamble byte", "derived: 4 cycles");
    k.picoseconds("rx_latency", &GmacConfig::rx_latency, Time{}, kMillisecond,
                  "last FCS byte to the frame handed on (store and forward)", "derived: 2 cycles");
    declare_mtu(k, &GmacConfig::mtu);
    return k;
}

Fields<PcieConfig> declare_pcie() {
    Fields<PcieConfig> k("system.rnic.pcie");
    k.number("generation", &PcieConfig::generation, 1, 3, "1: 2.5 GT/s, 2: 5 GT/s, 3: 8 GT/s a lane",
             "BCM5718 class devices");
    k.one_of(Kind::integer, "lanes", &PcieConfig::lanes, {"1", "2", "4", "8", "16"}, "width of the link",
             "BCM5718 class devices");
    k.one_of(Kind::bytes, "max_payload", &PcieConfig::max_payload, {"128", "256", "512", "1024", "2048", "4096"},
             "MPS: largest payload of a TLP", "PCIe 7.8.4");
    k.one_of(Kind::bytes, "max_read_request", &PcieConfig::max_read_request,
             {"128", "256", "512", "1024", "2048", "4096"}, "MRRS: largest MRd", "PCIe 7.8.4");
    k.one_of(Kind::bytes, "read_completion_boundary", &PcieConfig::read_completion_boundary, {"64", "128"},
             "RCB: where split completions may be cut", "PCIe 2.3.1.1");
    k.number("tags", &PcieConfig::tags, 1, 256, "MRd outstanding at once", "PCIe 2.2.6.2");
    k.picoseconds("latency", &PcieConfig::latency, kNanosecond * 8, kMillisecond,
                  "last byte of a TLP sent to acted upon, one way",
                  "derived: 64 B DMA read of about 550 ns (pcie-bench)");
    k.picoseconds("request_overhead", &PcieConfig::request_overhead, Time{}, kMillisecond,
                  "set-up of one DMA request (not of a TLP)", "assumed: 10 cycles");
    return k;
}

}  // namespace

const Fields<GmacConfig>& gmac_fields() {
    static const Fields<GmacConfig> kAll = declare_gmac();
    return kAll;
}

const Fields<PcieConfig>& pcie_fields() {
    static const Fields<PcieConfig> kAll = declare_pcie();
    return kAll;
}

}  // namespace rnicsim
