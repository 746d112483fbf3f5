// The options of `rnicsim explore`: of both personalities, and of each its own.
#include "testbench/cli/options.h"

#include "model/rnic/drp/policies/acknowledgement.h"
#include "model/rnic/drp/policies/buffer_admission.h"
#include "model/rnic/drp/policies/mode_choice.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "model/rnic/rc/policies/retransmission.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>

namespace rnicsim::runner {
namespace {

constexpr std::uint32_t kMostMessages = 3;

void number(CLI::App& group, const char* name, std::uint32_t& value, std::uint32_t least, std::uint32_t most,
            const char* meaning) {
    group.add_option(name, value, meaning)->type_name("N")->check(CLI::Range(least, most))->capture_default_str();
}

template <typename T>
void word(CLI::App& group, const char* name, T& value, const std::map<std::string, T>& words, const char* meaning) {
    const auto set = [&value, words](const std::string& text) { value = words.at(text); };
    group.add_option_function<std::string>(name, set, meaning)->check(CLI::IsMember(words));
}

std::vector<std::string> strings(const std::vector<std::string_view>& names) { return {names.begin(), names.end()}; }

/// As they are given; what is not given is the personality's own.
struct Shared {
    std::string personality = "drp", retransmission;
    std::uint32_t window = 0, faults = 0;
    bool list = false;
    std::size_t max_states = explore::Bounds{}.max_states;
};

void add_shared(CLI::App& command, CLI::App& group, Shared& shared) {
    command.add_option("--personality", shared.personality, "drp: dynamic indirect transfer; rc: RoCEv2, all services")
        ->check(CLI::IsMember({"drp", "rc"}))
        ->capture_default_str();
    command.add_flag("--list", shared.list, "Only print the bounds that would be explored");
    const auto own = [&group](const char* name, std::uint32_t& value, std::uint32_t least, std::uint32_t most,
                              const char* meaning) {
        group.add_option(name, value, meaning)->type_name("N")->check(CLI::Range(least, most));
    };
    own("--window", shared.window, 1, 8, "frames, packets [drp 2, rc 3]");
    own("--faults", shared.faults, 0, 4, "in all: lost, duplicated, overtaken, late frames [drp 2, rc 1]");
    std::vector<std::string> names = strings(retransmission_names());
    for (const std::string_view name : rc::retransmission_names()) {
        if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    }
    group
        .add_option("--retransmission", shared.retransmission, "As in a scenario [drp selective_repeat, rc go_back_n]")
        ->check(CLI::IsMember(names));
    group.add_option("--max-states", shared.max_states, "Give up after so many")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, std::size_t{4'000'000'000}))
        ->capture_default_str();
}

void add_drp(CLI::App& group, explore::Bounds& bounds) {
    using explore::Traffic;
    const std::map<std::string, Traffic> traffics{
        {"write", Traffic::write}, {"read", Traffic::read}, {"both-ends", Traffic::both_ends}};
    const std::map<std::string, Method> methods{{"traditional", Method::traditional}, {"dynamic", Method::dynamic}};
    word(group, "--operation", bounds.traffic, traffics, "both-ends: a writes and b reads [write]");
    word(group, "--method", bounds.method, methods, "[dynamic]");
    number(group, "--initiators", bounds.initiators, 1, 2,
           "2: a and c, both with b and the same TIDs; not with both-ends");
    number(group, "--transfers", bounds.transfers, 1, 4,
           "of each initiator, at most at the same time; with both-ends in all");
    number(group, "--frames", bounds.frames, 1, 8, "of each transfer");
    number(group, "--failures", bounds.failures, 0, 4, "of the registration of each transfer");
    number(group, "--table", bounds.table, 0, 8, "entries of each connection table; 0: one for each transfer there is");
    number(group, "--slots", bounds.slots, 0, explore::kMaxSlots, "of each indirect buffer");
    number(group, "--staged", bounds.staged, 1, 8, "data frames of an end between fetch and wire");
    number(group, "--duplicate-acks", bounds.duplicate_acks, 0, 8, "for a fast retransmission");
    number(group, "--indirect-after", bounds.indirect_after, 1, 4, "expiries of the request timer, dynamic");
    group.add_flag("--forgetful", bounds.forgetful,
                   "A responder may forget at any time what it gave up; verdicts may be late");
    group.add_flag("--fetch-at-once", bounds.fetch_at_once, "Data frames are fetched as soon as they may be");
    group.add_flag("--prompt", bounds.prompt,
                   "One rule more: where no frame was lost or late, no data waits for its timer");
    const auto rule = [&group](const char* name, std::string& value, const std::vector<std::string_view>& names) {
        group.add_option(name, value, "As in a scenario")
            ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
            ->capture_default_str();
    };
    rule("--mode-choice", bounds.rules.mode_choice, mode_choice_names());
    rule("--acknowledgement", bounds.rules.acknowledgement, acknowledgement_names());
    rule("--buffer-admission", bounds.rules.buffer_admission, buffer_admission_names());
    rule("--window-rule", bounds.rules.window_rule, window_rule_names());
    rule("--resume-rule", bounds.rules.resume_rule, resume_rule_names());
    group.add_flag("--busy-answer", bounds.rules.busy_answer, "A full table answers a request, as in a scenario");
}

struct RcBounds {
    std::vector<std::string> ops, others;
    std::uint32_t receives = 0;
    std::string service = "rc";
    rc::Workload workload;
};

void add_rc(CLI::App& group, RcBounds& bounds) {
    std::vector<std::string> verbs;
    verbs.reserve(rc::kExploredVerbs.size());
    for (const rc::Verb verb : rc::kExploredVerbs) verbs.emplace_back(rc::verb_name(verb));
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
    group.add_flag("--apart", w.apart, "Messages go to and come from different places in memory");
}

/// Throws if one of these was given.
void refuse(const CLI::App& group, const std::string& why) {
    for (const CLI::Option* option : group.get_options()) {
        if (option->count() != 0) throw CLI::ValidationError(option->get_name(), why);
    }
}

const rc::Verb& verb_of(const std::string& name) {
    return *std::ranges::find(rc::kExploredVerbs, name, [](rc::Verb v) { return rc::verb_name(v); });
}

std::vector<rc::AnyWorkload> reliable_of(const RcBounds& bounds, const std::vector<rc::Verb>& messages,
                                         const CLI::App& own) {
    rc::Workload one = bounds.workload;
    const bool alone = one.requesters == rc::Requesters::one;
    if (own.count("--receives") != 0) one.receives = bounds.receives;
    if (!bounds.others.empty() && (alone || messages.empty()))
        throw CLI::ValidationError("--others", "only together with --ops and --requesters both-ends or shared");
    if (messages.empty()) {
        const auto all = alone ? rc::pairs_of(one) : rc::meetings_of(one);
        return {all.begin(), all.end()};
    }
    one.messages = messages;
    for (const std::string& name : bounds.others) one.others.push_back(verb_of(name));
    if (!alone && one.others.empty()) one.others = messages;
    return {one};
}

/// One workload, or one for each pair, within these bounds.
std::vector<rc::AnyWorkload> workloads_of(const RcBounds& bounds, const CLI::App& own) {
    std::vector<rc::Verb> messages;
    for (const std::string& name : bounds.ops) messages.push_back(verb_of(name));
    if (bounds.service == "rc") return reliable_of(bounds, messages, own);
    for (const char* name : {"--retry", "--rnr", "--rd-atomic", "--apart", "--requesters", "--others", "--receives",
                             "--to-error", "--deregister"}) {
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

/// All of them: they outlive the command's options.
struct Given {
    Shared shared;
    RcBounds rc;
};

}  // namespace

void add_explore_options(CLI::App& command, Arguments& arguments) {
    ExploreOptions& options = arguments.explore;
    const auto given = std::make_shared<Given>();
    constexpr const char* kInstead = "one set instead of the standard ones:";
    CLI::App& shared = *command.add_option_group("Bounds", kInstead);
    CLI::App& drp = *command.add_option_group("Bounds of drp");
    CLI::App& rc = *command.add_option_group("Bounds of rc");
    add_shared(command, shared, given->shared);
    add_drp(drp, options.bounds);
    add_rc(rc, given->rc);
    const CLI::Option* const tape =
        command.add_option("--tape", options.tape, "drp: where the fault tape of a counter-example goes")
            ->type_name("FILE");
    command.callback([&options, &shared, &drp, &rc, tape, given] {
        const Shared& of_both = given->shared;
        options.is_rc = of_both.personality == "rc";
        const bool window = shared.count("--window") != 0;
        const bool faults = shared.count("--faults") != 0;
        const std::string& policy = of_both.retransmission;
        if (options.is_rc) {
            refuse(drp, "belongs to --personality drp, found rc");
            if (tape->count() != 0) throw CLI::ValidationError("--tape", "belongs to --personality drp, found rc");
            rc::Workload& bounds = given->rc.workload;
            if (window) bounds.window = of_both.window;
            if (faults) bounds.faults = of_both.faults;
            if (!policy.empty()) bounds.retransmission = &rc::retransmission(policy);
            if (given->rc.service != "rc" && (window || !policy.empty())) {
                throw CLI::ValidationError(window ? "--window" : "--retransmission",
                                           "belongs to --service rc: nothing is answered");
            }
            const bool only_max_states = shared.count("--max-states") == shared.count_all();
            const bool standard = rc.count_all() == 0 && only_max_states;
            options.rc = {standard ? rc::standard_set() : workloads_of(given->rc, rc), of_both.max_states,
                          of_both.list};
            return;
        }
        refuse(rc, "belongs to --personality rc, found drp");
        explore::Bounds& bounds = options.bounds;
        if (window) bounds.window = of_both.window;
        if (faults) bounds.faults = of_both.faults;
        bounds.max_states = of_both.max_states;
        options.list = of_both.list;
        if (!policy.empty()) {
            const std::vector<std::string_view> names = retransmission_names();
            if (std::ranges::find(names, policy) == names.end())
                throw CLI::ValidationError("--retransmission", policy + " belongs to --personality rc, found drp");
            bounds.rules.retransmission = policy;
        }
        options.standard = shared.count_all() + drp.count_all() == 0;
        if (bounds.initiators > 1 && bounds.traffic == explore::Traffic::both_ends) {
            throw CLI::ValidationError("--initiators", "2 cannot be explored with --operation both-ends");
        }
    });
}

}  // namespace rnicsim::runner
