// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/fields.h"

#include "tlm/ethernet/frame.h"

#include <cstdint>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::int64_t kGibibyte = 1 << 30;

/// Of what is free.
std::vector<Word<double>> shares() {
    return {{"1/64", 1.0 / 64}, {"1/32", 1.0 / 32}, {"1/16", 1.0 / 16}, {"1/8", 1.0 / 8}, {"1/4", 1.0 / 4},
            {"1/2", 1.0 / 2},   {"1", 1},           {"2", 2},           {"4", 4},         {"8", 8},
            {"16", 16},         {"32", 32},         {"64", 64}};
}

Fields<SwitchConfig> declare_switch() {
    Fields<SwitchConfig> k("system.switch");
    k.picoseconds("latency", &SwitchConfig::latency, kNanosecond * 8, kMillisecond,
                  "last bit of a frame in to the frame ready for its port (store and forward)",
                  "assumed: no measured figure of a Gigabit switch was found")
        .in_networks();
    k.bytes("buffer", &SwitchConfig::buffer, 2 << 10, kGibibyte, "memory, shared by the queues of all ports",
            "RTL8305S: 1 Mbit")
        .in_networks();
    k.bytes("cell", &SwitchConfig::cell, 1, 512, "a frame takes whole cells of it", "assumed: none").in_networks();
    k.bytes("reserve", &SwitchConfig::reserve, 0, 1 << 20, "of each port, which no other one can take",
            "assumed: none; a frame a port would be 98 of 128 KiB at 64 ports")
        .in_networks();
    k.choice<Admission>(
         "admission", &SwitchConfig::admission, {{"dynamic", Admission::dynamic}, {"static", Admission::fixed_limit}},
         "a queue takes at most alpha times what is free, or at most queue_limit", "Choudhury and Hahne 1998")
        .in_networks();
    k.choice<double>("alpha", &SwitchConfig::alpha, shares(), "dynamic: share of what is free", "ConWeave: 1")
        .in_networks();
    k.bytes("queue_limit", &SwitchConfig::queue_limit, 1518, kGibibyte, "static: of a port's queue", "assumed")
        .in_networks();
    k.bytes("mtu", &SwitchConfig::mtu, 46, kJumboMtu, "largest MAC client data; larger frames are dropped",
            "IEEE 802.3 3.2.7")
        .in_networks();
    k.choice<SwitchMode>(
         "mode", &SwitchConfig::mode,
         {{"store_and_forward", SwitchMode::store_and_forward}, {"cut_through", SwitchMode::cut_through}},
         "cut_through: a frame goes on as soon as its header is in, if its port is idle and not faster; "
         "a wrong FCS goes with it",
         "-")
        .in_networks();
    k.choice<bool>("table", &SwitchConfig::learning, {{"static", false}, {"learning", true}},
                   "static: the ways are known; learning: the port of a host is that by which its frames come, and "
                   "frames to unknown ones leave by all",
                   "IEEE 802.1Q 8.7")
        .in_networks();
    k.time("ageing", &SwitchConfig::ageing, kNanosecond * 8, kSecond * 1000, "learning: a host is forgotten then",
           "IEEE 802.1Q 8.8.3")
        .in_networks();
    k.number("priorities", &SwitchConfig::priorities, 1, 8,
             "queues of each port; a frame's is its traffic class x priorities / 8", "IEEE 802.1Q")
        .in_networks();
    k.choice<Scheduler>("scheduler", &SwitchConfig::scheduler, {{"strict", Scheduler::strict}, {"drr", Scheduler::drr}},
                        "which queue is next: the highest, or each in turn (deficit round robin)",
                        "Shreedhar and Varghese 1996")
        .in_networks();
    k.integer_list("weights", &SwitchConfig::weights, 1, 256,
                   "drr: of each queue, from priority 0, in frames of the MTU; [] = 1 each", "-")
        .in_networks();
    k.picoseconds("pause_reaction", &SwitchConfig::pause_reaction, Time{}, kMillisecond,
                  "from a pause frame until no frame of the class begins; 0 ns = the longest that the rate allows",
                  "IEEE 802.3 31B.3.7")
        .in_networks();
    k.choice<EcnConfig::At>(
         "ecn.at", at(&SwitchConfig::ecn, &EcnConfig::at),
         {{"off", EcnConfig::At::off}, {"enqueue", EcnConfig::At::enqueue}, {"dequeue", EcnConfig::At::dequeue}},
         "when a frame (ECT) may get a mark of congestion, by the length of its queue",
         "RFC 3168; HPCC marks at dequeue")
        .in_networks();
    k.bytes("ecn.kmin", at(&SwitchConfig::ecn, &EcnConfig::kmin), 0, kGibibyte,
            "up to here none does; 0 B = 4 KB for each Gb/s of the port", "HPCC, run.py")
        .in_networks();
    k.bytes("ecn.kmax", at(&SwitchConfig::ecn, &EcnConfig::kmax), 0, kGibibyte,
            "from here on each one does; 0 B = 16 KB for each Gb/s", "HPCC, run.py")
        .in_networks();
    k.probability("ecn.pmax", at(&SwitchConfig::ecn, &EcnConfig::pmax),
                  "chance just below kmax; linear between the two", "HPCC, run.py")
        .in_networks();
    k.custom({.path = "pfc.classes",
              .kind = Kind::integer_list,
              .least = 0,
              .most = 7,
              .meaning = "lossless traffic classes: their senders are paused before the buffer is full",
              .source = "IEEE 802.1Qbb"},
             {.text = "[]"},
             [](SwitchConfig& config, const Value& value) {
                 for (const std::uint32_t of_class : value.list)
                     config.pfc.classes = static_cast<std::uint8_t>(config.pfc.classes | 1U << of_class);
             })
        .in_networks();
    k.bytes("pfc.xoff", at(&SwitchConfig::pfc, &PfcConfig::xoff), 0, kGibibyte,
            "of a port and class in the switch, above which its sender pauses; 0 B = by pfc.alpha", "ConWeave, HPCC")
        .in_networks();
    k.choice<double>("pfc.alpha", at(&SwitchConfig::pfc, &PfcConfig::alpha), shares(),
                     "share of what is free, above which it does", "HPCC: 1/8")
        .in_networks();
    k.bytes("pfc.xon_below", at(&SwitchConfig::pfc, &PfcConfig::xon_below), 1, kGibibyte, "so much below it goes on",
            "mlxsw: two frames")
        .in_networks();
    k.bytes("pfc.headroom", at(&SwitchConfig::pfc, &PfcConfig::headroom), 0, kGibibyte,
            "of each port and lossless class for what still comes then; 0 B = as much as may come", "see model/README")
        .in_networks();
    k.flag("pfc.unchecked", at(&SwitchConfig::pfc, &PfcConfig::unchecked),
           "headroom may be too small, so that frames of lossless classes are dropped", "-")
        .in_networks();
    k.number("pfc.quanta", at(&SwitchConfig::pfc, &PfcConfig::quanta), 1, 65535,
             "of 512 bit times: a pause's length; it is said again at half of it", "IEEE 802.1Qbb")
        .in_networks();
    return k;
}

}  // namespace

const Fields<SwitchConfig>& switch_fields() {
    static const Fields<SwitchConfig> kAll = declare_switch();
    return kAll;
}

}  // namespace rnicsim
