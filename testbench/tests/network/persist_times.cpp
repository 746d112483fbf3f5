// SPDX-License-Identifier: Apache-2.0
// How long an item of each scheme takes, to the picosecond: the sum of its parts (model/rnic/rc/README.md, "Times";
// model/host/persistence/README.md). One item of one packet at a time; rooms and rates of the path that hold up nobody.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/theory/host_parts.h"
#include "tlm/roce/packet.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

using roce::Opcode;

constexpr std::array<std::uint32_t, 3> kSizes{8, 64, 1024};
constexpr std::array<std::uint32_t, 2> kLine{8, 64};  // of an answer that cut_through makes no faster

/// With a way into persistent memory: what the card writes goes through the IIO, and reads wait for it.
class DurableEnd : public HostParts {
  public:
    explicit DurableEnd(const VerbsEndConfig& config) : HostParts(config), path_(*config.host.persistence) {}

    /// The program's call until `wqes` of them have been read, of which it is told by one doorbell.
    Time post(Time at, unsigned wqes, std::uint32_t stride) {
        const std::uint32_t bell = memory_write_tlps(kBar0 + rc::page::kSend, 8, pcie().max_payload).link_bytes;
        return read(
            to_card(down_.send(at + host_.time(config_.host.costs.post * static_cast<std::int64_t>(wqes)), bell)),
            wqes * stride);
    }
    /// DRAM: when the first to look sees it.
    Time write_dram(Time at, std::uint32_t bytes) {
        const Time left = write_lines(at, bytes);
        return path_.ddio ? left : memory(left, bytes);
    }
    /// SCM: when its last line has left the IIO.
    Time write_scm(Time at, std::uint32_t bytes) {
        begins_early(at, bytes, bytes);
        return write_lines(at, bytes);
    }
    /// An ACK waits until the payload's write is set up.
    [[nodiscard]] Time placed() const { return placed_; }
    /// The card reads nothing, behind all that it has written.
    Time flush_read(Time at) {
        return answered(at, 4, [&](Time from) { return memory(from, 4) + host_.time(config_.host.memory.latency); });
    }
    Time read_scm(Time at, std::uint32_t bytes) {
        return answered(at, bytes, [&](Time from) {
            return from + time_of(bytes, path_.scm.read * path_.scm.modules) + path_.scm.read_latency;
        });
    }

  private:
    /// TLP by TLP, and each of them line by line.
    Time write_lines(Time at, std::uint32_t bytes) {
        const Time first = placed_ = std::max(at, engine_free_) + card_.time(pcie().request_overhead);
        const std::uint32_t tlp = pcie().max_payload;
        engine_free_ = first + card_.time(Cycle{(bytes + tlp - 1) / tlp});
        Time arrives;
        for (std::uint32_t done = 0; done < bytes; done += tlp) {
            const std::uint32_t now = std::min(tlp, bytes - done);
            const Time left = up_.send(early_ ? Time{} : first, memory_write_tlps(0, now, tlp).link_bytes);
            arrives = std::max(card_.time(card_.edge(left) + pcie().latency), at);
            for (std::uint32_t line = 0; line < now; line += kLineBytes) {
                go_ = std::max(arrives, go_ + time_of(kLineBytes, path_.iio.bandwidth));
                left_ = go_ + path_.iio.latency;
            }
        }
        early_ = false;
        down_.send(host_.time(host_.edge(arrives)), (bytes + tlp - 1) / tlp * kDllpBytes);
        return left_;
    }
    template <typename Done>
    Time answered(Time at, std::uint32_t bytes, Done&& done) {
        const TlpCount request = memory_read_tlps(0, bytes, pcie().max_read_request);
        const Time comes = to_host(on_link_up(at, request));
        down_.send(comes, request.tlps * kDllpBytes);
        const Time ready = done(std::max(comes, host_.time(host_.edge(left_))));
        const TlpCount answer = completion_tlps(0, bytes, pcie().max_read_request, pcie().max_payload,
                                                config_.host.pcie.read_completion_boundary);
        return to_card(down_.send(ready, answer.link_bytes));
    }

    const PersistenceConfig& path_;
    Time go_, left_;  // of the last line
    Time placed_;     // the last write is set up
};

RunConfig durable_pair(const std::string& item, bool fast, bool ddio) {
    RunConfig config = pair_of(item + ", depth: 1, unsafe: true, transfers: 1, start: 10 us",
                               fast ? "profile: cx5_100g, rc: {inline: 0 B}" : "personality: rc, rc: {inline: 0 B}",
                               fast ? "rate: 100 Gbps, delay: 390.4 ns" : "");
    for (VerbsEndConfig& end : verbs_ends(config)) {
        end.host.posting = Posting::doorbell;
        end.host.persistence->ddio = ddio;
        end.host.persistence->imc.capacity = 1 << 20;
    }
    return config;
}

/// The parts that schemes have in common.
struct Parts {
    const RunConfig& config;
    DurableEnd a, b;
    std::uint32_t stride, bytes, read_back;
    explicit Parts(const RunConfig& of)
        : config(of),
          a(verbs_of(of, 0)),
          b(verbs_of(of, 1)),
          stride(lay_out(of).persists.front().ends[0].sends.stride),
          bytes(of.traffic[0].size),
          read_back(read_back_bytes(of.traffic[0])) {}

    /// Packets behind one another, from one card to the decision of the other one about the last.
    Time over(HostParts& from, HostParts& to, Time at, const std::vector<std::size_t>& frames) const {
        return to.received(from.sent(at, frames, config.links[0].timing) + config.links[0].delay);
    }
    Time answered(Time at, Opcode opcode, std::uint32_t payload = 0) {
        return over(b, a, at, {roce::frame_length(opcode, payload)});
    }
    Time told(Time answer) { return a.polled(a.write_dram(answer, rc::kCqeBytes)); }
    Time told_of_read(Time answer) {
        a.write_dram(answer, read_back);
        return told(answer);
    }

    /// From the call until the data are on their way to b's memory, and what is asked behind them has come to its card.
    Time asked(Time from, Opcode opcode, std::optional<Opcode> behind) {
        const Time data = a.read_payload(a.post(from, behind ? 2 : 1, stride), bytes);
        std::vector<std::size_t> frames{roce::frame_length(opcode, bytes)};
        const Time came = over(a, b, data, frames);
        b.write_scm(came, bytes);
        if (!behind) return came;
        frames.push_back(roce::frame_length(*behind, 0));
        return over(a, b, data, frames);
    }
};

Time fig10(const RunConfig& config, Time from) {
    Parts of(config);
    const Time came = of.asked(from, Opcode::write_persist_only, {});
    return of.told(of.answered(of.b.flush_read(came), Opcode::persist_ack));
}

Time flush(const RunConfig& config, Time from) {
    Parts of(config);
    const Time came = of.asked(from, Opcode::write_only, Opcode::flush);
    return of.told(of.answered(of.b.flush_read(came), Opcode::read_only));
}

Time apm(const RunConfig& config, Time from) {
    Parts of(config);
    const Time came = of.asked(from, Opcode::write_only, Opcode::read_request);
    return of.told_of_read(of.answered(of.b.read_scm(came, of.read_back), Opcode::read_only, of.read_back));
}

Time fig2(const RunConfig& config, Time from) {
    Parts of(config);
    of.asked(from, Opcode::write_only, {});
    const Time written = of.told(of.answered(of.b.placed(), Opcode::ack));
    const Time asked =
        of.over(of.a, of.b, of.a.post(written, 1, of.stride), {roce::frame_length(Opcode::read_request, 0)});
    return of.told_of_read(of.answered(of.b.read_scm(asked, of.read_back), Opcode::read_only, of.read_back));
}

constexpr std::int64_t kQuick = IioConfig{}.bandwidth;

/// `drains`: bytes a second that leave the IIO.
template <typename Sum>
void check_item(const std::string& scheme, std::uint32_t bytes, Sum&& sum, std::int64_t drains = kQuick) {
    for (const bool fast : {false, true}) {
        for (const bool ddio : {false, true}) {
            RunConfig config =
                durable_pair("scheme: " + scheme + ", size: " + std::to_string(bytes) + " B", fast, ddio);
            for (VerbsEndConfig& end : verbs_ends(config)) end.host.persistence->iio.bandwidth = drains;
            const auto outcome = apart([&] {
                RunResult result = simulate(config);
                const Sample& f = result.samples.back();
                const Time took = f.end - f.start, expected = sum(config, f.start) - f.start;
                if (took != expected)
                    throw RunError("took " + std::to_string(took.ps) + " ps, not " + std::to_string(expected.ps));
                return result;
            });
            INFO(scheme << ", " << bytes << " B at " << drains << " B/s" << (fast ? ", cx5_100g" : ", gigabit_fpga")
                        << (ddio ? ", DDIO" : ""));
            CHECK(outcome.ran);
        }
    }
}

TEST_CASE("the time until a WRITE_PERSIST is told durable is the sum of its parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : kSizes) check_item("fig10", bytes, fig10);
}

TEST_CASE("the time until a WRITE and its FLUSH are is the sum of their parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : kSizes) check_item("flush", bytes, flush);
}

TEST_CASE("P13: a flush read waits for the bytes before it, at the rate at which they leave, to the picosecond",
          "[network]") {
    for (const std::int64_t drains : {1'000'000'000, 100'000'000}) {
        for (const std::uint32_t bytes : kSizes) {
            check_item("fig10", bytes, fig10, drains);
            check_item("flush", bytes, flush, drains);
        }
    }
}

TEST_CASE("the time until a WRITE and a READ behind it are is the sum of their parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : kSizes) check_item("apm", bytes, apm);
    for (const std::uint32_t bytes : kLine) check_item("apm, read_back: all", bytes, apm);
}

TEST_CASE("the time until a WRITE and then a READ are is the sum of their parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : kSizes) check_item("fig2", bytes, fig2);
    for (const std::uint32_t bytes : kLine) check_item("fig2, read_back: all", bytes, fig2);
}

// V-P2, V-P6: firmware in the place of the persist module takes its time for each step, one after the other.

struct Took {
    Time first, all;  ///< the first item; from its start to the end of the last one
    std::uint64_t false_items = 0;
};

std::optional<Took> took(const std::string& item, Time firmware, std::uint32_t outstanding = 16) {
    return in_child([&] {
        RunConfig config =
            pair_of("size: 64 B, unsafe: true, start: 10 us, " + item, "personality: rc, rc: {acknowledgement: each}");
        for (VerbsEndConfig& end : verbs_ends(config)) {
            end.host.persistence->ddio = false;
            end.card.transport.persist.firmware = firmware;
            end.card.transport.persist.outstanding = outstanding;
            end.card.transport.persist.timer = Time{};
        }
        const RunResult r = simulate(config);
        if (r.samples.back().failed()) throw RunError("an item has failed");
        return Took{r.samples.front().took(), r.samples.back().end - r.samples.front().start,
                    counter(r, "b.cuts.false_items")};
    });
}

TEST_CASE("V-P2: a lone item takes a step of firmware more for each thing that the module does", "[network]") {
    struct Case {
        const char* item;
        int steps;
    };
    const Time step = kMicrosecond * 10;
    for (const Case& c : {Case{"scheme: fig10", 2}, Case{"scheme: fig10, acks: 2", 2}, Case{"scheme: flush", 2},
                          Case{"scheme: fig11", 1}, Case{"scheme: apm", 0}, Case{"scheme: fig2", 0},
                          Case{"scheme: fig3", 0}, Case{"scheme: gpspm", 0}}) {
        INFO(c.item);
        const std::string item = std::string(c.item) + ", transfers: 1, depth: 1";
        const auto logic = took(item, {}), once = took(item, step), twice = took(item, step * 2);
        REQUIRE(logic);
        REQUIRE(once);
        REQUIRE(twice);
        CHECK(twice->first - once->first == step * c.steps);
        // What the cards do meanwhile is hidden: the data's last line, and fig11's receive WQEs.
        CHECK(once->first - logic->first <= step * c.steps);
        CHECK(once->first - logic->first >= step * c.steps - kMicrosecond * 2);
        CHECK(twice->false_items == 0);
    }
}

TEST_CASE("V-P2: steps of firmware come one after the other, however many flush reads there may be", "[network]") {
    const Time step = kMicrosecond * 10;
    constexpr int kPosted = 12;
    const std::string posted = ", depth: " + std::to_string(kPosted) + ", transfers: " + std::to_string(kPosted);
    for (const std::uint32_t outstanding : {1U, 16U}) {
        INFO(outstanding << " flush reads");
        const auto card = took("scheme: fig10" + posted, step, outstanding);
        REQUIRE(card);
        CHECK(card->all >= step * (2 * kPosted));
        CHECK(card->all < step * (2 * kPosted + 2));
        CHECK(card->false_items == 0);
    }
    const auto processor = took("scheme: fig11" + posted, step);
    REQUIRE(processor);
    CHECK(processor->all >= step * kPosted);
    CHECK(processor->all < step * (kPosted + 2));
}

}  // namespace
}  // namespace rnicsim
