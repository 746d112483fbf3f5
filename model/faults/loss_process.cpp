#include "model/faults/loss_process.h"

#include "model/faults/random_key.h"

namespace rnicsim {
namespace {

/// Each frame by itself: the paper's link (section 4.1).
class IndependentLoss final : public LossProcess {
  public:
    IndependentLoss(const LinkConfig& config, const RandomSource& random) : config_(config), random_(random) {}

    [[nodiscard]] bool active() const override { return config_.loss > 0; }
    bool loses(const FrameName& name) override {
        return chance(random_, RandomStream::frame_loss, name) < config_.loss;
    }

  private:
    const LinkConfig config_;
    const RandomSource random_;
};

/// Two states, good and bad, with a chance of loss each; before each frame the state may change (E. N. Gilbert,
/// "Capacity of a burst-noise channel", 1960; E. O. Elliott, 1963). Each direction has its own. The state belongs to
/// the place in the stream of frames, not to the frame: another course of the run meets the same bursts.
class GilbertElliott final : public LossProcess {
  public:
    GilbertElliott(const LinkConfig& config, const RandomSource& random) : config_(config), random_(random) {}

    [[nodiscard]] bool active() const override { return config_.loss > 0 || config_.burst.begin > 0; }
    bool loses(const FrameName& name) override {
        Lane& lane = lanes_.at(name.from_end);
        const double turn = random_.uniform(RandomStream::burst, name.from_end, lane.frames++, 0);
        lane.bad = lane.bad ? turn >= config_.burst.end : turn < config_.burst.begin;
        return chance(random_, RandomStream::frame_loss, name) < (lane.bad ? config_.burst.loss : config_.loss);
    }

  private:
    struct Lane {
        bool bad = false;
        std::uint64_t frames = 0;
    };
    const LinkConfig config_;
    const RandomSource random_;
    std::array<Lane, 2> lanes_;
};

}  // namespace

std::unique_ptr<LossProcess> make_loss_process(const LinkConfig& config, const RandomSource& random) {
    if (config.loss_process == "gilbert_elliott") return std::make_unique<GilbertElliott>(config, random);
    return std::make_unique<IndependentLoss>(config, random);
}

}  // namespace rnicsim
