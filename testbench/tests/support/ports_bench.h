// SPDX-License-Identifier: Apache-2.0
// A root complex with ports, memory and a processor that keeps still, but for software that a test brings; an endpoint
// at each port, with a script.
#pragma once

#include "model/host/memory.h"
#include "model/host/root_complex.h"
#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/drp/dma_purpose.h"
#include "tlm/taps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

/// What an endpoint is asked, by a process of its own.
class ScriptedEndpoint : public sc_core::sc_module, private DmaClient, private RegisterTarget {
  public:
    ScriptedEndpoint(sc_core::sc_module_name name, const PcieConfig& link, const Clock& clock, PciePool& pool)
        : sc_module(name),
          wakeup_("wakeup", clock),
          pcie("pcie", link, std::make_unique<DmaEngineModel>(link), pool, *this, wakeup_) {
        SC_HAS_PROCESS(ScriptedEndpoint);
        SC_METHOD(cycle);
        wakeup_.wakes(sensitive);
        dont_initialize();
    }

    void at(std::int64_t cycle, std::function<void(Cycle)> action) {
        script_.push_back({Cycle{cycle}, std::move(action)});
        wakeup_.at(Cycle{cycle});
    }
    void write(Cycle now, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes = {}) {
        const DmaPiece piece{address, source.data(), bytes, {}};
        left.push_back(pcie.write(now, {&piece, 1}, dma_purpose::kHost, attributes).left);
    }
    void read(Cycle now, std::uint64_t address, std::uint32_t bytes, TlpAttributes attributes = {}) {
        pcie.read(now, address, bytes, dma_purpose::kFetch, {*this, target.data(), bytes, {}}, attributes);
    }

    struct Doorbell {
        Cycle at;
        std::uint64_t offset = 0;
        std::size_t bytes = 0;
        friend bool operator==(const Doorbell&, const Doorbell&) = default;
    };
    std::array<std::uint8_t, 4096> source{}, target{};
    std::array<std::uint8_t, 2048> registers{};  // that can be read
    std::vector<Doorbell> loads;
    std::vector<Cycle> left;  // last byte of a write on the link
    std::vector<Cycle> reads_done;
    std::vector<Doorbell> doorbells;

  private:
    void cycle() {
        const Cycle now = wakeup_.woke();
        pcie.deliver(now);
        while (!script_.empty() && script_.front().first <= now) {
            script_.front().second(now);
            script_.erase(script_.begin());
        }
        Cycle next = pcie.next_due();
        if (!script_.empty()) next = std::min(next, script_.front().first);
        wakeup_.sleep_until(next);
    }
    void read_done(Cycle now, std::uint64_t, FrameRef) override { reads_done.push_back(now); }
    void register_write(Cycle now, std::uint64_t offset, std::span<const std::uint8_t> bytes) override {
        doorbells.push_back({now, offset, bytes.size()});
    }
    bool register_read(Cycle now, std::uint64_t offset, std::span<std::uint8_t> into) override {
        loads.push_back({now, offset, into.size()});
        if (offset + into.size() > registers.size()) return false;
        std::memcpy(into.data(), registers.data() + offset, into.size());
        return true;
    }

    ClockedWakeup wakeup_;
    std::vector<std::pair<Cycle, std::function<void(Cycle)>>> script_;

  public:
    PcieEndpoint pcie;
};

/// The second endpoint's BAR 0 is where the map has put it.
class PortsBench : public sc_core::sc_module,
                   public LoadTarget,
                   public LineObserver,
                   private InterruptTarget,
                   private Observer,
                   private MemoryWatcher {
  public:
    static constexpr std::uint64_t kMemory = 1 << 20, kScm = 0x8000;

    struct Options {
        Clock clock = kGmiiClock;    ///< of all
        bool devices_first = false;  ///< in which order the parts are built: without effect
        bool ahead_of_time = false;
        RootPortConfig root_ports{};
        const PersistenceConfig* persistence = nullptr;  ///< none; else SCM is from kScm on, of as many bytes
        IioSharing iio = IioSharing::by_port;
    };
    PortsBench(sc_core::sc_module_name name, const PcieConfig& pcie, unsigned ports)
        : PortsBench(name, pcie, ports, Options{}) {}
    PortsBench(sc_core::sc_module_name name, const PcieConfig& pcie, unsigned ports, const Options& options)
        : sc_module(name), wakeup_("wakeup", options.clock), tap_("tap", 0, *this) {
        if (options.ahead_of_time) horizon_.set(kEndOfTime);
        InterruptTarget& processor = *this;
        const auto build_devices = [&] {
            for (unsigned port = 0; port < ports; ++port) {
                const std::string of = "device" + std::to_string(port);
                devices.push_back(std::make_unique<ScriptedEndpoint>(of.c_str(), pcie, options.clock, pool));
            }
        };
        if (options.devices_first) build_devices();
        memory = std::make_unique<Memory>("memory", MemoryConfig{Cycle{12}, 1'600'000'000}, options.clock, kMemory);
        root = std::make_unique<RootComplex>("root", pcie, pool, processor, wakeup_, horizon_, options.root_ports);
        if (!options.devices_first) build_devices();
        root->map.add_dram(0, kMemory);
        if (options.persistence != nullptr) add_path(pcie, ports, options);
        for (unsigned port = 0; port < ports; ++port) {
            RootPort& there = port == 0 ? root->card : root->add_port(pcie);
            devices[port]->pcie.upstream.bind(there.upstream);
            there.downstream.bind(devices[port]->pcie.downstream);
            if (path && ports == 1) {
                there.expect_buffered();
                devices[port]->pcie.set_posted_buffer(path.get());
            } else if (path) {
                there.expect_buffered(path->port(port));
                devices[port]->pcie.set_posted_buffer(&path->port(port));
            }
            if (port == 0) continue;
            bar = root->map.add_bar(port, 0, kLeastBar);
            devices[port]->pcie.place_bar0(bar);
        }
        root->memory.bind(tap_.in);
        tap_.out.bind(memory->port);
        SC_HAS_PROCESS(PortsBench);
        SC_METHOD(cycle);
        wakeup_.wakes(sensitive);
        dont_initialize();
    }

    ScriptedEndpoint& card() { return *devices[0]; }
    ScriptedEndpoint& other() { return *devices[1]; }

    struct Access {
        Cycle at;
        std::uint64_t address = 0;
        friend bool operator==(const Access&, const Access&) = default;
    };
    struct Loaded {
        Time told, at;
        std::uint64_t context = 0;
        std::vector<std::uint8_t> bytes;
    };
    void load(Cycle now, std::uint64_t address, std::uint32_t bytes, std::uint64_t context = 0,
              TlpAttributes attributes = {}) {
        root->read(now, address, bytes, {this, context}, attributes);
    }

    /// Software of the host's process, behind what comes up the links; and when it has something to do.
    std::function<void(Cycle)> run;
    std::function<Cycle()> next_task;
    [[nodiscard]] ClockedWakeup& wakeup() { return wakeup_; }

    void line_written(const LineWrite& write) override { lines.push_back(write); }

    PciePool pool;
    std::unique_ptr<PersistencePath> path;
    std::vector<LineWrite> lines;  // in the order in which they are told
    std::vector<Time> visible;
    std::unique_ptr<Memory> memory;
    std::unique_ptr<RootComplex> root;
    std::vector<std::unique_ptr<ScriptedEndpoint>> devices;
    std::uint64_t bar = 0;  // of the last device
    std::vector<Access> accesses;
    std::vector<std::pair<Cycle, std::uint32_t>> interrupts;
    std::vector<Loaded> loads;

  private:
    void add_path(const PcieConfig& pcie, unsigned ports, const Options& options) {
        const std::vector<IioLink> links(ports, IioLink{pcie, options.clock});
        path = ports == 1
                   ? std::make_unique<PersistencePath>(*options.persistence)
                   : std::make_unique<PersistencePath>(*options.persistence, RandomSource{}, 0, links, options.iio);
        path->add_scm(kScm, kScm);
        path->set_observer(this);
        memory->set_persistence(path.get());
        memory->set_watcher(this);
    }
    void written(std::uint64_t, std::uint64_t, Time at) override { visible.push_back(at); }
    void cycle() {
        const Cycle now = wakeup_.woke();
        root->deliver(now);
        if (run) run(now);
        wakeup_.sleep_until(next_task ? std::min(root->next_due(), next_task()) : root->next_due());
    }
    void loaded(Time at, std::uint64_t context, std::span<const std::uint8_t> bytes) override {
        loads.push_back({current_time(), at, context, {bytes.begin(), bytes.end()}});
    }
    void interrupt(Cycle now, std::uint32_t vector) override { interrupts.push_back({now, vector}); }
    [[nodiscard]] bool rests_until(Cycle) const override { return true; }
    void memory_access(unsigned, const tlm::tlm_generic_payload& transaction) override {
        accesses.push_back({wakeup_.now(), transaction.get_address()});
    }
    void upstream_tlp(unsigned, tlm::tlm_generic_payload&, Time) override {}
    void frame_sent(unsigned, const Frame&, Time) override {}

    ClockedWakeup wakeup_;
    Horizon horizon_;
    MemoryTap tap_;
};

}  // namespace rnicsim
