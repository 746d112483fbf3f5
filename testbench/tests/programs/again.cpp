// SPDX-License-Identifier: Apache-2.0
// What a program does twice with the same objects, over the simulator: verbs_again PEER PORT listen|connect. Both sides
// run it; PEER is the number of the other host, from 1. A step that fails is said.
#include "testbench/tests/programs/two_hosts.h"

#include <unistd.h>

#include <array>
#include <string>

namespace calls {
namespace {

ibv_qp* create_qp(const Opened& card, ibv_srq* srq = nullptr) {
    ibv_qp_init_attr init = init_of(card, IBV_QPT_RC, srq);
    init.cap.max_send_sge = 1;
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    CHECK(qp != nullptr);
    return qp;
}

Peer described(const Opened& card, const ibv_qp* qp) {
    return {qp->qp_num, card.mr->rkey, reinterpret_cast<std::uint64_t>(card.memory)};
}

/// Both sides send `count` messages of 8 bytes and take all completions: sends 0.., receives 100.., in order.
void talk(const Opened& card, ibv_qp* qp, const Line& line, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) CHECK(post_receive(qp, 100 + i, card.sge(8 * i, 8)) == 0);
    line.meet();
    for (std::uint64_t i = 0; i < count; ++i) {
        ibv_sge from = card.sge(1024, 8);
        ibv_send_wr wr = send_of(i, IBV_WR_SEND, &from, 1);
        CHECK(post(qp, wr) == 0);
    }
    std::uint64_t sent = 0, received = 0;
    for (const ibv_wc& wc : poll(card.cq, 2 * count)) {
        CHECK(wc.status == IBV_WC_SUCCESS);
        CHECK(wc.wr_id == ((wc.opcode & IBV_WC_RECV) != 0 ? 100 + received++ : sent++));
    }
    ibv_wc more{};
    CHECK(ibv_poll_cq(card.cq, 1, &more) == 0);
    line.meet();
}

}  // namespace

/// RESET with completions that nobody has polled, then another connection; with more entries in its CQ, and fewer.
void reset_and_resize(Opened& card, unsigned peer_host, const Line& line) {
    ibv_qp* const qp = create_qp(card);
    for (int round = 0; round < 4; ++round) {
        const Peer peer = line.exchange(described(card, qp));
        connect_to(qp, peer_host, peer);
        talk(card, qp, line, 16);  // its rings are full once
        if (round == 0) CHECK(ibv_resize_cq(card.cq, 10'000) == 0);
        if (round == 1) CHECK(ibv_resize_cq(card.cq, 40) == 0);
        talk(card, qp, line, 11);  // and stand in the middle
        CHECK(post_receive(qp, 7, card.sge(0, 8)) == 0 && post_receive(qp, 8, card.sge(0, 8)) == 0);
        line.meet();
        ibv_sge from = card.sge(1024, 8);
        ibv_send_wr wr = send_of(9, IBV_WR_SEND, &from, 1);
        CHECK(post(qp, wr) == 0);
        ::usleep(1000);  // both have completed; a receive is left
        if (round == 2) CHECK(ibv_resize_cq(card.cq, 1) == EINVAL);
        line.meet();
        reset(qp);
        ibv_wc stale{};
        CHECK(ibv_poll_cq(card.cq, 1, &stale) == 0);
        line.meet();
    }
    CHECK(ibv_destroy_qp(qp) == 0);
}

/// The key stays, the memory behind it is another: the peer's WRITEs go there, and not to the old place.
void reregister(Opened& card, unsigned peer_host, const Line& line, bool first) {
    ibv_qp* const qp = create_qp(card);
    const Peer peer = line.exchange(described(card, qp));
    connect_to(qp, peer_host, peer);
    static std::array<char, 4096> other{};
    const std::uint32_t key = card.mr->rkey;
    CHECK(ibv_rereg_mr(card.mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, other.data(), other.size(), 0) == 0);
    CHECK(card.mr->rkey == key && card.mr->addr == other.data());
    const Peer moved = line.exchange({0, key, reinterpret_cast<std::uint64_t>(other.data())});
    other.front() = 'x';
    ibv_sge from{reinterpret_cast<std::uint64_t>(other.data()), 1, card.mr->lkey};
    ibv_send_wr wr = send_of(1, IBV_WR_RDMA_WRITE, &from, 1);
    wr.wr.rdma.remote_addr = moved.address + 5;
    wr.wr.rdma.rkey = moved.rkey;
    CHECK(post(qp, wr) == 0 && poll(card.cq, 1).front().status == IBV_WC_SUCCESS);
    line.meet();
    CHECK(other.at(5) == 'x');
    // Without the right to write the next one is refused.
    CHECK(ibv_rereg_mr(card.mr, IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, IBV_ACCESS_LOCAL_WRITE) == 0);
    line.meet();
    if (first) CHECK(post(qp, wr) == 0 && poll(card.cq, 1).front().status == IBV_WC_REM_ACCESS_ERR);
    line.meet();
    CHECK(ibv_rereg_mr(card.mr, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS, nullptr, card.memory,
                       Opened::kBytes, kAll) == 0);
    CHECK(ibv_destroy_qp(qp) == 0);
}

/// Rings of what is destroyed serve again: these would need many times the host's memory.
void make_and_destroy(Opened& card) {
    for (int i = 0; i < 600; ++i) {
        ibv_cq* const cq = ibv_create_cq(card.context, 60'000, nullptr, nullptr, 0);
        CHECK(cq != nullptr);
        ibv_qp_init_attr init = init_of(card);
        init.send_cq = init.recv_cq = cq;
        init.cap.max_send_sge = 1;
        init.cap.max_send_wr = init.cap.max_recv_wr = 4096;
        ibv_qp* const qp = ibv_create_qp(card.pd, &init);
        CHECK(qp != nullptr);
        CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0);
        if (i % 2 == 1) ::usleep(2000);
    }
}

/// What a QP has taken of an SRQ, and nobody has polled, is free again when the QP is destroyed.
void shared_receives(Opened& card, unsigned peer_host, const Line& line) {
    ibv_srq_init_attr wanted{};
    wanted.attr.max_wr = 8;
    wanted.attr.max_sge = 1;
    ibv_srq* const srq = ibv_create_srq(card.pd, &wanted);
    CHECK(srq != nullptr);
    for (int round = 0; round < 3; ++round) {
        ibv_qp* const qp = create_qp(card, srq);
        connect_to(qp, peer_host, line.exchange(described(card, qp)));
        std::uint64_t posted = 0;
        while (post_receive(srq, posted, card.sge(0, 8)) == 0) ++posted;
        CHECK(posted == (round == 0 ? 8U : 5U));
        line.meet();
        ibv_sge from = card.sge(1024, 8);
        for (int i = 0; i < 5; ++i) {
            ibv_send_wr wr = send_of(1, IBV_WR_SEND, &from, 1);
            CHECK(post(qp, wr) == 0);
        }
        ::usleep(1000);
        line.meet();
        CHECK(ibv_destroy_qp(qp) == 0);
    }
    CHECK(ibv_destroy_srq(srq) == 0);
}

}  // namespace calls

int main(int count, char** words) {
    CHECK(count == 4);
    const auto peer = static_cast<unsigned>(std::stoi(words[1]));
    const bool first = std::string(words[3]) == "listen";
    const calls::Line line(static_cast<std::uint16_t>(std::stoi(words[2])), first);
    calls::Opened card;
    calls::reset_and_resize(card, peer, line);
    calls::reregister(card, peer, line, first);
    calls::shared_receives(card, peer, line);
    if (first) calls::make_and_destroy(card);
    std::puts("done");
    return 0;
}
