// SPDX-License-Identifier: Apache-2.0
// Connections by the connection manager, as librdmacm makes them.
#include "testbench/programs/protocol/flush_numbers.h"
#include "testbench/tests/programs/cm/cm_side.h"

#include <algorithm>
#include <array>

namespace rnicsim::programs {
namespace {

constexpr std::array<std::uint8_t, 3> kData{1, 2, 3};

rdma_ucm_conn_param param(std::uint32_t qpn, std::uint8_t serves, std::uint8_t reads) {
    rdma_ucm_conn_param out{};
    out.qp_num = qpn;
    out.responder_resources = serves;
    out.initiator_depth = reads;
    out.retry_count = 5;
    out.rnr_retry_count = static_cast<std::uint8_t>(qpn);
    std::ranges::copy(kData, out.private_data);
    out.private_data_len = kData.size();
    std::fill(std::begin(out.private_data) + kData.size(), std::end(out.private_data), std::uint8_t{0xAA});  // stack
    return out;
}

/// It has the data, and then zeros.
bool has_data(const rdma_ucm_conn_param& got, unsigned length) {
    return got.private_data_len == length &&
           std::ranges::equal(std::span(got.private_data).first(kData.size()), kData) &&
           std::ranges::all_of(std::span(got.private_data).subspan(kData.size()), [](auto byte) { return byte == 0; });
}

}  // namespace

TEST_CASE("cm: a connection, with its events, private data and depths of READs", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    const Handle listens = a.listener(7000);
    const Handle active = b.ask("10.0.0.1", 7000, param(2, 4, 8));
    const auto request = a.event();
    CHECK(CmTold{request.event} == CmTold::connect_request);
    CHECK(request.uid == 0x1001);  // of who listens
    CHECK(request.id != listens);
    CHECK(has_data(request.param.conn, 56));
    CHECK((request.param.conn.responder_resources == 8 && request.param.conn.initiator_depth == 4));
    CHECK((request.param.conn.qp_num == 2 && request.param.conn.retry_count == 5));

    const auto seen = a.route(request.id);
    CHECK((seen.num_paths == 1 && seen.port_num == 1));
    CHECK(ntohs(seen.src_addr.sin6_port) == 7000);
    const auto mine = b.route(active);
    CHECK(std::memcmp(&seen.dst_addr, &mine.src_addr, sizeof mine.src_addr) == 0);
    CHECK(std::memcmp(&seen.src_addr, &mine.dst_addr, sizeof mine.dst_addr) == 0);

    // The library changes the QP's state before it accepts.
    ib_uverbs_qp_attr rtr{}, rts{}, init{};
    CHECK(a.attributes(request.id, IBV_QPS_INIT, init) == 0);
    CHECK(init.qp_access_flags == (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
                                   kAccessFlushGlobal | kAccessFlushPersistent));
    CHECK(a.attributes(request.id, IBV_QPS_RTR, rtr) == 0);
    CHECK((rtr.dest_qp_num == 2 && rtr.max_dest_rd_atomic == 8 && rtr.path_mtu == 3));
    CHECK((rtr.ah_attr.is_global == 1 && rtr.ah_attr.grh.dgid[15] == 2));
    CHECK(a.attributes(request.id, IBV_QPS_RTS, rts) == 0);
    CHECK((rts.max_rd_atomic == 4 && rts.retry_cnt == 5 && rts.rnr_retry == 2 && rts.timeout == 17));

    CHECK(a.accept(request.id, param(3, 1, 7)) == 0);
    CHECK(b.attributes(active, IBV_QPS_ERR, init) == EINVAL);
    const auto response = b.event();
    CHECK(CmTold{response.event} == CmTold::connect_response);
    CHECK(has_data(response.param.conn, 196));
    ib_uverbs_qp_attr rtr_b{}, rts_b{};
    CHECK(b.attributes(active, IBV_QPS_RTR, rtr_b) == 0);
    CHECK(b.attributes(active, IBV_QPS_RTS, rts_b) == 0);
    CHECK((rtr_b.dest_qp_num == 3 && rtr_b.max_dest_rd_atomic == 7 && rts_b.max_rd_atomic == 1));
    CHECK((rts_b.retry_cnt == 5 && rts_b.rnr_retry == 3));
    CHECK((rtr_b.rq_psn == rts.sq_psn && rtr.rq_psn == rts_b.sq_psn));
    CHECK(!a.next());
    CHECK(b.ready(active) == 0);
    CHECK(a.told() == CmTold::established);
    CHECK(!b.next());  // the library makes its own

    CHECK(b.disconnect(active) == 0);
    CHECK(a.told() == CmTold::disconnected);
    CHECK(b.told() == CmTold::disconnected);
    CHECK(a.disconnect(request.id) == 0);  // its answer
    CHECK((!a.next() && !b.next()));
}

TEST_CASE("cm: who asks for more tries than messages have room for gets the most", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    a.listener(7000);
    rdma_ucm_conn_param many = param(2, 1, 1);
    many.retry_count = 15;  // libfabric's
    many.rnr_retry_count = 10;
    const Handle active = b.ask("10.0.0.1", 7000, many);
    const auto request = a.event();
    CHECK((request.param.conn.retry_count == 7 && request.param.conn.rnr_retry_count == 7));
    ib_uverbs_qp_attr rts{};
    CHECK(a.attributes(request.id, IBV_QPS_RTS, rts) == 0);
    CHECK((rts.retry_cnt == 7 && rts.rnr_retry == 7));
    CHECK(a.accept(request.id, many) == 0);
    CHECK(b.event().param.conn.rnr_retry_count == 7);
    CHECK(b.attributes(active, IBV_QPS_RTS, rts) == 0);
    CHECK((rts.retry_cnt == 7 && rts.rnr_retry == 7));
}

TEST_CASE("cm: who meets nobody that listens is rejected for reason 8, who is rejected for 28, with private data",
          "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    const Handle lonely = b.ask("10.0.0.1", 7000);
    auto event = b.event();
    CHECK((CmTold{event.event} == CmTold::rejected && event.status == 8 && event.id == lonely));
    a.listener(7000);
    b.ask("10.0.0.1", 7000);
    const Handle request = a.event().id;
    CHECK(a.reject(request, kData) == 0);
    event = b.event();
    CHECK((CmTold{event.event} == CmTold::rejected && event.status == 28));
    CHECK(has_data(event.param.conn, 148));
    CHECK(a.reject(request) == EINVAL);
    CHECK(a.accept(request) == EINVAL);
    // After the answer, the one that has asked may do so, too.
    const Handle again = b.ask("10.0.0.1", 7000);
    const Handle second = a.event().id;
    CHECK(a.accept(second) == 0);
    CHECK(b.told() == CmTold::connect_response);
    CHECK(b.reject(again) == 0);
    CHECK(a.told() == CmTold::rejected);
}

TEST_CASE("cm: a program's end tells its peers, in whatever state they are", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1), c(manager, 2);
    SECTION("connected") {
        a.listener(7000);
        const Pair pair(b, a, "10.0.0.1");
        a.die();
        CHECK(b.told() == CmTold::disconnected);
        CHECK(b.ready(pair.active) == EINVAL);
    }
    SECTION("the other one, connected") {
        a.listener(7000);
        const Pair pair(b, a, "10.0.0.1");
        b.die();
        CHECK(a.told() == CmTold::disconnected);
    }
    SECTION("asked, and the request was not fetched") {
        a.listener(7000);
        b.ask("10.0.0.1", 7000);
        a.die();
        CHECK(b.told() == CmTold::rejected);
    }
    SECTION("asked, and it was") {
        a.listener(7000);
        b.ask("10.0.0.1", 7000);
        a.event();
        a.die();
        CHECK(b.told() == CmTold::rejected);
    }
    SECTION("accepted, and the other one ends before it is ready") {
        a.listener(7000);
        b.ask("10.0.0.1", 7000);
        CHECK(a.accept(a.event().id) == 0);
        b.die();
        CHECK(a.told() == CmTold::rejected);
    }
    SECTION("asks, and ends before it is accepted: nobody is told, and to accept fails") {
        a.listener(7000);
        b.ask("10.0.0.1", 7000);
        b.die();
        CHECK(a.accept(a.event().id) == EINVAL);
        CHECK(!a.next());
    }
    SECTION("nothing listens any more") {
        a.listener(7000);
        a.die();
        c.ask("10.0.0.1", 7000);
        CHECK(c.event().status == 8);
    }
}

TEST_CASE("cm: an event is counted when it is fetched; others go with their identifier", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    const Handle listens = a.listener(7000);
    b.ask("10.0.0.1", 7000);
    b.ask("10.0.0.1", 7000);
    const Handle first = a.event().id;
    CHECK(a.destroy(listens) == 1);
    CHECK(!a.next());
    CHECK(b.told() == CmTold::rejected);  // the second, which nobody has heard of
    CHECK(!b.next());
    CHECK(a.accept(first) == 0);
    CHECK(b.told() == CmTold::connect_response);
    CHECK(a.destroy(first) == 0);
    CHECK(!a.destroy(first));
    CHECK(b.told() == CmTold::rejected);
}

TEST_CASE("cm: a descriptor is readable exactly while there are events, and its program hears of each", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    const Handle listens = a.listener(7000);
    CHECK(!a.readable());
    for (int i = 0; i < 500; ++i) b.ask("10.0.0.1", 7000);  // more than a socket has room for
    CHECK(a.readable());
    CHECK(std::ranges::count(manager.news, &a.program()) == 500);
    for (int i = 0; i < 499; ++i) a.event();
    CHECK(a.readable());
    CHECK(a.destroy(listens) == 499);
    CHECK(!a.readable());
}

TEST_CASE("cm: a process listens while one of its identifiers does", "[cm]") {
    Manager manager;
    Side a(manager, 0);
    const Handle id = a.create();
    CHECK(a.bind(id, "0.0.0.0", 7000) == 0);
    CHECK(!(*manager).listens(::getpid()));
    CHECK(a.listen(id) == 0);
    CHECK((*manager).listens(::getpid()));
    CHECK(!(*manager).listens(::getppid()));
    CHECK(a.destroy(id) == 0);
    CHECK(!(*manager).listens(::getpid()));
}

TEST_CASE("cm: no more requests wait than the backlog has room for", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    a.listener(7000, RDMA_PS_TCP, 2);
    b.ask("10.0.0.1", 7000);
    b.ask("10.0.0.1", 7000);
    CHECK(!b.next());
    b.ask("10.0.0.1", 7000);
    CHECK(b.event().status == 28);
    a.event();
    b.ask("10.0.0.1", 7000);
    CHECK(!b.next());
}

TEST_CASE("cm: datagrams have an address, a QPN and a key, and no connection", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    b.ask("10.0.0.1", 7000, {}, RDMA_PS_UDP);
    auto event = b.event();
    CHECK((CmTold{event.event} == CmTold::unreachable && event.status == 1));
    a.listener(7000, RDMA_PS_UDP);
    const Handle active = b.ask("10.0.0.1", 7000, param(2, 0, 0), RDMA_PS_UDP);
    const auto request = a.event();
    CHECK((request.param.ud.qp_num == 2 && request.param.ud.private_data_len == 180));
    ib_uverbs_qp_attr init{};
    CHECK(a.attributes(request.id, IBV_QPS_INIT, init) == 0);
    CHECK((init.qp_attr_mask == (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)));
    CHECK(init.qkey == 0x01234567);
    CHECK(a.accept(request.id, param(9, 0, 0)) == 0);
    CHECK(!a.next());
    event = b.event();
    CHECK(
        (CmTold{event.event} == CmTold::established && event.param.ud.qp_num == 9 && event.param.ud.qkey == init.qkey));
    CHECK((event.param.ud.ah_attr.is_global == 1 && event.param.ud.ah_attr.grh.dgid[15] == 1));
    CHECK(a.destroy(request.id) == 0);
    CHECK(!b.next());
    CHECK(b.destroy(active) == 3);
    b.ask("10.0.0.1", 7000, {}, RDMA_PS_UDP);
    CHECK(a.reject(a.event().id) == 0);
    event = b.event();
    CHECK((CmTold{event.event} == CmTold::unreachable && event.status == 2));
}

TEST_CASE("cm: an identifier goes to another channel with the events that it has", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    const Handle listens = a.listener(7000);
    b.ask("10.0.0.1", 7000);
    const Handle other = a.open();
    const Handle first = a.channel();
    a.use(other);
    rdma_ucm_migrate_resp back{99};
    CHECK(a.command(RDMA_USER_CM_CMD_MIGRATE_ID, rdma_ucm_migrate_id{kThere, listens, 0}, &back) == 0);
    CHECK(back.events_reported == 0);
    CHECK((!a.readable(0) && a.readable(1)));
    CHECK(a.close(first) == 0);  // without what has left it
    const auto request = a.event();
    CHECK(a.accept(request.id) == 0);
    CHECK(b.told() == CmTold::connect_response);
    CHECK(a.close(other) == 0);
    CHECK(b.told() == CmTold::rejected);
    CHECK(a.close(other) == EBADF);
}

TEST_CASE("cm: a message that comes before the other end is ready establishes the connection", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    a.listener(7000);
    const Handle active = b.ask("10.0.0.1", 7000);
    const Handle passive = a.event().id;
    CHECK(a.accept(passive) == 0);
    CHECK(a.command(RDMA_USER_CM_CMD_NOTIFY, rdma_ucm_notify{passive, IBV_EVENT_COMM_EST}) == 0);
    CHECK(a.told() == CmTold::established);
    CHECK(b.told() == CmTold::connect_response);
    CHECK(b.ready(active) == 0);
    CHECK(!a.next());  // once
}

}  // namespace rnicsim::programs
