// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a host's persistence path (README.md). Times in picoseconds: it has no clock of its own.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

/// Where a device's write may be.
enum class Stage : std::uint8_t { iio, llc, imc, scm };

/// What keeps its content when the power goes: SCM alone, with the iMC's queue (ADR), with the LLC, with the IIO.
enum class Domain : std::uint8_t { none, adr, eadr, wsp };

constexpr bool survives(Stage stage, Domain domain) {
    switch (domain) {
        case Domain::none: return stage == Stage::scm;
        case Domain::adr: return stage >= Stage::imc;
        case Domain::eadr: return stage >= Stage::llc;
        case Domain::wsp: return true;
    }
    return false;
}

/// Which line leaves a full LLC.
enum class Eviction : std::uint8_t { lru, random, never };

/// What a write with the attribute "no snoop" does to the LLC's copy of its line.
enum class NoSnoop : std::uint8_t {
    hint,     ///< the copy is invalidated
    literal,  ///< it stays, and overwrites what is newer when it leaves
};

inline constexpr std::int64_t kLineBytes = 64;

struct IioConfig {
    std::int64_t capacity = 8 << 10;
    Time latency{40'000};
    std::int64_t bandwidth = 16'000'000'000;
    Time hold;                  ///< SCM's lines: from entry until one may begin to leave
    bool shared = false;        ///< one for all root ports of the host; else each has its own
    bool until_pushed = false;  ///< in place of `hold`: until something that must not pass them comes, or it is full
};

struct LlcConfig {
    std::int64_t capacity = 4608 << 10;  ///< of what devices may fill
    Time latency{24'000};
    Eviction evict = Eviction::lru;
    bool dirty = false;  ///< a processor has written the SCM before anything else happens, and not flushed it
};

struct FlushConfig {
    Time base{80'000};
    Time line{8'000};
};

struct ImcConfig {
    std::int64_t capacity = 512;  ///< a module
    Time latency{40'000};
};

struct ScmConfig {
    std::int64_t write = 2'300'000'000, read = 6'600'000'000;  ///< bytes a second, a module
    std::int64_t modules = 1;
    Time read_latency{305'000};
    std::int64_t line = 256;  ///< bytes that it reads and writes at least
};

struct PersistenceConfig {
    Domain domain = Domain::adr;  ///< says what survives; no time depends on it
    bool ddio = true;
    bool no_snoop_write = false;  ///< writes with "no snoop" go past the LLC: class 2
    NoSnoop no_snoop = NoSnoop::hint;
    IioConfig iio;
    LlcConfig llc;
    FlushConfig flush;
    ImcConfig imc;
    ScmConfig scm;
};

}  // namespace rnicsim
