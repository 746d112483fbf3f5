// SPDX-License-Identifier: Apache-2.0
// Documents by WRITE with immediate, as RMongo carries them (README.md).
#pragma once

#include "testbench/applications/application.h"

namespace rnicsim::applications {

const Application& documents_store();

}  // namespace rnicsim::applications
