// SPDX-License-Identifier: Apache-2.0
// Which message, item of a scheme or operation of an application a text names.
#pragma once

#include "model/config.h"
#include "testbench/applications/application.h"
#include "testbench/observe/message_ladder.h"

#include <optional>
#include <string>

namespace rnicsim::runner {

/// "a.q0.7", of a system with RoCEv2 RNICs; nothing if it has none, or also DRP RNICs and the text is of these. Throws
/// ScenarioError.
std::optional<MessageName> chosen_message(const RunConfig& config, const std::string& text);

/// Has it a scheme?
bool is_of_scheme(const RunConfig& config, const MessageName& message);
/// Whose operation it is; nullptr: it is a message.
const applications::Application* application_of(const RunConfig& config, const MessageName& message);

}  // namespace rnicsim::runner
