// SPDX-License-Identifier: Apache-2.0
// For a link alone: no packet belongs to a connection.
#pragma once

#include "model/network/link/qp_directory.h"

namespace rnicsim {

inline const QpDirectory& no_qps() {
    struct None final : QpDirectory {
        [[nodiscard]] std::optional<Requester> requester(unsigned, roce::Qpn, bool) const override { return {}; }
    };
    static const None none;
    return none;
}

}  // namespace rnicsim
