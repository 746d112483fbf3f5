// SPDX-License-Identifier: Apache-2.0
// Tensors by WRITE with immediate, as TensorFlow's verbs carry them (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& tensors();

}  // namespace rnicsim::applications
