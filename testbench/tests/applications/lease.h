// SPDX-License-Identifier: Apache-2.0
// A small application: clients compete for a lease, a word of memory that all of the server's ends share, by COMPARE
// SWAP. Who has it writes its number behind the word and finds no other one there before it gives the lease back.
#pragma once

#include "testbench/applications/application.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <limits>
#include <memory>

namespace rnicsim::applications {

struct LeaseSettings {
    bool looks = true;  ///< false, a fault: a client that has asked for the lease believes that it has it
};

inline const Fields<LeaseSettings>& lease_fields() {
    static const Fields<LeaseSettings> kAll = [] {
        Fields<LeaseSettings> k("run.lease");
        k.flag("looks", &LeaseSettings::looks, "a client looks whether it has the lease", "a test's own").in_networks();
        return k;
    }();
    return kAll;
}

namespace lease {

constexpr std::uint32_t kWord = 8, kAddress = 12;  // bytes
// In the server's shared area: 0, or the number of who has the lease; the last number given; what the lease guards.
constexpr std::uint32_t kLease = 0, kNumbers = 8, kGuarded = 16;
// Areas: of the server what is shared, and its message; of a client that message, and what it sends and gets.
constexpr std::uint32_t kShared = 0, kTold = 1, kHeard = 0, kOut = 1, kIn = 2;
constexpr Time kHold = kMicrosecond * 5, kRetry = kMicrosecond * 2;

/// Says where the shared area is, and leaves all else to its card.
class Server final : public End {
  public:
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Server>(*this); }
    void state(std::vector<std::uint64_t>& /*words*/) const override {}
    void start(Actions& actions) override { actions.then(0); }
    void on(const Event& event, Actions& actions) override {
        if (event.what != Event::What::done) return;
        const Remote here = actions.remote({kShared, 0});
        const std::span<std::uint8_t> out = actions.memory({kTold, 0}, kAddress);
        boost::endian::store_little_u64(&out[0], here.address);
        boost::endian::store_little_u32(&out[8], here.key);
        actions.post_send({.local = {kTold, 0}, .bytes = kAddress});
    }
};

class Client final : public End {
  public:
    explicit Client(const TrafficConfig& item) : looks_(item.settings.of<LeaseSettings>().looks), bytes_(item.size) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Client>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        words.insert(words.end(), {there_.address, number_, operation_, (asked_ ? 1U : 0U) + (broken_ ? 2U : 0U)});
    }
    void start(Actions& actions) override { actions.post_receive({kHeard, 0}, kAddress, 0); }
    void on(const Event& event, Actions& actions) override {
        broken_ = broken_ || event.status != rc::Status::success;
        if (event.what == Event::What::asked) {
            asked_ = true;
            operation_ = event.tag;
        }
        if (broken_) return end(Outcome::failed, actions);
        switch (event.what) {
            case Event::What::asked: return number_ == 0 ? void() : swap(kTakes, 0, number_, actions);
            case Event::What::received: return received(actions);
            case Event::What::timer:
                if (event.tag == kTakes) return swap(kTakes, 0, number_, actions);
                return post({.verb = rc::Verb::read, .local = {kIn, 0}, .bytes = bytes_, .tag = kReads}, kGuarded,
                            actions);
            case Event::What::completion: return completed(event.tag, actions);
            default: return;
        }
    }

  private:
    enum : std::uint32_t { kAsks, kTakes, kWrites, kReads, kReleases };  // tags

    void received(Actions& actions) {
        const std::span<const std::uint8_t> in = actions.memory({kHeard, 0}, kAddress);
        there_ = {boost::endian::load_little_u64(&in[0]), boost::endian::load_little_u32(&in[8])};
        post({.verb = rc::Verb::fetch_add, .local = {kIn, 0}, .bytes = kWord, .swap_or_add = 1, .tag = kAsks}, kNumbers,
             actions);
    }
    void completed(std::uint32_t tag, Actions& actions) {
        const std::uint64_t got = boost::endian::load_little_u64(actions.memory({kIn, 0}, kWord).data());
        switch (tag) {
            case kAsks: number_ = got + 1; return asked_ ? swap(kTakes, 0, number_, actions) : void();
            case kTakes:
                if (got != 0 && looks_) return actions.after(kRetry, kTakes);
                actions.mark(operation_, 0);
                boost::endian::store_little_u64(actions.memory({kOut, 0}, kWord).data(), number_);
                return post({.verb = rc::Verb::write, .local = {kOut, 0}, .bytes = bytes_, .tag = kWrites}, kGuarded,
                            actions);
            case kWrites: return actions.after(kHold, kReads);
            case kReads:
                if (got != number_) return actions.violates("two clients have the lease");
                return swap(kReleases, number_, 0, actions);
            default: actions.mark(operation_, 1); return end(Outcome::complete, actions);
        }
    }
    void end(Outcome outcome, Actions& actions) {
        if (asked_) actions.ended(operation_, outcome);
        asked_ = false;
    }
    void swap(std::uint32_t tag, std::uint64_t from, std::uint64_t to, Actions& actions) const {
        post({.verb = rc::Verb::compare_swap,
              .local = {kIn, 0},
              .bytes = kWord,
              .swap_or_add = to,
              .compare = from,
              .tag = tag},
             kLease, actions);
    }
    void post(WorkRequest what, std::uint32_t offset, Actions& actions) const {
        what.remote = {there_.address + offset, there_.key};
        actions.post_send(what);
    }

    const bool looks_;
    const std::uint32_t bytes_;  // that the lease guards
    Remote there_{};
    std::uint64_t number_ = 0;  // its own; 0: not known
    std::uint32_t operation_ = 0;
    bool asked_ = false, broken_ = false;
};

constexpr std::array<std::string_view, 2> kParts{"wait", "hold"};

}  // namespace lease

class Lease final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "lease"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return lease::kParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, lease_fields());
        return all;
    }
    [[nodiscard]] bool one_at_a_time() const override { return true; }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(lease_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig&, const TrafficConfig& item) const override {
        if (item.size >= lease::kWord) return {};
        return Refusal{"run.size", "at least 8 B: who has the lease writes its number"};
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        Plan plan;
        plan.sides[0] = {.areas = {{lease::kAddress, true}, {item.size, true}, {item.size, true}},
                         .receives = 1,
                         .reads = true,
                         .atomics = true};
        plan.sides[1] = {.areas = {{lease::kGuarded + item.size, true, 1}, {lease::kAddress, true}}};
        return plan;
    }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<lease::Client>(item);
        return std::make_unique<lease::Server>();
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override {
        Counts counts;
        const std::uint64_t packets = sizes.size() * payload_packets_of(item.size, pmtu);
        counts[0].add(Count::receives);
        counts[0].add(Count::atomics, is_bound(item, Count::atomics) ? std::numeric_limits<std::uint64_t>::max()
                                                                     : 1 + 2 * sizes.size());
        counts[0].add(Count::writes, sizes.size());
        counts[0].add(Count::reads, sizes.size());
        counts[0].add(Count::payload_packets, packets);
        counts[1].add(Count::sends);
        counts[1].add(Count::payload_packets, 1 + packets);
        return counts;
    }
    /// Who finds the lease taken tries again, any number of times.
    [[nodiscard]] bool is_bound(const TrafficConfig& item, Count what) const override {
        return what == Count::atomics && (item.verbs.connections > 1 || item.from.size() > 1);
    }
};

inline const Application& leases() {
    static const Lease kAll;
    return kAll;
}

}  // namespace rnicsim::applications
