// SPDX-License-Identifier: Apache-2.0
// rnic-apps: an item with an application of a scenario, between two processes on a card of this machine or, under
// `rnicsim exec`, a simulated one. What the scenario says of the system is for the simulator alone.
#include "testbench/programs/apps/operations.h"
#include "testbench/programs/apps/sockets.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/scenario.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>

namespace rnicsim::apps {
namespace {

constexpr int kFailed = 1, kBadInput = 2;

struct Options {
    std::string scenario, item, connect, csv;
    std::vector<std::string> set;
    Card::Choice card{.device = {}, .gid = -1, .port = 1};
    std::uint16_t listen = 0;
};

void add_to(CLI::App& app, Options& o) {
    app.add_option("scenario", o.scenario, "Scenario with an item that has an application")->required();
    app.add_option("--item", o.item, "Name of the item [the first]");
    app.add_option("--set", o.set, "KEY=VALUE: overrides a key; the same at both sides");
    auto* const listen = app.add_option("--listen", o.listen, "Answer: TCP port where the other side comes");
    app.add_option("--connect", o.connect, "Ask: ADDRESS:PORT of the other side")->excludes(listen);
    app.add_option("--device", o.card.device, "Device [the first]");
    app.add_option("--gid", o.card.gid, "Index of its GID: one of RoCE v2");
    app.add_option("--port", o.card.port, "Its port [1]");
    app.add_option("--csv", o.csv, "File for a row an operation, of who asks");
}

std::size_t item_of(const RunConfig& config, const std::string& name) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i)
        if (name.empty() ? protocol_of(config.traffic[i]) != nullptr : config.traffic[i].name == name) return i;
    throw Unusable(name.empty() ? "no item of the scenario has an application: give one `application: echo`"
                                : fmt::format("--item: the scenario has no item '{}'", name));
}

/// What would be left out is refused.
void check(const TrafficConfig& item) {
    const auto refuse = [&](std::string_view what) { throw Unusable(fmt::format("item {}: {}", item.name, what)); };
    const applications::Application* const application = protocol_of(item);
    if (application == nullptr) refuse("it has no application");
    const applications::Plan plan = application->plan(item);
    if (plan.sides[0].watches || plan.sides[1].watches)
        refuse("its ends look at their memory, which is not built here: expected another application");
    for (const applications::Plan::Side& side : plan.sides) {
        const bool shares = std::ranges::any_of(side.areas, [](const auto& area) { return area.shared != 0; });
        if (side.atomics) refuse("it asks for atomics, which is not built here: expected another application");
        if (shares)
            refuse(
                "its connections share memory, which is not built here: expected run.connections: 1, or "
                "plasma.reuse: false");
    }
    if (!plan.verbs) refuse("it goes by TCP alone, which takes no simulated time here: expected a protocol over verbs");
    if (item.from.size() != 1 || item.to.size() != 1) refuse("expected one host each in `from` and `to`");
    if (application->order(item) != applications::Order::each)
        refuse("its connections take turns, which is not built here: expected that each asks by itself");
    if (item.think != Cycle{} || item.pace != 0) refuse("`think`, `pace`: expected none, as it asks at once");
}

int run(const Options& o) {
    std::vector<Override> overrides;
    for (const std::string& one : o.set) {
        const std::size_t at = one.find('=');
        if (at == std::string::npos) throw Unusable(fmt::format("--set: found '{}', expected KEY=VALUE", one));
        overrides.emplace_back(one.substr(0, at), one.substr(at + 1));
    }
    if (o.listen == 0 && o.connect.empty()) throw Unusable("expected --listen PORT, or --connect ADDRESS:PORT");
    if (o.card.gid < 0) throw Unusable("--gid: expected the index of a RoCE v2 GID: `ibv_devinfo -v` lists them");
    const Scenario scenario = load_scenario(o.scenario, overrides);
    if (scenario.points.size() != 1 || scenario.points[0].configs.size() != 1)
        throw Unusable("the scenario has several points or variants: take out `sweep` and `variants`, or --set one");
    const RunConfig config = run_config(scenario, 0, 0, 0);
    const std::size_t number = item_of(config, o.item);
    const TrafficConfig& item = config.traffic[number];
    check(item);

    const Card card(o.card);
    const unsigned side = o.connect.empty() ? 1 : 0;
    const std::uint32_t count = item.verbs.connections;
    const std::size_t colon = o.connect.rfind(':');
    const int port = colon == std::string::npos ? 0 : std::atoi(o.connect.c_str() + colon + 1);
    const Sockets sockets = side == 1
                                ? Sockets::listen(o.listen, count)
                                : Sockets::connect(o.connect.substr(0, colon), static_cast<std::uint16_t>(port), count);
    Operations operations(config, number, side, card, sockets.all());
    const std::uint64_t settings = std::hash<std::string>{}(scenario.resolved + '/' + item.name);
    for (std::size_t i = 0; i < count; ++i)
        operations.ends()[i].connect(sockets.exchange(i, {settings, operations.ends()[i].address()}).address);
    for (std::size_t i = 0; i < count; ++i) static_cast<void>(sockets.exchange(i, {settings, {}}));  // both are ready

    const std::string wrong = operations.run();
    if (!wrong.empty()) {
        fmt::print(stderr, "error: rnic-apps: {}\n", wrong);
        return kFailed;
    }
    if (side == 1) return 0;
    fmt::print("{}: {} operations, {:.3f} us each\n", item.name, item.transfers * count, operations.mean_us());
    if (o.csv.empty()) return 0;
    std::ofstream out(o.csv);
    operations.write_csv(out);
    if (!out.flush()) throw Unusable(fmt::format("--csv: '{}' cannot be written", o.csv));
    return 0;
}

}  // namespace
}  // namespace rnicsim::apps

int main(int count, char** words) {
    using namespace rnicsim::apps;
    CLI::App app{"Applications of a scenario, over libibverbs", "rnic-apps"};
    Options options;
    add_to(app, options);
    try {
        app.parse(count, words);
        return run(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kBadInput;
    } catch (const Unusable& error) {
        fmt::print(stderr, "error: rnic-apps: {}\n", error.what());
        return kBadInput;
    } catch (const rnicsim::ScenarioError& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return kBadInput;
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: rnic-apps: {}\n", error.what());
        return kFailed;
    }
}
