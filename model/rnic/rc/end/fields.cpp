// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/end/fields.h"

#include "model/host/verbs/fields.h"
#include "model/rnic/rc/fields.h"

#include <cstdint>
#include <limits>

namespace rnicsim {
namespace {

Fields<VerbsEndConfig> declare_verbs_end() {
    Fields<VerbsEndConfig> k("system.rnic.rc");
    k.part(&VerbsEndConfig::host, verbs_host_fields());
    k.part(&VerbsEndConfig::card, rc::card_fields());
    k.custom({.path = "pmtu",
              .kind = Kind::bytes,
              .most = std::numeric_limits<std::int64_t>::max(),
              .choices = {"256", "512", "1024", "2048", "4096"},
              .meaning = "payload of every packet but the last; + 64 <= MTU",
              .source = "IBTA vol. 1, 9.2"},
             {.number = rc::QpAttributes{}.path_mtu},
             [](VerbsEndConfig& config, const Value& value) {
                 config.attributes.path_mtu = config.card.transport.port_mtu = static_cast<std::uint32_t>(value.number);
             })
        .in_networks();
    k.custom({.path = "max_rd_atomic",
              .kind = Kind::integer,
              .least = 1,
              .most = 128,
              .meaning = "READs and atomics of a QP outstanding",
              .source = "assumed"},
             {.number = VerbsEndConfig::kReadsOutstanding},
             [](VerbsEndConfig& config, const Value& value) {
                 config.attributes.max_rd_atomic = config.attributes.max_dest_rd_atomic =
                     static_cast<std::uint8_t>(value.number);
             })
        .in_networks();
    k.number("timeout", at(&VerbsEndConfig::attributes, &rc::QpAttributes::timeout), 0, 31,
             "4.096 us x 2^n without progress: sent again; 0: never", "IBTA vol. 1, 9.7.6.1.3; 14 is usual")
        .in_networks();
    k.number("retry_cnt", at(&VerbsEndConfig::attributes, &rc::QpAttributes::retry_cnt), 0, 7,
             "tries after which a QP fails", "usual")
        .in_networks();
    k.number("min_rnr_timer", at(&VerbsEndConfig::attributes, &rc::QpAttributes::min_rnr_timer), 0, 31,
             "code of the time that an RNR NAK asks to wait: 12 is 640 us", "usual")
        .in_networks();
    k.number("rnr_retry", at(&VerbsEndConfig::attributes, &rc::QpAttributes::rnr_retry), 0, 7,
             "the same after RNR NAKs; 7 = endless", "usual")
        .in_networks();
    k.bytes("inline", at(&VerbsEndConfig::host, &VerbsHostConfig::inline_bytes), 0, 220,
            "a payload of at most so many bytes travels in its WQE", "assumed")
        .in_networks();
    return k;
}

}  // namespace

const Fields<VerbsEndConfig>& verbs_end_fields() {
    static const Fields<VerbsEndConfig> kAll = declare_verbs_end();
    return kAll;
}

}  // namespace rnicsim
