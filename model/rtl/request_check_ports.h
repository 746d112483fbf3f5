// SPDX-License-Identifier: Apache-2.0
// What request_check (rtl/rc) is asked and answers, as the model has it.
#pragma once

#include "model/rnic/rc/mr_table.h"
#include "model/rnic/rc/qp.h"
#include "model/rnic/rc/request_check_engine.h"
#include "tlm/roce/opcodes.h"

#include <bit>
#include <cstdint>

namespace rnicsim {

/// A request of this QP.
template <typename Module>
void show_request(Module& to, const roce::Header& h, const rc::Qp& qp) {
    constexpr unsigned kLeastMtuShift = 8;
    const bool unreliable = qp.init.service == roce::Service::unreliable;
    to.request_opcode_i = static_cast<std::uint8_t>(unreliable ? roce::operation_of(h.opcode) : h.opcode);
    to.request_address_i = h.address;
    to.request_key_i = h.key;
    to.request_length_i = h.length;
    to.request_payload_i = static_cast<std::uint16_t>(h.payload);
    to.request_placement_i = static_cast<std::uint8_t>(h.feth.placement);
    to.request_selectivity_i = static_cast<std::uint8_t>(h.feth.selectivity);
    to.qp_pd_i = static_cast<std::uint32_t>(qp.init.pd);
    to.qp_access_i = qp.attributes.access.bits;
    to.qp_mtu_i = static_cast<std::uint8_t>(std::countr_zero(qp.attributes.path_mtu) - kLeastMtuShift);
    to.qp_persist_i = qp.init.persist && qp.init.persist->mark == rc::PersistMark::opcode;
    to.message_incoming_i = static_cast<std::uint8_t>(qp.responder.incoming);
    to.message_persist_i = qp.responder.persist;
    to.message_address_i = qp.responder.address;
    to.message_key_i = qp.responder.key;
    to.message_left_i = qp.responder.left;
}

/// The table's answer to a lookup.
template <typename Module>
void show_region(Module& to, const rc::MrTable::Entry& entry) {
    to.region_valid_i = entry.valid;
    to.region_tag_i = entry.tag;
    to.region_pd_i = static_cast<std::uint32_t>(entry.pd);
    to.region_access_i = entry.access.bits;
    to.region_base_i = entry.range.address;
    to.region_size_i = entry.range.length;
}

template <typename Module>
rc::Verdict verdict_of(const Module& of) {
    return {of.verdict_sequence_o != 0, of.verdict_allowed_o != 0, of.verdict_length_o != 0, of.verdict_key_o != 0};
}

/// A kind in the bits of rc_pkg.
constexpr std::uint32_t kind_bits(const rc::RequestKind& kind) {
    std::uint32_t bits = 0;
    unsigned at = 0;
    for (const rc::RequestKindBit& one : rc::kRequestKindBits) bits |= std::uint32_t{kind.*one.is} << at++;
    return bits;
}

}  // namespace rnicsim
