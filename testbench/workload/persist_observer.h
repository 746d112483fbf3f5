// What the programs of items with a scheme do and are told: for who judges them, and for power cuts.
#pragma once

#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>

namespace rnicsim {

/// `connection`: its number among those with a scheme in the layout. `item`: number of the data, from 0, of it.
class PersistObserver {
  public:
    virtual ~PersistObserver() = default;
    /// Their initiator begins to post them.
    virtual void posted(std::size_t connection, std::uint32_t item, Time begins) = 0;
    /// It is told that they are written.
    virtual void told_written(std::size_t connection, std::uint32_t item, Time now) = 0;
    /// ... that they are durable.
    virtual void told_persisted(std::size_t connection, std::uint32_t item, Time now) = 0;
};

}  // namespace rnicsim
