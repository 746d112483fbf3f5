// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/bridge_path.h"

#include "testbench/events/rc/host_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace rnicsim {
namespace {

std::string_view said_of_wait(StoreWait why) {
    switch (why) {
        case StoreWait::buffer: return "waits for a write-combining buffer";
        case StoreWait::fence: return "fence";
        case StoreWait::place: return "waits for a place at the root port";
        case StoreWait::load: return "load from the other host";
    }
    return {};
}

}  // namespace

/// Goes back from the end.
class BridgePath::Walk {
  public:
    Walk(const BridgePath& of, Time start, Time end, unsigned side) : of_(of), start_(start), now_(end), side_(side) {}

    std::vector<LadderShare> shares() {
        while (now_ > start_) step();
        std::vector<LadderShare> all;
        for (const auto& [what, time] : took_) all.push_back({what, time});
        std::ranges::stable_sort(all, std::ranges::greater{}, &LadderShare::took);
        return all;
    }

  private:
    [[nodiscard]] const Way& here() const { return of_.ways_.at(side_); }
    [[nodiscard]] const std::string& name() const { return here().name; }
    /// What it did, or waited for, until now.
    [[nodiscard]] const Busy* busy(const std::vector<Busy>& all) const {
        const Busy* found = nullptr;
        for (const Busy& of : all)
            if (of.from < now_ && of.to >= now_ && (found == nullptr || of.from > found->from)) found = &of;
        return found;
    }
    /// When it did something last.
    [[nodiscard]] Time last() const {
        Time last = start_;
        for (const std::vector<Busy>* const all : {&here().works, &here().waits})
            for (const Busy& of : *all)
                if (of.to <= now_) last = std::max(last, of.to);
        return last;
    }
    /// What the other side has stored here last.
    [[nodiscard]] const Store* seen() const {
        const Store* found = nullptr;
        for (const Store& of : of_.ways_.at(1 - side_).stores)
            if (of.taken <= now_ && (found == nullptr || of.taken >= found->taken)) found = &of;
        return found;
    }
    /// From there until now it was this.
    void back_to(Time from, const std::string& what) {
        from = std::max(from, start_);
        if (from >= now_) return;
        took_[what] += now_ - from;
        now_ = from;
    }

    void step() {
        const Busy* const waits = busy(here().waits);
        const Busy* const works = busy(here().works);
        if (waits != nullptr) return back_to(waits->from, waits->what);
        if (works != nullptr) {
            // A wait is a part of it.
            Time from = works->from;
            for (const Busy& of : here().waits)
                if (of.to < now_) from = std::max(from, of.to);
            return back_to(from, works->what);
        }
        const Time idle_since = last();
        const Store* const store = seen();
        if (store == nullptr || store->taken <= idle_since) return back_to(idle_since, "waits");
        back_to(store->crossed, fmt::format("memory and IIO of {}", name()));
        side_ = 1 - side_;
        back_to(store->left, fmt::format("bridge {}", of_.run_.bridges.at(*of_.bridge_).name));
        back_to(store->begins, fmt::format("link of {}", of_.run_.bridges.at(*of_.bridge_).name));
        back_to(store->given + here().down, fmt::format("root port of {}: waits for link or credits", name()));
        back_to(store->given, fmt::format("{}: from the core to the root port", name()));
        back_to(store->told, fmt::format("{}: write-combining buffers", name()));
    }

    const BridgePath& of_;
    const Time start_;
    Time now_;
    unsigned side_;
    std::map<std::string, Time> took_;
};

void BridgePath::begin(const OperationStep& asked) {
    if (asked.windows[0].bytes == 0) return;
    asked_ = asked;
    const std::array<unsigned, 2> hosts{asked.of.asks, asked.of.answers};
    for (unsigned side = 0; side < 2; ++side) {
        ways_.at(side).name = run_.names[hosts.at(side)];
        ways_.at(side).down = down_to_port(run_, hosts.at(side));
    }
    for (unsigned i = 0; i < run_.bridges.size(); ++i) {
        const std::array<unsigned, 2>& between = run_.bridges[i].between;
        if (between == hosts || between == std::array{hosts[1], hosts[0]}) bridge_ = i;
    }
}

std::optional<unsigned> BridgePath::side_of(unsigned host) const {
    if (!bridge_) return {};
    if (host == asked_.of.asks) return 0;
    if (host == asked_.of.answers) return 1;
    return {};
}

void BridgePath::add(const LoggedEvent& event) {
    if (const auto* const step = std::get_if<BridgeStep>(&event.what)) return flies(event, *step);
    const std::optional<unsigned> side = side_of(event.end);
    if (!side) return;
    if (const auto* const step = std::get_if<CoreStep>(&event.what)) return worked(*side, event, *step);
    if (const auto* const step = std::get_if<StoreStep>(&event.what)) return stored(*side, event, *step);
}

void BridgePath::worked(unsigned side, const LoggedEvent& event, const CoreStep& step) {
    if (step.thread != asked_.threads.at(side)) return;
    Way& way = ways_.at(side);
    way.works.push_back({event.since, event.at,
                         fmt::format("{}, {}: {}", way.name, kWorkedByNames.at(static_cast<std::size_t>(step.by)),
                                     kChargeNames.at(static_cast<std::size_t>(step.kind)))});
}

void BridgePath::stored(unsigned side, const LoggedEvent& event, const StoreStep& step) {
    const OperationStep::Window& window = asked_.windows.at(side);
    Way& way = ways_.at(side);
    if (step.step == StoreStep::Step::waited) {
        if (step.core == window.core)
            way.waits.push_back({event.since, event.at, fmt::format("{}: {}", way.name, said_of_wait(step.why))});
    } else if (step.address >= window.address && step.address - window.address < window.bytes) {
        Store& store = way.stores.emplace_back();
        store.address = step.address;
        store.bytes = step.bytes;
        store.told = event.since;
        store.given = event.at;
        way.given.push_back(&store);
    }
}

/// The store of the connection that this is.
BridgePath::Store* BridgePath::take_sent(const LoggedEvent& event, const BridgeStep& step) {
    const std::optional<unsigned> side = side_of(event.end);
    if (!side || step.bridge != *bridge_) return nullptr;
    std::deque<Store*>& given = ways_.at(*side).given;
    if (given.empty() || given.front()->address != step.address || given.front()->bytes != step.bytes) return nullptr;
    Store* const store = given.front();
    given.pop_front();
    store->begins = event.since;
    store->left = event.at;
    return store;
}

void BridgePath::flies(const LoggedEvent& event, const BridgeStep& step) {
    using enum BridgeStep::Step;
    if (step.of_link() || step.tlp != BridgeTlp::write) return;
    Flying& flying = flying_[{step.bridge, event.end}];
    const auto pop = [](std::deque<Store*>& from) {
        if (from.empty()) return static_cast<Store*>(nullptr);
        Store* const first = from.front();
        from.pop_front();
        return first;
    };
    if (step.step == sent) {
        flying.sent.push_back(take_sent(event, step));
    } else if (step.step != credits_back) {
        Store* const store = pop(flying.sent);
        if (step.step != delivered) return flying.elsewhere.push_back(event.at);
        if (store != nullptr) store->crossed = event.at;
        flying.crossed.push_back(store);
    } else if (const auto found = std::ranges::find(flying.elsewhere, event.since); found != flying.elsewhere.end()) {
        flying.elsewhere.erase(found);
    } else if (Store* const store = pop(flying.crossed)) {
        store->taken = event.since;
    }
}

std::vector<LadderRow> BridgePath::rows(bool every_tlp) const {
    struct Group {
        Time begins, arrives;
        std::uint32_t bytes = 0;
        unsigned count = 0;
    };
    std::vector<LadderRow> rows;
    for (unsigned side = 0; side < 2; ++side) {
        std::vector<Group> groups;
        for (const Store& of : ways_.at(side).stores) {
            if (of.crossed == kEndOfTime) continue;
            if (every_tlp || groups.empty() || groups.back().bytes != of.bytes)
                groups.push_back({of.begins, {}, of.bytes});
            groups.back().arrives = of.crossed;
            ++groups.back().count;
        }
        for (const Group& of : groups) {
            LadderFrames frames;
            frames.look = LadderFrames::Look::data;
            frames.by_initiator = side == 0;
            frames.name = "MWr";
            frames.of = of.count == 1 ? "" : fmt::format("{} ", of.count);
            frames.numbered = " of ";
            frames.first = frames.last = of.bytes;
            frames.arrives = of.arrives;
            LadderRow& row = rows.emplace_back();
            row.at = of.begins;
            row.what = std::move(frames);
        }
    }
    return rows;
}

std::vector<LadderShare> BridgePath::shares(Time start, Time end, unsigned side) const {
    return Walk(*this, start, end, side).shares();
}

}  // namespace rnicsim
