// SPDX-License-Identifier: Apache-2.0
// The macros of generated stubs. Their arguments and results are those of no header: a result in a register is all that
// a caller of any of these functions looks at.
#pragma once

#include "testbench/programs/library/refuse.h"

#define RNICSIM_STUB_ERROR(mine, name)                 \
    extern "C" long mine() {                           \
        static std::atomic<bool> said{false};          \
        return rnicsim::programs::refuse(#name, said); \
    }
#define RNICSIM_STUB_POINTER(mine, name)              \
    extern "C" void* mine() {                         \
        static std::atomic<bool> said{false};         \
        (void)rnicsim::programs::refuse(#name, said); \
        return nullptr;                               \
    }
#define RNICSIM_STUB_NOTHING(mine, name) \
    extern "C" long mine() { return 0; }
#define RNICSIM_STUB_OBJECT(mine, name) \
    extern "C" bool mine;               \
    bool mine = false;
