// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/end/fields.h"

#include "model/rnic/drp/fields.h"
#include "model/rnic/drp/host/fields.h"

namespace rnicsim {
namespace {

Fields<DrpEndConfig> declare_drp_end() {
    Fields<DrpEndConfig> k("system");
    k.part(&DrpEndConfig::host, host_fields());
    k.part(&DrpEndConfig::rnic, rnic_fields());
    return k;
}

}  // namespace

const Fields<DrpEndConfig>& drp_end_fields() {
    static const Fields<DrpEndConfig> kAll = declare_drp_end();
    return kAll;
}

}  // namespace rnicsim
