// SPDX-License-Identifier: Apache-2.0
// Two hosts with streams between them, and a program on each that does what a test says.
#pragma once

#include "model/faults/random_faults.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/kits/kits.h"
#include "testbench/run/conservation.h"
#include "testbench/tests/network/verbs_pairs.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace rnicsim {

/// Each call goes on to what a test has set; without it nothing is done.
class ToldProgram final : public StreamProgram {
  public:
    std::function<void(Cycle, StreamId)> connected, sent, closed;
    std::function<void(Cycle, StreamId, std::uint32_t)> readable, read;

  private:
    void stream_connected(Cycle now, StreamId stream) override {
        if (connected) connected(now, stream);
    }
    void stream_readable(Cycle now, StreamId stream, std::uint32_t bytes) override {
        if (readable) readable(now, stream, bytes);
    }
    void stream_read(Cycle now, StreamId stream, std::uint32_t bytes) override {
        if (read) read(now, stream, bytes);
    }
    void stream_sent(Cycle now, StreamId stream) override {
        if (sent) sent(now, stream);
    }
    void stream_closed(Cycle now, StreamId stream) override {
        if (closed) closed(now, stream);
    }
};

inline constexpr std::uint64_t kProgramMemory = 64U << 20U;  ///< bytes of a program's own, behind those of its streams

/// The config's hosts 0 and 1, whose QPs are left alone.
class StreamPair {
  public:
    explicit StreamPair(RunConfig run, std::uint32_t streams = 1, bool established = true,
                        FaultSource* faults = nullptr, Observer* observer = nullptr)
        : config(std::move(run)),
          faults_(fault_config(config)),
          system("system", config, KitEnds(memory(config, streams)), faults == nullptr ? faults_ : *faults, observer) {
        for (unsigned side = 0; side < 2; ++side) {
            stacks.at(side) =
                &host(side).add_streams(verbs_end(system, side).rnic, {kStreams, streams}, programs.at(side));
            for (std::uint32_t i = 0; i < streams; ++i) {
                TcpStack::Init init;
                init.peer = 1 - side;
                init.peer_stream = i;
                init.thread = Thread{i % verbs_of(config, side).host.threads};
                init.established = established;
                init.peer_window = verbs_of(config, 1 - side).host.tcp.window;
                stacks.at(side)->open(init);
            }
        }
    }
    [[nodiscard]] VerbsHost& host(unsigned side) { return verbs_end(system, side).host; }
    /// Of the program's own memory.
    [[nodiscard]] std::uint64_t own(unsigned side) const {
        return kStreams + TcpStack::memory_bytes(verbs_of(config, side).host.tcp, streams_of(side));
    }
    [[nodiscard]] std::span<std::uint8_t> bytes(unsigned side, std::uint64_t offset, std::uint64_t count) {
        return host(side).memory.at(own(side) + offset, count);
    }
    /// Calls the program now, or when the simulation begins.
    void at_start(unsigned side, std::function<void(Cycle)> act) {
        starts_.at(side).act = std::move(act);
        host(side).driver.attach(starts_.at(side));
        host(side).driver.call_at(verbs_of(config, side).host.clock.cycle(current_time()) + Cycle{1}, 0);
    }
    /// In steps, after each of which all sums have to be right.
    void run(Time time) {
        for (Time done; done < time; done = done + kStep) {
            system.run(std::min(kStep, time - done), Ahead::allowed);
            if (const std::string wrong = not_conserved(system, config); !wrong.empty())
                throw std::runtime_error(wrong);
        }
    }
    [[nodiscard]] Time now() const { return current_time(); }

    RunConfig config;

  private:
    static constexpr std::uint64_t kStreams = 0x1'0000;
    static constexpr Time kStep = kMicrosecond * 100;
    class Start final : public VerbsProgram {
      public:
        std::function<void(Cycle)> act;

      private:
        void completed(Cycle /*now*/, const rc::Completion& /*completion*/) override {}
        void limit_reached(Cycle /*now*/, rc::ReceiveQueueNumber /*queue*/) override {}
        void noticed(Cycle /*now*/, std::uint64_t /*what*/) override {}
        void called(Cycle now, std::uint64_t /*what*/) override { act(now); }
    };
    [[nodiscard]] static std::vector<std::uint64_t> memory(const RunConfig& config, std::uint32_t streams) {
        std::vector<std::uint64_t> all;
        for (unsigned side = 0; side < 2; ++side) {
            all.push_back(kStreams + TcpStack::memory_bytes(verbs_of(config, side).host.tcp, streams) + kProgramMemory);
        }
        return all;
    }
    [[nodiscard]] std::uint32_t streams_of(unsigned side) const { return stacks.at(side)->streams(); }

    RandomFaults faults_;

  public:
    std::array<ToldProgram, 2> programs;
    std::array<TcpStack*, 2> stacks{};
    System system;

  private:
    std::array<Start, 2> starts_;
};

/// Two hosts of 100 Gb/s by profiles.
inline RunConfig fast_pair(const std::string& link = "rate: 100 Gbps, delay: 390.4 ns",
                           const std::string& rnic = "profile: cx5_100g") {
    return pair_of("operation: write, size: 8 B, transfers: 1", rnic, link);
}

}  // namespace rnicsim
