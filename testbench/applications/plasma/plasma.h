// SPDX-License-Identifier: Apache-2.0
// Plasma, the object store of Ray: an object is carried from the store of one host to that of another (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& plasma_store();

}  // namespace rnicsim::applications
