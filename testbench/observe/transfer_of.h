// SPDX-License-Identifier: Apache-2.0
// The transfer that an event belongs to, and the frame that it is about.
#pragma once

#include "model/host_names.h"
#include "model/rnic/drp/tid_sequence.h"
#include "testbench/events/event_log.h"
#include "tlm/drp/drp_header.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {

/// A transfer: the n-th that an end has asked for, from 0. TIDs wrap, this does not.
struct TransferName {
    unsigned initiator = 0;
    std::uint64_t number = 0;

    friend auto operator<=>(const TransferName&, const TransferName&) = default;
    /// "a7"
    [[nodiscard]] std::string text(const HostNames& hosts) const { return hosts.transfer(initiator, number); }
};

/// The DRP header of the frame that the event is about; nullptr if it is about none.
const DrpHeader* header_of(const LoggedEvent& event);

/// Names the transfers of a run's events. It has to get all events, in their order.
class TransferNames {
  public:
    explicit TransferNames(std::size_t hosts) : numbers_(hosts) {}
    std::optional<TransferName> of(const LoggedEvent& event);

  private:
    std::vector<TidSequence> numbers_;  // by initiator
};

}  // namespace rnicsim
