// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/congestion/dcqcn/dcqcn.h"
#include "testbench/scenario/unread_keys.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rnicsim {
namespace {

bool card_is_not_paused(const Part& part) {
    return !may_be_paused(part.config, {Node::Kind::host, static_cast<unsigned>(part.number)});
}
bool card_has_no_item(const Part& part) { return !part.host().any() && card_is_not_paused(part); }
bool does_not_post(const Part& part) { return !part.host().posts; }
bool does_not_look(const Part& part) { return !part.host().looks(); }
bool waits_for_nothing(const Part& part) { return does_not_look(part) && !part.host().streams; }
bool gets_no_receives(const Part& part) { return !part.host().gets_receives; }
bool is_not_reliable(const Part& part) { return !part.host().is_reliable(); }
bool asks_for_nothing(const Part& part) { return !part.host().is_requester; }
bool answers_nothing(const Part& part) { return !part.host().is_responder; }
/// A responder that keeps what comes early keeps no more than a window of it.
bool has_no_window(const Part& part) {
    return asks_for_nothing(part) &&
           (answers_nothing(part) || !part.verbs().card.transport.retransmission->selective());
}
bool asks_for_no_acks(const Part& part) { return !part.host().asks_for_acks; }
bool gives_no_acks(const Part& part) { return !part.host().gives_acks; }
bool asks_for_no_receives(const Part& part) { return !part.host().asks_receives; }
bool is_not_asked_for_receives(const Part& part) { return !part.host().is_told_rnr; }
bool has_no_answers(const Part& part) { return !part.host().has_answers; }
bool does_no_atomics(const Part& part) { return !part.host().does_atomics; }
bool registers_nothing(const Part& part) { return !part.host().registers; }
bool never_fails_to_register(const Part& part) { return part.verbs().host.cpu.pin_faults.failure == 0; }
bool touches_nothing(const Part& part) { return !part.host().touches; }
bool calls_nobody(const Part& part) { return !part.host().calls; }
bool card_does_not_flush(const Part& part) { return !part.host().card_flushes; }
bool holds_no_persists(const Part& part) { return !part.host().has_persist_unit; }
bool processor_does_not_flush(const Part& part) { return !part.host().processor_flushes; }
bool waits_for_no_pack(const Part& part) { return !part.host().waits_for_pack; }
bool keeps_no_packs(const Part& part) { return !part.host().keeps_packs; }

bool posts_by_doorbell(const Part& part) { return part.verbs().host.posting == Posting::doorbell; }
bool polls(const Part& part) { return !part.verbs().host.events; }
bool has_no_events(const Part& part) { return !part.verbs().host.gets_interrupts(); }
/// Streams in the kernel have interrupts of their own.
bool gets_no_interrupts(const Part& part) {
    return has_no_events(part) && !(part.host().streams && part.verbs().host.tcp.place == TcpPlace::kernel);
}
/// Of the host's program. A thread without a QP does nothing.
std::size_t threads(const Part& part) {
    return std::min<std::size_t>(part.verbs().host.threads, part.host().acting_qps);
}
bool has_one_qp(const Part& part) { return part.host().acting_qps <= 1; }
bool runs_programs(const Part& part) { return part.use.by_programs(); }
bool has_one_thread(const Part& part) { return threads(part) <= 1; }
bool shares_no_core(const Part& part) { return threads(part) <= part.verbs().host.cpu.cores; }
bool does_nothing(const Part& part) {
    return does_not_post(part) && does_not_look(part) && gets_no_receives(part) && !part.host().streams;
}
bool pays_for_no_event(const Part& part) { return gets_no_interrupts(part) || does_not_look(part); }
bool says_nothing(const Part& part) {
    return pays_for_no_event(part) && shares_no_core(part) && !part.host().has_application;
}
bool uses_no_streams(const Part& part) { return !part.host().streams; }
bool makes_no_system_calls(const Part& part) { return uses_no_streams(part) && !part.host().system_calls; }
bool has_user_stack(const Part& part) { return part.host().streams && part.verbs().host.tcp.place == TcpPlace::user; }
/// ... and calls the operating system for nothing else.
bool is_left_alone(const Part& part) { return has_user_stack(part) && !part.host().system_calls; }
bool stores_nowhere(const Part& part) { return !part.host().stores; }
bool loads_nothing(const Part& part) { return !part.host().loads; }
bool is_never_read(const Part& part) {
    const HostUse& host = part.host();
    return host.stores && !host.is_loaded && !host.uses_qps && !host.streams;
}
bool is_uncached(const Part& part) { return part.verbs().host.cpu.store.mapping == Mapping::uncached; }
bool combines(const Part& part) { return !is_uncached(part); }
bool could_fail_over(const Part& part) { return part.host().stores && uses_no_streams(part); }
/// Has a bridge of the host this?
template <class Has>
bool any_bridge(const Part& part, Has has) {
    return std::ranges::any_of(part.config.bridges, [&](const ntb::Config& of) {
        return has(of) && std::ranges::find(of.between, part.number) != of.between.end();
    });
}
bool starts_up(const Part& part) {
    return any_bridge(part, [](const ntb::Config& of) { return of.start_up; });
}
/// Of hosts with rings: nobody rings, no link goes down, and windows are open.
bool hears_of_no_bridge(const Part& part) {
    return part.host().stores && gets_no_interrupts(part) && !part.host().hears_doorbells && !starts_up(part) &&
           !any_bridge(part, [](const ntb::Config& of) { return of.down.probability > 0; });
}
/// Registers are not written either.
bool stores_nothing_uncached(const Part& part) {
    return combines(part) && !part.host().rings_doorbells && !starts_up(part);
}
bool has_only_rings(const Part& part) { return part.host().stores && gets_no_interrupts(part); }
/// ... and nobody wakes its threads.
bool hears_no_doorbell(const Part& part) { return has_only_rings(part) && !part.host().hears_doorbells; }
bool wakes_nobody(const Part& part) { return gets_no_interrupts(part) && !part.host().hears_doorbells; }
bool reads_no_event(const Part& part) { return has_no_events(part) && !part.host().hears_doorbells; }
bool gets_none_at_all(const Part& part) { return gets_no_interrupts(part) && !part.host().stores; }
bool calls_only_to_fail_over(const Part& part) { return could_fail_over(part) && !part.host().system_calls; }
bool uses_no_qps(const Part& part) { return !part.host().uses_qps; }
/// Slots of rings are all that its programs copy.
bool copies_slots(const Part& part) { return part.host().stores && uses_no_streams(part) && !part.host().copies_else; }
bool copies_within_llc(const Part& part) {
    return copies_slots(part) && part.host().largest_copied <= part.verbs().host.cpu.copy.llc;
}
bool copies_past_llc(const Part& part) {
    return copies_slots(part) && part.host().smallest_copied > part.verbs().host.cpu.copy.llc;
}
bool copies_nothing(const Part& part) { return !part.host().streams && !part.host().copies; }
/// Threads that take turns on a core do what one does, as long as turning costs nothing and each CQ is polled.
bool are_as_one(const Part& part) {
    const VerbsHostConfig& host = part.verbs().host;
    return host.cpu.cores == 1 && host.cpu.context_switch == Cycle{} && !host.events;
}
bool has_own_receives(const Part& part) { return part.verbs().host.shared_receives == 0; }
bool hears_no_marks(const Part& part) { return !part.verbs().card.transport.congestion->hears_marks(); }
/// Keys of a congestion control count where it is the host's.
template <class Control>
bool is_not(const Part& part) {
    return part.verbs().card.transport.congestion->name() != Control::kName;
}
bool sends_nothing_paced(const Part& part) { return !part.host().is_paced(); }
bool gets_nothing_paced(const Part& part) { return !part.host().gets_paced(); }
bool is_told_nothing(const Part& part) { return !part.use.is_marked(part.number) && !part.host().is_notified; }
bool tells_nothing(const Part& part) {
    return !part.use.is_marked(part.number) && !part.verbs().card.transport.nak_cnp;
}
bool reacts_to_no_mark(const Part& part) {
    const rc::Traits control = part.verbs().card.transport.congestion->traits();
    const bool only_to_marks = control.hears_marks && !control.hears_acks && !control.hears_losses;
    return only_to_marks && is_told_nothing(part) && tells_nothing(part);
}

const PersistenceConfig* path(const Part& part) {
    const auto& of = part.verbs().host.persistence;
    return of ? &*of : nullptr;
}
bool has_no_path(const Part& part) { return path(part) == nullptr; }
bool all_go_past_llc(const Part& part) { return path(part) != nullptr && !path(part)->ddio; }
bool heeds_no_snoop(const Part& part) { return path(part) != nullptr && path(part)->no_snoop_write; }
bool does_not_heed_no_snoop(const Part& part) { return !heeds_no_snoop(part); }
bool data_have_no_attribute(const Part& part) { return !part.verbs().card.transport.persist.data_no_snoop; }
bool nothing_has_attribute(const Part& part) {
    return data_have_no_attribute(part) && !part.verbs().card.transport.persist.flush_no_snoop;
}
bool none_goes_past_llc(const Part& part) {
    return path(part) != nullptr && path(part)->ddio && (does_not_heed_no_snoop(part) || data_have_no_attribute(part));
}

constexpr std::string_view kPosting = "system.host.verbs.posting", kShared = "system.host.verbs.receive_queues",
                           kRcCongestion = "system.rnic.rc.congestion", kDdio = "system.host.persistence.ddio",
                           kHeeds = "system.host.persistence.no_snoop_write", kRcNs = "system.rnic.rc.pm.data_no_snoop",
                           kRcScheme = "run.scheme", kItems = "run.traffic", kOperation = "run.operation",
                           kService = "run.service";
constexpr std::string_view kNotify = "system.host.verbs.notify", kEvents = ": events",
                           kPolled = "completions are polled", kWaitsForNothing = "its program waits for nothing",
                           kThreads = "system.host.verbs.threads", kNoDoorbell = "no doorbell wakes the host";
constexpr std::string_view kOwnThreads = "programs bring threads of their own", kItemsOnly = "items (rnicsim run)";
constexpr std::string_view kApplication = "run.application", kTcpStack = "system.host.tcp.stack",
                           kInProgram = "TCP runs in the program, which polls the card";
constexpr std::string_view kAhead = "its program registers no memory while the run goes on",
                           kPrograms = ": plasma with plasma.protocol: read, or programs (rnicsim exec)";
constexpr std::string_view kRefusesNothing = "programs are refused no memory";
constexpr std::string_view kUncached = "stores are not combined", kMapping = "system.host.cpu.store.mapping",
                           kCombining = ": write_combining";
constexpr std::string_view kNoStores = "no program of the host stores to another host's memory", kRings = ": nts";
constexpr std::string_view kNoStreams = "no program of the host uses TCP", kStreams = ": plasma",
                           kNoCopies = "no program of the host copies, or uses TCP",
                           kCopies = ": plasma, or echo with echo.memory: copy";
constexpr std::string_view kFailover = "run.nts.failover", kToFailOver = ": true, or run.application: plasma";
constexpr std::string_view kLlc = "system.host.cpu.llc", kBelowSlot = " below a slot (run.nts.slot)";
constexpr std::string_view kNoQps = "no item of the host uses a QP",
                           kWithQps = " with messages, or an application of RDMA";
constexpr std::string_view kNoRcItem = "no item has the host", kWithItem = " with an item of it";
constexpr std::string_view kNoPost = "its program posts nothing", kAskFor = " in which the host initiates";
constexpr std::string_view kNoReceives = "no message takes a receive WQE of the host", kSend = ": send, to this host";
constexpr std::string_view kOwn = "each QP has receive WQEs of its own", kToShared = ": shared";
constexpr std::string_view kNoAnswers = "no item of the host is of service rc, where packets are answered";
constexpr std::string_view kAsks = "the host asks for nothing on reliable connections",
                           kToAsk = " of service rc in which it initiates";
constexpr std::string_view kAnswers = "the host answers nothing on reliable connections",
                           kToAnswer = " of service rc to this host";
constexpr std::string_view kNotDcqcn = "congestion is not dcqcn", kHearsNoMarks = "congestion hears of no marks",
                           kToDcqcn = ": dcqcn, at both ends";
constexpr std::string_view kNobodyMarks = "nobody on its ways marks packets", kMarking = "system.switch.ecn.at",
                           kToMark = ": enqueue or dequeue, or system.link.ecn_marking, or rnic.rc.nak_cnp: true";
constexpr std::string_view kDomain = "system.host.persistence.domain", kNotModelled = "no persistence path is modelled",
                           kNoPath = "where no persistence path is modelled nothing passes anything",
                           kToPath =
                               ", or a key of host.persistence that models a part of it, or an item with a scheme";
constexpr std::string_view kNoUnit = "no scheme has this card make data durable, or say that they are",
                           kToUnit = ": fig10, fig11 or flush, to this host";
constexpr std::string_view kNoFlush = "no scheme has this card flush", kToFlush = ": fig10 or flush, to this host";

constexpr std::array kVerbsRules = std::to_array<UnreadRule>({
    {"system.host.", card_has_no_item, kNoRcItem, kItems, kWithItem, But::file},
    {"system.rnic.rc.", card_has_no_item, kNoRcItem, kItems, kWithItem, But::file},
    {"system.rnic.pcie.", card_has_no_item, kNoRcItem, kItems, kWithItem, But::file},
    {"system.rnic.gmac.", card_has_no_item, kNoRcItem, kItems, kWithItem, But::file},
    {"system.rnic.clock", card_has_no_item, kNoRcItem, kItems, kWithItem, But::file},
    {"system.rnic.gmac.pause_reaction", card_is_not_paused, "no switch pauses the host", "system.switch.pfc.classes",
     ", such as [3]"},
    {"system.host.verbs.post", does_not_post, kNoPost, kItems, kAskFor, But::programs},
    {"system.host.verbs.push", does_not_post, kNoPost, kItems, kAskFor, But::programs},
    {kPosting, does_not_post, kNoPost, kItems, kAskFor, But::programs},
    {"system.host.verbs.push", posts_by_doorbell, "the card is told by doorbell", kPosting, ": push"},
    {"system.rnic.rc.qp_interval", does_not_post, kNoPost, kItems, kAskFor, But::programs},
    {"system.host.verbs.poll", does_not_look, "its program waits for nothing", kItems, kAskFor, But::programs},
    {"system.host.verbs.notify", does_not_look, "its program waits for nothing", kItems, kAskFor, But::programs},
    {"system.host.software.interrupt_latency", hears_of_no_bridge,
     "no bridge interrupts the host: no doorbell, no outage", "run.nts.notify",
     ": doorbell, or system.bridge.down.probability of more than 0 %, or system.bridge.start_up: true", But::tape},
    {"system.host.software.interrupt_latency", gets_none_at_all, kPolled, kNotify, kEvents, But::programs},
    {"system.host.software.interrupt_latency", waits_for_nothing, kWaitsForNothing, kItems, kAskFor, But::programs},
    {"system.host.cpu.registration.", registers_nothing, kAhead, kApplication, kPrograms, But::programs},
    {"system.host.cpu.registration.failure", runs_programs, kRefusesNothing, "", kItemsOnly},
    {"system.host.cpu.registration.retry", runs_programs, kRefusesNothing, "", kItemsOnly},
    {"system.host.cpu.registration.retry", never_fails_to_register, "no registration fails",
     "system.host.cpu.registration.failure", " above 0 %"},
    {"system.host.cpu.deregistration.", registers_nothing, kAhead, kApplication, kPrograms, But::programs},
    {"system.host.cpu.touch", touches_nothing, "its program touches no new memory", kApplication, ": plasma",
     But::programs},
    {"system.host.cpu.ipc", calls_nobody, "its program calls nobody", kApplication, ": plasma", But::programs},
    {"system.host.cpu.profile", says_nothing, "completions are polled by one thread a core", kNotify, kEvents,
     But::programs},
    {"system.host.cpu.wake", waits_for_nothing, kWaitsForNothing, kItems, kAskFor, But::programs},
    {"system.host.cpu.event_read", does_not_look, kWaitsForNothing, kItems, kAskFor, But::programs},
    {"system.host.cpu.arm", does_not_look, kWaitsForNothing, kItems, kAskFor, But::programs},
    {"system.host.cpu.wake", hears_no_doorbell, kNoDoorbell, "run.nts.notify", ": doorbell, towards the host"},
    {"system.host.cpu.event_read", hears_no_doorbell, kNoDoorbell, "run.nts.notify", ": doorbell, towards the host"},
    {"system.host.cpu.wake", wakes_nobody, kPolled, kNotify, kEvents, But::programs},
    {"system.host.cpu.event_read", reads_no_event, kPolled, kNotify, kEvents, But::programs},
    {"system.host.cpu.arm", polls, kPolled, kNotify, kEvents, But::programs},
    {"system.host.tcp.", could_fail_over, kNoStreams, kFailover, kToFailOver},
    {"system.host.cpu.syscall", calls_only_to_fail_over, kNoStreams, kFailover, kToFailOver, But::programs},
    {"system.host.cpu.epoll", could_fail_over, kNoStreams, kFailover, kToFailOver},
    {"system.host.tcp.", uses_no_streams, kNoStreams, kApplication, kStreams},
    {"system.host.cpu.syscall", makes_no_system_calls, kNoStreams, kApplication, kStreams, But::programs},
    {"system.host.cpu.epoll", uses_no_streams, kNoStreams, kApplication, kStreams},
    {"system.host.cpu.syscall", is_left_alone, kInProgram, kTcpStack, ": kernel"},
    {"system.host.cpu.epoll", has_user_stack, kInProgram, kTcpStack, ": kernel"},
    {"system.host.tcp.frame", has_user_stack, kInProgram, kTcpStack, ": kernel"},
    {"system.host.tcp.moderation", has_user_stack, kInProgram, kTcpStack, ": kernel"},
    {"system.host.memory.latency", is_never_read, "no card, and no other host's core, reads its memory",
     "run.nts.index", ": ll, lr or rr"},
    {"system.host.cpu.store.", stores_nowhere, kNoStores, kApplication, kRings},
    {"system.host.cpu.store.line", is_uncached, kUncached, kMapping, kCombining},
    {"system.host.cpu.store.evict", is_uncached, kUncached, kMapping, kCombining},
    {"system.host.cpu.store.buffers", is_uncached, kUncached, kMapping, kCombining},
    {"system.host.cpu.store.partial", is_uncached, kUncached, kMapping, kCombining},
    {"system.host.cpu.store.uncached", stores_nothing_uncached, "stores are combined in buffers", kMapping,
     ": uncached, or run.nts.notify: doorbell"},
    {"system.host.root_port.", stores_nowhere, kNoStores, kApplication, kRings},
    {"system.host.root_port.completion_timeout", loads_nothing, "its program loads nothing from another host's memory",
     "run.nts.index", ": ll, lr or rr"},
    {"system.host.cpu.copy.", copies_nothing, kNoCopies, kApplication, kCopies, But::programs},
    {"system.host.cpu.llc", copies_nothing, kNoCopies, kApplication, kCopies, But::programs},
    {"system.host.cpu.copy.cold", copies_within_llc, "each slot that it copies is in its caches", kLlc, kBelowSlot},
    {"system.host.cpu.llc", copies_within_llc, "each slot that it copies is in its caches", kLlc, kBelowSlot},
    {"system.host.cpu.copy.warm", copies_past_llc, "no slot that it copies is in its caches", kLlc,
     " of a slot (run.nts.slot), or more"},
    {"system.rnic.rc.pmtu", uses_no_qps, kNoQps, kItems, kWithQps, But::programs},
    {"system.host.verbs.page", uses_no_qps, kNoQps, kItems, kWithQps, But::programs},
    {"system.host.verbs.threads", does_nothing, "its program does nothing", kItems, kAskFor},
    {"system.host.verbs.threads", runs_programs, kOwnThreads, "", kItemsOnly},
    {"system.host.cpu.cores", runs_programs, kOwnThreads, "", kItemsOnly},
    {"system.host.cpu.switch", runs_programs, kOwnThreads, "", kItemsOnly},
    {"system.host.verbs.threads", has_one_qp, "its program has one QP", "run.connections", " of 2 or more"},
    {"system.host.verbs.threads", are_as_one, "one core runs them, and turns to another one at no cost",
     "system.host.cpu.cores", " of 2 or more, or a host.cpu.switch"},
    {"system.host.cpu.cores", has_one_thread, "its program has one thread", kThreads, " of 2 or more"},
    {"system.host.cpu.switch", shares_no_core, "no core has two threads", kThreads, " of more than the cores"},
    {"system.host.verbs.receive", gets_no_receives, kNoReceives, kOperation, kSend, But::programs},
    {kShared, gets_no_receives, kNoReceives, kOperation, kSend, But::programs},
    {"system.host.verbs.shared_receives", has_own_receives, kOwn, kShared, kToShared},
    {"system.host.verbs.srq_limit", has_own_receives, kOwn, kShared, kToShared},
    {"system.host.verbs.shared_receives", gets_no_receives, kNoReceives, kOperation, kSend, But::programs},
    {"system.host.verbs.srq_limit", gets_no_receives, kNoReceives, kOperation, kSend, But::programs},
    {"system.rnic.rc.ack_interval", asks_for_nothing, kAsks, kItems, kToAsk, But::programs},
    {"system.rnic.rc.ack_interval", asks_for_no_acks, "each READ or atomic has an answer of its own", kOperation,
     ": write or send, from this host", But::programs},
    {"system.rnic.rc.acknowledgement", answers_nothing, kAnswers, kItems, kToAnswer, But::programs},
    {"system.rnic.rc.acknowledgement", gives_no_acks, "each READ or atomic has an answer of its own", kOperation,
     ": write or send, to this host", But::programs},
    {"system.rnic.rc.window", has_no_window, kAsks, kItems, kToAsk, But::programs},
    {"system.rnic.rc.timeout", asks_for_nothing, kAsks, kItems, kToAsk, But::programs},
    {"system.rnic.rc.retry_cnt", asks_for_nothing, kAsks, kItems, kToAsk, But::programs},
    {"system.rnic.rc.retransmission", is_not_reliable, kNoAnswers, kService, ": rc", But::programs},
    {kRcCongestion, is_not_reliable, kNoAnswers, kService, ": rc", But::programs},
    {"system.rnic.rc.min_rnr_timer", is_not_asked_for_receives,
     "no message of service rc can lack a receive WQE of the host", kOperation, kSend, But::programs},
    {"system.rnic.rc.rnr_retry", asks_for_no_receives, "it sends no message of service rc that can lack a receive WQE",
     kOperation, ": send", But::programs},
    // A capture of programs shows that packets may be marked.
    {kRcCongestion, reacts_to_no_mark, kNobodyMarks, kMarking, kToMark, But::programs_or_tape},
    {"system.rnic.rc.nak_cnp", hears_no_marks, kHearsNoMarks, kRcCongestion, kToDcqcn},
    {"system.rnic.rc.cnp_interval", hears_no_marks, kHearsNoMarks, kRcCongestion, kToDcqcn},
    {"system.rnic.rc.dcqcn.", is_not<rc::Dcqcn>, kNotDcqcn, kRcCongestion, kToDcqcn},
    {"system.rnic.rc.nak_cnp", answers_nothing, kAnswers, kItems, kToAnswer, But::programs},
    {"system.rnic.rc.cnp_interval", gets_nothing_paced, "it gets no requests or READ responses, and so sends no CNPs",
     kItems, kToAnswer, But::programs},
    {"system.rnic.rc.dcqcn.", sends_nothing_paced, "it sends no requests or READ responses, and so gets no CNPs",
     kItems, kToAsk, But::programs},
    {"system.rnic.rc.cnp_interval", tells_nothing, kNobodyMarks, kMarking, kToMark, But::tape},
    {"system.rnic.rc.dcqcn.", is_told_nothing, kNobodyMarks, kMarking, kToMark, But::tape},
    {"system.rnic.rc.max_rd_atomic", has_no_answers, "no item of the host has READs, atomics or FLUSHes", kOperation,
     ": read, or an atomic", But::programs},
    {"system.rnic.rc.atomic_busy", does_no_atomics, "no atomic changes memory of the host", kOperation,
     ": fetch_add or compare_swap, to this host", But::programs},
    {"system.rnic.rc.atomic_order", does_no_atomics, "no atomic changes memory of the host", kOperation,
     ": fetch_add or compare_swap, to this host", But::programs},
    {"system.rnic.rc.loopback", registers_nothing, "no host asks itself for anything", "", "programs (rnicsim exec)",
     But::programs},
    {"system.rnic.rc.pm.outstanding", card_does_not_flush, kNoFlush, kRcScheme, kToFlush, But::programs},
    {"system.rnic.rc.pm.coalesce", card_does_not_flush, kNoFlush, kRcScheme, kToFlush, But::programs},
    {"system.rnic.rc.pm.read_bypass", card_does_not_flush, kNoFlush, kRcScheme, kToFlush, But::programs},
    {"system.rnic.rc.pm.flush_no_snoop", card_does_not_flush, kNoFlush, kRcScheme, kToFlush, But::programs},
    {"system.rnic.rc.pm.flush_class", card_does_not_flush, kNoFlush, kRcScheme, kToFlush, But::programs},
    {"system.rnic.rc.pm.flush_target", card_does_not_flush, kNoFlush, kRcScheme, kToFlush, But::programs},
    {"system.rnic.rc.pm.capacity", holds_no_persists, kNoUnit, kRcScheme, kToUnit, But::programs},
    {"system.rnic.rc.simulated_by.persist_module", holds_no_persists, kNoUnit, kRcScheme, kToUnit, But::programs},
    {"system.rnic.rc.pm.firmware", holds_no_persists, kNoUnit, kRcScheme, kToUnit, But::programs},
    {"system.rnic.rc.pm.hold", keeps_no_packs, "no item of the host waits for persist ACKs of a program", kRcScheme,
     ": fig11", But::programs},
    {"system.rnic.rc.pm.timer", waits_for_no_pack, "the host waits for no persist ACK", kRcScheme, ": fig10 or fig11",
     But::programs},
    {"system.rnic.rc.pm.relaxed_data", has_no_path, kNoPath, kDomain, kToPath},
    {"system.rnic.rc.pm.relaxed_cqe", has_no_path, kNoPath, kDomain, kToPath},
    {kRcNs, has_no_path, kNotModelled, kDomain, kToPath},
    {kHeeds, has_no_path, kNotModelled, kDomain, kToPath},
    {"system.host.persistence.no_snoop", has_no_path, kNotModelled, kDomain, kToPath},
    {kRcNs, does_not_heed_no_snoop, "no root port heeds the attribute", kHeeds, ": true"},
    {kRcNs, all_go_past_llc, "all writes of devices go past the LLC", kDdio, ": true"},
    {kHeeds, all_go_past_llc, "all writes of devices go past the LLC", kDdio, ": true"},
    {kHeeds, nothing_has_attribute, "no TLP has the attribute", kRcNs, ": true"},
    {"system.host.persistence.no_snoop", none_goes_past_llc, "no write of a device goes past the LLC", kDdio,
     ": false"},
    {"system.host.persistence.iio.shared", stores_nowhere, "the card's root port is the host's only one", kApplication,
     kRings},
    {"system.host.persistence.flush.base", processor_does_not_flush, "no scheme has its processor flush", kRcScheme,
     ": fig3, fig11 or gpspm", But::programs},
    {"system.host.persistence.flush.line", processor_does_not_flush, "no scheme has its processor flush", kRcScheme,
     ": fig3, fig11 or gpspm", But::programs},
    {"system.host.persistence.flush.", has_no_path, kNotModelled, kDomain, kToPath},
});

}  // namespace

std::span<const UnreadRule> unread_of_verbs_hosts() { return kVerbsRules; }

}  // namespace rnicsim
