// SPDX-License-Identifier: Apache-2.0
// Events that a program has got and has still to acknowledge.
#pragma once

#include "testbench/programs/library/objects.h"

namespace rnicsim::programs {

/// Waits until all are acknowledged that the program has got. No event finds the object any more by then.
void await_acknowledged(Cq& cq);
void await_acknowledged(Srq& srq);
void await_acknowledged(Qp& qp);

template <class Base>
void init_waiting(Base& base) {
    pthread_mutex_init(&base.mutex, nullptr);
    pthread_cond_init(&base.cond, nullptr);
}

}  // namespace rnicsim::programs
