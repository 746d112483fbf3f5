// SPDX-License-Identifier: Apache-2.0
// What programs have made at a host.
#pragma once

#include "model/rnic/rc/completion_queues.h"
#include "model/rnic/rc/work_queues.h"
#include "testbench/programs/protocol/messages.h"
#include "testbench/programs/server/descriptor.h"
#include "testbench/programs/server/post_order.h"
#include "testbench/programs/server/process_memory.h"

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim::programs {

/// In simulated time.
struct IntervalTimer {
    bool runs = false;
    Cycle again{};              ///< 0: once
    std::uint64_t setting = 0;  ///< counts; an older one's time is nothing any more
};

/// A process. It ends with its last connection.
struct Program {
    pid_t process = 0;
    std::string name;
    unsigned host = 0;
    ProcessMemory::Window window = 0;
    std::uint16_t number = 0;   ///< on its host, in the order of their coming, from 0
    std::uint16_t threads = 0;  ///< that have come
    bool gone = false;
    std::uint64_t requests = 0;
    std::uint64_t pinned_pages = 0;  ///< of all its regions, those that several have as often
    bool met = false;                ///< a QP of it has got to RTR
    bool opened = false;             ///< it has opened the card; others only look at the time
    bool lost_memory = false;        ///< that it had registered, in a way that nobody saw
    IntervalTimer timer{};           ///< ITIMER_REAL
};

/// Of timerfd_create() or timer_create().
struct OwnTimer {
    Program* owner = nullptr;
    TimerInit init;
    Descriptor count;  ///< where it has no signal
    IntervalTimer timer{};
};

struct Region {
    Program* owner = nullptr;
    std::uint32_t key = 0;
    Handle pd = 0;
    std::uint64_t address = 0, bytes = 0;  ///< in the program
    Registration as;
    ProcessMemory::Window window = 0;  ///< its own, as the program has given memory of it back; or the program's
};

/// Completion events, or asynchronous ones, go to its other end.
struct Channel {
    Program* owner = nullptr;
    Descriptor socket;
    std::deque<std::vector<std::byte>> waiting;  ///< for room in the socket, which has some for hundreds
};

struct CompletionQueue {
    Program* owner = nullptr;
    rc::Cqn number{};
    rc::CqRing ring;
    CqInit as;
    std::uint32_t ready = 0;          ///< entries that are visible and not taken
    std::deque<rc::Completion> kept;  ///< taken from its ring, to be polled first
    std::uint32_t users = 0;          ///< QPs
    std::uint64_t newest = 0;         ///< number of the last entry that came, of all of the host's; 0: none
};

struct SharedQueue {
    Program* owner = nullptr;
    rc::ReceiveQueueNumber number{};
    rc::ReceiveRing ring;
    SrqInit as;
    std::uint32_t users = 0;
    PostOrder posted{};
};

struct QueuePair {
    Program* owner = nullptr;
    QpRequest as;
    QpMade made;
    rc::SendRing sends;
    rc::ReceiveQueueNumber receives{};
    std::optional<rc::ReceiveRing> own_receives;  ///< none: an SRQ's
    PostOrder posted_sends, posted_receives;
    QpChange attributes;     ///< as they were set
    bool resetting = false;  ///< what is posted now is lost
};

/// A QP that is destroyed or in RESET: nobody shall hear of what it has completed.
struct Ended {
    rc::Qpn qp;
    bool shares = false;                    ///< an SRQ
    std::optional<std::uint32_t> receives;  ///< index of the receive WQE that a message has not filled
};

template <typename T>
class Table {
  public:
    Handle add(T object) {
        while (++last_ == 0 || objects_.contains(last_)) {}
        objects_.emplace(last_, std::move(object));
        return last_;
    }
    void add_as(Handle handle, T object) { objects_.insert_or_assign(handle, std::move(object)); }
    /// Null: there is none, or it is another program's.
    [[nodiscard]] T* find(Handle handle, const Program& of) {
        const auto found = objects_.find(handle);
        return found == objects_.end() || found->second.owner != &of ? nullptr : &found->second;
    }
    void remove(Handle handle) { objects_.erase(handle); }
    [[nodiscard]] std::size_t size() const { return objects_.size(); }
    [[nodiscard]] std::map<Handle, T>& all() { return objects_; }
    [[nodiscard]] const std::map<Handle, T>& all() const { return objects_; }

  private:
    std::map<Handle, T> objects_;
    Handle last_ = 0;
};

struct ProtectionDomain {
    Program* owner = nullptr;
    std::uint32_t users = 0;
};

}  // namespace rnicsim::programs
