// SPDX-License-Identifier: Apache-2.0
// One end of a connection of an application: its protocol, as plain C++ that neither waits nor knows whether it runs in
// the simulator or on libibverbs. It is told of events and answers with actions.
#pragma once

#include "model/host/cpu/charge.h"
#include "model/host/cpu/store_instruction.h"
#include "model/rnic/rc/verbs.h"
#include "testbench/applications/link_state.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rnicsim::applications {

/// Bytes of this end's memory: an area of its plan, and an offset in it.
struct Place {
    std::uint32_t area = 0;
    std::uint32_t offset = 0;
    friend constexpr bool operator==(const Place&, const Place&) = default;
};

/// Memory of the other end, as it has told it.
struct Remote {
    std::uint64_t address = 0;
    std::uint32_t key = 0;
};

struct WorkRequest {
    rc::Verb verb = rc::Verb::send;
    Place local;
    std::uint32_t bytes = 0;                     ///< of an atomic: 8, a little-endian number
    Remote remote{};                             ///< of WRITEs, READs and atomics
    std::uint32_t immediate = 0;                 ///< of verbs with one
    std::uint64_t swap_or_add = 0, compare = 0;  ///< of atomics; `local`, 8 bytes, gets what was there
    std::uint32_t tag = 0;                       ///< comes back with its completion
    bool solicited = false;                      ///< wakes who waits for such only (Plan::Side::waits_for_solicited)
    bool signaled = true;                        ///< else a later one that is says that this one is complete, too
};

/// An instruction of a core behind a bridge (Plan::bridge): to the other end's memory, or to its doorbell.
struct Store {
    using What = StoreInstruction::What;
    What what = What::fence;
    Place own{};            ///< copy: bytes of this end's memory, which stay as they are until it is over; load: where
    std::uint32_t far = 0;  ///< in that area of the other end's memory (Plan::Side::far_area)
    std::uint32_t bytes = 0;  ///< copy, load
    std::uint64_t word = 0;
};

/// What an end is told.
struct Event {
    enum class What : std::uint8_t {
        asked,       ///< its user wants operation `tag`, of so many bytes; of the first end only
        completion,  ///< of the work request with this tag: it is signaled, or has failed
        received,    ///< a receive WQE with this tag has been used
        noticed,     ///< the other end has written to what watch() was asked for with this tag
        bytes,       ///< so many bytes of the stream have come, and are not read
        read,        ///< stream_receive(): so many bytes are where they were wanted
        sent,        ///< stream_send(): the socket has taken all
        closed,      ///< the stream is no more
        done,        ///< what was asked for with this tag is over: registering, giving up, stores, then()
        timer,       ///< after()
        woken        ///< an end with which it shares memory has called wake()
    } what{};
    std::uint32_t tag = 0;
    std::uint32_t bytes = 0;
    std::uint32_t immediate = 0;  ///< of a receive; of a registration: the key
    rc::Status status = rc::Status::success;
};

enum class Outcome : std::uint8_t { complete, failed };

/// What an end can do. Each takes the time of its thread, behind what the thread has been given before.
class Actions {
  public:
    virtual ~Actions() = default;
    /// One that finds no room waits, and all behind it, until a completion makes some: so of those that a queue has
    /// room for one has to be signaled.
    virtual void post_send(const WorkRequest& what) = 0;
    virtual void post_receive(Place at, std::uint32_t bytes, std::uint32_t tag) = 0;
    /// `noticed` at the next WRITE to this byte, once; ask before the other end can know of the place.
    virtual void watch(Place at, std::uint32_t tag) = 0;
    /// `done` with the key; one registration of an area at a time.
    virtual void register_memory(Place at, std::uint32_t bytes, std::uint32_t tag) = 0;
    /// `done`. The area's.
    virtual void deregister_memory(std::uint32_t area, std::uint32_t tag) = 0;
    /// `sent` when the call returns: what the end asks for before that may be done before it.
    virtual void stream_send(Place from, std::uint32_t bytes) = 0;
    /// At most so many, at least one, of those that have come.
    virtual void stream_receive(Place to, std::uint32_t most) = 0;
    virtual void stream_close() = 0;
    /// `of`: bytes of the buffer that these are a part of: its size says whether caches have it.
    virtual void copy(Place to, Place from, std::uint32_t bytes, std::uint32_t of) = 0;
    /// Stores, in this order; at least one. `done` when the last one is over: the thread does nothing else meanwhile.
    virtual void store(std::span<const Store> program, std::uint32_t tag) {
        static_cast<void>(tag);
        throw std::logic_error(std::to_string(program.size()) + " stores of an application, and there is no bridge");
    }
    /// Of the bridge, as this host's driver has heard; see_link() makes `back` `up`.
    [[nodiscard]] virtual LinkState link() { return LinkState::up; }
    virtual void see_link() {}
    /// `noticed` each time that link() has changed; once, in start().
    virtual void watch_link(std::uint32_t /*tag*/) {}
    /// `noticed` each time that the other end has rung this one's doorbell, or others' of its bit; once, in start().
    virtual void watch_doorbell(std::uint32_t /*tag*/) {}
    /// Bytes of an operation are here for good, and nobody sends them again: the run gets on.
    virtual void gets_on() {}
    /// All operations of the run are over: who polls may stop.
    [[nodiscard]] virtual bool is_over() { return false; }
    /// The first write to pages that nobody has touched.
    virtual void touch(Place at, std::uint32_t bytes) = 0;
    /// A call to another process of the host, and its answer.
    virtual void call() = 0;
    /// A call of the operating system's, beyond those of streams.
    virtual void system_call() = 0;
    /// The program's own computing.
    virtual void work(Time cost) = 0;
    /// This host's part of setting up a connection to the other one, which work() is, too.
    virtual void set_up(Time cost) = 0;
    /// `done`, when all that the thread has been given is over.
    virtual void then(std::uint32_t tag) = 0;
    virtual void after(Time time, std::uint32_t tag) = 0;
    /// `woken` for the other ends that have the area which is shared by this number (Plan::Area::shared), when all that
    /// the thread has been given is over. It costs what is said beside it: system_call(), work().
    virtual void wake(std::uint32_t shared, std::uint32_t tag) = 0;

    /// Bytes of its memory: messages of the protocol are written and read here, which takes no time.
    [[nodiscard]] virtual std::span<std::uint8_t> memory(Place at, std::uint32_t bytes) = 0;
    /// How long until this end sees what the other one has stored there: it looks again then.
    [[nodiscard]] virtual Time unseen(Place /*at*/, std::uint32_t /*bytes*/) { return {}; }
    /// Where the other end finds them.
    [[nodiscard]] virtual Remote remote(Place at) = 0;
    /// The user's data of an operation come to be here, in no time.
    virtual void produce(Place at, std::uint32_t bytes, std::uint32_t operation) = 0;
    /// The operation has come so far: the time since the last mark goes to this part of its sample. The last part is
    /// ended()'s.
    virtual void mark(std::uint32_t operation, unsigned part) = 0;
    // When all that the thread has been given is over:
    /// The user finds the data of the operation here. They are judged.
    virtual void check(Place at, std::uint32_t bytes, std::uint32_t operation) = 0;
    /// A rule of the protocol's own is broken: the run ends with exit code 1, and says so.
    virtual void violates(const std::string& what) = 0;
    /// The operation is over.
    virtual void ended(std::uint32_t operation, Outcome outcome) = 0;
};

/// A value: what it refers to, settings, never changes.
class End {
  public:
    virtual ~End() = default;
    /// Another one in the same state: exploration goes on with both.
    [[nodiscard]] virtual std::unique_ptr<End> copy() const = 0;
    /// All that can matter later, appended.
    virtual void state(std::vector<std::uint64_t>& words) const = 0;
    /// Before the first event: receive WQEs, what is watched, memory. It sends nothing: then() lets it begin.
    virtual void start(Actions& actions) = 0;
    virtual void on(const Event& event, Actions& actions) = 0;
};

}  // namespace rnicsim::applications
