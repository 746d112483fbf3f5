// Settings with which no transfer can succeed, whatever the seed.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

#include <array>
#include <span>

namespace rnicsim {

/// Throws ScenarioError, with the place of the key, if every transfer of one of the methods would fail. What only a
/// simulation shows is reported after it (results/hopeless.h). `ends`, `common`: where the configuration is from.
void check_ends_talk(const RunConfig& config, std::span<const Method> methods, std::array<Lookup, 2>& ends,
                     Lookup& common);

}  // namespace rnicsim
