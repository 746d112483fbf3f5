// SPDX-License-Identifier: Apache-2.0
// Events: each waits in its channel until the program fetches it. A byte in the channel's socket says that there are
// some, so that a program can wait for them as for anything else.
#include "testbench/programs/server/cm.h"

#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace rnicsim::programs {

rdma_ucm_event_resp ConnectionManager::fetch(EventChannel& channel) {
    if (channel.events.empty()) throw Refusal{EAGAIN};
    const CmEvent event = channel.events.front();
    channel.events.pop_front();
    show(channel);
    Identifier& of = ids_.all().at(event.of);
    ++of.reported;
    if (event.request != 0) ++of.backlog;
    return event.told;
}

/// `with`: what the event says beside.
void ConnectionManager::tell(Handle handle, CmTold event, int status, const rdma_ucm_event_resp& with) {
    const Identifier& id = ids_.all().at(handle);
    if (id.uid == 0) return;
    CmEvent made{with, handle, 0};
    made.told.uid = id.uid;
    made.told.id = handle;
    made.told.event = static_cast<std::uint32_t>(event);
    made.told.status = static_cast<std::uint32_t>(status);
    queue(id.channel, made);
}

void ConnectionManager::queue(Handle channel, const CmEvent& event) {
    const auto found = channels_.all().find(channel);
    if (found == channels_.all().end() || found->second.owner->gone) return;
    found->second.events.push_back(event);
    show(found->second);
    news_(*found->second.owner);
}

/// Of an identifier that is no more; requests that its program has not heard of are rejected.
void ConnectionManager::drop_events(Handle channel, Handle of) {
    const auto found = channels_.all().find(channel);
    if (found == channels_.all().end()) return;
    std::vector<Handle> requests;
    std::erase_if(found->second.events, [&](const CmEvent& event) {
        if (event.of != of) return false;
        if (event.request != 0) requests.push_back(event.request);
        return true;
    });
    show(found->second);
    for (const Handle request : requests) destroy(request);
}

/// Returns how many of its events were fetched from where it was.
std::uint32_t ConnectionManager::migrate(Handle handle, Handle to) {
    Identifier& id = ids_.all().at(handle);
    const Handle from = std::exchange(id.channel, to);
    if (from == to) return id.reported;
    EventChannel& before = channels_.all().at(from);
    std::deque<CmEvent> stays;
    std::vector<CmEvent> goes;
    for (const CmEvent& event : before.events) {
        if (event.of == handle) {
            goes.push_back(event);
        } else {
            stays.push_back(event);
        }
    }
    before.events = std::move(stays);
    show(before);
    for (const CmEvent& event : goes) {
        if (event.request != 0) ids_.all().at(event.request).channel = to;
        queue(to, event);
    }
    return id.reported;
}

/// Makes its socket readable if it has events, and not if it has none.
void ConnectionManager::show(EventChannel& channel) {
    const bool has = !channel.events.empty();
    if (has == channel.readable) return;
    channel.readable = has;
    char byte = 0;
    if (has) {
        static_cast<void>(::send(channel.ours.get(), &byte, sizeof byte, MSG_DONTWAIT | MSG_NOSIGNAL));
    } else {
        static_cast<void>(::recv(channel.theirs.get(), &byte, sizeof byte, MSG_DONTWAIT));
    }
}

}  // namespace rnicsim::programs
