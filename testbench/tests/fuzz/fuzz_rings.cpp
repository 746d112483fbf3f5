// SPDX-License-Identifier: Apache-2.0
// Any bytes in the rings of a RoCEv2 RNIC's host, and any packets from its peer: WQEs as a broken driver writes them,
// headers as a broken peer sends them, in any order. The decisions touch nothing outside the host's regions, complete
// each WQE at most once and in order, and what is read is what was written.
#include "model/rnic/rc/rc_transport.h"
#include "model/rnic/rc/rings.h"
#include "testbench/tests/fuzz/fuzz.h"
#include "tlm/roce/codec.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>

namespace rnicsim::fuzz {
namespace {

using namespace rc;

constexpr std::uint32_t kQueue = 16;  // send WQEs
constexpr Peer kPeer{1};
constexpr Range kMemory{0x1'0000, 0x1'0000}, kReadOnly{0x4'0000, 0x1000};

/// Input, from the front; zeros when it is used up.
class Input {
  public:
    explicit Input(Bytes bytes) : rest_(bytes) {}
    [[nodiscard]] bool empty() const { return rest_.empty(); }
    std::uint8_t byte() {
        if (rest_.empty()) return 0;
        const std::uint8_t first = rest_.front();
        rest_ = rest_.subspan(1);
        return first;
    }
    template <std::size_t N>
    std::array<std::uint8_t, N> bytes() {
        std::array<std::uint8_t, N> taken{};
        const std::size_t some = std::min(N, rest_.size());
        std::copy_n(rest_.begin(), some, taken.begin());
        rest_ = rest_.subspan(some);
        return taken;
    }

  private:
    Bytes rest_;
};

SendWqe any_wqe(Input& input) {
    const auto bytes = input.bytes<kMostWqeBytes>();
    const SendWqe wqe = read_wqe(bytes).wqe;
    if (wqe.inline_data) return wqe;
    std::array<std::uint8_t, kMostWqeBytes> again{};
    const std::uint32_t length = wqe_bytes(wqe);
    require(length >= kWqeBlock && length <= kMostWqeBytes, "a WQE has one to sixteen blocks");
    write_wqe(std::span(again).first(length), wqe, Qpn{1}, 0, {});
    const SendWqe second = read_wqe(again).wqe;
    require(second.verb == wqe.verb && bytes_of(second) == bytes_of(wqe) && second.remote_key == wqe.remote_key,
            "a WQE that is written is read as the same");
    return wqe;
}

/// A card with one QP.
class Card final : public RcActions {
  public:
    Card(Service service, std::optional<PersistMode> mode) : rc_(RcConfig{}), service_(service) {
        key_ = rc_.regions()
                   .add(Pd{1}, kMemory,
                        kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic | kFlushVisible | kFlushPersistent |
                            kWritePersist)
                   .value();
        read_only_ = rc_.regions().add(Pd{1}, kReadOnly, kLocalRead).value();
        receives_ = rc_.create_receive_queue(false);
        QpInit init;
        init.service = service;
        init.pd = Pd{1};
        init.send_cq = Cqn{0};
        init.receive_cq = Cqn{1};
        init.receive_queue = receives_;
        init.send_queue_size = kQueue;
        init.persist = mode;
        qp_ = rc_.create_qp({}, init).value();
        connect();
    }

    /// RESET to RTS.
    void connect() {
        for (const QpState to : {QpState::init, QpState::rtr, QpState::rts})
            modify(to, needed_attributes(service_, rc_.qp(qp_)->state, to));
    }
    void modify(QpState to, AttributeMask mask) {
        QpAttributes a;
        a.access = kRemoteWrite | kRemoteRead | kRemoteAtomic | kFlushVisible | kFlushPersistent;
        a.peer = kPeer;
        a.dest_qpn = Qpn{7};
        a.path_mtu = 256;
        a.max_rd_atomic = a.max_dest_rd_atomic = 2;
        rc_.modify_qp(now_, qp_, to, mask, a, *this);
    }

    void step(Input& input) {
        now_ += kNanosecond * input.byte();
        switch (input.byte() % 13) {
            case 0: {
                const SendWqe wqe = any_wqe(input);
                ++posted_;  // a QP in ERR flushes it at once
                if (!rc_.on_push(now_, qp_, wqe, *this)) --posted_;
                break;
            }
            case 1: {
                const std::uint32_t count = input.byte() % kQueue;
                posted_ += count;
                if (!rc_.on_post(now_, qp_, count, *this)) posted_ -= count;
                break;
            }
            case 2: fetched(input); break;
            case 3: receives_fetched(input); break;
            case 4:
            case 5: packet(input); break;
            case 6: send(Lane::request); break;
            case 7: send(Lane::answer); break;
            case 8:
                if (placed_ != 0) {
                    --placed_;
                    rc_.on_placed(now_, qp_);
                }
                break;
            case 9:
                if (!atomics_.empty()) {
                    const AtomicJob job = atomics_.front();
                    atomics_.pop_front();
                    rc_.on_atomic_done(now_, job.qp, job.psn, input.byte());
                }
                break;
            case 10: {
                const Time due = rc_.next_deadline();
                if (due != kEndOfTime) now_ = std::max(now_, due);
                rc_.on_timer(now_, *this);
                break;
            }
            case 11: again(input); break;
            case 12:
                if (persists_.empty()) break;
                rc_.on_persisted(now_, qp_, persists_.front().psn, *this);
                persists_.pop_front();
                if (held_) take(*std::exchange(held_, {}));
                break;
        }
    }

  private:
    /// The driver brings the QP into another state; a legal path back leads through RESET.
    void again(Input& input) {
        constexpr std::array<QpState, 4> kTo{QpState::error, QpState::sqd, QpState::rts, QpState::reset};
        const QpState to = kTo.at(input.byte() % kTo.size());
        if (to != QpState::reset) return modify(to, attribute::kNone);
        if (placed_ != 0 || !atomics_.empty() || fetches_ != 0 || receives_asked_) return;
        persists_.clear();
        modify(to, attribute::kNone);
        posted_ = completed_ = 0;
        connect();
    }

    void fetched(Input& input) {
        if (fetches_ == 0) return;
        --fetches_;
        rc_.on_fetched(now_, qp_, any_wqe(input), *this);
    }
    void receives_fetched(Input& input) {
        if (!receives_asked_) return;
        receives_asked_ = false;
        std::array<ReceiveWqe, 8> wqes{};
        const std::size_t count = input.byte() % (wqes.size() + 1);
        for (ReceiveWqe& wqe : std::span(wqes).first(count)) {
            wqe.index = received_++;
            wqe.sges = read_receive(input.bytes<kReceiveWqeBytes>());
        }
        rc_.on_fetched_receives(now_, receives_, std::span(wqes).first(count), *this);
        if (held_) take(*std::exchange(held_, {}));
    }

    void packet(Input& input) {
        const std::uint8_t length = input.byte();
        const auto bytes = input.bytes<64>();
        roce::Header header;
        if (roce::decode(std::span(bytes).first(std::min<std::size_t>(length, bytes.size())), header) !=
            roce::Error::none)
            return;
        // Most reach the QP, near the PSNs that it knows; else little would happen.
        if ((length & 1U) == 0) header.to = qp_;
        if ((length & 2U) == 0) header.psn = roce::Psn{header.psn.n & 0x1FU};
        if ((length & 4U) == 0 && header.payload != 0) header.payload = 256;
        if ((length & 8U) == 0) header.key = key_;
        if ((length & 16U) == 0) header.address = kMemory.address + (header.address & 0xFFF8U);
        if (!held_) take(header);  // nothing of a QP passes a packet that waits
    }
    void take(const roce::Header& header) {
        in_hand_ = &header;
        if (rc_.on_packet(now_, kPeer, header, *this) == Taken::later) held_ = header;
        in_hand_ = nullptr;
    }
    void send(Lane lane) {
        const auto packet = rc_.next_packet(now_, lane, *this);
        if (!packet) return;
        require(packet->header.payload <= 4096, "a packet has no more payload than any PMTU");
        std::uint32_t bytes = 0;
        for (const Segment& piece : packet->from) {
            inside(piece);
            bytes += piece.length;
        }
        require(packet->from_wqe || bytes == packet->header.payload, "a packet's payload is read from where it is");
        if (packet->tells_sent) rc_.on_sent(now_, qp_, *this);
    }
    static void inside(const Segment& piece) {
        const auto lies_in = [&](const Range& range) {
            return piece.address >= range.address && piece.address - range.address + piece.length <= range.length;
        };
        require(lies_in(kMemory) || lies_in(kReadOnly), "nothing is touched outside the regions (V-I1)");
    }

    // RcActions
    void fetch_wqe(const SendFetch& fetch) override {
        require(fetch.count != 0 && fetch.count <= kQueue, "as many WQEs are read as there may be");
        fetches_ += fetch.count;
    }
    void fetch_receives(ReceiveQueueNumber /*queue*/) override { receives_asked_ = true; }
    void read_record(ReceiveQueueNumber /*queue*/) override {}  // no limit is armed
    void place(const Placement& placement) override {
        require(in_hand_ != nullptr, "a payload is placed with its packet");
        for (const Segment& piece : placement.to) {
            inside(piece);
            require(piece.address < kReadOnly.address, "nothing is written where it must not be");
        }
        if (placement.of_request) ++placed_;
    }
    void atomic(const AtomicJob& job) override {
        inside({job.address, kAtomicBytes});
        require(job.address % kAtomicBytes == 0, "atomics are aligned (V-S8)");
        atomics_.push_back(job);
    }
    void persist(const PersistJob& job) override {
        if (job.address) inside({*job.address, 1});
        persists_.push_back(job);
    }
    void complete(const Completion& completion) override {
        if (completion.receive) return;
        require(completion.index - completed_ < posted_ - completed_, "each WQE completes once, in order (V-C7)");
        completed_ = completion.index + 1;
    }
    void event(const AsyncEvent& /*event*/) override {}

    RcTransport rc_;
    const Service service_;
    std::uint32_t key_ = 0, read_only_ = 0;
    ReceiveQueueNumber receives_{};
    Qpn qp_;
    Time now_;
    std::uint32_t posted_ = 0, completed_ = 0, fetches_ = 0, placed_ = 0, received_ = 0;
    bool receives_asked_ = false;
    std::deque<AtomicJob> atomics_;
    std::deque<PersistJob> persists_;
    std::optional<roce::Header> held_;
    const roce::Header* in_hand_ = nullptr;
};

void check(Bytes bytes) {
    Input input(bytes);
    constexpr std::array<Service, 3> kServices{Service::reliable, Service::unreliable, Service::datagram};
    const Service service = kServices.at(input.byte() % kServices.size());
    const std::uint8_t mode = input.byte();
    std::optional<PersistMode> persist;
    if ((mode & 1U) != 0) {
        persist = PersistMode{(mode & 2U) != 0 ? PersistMark::range : PersistMark::opcode,
                              (mode & 4U) != 0 ? PersistPack::psn_only : PersistPack::opcode, (mode & 8U) != 0,
                              (mode & 16U) != 0};
    }
    Card card(service, persist);
    while (!input.empty()) card.step(input);
}

}  // namespace
}  // namespace rnicsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rnicsim::fuzz::check({data, size});
    return 0;
}
