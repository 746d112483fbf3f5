// SPDX-License-Identifier: Apache-2.0
// Which message, or item of a scheme, a text names.
#pragma once

#include "model/config.h"
#include "testbench/observe/message_ladder.h"

#include <optional>
#include <string>

namespace rnicsim::runner {

/// "a.q0.7", of a system with RoCEv2 RNICs; nothing if it has none, or also DRP RNICs and the text is of these. Throws
/// ScenarioError.
std::optional<MessageName> chosen_message(const RunConfig& config, const std::string& text);

/// Has it a scheme?
bool is_of_scheme(const RunConfig& config, const MessageName& message);

}  // namespace rnicsim::runner
