// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/tsc.h"

#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <csignal>
#include <cstdint>

using namespace rnicsim::programs;

namespace {

using Action = struct sigaction;
using Handler = void (*)(int);

constexpr int kRdtscBytes = 2, kRdtscpBytes = 3;

Next<int(int, const Action*, Action*)> g_sigaction("sigaction");
Next<int(int, const sigset_t*, sigset_t*)> g_sigmask("pthread_sigmask");
Next<Handler(int, Handler)> g_signal("signal");

pthread_once_t g_once = PTHREAD_ONCE_INIT;
std::atomic<bool> g_installed{false};
Action g_theirs{};  // what the program has for SIGSEGV
std::uintptr_t g_vdso = 0, g_vdso_end = 0;

/// Bytes of the instruction, if it is one of the two that read the counter.
int counter_read(const std::uint8_t* code) {
    if (code[0] != 0x0F) return 0;
    if (code[1] == 0x31) return kRdtscBytes;
    return code[1] == 0x01 && code[2] == 0xF9 ? kRdtscpBytes : 0;
}

std::uint64_t machine_counter() {
    const MachineTsc here;
    return __builtin_ia32_rdtsc();
}

/// False: that is not what has faulted.
bool read_counter(const siginfo_t& info, mcontext_t& at) {
    if (info.si_code != SI_KERNEL) return false;  // a general protection fault: the code is there
    auto& rip = at.gregs[REG_RIP];
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a register
    const int bytes = counter_read(reinterpret_cast<const std::uint8_t*>(rip));
    if (bytes == 0) return false;
    // Clocks that libc itself looks at, by the system's code in this process, are the machine's.
    const auto address = static_cast<std::uintptr_t>(rip);
    const bool of_system = address >= g_vdso && address < g_vdso_end;
    const std::uint64_t count =
        of_system || !has_simulated_time() ? machine_counter() : static_cast<std::uint64_t>(cycles_of(read_clock()));
    at.gregs[REG_RAX] = static_cast<greg_t>(count & 0xFFFFFFFFU);
    at.gregs[REG_RDX] = static_cast<greg_t>(count >> 32U);
    if (bytes == kRdtscpBytes) at.gregs[REG_RCX] = 0;  // the first processor
    rip += bytes;
    return true;
}

/// A fault while SIGSEGV is blocked ends the program.
sigset_t without_faults(const sigset_t& set) {
    sigset_t rest = set;
    sigdelset(&rest, SIGSEGV);
    return rest;
}

/// To the program's own handler, or what happens without one.
void hand_on(int signal, siginfo_t* info, void* context) {
    const Action theirs = g_theirs;
    const bool was_sent = info->si_code <= 0;
    if (theirs.sa_handler == SIG_IGN && was_sent) return;
    if (theirs.sa_handler == SIG_DFL || theirs.sa_handler == SIG_IGN) {
        Action standard{};
        standard.sa_handler = SIG_DFL;
        g_sigaction(signal, &standard, nullptr);
        if (was_sent) raw::signal(raw::thread(), signal);
        return;  // and it happens again
    }
    if ((static_cast<unsigned>(theirs.sa_flags) & SA_RESETHAND) != 0) g_theirs.sa_handler = SIG_DFL;
    const sigset_t blocked = without_faults(theirs.sa_mask);
    g_sigmask(SIG_BLOCK, &blocked, nullptr);
    if ((theirs.sa_flags & SA_SIGINFO) != 0) return theirs.sa_sigaction(signal, info, context);
    theirs.sa_handler(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    const bool read = read_counter(*info, static_cast<ucontext_t*>(context)->uc_mcontext);
    errno = error;
    if (!read) hand_on(signal, info, context);
}

void find_vdso() {
    g_vdso = ::getauxval(AT_SYSINFO_EHDR);
    if (g_vdso == 0) return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): where the system says it is
    const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(g_vdso);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* const parts = reinterpret_cast<const ElfW(Phdr)*>(g_vdso + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; ++i) {
        if (parts[i].p_type == PT_LOAD) g_vdso_end = g_vdso + parts[i].p_memsz;
    }
}

/// This object stands before libc: it is preloaded, and not only what libibverbs.so.1 needs.
bool replaces_libc() {
    Dl_info first{}, mine{};
    return ::dladdr(::dlsym(RTLD_DEFAULT, "sigaction"), &first) != 0 &&
           ::dladdr(reinterpret_cast<void*>(&find_vdso), &mine) != 0 && first.dli_fbase == mine.dli_fbase;
}

/// Once a process, and not when each thread begins: who begins it may hold the linker's lock, in a constructor of an
/// object that is being loaded, and waits for it.
void install() {
    if (!replaces_libc()) return;
    find_vdso();
    Action ours{};
    ours.sa_sigaction = on_fault;
    // Their handler may read the counter, too.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    g_sigaction(SIGSEGV, &ours, &g_theirs);
    sigset_t segv;
    sigemptyset(&segv);
    sigaddset(&segv, SIGSEGV);
    g_sigmask(SIG_UNBLOCK, &segv, nullptr);
    g_installed.store(true);
}

int mask(int how, const sigset_t* set, sigset_t* old) {
    if (set == nullptr || how == SIG_UNBLOCK) return g_sigmask(how, set, old);
    const sigset_t rest = without_faults(*set);
    return g_sigmask(how, &rest, old);
}

}  // namespace

namespace rnicsim::programs {

void trap_tsc() {
    pthread_once(&g_once, install);
    if (!g_installed.load()) return;
    ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

MachineTsc::MachineTsc() : trapped_(g_installed.load()) {
    int now = PR_TSC_ENABLE;
    trapped_ = trapped_ && ::prctl(PR_GET_TSC, &now, 0, 0, 0) == 0 && now == PR_TSC_SIGSEGV;
    if (trapped_) ::prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
}

MachineTsc::~MachineTsc() {
    if (trapped_) ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

}  // namespace rnicsim::programs

extern "C" {

int sigaction(int signal, const Action* action, Action* old) noexcept {
    if (signal == SIGSEGV && g_installed.load()) {
        const Action before = g_theirs;
        if (action != nullptr) g_theirs = *action;
        if (old != nullptr) *old = before;
        return 0;
    }
    if (action == nullptr) return g_sigaction(signal, action, old);
    Action changed = *action;
    changed.sa_mask = without_faults(action->sa_mask);
    return g_sigaction(signal, &changed, old);
}

Handler signal(int number, Handler handler) noexcept {
    if (number != SIGSEGV || !g_installed.load()) return g_signal(number, handler);
    Action action{};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    Action before{};
    ::sigaction(number, &action, &before);
    return before.sa_handler;
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept { return mask(how, set, old); }

int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
    const int error = mask(how, set, old);
    if (error == 0) return 0;
    errno = error;
    return -1;
}
}
