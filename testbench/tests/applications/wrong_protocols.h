// SPDX-License-Identifier: Apache-2.0
// Applications with a fault each: the simulator has to name it.
#pragma once

#include "testbench/applications/application.h"

#include <array>
#include <cstring>
#include <memory>

namespace rnicsim::applications {

/// What is wrong.
enum class Fault : std::uint8_t {
    none,
    mute,       ///< who answers does not
    miscounts,  ///< the formula has a SEND too many
    corrupts,   ///< the answer has another byte
    floods,     ///< nine are posted to a queue of seven, and none is signaled
    strays,     ///< a SEND of memory that nobody has registered
    spins,      ///< who asks tries to change a word that never has what it looks for, again and again
    protests    ///< who answers says that a rule is broken
};
inline constexpr std::array<std::string_view, 8> kFaultNames{"none",   "mute",   "miscounts", "corrupts",
                                                             "floods", "strays", "spins",     "protests"};

struct FaultSettings {
    Fault fault = Fault::none;
};

inline const Fields<FaultSettings>& fault_fields() {
    static const Fields<FaultSettings> kAll = [] {
        Fields<FaultSettings> k("run.wrong");
        k.choice<Fault>("fault", &FaultSettings::fault, words_of<Fault>(kFaultNames), "what is wrong", "a test's own")
            .in_networks();
        return k;
    }();
    return kAll;
}

/// A SEND and its answer, from and to the same place. Ends of a host share memory, and do nothing with it.
class WrongEnd final : public End {
  public:
    WrongEnd(const TrafficConfig& item, unsigned side)
        : fault_(item.settings.of<FaultSettings>().fault), asks_(side == 0) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<WrongEnd>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        words.push_back(operation_ * 2 + (broken_ ? 1 : 0));
    }
    void start(Actions& actions) override { actions.post_receive({0, 0}, 64, 0); }
    void on(const Event& event, Actions& actions) override {
        if (event.what == Event::What::asked) {
            operation_ = event.tag;
            if (broken_) return actions.ended(event.tag, Outcome::failed);
            actions.produce({1, 0}, 64, event.tag);
            for (int i = 0; i < (fault_ == Fault::floods ? 9 : 1); ++i)
                send(fault_ == Fault::strays ? 2 : 1, actions, fault_ != Fault::floods);
        }
        if (event.status != rc::Status::success && asks_ && !broken_) {
            broken_ = true;
            return actions.ended(operation_, Outcome::failed);
        }
        if (event.what == Event::What::completion && event.tag == kSpins) return spin(actions);
        if (event.what != Event::What::received || event.status != rc::Status::success) return;
        if (asks_ && fault_ == Fault::spins) {
            std::memcpy(&there_, actions.memory({0, 0}, sizeof there_).data(), sizeof there_);
            return spin(actions);
        }
        if (asks_) {
            actions.check({0, 0}, 64, operation_);
            actions.post_receive({0, 0}, 64, 0);
            return actions.ended(operation_, Outcome::complete);
        }
        if (fault_ == Fault::mute) return;
        if (fault_ == Fault::protests) return actions.violates("the answer is wrong");
        if (fault_ == Fault::spins) {  // says where it is
            const Remote here = actions.remote({1, 0});
            std::memcpy(actions.memory({1, 0}, sizeof here).data(), &here, sizeof here);
            return send(1, actions);
        }
        actions.copy({1, 0}, {0, 0}, 64, 64);
        actions.post_receive({0, 0}, 64, 0);
        if (fault_ == Fault::corrupts) actions.copy({1, 8}, {1, 16}, 8, 64);
        send(1, actions);
    }

  private:
    /// A COMPARE SWAP that never finds what it looks for.
    void spin(Actions& actions) const {
        WorkRequest request;
        request.verb = rc::Verb::compare_swap;
        request.local = {1, 0};
        request.bytes = 8;
        request.remote = there_;
        request.tag = kSpins;
        actions.post_send(request);
    }
    static constexpr std::uint32_t kSpins = 1;  // a tag
    static void send(std::uint32_t area, Actions& actions, bool signaled = true) {
        WorkRequest request;
        request.local = {area, 0};
        request.bytes = 64;
        request.signaled = signaled;
        actions.post_send(request);
    }
    const Fault fault_;
    const bool asks_;
    bool broken_ = false;
    std::uint32_t operation_ = 0;
    Remote there_{};
};

class Wrong final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "wrong"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kWrongParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, fault_fields());
        return all;
    }
    [[nodiscard]] bool one_at_a_time() const override { return true; }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(fault_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig&, const TrafficConfig& item) const override {
        if (item.transfers != 7) return {};
        return Refusal{"run.transfers", "another number than 7"};
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        Plan plan;
        for (Plan::Side& side : plan.sides)
            side = {.areas = {{64, true}, {64, true}, {64, false}, {64, false, 1}}, .sends = 7, .receives = 1};
        plan.sides[0].atomics = item.settings.of<FaultSettings>().fault == Fault::spins;
        return plan;
    }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        return std::make_unique<WrongEnd>(item, seat.side);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t /*pmtu*/) const override {
        Counts counts;
        for (EndCounts& end : counts) {
            for (const Count what : {Count::sends, Count::receives, Count::payload_packets})
                end.add(what, sizes.size());
        }
        counts[0].add(Count::checked_bytes, 64 * sizes.size());
        counts[1].add(Count::copied_bytes, 64 * sizes.size());
        if (item.settings.of<FaultSettings>().fault == Fault::corrupts)
            counts[1].add(Count::copied_bytes, 8 * sizes.size());
        if (item.settings.of<FaultSettings>().fault == Fault::miscounts) counts[0].add(Count::sends);
        return counts;
    }

  private:
    static constexpr std::array<std::string_view, 1> kWrongParts{"round"};
};

inline const Application& wrong() {
    static const Wrong kWrong;
    return kWrong;
}

}  // namespace rnicsim::applications
