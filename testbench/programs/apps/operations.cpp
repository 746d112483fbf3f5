// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/apps/operations.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/applications.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <numeric>

namespace rnicsim::apps {

using applications::Count;

namespace {

/// Of silence, before somebody is taken for dead: a lost last packet costs seven timeouts of 67 ms.
constexpr std::chrono::seconds kPatience{10};
constexpr std::uint32_t kVain = 1024;    // looks that find nothing, before the clock is asked
constexpr std::uint32_t kAnyMtu = 1024;  // bytes; packets are not counted here

}  // namespace

Operations::Operations(const RunConfig& config, std::size_t item, unsigned side, const Card& card,
                       std::span<const int> sockets)
    : config_(config),
      item_(config.traffic.at(item)),
      application_(*protocol_of(item_)),
      side_(side),
      stream_(application_.plan(item_).stream),
      card_(card) {
    const applications::Plan plan = application_.plan(item_);
    const unsigned host = side == 0 ? item_.from.front() : item_.to.front();
    const std::uint32_t inline_bytes = verbs_of(config, host).host.inline_bytes;
    const std::uint64_t hosts = (std::uint64_t{item_.from.front()} << 48U) + (std::uint64_t{item_.to.front()} << 32U);
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        Connection& c =
            connections_.emplace_back(MessageKinds(item_, {config.seed, config.repetition}, item, hosts + i));
        std::vector<std::uint32_t> sizes;
        for (std::uint32_t k = 0; k < item_.transfers; ++k) sizes.push_back(c.kinds.at(k).bytes);
        for (const std::uint32_t bytes : sizes) c.operations.emplace_back().bytes = bytes;
        c.expected = application_.expected(item_, sizes, kAnyMtu).at(side);
        c.asked = side == 0 ? std::min(item_.verbs.depth, item_.transfers) : 0;
        IbvEnd& end = ends_.emplace_back(card, static_cast<Board&>(*this), i, sockets[i], plan.sides.at(side),
                                         inline_bytes, application_.end(item_, {side, static_cast<std::uint32_t>(i)}));
        by_qp_.emplace(end.address().qpn, &end);
    }
}

void Operations::marked(std::size_t connection, std::uint32_t operation, unsigned part) {
    if (side_ != 0) return;
    Operation& of = connections_[connection].operations.at(operation);
    const Clock::time_point now = Clock::now();
    of.parts.at(part) += now - of.marked;
    of.marked = now;
}

void Operations::ended(std::size_t connection, std::uint32_t operation, applications::Outcome outcome) {
    Connection& c = connections_[connection];
    Operation& of = c.operations.at(operation);
    of.failed = outcome == applications::Outcome::failed;
    marked(connection, operation, static_cast<unsigned>(application_.parts().size()) - 1);
    of.end = of.marked;
    ++c.over;
    c.asked = std::min(c.asked + 1, item_.transfers);
}

void Operations::differs(std::size_t connection, std::uint32_t operation) {
    if (wrong_.empty())
        wrong_ = fmt::format("connection {}: other bytes than those of operation {}", connection, operation);
}

void Operations::violates(std::size_t connection, const std::string& what) {
    if (wrong_.empty()) wrong_ = fmt::format("connection {}: {}", connection, what);
}

/// Ends are told of nothing while they say something: what is asked for next waits until then.
bool Operations::ask() {
    bool any = false;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        Connection& c = connections_[i];
        while (c.begun < c.asked) {
            Operation& of = c.operations[c.begun];
            of.start = of.marked = Clock::now();
            const std::uint32_t operation = c.begun++;
            ends_[i].asked(operation, of.bytes);
            any = true;
        }
    }
    return any;
}

bool Operations::poll() {
    std::array<ibv_wc, 16> completions{};
    const int count = ibv_poll_cq(card_.cq(), static_cast<int>(completions.size()), completions.data());
    if (count < 0) throw std::runtime_error("ibv_poll_cq fails");
    for (const ibv_wc& of : std::span(completions).first(static_cast<std::size_t>(count)))
        by_qp_.at(of.qp_num)->completed(of);
    return count != 0;
}

/// A count that the application's formula says otherwise. Packets are the card's.
std::optional<Count> Operations::unlike(std::size_t connection) const {
    for (std::size_t i = 0; i < applications::kCounts; ++i) {
        const auto what = static_cast<Count>(i);
        const std::uint64_t found = ends_[connection].counts()[what], wanted = connections_[connection].expected[what];
        const bool is_like = found == wanted || (found < wanted && application_.is_bound(item_, what));
        if (what != Count::payload_packets && !is_like) return what;
    }
    return {};
}

bool Operations::is_through(std::size_t connection) const {
    const Connection& c = connections_[connection];
    return (side_ == 1 || c.over == item_.transfers) && ends_[connection].waits_for_nothing() && !unlike(connection);
}

std::string Operations::run() {
    std::vector<bool> through(connections_.size());
    std::uint32_t vain = 0;                                        // looks in a row
    Clock::time_point quiet;                                       // since then, if those are kVain
    for (IbvEnd& end : ends_) static_cast<void>(end.look(false));  // what its start has asked for comes first
    const auto goes_on = [](const IbvEnd& end) { return !end.has_heard_goodbye(); };
    while (std::ranges::find(through, false) != through.end() || std::ranges::any_of(ends_, goes_on)) {
        bool any = ask();
        any = poll() || any;
        for (std::size_t i = 0; i < through.size(); ++i) any = ends_[i].look(stream_ || through[i]) || any;
        if (!any) {
            if (++vain % kVain != 0) continue;
            if (vain == kVain) quiet = Clock::now();
            if (Clock::now() - quiet > kPatience) break;
            continue;
        }
        vain = 0;
        for (std::size_t i = 0; i < through.size(); ++i) {
            if (through[i] || !is_through(i)) continue;
            through[i] = true;
            ends_[i].say_goodbye();
        }
    }
    for (std::size_t i = 0; wrong_.empty() && i < connections_.size(); ++i) wrong_ = wrong_with(i);
    return wrong_;
}

std::string Operations::wrong_with(std::size_t connection) const {
    const Connection& c = connections_[connection];
    if (std::ranges::any_of(c.operations, &Operation::failed))
        return fmt::format("connection {}: its QP has failed", connection);
    if (side_ == 0 && c.over != item_.transfers)
        return fmt::format("connection {}: operation {} does not end: for {} s nothing has happened", connection,
                           c.over, kPatience.count());
    const std::optional<Count> what = unlike(connection);
    if (!what) return {};
    return fmt::format("connection {}: {}: {} are not the {} of {}'s formula", connection,
                       applications::kCountNames.at(static_cast<std::size_t>(*what)), ends_[connection].counts()[*what],
                       c.expected[*what], application_.name());
}

void Operations::write_csv(std::ostream& out) const {
    fmt::print(out, "traffic,initiator,responder,id,bytes,start_ps,end_ps,time_us,error");
    for (const std::string_view part : application_.parts()) fmt::print(out, ",{}_ps", part);
    const Clock::time_point begin = connections_.front().operations.front().start;
    const auto ps = [](Clock::duration time) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count() * 1000;
    };
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        const std::vector<Operation>& all = connections_[i].operations;
        for (std::size_t k = 0; k < all.size(); ++k) {
            const Operation& of = all[k];
            fmt::print(out, "\n{},{},{},q{}.{},{},{},{},{:.3f},{}", item_.name, config_.names[item_.from.front()],
                       config_.names[item_.to.front()], i, k, of.bytes, ps(of.start - begin), ps(of.end - begin),
                       static_cast<double>(ps(of.end - of.start)) / 1e6, of.failed ? "failed" : "");
            for (std::size_t part = 0; part < application_.parts().size(); ++part)
                fmt::print(out, ",{}", ps(of.parts.at(part)));
        }
    }
    fmt::print(out, "\n");
}

double Operations::mean_us() const {
    double sum = 0, count = 0;
    for (const Connection& c : connections_) {
        for (const Operation& of : c.operations) {
            sum += std::chrono::duration<double, std::micro>(of.end - of.start).count();
            ++count;
        }
    }
    return sum / count;
}

}  // namespace rnicsim::apps
