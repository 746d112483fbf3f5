// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/plasma/plasma.h"

#include "testbench/applications/plasma/fetcher.h"
#include "testbench/applications/plasma/owner.h"
#include "testbench/applications/plasma/settings.h"

#include <algorithm>
#include <string>

namespace rnicsim::applications {
namespace {

using plasma::kMessage;

/// Send WQEs on top of a window's chunks: of messages that the other end has, while the ACKs of their packets were
/// lost.
constexpr std::uint32_t kSpare = 64;
constexpr std::array<std::string_view, 1> kPlasmaBounds{"run.plasma.recv_wrs=4"};
constexpr std::array<std::string_view, 6> kPlasmaParts{"ask", "create", "prepare", "body", "give_up", "seal"};

class Plasma final : public Application {
    /// Keys of several chunks, where no object has any.
    [[nodiscard]] static const char* of_one_chunk(const TrafficConfig& item, std::string_view name) {
        const bool of_several = name == "window" || name == "ack" || name == "slots";
        if (!of_several || most_chunks(item, plasma_of(item)) > 1) return nullptr;
        return "each object is one chunk, expected larger ones, or a smaller plasma.chunk";
    }
    /// Keys that do what they do by themselves.
    [[nodiscard]] static const char* as_usual(const TrafficConfig& item, std::string_view name) {
        const PlasmaSettings &of = plasma_of(item), usual;
        PlasmaSettings other = of;
        other.threshold = usual.threshold;
        const auto goes_alike = [&](std::uint32_t bytes) { return of.method_of(bytes) == other.method_of(bytes); };
        if (name == "threshold" && of.threshold != usual.threshold && std::ranges::all_of(sizes_of(item), goes_alike))
            return "each object goes as with 32 KiB, expected a size between the two";
        if (name == "write" && of.write != usual.write && item.size <= std::min(of.write, usual.write))
            return "each object is one call, expected larger ones, or a smaller plasma.write";
        return nullptr;
    }

    /// Ends of both know what one of their hosts has set up.
    [[nodiscard]] bool share_hosts(const TrafficConfig& one, const TrafficConfig& other) const {
        if (&one == &other || other.application != name() || !shares_setup(one) || !shares_setup(other)) return false;
        const auto is_of_one = [&](unsigned host) {
            return one.initiates(host) || std::ranges::find(one.to, host) != one.to.end();
        };
        return std::ranges::any_of(other.from, is_of_one) || std::ranges::any_of(other.to, is_of_one);
    }

  public:
    [[nodiscard]] std::string_view name() const override { return "plasma"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kPlasmaParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, plasma_fields());
        return all;
    }
    [[nodiscard]] Order order(const TrafficConfig& item) const override { return plasma_of(item).order; }
    [[nodiscard]] bool one_at_a_time() const override { return true; }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(plasma_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const override {
        const PlasmaSettings& of = plasma_of(item);
        const std::string unsafe = "; run.plasma.unsafe: true runs it, to see what it does";
        if (!of.ack && !of.unsafe) return Refusal{"run.plasma.ack", "true: chunks may find no receive WQE" + unsafe};
        if (of.shared_slot && !of.unsafe)
            return Refusal{"run.plasma.slots", "own: a chunk is copied over one that is being sent" + unsafe};
        if (of.unsafe && of.ack && !of.shared_slot) return Refusal{"run.plasma.unsafe", "false: nothing is unsafe"};
        if (of.ack && most_chunks(item, of) > 1 && of.window > of.recv_wrs)
            return Refusal{"run.plasma.window", "at most recv_wrs, " + std::to_string(of.recv_wrs) +
                                                    ": a chunk that finds no receive WQE is sent again"};
        if (std::ranges::any_of(config.traffic, [&](const TrafficConfig& other) { return share_hosts(item, other); }))
            return Refusal{"run.plasma.reuse",
                           "false, or one item at a host: its `from` and `to` may be the same hosts"};
        return {};
    }
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        const PlasmaSettings& of = plasma_of(item);
        const std::string_view name = key.substr(key.rfind('.') + 1);
        if (name == "threshold" && of.method != Method::hybrid)
            return "one protocol carries all objects, expected plasma.protocol: hybrid";
        if (name == "write" && of.method != Method::socket)
            return "no object goes by TCP, expected plasma.protocol: socket";
        if (name == "order" && std::ranges::all_of(item.from, [&](unsigned from) {
                return item.responders(from).size() * item.verbs.connections < 2;
            }))
            return "no user has two connections, expected several owners, or connections of 2 or more";
        if (name == "lease" && !carries_by(item, Method::read))
            return "no object is read, expected plasma.protocol: read, or hybrid with sizes from plasma.threshold on";
        if (name == "setup" && of.method == Method::socket)
            return "objects go by TCP, which needs none, expected plasma.protocol: sendrecv, read or hybrid";
        if (name == "reuse" && !sets_up(of))
            return "hosts are connected before the run, expected plasma.setup of more than 0";
        if (name == "reuse" && !has_several_connections(item))
            return "each two hosts have one connection, expected connections of 2 or more, or both directions";
        const bool of_chunks = name == "chunk" || name == "window" || name == "recv_wrs" || name == "ack" ||
                               name == "slots" || name == "unsafe";
        if (of_chunks && !carries_by(item, Method::sendrecv))
            return "no object goes in chunks, expected plasma.protocol: sendrecv, or hybrid with sizes below "
                   "plasma.threshold";
        if (const char* const why = of_one_chunk(item, name)) return why;
        if (name == "window" && !of.ack) return "nobody waits for an ACK, expected plasma.ack: true";
        if (name == "ack" && most_chunks(item, of) <= of.window)
            return "each object goes in one window, expected larger ones, or a smaller plasma.window";
        if (name == "slots" && of.ack && of.window < 2)
            return "a window has one chunk, expected plasma.window of 2 or more";
        return as_usual(item, name);
    }
    [[nodiscard]] std::string_view with_verbs() const override {
        return "run.plasma.protocol: sendrecv, read or hybrid";
    }
    [[nodiscard]] std::span<const std::string_view> explored_with() const override { return kPlasmaBounds; }
    /// A FIN may come when its lease has ended, and the next object's first ACK right behind it.
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override {
        const bool both = carries_by(item, Method::read) && carries_by(item, Method::sendrecv);
        return !plasma_of(item).unsafe && (plasma_of(item).recv_wrs > 1 || !both);
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<plasma::Fetcher>(item, seat);
        return std::make_unique<plasma::Owner>(item, seat);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
    [[nodiscard]] bool is_of_hosts(const TrafficConfig& item, Count what) const override {
        return what == Count::setups && shares_setup(item);
    }
};

Plan Plasma::plan(const TrafficConfig& item) const {
    const PlasmaSettings& of = plasma_of(item);
    const bool chunks = carries_by(item, Method::sendrecv), reads = carries_by(item, Method::read);
    Plan plan;
    plan.stream = true;
    plan.verbs = chunks || reads;
    const std::uint64_t slot = std::max(kMessage, chunks ? of.chunk : 0);
    const std::uint64_t last_host = std::max(std::ranges::max(item.from), std::ranges::max(item.to));
    for (unsigned side = 0; side < 2; ++side) {
        Plan::Side& here = plan.sides.at(side);
        const bool owner = side == 1;
        const std::uint32_t round = owner && chunks ? of.round_of(item.size) : 0;
        here.sends = round + kSpare;
        here.receives = of.recv_wrs;
        const std::uint64_t sends = kMessage + std::uint64_t{round} * of.chunk;
        here.areas = {
            {kMessage, false}, {kMessage, false}, {of.recv_wrs * slot, true}, {item.size, false}, {sends, true}};
        here.reads = !owner && reads;
        here.registers = reads;
        here.copies = chunks;
        here.touches = !owner;
        here.calls = true;
        if (shares_setup(item)) here.areas.push_back({.bytes = last_host + 1, .shared = plasma::kShared});
    }
    return plan;
}

Counts Plasma::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) const {
    const PlasmaSettings& of = plasma_of(item);
    Counts counts;
    EndCounts &fetcher = counts[0], &owner = counts[1];
    const auto send = [&](EndCounts& from, EndCounts& to, std::uint64_t bytes) {
        from.add(Count::sends);
        from.add(Count::payload_packets, payload_packets_of(bytes, pmtu));
        to.add(Count::receives);
    };
    const auto write = [](EndCounts& from, std::uint64_t bytes) {
        from.add(Count::stream_sends);
        from.add(Count::stream_bytes, bytes);
    };
    if (sets_up(of)) {
        for (EndCounts& end : counts) {
            write(end, kMessage);  // HELLO
            end.add(Count::setups);
        }
    }
    for (const std::uint32_t bytes : sizes) {
        if (of.lookup) {
            write(fetcher, kMessage);
            write(owner, kMessage);
        }
        write(fetcher, kMessage);      // TRANSFER
        write(owner, kMessage);        // DATA
        owner.add(Count::calls, 2);    // get, release
        fetcher.add(Count::calls, 3);  // create, seal, release
        fetcher.add(Count::checked_bytes, bytes);
        switch (of.method_of(bytes)) {
            case Method::socket:
                for (std::uint32_t at = 0; at < bytes; at += of.write) write(owner, std::min(of.write, bytes - at));
                break;
            case Method::sendrecv:
                for (std::uint32_t at = 0; at < bytes; at += of.chunk)
                    send(owner, fetcher, std::min(of.chunk, bytes - at));
                for (std::uint32_t i = 0; i < of.acks_of(bytes); ++i) send(fetcher, owner, kMessage);
                for (EndCounts& end : counts) end.add(Count::copied_bytes, bytes);
                break;
            case Method::read:
                send(owner, fetcher, kMessage);  // INFO
                fetcher.add(Count::reads);
                owner.add(Count::payload_packets, payload_packets_of(bytes, pmtu));
                send(fetcher, owner, kMessage);  // FIN
                for (EndCounts& end : counts) {
                    end.add(Count::registrations);
                    end.add(Count::deregistrations);
                }
                break;
            case Method::hybrid: break;  // is one of these two for each object
        }
    }
    return counts;
}

}  // namespace

const Application& plasma_store() {
    static const Plasma kPlasma;
    return kPlasma;
}

}  // namespace rnicsim::applications
