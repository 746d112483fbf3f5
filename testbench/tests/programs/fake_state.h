// SPDX-License-Identifier: Apache-2.0
// A stand-in for the simulator: it knows no time, no wire and no card, and does what is posted at once. With it the
// verbs library is tested alone.
#pragma once

#include "testbench/programs/protocol/messages.h"

#include <infiniband/verbs.h>
#include <sys/types.h>

#include <cstring>
#include <deque>
#include <map>
#include <vector>

namespace rnicsim::programs::fake {

using Bytes = std::vector<char>;

template <class Part>
void append(Bytes& to, const Part& part) {
    to.resize(to.size() + sizeof part);
    std::memcpy(to.data() + to.size() - sizeof part, &part, sizeof part);
}

/// Reads a message from its start on; `good` is false once it was too short.
struct Reader {
    const char* at;
    const char* end;
    bool good = true;

    template <class Part>
    Part take() {
        Part part{};
        const Bytes bytes = take(sizeof part);
        if (good) std::memcpy(&part, bytes.data(), sizeof part);
        return part;
    }
    Bytes take(std::size_t bytes) {
        good = good && static_cast<std::size_t>(end - at) >= bytes;
        if (!good) return {};
        at += bytes;
        return {at - bytes, at};
    }
};

struct Region {
    pid_t owner = 0;
    Handle pd = 0;
    std::uint32_t access = 0;
    std::uint64_t address = 0, bytes = 0, iova = 0;
};
struct Stream {
    pid_t owner = 0;
    int socket = -1;  ///< this end
    bool async = false;
};
struct Cq {
    pid_t owner = 0;
    std::uint32_t cqes = 0;
    Handle channel = 0;
    std::uint64_t cookie = 0;
    bool armed = false, solicited_only = false;
    std::deque<Completion> completions{};
};
struct ReceiveWr {
    std::uint32_t index = 0;
    std::vector<Sge> sges{};
};
struct SendWr {
    std::uint32_t index = 0;
    Send send;
    std::vector<Sge> sges{};
    Bytes inlined{};
};
/// Posts of one queue come over several sockets, hence in any order: those that are early wait.
struct Arrivals {
    std::uint32_t next = 0;
    std::map<std::uint32_t, Bytes> early;
};
struct Srq {
    pid_t owner = 0;
    Handle events = 0;
    std::uint64_t cookie = 0;
    std::uint32_t wqes = 0, sges = 0, limit = 0;
    std::deque<ReceiveWr> receives{};
    Arrivals posted{};
};
struct Qp {
    pid_t owner = 0;
    QpRequest made;
    QpChange attributes;
    std::deque<ReceiveWr> receives{};
    std::deque<SendWr> sends;
    Arrivals posted_sends, posted_receives;
};

struct State {
    std::map<Handle, pid_t> pds;
    std::map<std::uint32_t, Region> regions;  ///< by key, which is the handle, too
    std::map<Handle, Stream> streams;
    std::map<Handle, Cq> cqs;
    std::map<Handle, Srq> srqs;
    std::map<std::uint32_t, Qp> qps;
    Handle last = 0x100;
    std::int64_t now = 0;
    std::vector<pid_t> told;  ///< processes to which an event was sent, since the loop looked last
};

void tell_bytes(State& state, Handle stream, const void* event, std::size_t bytes);
/// Sends an event to a descriptor of a program.
template <class Event>
void tell(State& state, Handle stream, const Event& event) {
    tell_bytes(state, stream, &event, sizeof event);
}

/// Does what is posted, as far as there are receives for it.
void run_sends(State& state);
/// A new completion.
void complete(State& state, Handle cq, const Completion& completion, bool solicited);

/// The answer without its header, or an errno. `descriptor`: one that goes with it.
int answer(State& state, pid_t process, Op op, Reader request, Bytes& to, int& descriptor);
int modify_qp(State& state, pid_t process, const QpChange& wanted, Bytes& to);
/// Takes a QP's completions out of the CQs, and tells of those whose receives were an SRQ's.
void drop_completions(State& state, const Qp& qp, Bytes& to);
/// A request that has no answer.
void hear(State& state, pid_t process, Op op, Reader request);
/// What a process had.
void forget(State& state, pid_t process);

}  // namespace rnicsim::programs::fake
