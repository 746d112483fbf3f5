// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/shared_clock.h"

#include "model/request_error.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace rnicsim::programs {

SharedClock::SharedClock() : memory_(::memfd_create("rnicsim clock", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    void* at = MAP_FAILED;
    if (memory_.get() >= 0 && ::ftruncate(memory_.get(), sizeof(ClockPage)) == 0)
        at = ::mmap(nullptr, sizeof(ClockPage), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    // This mapping stays as it is; all later ones can only read.
    if (at == MAP_FAILED || ::fcntl(memory_.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) != 0)
        throw RequestError(std::string("memory that programs read the time from cannot be made: ") +
                           std::strerror(errno));
    page_ = static_cast<ClockPage*>(at);
}

SharedClock::~SharedClock() { ::munmap(page_, sizeof(ClockPage)); }

}  // namespace rnicsim::programs
