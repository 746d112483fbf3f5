// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/plain/fields.h"

#include "model/rnic/common/fields.h"

namespace rnicsim {
namespace {

Fields<PlainEndConfig> declare_plain() {
    Fields<PlainEndConfig> k("system.rnic.gmac");
    declare_mtu(k, &PlainEndConfig::mtu);
    declare_pause_reaction(k, &PlainEndConfig::reaction);
    return k;
}

}  // namespace

const Fields<PlainEndConfig>& plain_fields() {
    static const Fields<PlainEndConfig> kAll = declare_plain();
    return kAll;
}

}  // namespace rnicsim
