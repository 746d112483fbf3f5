// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/explore_rc_options.h"

#include "testbench/cli/option_kinds.h"

#include <algorithm>
#include <map>

namespace rnicsim::runner {
namespace {

constexpr std::uint32_t kMostMessages = 3;

/// Those that --ops knows.
std::vector<rc::Verb> all_verbs() {
    std::vector<rc::Verb> all(rc::kExploredVerbs.begin(), rc::kExploredVerbs.end());
    for (const rc::Verb verb : rc::kExploredPersistVerbs) all.push_back(verb);
    return all;
}

rc::Verb verb_of(const std::string& name) {
    const std::vector<rc::Verb> all = all_verbs();
    return *std::ranges::find(all, name, [](rc::Verb v) { return rc::verb_name(v); });
}

void add_persist_bounds(CLI::App& group, rc::PersistBounds& bounds) {
    using rc::PersistMark, rc::PersistPack, rc::RepeatTimer;
    const std::map<std::string, PersistPack> packs{{"opcode", PersistPack::opcode},
                                                   {"psn_only", PersistPack::psn_only}};
    word(group, "--pack", bounds.mode.pack, packs,
         "of a write_persist: psn_only: the second ACK of a PSN is its persist ACK [opcode]");
    const std::map<std::string, bool> acks{{"1", false}, {"2", true}};
    word(group, "--acks", bounds.mode.two_acks, acks, "2: its reception is acknowledged, too [2]");
    const std::map<std::string, PersistMark> marks{{"opcode", PersistMark::opcode}, {"range", PersistMark::range}};
    word(group, "--mark", bounds.mode.mark, marks, "range: any WRITE is one [opcode]");
    const std::map<std::string, RepeatTimer> timers{
        {"off", RepeatTimer::off}, {"shorter", RepeatTimer::shorter}, {"longer", RepeatTimer::longer}};
    word(group, "--repeat", bounds.repeat, timers,
         "of one without its persist ACK: never, before any other timer, or behind all [shorter; of psn_only with 2 "
         "ACKs off, too]");
    number(group, "--flush-reads", bounds.outstanding, 1, 4, "outstanding at a card");
    number(group, "--persist-capacity", bounds.capacity, 1, 4, "what is not durable yet, at a card");
    group.add_flag("--coalesce", bounds.coalesce, "A flush read for all that was posted before it");
    group.add_flag("--read-bypass", bounds.read_bypass, "A flush read does not wait for the last bytes: wrong");
}

/// Throws where bounds of what is to be durable are given, and nothing is.
void check_persist_bounds(const rc::Workload& workload, const CLI::App& given) {
    for (const char* name : {"--pack", "--acks", "--mark", "--repeat"}) {
        if (given.count(name) != 0 && !asks_for(workload, rc::Verb::write_persist))
            throw CLI::ValidationError(name, "only together with --ops write_persist");
    }
    for (const char* name : {"--flush-reads", "--persist-capacity", "--coalesce", "--read-bypass"}) {
        if (given.count(name) != 0 && !persists(workload))
            throw CLI::ValidationError(name, "only together with --ops write_persist or flush");
    }
}

/// Then what a lost ACK does depends on whether there is a repeat.
bool has_second_acks(const rc::Workload& workload) {
    const rc::PersistMode& mode = workload.persist.mode;
    return asks_for(workload, rc::Verb::write_persist) && mode.two_acks && mode.pack == rc::PersistPack::psn_only;
}

std::vector<rc::AnyWorkload> reliable_of(const RcBounds& bounds, const std::vector<rc::Verb>& messages,
                                         const CLI::App& own) {
    rc::Workload one = bounds.workload;
    const bool alone = one.requesters == rc::Requesters::one;
    if (own.count("--receives") != 0) one.receives = bounds.receives;
    if (!bounds.others.empty() && (alone || messages.empty()))
        throw CLI::ValidationError("--others", "only together with --ops and --requesters both-ends or shared");
    if (messages.empty()) {
        check_persist_bounds(one, own);
        const auto all = alone ? rc::pairs_of(one) : rc::meetings_of(one);
        return {all.begin(), all.end()};
    }
    one.messages = messages;
    for (const std::string& name : bounds.others) one.others.push_back(verb_of(name));
    if (!alone && one.others.empty()) one.others = messages;
    check_persist_bounds(one, own);
    std::vector<rc::AnyWorkload> all{one};
    if (has_second_acks(one) && own.count("--repeat") == 0) {
        one.persist.repeat = rc::RepeatTimer::off;
        all.emplace_back(one);
    }
    return all;
}

}  // namespace

void add_rc_bounds(CLI::App& group, RcBounds& bounds) {
    std::vector<std::string> verbs;
    for (const rc::Verb verb : all_verbs()) verbs.emplace_back(rc::verb_name(verb));
    const auto messages = [&](const char* name, std::vector<std::string>& names, const char* meaning) {
        group.add_option(name, names, meaning)->delimiter(',')->expected(1, kMostMessages)->check(CLI::IsMember(verbs));
    };
    messages("--ops", bounds.ops, "The messages, e.g. write,read [each ordered pair]");
    group.add_option("--service", bounds.service, "ud: messages have one packet")
        ->check(CLI::IsMember({"rc", "uc", "ud"}))
        ->capture_default_str();
    rc::Workload& w = bounds.workload;
    using enum rc::Requesters;
    const std::map<std::string, rc::Requesters> requesters{{"one", one}, {"both-ends", both_ends}, {"shared", shared}};
    word(group, "--requesters", w.requesters, requesters,
         "both-ends: a and b ask each other; shared: a and c ask two QPs of b, which share a receive queue [one]");
    messages("--others", bounds.others, "The messages of the second one that asks [as --ops]");
    number(group, "--packets", w.packets, 1, 6, "of each message that has a payload");
    number(group, "--retry", w.retry, 0, 7, "retry_cnt");
    number(group, "--rnr", w.rnr, 0, 7, "rnr_retry; 7: endless");
    number(group, "--rd-atomic", w.rd_atomic, 1, 4, "max_rd_atomic of both ends");
    group.add_option("--receives", bounds.receives, "Posted at most to each receive queue [one for each taker]")
        ->type_name("N")
        ->check(CLI::Range(0U, 2 * kMostMessages));
    group.add_flag("--to-error", w.to_error, "At any time, or never, one QP is modified to ERR");
    group.add_flag("--deregister", w.deregister, "At any time, or never, b's region is deregistered");
    group.add_flag("--only-timers", w.only_timers, "Only timers have faults: they are early");
    group.add_flag("--apart", w.apart, "Messages go to and come from different places in memory");
    group.add_flag("--each-rule", bounds.each_rule,
                   "Goes on behind a broken rule, and shows the shortest way to each [of psn_only always]");
    add_persist_bounds(group, w.persist);
}

std::vector<rc::AnyWorkload> workloads_of(const RcBounds& bounds, const CLI::App& own) {
    std::vector<rc::Verb> messages;
    for (const std::string& name : bounds.ops) messages.push_back(verb_of(name));
    if (bounds.service == "rc") return reliable_of(bounds, messages, own);
    for (const char* name : {"--retry", "--rnr", "--rd-atomic", "--apart", "--requesters", "--others", "--receives",
                             "--to-error", "--deregister", "--only-timers", "--pack", "--acks", "--mark", "--repeat",
                             "--flush-reads", "--persist-capacity", "--coalesce", "--read-bypass"}) {
        if (own.count(name) != 0) throw CLI::ValidationError(name, "belongs to --service rc: nothing is answered");
    }
    const bool datagram = bounds.service == "ud";
    const rc::Service service = datagram ? rc::Service::datagram : rc::Service::unreliable;
    for (const rc::Verb verb : messages) {
        if (datagram ? verb != rc::Verb::send
                     : std::ranges::find(rc::kExploredUcVerbs, verb) == rc::kExploredUcVerbs.end())
            throw CLI::ValidationError("--ops",
                                       std::string(rc::verb_name(verb)) + ": not of --service " + bounds.service);
    }
    if (datagram && bounds.workload.packets != 1 && own.count("--packets") != 0)
        throw CLI::ValidationError("--packets", "expected 1 with --service ud");
    if (messages.empty()) {
        if (own.count("--packets") != 0)
            throw CLI::ValidationError("--packets", "with --service " + bounds.service + " only together with --ops");
        const auto all = rc::unreliable_of(service, bounds.workload.faults);
        return {all.begin(), all.end()};
    }
    return {rc::UnreliableWorkload{service, messages, datagram ? 1 : bounds.workload.packets, bounds.workload.faults}};
}

}  // namespace rnicsim::runner
