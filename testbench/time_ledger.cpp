#include "testbench/time_ledger.h"

#include "tlm/ethernet_frame.h"

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

void TimeLedger::Account::close_gap(Cycle until, TransferPart part) {
    close(std::min(until, drained), TransferPart::drain);
    close(until, part);
}

void TimeLedger::started(unsigned initiator, std::uint32_t id, Cycle now) {
    Account& account = accounts_.emplace_back();
    account.initiator = initiator;
    account.id = id;
    account.cursor = now;
}

TransferParts TimeLedger::ended(unsigned initiator, std::uint32_t id, Cycle now) {
    const auto found =
        std::ranges::find_if(accounts_, [=](const Account& a) { return a.initiator == initiator && a.id == id; });
    found->reopen(now);  // it failed while a frame of it was on the wire
    found->close(now, found->releasing ? TransferPart::release : TransferPart::waiting);
    const TransferParts parts = found->parts;
    accounts_.erase(found);
    return parts;
}

void TimeLedger::frame_sent(unsigned end, const DrpHeader& header, std::size_t length, Cycle now, Cycle due) {
    if (header.is_ack()) return;
    const Cycle begin = due - serialisation(length);
    Account* const account = find(header.from_initiator() ? end : 1 - end, header.tid);
    if (account == nullptr || account->releasing) return;
    account->keep_ahead(now);
    switch (header.type) {
        case DrpType::req:
            if (account->moving) return;
            account->close(begin, account->asked ? TransferPart::waiting : TransferPart::set_up);
            account->asked = true;
            break;
        case DrpType::data: data_sent(*account, header.sn, begin, due + kGap); break;
        case DrpType::rel:
            if (account->connected != kNever) account->close(account->connected, TransferPart::stalled);
            account->close_gap(begin, TransferPart::wire);
            account->releasing = true;
            break;
        case DrpType::req_ack:
        case DrpType::rel_ack: break;
    }
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

void TimeLedger::noted(unsigned end, TransportCount what, Role role, Tid tid, Cycle now) {
    if (what == TransportCount::buffer_full) {
        if (Account* const account = find(1 - end, tid)) account->full = true;
    } else if (what == TransportCount::bulk_drains) {
        Account* const account = find(1 - end, tid);
        if (account != nullptr && writes_[end].at == now)
            account->drained = std::max(account->drained, writes_[end].until);
    } else if (what == TransportCount::connections && role == Role::initiator) {
        Account* const account = find(end, tid);
        if (account == nullptr) return;
        // A frame on the wire in this cycle began earlier: the cursor may be ahead of it.
        if (account->full) account->close(now, TransferPart::stalled);
        account->full = false;
        account->connected = now;
    }
}

void TimeLedger::memory_write(unsigned end, Cycle now, Cycle until) {
    Writes& writes = writes_[end];
    if (writes.at != now) writes = {now, {}};
    writes.until = std::max(writes.until, until);
}

TimeLedger::Account* TimeLedger::find(unsigned initiator, Tid tid) {
    const auto found = std::ranges::find_if(
        accounts_, [=](const Account& a) { return a.initiator == initiator && tid_of(a.id) == tid; });
    return found == accounts_.end() ? nullptr : &*found;
}

}  // namespace rnicsim
