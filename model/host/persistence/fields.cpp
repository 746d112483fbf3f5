// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/fields.h"

#include <cstdint>

namespace rnicsim {
namespace {

constexpr std::int64_t kMegabytePerSecond = 1'000'000;

Fields<PersistenceConfig> declare_persistence() {
    Fields<PersistenceConfig> k("system.host.persistence");
    k.choice<Domain>("domain", &PersistenceConfig::domain,
                     {{"none", Domain::none}, {"adr", Domain::adr}, {"eadr", Domain::eadr}, {"wsp", Domain::wsp}},
                     "what keeps its content when the power goes: SCM alone; and the iMC's queue; and the LLC; and "
                     "the IIO. No time depends on it",
                     "Intel; arXiv 1909.02092")
        .in_networks();
    k.flag("ddio", &PersistenceConfig::ddio, "writes of devices go into the LLC", "reset of perfctrlsts_0, bit 7")
        .in_networks();
    k.flag("no_snoop_write", &PersistenceConfig::no_snoop_write,
           "... but those with the attribute \"no snoop\" go past it (class 2)", "reset of perfctrlsts_0, bit 3")
        .in_networks();
    k.choice<NoSnoop>("no_snoop", &PersistenceConfig::no_snoop,
                      {{"hint", NoSnoop::hint}, {"literal", NoSnoop::literal}},
                      "what such a write does to the LLC's copy: invalidates it, or leaves it, to overwrite what is "
                      "newer when it is evicted",
                      "PCIe 2.2.6.5")
        .in_networks();
    k.bytes("iio.capacity", at(&PersistenceConfig::iio, &IioConfig::capacity), 64, 1 << 20,
            "posted writes at the root port, whole lines of 64 B; when it is full the RNIC's link stands "
            "still",
            "assumed")
        .in_networks();
    k.picoseconds("iio.latency", at(&PersistenceConfig::iio, &IioConfig::latency), Time{}, kMicrosecond,
                  "a line's way through it", "assumed")
        .in_networks();
    k.rate("iio.bandwidth", at(&PersistenceConfig::iio, &IioConfig::bandwidth), kMegabytePerSecond,
           1'000'000 * kMegabytePerSecond, "of lines that leave it", "assumed")
        .in_networks();
    k.flag("iio.shared", at(&PersistenceConfig::iio, &IioConfig::shared),
           "one IIO for the ports of the card and of all bridges; else each has its own", "thesis 004, 5.2: 128 Gb/s")
        .in_networks();
    k.custom({.path = "iio.hold",
              .kind = Kind::picoseconds,
              .least = 0,
              .most = kMillisecond.ps,
              .meaning = "how long a line of SCM stays first; until_pushed: until a read, CQE or MSI "
                         "comes that must not pass it, or it is full",
              .source = "none: may be buffered",
              .word = "until_pushed"},
             {},
             [](PersistenceConfig& config, const Value& value) {
                 config.iio.until_pushed = value.number == kWord;
                 if (!config.iio.until_pushed) config.iio.hold = Time{value.number};
             })
        .in_networks();
    k.bytes("llc.capacity", at(&PersistenceConfig::llc, &LlcConfig::capacity), 64, 64 << 20,
            "the ways that devices may fill, whole lines of 64 B", "ATC 2020: 2 of 11 ways of 24.75 MB")
        .in_networks();
    k.picoseconds("llc.latency", at(&PersistenceConfig::llc, &LlcConfig::latency), Time{}, kMicrosecond,
                  "an evicted line's way to the iMC", "assumed")
        .in_networks();
    k.choice<Eviction>("llc.evict", at(&PersistenceConfig::llc, &LlcConfig::evict),
                       {{"lru", Eviction::lru}, {"random", Eviction::random}, {"never", Eviction::never}},
                       "which line goes when it is full: the one written longest ago, or any; never: none, whatever "
                       "the capacity is",
                       "ATC 2021: out of order")
        .in_networks();
    k.flag("llc.dirty", at(&PersistenceConfig::llc, &LlcConfig::dirty),
           "a processor has written the SCM where data will go, and not flushed it: its lines are dirty in the "
           "LLC when the run begins",
           "-")
        .in_networks();
    k.picoseconds("flush.base", at(&PersistenceConfig::flush, &FlushConfig::base), Time{}, kMillisecond,
                  "processor: flush of lines from the LLC, fixed part", "FAST 2020: CLWB 62 ns")
        .in_networks();
    k.picoseconds("flush.line", at(&PersistenceConfig::flush, &FlushConfig::line), Time{}, kMillisecond,
                  "... and for each line", "assumed")
        .in_networks();
    k.bytes("imc.capacity", at(&PersistenceConfig::imc, &ImcConfig::capacity), 64, 1 << 20,
            "of the write queue that ADR saves, a module; whole lines of 64 B", "LENS, MICRO 2020")
        .in_networks();
    k.picoseconds("imc.latency", at(&PersistenceConfig::imc, &ImcConfig::latency), Time{}, kMicrosecond,
                  "from when a line's write to SCM begins until its place is free", "assumed")
        .in_networks();
    k.rate("scm.write", at(&PersistenceConfig::scm, &ScmConfig::write), kMegabytePerSecond,
           1'000'000 * kMegabytePerSecond, "writes, a module", "arXiv 1903.05714; six: 13.9 GB/s")
        .in_networks();
    k.rate("scm.read", at(&PersistenceConfig::scm, &ScmConfig::read), kMegabytePerSecond,
           1'000'000 * kMegabytePerSecond, "reads, a module", "arXiv 1903.05714; six: 39.4 GB/s")
        .in_networks();
    k.number("scm.modules", at(&PersistenceConfig::scm, &ScmConfig::modules), 1, 12, "whose places and rates add up",
             "-")
        .in_networks();
    k.picoseconds("scm.read_latency", at(&PersistenceConfig::scm, &ScmConfig::read_latency), Time{}, kMillisecond,
                  "a read until the first data", "arXiv 1903.05714")
        .in_networks();
    k.one_of(Kind::bytes, "scm.line", at(&PersistenceConfig::scm, &ScmConfig::line),
             {"64", "128", "256", "512", "1024", "2048", "4096"},
             "what it reads and writes at least: a lone line of 64 B costs as much", "arXiv 1903.05714")
        .in_networks();
    return k;
}

}  // namespace

const Fields<PersistenceConfig>& persistence_fields() {
    static const Fields<PersistenceConfig> kAll = declare_persistence();
    return kAll;
}

}  // namespace rnicsim
