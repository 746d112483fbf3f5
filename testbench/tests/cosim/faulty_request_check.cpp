// SPDX-License-Identifier: Apache-2.0
// request_check in a card with one wrong port: cosim names that port.
#include "Vrequest_check.h"
#include "model/rtl/request_check_rtl.h"
#include "testbench/tests/cosim/faulty_blocks.h"

#include <string>

namespace rnicsim {
namespace {

using rc::RequestKind;

/// A few requests, as a card asks them; returns how many pass.
template <typename Module>
int ask_some(const BlockPlace& place) {
    const RequestCheckRtl<Module> checks(place);
    rc::MrTable regions;
    const std::uint32_t key = *regions.add(rc::Pd{1}, {0x1000, 0x1000}, {0xFFFF});
    rc::QpInit init;
    init.pd = rc::Pd{1};
    rc::Qp qp(rc::Qpn{1}, init);
    qp.attributes.access = rc::kRemoteWrite;
    int good = 0;
    for (const roce::Opcode opcode :
         {roce::Opcode::write_only, roce::Opcode::write_last, roce::Opcode::read_request, roce::Opcode::send_only}) {
        for (const std::uint64_t address : {0x1000, 0x1FFF}) {
            for (const std::uint32_t length : {1, 2}) {
                roce::Header h;
                h.opcode = opcode;
                h.address = address;
                h.key = key;
                h.length = length;
                h.payload = 1;
                good += checks.check(rc::kind_of(opcode), h, qp, regions).good() ? 1 : 0;
            }
        }
    }
    return good;
}

TEST_CASE("request_check of a card: the port that is wrong is named", "[cosim]") {
    CHECK(ask_some<Vrequest_check>({}) == 2 + 4);
    const auto check = []<auto Port>(const char* port) {
        const std::string said = fault_of([] { ask_some<WrongOutput<Vrequest_check, Port, kInverted>>({}); });
        INFO(said);
        CHECK(said.find("request_check (rtl): " + std::string(port) + " is ") != std::string::npos);
    };
    RNICSIM_CHECK(request_ready_o);
    RNICSIM_CHECK(lookup_valid_o);
    RNICSIM_CHECK(lookup_index_o);
    RNICSIM_CHECK(verdict_valid_o);
    RNICSIM_CHECK(verdict_sequence_o);
    RNICSIM_CHECK(verdict_allowed_o);
    RNICSIM_CHECK(verdict_length_o);
    RNICSIM_CHECK(verdict_key_o);
    RNICSIM_CHECK(verdict_kind_o);
}

}  // namespace
}  // namespace rnicsim
