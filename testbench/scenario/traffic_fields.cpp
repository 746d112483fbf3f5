// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/traffic_fields.h"

#include "model/rnic/rc/card_config.h"
#include "testbench/scenario/applications.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMost = 16 << 20;  // bytes of a transfer

/// DRP's operations and those of verbs in one key: whoever has none of the name takes no notice.
void declare_operation(Fields<TrafficConfig>& k) {
    constexpr std::array<std::string_view, 8> kWords{"write", "read",     "alternate",    "write_imm",
                                                     "send",  "send_imm", "compare_swap", "fetch_add"};
    k.custom({.path = "operation",
              .kind = Kind::choice,
              .choices = {kWords.begin(), kWords.end()},
              .meaning = "what the transfers do: DRP has the first three, verbs all but `alternate`",
              .source = "paper 4.1: write",
              .whose = "DRP has the first three, verbs all but alternate"},
             {}, [kWords](TrafficConfig& item, const Value& value) {
                 constexpr auto kLast = static_cast<std::int64_t>(OperationMix::alternate);
                 if (value.number <= kLast) item.operation = static_cast<OperationMix>(value.number);
                 const auto* const verb =
                     std::ranges::find(rc::kVerbNames, kWords.at(static_cast<std::size_t>(value.number)));
                 if (verb != rc::kVerbNames.end())
                     item.verbs.operation = static_cast<rc::Verb>(verb - rc::kVerbNames.begin());
             });
}

/// Shares of the messages of an item that has a mix. Programs here ask for no SEND with invalidation.
void declare_mix(Fields<TrafficConfig>& k) {
    for (std::size_t i = 0; i < rc::kItemVerbs; ++i) {
        const auto verb = static_cast<rc::Verb>(i);
        if (verb == rc::Verb::send_inv) continue;
        k.custom({.path = "mix." + std::string(rc::verb_name(verb)),
                  .kind = Kind::probability,
                  .most = kMillion,
                  .meaning = "verbs, stream, in place of `operation`: share of the messages, drawn for each; all of a "
                             "mix add up to 100 %",
                  .source = "as a program with requests of several kinds"},
                 {},
                 [verb](TrafficConfig& item, const Value& value) {
                     const auto parts = static_cast<std::uint32_t>(std::lround(value.fraction * kMillion));
                     if (parts != 0) item.verbs.mix.push_back({verb, parts});
                 })
            .in_networks();
    }
}

void declare_application(Fields<TrafficConfig>& k) {
    std::vector<std::string_view> words{"none"};
    for (const ListedApplication& one : all_applications()) words.push_back(one.word);
    k.custom({.path = "application",
              .kind = Kind::choice,
              .choices = words,
              .meaning = "who asks and answers; none: what hosts of this personality do by themselves",
              .source = "-"},
             {},
             [words](TrafficConfig& item, const Value& value) {
                 if (value.number != 0) item.application = words.at(static_cast<std::size_t>(value.number));
             })
        .in_networks();
}

/// A member of how WRITE_PERSISTs of an item are marked and acknowledged.
template <typename Member>
auto persist(Member member) {
    return at(at(&TrafficConfig::verbs, &VerbsTraffic::persist), member);
}

Fields<TrafficConfig> declare_traffic() {
    Fields<TrafficConfig> k("run");
    declare_operation(k);
    k.choice<Pairs>("pairs", &TrafficConfig::pairs, words_of<Pairs>(kPairsNames),
                    "whom each initiator asks: all of `to` in turn, the next of `from`, its parent in a tree, the "
                    "one of `to` opposite, or one of `to` that each repetition draws, each another one",
                    "-")
        .in_networks();
    k.bytes("size", &TrafficConfig::size, 1, kMost, "bytes of a transfer; 8 B or more beside a scheme", "paper 4.1");
    k.bytes_list("sizes", at(&TrafficConfig::verbs, &VerbsTraffic::sizes), 1, kMost,
                 "verbs, in place of `size`: each message has one of these, drawn; atomics have 8 B; empty = `size`",
                 "as a program with small and large messages")
        .in_networks();
    k.number("transfers", &TrafficConfig::transfers, 1, 10 * kMillion,
             "transfers of each initiating end, in one repetition; of verbs: messages of each connection", "paper 4.1");
    k.number("in_flight", &TrafficConfig::in_flight, 1, 64, "transfers of one initiator at once",
             "paper 4.1: one after another");
    k.time("think", &TrafficConfig::think, Time{}, kSecond * 100,
           "from the end of a transfer to the next request: mean, exponential", "-")
        .in_networks();
    k.time("start", &TrafficConfig::start, Time{}, kSecond * 100, "of the first request", "-").in_networks();
    k.time("stagger", &TrafficConfig::stagger, Time{}, kSecond, "the i-th initiator starts i times so much later", "-")
        .in_networks();
    // auto: worked out when the links are known.
    k.custom(
         {.path = "random_start",
          .kind = Kind::time,
          .least = 0,
          .most = kGmiiClock.cycle(kSecond).n,
          .meaning =
              "each initiator starts up to so much later, drawn uniformly in each repetition: with 0 ns those that "
              "start together may stay in step. auto: the time of one transfer where the item has several "
              "initiators, 0 ns where it has one",
          .source =
              "assumed, out of step by up to a transfer: `size`, or the largest of `sizes`, x 8 / the `rate` of the "
              "slowest of the initiators' links, rounded up to 8 ns",
          .word = "auto"},
         {.number = kWord},
         [](TrafficConfig& item, const Value& value) {
             if (value.number != kWord) item.random_start = Cycle{value.number};
         })
        .in_networks();
    k.bit_rate("pace", &TrafficConfig::pace, 0,
               "of the bytes that an initiator asks for at most, by the time of each request; frames of plain hosts "
               "count as on the wire, with preamble and gap; 0 Gbps = no limit",
               "-")
        .in_networks();
    k.custom(
         {.path = "dscp",
          .kind = Kind::integer,
          .least = 0,
          .most = 63,
          .meaning =
              "messages of verbs: DSCP of their packets, both ways; switches take the upper three bits as the class",
          .source = "usual: class 3"},
         {.number = rc::CardConfig{}.dscp},
         [](TrafficConfig& item, const Value& value) {
             if (value.number != rc::CardConfig{}.dscp) item.verbs.dscp = static_cast<std::uint8_t>(value.number);
         })
        .in_networks();
    k.number("class", &TrafficConfig::traffic_class, 0, 7, "frames of plain hosts: traffic class, in the DSCP",
             "RFC 2474")
        .in_networks();
    k.flag("ecn", &TrafficConfig::ecn_capable, "frames of plain hosts: a switch may mark them (ECT)", "RFC 3168")
        .in_networks();
    k.choice<roce::Service>(
         "service", at(&TrafficConfig::verbs, &VerbsTraffic::service),
         {{"rc", roce::Service::reliable}, {"uc", roce::Service::unreliable}, {"ud", roce::Service::datagram}},
         "verbs: reliable connections; unreliable ones, SEND and WRITE; datagrams, SEND of at most a "
         "PMTU. Without answers a sample ends when the card has sent it, and is lost if it does not "
         "come",
         "IBTA vol. 1, 9.2")
        .in_networks();
    k.choice<VerbsPattern>(
         "pattern", at(&TrafficConfig::verbs, &VerbsTraffic::pattern),
         {{"stream", VerbsPattern::stream}, {"ping_pong", VerbsPattern::ping_pong}},
         "verbs: up to `depth` messages are outstanding, or they go in turn from both ends and a sample "
         "is half a round; READs and atomics one at a time, a round",
         "as perftest")
        .in_networks();
    k.number("depth", at(&TrafficConfig::verbs, &VerbsTraffic::depth), 1, 4096,
             "verbs, stream: messages of a connection outstanding", "-")
        .in_networks();
    k.number("outstanding", at(&TrafficConfig::verbs, &VerbsTraffic::outstanding), 0, 4096,
             "verbs, stream: ... and of all connections of an initiator, which then take turns, a message "
             "each; 0: each goes by itself",
             "as a program that spreads its requests")
        .in_networks();
    k.number("connections", at(&TrafficConfig::verbs, &VerbsTraffic::connections), 1, 16384,
             "verbs: QPs of each pair of hosts", "-")
        .in_networks();
    k.choice<bool>("regions", at(&TrafficConfig::verbs, &VerbsTraffic::region_of_host),
                   {{"connection", false}, {"host", true}},
                   "verbs: a memory region for each end of a connection, or one for all of a host",
                   "as perftest --mr_per_qp, and without")
        .in_networks();
    k.number("signal_every", at(&TrafficConfig::verbs, &VerbsTraffic::signal_every), 1, 4096,
             "verbs, stream: messages to a completion", "-")
        .in_networks();
    k.choice<PersistScheme>(
         "scheme", at(&TrafficConfig::verbs, &VerbsTraffic::scheme), words_of<PersistScheme>(kPersistSchemes),
         "verbs: data are made durable at the responder, and how the initiator gets to know: a sample "
         "ends then. none: plain messages",
         "patent (../scenarios/README.md); librpma")
        .in_networks();
    k.choice<rc::PersistMark>("mark", persist(&rc::PersistMode::mark),
                              {{"opcode", rc::PersistMark::opcode}, {"range", rc::PersistMark::range}},
                              "fig10, fig11: what makes a WRITE a WRITE_PERSIST: opcodes of its own, or its region",
                              "VERBS.md V-P1")
        .in_networks();
    k.custom({.path = "acks",
              .kind = Kind::integer,
              .least = 1,
              .most = 2,
              .meaning = "fig10: with 2 the reception is acknowledged as well; fig11 has two",
              .source = "VERBS.md V-P3"},
             {.number = 1},
             [](TrafficConfig& item, const Value& value) { item.verbs.persist.two_acks = value.number == 2; })
        .in_networks();
    k.choice<rc::PersistPack>(
         "pack", persist(&rc::PersistMode::pack),
         {{"opcode", rc::PersistPack::opcode}, {"psn_only", rc::PersistPack::psn_only}},
         "fig10, fig11: what says that data are durable: an opcode of its own, or the second ACK of "
         "a PSN",
         "VERBS.md V-P3")
        .in_networks();
    k.choice<ReceivesAhead>(
         "receives_ahead", at(&TrafficConfig::verbs, &VerbsTraffic::receives_ahead),
         {{"both", ReceivesAhead::both},
          {"initiator", ReceivesAhead::initiator},
          {"responder", ReceivesAhead::responder}},
         "fig3, fig11, gpspm: which ends have receive WQEs posted before the first item, for all items "
         "outstanding and two batches; one that is taken is posted again. fig11's initiator posts one "
         "when an item is received, whether it has some or not",
         "assumed")
        .in_networks();
    k.choice<bool>("read_back", at(&TrafficConfig::verbs, &VerbsTraffic::reads_all), {{"end", false}, {"all", true}},
                   "fig2, apm: what the READ in place of a flush asks for: the last 8 B of an item, or all of it",
                   "librpma; patent (../scenarios/README.md), figure 2: the data")
        .in_networks();
    k.choice<bool>("behind", at(&TrafficConfig::verbs, &VerbsTraffic::write_behind),
                   {{"nothing", false}, {"write", true}},
                   "fig10: what is posted behind each item, by the same doorbell. write: a plain WRITE of 16 B, "
                   "whose ACK stands for all before it",
                   "IBTA 9.7.5.1.2: ACKs are cumulative")
        .in_networks();
    k.choice<bool>("region_table", at(&TrafficConfig::verbs, &VerbsTraffic::sends_table),
                   {{"ahead", false}, {"sent", true}},
                   "with a scheme: how an initiator gets to know the responder's region. sent: by a SEND of 24 B "
                   "(start, length, key, access) at its start, for which its first item waits",
                   "patent (../scenarios/README.md), table 2")
        .in_networks();
    k.flag("unsafe", at(&TrafficConfig::verbs, &VerbsTraffic::unsafe),
           "a scheme is run where what it tells does not hold: the run ends with exit code 1 if that shows",
           "../scenarios/README.md")
        .in_networks();
    declare_mix(k);
    declare_application(k);
    return k;
}

}  // namespace

const Fields<TrafficConfig>& traffic_fields() {
    static const Fields<TrafficConfig> kAll = declare_traffic();
    return kAll;
}

TrafficConfig read_traffic(Values& in) {
    TrafficConfig item = traffic_fields().read(in);
    item.verbs.persist.by_processor = item.verbs.scheme == PersistScheme::fig11;
    if (item.verbs.persist.by_processor) item.verbs.persist.two_acks = true;
    if (const applications::Application* const protocol = protocol_of(item)) {
        protocol->read(item, in);
        item.has_card = protocol->plan(item).has_card();
        if (protocol->one_at_a_time()) item.verbs.depth = 1;
    }
    if (!item.verbs.sizes.empty()) item.size = std::ranges::max(item.verbs.sizes);
    return item;
}

}  // namespace rnicsim
