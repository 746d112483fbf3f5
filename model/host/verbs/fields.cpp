// SPDX-License-Identifier: Apache-2.0
#include "model/host/verbs/fields.h"

#include "model/host/cpu/fields.h"
#include "model/host/cpu/store_fields.h"
#include "model/host/fields.h"
#include "model/host/tcp/fields.h"
#include "model/rnic/common/fields.h"

#include <bit>
#include <cstdint>
#include <limits>

namespace rnicsim {
namespace {

Fields<VerbsHostConfig> declare_verbs_host() {
    Fields<VerbsHostConfig> k("system.host");
    k.picoseconds("clock", &VerbsHostConfig::clock, kPicosecond * 100, kNanosecond * 8,
                  "of a host with a RoCEv2 RNIC; its times are whole cycles", "-")
        .in_networks();
    k.clocked_by(&VerbsHostConfig::clock);
    k.part(&VerbsHostConfig::memory, memory_fields());
    k.part(&VerbsHostConfig::pcie, pcie_fields());
    k.picoseconds("verbs.post", at(&VerbsHostConfig::costs, &VerbsCosts::post), Time{}, kMillisecond,
                  "processor: posting a send WQE", "assumed")
        .in_networks();
    k.picoseconds("verbs.push", at(&VerbsHostConfig::costs, &VerbsCosts::push), Time{}, kMillisecond,
                  "... and on top of it writing the WQE to the RNIC itself", "assumed")
        .in_networks();
    k.picoseconds("verbs.poll", at(&VerbsHostConfig::costs, &VerbsCosts::poll), Time{}, kMillisecond,
                  "processor: taking a completion, or seeing that a byte in memory has changed", "assumed")
        .in_networks();
    k.picoseconds("verbs.receive", at(&VerbsHostConfig::costs, &VerbsCosts::receive), Time{}, kMillisecond,
                  "processor: posting a receive WQE", "assumed")
        .in_networks();
    k.custom({.path = "verbs.page",
              .kind = Kind::bytes,
              .most = std::numeric_limits<std::int64_t>::max(),
              .choices = {"4096", "2097152", "1073741824"},
              .meaning = "pages of registered memory: 4 KiB, 2 MiB or 1 GiB; the card keeps 8 bytes for each",
              .source = "x86-64"},
             {.number = 4096},
             [](VerbsHostConfig& config, const Value& value) {
                 config.page.shift =
                     static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint64_t>(value.number)));
             })
        .in_networks();
    k.choice<Posting>("verbs.posting", &VerbsHostConfig::posting,
                      {{"push", Posting::push}, {"doorbell", Posting::doorbell}},
                      "a send WQE is written to the RNIC, or the RNIC is told of it and reads it", "-")
        .in_networks();
    k.choice<bool>("verbs.notify", &VerbsHostConfig::events, {{"poll", false}, {"events", true}},
                   "completions are polled, or interrupts tell of them", "-")
        .in_networks();
    k.number("verbs.threads", &VerbsHostConfig::threads, 1, 128,
             "of the host's program: its QPs are dealt out to them in turn, and each has a CQ of its own",
             "as perftest has")
        .in_networks();
    // The two keys behind it count with a shared queue only.
    k.custom(
         {.path = "verbs.receive_queues",
          .kind = Kind::choice,
          .choices = {"own", "shared"},
          .meaning = "each QP of the host has receive WQEs of its own, or all take them from one shared queue (SRQ)",
          .source = "-"},
         {}, [](VerbsHostConfig& config, const Value& value) { config.shared_receives = value.number == 0 ? 0 : 1; })
        .in_networks();
    k.custom({.path = "verbs.shared_receives",
              .kind = Kind::integer,
              .least = 1,
              .most = 16384,
              .meaning = "receive WQEs of the shared queue; one that has ended is posted again",
              .source = "perftest"},
             {.number = 512},
             [](VerbsHostConfig& config, const Value& value) {
                 if (config.shared_receives != 0) config.shared_receives = static_cast<std::uint32_t>(value.number);
             })
        .in_networks();
    k.custom({.path = "verbs.srq_limit",
              .kind = Kind::integer,
              .least = 0,
              .most = 16384,
              .meaning = "receive WQEs: when fewer are left in the shared queue its limit event comes, and all that "
                         "have ended are posted again; 0: each is at once",
              .source = "-"},
             {},
             [](VerbsHostConfig& config, const Value& value) {
                 if (config.shared_receives != 0) config.srq_limit = static_cast<std::uint32_t>(value.number);
             })
        .in_networks();
    k.part(&VerbsHostConfig::cpu, cpu_fields());
    k.part(at(&VerbsHostConfig::cpu, &CpuConfig::store), store_fields());
    k.part(&VerbsHostConfig::root_port, root_port_fields());
    k.part(&VerbsHostConfig::tcp, tcp_fields());
    // An interrupt comes at an edge of the host's clock.
    k.custom(interrupt_latency_key(), {.number = kGmiiClock.cycle(kMicrosecond * 2).n},
             [](VerbsHostConfig& config, const Value& value) {
                 config.interrupt_latency = config.clock.edge(kGmiiClock.time(Cycle{value.number}));
             });
    return k;
}

}  // namespace

const Fields<VerbsHostConfig>& verbs_host_fields() {
    static const Fields<VerbsHostConfig> kAll = declare_verbs_host();
    return kAll;
}

}  // namespace rnicsim
