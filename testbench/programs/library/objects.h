// SPDX-License-Identifier: Apache-2.0
// What stands behind the structs of verbs.h: each begins with the one that the program sees. Programs built with a
// newer header may read fields behind those of ours, hence room for them: 0, which says that they are not there.
#pragma once

#include "testbench/programs/library/abi.h"
#include "testbench/programs/library/directory.h"
#include "testbench/programs/library/wr_ids.h"
#include "testbench/programs/protocol/messages.h"

#include <array>
#include <cstddef>
#include <memory>
#include <new>

namespace rnicsim::programs {

struct Qp;
struct Cq;
struct Srq;

/// Fields that a newer header has, or rdma-core behind its own.
using Later = std::array<std::byte, 256>;

class Lock {
  public:
    explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    ~Lock() { pthread_mutex_unlock(&mutex_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    pthread_mutex_t& mutex_;
};

/// The card of the host that the process is on: one a process.
struct Card {
    ibv_device device{};
    Later later{};
    Device said;
};

struct Context {
    verbs_context verbs{};                             // programs have the address of verbs.context
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  ///< of the directories
    Directory<Qp> qps;                                 ///< by QPN
    Directory<Cq> cqs;                                 ///< by cookie, as the next ones
    Directory<Srq> event_srqs;
    Directory<Qp> event_qps;
    Handle events = 0;  ///< where async events come from
};

struct Channel {
    ibv_comp_channel channel{};
    Handle handle = 0;
};

struct Cq {
    ibv_cq_ex cq{};  // ibv_cq has the same first fields
    Later later{};
    std::uint32_t cookie = 0;
    std::uint32_t completions_got = 0;
    std::uint32_t async_got = 0;
    pthread_mutex_t poll_lock = PTHREAD_MUTEX_INITIALIZER;  ///< completions reach the wr_ids in their order
    Completion* batch = nullptr;                            ///< of the extended CQ: fetched, from `at` on not given out
    std::uint32_t at = 0;
    std::uint32_t end = 0;
};

struct Srq {
    ibv_srq srq{};
    Later later{};
    std::uint32_t cookie = 0;
    std::uint32_t async_got = 0;
    std::uint32_t sges = 0;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    std::int64_t clock = 0;  ///< ps: after the last post of any thread
    WrTable ids;
};

struct Staged;

struct Qp {
    ibv_qp_ex qp{};
    Later later{};
    bool new_api = false;  ///< ibv_qp_to_qp_ex() is allowed
    bool all_signaled = false;
    std::uint32_t cookie = 0;
    std::uint32_t async_got = 0;
    ibv_qp_cap cap{};
    pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t receive_lock = PTHREAD_MUTEX_INITIALIZER;
    std::int64_t send_clock = 0;     ///< ps: after the last post of any thread
    std::int64_t receive_clock = 0;  ///< likewise
    WrRing sends;
    WrRing receives;
    Staged* staged = nullptr;
};

struct Ah {
    ibv_ah ah{};
    ibv_global_route route{};
};

inline Context& of(ibv_context* context) { return *reinterpret_cast<Context*>(verbs_get_ctx(context)); }
inline const Device& said_of(const ibv_context* context) {
    return reinterpret_cast<const Card*>(context->device)->said;
}
inline Channel& of(ibv_comp_channel* channel) { return *reinterpret_cast<Channel*>(channel); }
inline Cq& of(ibv_cq* cq) { return *reinterpret_cast<Cq*>(cq); }
inline Cq& of(ibv_cq_ex* cq) { return *reinterpret_cast<Cq*>(cq); }
inline Srq& of(ibv_srq* srq) { return *reinterpret_cast<Srq*>(srq); }
inline Qp& of(ibv_qp* qp) { return *reinterpret_cast<Qp*>(qp); }
inline Qp& of(ibv_qp_ex* qp) { return *reinterpret_cast<Qp*>(qp); }
inline const Ah& of(const ibv_ah* ah) { return *reinterpret_cast<const Ah*>(ah); }
inline ibv_cq* as_cq(Cq& cq) { return reinterpret_cast<ibv_cq*>(&cq.cq); }

/// Memory of 0 bytes, then made: padding and fields that nobody sets are 0. Without operator new, which would bring the
/// C++ library into programs in C.
template <class Object>
Object* make() {
    void* const place = std::calloc(1, sizeof(Object));
    return place == nullptr ? nullptr : ::new (place) Object{};
}
struct Discard {
    template <class Object>
    void operator()(Object* object) const {
        object->~Object();
        std::free(object);
    }
};
template <class Object>
using Owned = std::unique_ptr<Object, Discard>;

template <class Object>
Owned<Object> owned() {
    return Owned<Object>(make<Object>());
}

/// Whether the card has this port and this entry of its GID table.
inline bool is_port(std::uint32_t port) { return port == 1; }
bool has_gid(const Device& device, std::uint32_t index);

}  // namespace rnicsim::programs
