// SPDX-License-Identifier: Apache-2.0
// The bounds of `rnicsim explore` without options.
#include "testbench/explore/bounds.h"

#include <array>

namespace rnicsim::explore {
namespace {

constexpr std::array kMethods{Method::traditional, Method::dynamic};

/// Two ends.
std::vector<Bounds> of_a_pair() {
    std::vector<Bounds> set;
    for (const Traffic traffic : {Traffic::write, Traffic::read}) {
        for (const Method method : kMethods) {
            Bounds one;
            one.traffic = traffic;
            one.method = method;
            one.prompt = true;
            set.push_back(one);
            one.prompt = false;  // not under go-back-N: README.md
            one.rules.retransmission = "go_back_n";
            one.faults = 1;
            set.push_back(one);
        }
    }
    Bounds small;  // the second frame already finds the buffer full
    small.slots = 1;
    small.faults = 1;
    small.prompt = true;
    set.push_back(small);
    for (const Traffic traffic : {Traffic::write, Traffic::read, Traffic::both_ends}) {
        for (const Method method : kMethods) {
            Bounds two;
            two.traffic = traffic;
            two.method = method;
            two.transfers = 2;
            two.frames = 2;
            two.faults = 1;
            two.staged = 1;
            two.prompt = true;
            two.fetch_at_once = true;
            set.push_back(two);
            two.frames = 4;
            two.failures = 0;
            set.push_back(two);
        }
    }
    for (const Traffic traffic : {Traffic::write, Traffic::read}) {
        for (const Method method : kMethods) {
            Bounds again;
            again.traffic = traffic;
            again.method = method;
            again.frames = 2;
            again.staged = 1;
            again.fetch_at_once = true;
            again.forgetful = true;
            set.push_back(again);
        }
    }
    Bounds beyond;  // its initiator continues where the first use of the TID ended
    beyond.frames = 3;
    beyond.window = 1;
    beyond.staged = 1;
    beyond.fetch_at_once = true;
    beyond.forgetful = true;
    set.push_back(beyond);
    return set;
}

/// Each of the two methods at either side: the far end never does what it was not built for.
std::vector<Bounds> of_mixed_methods() {
    std::vector<Bounds> set;
    for (const Method method : kMethods) {
        Bounds mixed;
        mixed.method = method;
        mixed.hub_method = method == Method::dynamic ? Method::traditional : Method::dynamic;
        for (const Traffic traffic : {Traffic::write, Traffic::read}) {
            mixed.traffic = traffic;
            set.push_back(mixed);
            Bounds again = mixed;
            again.frames = 2;
            again.staged = 1;
            again.fetch_at_once = true;
            again.forgetful = true;
            set.push_back(again);
        }
        mixed.traffic = Traffic::both_ends;
        mixed.transfers = 2;
        mixed.frames = 2;
        mixed.faults = 1;
        mixed.staged = 1;
        mixed.fetch_at_once = true;
        set.push_back(mixed);
    }
    return set;
}

/// Two initiators and one responder, without the policies of networks.
std::vector<Bounds> of_two_initiators(Bounds two) {
    std::vector<Bounds> set;
    for (const Traffic traffic : {Traffic::write, Traffic::read}) {
        two.traffic = traffic;
        two.prompt = true;
        two.method = Method::traditional;
        two.frames = 2;
        set.push_back(two);
        two.method = Method::dynamic;
        two.failures = 0;
        set.push_back(two);
        two.frames = 1;
        two.failures = 1;
        set.push_back(two);
    }
    two.traffic = Traffic::write;
    two.prompt = false;
    two.forgetful = true;
    set.push_back(two);
    Bounds more = two;  // the same TIDs again and again
    more.forgetful = false;
    more.transfers = 2;
    more.faults = 0;
    more.method = Method::traditional;
    set.push_back(more);
    return set;
}

/// With these, and in early data that both keep at once.
std::vector<Bounds> of_networks(const Bounds& two) {
    std::vector<Bounds> set;
    Bounds early = two;
    early.frames = 2;
    early.faults = 0;
    early.prompt = true;
    set.push_back(early);
    Bounds quota = early;
    quota.rules.buffer_admission = "per_initiator";
    set.push_back(quota);
    Bounds told = early;
    told.slots = 1;
    told.rules.resume_rule = "told";
    set.push_back(told);
    Bounds aimd = two;
    aimd.frames = 3;
    aimd.window = 3;
    aimd.failures = 0;
    aimd.rules.window_rule = "aimd";
    set.push_back(aimd);
    for (const bool answer : {false, true}) {
        Bounds full = two;
        full.frames = 1;
        full.table = 1;
        full.rules.busy_answer = answer;
        set.push_back(full);
    }
    return set;
}

}  // namespace

std::vector<Bounds> standard_set() {
    std::vector<Bounds> set = of_a_pair();
    for (const Bounds& bounds : of_mixed_methods()) set.push_back(bounds);
    Bounds two;
    two.initiators = 2;
    two.faults = 1;
    two.staged = 1;
    two.fetch_at_once = true;
    for (const Bounds& bounds : of_two_initiators(two)) set.push_back(bounds);
    for (const Bounds& bounds : of_networks(two)) set.push_back(bounds);
    return set;
}

}  // namespace rnicsim::explore
