// SPDX-License-Identifier: Apache-2.0
// The DRP header of a frame.
#pragma once

#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/frame.h"

namespace rnicsim {

struct DrpView {
    explicit DrpView(const Frame& frame) : error(decode(frame.client_data(), header)) {}

    DrpHeader header;  ///< unspecified where there is an error
    DrpError error;
};

/// Precondition: frame.ether_type() == kDrpEtherType.
inline const DrpView& drp_of(const Frame& frame) { return frame.as<DrpView>(); }
inline bool is_drp(const Frame& frame) {
    return frame.ether_type() == kDrpEtherType && drp_of(frame).error == DrpError::none;
}

}  // namespace rnicsim
