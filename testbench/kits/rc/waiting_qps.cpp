// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/waiting_qps.h"

#include "tlm/wakeup.h"

#include <fmt/format.h>

#include <string_view>

namespace rnicsim {
namespace {

constexpr std::size_t kMost = 8;

std::size_t without_pack(const rc::Requester& r) {
    std::size_t count = 0;
    for (auto n = r.held.first(); n != r.held.end(); ++n) count += r.held[n].waits ? 1 : 0;
    return count;
}

/// Empty: it waits for nothing.
std::string wait_of(const rc::Qp& qp) {
    const rc::SendQueue& sends = qp.requester.queue;
    std::string text;
    if (!sends.empty()) {
        text += fmt::format(", send WQE {} of {}", sends.front_number(), sends.posted());
        if (sends.front_number() == sends.fetched_end()) {
            text += " is being read";
        } else {
            text += fmt::format(" ({})", rc::verb_name(sends.front().wqe.verb));
        }
    }
    if (sends.outstanding() != 0) {
        text += fmt::format(", PSN {} to {} without an answer, {} tries left", sends.oldest().n, (sends.next() - 1).n,
                            qp.requester.recovery.tries_left);
    }
    if (const std::size_t persists = without_pack(qp.requester); persists != 0)
        text += fmt::format(", {} WRITE_PERSISTs received, and no PACK", persists);
    if (!qp.responder.asked.empty())
        text += fmt::format(", {} WRITE_PERSISTs wait for a receive WQE", qp.responder.asked.size());
    if (current_time() < qp.requester.recovery.rnr_until) text += ", waits after an RNR NAK";
    if (qp.responder.incoming != rc::Incoming::none)
        text += fmt::format(", expects PSN {} of a message that has begun", qp.responder.expected.n);
    if (!qp.responder.answers.empty()) text += fmt::format(", {} answers to send", qp.responder.answers.size());
    return text;
}

}  // namespace

std::vector<std::string> waiting_qps(const rc::RcTransport& transport, const std::string& host) {
    std::vector<std::string> lines;
    std::size_t more = 0;
    transport.for_each_qp([&](const rc::Qp& qp) {
        const std::string wait = wait_of(qp);
        if (wait.empty()) return;
        if (lines.size() == kMost) {
            ++more;
            return;
        }
        lines.push_back(fmt::format("{}.q{}: {}{}", host, rc::QpTable::ordinal(qp.number),
                                    rc::kQpStateNames.at(static_cast<std::size_t>(qp.state)), wait));
    });
    if (more != 0) lines.push_back(fmt::format("and {} QPs more", more));
    return lines;
}

}  // namespace rnicsim
