// SPDX-License-Identifier: Apache-2.0
#include "model/host/cpu/fields.h"

#include <string>
#include <string_view>

namespace rnicsim {
namespace {

constexpr std::int64_t kMostRate = 1'000'000'000'000;  // bytes a second

void declare_pinning(Fields<CpuConfig>& k, const std::string& name, PinCost CpuConfig::*cost, std::string_view base,
                     std::string_view page) {
    k.picoseconds(name + ".base", at(cost, &PinCost::base), Time{}, kSecond, base,
                  "as any command of a program to its card takes (testbench/programs)")
        .in_networks();
    k.picoseconds(name + ".page", at(cost, &PinCost::page), Time{}, kMillisecond, page, "left out").in_networks();
}

Fields<CpuConfig> declare_cpu() {
    Fields<CpuConfig> k("system.host.cpu");
    k.picoseconds("wake", &CpuConfig::wake, Time{}, kMillisecond,
                  "from an interrupt's handler to the thread that it wakes; in a run of items only if that has nothing "
                  "else to do",
                  "left out")
        .in_networks();
    k.picoseconds("event_read", &CpuConfig::event_read, Time{}, kMillisecond,
                  "processor: taking an event from a completion channel", "left out")
        .in_networks();
    k.picoseconds("arm", &CpuConfig::arm, Time{}, kMillisecond, "processor: asking a CQ for its next event", "left out")
        .in_networks();
    k.number("cores", &CpuConfig::cores, 1, 128,
             "that run the threads of the host's program, thread i core i modulo them", "as one thread needs")
        .in_networks();
    k.picoseconds("switch", &CpuConfig::context_switch, Time{}, kMillisecond,
                  "processor: a core turns to another one of its threads; not where `wake` is paid", "left out")
        .in_networks();
    k.picoseconds("syscall", &CpuConfig::syscall, Time{}, kMillisecond, "processor: a system call of a stream",
                  "left out")
        .in_networks();
    k.picoseconds("epoll", &CpuConfig::epoll, Time{}, kMillisecond, "processor: epoll_wait(2) that tells of a stream",
                  "left out")
        .in_networks();
    k.picoseconds("copy.base", at(&CpuConfig::copy, &CopyCost::base), Time{}, kMillisecond,
                  "processor: a call that copies", "left out")
        .in_networks();
    k.rate("copy.warm", at(&CpuConfig::copy, &CopyCost::warm), 0, kMostRate,
           "copying what is in the caches, up to `llc`; 0: takes no time", "left out")
        .in_networks();
    k.rate("copy.cold", at(&CpuConfig::copy, &CopyCost::cold), 0, kMostRate, "... and more than that", "left out")
        .in_networks();
    k.bytes("llc", at(&CpuConfig::copy, &CopyCost::llc), 0, 1U << 30U, "of a buffer that its caches hold",
            "a core's share")
        .in_networks();
    declare_pinning(k, "registration", &CpuConfig::registration, "registering memory, from call to return",
                    "... and on top of it each page of host.verbs.page");
    k.probability("registration.failure", at(&CpuConfig::pin_faults, &PinFaults::failure),
                  "chance that a call that registers memory fails, each by itself; it takes `base`", "paper 4.1")
        .in_networks();
    k.picoseconds("registration.retry", at(&CpuConfig::pin_faults, &PinFaults::retry), Time{}, kSecond,
                  "from a call that failed until an application tries again", "at once")
        .in_networks();
    declare_pinning(k, "deregistration", &CpuConfig::deregistration, "giving a memory region up",
                    "... and on top of it each of its pages");
    k.picoseconds("touch", &CpuConfig::touch, Time{}, kMillisecond,
                  "processor: the first write to a page of 4 KiB, where an application has such", "left out")
        .in_networks();
    k.picoseconds("ipc", &CpuConfig::ipc, Time{}, kMillisecond,
                  "processor: a call of another process of the host, and its answer, where an application calls one",
                  "left out")
        .in_networks();
    return k;
}

}  // namespace

const Fields<CpuConfig>& cpu_fields() {
    static const Fields<CpuConfig> kAll = declare_cpu();
    return kAll;
}

}  // namespace rnicsim
