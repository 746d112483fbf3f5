// SPDX-License-Identifier: Apache-2.0
// What decides about persists in a card: which flush reads there are, and who is told. The model (pm_module.h), or
// Verilog. No time.
#pragma once

#include "tlm/roce/psn.h"

#include <cstdint>
#include <optional>

namespace rnicsim::rc {

using roce::Psn;
using roce::Qpn;

struct PmConfig {
    std::uint32_t outstanding = 1;  ///< flush reads under way, 1 .. PersistEngine::kMostReads
    bool coalesce = false;          ///< one flush read for all whose last write has been posted
    std::uint32_t capacity = 64;    ///< persists held, from 1 on
};

struct PersistRequest {
    Qpn qp;
    Psn psn;                    ///< of the last packet
    std::uint64_t address = 0;  ///< that the flush read is to read: the line of the last byte
};

struct FlushRead {
    std::uint32_t tag = 0;  ///< below PmConfig::outstanding
    std::uint64_t address = 0;
    friend constexpr bool operator==(const FlushRead&, const FlushRead&) = default;
};

/// The QP's persists are persistent up to here.
struct Pack {
    Qpn qp;
    Psn psn;
    friend constexpr bool operator==(const Pack&, const Pack&) = default;
};

class PersistEngine {
  public:
    static constexpr std::uint32_t kMostReads = 16;

    virtual ~PersistEngine() = default;

    /// A persist is held until its PACK is taken, or its QP is dropped. Places are given out in a ring, so that one
    /// that is held keeps the places behind it from their next use.
    [[nodiscard]] virtual bool has_room() const = 0;
    /// The last packet has been taken, its writes are asked for. Precondition: has_room(); each QP's PSNs go up.
    virtual void accept(const PersistRequest& request) = 0;
    /// The last write of the oldest persist for which this has not been said yet. Dropped ones count: they were asked
    /// for. Precondition: there is one.
    virtual void posted() = 0;
    /// To be issued now: for the oldest persist whose last write has been posted, with the lowest free tag. With
    /// `coalesce` it is for all of those, and reads the line of the youngest.
    virtual std::optional<FlushRead> next_read() = 0;
    /// In any order. Precondition: the tag is under way.
    virtual void completed(std::uint32_t tag) = 0;
    /// Of the QP with the oldest persist that can be told of: PACK of the last one that is persistent like all before
    /// it.
    virtual std::optional<Pack> next_pack() = 0;
    /// Error or RESET: what the QP had asked for is forgotten. Tags under way stay taken until they come back.
    virtual void drop(Qpn qp) = 0;

  protected:
    PersistEngine() = default;
    PersistEngine(const PersistEngine&) = default;
    PersistEngine& operator=(const PersistEngine&) = default;
};

}  // namespace rnicsim::rc
