// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/unread_keys.h"

#include <array>
#include <cstdint>

namespace rnicsim {
namespace {

bool is_static(const Part& part) { return part.of_switch().admission == Admission::fixed_limit; }
bool is_dynamic(const Part& part) { return part.of_switch().admission == Admission::dynamic; }
bool all_is_lossless(const Part& part) { return part.of_switch().pfc.classes == 0xFF; }
bool does_not_learn(const Part& part) { return !part.of_switch().learning; }
bool has_one_queue(const Part& part) { return part.of_switch().priorities == 1; }
bool no_packet_is_markable(const Part& part) { return !part.use.of_switch(part.number).markable; }
bool does_not_mark(const Part& part) { return part.of_switch().ecn.at == EcnConfig::At::off; }
bool marks_none_or_all(const Part& part) {
    return part.of_switch().ecn.kmin != 0 && part.of_switch().ecn.kmin == part.of_switch().ecn.kmax;
}
bool nothing_is_lossless(const Part& part) { return part.of_switch().pfc.classes == 0; }
bool xoff_is_fixed(const Part& part) { return part.of_switch().pfc.xoff != 0; }
bool port_is_not_paused(const Part& part) {
    return !may_be_paused(part.config, {Node::Kind::network_switch, static_cast<unsigned>(part.number)});
}
/// All frames are of one queue, so none goes before another.
bool one_queue_is_used(const Part& part) {
    std::uint32_t queues = 0;
    for (unsigned of_class = 0; of_class < 8; ++of_class) {
        if ((part.use.of_switch(part.number).classes >> of_class & 1U) != 0)
            queues |= 1U << part.of_switch().priority_of(of_class);
    }
    return (queues & (queues - 1)) == 0;
}
/// As with one queue a port: no class is lossless, which would count its own, and none keeps a reserve.
bool spare_queues_are_empty(const Part& part) {
    return !has_one_queue(part) && nothing_is_lossless(part) && part.of_switch().reserve == 0 &&
           one_queue_is_used(part);
}

constexpr std::string_view kAdmission = "system.switch.admission", kPriorities = "system.switch.priorities",
                           kEcn = "system.switch.ecn.at", kClasses = "system.switch.pfc.classes",
                           kCongestion = "system.rnic.rc.congestion", kClassOfFrames = "run.class";
constexpr std::string_view kToMarkable = ": dcqcn, or run.ecn: true of plain hosts";
constexpr std::string_view kOneClass = "all frames that pass it are of one queue";
constexpr std::string_view kToOther = " or run.dscp that differs between items";
constexpr std::string_view kLossless = "all classes are lossless, and what they send is stopped before that";

constexpr std::array kSwitchRules = std::to_array<UnreadRule>({
    {"system.switch.alpha", is_static, "admission is static", kAdmission, ": dynamic"},
    {"system.switch.queue_limit", is_dynamic, "admission is dynamic", kAdmission, ": static"},
    {kAdmission, all_is_lossless, kLossless, kClasses, " without one of them"},
    {"system.switch.alpha", all_is_lossless, kLossless, kClasses, " without one of them"},
    {"system.switch.queue_limit", all_is_lossless, kLossless, kClasses, " without one of them"},
    {"system.switch.ageing", does_not_learn, "its table is static", "system.switch.table", ": learning"},
    {kPriorities, spare_queues_are_empty, "all frames that pass it are of one queue, and no class is lossless",
     kClassOfFrames, kToOther, But::programs},
    {"system.switch.scheduler", has_one_queue, "each port has one queue", kPriorities, " of 2 or more"},
    {"system.switch.weights", has_one_queue, "each port has one queue", kPriorities, " of 2 or more"},
    {"system.switch.scheduler", one_queue_is_used, kOneClass, kClassOfFrames, kToOther, But::programs},
    {"system.switch.weights", one_queue_is_used, kOneClass, kClassOfFrames, kToOther, But::programs},
    {"system.switch.pause_reaction", port_is_not_paused,
     "no switch beside it has lossless classes, and so none pauses it", kClasses, " of one"},
    {"system.switch.ecn.", no_packet_is_markable, "no frame that passes it may be marked", kCongestion, kToMarkable},
    {"system.switch.ecn.kmin", does_not_mark, "it marks no frame", kEcn, ": enqueue or dequeue"},
    {"system.switch.ecn.kmax", does_not_mark, "it marks no frame", kEcn, ": enqueue or dequeue"},
    {"system.switch.ecn.pmax", does_not_mark, "it marks no frame", kEcn, ": enqueue or dequeue"},
    {"system.switch.ecn.pmax", marks_none_or_all, "no queue is between kmin and kmax", "system.switch.ecn.kmax",
     " of more than kmin"},
    {"system.switch.pfc.alpha", xoff_is_fixed, "pfc.xoff says when senders pause", "system.switch.pfc.xoff", ": 0 B"},
    {"system.switch.pfc.xoff", nothing_is_lossless, "no class is lossless", kClasses, ", such as [3]"},
    {"system.switch.pfc.alpha", nothing_is_lossless, "no class is lossless", kClasses, ", such as [3]"},
    {"system.switch.pfc.xon_below", nothing_is_lossless, "no class is lossless", kClasses, ", such as [3]"},
    {"system.switch.pfc.headroom", nothing_is_lossless, "no class is lossless", kClasses, ", such as [3]"},
    {"system.switch.pfc.unchecked", nothing_is_lossless, "no class is lossless", kClasses, ", such as [3]"},
    {"system.switch.pfc.quanta", nothing_is_lossless, "no class is lossless", kClasses, ", such as [3]"},
});

}  // namespace

std::span<const UnreadRule> unread_of_switches() { return kSwitchRules; }

}  // namespace rnicsim
