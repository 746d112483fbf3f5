// SPDX-License-Identifier: Apache-2.0
// Cores that store to a device behind a root port of their own, by lists of instructions.
#pragma once

#include "model/host/cpu/store_path.h"
#include "testbench/tests/support/ports_bench.h"
#include "testbench/tests/support/recording_device.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace rnicsim {

/// A core and what it does, from `begin()` on without a pause.
class ListedCore : private InstructionTarget {
  public:
    using Instruction = std::function<void(StorePath&, Time from)>;

    ListedCore(const StoreConfig& config, PortsBench& bench, const RandomSource& random, std::uint64_t core)
        : path(config, *bench.root, bench.wakeup(), *this, random, core) {}
    void begin(Time from) { next(from); }

    StorePath path;
    std::vector<Instruction> list;
    std::vector<Time> ends;

  private:
    void ended(Time at) override {
        ends.push_back(at);
        next(at);
    }
    void next(Time from) {
        if (ends.size() < list.size()) list[ends.size()](path, from);
    }
};

struct StoreBench {
    struct Options {
        StoreConfig store{};
        Clock clock{kPicosecond};
        PcieConfig link{3, 16, 256, 512, 64, 32, Cycle{80'000}, Cycle{10}};
        RootPortConfig ports{};
        std::size_t cores = 1;
        std::uint64_t seed = 1;
        Time answers{100'000};  ///< of the device, to a load
    };
    static constexpr std::uint64_t kBytes = 1 << 16;

    explicit StoreBench(const Options& options)
        : bench("bench", options.link, 1, {options.clock, false, false, options.ports}),
          port(bench.root->add_port(options.link)),
          bar(bench.root->map.add_bar(1, 0, kBytes)),
          device("device", bar, kBytes, options.answers) {
        device.bind(port);
        for (std::size_t i = 0; i < options.cores; ++i)
            cores.push_back(std::make_unique<ListedCore>(options.store, bench, RandomSource{options.seed}, i));
        bench.run = [this](Cycle now) {
            for (const auto& core : cores) core->path.run(now);
        };
        bench.next_task = [this] {
            Cycle next = kNever;
            for (const auto& core : cores) next = std::min(next, core->path.next_due());
            return next;
        };
    }
    ListedCore& core() { return *cores[0]; }
    /// At a cycle of the host's clock.
    void at(std::int64_t cycle, std::function<void(Cycle)> action) { bench.card().at(cycle, std::move(action)); }
    /// All cores begin at this cycle.
    void begin(std::int64_t cycle) {
        at(cycle, [this](Cycle now) {
            for (const auto& core : cores) core->begin(bench.wakeup().clock().time(now));
        });
    }
    static void simulate(Time until = kMillisecond) { sc_core::sc_start(to_sc_time(until)); }
    /// Nothing is on its way, or in a buffer.
    [[nodiscard]] bool is_over() const {
        return port.idle() && bench.pool.in_use() == 0 &&
               std::ranges::all_of(cores, [](const auto& core) { return !core->path.busy() && core->path.empty(); });
    }

    PortsBench bench;
    RootPort& port;
    std::uint64_t bar;
    RecordingDevice device;
    std::vector<std::unique_ptr<ListedCore>> cores;
};

/// 1, 2, 3, ... 255, 0, ...
inline std::vector<std::uint8_t> counted(std::size_t bytes) {
    std::vector<std::uint8_t> all(bytes);
    std::iota(all.begin(), all.end(), std::uint8_t{1});
    return all;
}

}  // namespace rnicsim
