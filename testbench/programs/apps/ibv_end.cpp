// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/apps/ibv_end.h"

#include "testbench/kits/rc/verbs_message.h"

#include <arpa/inet.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rnicsim::apps {

using applications::Count;
using programs::ChargeKind;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kReceive = std::uint64_t{1} << 32U;  // in a wr_id, beside the tag; sends have their number
constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

ibv_wr_opcode opcode_of(rc::Verb verb) {
    switch (verb) {
        case rc::Verb::send: return IBV_WR_SEND;
        case rc::Verb::send_imm: return IBV_WR_SEND_WITH_IMM;
        case rc::Verb::write: return IBV_WR_RDMA_WRITE;
        case rc::Verb::write_imm: return IBV_WR_RDMA_WRITE_WITH_IMM;
        case rc::Verb::read: return IBV_WR_RDMA_READ;
        default: throw Unusable("the application uses a verb that rnic-apps does not know");
    }
}

std::chrono::nanoseconds nanoseconds(Time time) { return std::chrono::nanoseconds(time.ps / 1000); }

/// Registered memory has pages of its own.
std::size_t page_of(const std::vector<std::uint8_t>& area) {
    return (kPage - reinterpret_cast<std::uintptr_t>(area.data()) % kPage) % kPage;
}

}  // namespace

IbvEnd::IbvEnd(const Card& card, Board& board, std::size_t connection, int socket,
               const applications::Plan::Side& needs, std::uint32_t inline_bytes,
               std::unique_ptr<applications::End> protocol)
    : card_(card),
      board_(board),
      connection_(connection),
      socket_(socket),
      inline_bytes_(inline_bytes),
      protocol_(std::move(protocol)),
      regions_(needs.areas.size()),
      qp_(card.make_qp(needs.sends, needs.receives, inline_bytes)),
      sends_(needs.sends) {
    for (const applications::Plan::Area& area : needs.areas) areas_.emplace_back(area.bytes + 2 * kPage);
    for (std::uint32_t i = 0; i < areas_.size(); ++i) {
        const auto bytes = static_cast<std::uint32_t>(needs.areas[i].bytes);
        if (needs.areas[i].registered && bytes != 0) register_area(i, memory({i, 0}, bytes));
    }
}

void IbvEnd::connect(const Address& peer) {
    card_.receive_from(*qp_, peer);
    protocol_->start(*this);
    card_.send_from(*qp_);
}

void IbvEnd::asked(std::uint32_t operation, std::uint32_t bytes) {
    protocol_->on({.what = Event::What::asked, .tag = operation, .bytes = bytes}, *this);
}

void IbvEnd::completed(const ibv_wc& completion) {
    Event event{.what = Event::What::completion,
                .tag = static_cast<std::uint32_t>(completion.wr_id),
                .bytes = completion.byte_len,
                .immediate = ntohl(completion.imm_data),
                .status = static_cast<rc::Status>(completion.status)};  // the numbers are ibverbs'
    if ((completion.wr_id & kReceive) != 0) {
        event.what = Event::What::received;
        if (completion.status == IBV_WC_SUCCESS) counts_.add(Count::receives);
    } else {
        event.tag = sends_.completed(static_cast<std::uint32_t>(completion.wr_id));
        if (event.status == rc::Status::success) --signaled_;
        post_waiting();
    }
    protocol_->on(event, *this);
}

bool IbvEnd::look(bool at_socket) {
    bool found = false;
    while (!over_.empty()) {
        const Event event = over_.front();
        over_.pop_front();
        protocol_->on(event, *this);
        found = true;
    }
    const auto due = timers_.empty()
                         ? timers_.end()
                         : std::ranges::find_if(timers_, [](const auto& one) { return one.first <= Clock::now(); });
    if (due != timers_.end()) {
        const std::uint32_t tag = due->second;
        timers_.erase(due);
        protocol_->on({.what = Event::What::timer, .tag = tag}, *this);
        return true;
    }
    return (at_socket && read_stream()) || found;
}

bool IbvEnd::read_stream() {
    if (closed_) return false;
    std::uint8_t any = 0;
    const std::span<std::uint8_t> to =
        reading_ ? memory(reading_->first, reading_->second) : std::span<std::uint8_t>(&any, 1);
    const ssize_t got = ::recv(socket_, to.data(), to.size(), MSG_DONTWAIT | (reading_ ? 0 : MSG_PEEK));
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) {  // what has been sent to the QP may still come
        closed_ = true;
        return true;
    }
    Event event;
    if (reading_) {
        event = {.what = Event::What::read, .bytes = static_cast<std::uint32_t>(got)};
        reading_.reset();
        told_ = false;
    } else {
        if (told_) return false;
        int bytes = 0;
        ::ioctl(socket_, FIONREAD, &bytes);
        event = {.what = Event::What::bytes, .bytes = static_cast<std::uint32_t>(bytes)};
        told_ = true;
    }
    protocol_->on(event, *this);
    return true;
}

void IbvEnd::say_goodbye() const { ::shutdown(socket_, SHUT_WR); }

ibv_sge IbvEnd::sge(Place at, std::uint32_t bytes) {
    const Mr& region = regions_.at(at.area);
    return {reinterpret_cast<std::uint64_t>(memory(at, bytes).data()), bytes, region == nullptr ? 0 : region->lkey};
}

void IbvEnd::post_send(const applications::WorkRequest& what) {
    counts_.add(applications::count_of(what.verb));
    if (!what.signaled) counts_.add(Count::unsignaled);
    if (what.solicited) counts_.add(Count::solicited);
    sends_.ask(what);
    post_waiting();
}

void IbvEnd::post_waiting() {
    while (const std::optional<applications::WorkRequest> next = sends_.next()) post(*next);
    if (sends_.is_stuck()) board_.violates(connection_, "the send queue is full, none is signaled, and more wait");
}

void IbvEnd::post(const applications::WorkRequest& what) {
    ibv_sge from = sge(what.local, what.bytes);
    ibv_send_wr request{};
    request.wr_id = sends_.posted() - 1;
    request.sg_list = &from;
    request.num_sge = what.bytes == 0 ? 0 : 1;
    request.opcode = opcode_of(what.verb);
    if (what.signaled) request.send_flags |= IBV_SEND_SIGNALED;
    if (what.solicited) request.send_flags |= IBV_SEND_SOLICITED;
    if (rc::carries_payload(what.verb) && what.bytes <= inline_bytes_) request.send_flags |= IBV_SEND_INLINE;
    request.imm_data = htonl(what.immediate);
    request.wr.rdma.remote_addr = what.remote.address;
    request.wr.rdma.rkey = what.remote.key;
    ibv_send_wr* bad = nullptr;
    if (const int error = ibv_post_send(qp_.get(), &request, &bad); error != 0)
        throw std::runtime_error(std::string("ibv_post_send: ") + std::strerror(error));
    if (what.signaled) ++signaled_;
}

void IbvEnd::post_receive(Place at, std::uint32_t bytes, std::uint32_t tag) {
    ibv_sge to = sge(at, bytes);
    ibv_recv_wr request{};
    request.wr_id = kReceive + tag;
    request.sg_list = &to;
    request.num_sge = bytes == 0 ? 0 : 1;
    ibv_recv_wr* bad = nullptr;
    if (const int error = ibv_post_recv(qp_.get(), &request, &bad); error != 0)
        throw std::runtime_error(std::string("ibv_post_recv: ") + std::strerror(error));
}

void IbvEnd::watch(Place /*at*/, std::uint32_t /*tag*/) { throw std::logic_error("an application watches memory"); }

void IbvEnd::wake(std::uint32_t /*shared*/, std::uint32_t /*tag*/) {
    throw std::logic_error("an application shares memory");
}

void IbvEnd::register_area(std::uint32_t area, std::span<std::uint8_t> bytes) {
    regions_.at(area).reset(ibv_reg_mr(card_.pd(), bytes.data(), bytes.size(), kAccess));
}

void IbvEnd::register_memory(Place at, std::uint32_t bytes, std::uint32_t tag) {
    counts_.add(Count::registrations);
    register_area(at.area, memory(at, bytes));
    const Mr& region = regions_[at.area];
    over_.push_back({.what = Event::What::done,
                     .tag = tag,
                     .immediate = region == nullptr ? 0 : region->rkey,
                     .status = region == nullptr ? rc::Status::loc_prot : rc::Status::success});
}

void IbvEnd::deregister_memory(std::uint32_t area, std::uint32_t tag) {
    counts_.add(Count::deregistrations);
    regions_.at(area).reset();
    then(tag);
}

void IbvEnd::stream_send(Place from, std::uint32_t bytes) {
    counts_.add(Count::stream_sends);
    counts_.add(Count::stream_bytes, bytes);
    std::span<const std::uint8_t> left = memory(from, bytes);
    while (!left.empty()) {
        const ssize_t sent = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return;  // nothing more comes from there
        left = left.subspan(static_cast<std::size_t>(sent));
    }
    over_.push_back({.what = Event::What::sent});
}

bool IbvEnd::charge(ChargeKind kind, std::uint64_t amount, std::uint64_t of) {
    return rnicsim_charge != nullptr && rnicsim_charge(kind, amount, of) != 0;
}

void IbvEnd::copy(Place to, Place from, std::uint32_t bytes, std::uint32_t of) {
    counts_.add(Count::copied_bytes, bytes);
    charge(ChargeKind::copy, bytes, of);
    std::ranges::copy(memory(from, bytes), memory(to, bytes).begin());
}

void IbvEnd::touch(Place at, std::uint32_t bytes) {
    const std::span<std::uint8_t> all = memory(at, bytes);
    const auto first = reinterpret_cast<std::uintptr_t>(all.data());
    if (bytes != 0) charge(ChargeKind::touch, (first + bytes - 1) / kPage - first / kPage + 1);
    for (std::size_t i = 0; i < all.size(); i += kPage) {
        volatile std::uint8_t& byte = all[i];
        byte = byte;
    }
}

void IbvEnd::system_call() {
    counts_.add(Count::system_calls);
    charge(ChargeKind::system_call, 1);
    static_cast<void>(::syscall(SYS_getppid));
}

void IbvEnd::call() {
    counts_.add(Count::calls);
    charge(ChargeKind::call, 1);
}

void IbvEnd::work(Time cost) {
    if (charge(ChargeKind::work, static_cast<std::uint64_t>(cost.ps))) return;
    const Clock::time_point until = Clock::now() + nanoseconds(cost);
    while (Clock::now() < until) {}
}

void IbvEnd::set_up(Time cost) {
    counts_.add(Count::setups);
    work(cost);
}

void IbvEnd::after(Time time, std::uint32_t tag) { timers_.emplace_back(Clock::now() + nanoseconds(time), tag); }

std::span<std::uint8_t> IbvEnd::memory(Place at, std::uint32_t bytes) {
    std::vector<std::uint8_t>& area = areas_.at(at.area);
    if (at.offset + std::uint64_t{bytes} + 2 * kPage > area.size())
        throw std::logic_error("an application leaves its area");
    return std::span(area).subspan(page_of(area) + at.offset, bytes);
}

applications::Remote IbvEnd::remote(Place at) {
    const Mr& region = regions_.at(at.area);
    return {reinterpret_cast<std::uint64_t>(memory(at, 0).data()), region == nullptr ? 0 : region->rkey};
}

void IbvEnd::produce(Place at, std::uint32_t bytes, std::uint32_t operation) {
    fill(memory(at, bytes), message_key(connection_, 0, operation));
}

void IbvEnd::check(Place at, std::uint32_t bytes, std::uint32_t operation) {
    counts_.add(Count::checked_bytes, bytes);
    if (!is_filled(memory(at, bytes), message_key(connection_, 0, operation), 0))
        board_.differs(connection_, operation);
}

}  // namespace rnicsim::apps
