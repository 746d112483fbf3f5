// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/rc/unreliable_world.h"

#include "testbench/explore/rc/words.h"

#include <algorithm>
#include <tuple>

namespace rnicsim::rc {
namespace {

constexpr std::uint32_t kPacket = 256;
constexpr Psn kFirstPsn{0xFF'FFFE};
constexpr std::uint64_t kPlace = 4096;

}  // namespace

UnreliableWorld::End::End(const UnreliableWorkload& w)
    : rc([&] {
          RcConfig config;
          config.port_mtu = kPacket;
          return config;
      }()) {
    rq = rc.create_receive_queue(false);
    QpInit init;
    init.service = w.service;
    init.receive_queue = rq;
    qp = *rc.create_qp({}, init);
    key = *rc.regions().add(Pd{}, {0, 1U << 20U}, {15});
    QpAttributes a;
    a.access = kRemoteWrite;
    a.path_mtu = kPacket;
    a.dest_qpn = qp;  // both ends have the same number
    a.sq_psn = a.rq_psn = kFirstPsn;
    QpState from = QpState::reset;
    for (const QpState to : {QpState::init, QpState::rtr, QpState::rts}) {
        rc.modify_qp({}, qp, to, needed_attributes(w.service, from, to), a, *this);
        from = to;
    }
}

void UnreliableWorld::End::place(const Placement& /*placement*/) {
    if (came == 0 || placed) broken = "V-U1: a packet of no message is placed";
    placed = true;
}

void UnreliableWorld::End::complete(const Completion& c) {
    if (c.status != Status::success) broken = "V-I10: a failure without a cause";
    if (c.index != cqes++) broken = "V-I7: a CQE twice or out of order";
    ended = c.receive;
}

UnreliableWorld::UnreliableWorld(const UnreliableWorkload& workload)
    : workload_(&workload), sends_(workload), takes_(workload), faults_left_(workload.faults) {}

Outcome UnreliableWorld::apply(Step step, std::uint8_t /*of*/, bool /*quiet*/) {
    if (!try_it(step)) return Outcome::in_vain;
    return is_fault(step) ? Outcome::at_a_cost : Outcome::done;
}

bool UnreliableWorld::try_it(Step step) {
    const std::uint32_t bytes = workload_->packets * kPacket;
    switch (step) {
        case Step::post:
            if (posted_ == workload_->messages.size()) return false;
            ++posted_;
            sends_.rc.on_post({}, sends_.qp, 1, sends_);
            for (const SendFetch& fetch : std::exchange(sends_.fetches, {})) {
                for (std::uint32_t i = fetch.first; i < fetch.first + fetch.count; ++i) {
                    SendWqe wqe;
                    wqe.verb = workload_->messages[i];
                    wqe.sges = {{kPlace, bytes, sends_.key}};
                    wqe.remote_address = kPlace;
                    wqe.remote_key = takes_.key;
                    if (workload_->service == Service::datagram) set_destination(wqe, {Peer{}, takes_.qp, 0});
                    sends_.rc.on_fetched({}, sends_.qp, wqe, sends_);
                }
            }
            return true;
        case Step::post_receive:
            if (takes_.receives_posted == workload_->messages.size()) return false;
            ++takes_.receives_posted, ++takes_.receives_waiting;
            return true;
        case Step::read_receives: {
            if (takes_.receive_fetches == 0) return false;
            --takes_.receive_fetches;
            std::vector<ReceiveWqe> wqes;
            const std::uint32_t first = takes_.receives_posted - std::exchange(takes_.receives_waiting, 0);
            for (std::uint32_t i = first; i < takes_.receives_posted; ++i) {
                wqes.push_back({i, {{kPlace, kGrhBytes + bytes, takes_.key}}});
            }
            takes_.rc.on_fetched_receives({}, takes_.rq, wqes, takes_);
            return true;
        }
        case Step::request: {
            const auto packet = sends_.rc.next_packet({}, Lane::request, sends_);
            if (!packet) return false;
            if (sends_.rc.next_packet({}, Lane::answer, sends_)) sends_.broken = "an answer of UC or UD";
            wire_.push_back({packet->header, static_cast<std::uint8_t>(packet->wqe),
                             static_cast<std::uint8_t>(packet->offset / kPacket)});
            ++leaving_;
            return true;
        }
        case Step::taken: {
            if (leaving_ == 0) return false;
            --leaving_;
            sends_.rc.on_sent({}, sends_.qp, sends_);
            return true;
        }
        case Step::deliver_request: return deliver();
        default: return fault(step);
    }
}

bool UnreliableWorld::takes_receive_at(const Flight& f) const {
    const Verb verb = workload_->messages[f.message];
    return takes_receive(verb) && f.packet == (verb == Verb::write_imm ? workload_->packets - 1 : 0);
}

bool UnreliableWorld::deliver() {
    if (wire_.empty()) return false;
    const Flight f = wire_.front();
    End& to = takes_;
    const auto before = std::tuple(to.message, to.came);
    const bool goes_on = to.message == f.message && to.came == f.packet;
    to.message = f.message;
    to.came = static_cast<std::uint8_t>(f.packet == 0 || goes_on ? f.packet + 1 : 0);
    to.placed = to.ended = false;
    const std::uint32_t fetches = to.receive_fetches;
    const auto ready = to.rc.receive_queue(to.rq).ready() + (to.state().responder.receive ? 1 : 0);
    if (to.rc.on_packet({}, Peer{}, f.header, to) == Taken::later) {
        std::tie(to.message, to.came) = before;
        return to.receive_fetches != fetches;
    }
    if (f.packet == 0) may_be_dropped_ = false;
    if (takes_receive_at(f) && ready == 0) may_be_dropped_ = true;
    const bool whole = to.came == workload_->packets;
    const bool should_end = whole && takes_receive(workload_->messages[f.message]) && !may_be_dropped_;
    if (to.came != 0 && !may_be_dropped_ && !to.placed) to.broken = "V-U1: a packet of a message is not placed";
    if (may_be_dropped_ && to.placed) to.broken = "V-U3: something is placed without a receive WQE";
    if (to.ended != should_end) to.broken = "V-U1: a receive ends without a whole message, or the other way round";
    if (to.ended) ++ends_;
    if (whole) to.came = 0;  // it is over
    wire_.erase(wire_.begin());
    return true;
}

bool UnreliableWorld::fault(Step step) {
    if (faults_left_ == 0 || wire_.empty()) return false;
    const Flight first = wire_.front();
    switch (step) {
        case Step::lose_request: wire_.erase(wire_.begin()); break;
        case Step::copy_request_next: wire_.insert(wire_.begin(), first); break;
        case Step::copy_request_last: wire_.push_back(first); break;
        case Step::overtake_request:
            if (wire_.size() < 2) return false;
            std::swap(wire_[0], wire_[1]);
            break;
        case Step::overtake_request_all:
            if (wire_.size() < 2) return false;
            std::rotate(wire_.begin(), wire_.begin() + 1, wire_.end());
            break;
        default: return false;
    }
    --faults_left_;
    return true;
}

bool UnreliableWorld::over() const {
    const Qp& a = sends_.state();
    const auto held = takes_.state().responder.receive ? 1U : 0U;
    const std::size_t ready = takes_.rc.receive_queue(takes_.rq).ready();
    return posted_ == workload_->messages.size() && sends_.cqes == posted_ && wire_.empty() && leaving_ == 0 &&
           a.requester.queue.empty() && a.leaving == 0 && a.state == QpState::rts &&
           takes_.state().state == QpState::rts && takes_.cqes == ends_ &&
           ends_ + held + ready + takes_.receives_waiting == takes_.receives_posted;
}

std::string UnreliableWorld::in_words(Step step, std::uint8_t /*of*/) const {
    if (is_fault(step) || is_arrival(step)) return frame_in_words(step, "a>b", wire_.front().header);
    const bool of_receiver = step == Step::post_receive || step == Step::read_receives;
    return host_in_words(step, of_receiver ? "b" : "a");
}

explore::Digest digest(const UnreliableWorld& w) {
    explore::Mixer mixer;
    const auto add = [&](const auto&... values) { (mixer.add(static_cast<std::uint64_t>(values)), ...); };
    const UnreliableWorld::End& to = w.takes_;
    const Responder& r = to.state().responder;
    std::apply(add, w.sends_.state().requester.queue.memory());
    std::apply(add, to.rc.receive_queue(to.rq).memory());
    add(w.posted_, w.leaving_, w.faults_left_, w.ends_, w.may_be_dropped_, w.sends_.cqes, to.message, to.came,
        to.receive_fetches, to.receives_waiting, to.receives_posted, r.expected.n, r.incoming, r.receive.has_value(),
        r.bytes, r.left, to.rc.receive_queue(to.rq).ready(), w.sends_.state().listed[0]);
    for (const UnreliableWorld::Flight& f : w.wire_) add(f.message, f.packet);
    return mixer.finish();
}

}  // namespace rnicsim::rc
