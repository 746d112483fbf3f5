// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/plain/plain_kit.h"

#include "model/rnic/plain/plain_end.h"

namespace rnicsim {
namespace {

class PlainKit final : public PersonalityKit {
  public:
    [[nodiscard]] std::string_view name() const override { return "plain"; }
    [[nodiscard]] std::string_view traffic() const override { return "frames"; }

    [[nodiscard]] std::unique_ptr<EndSystem> make(const EndSystem::Environment& environment,
                                                  const Build& /*build*/) const override {
        return std::make_unique<PlainEnd>(environment.name(), environment);
    }

    void count(const EndSystem& end, const RunConfig& /*run*/, const std::string& name,
               CounterList& out) const override {
        out.begin(name + '.');
        const PlainEnd::Counters& c = static_cast<const PlainEnd&>(end).counters();
        out.add("tx_frames", c.tx_frames);
        out.add("tx_bytes", c.tx_bytes);
        out.add("rx_frames", c.rx_frames);
        out.add("rx_bytes", c.rx_bytes);
        out.add("rx_bad_fcs", c.rx_bad_fcs);
        out.add("rx_oversize", c.rx_oversize);
        out.add("rx_pause", c.rx_pause);
        out.add("rx_other", c.rx_other);
    }
    void conserve(const EndSystem& end, const std::string& host, const Link::Lane& out, const Link::Lane& in,
                  Sums& sums) const override {
        const PlainEnd::Counters& c = static_cast<const PlainEnd&>(end).counters();
        sums.equal("plain host " + host, "frames sent against those that its link has taken", c.tx_frames,
                   out.counters().taken);
        sums.equal("plain host " + host,
                   "frames that its link has carried against those received, each with its reason",
                   in.counters().carried, c.rx_frames + c.rx_bad_fcs + c.rx_oversize + c.rx_pause + c.rx_other);
    }

    [[nodiscard]] std::string_view stands_still() const override {
        return ", and no plain host has sent or got a frame";
    }
    [[nodiscard]] std::string explain(const EndSystem& end, const RunConfig& run, unsigned host,
                                      const std::vector<std::string>& /*asked*/) const override {
        return end.idle() ? "" : "  plain host " + run.names[host] + ": has frames to send\n";
    }
};

}  // namespace

const PersonalityKit& plain_kit() {
    static const PlainKit kKit;
    return kKit;
}

}  // namespace rnicsim
