// SPDX-License-Identifier: Apache-2.0
// Streams of two hosts: windows, connecting, closing, dying, and what a fault tape says of their frames.
#include "testbench/observe/pcapng_file.h"
#include "testbench/tape/tape_text.h"
#include "testbench/tests/network/stream_pair.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

using namespace rnicsim;

TEST_CASE("a send waits while a window of bytes is not read", "[network]") {
    RunConfig config = fast_pair();
    constexpr std::uint32_t kWindow = 64 * 1024;
    for (VerbsEndConfig& end : verbs_ends(config)) end.host.tcp.window = kWindow;
    StreamPair pair(config);
    Cycle sent, begun;
    std::uint32_t got = 0;
    const auto read = [&](Cycle now) { pair.stacks[1]->read(now, StreamId{0}, pair.own(1), 3 * kWindow); };
    pair.programs[0].sent = [&](Cycle now, StreamId) { sent = now; };
    pair.programs[1].read = [&](Cycle now, StreamId, std::uint32_t bytes) {
        got += bytes;
        if (got != 3 * kWindow) read(now);
    };
    pair.at_start(0, [&](Cycle now) {
        begun = now;
        pair.stacks[0]->send(now, StreamId{0}, pair.own(0), 3 * kWindow);
    });
    pair.run(kMillisecond);
    CHECK(sent == Cycle{});
    CHECK(got == 0);
    CHECK(pair.stacks[1]->readable(StreamId{0}) > kWindow / 2);
    CHECK(pair.stacks[1]->readable(StreamId{0}) <= kWindow);
    pair.at_start(1, read);  // at last
    pair.run(kMillisecond);
    CHECK(sent > begun);
    CHECK(got == 3 * kWindow);
    CHECK(pair.stacks[0]->counters().resent == 0);
}

TEST_CASE("a stream connects in a round trip and a half, is closed behind its bytes", "[network]") {
    StreamPair pair(fast_pair(), 1, false);
    std::array<Cycle, 2> connected{}, closed{};
    std::uint32_t got = 0;
    for (unsigned side = 0; side < 2; ++side) {
        pair.programs.at(side).connected = [&, side](Cycle now, StreamId) { connected.at(side) = now; };
        pair.programs.at(side).closed = [&, side](Cycle now, StreamId) { closed.at(side) = now; };
        pair.programs.at(side).readable = [&, side](Cycle now, StreamId s, std::uint32_t) {
            pair.stacks.at(side)->read(now, s, pair.own(side), 1000);
        };
        pair.programs.at(side).read = [&](Cycle, StreamId, std::uint32_t bytes) { got += bytes; };
    }
    const auto open = pair.programs[0].connected;
    pair.programs[0].connected = [&](Cycle now, StreamId s) {
        open(now, s);
        pair.stacks[0]->send(now, s, pair.own(0), 5000);
    };
    pair.programs[0].sent = [&](Cycle now, StreamId s) { pair.stacks[0]->close(now, s); };
    pair.at_start(0, [&](Cycle now) { pair.stacks[0]->connect(now, StreamId{0}); });
    pair.run(kMillisecond);
    CHECK(connected[0] > Cycle{});
    CHECK(connected[1] > connected[0]);
    CHECK(got == 5000);
    CHECK(closed[1] >= connected[1]);
    CHECK(closed[0] == Cycle{});
    pair.run(kMillisecond * 300);
    CHECK(pair.stacks[0]->counters().resent == 0);
    CHECK(pair.stacks[0]->idle());
    CHECK(pair.stacks[1]->idle());
}

TEST_CASE("a stream to nobody dies 25.4 s after its bytes, not before", "[network]") {
    RunConfig config = fast_pair();
    std::string lines = "rnicsim fault tape 2\n";
    for (int i = 1; i <= 7; ++i) lines += "a>b a.s0 TCP +1 #" + std::to_string(i) + " lost\n";
    config.tape = std::make_shared<FaultTape>(read_tape(lines, "tape", TapeNames(config)));
    TapeFaults faults(*config.tape);
    StreamPair pair(config, 1, true, &faults);
    Time died, sent;
    const Clock clock = verbs_of(pair.config, 0).host.clock;
    pair.programs[0].sent = [&](Cycle now, StreamId) { sent = clock.time(now); };
    pair.programs[0].closed = [&](Cycle now, StreamId) { died = clock.time(now); };
    pair.at_start(0, [&](Cycle now) { pair.stacks[0]->send(now, StreamId{0}, pair.own(0), 100); });
    pair.system.run(kMillisecond * 26'000, Ahead::allowed);
    // 200 ms, and twice as long six times.
    CHECK(died - sent == kMillisecond * 200 * 127);
    CHECK(pair.stacks[0]->has_died(StreamId{0}));
    CHECK(pair.stacks[0]->counters().resent == 6);
}

namespace {

struct Taped {
    std::uint64_t resent = 0, unused = 0;
};

/// Of 10,000 B by a tape.
Taped taped(const std::string& lines) {
    const std::optional<Taped> said = in_child([&] {
        RunConfig config = fast_pair();
        config.tape =
            std::make_shared<FaultTape>(read_tape("rnicsim fault tape 2\n" + lines, "tape", TapeNames(config)));
        TapeFaults faults(*config.tape);
        StreamPair pair(config, 1, true, &faults);
        std::uint32_t got = 0;
        pair.programs[1].readable = [&](Cycle now, StreamId s, std::uint32_t) {
            pair.stacks[1]->read(now, s, pair.own(1), 10'000);
        };
        pair.programs[1].read = [&](Cycle, StreamId, std::uint32_t bytes) { got += bytes; };
        pair.at_start(0, [&](Cycle now) { pair.stacks[0]->send(now, StreamId{0}, pair.own(0), 10'000); });
        pair.run(kMillisecond * 1500);
        if (got != 10'000) throw std::runtime_error("bytes are missing");
        return Taped{pair.stacks[0]->counters().resent, faults.unused()};
    });
    REQUIRE(said);
    return *said;
}

}  // namespace

namespace {

/// Frames on the wire, for a file.
class Frames final : public Observer {
  public:
    std::vector<std::vector<std::uint8_t>> sent;

  private:
    void memory_access(unsigned /*end*/, const tlm::tlm_generic_payload& /*transaction*/) override {}
    void upstream_tlp(unsigned /*end*/, tlm::tlm_generic_payload& /*transaction*/, Time /*due*/) override {}
    void frame_sent(unsigned /*end*/, const Frame& frame, Time /*left*/) override {
        sent.emplace_back(frame.bytes().begin(), frame.bytes().end());
    }
};

/// The lines that tshark prints.
std::vector<std::string> read_by_tshark(const Frames& frames, const std::string& arguments) {
    const std::string name = "/tmp/rnicsim_streams_" + std::to_string(::getpid()) + ".pcapng";
    {
        PcapngFile file(name);
        file.add_interface(PcapngFile::LinkType::ethernet, "wire", "");
        std::int64_t ns = 0;
        for (const auto& bytes : frames.sent) {
            // With the FCS, as an interface of a capture may say.
            PcapngFile::Packet packet;
            packet.ns = ns++;
            packet.bytes_on_wire = static_cast<std::uint32_t>(bytes.size());
            packet.bytes = bytes;
            file.write(packet);
        }
        file.close();
    }
    std::vector<std::string> lines;
    FILE* const pipe = ::popen(("tshark -r " + name + ' ' + arguments + " 2>/dev/null").c_str(), "r");
    std::array<char, 512> line{};
    while (pipe != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr)
        lines.emplace_back(line.data());
    if (pipe != nullptr) ::pclose(pipe);
    std::remove(name.c_str());
    return lines;
}

}  // namespace

TEST_CASE("tshark reads a connection, and finds nothing wrong in it", "[network]") {
    if (std::system("tshark --version > /dev/null 2>&1") != 0) SKIP("tshark is not installed");
    Frames frames;
    StreamPair pair(fast_pair(), 1, false, nullptr, &frames);
    std::uint32_t got = 0;
    pair.programs[1].readable = [&](Cycle now, StreamId s, std::uint32_t) {
        pair.stacks[1]->read(now, s, pair.own(1), 20'000);
    };
    pair.programs[1].read = [&](Cycle, StreamId, std::uint32_t bytes) { got += bytes; };
    pair.programs[0].connected = [&](Cycle now, StreamId s) { pair.stacks[0]->send(now, s, pair.own(0), 20'000); };
    pair.programs[0].sent = [&](Cycle now, StreamId s) { pair.stacks[0]->close(now, s); };
    pair.at_start(0, [&](Cycle now) { pair.stacks[0]->connect(now, StreamId{0}); });
    pair.run(kMillisecond * 100);
    REQUIRE(got == 20'000);
    const std::string checks = "-o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE ";
    const auto count = [&](const std::string& filter) {
        return read_by_tshark(frames, checks + "-Y '" + filter + "'").size();
    };
    CHECK(count("tcp") == frames.sent.size());
    CHECK(count("tcp.len > 0") == (20'000 + 1447) / 1448);
    CHECK(count("tcp.flags.syn == 1") == 2);
    CHECK(count("tcp.flags.fin == 1") == 1);
    CHECK(count("tcp.checksum.status == Good && ip.checksum.status == Good") == frames.sent.size());
    CHECK(count("tcp.analysis.flags || _ws.malformed || _ws.expert.severity == error") == 0);
    CHECK(count("tcp.window_size == 1048576") > 0);
}

TEST_CASE("a fault tape names frames of streams", "[network]") {
    CHECK(taped("").resent == 0);
    const Taped first = taped("a>b a.s0 TCP +1 #1 lost\n");
    CHECK(first.resent == 1);
    CHECK(first.unused == 0);
    const Taped again = taped("a>b a.s0 TCP +8689 #1 lost\na>b a.s0 TCP +8689 #2 lost\n");
    CHECK(again.resent == 2);
    CHECK(again.unused == 0);
    const Taped answer = taped("b>a b.s0 TCP_ACK +10001 #1 lost\n");
    CHECK(answer.resent == 1);
    CHECK(answer.unused == 0);
    CHECK(taped("a>b a.s0 TCP +2 #1 lost\n").unused == 1);
}
