// SPDX-License-Identifier: Apache-2.0
// An object that begins a thread when it is loaded, and does not wait for it before it is unloaded.
#include <pthread.h>

extern "C" {
extern int has_run;
int has_run = 0;
}

namespace {

struct Loaded {
    Loaded() {
        const auto run = [](void*) -> void* { return nullptr; };
        has_run = pthread_create(&thread, nullptr, run, nullptr) == 0 ? 1 : 0;
    }
    ~Loaded() { pthread_join(thread, nullptr); }
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
    pthread_t thread{};
} loaded;

}  // namespace
