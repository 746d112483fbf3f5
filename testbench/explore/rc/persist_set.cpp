// SPDX-License-Identifier: Apache-2.0
// What is explored of messages that are to be durable (VERBS.md 11).
#include "testbench/explore/rc/standard_set.h"

namespace rnicsim::rc {
namespace {

constexpr std::array kBesidePersists{Verb::send,      Verb::write, Verb::write_imm,   Verb::read,
                                     Verb::fetch_add, Verb::flush, Verb::atomic_write};

Workload workload_with(std::vector<Verb> messages, const Workload& bounds) {
    Workload workload = bounds;
    workload.messages = std::move(messages);
    return workload;
}

/// Each with what waits for its PACK, and with what it waits for.
std::vector<Workload> pairs_with_persist(const Workload& bounds) {
    using enum Verb;
    std::vector<Workload> all{workload_with({write_persist, write_persist}, bounds)};
    for (const Verb other : kBesidePersists) {
        all.push_back(workload_with({write_persist, other}, bounds));
        all.push_back(workload_with({other, write_persist}, bounds));
    }
    return all;
}

/// More than one is on its way to memory, in each way that a card has.
std::vector<Workload> modules_of(const Workload& bounds) {
    using enum Verb;
    Workload one = workload_with({write_persist, write_persist, write_persist}, bounds);
    one.packets = 1;
    std::vector<Workload> all(4, one);
    all[1].persist.capacity = 1;
    all[2].persist.coalesce = true;
    all[3].persist.outstanding = 2;
    return all;
}

/// Two that ask; ERR and a deregistration, without a fault.
std::vector<Workload> disturbed_persists(const Workload& bounds) {
    using enum Verb;
    const Workload pair = workload_with({write_persist, write_persist}, bounds);
    std::vector<Workload> all(2, workload_with({write_persist}, bounds));
    all[0].requesters = Requesters::both_ends;
    all[1].requesters = Requesters::shared;
    for (Workload& two : all) two.others = {write_persist};
    all.resize(4, pair);
    all[2].to_error = all[3].deregister = true;
    for (std::size_t i = 2; i < all.size(); ++i) all[i].faults = 0;
    return all;
}

std::vector<Workload> flushes_of(const Workload& bounds) {
    using enum Verb;
    std::vector<Workload> all{workload_with({flush}, bounds), workload_with({flush, flush}, bounds)};
    for (const Verb other : {send, write, write_imm, read, fetch_add, atomic_write}) {
        all.push_back(workload_with({other, flush}, bounds));
        all.push_back(workload_with({flush, other}, bounds));
    }
    all.push_back(workload_with({write, flush, atomic_write}, bounds));  // it waits for the FLUSH (V-P5)
    all.back().rd_atomic = 2;
    return all;
}

}  // namespace

std::vector<Workload> persist_set() {
    using enum Verb;
    std::vector<Workload> all;
    const auto add = [&all](const std::vector<Workload>& some) { all.insert(all.end(), some.begin(), some.end()); };
    for (const auto& [policy, window] : {std::pair{"go_back_n", 3U}, std::pair{"selective_repeat", 4U}}) {
        Workload bounds;
        bounds.retransmission = &retransmission(policy);
        bounds.window = window;
        add(flushes_of(bounds));
        for (const bool two_acks : {false, true}) {
            bounds.persist.mode.two_acks = two_acks;
            Workload single = workload_with({write_persist}, bounds);
            single.packets = 3;
            single.faults = 2;
            add({single});
            add(pairs_with_persist(bounds));
            add(modules_of(bounds));
            add(disturbed_persists(bounds));
            for (const Verb other : {write, write_persist}) {
                Workload pair = workload_with({write_persist, other}, bounds);
                pair.persist.repeat = RepeatTimer::longer;
                add({pair});
                pair = workload_with({other, write_persist}, bounds);
                pair.persist.mode.mark = PersistMark::range;
                add({pair});
            }
        }
    }
    return all;
}

}  // namespace rnicsim::rc
