// SPDX-License-Identifier: Apache-2.0
// Cases of verbs calls, each run as a program of its own over the stand-in: verbs_calls NAME.
#pragma once

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace calls {

struct Case {
    const char* name;
    void (*run)();
};
inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}
struct Add {
    Add(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

#define CALLS_CASE(function, name)                          \
    static void function();                                 \
    static const calls::Add add_##function(name, function); \
    static void function()

#define CHECK(what)                                                                           \
    do {                                                                                      \
        if (!(what)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #what, errno); \
            std::exit(1);                                                                     \
        }                                                                                     \
    } while (false)

/// The call fails with this errno, which it returns or which errno is.
template <class Result>
bool fails(Result result, int error) {
    if constexpr (std::is_pointer_v<Result>)
        return result == nullptr && errno == error;
    else
        return result == error;
}

/// The card, open, with a PD, a CQ and a page of memory that may be used for anything.
struct Opened {
    ibv_context* context = nullptr;
    ibv_pd* pd = nullptr;
    ibv_cq* cq = nullptr;
    ibv_mr* mr = nullptr;
    char* memory = nullptr;
    static constexpr std::size_t kBytes = 65536;

    Opened();
    ~Opened();
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    [[nodiscard]] ibv_sge sge(std::size_t at, std::uint32_t bytes) const {
        return {reinterpret_cast<std::uint64_t>(memory + at), bytes, mr->lkey};
    }
};

constexpr int kAll =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

ibv_qp_init_attr init_of(const Opened& card, ibv_qp_type type = IBV_QPT_RC, ibv_srq* srq = nullptr);
void connect(ibv_qp* qp, std::uint32_t peer);
void reset(ibv_qp* qp);
/// Completions, waited for.
std::vector<ibv_wc> poll(ibv_cq* cq, std::size_t count);

/// Two QPs of one program, connected with each other.
struct Pair : Opened {
    ibv_qp* a = nullptr;
    ibv_qp* b = nullptr;

    explicit Pair(ibv_srq* (*srq_of)(Opened&) = nullptr);
    ~Pair();
    ibv_srq* srq = nullptr;
};

ibv_send_wr send_of(std::uint64_t id, ibv_wr_opcode opcode, ibv_sge* sges, int count,
                    unsigned flags = IBV_SEND_SIGNALED);
int post(ibv_qp* qp, ibv_send_wr& wr);
int post_receive(ibv_qp* qp, std::uint64_t id, ibv_sge sge);
int post_receive(ibv_srq* srq, std::uint64_t id, ibv_sge sge);

}  // namespace calls
