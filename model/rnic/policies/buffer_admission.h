// Which early data gets a free slot of the indirect buffer (PROTOCOL.md 6.4).
#pragma once

#include "model/policy.h"

#include <cstdint>

namespace rnicsim {

class BufferAdmission : public Policy {
  public:
    /// A frame inside the window, its SN `ahead` above the next one expected; 0 = it is that one. A frame that is not
    /// admitted is dropped, counted as if the buffer were full, and not acknowledged.
    [[nodiscard]] virtual bool admits(std::uint32_t ahead) const = 0;
};

/// system.rnic.transport.buffer_admission. Throws std::invalid_argument.
const BufferAdmission& buffer_admission(std::string_view name);
std::vector<std::string_view> buffer_admission_names();

}  // namespace rnicsim
