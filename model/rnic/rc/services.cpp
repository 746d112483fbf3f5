// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/services.h"

#include "model/rnic/rc/completer.h"
#include "model/rnic/rc/datagram.h"
#include "model/rnic/rc/request_checks.h"
#include "model/rnic/rc/requester.h"
#include "model/rnic/rc/responder.h"
#include "model/rnic/rc/unanswered.h"
#include "model/rnic/rc/unreliable.h"

#include <array>

namespace rnicsim::rc {
namespace {

using roce::Header;

Taken on_reliable(Qp& qp, const Header& h, Decision& d) {
    if (!is_response(h.opcode)) return on_request(qp, h, d);
    on_response(qp, h, d);
    return Taken::yes;
}

/// Of UC and UD: nothing is refused by an answer.
template <Service kService, Taken (*kTake)(Qp&, const Header&, Decision&)>
Taken without_answer(Qp& qp, const Header& h, Decision& d) {
    const roce::OpcodeMeaning* const known = roce::meaning(h.opcode);
    if (!takes_requests(qp.state)) {
        d.note(RcCount::not_ready, qp);
    } else if (known == nullptr || known->service != kService) {
        d.note(RcCount::wrong_service, qp);
    } else {
        return kTake(qp, h, d);
    }
    return Taken::yes;
}

/// By Service.
constexpr std::array<ServiceRules, 3> kRules{{
    {true, next_request, on_reliable},
    {true, next_unanswered, without_answer<Service::unreliable, on_unreliable>},
    {false, next_datagram, without_answer<Service::datagram, on_datagram>},
}};

}  // namespace

const ServiceRules& rules_of(Service service) { return kRules[static_cast<std::size_t>(service)]; }

}  // namespace rnicsim::rc
