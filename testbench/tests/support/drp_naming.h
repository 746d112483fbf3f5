// SPDX-License-Identifier: Apache-2.0
// For a link alone, without a system: only DRP's frames have names.
#pragma once

#include "model/rnic/drp/drp_namer.h"

#include <memory>

namespace rnicsim {

inline FrameNamers drp_namers() {
    FrameNamers namers;
    namers.push_back(std::make_unique<DrpNamer>());
    return namers;
}

inline const FrameNaming& drp_naming() {
    struct Drp final : FrameNaming {
        [[nodiscard]] FrameNamers namers() const override { return drp_namers(); }
    };
    static const Drp kDrp;
    return kDrp;
}

}  // namespace rnicsim
