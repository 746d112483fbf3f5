// SPDX-License-Identifier: Apache-2.0
// The options of `rnicsim explore`: of both personalities, and of each its own.
#include "testbench/cli/options.h"

#include "model/rnic/drp/policies/acknowledgement.h"
#include "model/rnic/drp/policies/buffer_admission.h"
#include "model/rnic/drp/policies/mode_choice.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "model/rnic/rc/policies/retransmission.h"
#include "testbench/cli/explore_ntb.h"
#include "testbench/cli/explore_rc_options.h"
#include "testbench/cli/option_kinds.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace rnicsim::runner {
namespace {

std::vector<std::string> strings(const std::vector<std::string_view>& names) { return {names.begin(), names.end()}; }

/// As they are given; what is not given is the personality's own.
struct Shared {
    std::string personality = "drp", retransmission;
    std::uint32_t window = 0, faults = 0;
    bool list = false;
    std::size_t max_states = explore::Bounds{}.max_states;
};

void add_shared(CLI::App& command, CLI::App& group, Shared& shared) {
    command
        .add_option("--personality", shared.personality,
                    "drp: dynamic indirect transfer; rc: RoCEv2, all services; ntb: a ring of slots over a PCIe "
                    "bridge")
        ->check(CLI::IsMember({"drp", "rc", "ntb"}))
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
    group
        .add_option_function<std::string>(
            "--method-of-b", [&bounds, methods](const std::string& name) { bounds.hub_method = methods.at(name); },
            "b, with which all have transfers, has another one")
        ->check(CLI::IsMember(methods));
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

void add_application(CLI::App& group, ExploreApplicationOptions& options) {
    group.add_option("--application", options.application, "One of `rnicsim workloads`, in place of a personality")
        ->type_name("NAME");
    group.add_option("--sizes", options.sizes, "Of its operations, bytes [64,40; allreduce: 8, at two hosts, minutes]")
        ->type_name("N,...")
        ->delimiter(',')
        ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1} << 20U));
    group
        .add_option(
            "--set", options.sets,
            "A key of its item or host, as a scenario has it: run.plasma.recv_wrs=1. Queues and rings are small if not "
            "set, and the output says how small")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

/// Throws if one of these was given.
void refuse(const CLI::App& group, const std::string& why) {
    for (const CLI::Option* option : group.get_options()) {
        if (option->count() != 0) throw CLI::ValidationError(option->get_name(), why);
    }
}

/// All of them: they outlive the command's options.
struct Given {
    Shared shared;
    RcBounds rc;
    NtbBounds ntb;
};

struct Groups {
    CLI::App &shared, &drp, &rc, &ntb, &application;
};

/// Of those that are shared, these have no meaning there.
void refuse_shared(const CLI::App& shared, const std::string& why) {
    for (const char* const other : {"--window", "--faults", "--retransmission"})
        if (shared.count(other) != 0) throw CLI::ValidationError(other, why);
}

void take_rc(ExploreOptions& options, Given& given, const Groups& groups) {
    const bool window = groups.shared.count("--window") != 0;
    const std::string& policy = given.shared.retransmission;
    rc::Workload& bounds = given.rc.workload;
    if (window) bounds.window = given.shared.window;
    if (groups.shared.count("--faults") != 0) bounds.faults = given.shared.faults;
    if (!policy.empty()) bounds.retransmission = &rc::retransmission(policy);
    if (given.rc.service != "rc" && (window || !policy.empty())) {
        throw CLI::ValidationError(window ? "--window" : "--retransmission",
                                   "belongs to --service rc: nothing is answered");
    }
    const bool only_max_states = groups.shared.count("--max-states") == groups.shared.count_all();
    const bool standard = groups.rc.count_all() == groups.rc.count("--each-rule") && only_max_states;
    options.rc = {standard ? rc::standard_set() : workloads_of(given.rc, groups.rc), given.shared.max_states,
                  given.shared.list, given.rc.wants_each_rule()};
}

void take_drp(ExploreOptions& options, const Given& given, const Groups& groups) {
    const Shared& shared = given.shared;
    explore::Bounds& bounds = options.bounds;
    if (groups.shared.count("--window") != 0) bounds.window = shared.window;
    if (groups.shared.count("--faults") != 0) bounds.faults = shared.faults;
    bounds.max_states = shared.max_states;
    options.list = shared.list;
    if (!shared.retransmission.empty()) {
        const std::vector<std::string_view> names = retransmission_names();
        if (std::ranges::find(names, shared.retransmission) == names.end()) {
            throw CLI::ValidationError("--retransmission",
                                       shared.retransmission + " belongs to --personality rc, found drp");
        }
        bounds.rules.retransmission = shared.retransmission;
    }
    options.standard = groups.shared.count_all() + groups.drp.count_all() == 0;
    if (bounds.initiators > 1 && bounds.traffic == explore::Traffic::both_ends)
        throw CLI::ValidationError("--initiators", "2 cannot be explored with --operation both-ends");
}

}  // namespace

void add_explore_options(CLI::App& command, Arguments& arguments) {
    ExploreOptions& options = arguments.explore;
    const auto given = std::make_shared<Given>();
    constexpr const char* kInstead = "one set instead of the standard ones:";
    const Groups groups{*command.add_option_group("Bounds", kInstead), *command.add_option_group("Bounds of drp"),
                        *command.add_option_group("Bounds of rc"), *command.add_option_group("Bounds of ntb"),
                        *command.add_option_group(
                            "Of applications", "every order in which both ends of a connection can see what comes:")};
    add_shared(command, groups.shared, given->shared);
    add_drp(groups.drp, options.bounds);
    add_rc_bounds(groups.rc, given->rc);
    add_ntb_bounds(groups.ntb, given->ntb);
    add_application(groups.application, options.application);
    const CLI::Option* const tape =
        command.add_option("--tape", options.tape, "drp: where the fault tape of a counter-example goes")
            ->type_name("FILE");
    command.callback([&command, &options, tape, given, groups] {
        using Of = ExploreOptions::Of;
        const Shared& shared = given->shared;
        if (!options.application.application.empty()) {
            const std::string why = "is of a personality, found --application";
            for (const CLI::App* const other : {&groups.drp, &groups.rc, &groups.ntb}) refuse(*other, why);
            refuse_shared(groups.shared, why);
            for (const char* const other : {"--personality", "--tape"})
                if (command.count(other) != 0) throw CLI::ValidationError(other, why);
            options.of = Of::application;
            options.application.max_states = shared.max_states;
            options.application.list = shared.list;
            return;
        }
        refuse(groups.application, "expected --application NAME with it");
        const std::map<std::string, std::pair<Of, const CLI::App*>> personalities{
            {"drp", {Of::drp, &groups.drp}}, {"rc", {Of::rc, &groups.rc}}, {"ntb", {Of::ntb, &groups.ntb}}};
        options.of = personalities.at(shared.personality).first;
        for (const auto& [name, of] : personalities) {
            if (name == shared.personality) continue;
            refuse(*of.second, "belongs to --personality " + name + ", found " + shared.personality);
        }
        if (options.of != Of::drp && tape->count() != 0)
            throw CLI::ValidationError("--tape", "belongs to --personality drp, found " + shared.personality);
        if (options.of == Of::drp) return take_drp(options, *given, groups);
        if (options.of == Of::rc) return take_rc(options, *given, groups);
        refuse_shared(groups.shared, "is of frames, found --personality ntb");
        options.ntb = {rings_of(given->ntb, groups.ntb), shared.max_states, shared.list, given->ntb.policy == "all"};
    });
}

}  // namespace rnicsim::runner
