// SPDX-License-Identifier: Apache-2.0
// Profiles from files of the user's own. Each case has a process of its own, as keys have their choices once.
#include "testbench/scenario/profiles.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"
#include "testbench/tests/scenario/scenario_file.h"

#include "model/rnic/rc/end/end_config.h"

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

const std::string kKey = "key: system.rnic.profile\n";

/// Files in a folder that goes with them.
class OwnFiles {
  public:
    OwnFiles() { std::filesystem::create_directory(folder_); }
    OwnFiles(const OwnFiles&) = delete;
    OwnFiles& operator=(const OwnFiles&) = delete;
    ~OwnFiles() { std::filesystem::remove_all(folder_); }

    /// mine.yaml, or the like.
    void write(const std::string& name, const std::string& text) {
        files_.push_back(folder_ / name);
        std::ofstream(files_.back()) << text;
    }
    void add() const { add_own_profiles(files_); }
    /// The message without the folder; empty: they are taken.
    [[nodiscard]] std::string refusal() const {
        try {
            add();
        } catch (const ScenarioError& error) {
            std::string text = error.what();
            if (const auto at = text.find(folder_.string()); at != std::string::npos)
                text.erase(at, folder_.string().size() + 1);
            return text;
        }
        return "";
    }

  private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("rnicsim_profiles_" + std::to_string(::getpid()));
    std::vector<std::filesystem::path> files_;
};

std::string profile_of(const std::string& values, const std::string& name = "mine", const std::string& key = kKey) {
    return key + "name: " + name + "\nvalues:\n" + values;
}

/// Of one file whose values these are.
std::string refusal_of_values(const std::string& values) {
    OwnFiles files;
    files.write("mine.yaml", profile_of(values));
    return files.refusal();
}

std::string network_with(const std::string& server, const std::string& rnic = "personality: rc") {
    return "system:\n  rnic: {" + rnic + "}\n  hosts: {server: {rnic: {" + server +
           "}}, client: {}}\n  links: [{between: [server, client]}]\nrun: {traffic: [{from: client, to: server, "
           "operation: send}]}\n";
}

TEST_CASE("a profile of one's own is what it says, whatever is said besides", "[scenario]") {
    OwnFiles files;
    files.write("mine.yaml",
                profile_of("  rnic.personality: {value: rc, source: x}\n  rnic.rc.pmtu: {value: 512 B, source: x}\n"
                           "  rnic.rc.window: {value: 9, source: x}\n"));
    files.add();
    const RunConfig config =
        ScenarioFile(network_with("profile: mine, rc: {min_rnr_timer: 9}", "personality: rc, rc: {window: 4}"))
            .load()
            .points.at(0)
            .configs.at(0);
    CHECK(verbs_of(config, 0).card.transport.window == 9);  // nearer than what is said of all hosts
    CHECK(verbs_of(config, 0).attributes.min_rnr_timer == 9);
    CHECK(verbs_of(config, 1).card.transport.window == 4);
    CHECK(ScenarioFile(network_with("profile: yours")).rejection() ==
          "FILE:3:36: system.hosts.server.rnic.profile: found 'yours', expected none, gigabit_fpga, cx5_100g or mine "
          "(--profile FILE adds one of your own)");
}

TEST_CASE("what a built-in profile means does not depend on profiles of one's own", "[scenario]") {
    OwnFiles files;
    files.write("mine.yaml", profile_of("  rnic.personality: {value: rc, source: x}\n"
                                        "  rnic.rc.window: {value: 9, source: x}\n"));
    files.add();
    std::string text = network_with("profile: mine", "rc: {window: 4}");
    text.replace(text.find("client: {}"), 10, "client: {rnic: {profile: gigabit_fpga}}");
    const RunConfig config = ScenarioFile(text).load().points.at(0).configs.at(0);
    CHECK(verbs_of(config, 0).card.transport.window == 9);
    CHECK(verbs_of(config, 1).card.transport.window == 4);  // which no built-in profile decides
}

TEST_CASE("a scenario has the profiles that were given, and none that no host chooses", "[scenario]") {
    OwnFiles files;
    files.write("mine.yaml", profile_of("  rnic.personality: {value: rc, source: x}\n"
                                        "  rnic.rc.rx_buffer: {value: 262144 B, source: x}\n"));
    files.write("slow.yaml", profile_of("  rnic.rc.dcqcn.fast_recovery: {value: 2, source: x}\n", "slow",
                                        "key: system.rnic.rc.dcqcn.parameters\n"));
    files.add();
    REQUIRE(own_profiles().size() == 2);
    const std::string both = network_with(
        "profile: mine", "personality: rc, rc: {congestion: dcqcn, nak_cnp: true, dcqcn: {parameters: slow}}");
    const Scenario scenario = ScenarioFile(both).load();
    const std::string listing = profiles_listing(scenario);
    CHECK(listing.starts_with("profiles:\n  mine:\n    key: system.rnic.profile\n    product."));
    CHECK(listing.find("\n    rnic.personality: rc\n    rnic.rc.rx_buffer: 256 KiB\n  slow:\n") != std::string::npos);
    CHECK(rejection(network_with("profile: mine"))
              .ends_with("slow.yaml: has no effect: no host of FILE chooses it, expected "
                         "system.rnic.rc.dcqcn.parameters: slow"));
    // One point that chooses it is enough.
    std::string swept = both;
    swept.replace(swept.find("run: {"), 6,
                  "run: {sweep: [{keys: [system.hosts.server.rnic.profile], values: [mine, "
                  "cx5_100g]}], ");
    swept.replace(swept.find("{rnic: {profile: mine}}"), 23, "{}");
    CHECK(ScenarioFile(swept).load().profiles.size() == 2);
}

TEST_CASE("a profile of one's own with a key that there is not is refused", "[scenario]") {
    CHECK(refusal_of_values("  rnic.rc.pmto: {value: 512 B, source: x}\n") ==
          "mine.yaml:4:3: values.rnic.rc.pmto: unknown key; did you mean 'rnic.rc.pmtu'?");
}

TEST_CASE("a profile of one's own with a key that is not of hosts is refused", "[scenario]") {
    CHECK(refusal_of_values("  link.loss: {value: 1 %, source: x}\n")
              .starts_with("mine.yaml:4:3: values.link.loss: is no key that a profile decides"));
}

TEST_CASE("a profile of one's own that chooses another is refused", "[scenario]") {
    CHECK(refusal_of_values("  rnic.rc.dcqcn.parameters: {value: nic, source: x}\n")
              .starts_with("mine.yaml:4:3: values.rnic.rc.dcqcn.parameters: is no key that a profile decides"));
}

TEST_CASE("a profile of one's own with the key of one host is refused", "[scenario]") {
    CHECK(refusal_of_values("  a.rnic.rc.pmtu: {value: 512 B, source: x}\n")
              .starts_with("mine.yaml:4:3: values.a.rnic.rc.pmtu: is no key that a profile decides"));
}

TEST_CASE("a profile of one's own with a key that the other list decides is refused", "[scenario]") {
    CHECK(refusal_of_values("  rnic.rc.dcqcn.g: {value: 5, source: x}\n") ==
          "mine.yaml:4:3: values.rnic.rc.dcqcn.g: is decided by system.rnic.rc.dcqcn.parameters, expected keys that no "
          "other one decides");
}

TEST_CASE("a profile of one's own with a value out of range is refused", "[scenario]") {
    CHECK(refusal_of_values("  rnic.rc.retry_cnt: {value: 8, source: x}\n") ==
          "mine.yaml:4:30: values.rnic.rc.retry_cnt: found '8', expected 0 to 7");
}

TEST_CASE("a profile of one's own with a value of another unit is refused", "[scenario]") {
    const std::string said = refusal_of_values("  rnic.clock:\n    value: 3 GHz\n    source: x\n");
    CHECK(said.starts_with("mine.yaml:5:12: values.rnic.clock: found '3 GHz', expected "));
    CHECK(said.find(" ns") != std::string::npos);
}

TEST_CASE("a profile of one's own with a key that its personality has not is refused", "[scenario]") {
    CHECK(refusal_of_values("  rnic.personality: {value: rc, source: x}\n"
                            "  rnic.drp.window: {value: 4, source: x}\n") ==
          "mine.yaml:5:3: values.rnic.drp.window: has no effect: hosts of this profile have the personality rc");
}

TEST_CASE("a profile of one's own with a product that its personality has not is refused", "[scenario]") {
    CHECK(refusal_of_values("  rnic.personality: {value: plain, source: x}\n"
                            "product: {part: {value: 1, source: x}}\n") ==
          "mine.yaml:5:1: product: has no effect: only RoCEv2 RNICs say it to programs");
}

TEST_CASE("parameters of DCQCN with a product are refused", "[scenario]") {
    OwnFiles files;
    files.write("mine.yaml", profile_of("  rnic.rc.dcqcn.g: {value: 5, source: x}\n"
                                        "product: {part: {value: 1, source: x}}\n",
                                        "mine", "key: system.rnic.rc.dcqcn.parameters\n"));
    CHECK(files.refusal() == "mine.yaml:5:1: product: has no effect: expected it in a profile of system.rnic.profile");
}

TEST_CASE("parameters of DCQCN with a key that is not of RoCEv2 RNICs are refused", "[scenario]") {
    OwnFiles files;
    files.write("mine.yaml", profile_of("  host.verbs.page: {value: 4 KiB, source: x}\n", "mine",
                                        "key: system.rnic.rc.dcqcn.parameters\n"));
    CHECK(files.refusal().starts_with("mine.yaml:4:3: values.host.verbs.page: is no key that a profile decides"));
}

TEST_CASE("a profile of one's own for a key that has none is refused", "[scenario]") {
    OwnFiles files;
    files.write("mine.yaml",
                profile_of("  rnic.rc.pmtu: {value: 512 B, source: x}\n", "mine", "key: system.link.loss\n"));
    CHECK(files.refusal() ==
          "mine.yaml:1:6: key: found 'system.link.loss', expected system.rnic.profile or "
          "system.rnic.rc.dcqcn.parameters or system.host.cpu.profile");
}

TEST_CASE("a profile of one's own with a name that there is already is refused", "[scenario]") {
    for (const char* const name : {"cx5_100g", "none"}) {
        OwnFiles files;
        files.write("mine.yaml", profile_of("  rnic.rc.pmtu: {value: 512 B, source: x}\n", name));
        CHECK(files.refusal() == "mine.yaml:2:7: name: '" + std::string(name) +
                                     "' is a name of system.rnic.profile already, expected another");
    }
    OwnFiles files;
    files.write("first.yaml", profile_of("  rnic.rc.pmtu: {value: 512 B, source: x}\n"));
    files.write("second.yaml", profile_of("  rnic.rc.pmtu: {value: 1 KiB, source: x}\n"));
    CHECK(files.refusal() ==
          "second.yaml:2:7: name: 'mine' is a name of system.rnic.profile already, expected another");
}

TEST_CASE("two profiles of one's own that decide one key through two presets are refused", "[scenario]") {
    OwnFiles files;
    files.write("first.yaml", profile_of("  rnic.rc.window: {value: 9, source: x}\n"));
    files.write("second.yaml", profile_of("  rnic.rc.window: {value: 8, source: x}\n", "mine",
                                          "key: system.rnic.rc.dcqcn.parameters\n"));
    CHECK(files.refusal() ==
          "first.yaml:4:3: values.rnic.rc.window: is decided by system.rnic.rc.dcqcn.parameters, expected keys that no "
          "other one decides");
}

TEST_CASE("profiles cannot be added when keys have been looked at", "[scenario]") {
    REQUIRE(find_key("system.rnic.profile") != nullptr);
    OwnFiles files;
    files.write("mine.yaml", profile_of("  rnic.rc.pmtu: {value: 512 B, source: x}\n"));
    CHECK_THROWS_AS(files.add(), std::logic_error);
}

TEST_CASE("a profile that cannot be read is refused", "[scenario]") {
    const auto refusal = [](const std::filesystem::path& file) -> std::string {
        try {
            add_own_profiles({file});
        } catch (const ScenarioError& error) { return error.what(); }
        return "";
    };
    CHECK(refusal("no/such.yaml") == "no/such.yaml: cannot be read, expected a profile (YAML)");
    CHECK(refusal("/") == "/: is a folder, expected a profile (YAML)");
}

}  // namespace
}  // namespace rnicsim
