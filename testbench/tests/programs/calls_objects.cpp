// SPDX-License-Identifier: Apache-2.0
// The device and the making of objects, with what is wrong in their arguments.
#include "testbench/programs/library/directory.h"
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace calls;

CALLS_CASE(device, "the device has the limits, the port and the GID that the simulator says") {
    const Opened card;
    ibv_device_attr device{};
    CHECK(ibv_query_device(card.context, &device) == 0);
    CHECK(device.max_qp == 1000 && device.max_cqe == 1 << 20 && device.atomic_cap == IBV_ATOMIC_HCA);
    ibv_port_attr port{};
    CHECK(ibv_query_port(card.context, 1, &port) == 0);
    CHECK(port.state == IBV_PORT_ACTIVE && port.active_mtu == IBV_MTU_1024 &&
          port.link_layer == IBV_LINK_LAYER_ETHERNET);
    CHECK(port.active_width == 2 && port.active_speed == 32 && port.gid_tbl_len == 8);  // 4 x 25 Gbit/s
    CHECK(ibv_query_port(card.context, 2, &port) == EINVAL);
    ibv_gid gid{};
    CHECK(ibv_query_gid(card.context, 1, 0, &gid) == 0 && gid.raw[12] == 10 && gid.raw[15] == 1);
    CHECK(ibv_query_gid(card.context, 1, 3, &gid) == 0 && gid.raw[12] == 0);
    CHECK(ibv_query_gid(card.context, 1, 8, &gid) == -1);
    ibv_gid_entry entries[4];
    CHECK(ibv_query_gid_table(card.context, entries, 4, 0) == 1 && entries[0].gid_type == IBV_GID_TYPE_ROCE_V2);
    CHECK(ibv_query_gid_ex(card.context, 1, 1, entries, 0) == ENODATA);
    __be16 pkey = 0;
    CHECK(ibv_query_pkey(card.context, 1, 0, &pkey) == 0 && pkey == 0xffff &&
          ibv_query_pkey(card.context, 1, 1, &pkey) == -1);
}

CALLS_CASE(regions,
           "regions: wrong flags and lengths are EINVAL, rereg_mr keeps the old region then; a PD in use is EBUSY") {
    const Opened card;
    CHECK(fails(ibv_reg_mr(card.pd, card.memory, 4096, int{IBV_ACCESS_REMOTE_WRITE}), EINVAL));
    CHECK(fails(ibv_reg_mr(card.pd, card.memory, 0, 0), EINVAL));
    CHECK(fails(ibv_reg_mr(card.pd, card.memory, 4096, 1 << 12), EINVAL));
    CHECK(fails(ibv_reg_mr(card.pd, card.memory, 4096, int{IBV_ACCESS_ON_DEMAND}), EOPNOTSUPP));
    CHECK(fails(ibv_reg_mr_iova(card.pd, card.memory, 4096, 0x10001, kAll), EINVAL));
    CHECK(ibv_rereg_mr(card.mr, 0, nullptr, nullptr, 0, 0) == IBV_REREG_MR_ERR_INPUT && errno == EINVAL);
    CHECK(ibv_rereg_mr(card.mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, nullptr, 10, 0) == IBV_REREG_MR_ERR_INPUT);
    CHECK(ibv_rereg_mr(card.mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, card.memory, 4096, 0) == 0);
    CHECK(card.mr->length == 4096 && card.mr->addr == card.memory);
    CHECK(ibv_dealloc_pd(card.pd) == EBUSY);
}

CALLS_CASE(sizes, "CQs, SRQs and QPs larger than the card has them are EINVAL, other QPs EOPNOTSUPP") {
    const Opened card;
    CHECK(fails(ibv_create_cq(card.context, 0, nullptr, nullptr, 0), EINVAL));
    CHECK(fails(ibv_create_cq(card.context, (1 << 20) + 1, nullptr, nullptr, 0), EINVAL));
    CHECK(fails(ibv_create_cq(card.context, 1, nullptr, nullptr, 1), EINVAL));
    ibv_qp_init_attr init = init_of(card);
    init.cap.max_send_wr = 16385;
    CHECK(fails(ibv_create_qp(card.pd, &init), EINVAL));
    init = init_of(card);
    init.cap.max_inline_data = 221;
    CHECK(fails(ibv_create_qp(card.pd, &init), EINVAL));
    init = init_of(card, IBV_QPT_RAW_PACKET);
    CHECK(fails(ibv_create_qp(card.pd, &init), EOPNOTSUPP));
    ibv_srq_init_attr srq{nullptr, {.max_wr = 16385, .max_sge = 1, .srq_limit = 0}};
    CHECK(fails(ibv_create_srq(card.pd, &srq), EINVAL));
    CHECK(ibv_resize_cq(card.cq, 8192) == 0 && card.cq->cqe == 8192 && ibv_resize_cq(card.cq, 0) == EINVAL);
}

CALLS_CASE(states, "modify_qp refuses a path without GRH, another port, an alternate path; query_qp has what was set") {
    const Opened card;
    ibv_qp_init_attr init = init_of(card);
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = 2;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == EINVAL);
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_ALT_PATH) == EOPNOTSUPP && ibv_modify_qp(qp, &to, 1 << 30) == EINVAL);
    connect(qp, qp->qp_num);
    to = {};
    to.ah_attr.port_num = 1;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_AV) == EINVAL);
    ibv_qp_init_attr made{};
    CHECK(ibv_query_qp(qp, &to, IBV_QP_STATE, &made) == 0);
    CHECK(to.qp_state == IBV_QPS_RTS && to.path_mtu == IBV_MTU_1024 && to.timeout == 14 &&
          to.dest_qp_num == qp->qp_num);
    CHECK(to.ah_attr.grh.dgid.raw[12] == 10 && made.cap.max_send_wr == 16 && made.send_cq == card.cq);
    CHECK(ibv_destroy_cq(card.cq) == EBUSY);
    CHECK(ibv_destroy_qp(qp) == 0);
}

CALLS_CASE(refused, "what is not there fails with EOPNOTSUPP") {
    Pair pair;
    for (int twice = 0; twice < 2; ++twice) {
        CHECK(fails(ibv_alloc_mw(pair.pd, IBV_MW_TYPE_1), EOPNOTSUPP));
        CHECK(fails(ibv_attach_mcast(pair.a, nullptr, 0), EOPNOTSUPP));
        ibv_xrcd_init_attr xrcd{};
        CHECK(fails(ibv_open_xrcd(pair.context, &xrcd), EOPNOTSUPP));
        CHECK(fails(ibv_reg_dmabuf_mr(pair.pd, 0, 4096, 0, -1, 0), EOPNOTSUPP));
        ibv_modify_cq_attr moderation{};
        CHECK(fails(ibv_modify_cq(pair.cq, &moderation), EOPNOTSUPP));
    }
}

CALLS_CASE(directory, "a directory finds what was put, and a number is not given again soon") {
    static rnicsim::programs::Directory<int> all;
    int one = 1, other = 2;
    CHECK(all.find(0x123456) == nullptr && all.put(0x123456, &one) && all.find(0x123456) == &one);
    CHECK(!all.put(1U << 24, &one) && all.find(1ULL << 32) == nullptr);
    CHECK(all.number(&other) == 1 && all.number(&one) == 2);
    all.remove(1);
    CHECK(all.find(1) == nullptr && all.number(&one) == 3);
}

CALLS_CASE(child, "a forked child has a connection of its own, and its end leaves the parent's objects") {
    Pair pair;
    const pid_t child = fork();
    if (child == 0) {
        { const Pair own; }
        CHECK(ibv_dealloc_pd(pair.pd) == EINVAL);
        _exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    ibv_sge from = pair.sge(0, 8);
    ibv_send_wr wr = send_of(1, IBV_WR_SEND, &from, 1);
    CHECK(post_receive(pair.b, 2, pair.sge(64, 8)) == 0 && post(pair.a, wr) == 0);
    CHECK(poll(pair.cq, 2).size() == 2);
}
