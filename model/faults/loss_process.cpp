// SPDX-License-Identifier: Apache-2.0
#include "model/faults/loss_process.h"

#include "model/faults/random_key.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace rnicsim {
namespace {

/// Independent losses: the paper's link (section 4.1).
class IndependentLoss final : public LossProcess {
  public:
    IndependentLoss(const LinkFaultConfig& config, const RandomSource& random) : config_(config), random_(random) {}

    [[nodiscard]] bool active() const override { return config_.loss > 0; }
    bool loses(const FrameName& name) override {
        return chance(random_, RandomStream::frame_loss, name) < config_.loss;
    }

  private:
    const LinkFaultConfig config_;
    const RandomSource random_;
};

/// Two states, good and bad, with a chance of loss each; before each frame the state may change (E. N. Gilbert,
/// "Capacity of a burst-noise channel", 1960; E. O. Elliott, 1963). Each direction has its own. The state depends on
/// the position in the stream of frames, not on the frame: a different course of the run has the same bursts.
class GilbertElliott final : public LossProcess {
  public:
    GilbertElliott(const LinkFaultConfig& config, const RandomSource& random) : config_(config), random_(random) {}

    [[nodiscard]] bool active() const override { return config_.loss > 0 || config_.burst.begin > 0; }
    bool loses(const FrameName& name) override {
        Lane& lane = lanes_.at(name.from_side);
        const std::uint64_t direction = name.from_side | std::uint64_t{name.link} << 8;
        const double turn = random_.uniform(RandomStream::burst, direction, lane.frames++, 0);
        lane.bad = lane.bad ? turn >= config_.burst.end : turn < config_.burst.begin;
        return chance(random_, RandomStream::frame_loss, name) < (lane.bad ? config_.burst.loss : config_.loss);
    }

  private:
    struct Lane {
        bool bad = false;
        std::uint64_t frames = 0;
    };
    const LinkFaultConfig config_;
    const RandomSource random_;
    std::array<Lane, 2> lanes_;
};

struct Maker {
    std::string_view name;
    std::unique_ptr<LossProcess> (*make)(const LinkFaultConfig&, const RandomSource&);
};

template <class Process>
std::unique_ptr<LossProcess> make(const LinkFaultConfig& config, const RandomSource& random) {
    return std::make_unique<Process>(config, random);
}

constexpr std::array<Maker, 2> kAll{
    {{"independent", make<IndependentLoss>}, {"gilbert_elliott", make<GilbertElliott>}}};

}  // namespace

std::unique_ptr<LossProcess> make_loss_process(const LinkFaultConfig& config, const RandomSource& random) {
    const auto* const found = std::ranges::find(kAll, config.loss_process, &Maker::name);
    if (found == kAll.end()) throw std::invalid_argument("no such loss process: " + config.loss_process);
    return found->make(config, random);
}

std::vector<std::string_view> loss_process_names() {
    std::vector<std::string_view> names;
    names.reserve(kAll.size());
    for (const Maker& maker : kAll) names.push_back(maker.name);
    return names;
}

}  // namespace rnicsim
