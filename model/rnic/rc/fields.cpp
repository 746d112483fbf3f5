// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/fields.h"

#include "model/rnic/common/fields.h"
#include "model/rnic/rc/congestion/dcqcn/fields.h"

#include <string_view>

namespace rnicsim::rc {
namespace {

constexpr std::string_view kDcqcnPaper = "Zhu et al. 2015";

Fields<PersistConfig> declare_pm() {
    Fields<PersistConfig> k("system.rnic.rc.pm");
    k.number("outstanding", &PersistConfig::outstanding, 1, 16, "flush reads at once", "VERBS.md V-P2").in_networks();
    k.number("capacity", &PersistConfig::capacity, 1, 4096,
             "FLUSHes and WRITE_PERSISTs that are not durable yet; while there are so many the next one "
             "waits, and what is behind it",
             "assumed")
        .in_networks();
    k.flag("coalesce", &PersistConfig::coalesce, "one flush read for all that was written before it", "VERBS.md V-P2")
        .in_networks();
    k.flag("read_bypass", &PersistConfig::read_bypass,
           "the flush read does not wait for the last bytes: wrong, to see it", "VERBS.md V-P2")
        .in_networks();
    k.flag("data_no_snoop", &PersistConfig::data_no_snoop,
           "payload goes to memory with the attribute NS, which keeps it out of the LLC where the root port "
           "minds it (host.persistence.no_snoop_write)",
           "PCIe base specification 2.2.6.5")
        .in_networks();
    k.flag("flush_no_snoop", &PersistConfig::flush_no_snoop,
           "the flush read has NS: it changes nothing, as it writes nothing", "patent, S906")
        .in_networks();
    k.flag("relaxed_data", &PersistConfig::relaxed_data,
           "payload goes to memory with relaxed ordering: later writes may pass it", "PCIe base specification 2.4.1")
        .in_networks();
    k.flag("relaxed_cqe", &PersistConfig::relaxed_cqe, "CQEs go to memory with relaxed ordering: they may pass payload",
           "PCIe base specification 2.4.1")
        .in_networks();
    k.number("flush_class", &PersistConfig::flush_class, 0, 7,
             "traffic class of the flush read; payload has 0, and is passed by another class",
             "PCIe base specification 2.4.1")
        .in_networks();
    k.choice<bool>("flush_target", &PersistConfig::same_line, {{"dram", false}, {"same_line", true}},
                   "what a flush read reads: a line of DRAM, or the one that was written last", "assumed")
        .in_networks();
    k.number("hold", &PersistConfig::hold, 0, 4096,
             "scheme fig11: persist ACKs of a QP that may wait for a receive WQE; others are dropped", "VERBS.md V-P7")
        .in_networks();
    k.picoseconds("timer", &PersistConfig::timer, Time{}, kMillisecond * 1000,
                  "a WRITE_PERSIST with an ACK and no PACK is repeated; 0 ns: never", "VERBS.md V-P4")
        .in_networks();
    k.picoseconds(
         "firmware", &PersistConfig::firmware, Time{}, kMillisecond,
         "what makes data durable is firmware and needs so long, rounded up to a cycle, to begin a flush read, "
         "for one that has come back, and to tell the processor (fig11), one after the other; 0 ns: logic",
         "patent, figure 6: a gate array, or software that runs in the RNIC")
        .in_networks();
    return k;
}

const Fields<PersistConfig>& pm_fields() {
    static const Fields<PersistConfig> kAll = declare_pm();
    return kAll;
}

Fields<InVerilog> declare_blocks() {
    Fields<InVerilog> k("system.rnic.rc.simulated_by");
    for (const CardBlockRow& block : kCardBlocks) {
        k.choice<bool>(block.name, block.chosen, {{"model", false}, {"rtl", true}}, block.what, "-").in_networks();
    }
    return k;
}

const Fields<InVerilog>& block_fields() {
    static const Fields<InVerilog> kAll = declare_blocks();
    return kAll;
}

Fields<CardConfig> declare_protocol() {
    Fields<CardConfig> k("system.rnic.rc");
    k.clocked_by(&CardConfig::clock);
    k.number("window", at(&CardConfig::transport, &RcConfig::window), 1, 8'388'608,
             "PSNs of a QP outstanding, at most; 8388608: no bound but that of the numbers, as cards have it. "
             "IRN bounds them by the bandwidth-delay product",
             "IBTA vol. 1, 9.7.2: half of the PSNs")
        .in_networks();
    k.number("ack_interval", at(&CardConfig::transport, &RcConfig::ack_interval), 1, 4096,
             "packets of a QP between two that ask for an ACK", "assumed")
        .in_networks();
    k.policy<Retransmission>("retransmission", at(&CardConfig::transport, &RcConfig::retransmission), &retransmission,
                             retransmission_names(), "what a loss repeats", "VERBS.md V-C4")
        .in_networks();
    k.policy<Acknowledgement>("acknowledgement", at(&CardConfig::transport, &RcConfig::acknowledgement),
                              &acknowledgement, acknowledgement_names(),
                              "whether a newer ACK replaces one that waits for the port", "VERBS.md V-S4")
        .in_networks();
    k.policy<CongestionAlgorithm>(
         "congestion", at(&CardConfig::transport, &RcConfig::congestion), &congestion_control,
         congestion_control_names(),
         "what bounds the rate of a QP, or its window; one that hears of marks is needed at both ends", "VERBS.md V-D1")
        .in_networks();
    k.flag("nak_cnp", at(&CardConfig::transport, &RcConfig::nak_cnp),
           "with marks heard: a NAK of a gap brings a CNP, too", "VERBS.md V-D6")
        .in_networks();
    k.picoseconds("cnp_interval", at(&CardConfig::transport, &RcConfig::cnp_interval), Time{}, kMillisecond * 1000,
                  "with marks heard: from a CNP of a QP to its next, at least", kDcqcnPaper)
        .in_networks();
    k.picoseconds("packet_interval", &CardConfig::packet_interval, Time{}, kMillisecond,
                  "from a decision about a packet to the next, each way", "derived: 8 cycles")
        .in_networks();
    k.picoseconds("qp_interval", &CardConfig::qp_interval, Time{}, kMillisecond, "from a WQE of a QP to its next",
                  "assumed")
        .in_networks();
    k.picoseconds("tx_path", &CardConfig::tx_path, Time{}, kMillisecond, "packet with its payload to MAC", "assumed")
        .in_networks();
    k.picoseconds("rx_path", &CardConfig::rx_path, Time{}, kMillisecond, "MAC to the decision about a packet",
                  "assumed")
        .in_networks();
    k.choice<bool>("mode", &CardConfig::cut_through, {{"store_and_forward", false}, {"cut_through", true}},
                   "cut_through: a payload is on the wire while its rest comes from memory, and on its way to memory "
                   "while its rest comes from the wire; the last TLP waits for FCS and ICRC",
                   "model/rnic/rc/README.md, \"Times\"")
        .in_networks();
    k.picoseconds("loopback", &CardConfig::loopback, Time{}, kMillisecond,
                  "a frame to the card's own host: its last byte has left at the port's rate, until it has "
                  "come as one from the MAC",
                  "assumed")
        .in_networks();
    k.picoseconds("atomic_busy", &CardConfig::atomic_busy, Time{}, kMillisecond,
                  "the atomic unit rests so long after each answer", "assumed")
        .in_networks();
    k.choice<bool>("atomic_order", &CardConfig::atomics_by_address, {{"card", false}, {"address", true}},
                   "which atomics wait for each other: all of a card, as those of early ones, or those of a word",
                   "VERBS.md V-S8")
        .in_networks();
    k.bytes("cache", at(&CardConfig::cache, &CacheConfig::bytes), 6144, 1 << 30,
            "on-chip memory for contexts of QPs and CQs, regions and page tables: sets of 6144 B; the "
            "rest is read by DMA",
            "assumed")
        .in_networks();
    k.number("cache_misses", at(&CardConfig::cache, &CacheConfig::misses), 1, 256, "such reads at once", "assumed")
        .in_networks();
    k.bytes("tx_buffer", &CardConfig::tx_buffer, 1518, 64 << 20, "frames between decision and wire",
            "BCM5718: 22 KiB transmit memory")
        .in_networks();
    k.bytes("rx_buffer", &CardConfig::rx_buffer, 1518, 64 << 20,
            "frames between wire and DMA; one that finds no room is lost", "BCM5718: 40 KiB receive memory")
        .in_networks();
    k.part(at(&CardConfig::transport, &RcConfig::dcqcn), dcqcn_fields());
    k.part(at(&CardConfig::transport, &RcConfig::persist), pm_fields());
    k.part(&CardConfig::in_verilog, block_fields());
    return k;
}

const Fields<CardConfig>& protocol_fields() {
    static const Fields<CardConfig> kAll = declare_protocol();
    return kAll;
}

Fields<CardConfig> declare_card() {
    Fields<CardConfig> k("system.rnic");
    Fields<CardConfig> mac("system.rnic.gmac");
    const auto whole = [](auto& config) -> auto& { return config; };
    k.picoseconds("clock", &CardConfig::clock, kPicosecond * 100, kNanosecond * 8,
                  "of a RoCEv2 RNIC; its times are whole cycles", "GMII: 125 MHz")
        .in_networks();
    k.clocked_by(&CardConfig::clock);
    k.part(&CardConfig::gmac, gmac_fields());
    declare_pause_reaction(mac, &CardConfig::pause_reaction);
    k.part(whole, mac);
    k.part(&CardConfig::pcie, pcie_fields());
    k.part(whole, protocol_fields());
    return k;
}

}  // namespace

const Fields<CardConfig>& card_fields() {
    static const Fields<CardConfig> kAll = declare_card();
    return kAll;
}

}  // namespace rnicsim::rc
