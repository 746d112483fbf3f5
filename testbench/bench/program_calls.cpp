// SPDX-License-Identifier: Apache-2.0
// What verbs calls take of the machine's time in a program of `rnicsim exec`: scripts/bench --programs. It prints, as
// key=value, microseconds a call.
#include <infiniband/verbs.h>

#include <sys/syscall.h>

#include <unistd.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

constexpr int kReceives = 4000, kPolls = 20'000;

/// Of the machine: libc's clocks show simulated time.
double machine_us() {
    timespec time{};
    ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

template <class Object>
Object* made(Object* object, const char* what) {
    if (object != nullptr) return object;
    std::fprintf(stderr, "program_calls: no %s\n", what);
    std::exit(1);
}

}  // namespace

int main() {
    int count = 0;
    ibv_device** const devices = made(ibv_get_device_list(&count), "list of devices");
    ibv_context* const context = made(count == 0 ? nullptr : ibv_open_device(devices[0]), "device");
    ibv_pd* const pd = made(ibv_alloc_pd(context), "PD");
    static std::array<char, 4096> memory;
    ibv_mr* const mr = made(ibv_reg_mr(pd, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE), "MR");
    ibv_srq_init_attr init{};
    init.attr = {kReceives, 1, 0};
    ibv_srq* const srq = made(ibv_create_srq(pd, &init), "SRQ");
    ibv_cq* const cq = made(ibv_create_cq(context, 16, nullptr, nullptr, 0), "CQ");

    ibv_sge sge{reinterpret_cast<std::uint64_t>(memory.data()), 64, mr->lkey};
    ibv_recv_wr request{}, *bad = nullptr;
    request.sg_list = &sge;
    request.num_sge = 1;
    double begun = machine_us();
    for (int i = 0; i < kReceives; ++i) {
        if (ibv_post_srq_recv(srq, &request, &bad) != 0) return 1;
    }
    const double posts = machine_us() - begun;
    ibv_wc entry{};
    begun = machine_us();
    for (int i = 0; i < kPolls; ++i) {
        if (ibv_poll_cq(cq, 1, &entry) != 0) return 1;
    }
    const double polls = machine_us() - begun;
    std::printf("post_us=%.2f poll_us=%.2f\n", posts / kReceives, polls / kPolls);
    return 0;
}
