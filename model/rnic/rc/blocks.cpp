// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/blocks.h"

#include "model/rnic/rc/persist/pm_module.h"
#include "model/rnic/rc/request_checks.h"

namespace rnicsim::rc {

std::unique_ptr<PersistEngine> CardBlocks::persist_module(const CardConfig& config) const {
    return std::make_unique<PmModule>(pm_config(config));
}

std::unique_ptr<IcrcEngine> CardBlocks::icrc(const CardConfig& /*config*/) const {
    return std::make_unique<IcrcEngine>();
}

std::unique_ptr<RequestCheckEngine> CardBlocks::request_check(const CardConfig& /*config*/) const {
    return std::make_unique<RequestChecks>();
}

std::unique_ptr<PsnEngine> CardBlocks::responder_psn(const CardConfig& /*config*/) const {
    return std::make_unique<PsnModel>();
}

std::unique_ptr<PacketParser> CardBlocks::packet_parser(const CardConfig& /*config*/) const {
    return std::make_unique<PacketParser>();
}

std::unique_ptr<PacketBuilder> CardBlocks::packet_builder(const CardConfig& /*config*/) const {
    return std::make_unique<PacketBuilder>();
}

}  // namespace rnicsim::rc
