// SPDX-License-Identifier: Apache-2.0
// What clocks show and what sleeps take: programs of `rnicsim exec` in strict mode, on host a of
// scenarios/programs/two_hosts.yaml.
#include "testbench/tests/programs/calls.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>

namespace {

using namespace calls;

constexpr std::int64_t kRead = 20;             // ns: Welcome.clock_read
constexpr std::int64_t kPostSend = 250 + 130;  // ns: post and push of profile cx5_100g
constexpr std::int64_t kPostReceive = 60;      // ns: receive
constexpr std::int64_t kEdge = 1;              // ns: answers come at an edge of the processor's clock, 0.4 ns
constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now(clockid_t clock = CLOCK_MONOTONIC) {
    timespec time{};
    CHECK(clock_gettime(clock, &time) == 0);
    return time.tv_sec * kSecond + time.tv_nsec;
}

bool is_about(std::int64_t value, std::int64_t expected) { return value >= expected && value <= expected + kEdge; }

CALLS_CASE(clocks, "all clocks show one time, which each look moves by 20 ns") {
    std::int64_t last = now();
    constexpr std::array kClocks{
        CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
        CLOCK_BOOTTIME, CLOCK_TAI};
    for (int i = 0; i < 3000; ++i) {  // more than are looked at between two requests
        const std::int64_t next = now(kClocks[static_cast<unsigned>(i) % kClocks.size()]);
        CHECK(is_about(next - last, kRead));
        last = next;
    }
    timeval of_day{};
    CHECK(gettimeofday(&of_day, nullptr) == 0);
    CHECK(of_day.tv_sec * 1'000'000 + of_day.tv_usec == (last + kRead) / 1000);
    CHECK(time(nullptr) == last / kSecond);
    timespec utc{};
    CHECK(timespec_get(&utc, TIME_UTC) == TIME_UTC);
    CHECK(is_about(utc.tv_sec * kSecond + utc.tv_nsec - last, 3 * kRead));
    CHECK(last / kSecond == 1'767'225'600);  // the same day each time
}

CALLS_CASE(ticks, "times() counts simulated time, and what the process has computed") {
    const std::int64_t tick = kSecond / sysconf(_SC_CLK_TCK);
    tms spent{};
    const std::int64_t begun = now();
    const clock_t first = times(&spent);
    CHECK(first == (begun + kRead) / tick);
    CHECK(sleep(2) == 0);  // in no time of the machine's
    CHECK((times(nullptr) - first) * tick == 2 * kSecond);
    CHECK(spent.tms_utime >= 0 && spent.tms_utime * tick < kSecond);
}

CALLS_CASE(processor_clocks, "clocks of processor time are the machine's") {
    timespec spent{};
    const std::int64_t begun = now();
    for (int i = 0; i < 1000; ++i) CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0);
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) == 0 && spent.tv_nsec > 0);
    CHECK(is_about(now() - begun, kRead));
    CHECK(clock_gettime(12345, &spent) == -1 && errno == EINVAL);
}

double rate_of_processors() {
    std::FILE* const file = std::fopen("/proc/cpuinfo", "r");
    CHECK(file != nullptr);
    std::array<char, 4096> line{};
    double mhz = 0;
    while (std::fgets(line.data(), line.size(), file) != nullptr) {
        double value = 0;
        if (std::sscanf(line.data(), "cpu MHz : %lf", &value) != 1) continue;
        CHECK(mhz == 0 || mhz == value);
        mhz = value;
    }
    std::fclose(file);
    return mhz;
}

CALLS_CASE(counter, "rdtsc and rdtscp count simulated time at the rate of /proc/cpuinfo") {
    now();
    const double mhz = rate_of_processors();
    CHECK(mhz == 2500);
    unsigned processor = 7;
    const std::uint64_t first = __rdtsc();
    const std::uint64_t second = __rdtscp(&processor);
    CHECK(second - first == kRead * 5 / 2 && processor == 0);
    const std::int64_t begun = now();
    usleep(1000);
    CHECK(is_about(now() - begun, 1'000'000 + kRead));
    const auto counted = static_cast<std::int64_t>(__rdtsc() - second);
    CHECK(is_about(counted * 2 / 5, 1'000'000 + 3 * kRead));
}

/// A QP whose peer is not there: what it sends fails after some milliseconds.
struct Lonely : Opened {
    ibv_comp_channel* channel = nullptr;
    ibv_cq* heard = nullptr;
    ibv_qp* qp = nullptr;

    Lonely() {
        channel = ibv_create_comp_channel(context);
        heard = ibv_create_cq(context, 64, nullptr, channel, 0);
        ibv_qp_init_attr init = init_of(*this, IBV_QPT_RC, nullptr);
        init.send_cq = init.recv_cq = heard;
        init.sq_sig_all = 1;
        init.cap.max_send_sge = 1;
        qp = ibv_create_qp(pd, &init);
        CHECK(qp != nullptr && ibv_req_notify_cq(heard, 0) == 0);
        connect(qp, 0x123456);
    }
    ~Lonely() {
        CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(heard) == 0 && ibv_destroy_comp_channel(channel) == 0);
    }
    Lonely(const Lonely&) = delete;
    Lonely& operator=(const Lonely&) = delete;

    void send() const {
        ibv_sge sge{reinterpret_cast<std::uint64_t>(memory), 64, mr->lkey};
        ibv_send_wr wr{}, *bad = nullptr;
        wr.sg_list = &sge;
        wr.num_sge = 1;
        wr.opcode = IBV_WR_SEND;
        CHECK(ibv_post_send(qp, &wr, &bad) == 0);
    }
    void receive() const {
        ibv_sge sge{reinterpret_cast<std::uint64_t>(memory), 64, mr->lkey};
        ibv_recv_wr wr{}, *bad = nullptr;
        wr.sg_list = &sge;
        wr.num_sge = 1;
        CHECK(ibv_post_recv(qp, &wr, &bad) == 0);
    }
    void take_failure() const {
        ibv_cq* of = nullptr;
        void* context_of = nullptr;
        CHECK(ibv_get_cq_event(channel, &of, &context_of) == 0 && of == heard);
        ibv_ack_cq_events(heard, 1);
        ibv_wc wc{};
        CHECK(ibv_poll_cq(heard, 1, &wc) == 1 && wc.status == IBV_WC_RETRY_EXC_ERR);
    }
};

CALLS_CASE(posts, "a post takes what the scenario says") {
    const Lonely card;
    const std::int64_t begun = now();
    card.receive();
    const std::int64_t received = now();
    card.send();
    const std::int64_t sent = now();
    CHECK(received - begun == kPostReceive + kRead);
    CHECK(sent - received == kPostSend + kRead);
    card.take_failure();
    CHECK(now() - sent > 1'000'000);
}

CALLS_CASE(sleeps, "sleeps take simulated time") {
    const std::int64_t begun = now();
    timespec time{3600, 5};
    CHECK(nanosleep(&time, nullptr) == 0 && sleep(10) == 0 && usleep(7) == 0);
    CHECK(is_about(now() - begun, 3610 * kSecond + 7005 + kRead));
    const std::int64_t until = now() + 5 * kSecond;
    time = {until / kSecond, until % kSecond};
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == 0);
    CHECK(is_about(now(), until + kRead));
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, nullptr) == 0);
    CHECK(is_about(now(), until + 3 * kRead));  // it is later: no wait, but a look at the clock
    time = {0, kSecond};
    CHECK(nanosleep(&time, nullptr) == -1 && errno == EINVAL);
}

CALLS_CASE(waits, "poll, select and epoll wait for a channel in simulated time, as long as they are told") {
    const Lonely card;
    pollfd one{card.channel->fd, POLLIN, 0};
    std::int64_t begun = now();
    CHECK(poll(&one, 1, 5000) == 0);
    CHECK(is_about(now() - begun, 5 * kSecond + kRead));
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(card.channel->fd, &reads);
    timeval longest{7, 0};
    begun = now();
    CHECK(select(card.channel->fd + 1, &reads, nullptr, nullptr, &longest) == 0);
    CHECK(is_about(now() - begun, 7 * kSecond + kRead));
    const int epoll = epoll_create1(0);
    epoll_event event{EPOLLIN, {.u32 = 77}};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, card.channel->fd, &event) == 0);
    begun = now();
    CHECK(epoll_wait(epoll, &event, 1, 9000) == 0);
    CHECK(is_about(now() - begun, 9 * kSecond + kRead));

    begun = now();
    card.send();
    CHECK(epoll_wait(epoll, &event, 1, 3'600'000) == 1 && event.data.u32 == 77);
    const std::int64_t failed = now() - begun;
    CHECK(failed > 1'000'000 && failed < 10 * kSecond);
    FD_ZERO(&reads);
    FD_SET(card.channel->fd, &reads);
    CHECK(select(card.channel->fd + 1, &reads, nullptr, nullptr, nullptr) == 1 && FD_ISSET(card.channel->fd, &reads));
    CHECK(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
    CHECK(now() - begun < failed + 10'000);
    card.take_failure();
    close(epoll);
}

void* write_later(void* pipe) {
    usleep(3000);
    CHECK(write(*static_cast<int*>(pipe), "x", 1) == 1);
    return nullptr;
}

CALLS_CASE(wakes, "what waits for a channel and a pipe is woken by the pipe, when another thread writes there") {
    const Lonely card;
    std::array<int, 2> pipe_ends{};
    CHECK(pipe(pipe_ends.data()) == 0);
    const std::int64_t begun = now();
    pthread_t writer{};
    CHECK(pthread_create(&writer, nullptr, write_later, &pipe_ends[1]) == 0);
    std::array<pollfd, 2> both{{{card.channel->fd, POLLIN, 0}, {pipe_ends[0], POLLIN, 0}}};
    CHECK(poll(both.data(), 2, -1) == 1 && both[0].revents == 0 && both[1].revents == POLLIN);
    const std::int64_t woken = now() - begun;
    CHECK(woken >= 3'000'000 && woken < 3'010'000);
    CHECK(pthread_join(writer, nullptr) == 0);
}

CALLS_CASE(timeouts, "who waits for another thread in vain has waited in simulated time, and not in none") {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    sem_t semaphore{};
    CHECK(sem_init(&semaphore, 0, 0) == 0 && pthread_mutex_lock(&mutex) == 0);
    const auto after = [](std::int64_t time) { return timespec{time / kSecond, time % kSecond}; };
    timespec machine_before{}, machine_after{};
    CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &machine_before) == 0);
    const std::int64_t begun = now();
    timespec until = after(begun + kSecond / 10);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
    CHECK(now() - begun >= kSecond / 10 && now() - begun < kSecond / 9);
    until = after(begun + kSecond / 5);
    CHECK(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
    CHECK(now() - begun >= kSecond / 5 && now() - begun < kSecond / 4);
    CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &machine_after) == 0);
    CHECK((machine_after.tv_sec - machine_before.tv_sec) * kSecond + machine_after.tv_nsec - machine_before.tv_nsec >
          kSecond / 6);
    CHECK(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);  // that is over
    CHECK(sem_post(&semaphore) == 0 && sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == 0);
}

volatile sig_atomic_t g_faults = 0;

void on_fault(int, siginfo_t* info, void* context) {
    CHECK(info->si_addr == nullptr);
    const std::uint64_t first = __rdtsc();
    CHECK(__rdtsc() - first == kRead * 5 / 2);
    g_faults = g_faults + 1;
    // Past the access: two bytes in the code below.
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2;
}

CALLS_CASE(faults, "a program's own handler gets its faults, and no other") {
    now();
    struct sigaction mine {
    }, before{};
    mine.sa_sigaction = on_fault;
    mine.sa_flags = SA_SIGINFO;
    sigfillset(&mine.sa_mask);
    CHECK(sigaction(SIGSEGV, &mine, nullptr) == 0);
    __rdtsc();
    CHECK(g_faults == 0);
    asm volatile("movb (%%rax), %%al" : : "a"(nullptr) : "memory");
    CHECK(g_faults == 1);
    CHECK(sigaction(SIGSEGV, nullptr, &before) == 0 && before.sa_sigaction == on_fault);
    CHECK(signal(SIGSEGV, SIG_DFL) != SIG_ERR);
    __rdtsc();
    CHECK(sigaction(SIGSEGV, nullptr, &before) == 0 && before.sa_handler == SIG_DFL);
}

int signal_of(void (*what)()) {
    const pid_t child = fork();
    if (child == 0) {
        what();
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

CALLS_CASE(ends, "a fault that nobody handles ends the program") {
    __rdtsc();
    now();
    CHECK(signal_of([] { __rdtsc(); }) == 0);
    CHECK(signal_of([] { asm volatile("movb (%%rax), %%al" : : "a"(nullptr) : "memory"); }) == SIGSEGV);
    CHECK(signal_of([] { raise(SIGSEGV); }) == SIGSEGV);
    CHECK(signal_of([] { asm volatile("hlt"); }) == SIGSEGV);  // a general protection fault, as rdtsc is
    CHECK(signal_of([] {
              signal(SIGSEGV, SIG_IGN);
              raise(SIGSEGV);
          }) == 0);
}

void* read_counter(void*) { return reinterpret_cast<void*>(__rdtsc()); }

CALLS_CASE(blocked, "the counter can be read with all signals blocked, and in other threads") {
    const std::int64_t begun = now();
    sigset_t all;
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_SETMASK, &all, nullptr) == 0 && sigprocmask(SIG_BLOCK, &all, nullptr) == 0);
    const std::uint64_t here = __rdtsc();
    pthread_t other{};
    void* there = nullptr;
    usleep(1000);
    CHECK(pthread_create(&other, nullptr, read_counter, nullptr) == 0 && pthread_join(other, &there) == 0);
    const auto passed = static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(there) - here);
    CHECK(passed >= 2'500'000);  // the thread begins with the simulator's time, not with 0
    CHECK(now() - begun >= 1'000'000 + kRead);
}

CALLS_CASE(others, "programs that it begins run, and their time goes on from its own") {
    const std::int64_t begun = now();
    __rdtsc();
    CHECK(system("sleep 100") == 0);
    CHECK(now() - begun >= 100 * kSecond && now() - begun < 101 * kSecond);
    std::FILE* const date = popen("date +%s", "r");
    long seconds = 0;
    CHECK(date != nullptr && std::fscanf(date, "%ld", &seconds) == 1 && pclose(date) == 0);
    CHECK(seconds == begun / kSecond + 100);
    const pid_t child = fork();
    if (child == 0) {
        execlp("true", "true", static_cast<char*>(nullptr));
        _exit(1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    std::array<char*, 2> words{const_cast<char*>("true"), nullptr};
    pid_t spawned = 0;
    CHECK(posix_spawnp(&spawned, "true", nullptr, nullptr, words.data(), environ) == 0);
    CHECK(waitpid(spawned, &status, 0) == spawned && status == 0);
    __rdtsc();
}

std::atomic<bool> g_slept{false};

void* sleeps(void*) {
    CHECK(usleep(5000) == 0);
    g_slept = true;
    return nullptr;
}

CALLS_CASE(yields, "who yields until another thread has done something lets time go on, and computes little") {
    const std::int64_t begun = now(), computed = now(CLOCK_PROCESS_CPUTIME_ID);
    pthread_t other{};
    CHECK(pthread_create(&other, nullptr, sleeps, nullptr) == 0);
    while (!g_slept) sched_yield();
    const std::int64_t took = now() - begun;
    CHECK(took >= 5'000'000 && took <= 5'100'000);
    CHECK(now(CLOCK_PROCESS_CPUTIME_ID) - computed < 80'000'000);
    CHECK(pthread_join(other, nullptr) == 0);
}

CALLS_CASE(spins, "who looks at a channel again and again lets time go on, and is told at once") {
    const Lonely card;
    card.send();
    const std::int64_t begun = now();
    pollfd one{card.channel->fd, POLLIN, 0};
    while (poll(&one, 1, 0) == 0) CHECK(now() - begun < 60 * kSecond);
    ibv_cq* of = nullptr;
    void* context_of = nullptr;
    const std::int64_t seen = now();
    CHECK(seen - begun > 1'000'000);
    CHECK(ibv_get_cq_event(card.channel, &of, &context_of) == 0);
    CHECK(now() - seen <= 1000);
    ibv_ack_cq_events(card.heard, 1);
}

}  // namespace
