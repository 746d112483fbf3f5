// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/rc/standard_set.h"

namespace rnicsim::rc {
namespace {

constexpr std::array kTakers{Verb::send, Verb::write_imm};  // of a receive WQE

Workload bounds_of(std::string_view policy, std::uint32_t window, std::uint32_t rd_atomic) {
    Workload bounds;
    bounds.retransmission = &retransmission(policy);
    bounds.window = window;
    bounds.rd_atomic = rd_atomic;
    return bounds;
}

/// A program's ERR, or a deregistration.
std::array<Workload, 2> disturbances_of(const Workload& bounds) {
    std::array<Workload, 2> all{bounds, bounds};
    all[0].to_error = all[1].deregister = true;
    return all;
}

Workload of_two(Workload bounds, Requesters requesters) {
    bounds.requesters = requesters;
    return bounds;
}

std::string names_of(const std::vector<Verb>& messages) {
    std::string text;
    for (const Verb verb : messages) text.append(text.empty() ? "" : ", ").append(verb_name(verb));
    return text;
}

std::string number(const char* name, std::uint32_t value) { return std::string(", ") + name + std::to_string(value); }

/// Of what is to be durable.
std::string describe_persist(const Workload& w) {
    const PersistBounds& p = w.persist;
    std::string text;
    if (asks_for(w, Verb::write_persist)) {
        text += p.mode.pack == PersistPack::opcode ? ", PACK by opcode" : ", PACK by psn_only";
        text += p.mode.two_acks ? ", 2 ACKs" : ", 1 ACK";
        if (p.mode.mark == PersistMark::range) text += ", mark range";
        if (p.repeat != RepeatTimer::shorter) text += p.repeat == RepeatTimer::off ? ", no repeat" : ", late repeat";
    }
    if (!persists(w)) return text;
    if (p.outstanding != PersistBounds{}.outstanding) text += number("flush reads ", p.outstanding);
    if (p.capacity != PersistBounds{}.capacity) text += number("persist capacity ", p.capacity);
    if (p.coalesce) text += ", coalesce";
    if (p.read_bypass) text += ", read bypass";
    return text;
}

}  // namespace

std::vector<Workload> singles_of(const Workload& bounds) {
    std::vector<Workload> all;
    for (const Verb verb : kExploredVerbs) {
        all.push_back(bounds);
        all.back().messages = {verb};
    }
    return all;
}

std::vector<Workload> pairs_of(const Workload& bounds, std::span<const Verb> firsts) {
    std::vector<Workload> all;
    for (const Verb first : firsts) {
        for (const Verb second : kExploredVerbs) {
            all.push_back(bounds);
            all.back().messages = {first, second};
        }
    }
    return all;
}

std::vector<Workload> meetings_of(const Workload& bounds) {
    std::vector<Workload> all;
    for (std::size_t first = 0; first < kExploredVerbs.size(); ++first) {
        for (std::size_t second = first; second < kExploredVerbs.size(); ++second) {
            all.push_back(bounds);
            all.back().messages = {kExploredVerbs.at(first)};
            all.back().others = {kExploredVerbs.at(second)};
        }
    }
    return all;
}

std::vector<UnreliableWorkload> unreliable_of(Service service, std::uint32_t faults) {
    if (service == Service::datagram) return {{service, {Verb::send, Verb::send, Verb::send}, 1, faults}};
    std::vector<UnreliableWorkload> all;
    for (const Verb first : kExploredUcVerbs) {
        all.push_back({service, {first}, 3, faults});
        for (const Verb second : kExploredUcVerbs) all.push_back({service, {first, second}, 2, faults});
    }
    return all;
}

std::vector<AnyWorkload> standard_set() {
    std::vector<AnyWorkload> all;
    const auto add = [&all](const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
    for (const auto& [policy, packets] : {std::pair{"go_back_n", 3U}, std::pair{"selective_repeat", 4U}}) {
        Workload bounds = bounds_of(policy, packets, 1);
        bounds.packets = packets;
        bounds.faults = 2;
        add(singles_of(bounds));
    }
    add(pairs_of(bounds_of("go_back_n", 3, 1)));
    add(pairs_of(bounds_of("go_back_0", 3, 2)));
    add(pairs_of(bounds_of("selective_repeat", 4, 2)));
    Workload apart = bounds_of("selective_repeat", 4, 1);
    apart.apart = true;
    apart.packets = 3;
    add(pairs_of(apart));
    add(unreliable_of(Service::unreliable, 2));
    add(unreliable_of(Service::datagram, 2));
    for (const auto& [policy, window] : {std::pair{"go_back_n", 3U}, std::pair{"selective_repeat", 4U}}) {
        const Workload bounds = bounds_of(policy, window, 1);
        for (const Workload& disturbed : disturbances_of(bounds)) add(pairs_of(disturbed));
        for (const std::uint32_t receives : {0U, 1U}) {
            Workload few = bounds;
            few.rnr = 1;
            few.receives = receives;
            add(pairs_of(few, kTakers));
        }
        for (Workload two : {of_two(bounds, Requesters::both_ends), of_two(bounds, Requesters::shared)}) {
            two.faults = window == 3 ? 1 : 0;
            add(meetings_of(two));
            two.faults = 0;
            for (const Workload& disturbed : disturbances_of(two)) add(meetings_of(disturbed));
        }
    }
    add(persist_set());
    return all;
}

std::string describe(const Workload& w) {
    std::string text = "RC " + names_of(w.messages);
    if (w.requesters != Requesters::one)
        text += (w.requesters == Requesters::shared ? "; c to the same queue: " : "; b: ") + names_of(w.others);
    text += number("", w.packets) + (w.packets == 1 ? " packet" : " packets");
    text += ", " + std::string(w.retransmission->name()) + number("window ", w.window) +
            number("rd_atomic ", w.rd_atomic) + number("F ", w.faults);
    if (w.retry != Workload{}.retry) text += number("retry ", w.retry);
    if (w.rnr != Workload{}.rnr) text += number("rnr ", w.rnr);
    if (w.receives) text += number("receives ", *w.receives);
    if (w.apart) text += ", apart";
    if (w.to_error) text += ", ERR";
    if (w.deregister) text += ", deregister";
    if (w.only_timers) text += ", only timers";
    return text + describe_persist(w);
}

std::string describe(const UnreliableWorkload& w) {
    return std::string(w.service == Service::datagram ? "UD " : "UC ") + names_of(w.messages) + number("", w.packets) +
           (w.packets == 1 ? " packet" : " packets") + number("F ", w.faults);
}

}  // namespace rnicsim::rc
