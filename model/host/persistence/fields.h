// SPDX-License-Identifier: Apache-2.0
// Keys of a persistence path.
#pragma once

#include "model/host/persistence/config.h"
#include "model/keys/fields.h"

namespace rnicsim {

const Fields<PersistenceConfig>& persistence_fields();

}  // namespace rnicsim
