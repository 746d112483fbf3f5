// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/congestion/dcqcn/fields.h"

#include <string_view>

namespace rnicsim::rc {
namespace {

constexpr std::string_view kZhu = "Zhu et al. 2015";

Fields<DcqcnConfig> declare_dcqcn() {
    Fields<DcqcnConfig> k("system.rnic.rc.dcqcn");
    k.number("g", &DcqcnConfig::g, 1, 1023, "g, the weight of news in alpha, is n/1024", "Zhu et al. 2015: 1/256")
        .in_networks();
    k.number("first_alpha", &DcqcnConfig::first_alpha, 1, 1024, "alpha at the first CNP is n/1024", kZhu).in_networks();
    k.choice<AlphaUpdate>("alpha_update", &DcqcnConfig::alpha_update,
                          {{"cnp", AlphaUpdate::cnp}, {"period", AlphaUpdate::period}},
                          "alpha grows with each CNP, or once each alpha_timer in which one came", kZhu)
        .in_networks();
    k.picoseconds("reduction_interval", &DcqcnConfig::reduction_interval, Time{}, kMillisecond * 1000,
                  "the rate falls at the end of one in which a CNP came; 0: with each CNP", kZhu)
        .in_networks();
    k.choice<TargetUpdate>("target_update", &DcqcnConfig::target_update,
                           {{"reduction", TargetUpdate::reduction}, {"timer", TargetUpdate::timer}},
                           "a reduction makes the rate the target: always, or only if rate_timer has raised it since",
                           kZhu)
        .in_networks();
    k.picoseconds("alpha_timer", &DcqcnConfig::alpha_timer, kMicrosecond, kMillisecond * 1000,
                  "so long without a CNP, and alpha falls", kZhu)
        .in_networks();
    k.picoseconds("rate_timer", &DcqcnConfig::rate_timer, kMicrosecond, kMillisecond * 1000,
                  "the rate of a QP that was slowed down rises each time", kZhu)
        .in_networks();
    k.bytes("byte_counter", &DcqcnConfig::byte_counter, 10'000, 1 << 30,
            "... and each time so many bytes have been sent, as on the wire", kZhu)
        .in_networks();
    k.number("fast_recovery", &DcqcnConfig::fast_recovery, 1, 1000, "F: so many events of a kind halve the way back",
             kZhu)
        .in_networks();
    k.bit_rate("additive_increase", &DcqcnConfig::additive_increase, 1000, "of each event after these", kZhu)
        .in_networks();
    k.bit_rate("hyper_increase", &DcqcnConfig::hyper_increase, 1000, "when there were more than F of both kinds", kZhu)
        .in_networks();
    k.bit_rate("least_rate", &DcqcnConfig::least_rate, 1'000'000, "a QP is never slower; at most the link's",
               "Zhu's ns-3 model: MinRate")
        .in_networks();
    return k;
}

}  // namespace

const Fields<DcqcnConfig>& dcqcn_fields() {
    static const Fields<DcqcnConfig> kAll = declare_dcqcn();
    return kAll;
}

}  // namespace rnicsim::rc
