// SPDX-License-Identifier: Apache-2.0
// Which frames are lost: independently, or in bursts. A new process is a class here and a name in the list.
#pragma once

#include "model/faults/config.h"
#include "model/faults/frame_name.h"
#include "model/random.h"

#include <memory>
#include <string_view>
#include <vector>

namespace rnicsim {

class LossProcess {
  public:
    virtual ~LossProcess() = default;
    /// Can it lose any frame?
    [[nodiscard]] virtual bool active() const = 0;
    /// Is this frame lost? Called once for each frame, per direction in order.
    virtual bool loses(const FrameName& name) = 0;
};

/// The one that system.link.loss_process names. Throws std::invalid_argument.
std::unique_ptr<LossProcess> make_loss_process(const LinkFaultConfig& config, const RandomSource& random);
std::vector<std::string_view> loss_process_names();

}  // namespace rnicsim
