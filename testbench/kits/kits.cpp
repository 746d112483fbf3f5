// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/kits.h"

#include "model/rnic/drp/blocks.h"
#include "model/rnic/rc/blocks.h"
#include "testbench/kits/drp/drp_kit.h"
#include "testbench/kits/plain/plain_kit.h"
#include "testbench/kits/rc/rc_kit.h"

#include <algorithm>

namespace rnicsim {

const std::vector<const PersonalityKit*>& kits() {
    static const std::vector<const PersonalityKit*> kAll{
        &drp_kit(),
        &rc_kit(),
        &plain_kit(),
    };
    return kAll;
}

const PersonalityKit& kit_of(const RunConfig& run, unsigned host) {
    return **std::ranges::find(kits(), run.hosts.at(host)->personality(), &PersonalityKit::name);
}

std::vector<const PersonalityKit*> kits_of(const RunConfig& run) {
    std::vector<const PersonalityKit*> found;
    for (const PersonalityKit* kit : kits()) {
        const auto has = [&](const AnyEnd& host) { return host->personality() == kit->name(); };
        if (std::ranges::any_of(run.hosts, has)) found.push_back(kit);
    }
    return found;
}

namespace {

class KitNaming final : public FrameNaming {
  public:
    KitNaming(const RunConfig& run, const System& system) : run_(run), system_(system) {}
    [[nodiscard]] FrameNamers namers() const override {
        FrameNamers all;
        for (const PersonalityKit* kit : kits_of(run_)) {
            if (std::unique_ptr<FrameNamer> namer = kit->namer(run_, system_)) all.push_back(std::move(namer));
        }
        return all;
    }

  private:
    const RunConfig& run_;
    const System& system_;
};

}  // namespace

std::unique_ptr<FrameNaming> KitEnds::naming(const RunConfig& run, const System& system) const {
    return std::make_unique<KitNaming>(run, system);
}

std::unique_ptr<EndSystem> KitEnds::make(const EndSystem::Environment& environment) const {
    static const BlockFactory kDrpModels;
    static const rc::CardBlocks kRcModels;
    const unsigned host = environment.host;
    BlockMakers blocks;
    if (!blocks_.empty()) blocks = blocks_[host];
    if (blocks.drp == nullptr) blocks.drp = &kDrpModels;
    if (blocks.rc == nullptr) blocks.rc = &kRcModels;
    return kit_of(environment.run, host).make(environment, {memory_bytes_[host], blocks});
}

}  // namespace rnicsim
