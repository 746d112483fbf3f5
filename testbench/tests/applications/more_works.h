// SPDX-License-Identifier: Apache-2.0
// What this folder adds to the list of kinds of work.
#pragma once

#include "testbench/tests/applications/beacon_work.h"
#include "testbench/tests/applications/lease.h"
#include "testbench/tests/applications/wrong_protocols.h"
