// SPDX-License-Identifier: Apache-2.0
// What a run needs around the card.
#pragma once

#include "testbench/kits/kit.h"
#include "testbench/tests/echo/echo_end.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

class EchoKit final : public PersonalityKit {
  public:
    [[nodiscard]] std::string_view name() const override { return "echo"; }
    [[nodiscard]] std::string_view traffic() const override { return "frames"; }
    [[nodiscard]] std::unique_ptr<EndSystem> make(const EndSystem::Environment& environment,
                                                  const Build& /*build*/) const override {
        return std::make_unique<EchoEnd>(environment.name(), environment);
    }
    void count(const EndSystem& end, const RunConfig& /*run*/, const std::string& name,
               CounterList& out) const override {
        out.begin(name + ".echo.");
        out.add("answered", of(end).counters().answered);
        out.add("rx_bad_fcs", of(end).counters().rx_bad_fcs);
    }
    void conserve(const EndSystem& end, const std::string& host, const Link::Lane& out, const Link::Lane& in,
                  Sums& sums) const override {
        const EchoEnd& card = of(end);
        sums.equal("echo " + host, "answers against the frames that its link has taken", card.counters().answered,
                   out.counters().taken);
        sums.equal("echo " + host, "frames that its link has carried against those answered, damaged and waiting",
                   in.counters().carried, card.counters().answered + card.counters().rx_bad_fcs + card.waiting());
    }
    [[nodiscard]] std::string explain(const EndSystem& end, const RunConfig& run, unsigned host,
                                      const std::vector<std::string>& /*asked*/) const override {
        return end.idle() ? "" : "  echo " + run.names[host] + ": has frames to answer\n";
    }

  private:
    static const EchoEnd& of(const EndSystem& end) { return static_cast<const EchoEnd&>(end); }
};

inline const PersonalityKit& echo_kit() {
    static const EchoKit kKit;
    return kKit;
}

}  // namespace rnicsim
