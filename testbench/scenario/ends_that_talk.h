// Settings with which no transfer can succeed, whatever the seed.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

#include <span>

namespace rnicsim {

/// Throws ScenarioError, with the place of the key, if every transfer of one of the methods would fail. What only a
/// simulation shows is reported after it (results/hopeless.h). `in`: where the configuration is from.
void check_ends_talk(const RunConfig& config, std::span<const Method> methods, Lookups& in);

}  // namespace rnicsim
