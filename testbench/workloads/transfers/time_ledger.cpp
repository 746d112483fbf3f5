// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/transfers/time_ledger.h"

#include "tlm/ethernet/frame.h"

#include <algorithm>

namespace rnicsim {
namespace {

constexpr Cycle kGap{12};  // IEEE 802.3 4.4.2; belongs to the frame before it

constexpr Tid tid_of(std::uint32_t id) { return Tid{static_cast<std::uint16_t>(id)}; }  // handed out in order

}  // namespace

void TimeLedger::Account::close(Cycle until, TransferPart part) {
    if (until <= cursor) return;
    parts[static_cast<std::size_t>(part)] += (until - cursor).n;
    latest.at(pieces++) = {cursor, part};
    cursor = until;
}

void TimeLedger::Account::reopen(Cycle from) {
    while (pieces != 0 && cursor > from) {
        const Piece& piece = latest[--pieces];
        const Cycle back_to = std::max(piece.from, from);
        parts[static_cast<std::size_t>(piece.part)] -= (cursor - back_to).n;
        cursor = back_to;
    }
}

void TimeLedger::Account::keep_ahead(Cycle now) {
    std::size_t past = 0;
    while (past < pieces && (past + 1 < pieces ? latest[past + 1].from : cursor) <= now) ++past;
    std::copy(latest.begin() + static_cast<std::ptrdiff_t>(past), latest.begin() + static_cast<std::ptrdiff_t>(pieces),
              latest.begin());
    pieces -= past;
}

bool TimeLedger::Account::sends(Cycle now) {
    if (!releasing) keep_ahead(now);
    return !releasing;
}

void TimeLedger::Account::close_gap(Cycle until, TransferPart part) {
    close(std::min(until, drained), TransferPart::drain);
    close(until, part);
}

void TimeLedger::started(unsigned initiator, std::uint32_t id, Cycle now) {
    Account& account = accounts_[initiator].emplace_back();
    account.id = id;
    account.cursor = now;
}

TransferParts TimeLedger::ended(unsigned initiator, std::uint32_t id, Cycle now) {
    settle(now);
    std::vector<Account>& accounts = accounts_[initiator];
    const auto found = std::ranges::find(accounts, id, &Account::id);
    found->reopen(now);  // it failed while a frame of it was on the wire
    found->close(now, found->releasing ? TransferPart::release : TransferPart::waiting);
    const TransferParts parts = found->parts;
    accounts.erase(found);
    return parts;
}

void TimeLedger::frame_sent(unsigned initiator, const DrpHeader& header, std::size_t length, Cycle now, Cycle due) {
    Report report{.at = now,
                  .initiator = initiator,
                  .tid = header.tid,
                  .sn = header.sn,
                  .begin = due - serialisation(length),
                  .end = due + kGap};
    switch (header.type) {
        case DrpType::req: report.kind = Kind::request; break;
        case DrpType::data: report.kind = Kind::data; break;
        case DrpType::rel: report.kind = Kind::release; break;
        case DrpType::req_ack:
        case DrpType::rel_ack: return;
    }
    keep(report);
}

void TimeLedger::keep(const Report& report) {
    const auto before = [](const Report& x, const Report& y) { return x.at != y.at ? x.at < y.at : x.kind < y.kind; };
    reports_.push_back(report);
    for (std::size_t i = reports_.size() - 1; i != 0 && before(reports_[i], reports_[i - 1]); --i) {
        std::swap(reports_[i], reports_[i - 1]);
    }
}

void TimeLedger::settle(Cycle kernel) {
    std::size_t past = 0;
    while (past < reports_.size() && reports_[past].at < kernel) count(reports_[past++]);
    reports_.erase(reports_.begin(), reports_.begin() + static_cast<std::ptrdiff_t>(past));
}

void TimeLedger::count(const Report& report) {
    Account* const account = find(report.initiator, report.tid);
    if (account == nullptr) return;
    switch (report.kind) {
        case Kind::request:
            if (account->sends(report.at)) request_sent(*account, report.begin);
            break;
        case Kind::data:
            if (account->sends(report.at)) data_sent(*account, report.sn, report.begin, report.end);
            break;
        case Kind::release:
            if (account->sends(report.at)) release_sent(*account, report.begin);
            break;
        case Kind::refused: account->full = true; break;
        case Kind::drained: account->drained = std::max(account->drained, report.end); break;
        case Kind::connected:
            // A frame on the wire in this cycle began before: the cursor may be ahead of it.
            if (account->full) account->close(report.at, TransferPart::stalled);
            account->full = false;
            account->connected = report.at;
            break;
    }
}

void TimeLedger::request_sent(Account& account, Cycle begin) {
    if (account.moving) return;
    account.close(begin, account.asked ? TransferPart::waiting : TransferPart::set_up);
    account.asked = true;
}

void TimeLedger::release_sent(Account& account, Cycle begin) {
    if (account.connected != kNever) account.close(account.connected, TransferPart::stalled);
    account.close_gap(begin, TransferPart::wire);
    account.releasing = true;
}

void TimeLedger::data_sent(Account& account, std::uint32_t sn, Cycle begin, Cycle end) {
    const TransferPart part = sn < account.fresh ? TransferPart::retransmission : TransferPart::wire;
    account.fresh = std::max(account.fresh, sn + 1);
    if (!account.moving) {
        account.moving = true;
        account.close(begin, TransferPart::set_up);
    } else {
        account.close_gap(begin, account.full ? TransferPart::stalled : part);
    }
    account.close(end, account.full ? TransferPart::stalled : part);
}

void TimeLedger::noted(unsigned end, TransportCount what, unsigned initiator, Tid tid, Cycle now) {
    if (what == TransportCount::buffer_full) {
        keep({.at = now, .kind = Kind::refused, .initiator = initiator, .tid = tid});
    } else if (what == TransportCount::bulk_drains) {
        if (writes_[end].at != now) return;
        keep({.at = now, .kind = Kind::drained, .initiator = initiator, .tid = tid, .end = writes_[end].until});
    } else if (what == TransportCount::connections && initiator == end) {
        keep({.at = now, .kind = Kind::connected, .initiator = initiator, .tid = tid});
    }
}

void TimeLedger::memory_write(unsigned end, Cycle now, Cycle until) {
    Writes& writes = writes_[end];
    if (writes.at != now) writes = {now, {}};
    writes.until = std::max(writes.until, until);
}

TimeLedger::Account* TimeLedger::find(unsigned initiator, Tid tid) {
    std::vector<Account>& accounts = accounts_[initiator];
    const auto found = std::ranges::find_if(accounts, [=](const Account& a) { return tid_of(a.id) == tid; });
    return found == accounts.end() ? nullptr : &*found;
}

}  // namespace rnicsim
