// SPDX-License-Identifier: Apache-2.0
// Two hosts, each a root complex with memory and a card that does nothing, and a bridge between them.
#pragma once

#include "model/ntb/bridge.h"
#include "testbench/tests/support/ports_bench.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

class BridgeBench : public sc_core::sc_module {
  public:
    static constexpr std::uint64_t kWindow = 1 << 16;

    struct Options {
        Clock clock{kPicosecond};  ///< of both hosts
        RootPortConfig root_ports{};
        Observer* observer = nullptr;  ///< of the bridge, and of what devices do in memories
    };

    BridgeBench(sc_core::sc_module_name name, const ntb::Config& config) : BridgeBench(name, config, Options{}) {}
    BridgeBench(sc_core::sc_module_name name, const ntb::Config& config, const Options& options)
        : sc_module(name), bridge("bridge", config, pool, 0, options.observer) {
        for (unsigned i = 0; i < 2; ++i)
            hosts[i] = std::make_unique<BenchHost>(("host" + std::to_string(i)).c_str(), *this, i, config, options);
    }

    /// A host, and its processor, which does what a script says.
    class BenchHost : public sc_core::sc_module, public LoadTarget, private InterruptTarget, private MemoryWatcher {
      public:
        BenchHost(sc_core::sc_module_name name, BridgeBench& bench, unsigned number, const ntb::Config& config,
                  const Options& options)
            : sc_module(name),
              wakeup_("wakeup", options.clock),
              card("card", kCard, options.clock, bench.pool),
              memory("memory", kMemoryTakesNoTime, options.clock, PortsBench::kMemory),
              root("root", kCard, bench.pool, *this, wakeup_, horizon_, options.root_ports),
              side(bench.bridge.side(number)) {
            root.map.add_dram(0, PortsBench::kMemory);
            card.pcie.upstream.bind(root.card.upstream);
            root.card.downstream.bind(card.pcie.downstream);
            root.add_port(ntb::Bridge::link_of(config, options.clock));
            side.join(root, 1, options.clock);
            if (options.observer == nullptr) {
                root.memory.bind(memory.port);
            } else {
                tap_ = std::make_unique<MemoryTap>("tap", number, *options.observer);
                root.memory.bind(tap_->in);
                tap_->out.bind(memory.port);
            }
            memory.set_watcher(this);
            SC_HAS_PROCESS(BenchHost);
            SC_METHOD(cycle);
            wakeup_.wakes(sensitive);
            dont_initialize();
        }

        /// Turns window 0 on, all of it: its first byte is `there` at the other side.
        void open(Cycle now, std::uint64_t there, std::uint64_t bytes = kWindow) {
            write_register(now, ntb::offset::kXbase, there);
            write_register(now, ntb::offset::kXlmt, side.window_at(0) + bytes);
        }
        template <typename Value>
        void write_register(Cycle now, std::uint64_t at, Value value) {
            std::array<std::uint8_t, sizeof value> bytes{};
            std::memcpy(bytes.data(), &value, sizeof value);
            root.write(now, side.registers_at() + at, bytes);
        }
        void store(Cycle now, std::uint64_t at, std::span<const std::uint8_t> bytes) {
            root.write(now, side.window_at(0) + at, bytes);
        }
        void load(Cycle now, std::uint64_t address, std::uint32_t bytes, std::uint64_t context = 0) {
            root.read(now, address, bytes, {this, context});
        }

      private:
        static constexpr MemoryConfig kMemoryTakesNoTime{Cycle{0}, 1'000'000'000'000'000};
        static constexpr PcieConfig kCard{1, 1, 128, 512, 64, 32, Cycle{19}, Cycle{10}};
        void cycle() {
            root.deliver(wakeup_.woke());
            wakeup_.sleep_until(root.next_due());
        }
        void written(std::uint64_t address, std::uint64_t bytes, Time at) override {
            writes.push_back({at, address, bytes});
        }
        void loaded(Time at, std::uint64_t context, std::span<const std::uint8_t> bytes) override {
            loads.push_back({current_time(), at, context, {bytes.begin(), bytes.end()}});
        }
        void interrupt(Cycle now, std::uint32_t vector) override {
            interrupts.push_back({wakeup_.clock().time(now), vector});
        }
        [[nodiscard]] bool rests_until(Cycle) const override { return true; }

        ClockedWakeup wakeup_;
        Horizon horizon_;
        std::unique_ptr<MemoryTap> tap_;

      public:
        struct Written {
            Time at;
            std::uint64_t address = 0, bytes = 0;
        };
        ScriptedEndpoint card;  ///< its at() runs the script
        Memory memory;
        RootComplex root;
        ntb::Side& side;
        std::vector<Written> writes;
        std::vector<std::pair<Time, std::uint32_t>> interrupts;
        std::vector<PortsBench::Loaded> loads;
    };

    PciePool pool;
    ntb::Bridge bridge;
    std::array<std::unique_ptr<BenchHost>, 2> hosts;
};

}  // namespace rnicsim
