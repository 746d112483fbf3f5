// SPDX-License-Identifier: Apache-2.0
// All calls in any order, with values at the limits of their fields: each may fail, none may end anything. Seeded by
// RNICSIM_FUZZ_SEED; RNICSIM_FUZZ_ROUNDS calls.
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace calls {
namespace {

unsigned number(const char* variable, unsigned fallback) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? fallback : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

class Random {
  public:
    explicit Random(const Opened& card) : card_(card), random_(number("RNICSIM_FUZZ_SEED", 1)) {
        CHECK(ibv_query_device(card.context, &limits_) == 0);
        constexpr std::size_t kBytes = std::size_t{1} << 34U;
        constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        memory_ = static_cast<char*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0));
        CHECK(memory_ != MAP_FAILED);
        CHECK(::fcntl(card.context->async_fd, F_SETFL, O_NONBLOCK) == 0);
    }

    void call() {
        switch (below(20)) {
            case 0: return make_pd();
            case 1: return make_cq();
            case 2: return make_region();
            case 3: return change_region();
            case 4: return make_srq();
            case 5:
            case 6: return make_qp();
            case 7:
            case 8:
            case 9: return modify_qp();
            case 10: return modify_others();
            case 11:
            case 12:
            case 13: return post_send();
            case 14: return post_receive();
            case 15: return poll();
            case 16: return make_channel();
            case 17: return make_ah();
            case 18: return query();
            default: return destroy();
        }
    }

  private:
    std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
    bool chance(unsigned of) { return below(of) == 0; }
    /// Nothing, little, the limit and its neighbours, all there is.
    std::uint32_t edge(std::uint32_t limit) {
        const std::array<std::uint32_t, 12> all{0,     1,         2,         3,           16,          limit - 1,
                                                limit, limit + 1, limit / 2, 0x7FFF'FFFF, 0x8000'0000, 0xFFFF'FFFF};
        return all.at(chance(3) ? below(all.size()) : below(5));
    }
    template <typename T>
    T* any(const std::vector<T*>& of) {
        return of.empty() ? nullptr : of[below(of.size())];
    }
    template <typename T>
    void keep(std::vector<T*>& in, T* what) {
        if (what != nullptr) in.push_back(what);
    }
    std::uint32_t bits() { return chance(3) ? static_cast<std::uint32_t>(random_()) : 1U << below(32); }

    void make_pd() { keep(pds_, ibv_alloc_pd(card_.context)); }
    void make_cq() {
        const int vector = chance(10) ? static_cast<int>(edge(1)) : 0;
        const auto cqes = static_cast<int>(edge(static_cast<std::uint32_t>(limits_.max_cqe)));
        keep(cqs_, ibv_create_cq(card_.context, cqes, nullptr, any(channels_), vector));
    }
    ibv_pd* pd() { return pds_.empty() || chance(4) ? card_.pd : any(pds_); }
    std::size_t bytes() {
        const std::array<std::size_t, 11> all{0,
                                              1,
                                              4096,
                                              65'536,
                                              std::size_t{1} << 21U,
                                              std::size_t{1} << 30U,
                                              std::size_t{1} << 33U,
                                              std::size_t{1} << 40U,
                                              std::size_t{1} << 47U,
                                              limits_.max_mr_size,
                                              ~std::size_t{0}};
        return all.at(chance(3) ? below(all.size()) : below(4));
    }
    char* place() {
        const std::array<char*, 5> all{memory_, memory_ + 4096 * below(100), memory_ + below(10'000), nullptr,
                                       memory_ + (std::size_t{1} << 34U) - 4096};
        return all.at(below(all.size()));
    }
    int access() { return chance(3) ? static_cast<int>(bits()) : kAll; }
    void make_region() {
        if (chance(3)) return keep(mrs_, ibv_reg_mr_iova2(pd(), place(), bytes(), random_(), bits()));
        keep(mrs_, (ibv_reg_mr)(pd(), place(), bytes(), access()));
    }
    void change_region() {
        ibv_mr* const mr = any(mrs_);
        if (mr == nullptr) return;
        (void)ibv_rereg_mr(mr, static_cast<int>(below(16)), pd(), place(), bytes(), access());
    }
    void make_srq() {
        ibv_srq_init_attr init{};
        init.attr.max_wr = edge(static_cast<std::uint32_t>(limits_.max_srq_wr));
        init.attr.max_sge = edge(static_cast<std::uint32_t>(limits_.max_srq_sge));
        init.attr.srq_limit = edge(init.attr.max_wr);
        keep(srqs_, ibv_create_srq(pd(), &init));
    }
    ibv_cq* cq() { return cqs_.empty() || chance(3) ? card_.cq : any(cqs_); }
    void make_qp() {
        ibv_qp_init_attr init{};
        init.send_cq = cq();
        init.recv_cq = cq();
        init.srq = chance(3) ? any(srqs_) : nullptr;
        init.qp_type = chance(10) ? static_cast<ibv_qp_type>(below(300)) : static_cast<ibv_qp_type>(2 + below(3));
        const auto most = static_cast<std::uint32_t>(limits_.max_qp_wr),
                   sges = static_cast<std::uint32_t>(limits_.max_sge);
        init.cap = {edge(most), edge(most), edge(sges), edge(sges), edge(912)};
        init.sq_sig_all = static_cast<int>(below(2));
        ibv_qp* const qp = ibv_create_qp(pd(), &init);
        keep(qps_, qp);
        if (qp != nullptr && !chance(3)) connect(qp, qp->qp_num);
    }
    void modify_qp() {
        ibv_qp* const qp = any(qps_);
        if (qp == nullptr) return;
        ibv_qp_attr to{};
        auto* const raw = reinterpret_cast<std::uint8_t*>(&to);
        for (std::size_t i = 0; i < sizeof to; ++i) raw[i] = static_cast<std::uint8_t>(chance(2) ? 0 : random_());
        to.qp_state = static_cast<ibv_qp_state>(below(9));
        to.path_mtu = static_cast<ibv_mtu>(below(8));
        to.port_num = to.ah_attr.port_num = static_cast<std::uint8_t>(chance(5) ? below(256) : 1);
        to.pkey_index = static_cast<std::uint16_t>(chance(5) ? below(65'536) : 0);
        to.ah_attr.is_global = static_cast<std::uint8_t>(chance(5) ? 0 : 1);
        if (!chance(4)) (void)ibv_query_gid(card_.context, 1, 0, &to.ah_attr.grh.dgid);
        if (!chance(4)) to.ah_attr.grh.sgid_index = 0;
        to.dest_qp_num = chance(2) ? qp->qp_num : static_cast<std::uint32_t>(random_());
        constexpr int kInit = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
        constexpr int kRtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
        constexpr int kRts = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                             IBV_QP_MAX_QP_RD_ATOMIC;
        const std::array<int, 5> masks{IBV_QP_STATE, kInit, kRtr, kRts, static_cast<int>(random_())};
        (void)ibv_modify_qp(qp, &to, masks.at(below(masks.size())));
    }
    void modify_others() {
        if (ibv_srq* const srq = any(srqs_); srq != nullptr) {
            ibv_srq_attr to{};
            to.max_wr = edge(100);
            to.srq_limit = edge(100);
            (void)ibv_modify_srq(srq, &to, static_cast<int>(below(8)));
        }
        if (!cqs_.empty())
            (void)ibv_resize_cq(any(cqs_), static_cast<int>(edge(static_cast<std::uint32_t>(limits_.max_cqe))));
        (void)ibv_req_notify_cq(cq(), static_cast<int>(below(2)));
    }
    ibv_sge sge() {
        ibv_mr* const mr = mrs_.empty() || chance(2) ? card_.mr : any(mrs_);
        const auto at = reinterpret_cast<std::uint64_t>(mr->addr);
        const std::uint32_t length = chance(8) ? edge(1U << 31U) : below(3000);
        return {chance(8) ? random_() : at + below(4096), length, chance(8) ? bits() : mr->lkey};
    }
    void post_send() {
        ibv_qp* const qp = any(qps_);
        if (qp == nullptr) return;
        std::array<ibv_sge, 32> sges{};
        std::ranges::generate(sges, [&] { return sge(); });
        std::array<ibv_send_wr, 3> wrs{};
        for (std::size_t i = 0; i < wrs.size(); ++i) {
            ibv_send_wr& wr = wrs.at(i);
            wr = send_of(i, static_cast<ibv_wr_opcode>(chance(10) ? below(40) : below(9)), sges.data(),
                         static_cast<int>(chance(10) ? edge(20) : below(4)),
                         chance(4) ? bits() : unsigned{IBV_SEND_SIGNALED});
            // What is inline the library reads at once: it has to be there. More SGEs than a QP has it does not look
            // at.
            const ibv_sge inside = card_.sge(0, below(1000));
            if ((wr.send_flags & IBV_SEND_INLINE) != 0) std::ranges::fill(sges, inside);
            const ibv_sge there = sge();
            wr.wr.rdma = {there.addr, there.lkey};
            if (is_atomic(wr.opcode)) wr.wr.atomic = {there.addr, random_(), random_(), there.lkey};
            if (qp->qp_type == IBV_QPT_UD) {
                if (ahs_.empty()) return;
                wr.wr.ud = {any(ahs_), chance(2) ? qp->qp_num : bits(), bits()};
            }
            if (i + 1 < wrs.size() && chance(2)) wr.next = &wrs.at(i + 1);
        }
        ibv_send_wr* bad = nullptr;
        (void)ibv_post_send(qp, wrs.data(), &bad);
    }
    static bool is_atomic(ibv_wr_opcode opcode) {
        return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
    }
    void post_receive() {
        std::array<ibv_sge, 32> sges{};
        std::ranges::generate(sges, [&] { return sge(); });
        ibv_recv_wr wr{1, nullptr, sges.data(), static_cast<int>(chance(5) ? edge(20) : below(4))};
        ibv_recv_wr* bad = nullptr;
        ibv_srq* const srq = any(srqs_);
        if (srq != nullptr && chance(2)) (void)ibv_post_srq_recv(srq, &wr, &bad);
        ibv_qp* const qp = any(qps_);
        if (qp != nullptr && qp->srq == nullptr) (void)ibv_post_recv(qp, &wr, &bad);
    }
    void poll() {
        std::array<ibv_wc, 64> all{};
        (void)ibv_poll_cq(cq(), static_cast<int>(below(all.size())), all.data());
        ibv_async_event event{};
        while (ibv_get_async_event(card_.context, &event) == 0) ibv_ack_async_event(&event);
        ibv_comp_channel* const channel = any(channels_);
        if (channel == nullptr) return;
        ibv_cq* of = nullptr;
        void* what = nullptr;
        while (ibv_get_cq_event(channel, &of, &what) == 0) ibv_ack_cq_events(of, 1);
    }
    void make_channel() {
        ibv_comp_channel* const channel = ibv_create_comp_channel(card_.context);
        if (channel != nullptr) CHECK(::fcntl(channel->fd, F_SETFL, O_NONBLOCK) == 0);
        keep(channels_, channel);
    }
    void make_ah() {
        ibv_ah_attr to{};
        to.is_global = static_cast<std::uint8_t>(below(2));
        to.port_num = static_cast<std::uint8_t>(edge(1));
        to.grh.flow_label = bits();
        to.grh.traffic_class = static_cast<std::uint8_t>(bits());
        to.grh.hop_limit = static_cast<std::uint8_t>(bits());
        to.grh.sgid_index = static_cast<std::uint8_t>(chance(3) ? bits() : 0);
        if (!chance(3)) (void)ibv_query_gid(card_.context, 1, 0, &to.grh.dgid);
        keep(ahs_, ibv_create_ah(pd(), &to));
    }
    void query() {
        ibv_port_attr port{};
        (void)ibv_query_port(card_.context, static_cast<std::uint8_t>(edge(1)), &port);
        union ibv_gid gid {};
        (void)ibv_query_gid(card_.context, static_cast<std::uint8_t>(edge(1)), static_cast<int>(edge(4)), &gid);
        __be16 key{};
        (void)ibv_query_pkey(card_.context, static_cast<std::uint8_t>(edge(1)), static_cast<int>(edge(1)), &key);
        ibv_qp_attr attributes{};
        ibv_qp_init_attr init{};
        if (!qps_.empty()) (void)ibv_query_qp(any(qps_), &attributes, static_cast<int>(random_()), &init);
        ibv_srq_attr of_srq{};
        if (!srqs_.empty()) (void)ibv_query_srq(any(srqs_), &of_srq);
    }
    template <typename T>
    void destroy_one(std::vector<T*>& in, int (*how)(T*)) {
        if (in.empty()) return;
        const std::uint32_t at = below(in.size());
        if (how(in[at]) == 0) in.erase(in.begin() + at);
    }
    void destroy() {
        poll();
        for (unsigned i = below(6); i != 0; --i) {
            switch (below(7)) {
                case 0: destroy_one(qps_, ibv_destroy_qp); break;
                case 1: destroy_one(cqs_, ibv_destroy_cq); break;
                case 2: destroy_one(srqs_, ibv_destroy_srq); break;
                case 3: destroy_one(mrs_, ibv_dereg_mr); break;
                case 4: destroy_one(channels_, ibv_destroy_comp_channel); break;
                case 5: destroy_one(ahs_, ibv_destroy_ah); break;
                default: destroy_one(pds_, ibv_dealloc_pd); break;
            }
        }
    }

    const Opened& card_;
    std::mt19937_64 random_;
    ibv_device_attr limits_{};
    char* memory_ = nullptr;
    std::vector<ibv_pd*> pds_;
    std::vector<ibv_cq*> cqs_;
    std::vector<ibv_mr*> mrs_;
    std::vector<ibv_srq*> srqs_;
    std::vector<ibv_qp*> qps_;
    std::vector<ibv_comp_channel*> channels_;
    std::vector<ibv_ah*> ahs_;
};

}  // namespace

CALLS_CASE(random_calls, "random_calls") {
    Opened card;
    Opened other;  // as another program would have it
    ibv_qp_init_attr init = init_of(other);
    ibv_qp* const qp = ibv_create_qp(other.pd, &init);
    connect(qp, qp->qp_num);
    Random random(card);
    const unsigned rounds = number("RNICSIM_FUZZ_ROUNDS", 4000);
    for (unsigned i = 0; i < rounds; ++i) {
        random.call();
        if (i % 50 != 0) continue;
        ibv_sge from = other.sge(0, 64);
        ibv_send_wr wr = send_of(i, IBV_WR_RDMA_WRITE, &from, 1);
        wr.wr.rdma = {reinterpret_cast<std::uint64_t>(other.memory) + 128, other.mr->rkey};
        CHECK(post(qp, wr) == 0);
        const ibv_wc wc = poll(other.cq, 1)[0];
        CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == i);
    }
    std::exit(0);
}

}  // namespace calls
