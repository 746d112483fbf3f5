// How long an item of each scheme takes, to the picosecond: the sum of its parts (model/rnic/rc/README.md, "Times";
// model/host/persistence/README.md). One item of one packet at a time; rooms and rates of the path that hold up nobody.
#include "testbench/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/network/verbs_parts.h"
#include "testbench/tests/support/apart.h"
#include "testbench/workload/verbs_layout.h"
#include "tlm/roce/packet.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

namespace rnicsim {
namespace {

using roce::Opcode;

/// With a way into persistent memory: what the card writes goes through the IIO, and reads wait for it.
class DurableEnd : public End {
  public:
    explicit DurableEnd(const VerbsEndConfig& config) : End(config), path_(*config.host.persistence) {}

    /// The program's call until `wqes` of them have been read, of which it is told by one doorbell.
    Time post(Time at, unsigned wqes, std::uint32_t stride) {
        const std::uint32_t bell = memory_write_tlps(kBar0 + rc::page::kSend, 8, pcie().max_payload).link_bytes;
        return read(to_card(down_.send(at + host_.time(config_.host.costs.post * static_cast<std::int64_t>(wqes)), bell)),
                    wqes * stride);
    }
    /// What is done by one call more, before the next begins.
    [[nodiscard]] Time polled_before(Time at) const { return polled(at); }

    /// DRAM: when the first to look sees it.
    Time write_dram(Time at, std::uint32_t bytes) {
        const Time left = write_lines(at, bytes);
        return path_.ddio ? left : memory(left, bytes);
    }
    /// SCM: when its last line has left the IIO.
    Time write_scm(Time at, std::uint32_t bytes) { return write_lines(at, bytes); }
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
        const Time first = std::max(at, engine_free_) + card_.time(pcie().request_overhead);
        const std::uint32_t tlp = pcie().max_payload;
        engine_free_ = first + card_.time(Cycle{(bytes + tlp - 1) / tlp});
        for (std::uint32_t done = 0; done < bytes; done += tlp) {
            const std::uint32_t now = std::min(tlp, bytes - done);
            const Time arrives = card_.time(
                card_.edge(up_.send(first, memory_write_tlps(0, now, tlp).link_bytes)) + pcie().latency);
            for (std::uint32_t line = 0; line < now; line += kLineBytes) {
                go_ = std::max(arrives, go_ + time_of(kLineBytes, path_.iio.bandwidth));
                left_ = go_ + path_.iio.latency;
            }
        }
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
};

RunConfig durable_pair(const std::string& item, bool fast, bool ddio) {
    RunConfig config =
        pair_of(item + ", depth: 1, unsafe: true, transfers: 1, start: 10 us",
                fast ? "profile: cx5_100g, rc: {inline: 0 B}" : "personality: rc, rc: {inline: 0 B}",
                fast ? "rate: 100 Gbps, delay: 390.4 ns" : "");
    for (VerbsEndConfig& end : config.verbs) {
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
    std::uint32_t stride, bytes;
    explicit Parts(const RunConfig& of)
        : config(of),
          a(of.verbs[0]),
          b(of.verbs[1]),
          stride(lay_out(of).persists.front().ends[0].sends.stride),
          bytes(of.traffic[0].size) {}

    /// A packet from one card to the decision of the other one.
    Time over(End& from, End& to, Time at, Opcode opcode, std::uint32_t payload) const {
        const std::vector<std::size_t> frame{roce::frame_length(opcode, payload)};
        return to.received(from.sent(at, frame, config.links[0].timing) + config.links[0].delay);
    }
    /// From the call until the data's packet has come to b's card.
    Time brought(Time from, unsigned wqes, Opcode opcode) {
        const Time posted = a.post(from, wqes, stride);
        data = a.read(posted, bytes);
        return over(a, b, data, opcode, bytes);
    }
    Time told(Time answer) { return a.polled(a.write_dram(answer, rc::kCqeBytes)); }
    Time data;
};

Time fig10(const RunConfig& config, Time from) {
    Parts of(config);
    const Time came = of.brought(from, 1, Opcode::persist_only);
    of.b.write_scm(came, of.bytes);
    const Time durable = of.b.flush_read(came);
    return of.told(of.over(of.b, of.a, durable, Opcode::persist_ack, 0));
}

template <typename Sum>
void check_item(const std::string& scheme, std::uint32_t bytes, Sum&& sum) {
    for (const bool fast : {false, true}) {
        for (const bool ddio : {false, true}) {
            const RunConfig config =
                durable_pair("scheme: " + scheme + ", size: " + std::to_string(bytes) + " B", fast, ddio);
            const auto outcome = apart([&] {
                const RunResult result = simulate(config);
                const FrameRecord& f = result.frames.back();
                const Time took = f.arrived - f.ready, expected = sum(config, f.ready) - f.ready;
                if (took != expected)
                    throw RunError("took " + std::to_string(took.ps) + " ps, not " + std::to_string(expected.ps));
                return result;
            });
            INFO(scheme << ", " << bytes << " B" << (fast ? ", cx5_100g" : ", gigabit_fpga") << (ddio ? ", DDIO" : ""));
            CHECK(outcome.ran);
        }
    }
}

TEST_CASE("the time of a WRITE_PERSIST is the sum of its parts, to the picosecond", "[network]") {
    for (const std::uint32_t bytes : {8U, 64U, 1024U}) check_item("fig10", bytes, fig10);
}

}  // namespace
}  // namespace rnicsim
