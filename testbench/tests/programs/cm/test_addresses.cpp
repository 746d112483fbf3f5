// SPDX-License-Identifier: Apache-2.0
// Addresses, ports and options of the connection manager, and commands that it refuses.
#include "testbench/tests/programs/cm/cm_side.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace rnicsim::programs {
namespace {

std::string text(const sockaddr_in6& from) {
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (from.sin6_family == AF_INET6) return ::inet_ntop(AF_INET6, &from.sin6_addr, out.data(), out.size());
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, &from, sizeof ipv4);
    return ::inet_ntop(AF_INET, &ipv4.sin_addr, out.data(), out.size());
}

}  // namespace

TEST_CASE("cm: 10.0.x.y and 127.1.x.y are host x.y, and programs see 10.0.x.y", "[cm]") {
    Manager manager;
    Side b(manager, 1);
    for (const auto& [asked, seen] : {std::pair{"10.0.0.1", "10.0.0.1"},
                                      {"127.1.0.1", "10.0.0.1"},
                                      {"127.1.0.3", "10.0.0.3"},
                                      {"::ffff:10.0.0.3", "::ffff:10.0.0.3"},
                                      {"::ffff:127.1.0.1", "::ffff:10.0.0.1"}}) {
        const Handle id = b.create();
        CHECK(b.resolve(id, asked, 5) == 0);
        CHECK(b.told() == CmTold::address_resolved);
        const auto route = b.route(id);
        CHECK(text(route.dst_addr) == seen);
        CHECK((text(route.src_addr) == "10.0.0.2" || text(route.src_addr) == "::ffff:10.0.0.2"));
        CHECK(ntohs(route.dst_addr.sin6_port) == 5);
        CHECK(ntohs(route.src_addr.sin6_port) >= 32768);
        CHECK((route.node_guid != 0 && route.port_num == 1));
    }
    for (const char* const nobody : {"10.0.0.4", "10.0.0.0", "127.1.0.4", "10.1.0.1", "8.8.8.8", "fe80::1"}) {
        const Handle id = b.create();
        const bool loopback = std::string(nobody) == "127.1.0.4";
        CHECK(b.resolve(id, nobody, 5) == 0);
        const auto event = b.event();
        CHECK(CmTold{event.event} == (loopback ? CmTold::address_resolved : CmTold::address_error));
        if (!loopback) CHECK(static_cast<int>(event.status) == -EHOSTUNREACH);
    }
    const Handle id = b.create();
    sockaddr_in6 other{};
    other.sin6_family = AF_UNIX;
    CHECK(b.command(RDMA_USER_CM_CMD_RESOLVE_IP, rdma_ucm_resolve_ip{{}, other, id, 0}) == EAFNOSUPPORT);
    CHECK(b.command(RDMA_USER_CM_CMD_BIND_IP, rdma_ucm_bind_ip{0, other, id}) == EAFNOSUPPORT);
}

TEST_CASE("cm: 127.0.0.1 is the one other host that listens when somebody connects", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1), c(manager, 2);
    const Handle early = b.create();
    CHECK(b.resolve(early, "127.0.0.1", 7000) == 0);
    CHECK(b.told() == CmTold::address_resolved);
    CHECK(text(b.route(early).dst_addr) == "10.0.0.2");  // nobody listens: its own
    CHECK(b.command(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{early, 0}) == 0);
    CHECK(b.told() == CmTold::route_resolved);
    a.listener(7000);
    rdma_ucm_conn_param param{};
    param.valid = 1;
    CHECK(b.connect(early, param) == 0);
    CHECK(CmTold{a.event().event} == CmTold::connect_request);
    CHECK(text(b.route(early).dst_addr) == "10.0.0.1");
    b.ask("::1", 7000);
    CHECK(CmTold{a.event().event} == CmTold::connect_request);
    c.listener(7000);
    b.ask("127.0.0.1", 7000);  // which one?
    CHECK(b.event().status == 8);
    a.ask("127.0.0.1", 7000);  // not the own one
    CHECK(CmTold{c.event().event} == CmTold::connect_request);
    a.ask("10.0.0.1", 7000);  // the own one, by its address
    CHECK(CmTold{a.event().event} == CmTold::connect_request);
}

TEST_CASE("cm: a port is one identifier's on its host, in its port space", "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1), c(manager, 0);
    const Handle first = a.create();
    CHECK(a.bind(first, "0.0.0.0", 7000) == 0);
    CHECK(a.route(first).node_guid == 0);  // any card
    CHECK(c.bind(c.create(), "10.0.0.1", 7000) == EADDRINUSE);
    CHECK(b.bind(b.create(), "0.0.0.0", 7000) == 0);
    CHECK(c.bind(c.create(RDMA_PS_UDP), "0.0.0.0", 7000) == 0);
    CHECK(a.destroy(first) == 0);
    const Handle second = c.create();
    CHECK(c.bind(second, "127.0.0.1", 7000) == 0);
    CHECK(c.route(second).node_guid == guid_of(0));
    CHECK(c.bind(second, "0.0.0.0", 7001) == EINVAL);  // it is bound
    CHECK(b.bind(b.create(), "10.0.0.1", 7001) == EADDRNOTAVAIL);
    const Handle any = a.create(), other = a.create();
    CHECK((a.bind(any, "0.0.0.0", 0) == 0 && a.listen(other) == 0));
    CHECK(a.route(any).src_addr.sin6_port != a.route(other).src_addr.sin6_port);
}

TEST_CASE("cm: options are read from the program's memory", "[cm]") {
    Manager manager;
    Side a(manager, 0);
    const std::uint32_t on = 1;
    const std::uint8_t timeout = 14;
    const auto option = [&](Handle id, std::uint32_t name, const void* value, std::uint32_t bytes) {
        const rdma_ucm_set_option what{reinterpret_cast<std::uint64_t>(value), id, RDMA_OPTION_ID, name, bytes};
        return a.command(RDMA_USER_CM_CMD_SET_OPTION, what);
    };
    const Handle first = a.create(), second = a.create();
    CHECK(option(first, RDMA_OPTION_ID_REUSEADDR, &on, 4) == 0);
    CHECK(option(second, RDMA_OPTION_ID_REUSEADDR, &on, 4) == 0);
    CHECK((a.bind(first, "0.0.0.0", 7000) == 0 && a.bind(second, "0.0.0.0", 7000) == 0));
    CHECK((a.listen(first) == 0 && a.listen(second) == EADDRINUSE));
    CHECK(option(first, RDMA_OPTION_ID_REUSEADDR, &on, 1) == EINVAL);
    CHECK(option(first, RDMA_OPTION_ID_REUSEADDR, nullptr, 4) == EFAULT);
    CHECK(option(first, RDMA_OPTION_ID_TOS, &timeout, 1) == 0);

    Side b(manager, 1);
    b.ask("10.0.0.1", 7000);
    const Handle request = a.event().id;
    CHECK(option(request, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, 1) == 0);
    ib_uverbs_qp_attr rts{};
    CHECK(a.attributes(request, IBV_QPS_RTS, rts) == 0);
    CHECK(rts.timeout == 14);
}

TEST_CASE("cm: what comes at a wrong time is EINVAL, what is another program's ENOENT, what is not there EOPNOTSUPP",
          "[cm]") {
    Manager manager;
    Side a(manager, 0), b(manager, 1);
    const Handle id = a.create();
    rdma_ucm_conn_param param{};
    param.valid = 1;
    ib_uverbs_qp_attr attributes{};
    CHECK(a.command(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 0}) == EINVAL);
    CHECK(a.connect(id, param) == EINVAL);
    CHECK((a.accept(id) == EINVAL && a.ready(id) == EINVAL && a.reject(id) == EINVAL && a.disconnect(id) == EINVAL));
    CHECK(a.attributes(id, IBV_QPS_INIT, attributes) == EINVAL);
    CHECK(a.resolve(id, "10.0.0.2", 7000) == 0);
    CHECK(a.resolve(id, "10.0.0.2", 7000) == EINVAL);
    CHECK(a.attributes(id, IBV_QPS_INIT, attributes) == 0);
    CHECK(attributes.qp_access_flags == 0);
    CHECK(a.attributes(id, IBV_QPS_RTR, attributes) == EINVAL);
    CHECK(a.listen(id) == EINVAL);
    CHECK(b.listen(id) == ENOENT);
    CHECK(!b.destroy(id));
    CHECK(b.close(a.channel()) == EBADF);
    CHECK(a.command(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 0}) == 0);
    param.private_data_len = 57;
    CHECK(a.connect(id, param) == EINVAL);
    rdma_ucm_create_id_resp back{};
    CHECK(a.command(RDMA_USER_CM_CMD_CREATE_ID, rdma_ucm_create_id{1, kThere, 7, IBV_QPT_RC, {}}, &back) == EINVAL);
    for (const std::uint32_t number : {unsigned(RDMA_USER_CM_CMD_BIND), unsigned(RDMA_USER_CM_CMD_JOIN_MCAST), 77U})
        CHECK(a.command(number, rdma_ucm_bind{}) == EOPNOTSUPP);
    CHECK(a.write(a.channel(), {}).error == EINVAL);
    const rdma_ucm_cmd_hdr longer{RDMA_USER_CM_CMD_CREATE_ID, 100, 4};
    CHECK(a.write(a.channel(), std::as_bytes(std::span(&longer, 1))).error == EINVAL);
}

namespace {

/// Where a command has the number of its identifier.
std::size_t place_of_id(std::uint32_t command) {
    switch (command) {
        case RDMA_USER_CM_CMD_DESTROY_ID: return offsetof(rdma_ucm_destroy_id, id);
        case RDMA_USER_CM_CMD_BIND_IP: return offsetof(rdma_ucm_bind_ip, id);
        case RDMA_USER_CM_CMD_RESOLVE_IP: return offsetof(rdma_ucm_resolve_ip, id);
        case RDMA_USER_CM_CMD_QUERY_ROUTE: return offsetof(rdma_ucm_query, id);
        case RDMA_USER_CM_CMD_CONNECT: return offsetof(rdma_ucm_connect, id);
        case RDMA_USER_CM_CMD_ACCEPT: return offsetof(rdma_ucm_accept, id);
        case RDMA_USER_CM_CMD_INIT_QP_ATTR: return offsetof(rdma_ucm_init_qp_attr, id);
        case RDMA_USER_CM_CMD_SET_OPTION: return offsetof(rdma_ucm_set_option, id);
        case RDMA_USER_CM_CMD_MIGRATE_ID: return offsetof(rdma_ucm_migrate_id, id);
        default: return 0;
    }
}

}  // namespace

TEST_CASE("cm: each of a million random commands has one answer", "[cm]") {
    Manager manager;
    std::mt19937 random(1);
    const auto below = [&](std::size_t most) { return static_cast<std::uint32_t>(random() % most); };
    std::list<Side> sides;
    for (unsigned host = 0; host < kHosts; ++host) sides.emplace_back(manager, host);
    std::array<unsigned, 23> done{}, refused{};  // by command
    std::vector<unsigned> events(16);
    // Identifiers that are likely to be there, each with its host.
    std::array<std::pair<unsigned, Handle>, 6> known{};
    const auto know = [&](const Side& of, Handle id) { known[below(known.size())] = {of.program().host, id}; };
    for (int i = 0; i < 1'000'000; ++i) {
        const auto [host, id] = known[below(known.size())];
        const auto side = std::ranges::find_if(sides, [&, at = below(8) == 0 ? below(kHosts) : host](const Side& each) {
            return each.program().host == at;
        });
        if (below(5'000) == 0) {  // it ends, and another begins
            const unsigned at = side->program().host;
            side->die();
            sides.erase(side);
            sides.emplace_back(manager, at);
            continue;
        }
        // Small numbers, which are what families, lengths and states are.
        std::array<std::uint32_t, 80> words{};
        for (std::uint32_t& word : words) word = below(4) == 0 ? below(10) : 0;
        const std::span bytes = std::as_writable_bytes(std::span(words));
        const auto set = [&](std::size_t at, const auto& value) { std::memcpy(&bytes[at], &value, sizeof value); };
        auto number = below(done.size());
        if (below(3) == 0) number = RDMA_USER_CM_CMD_GET_EVENT;
        set(place_of_id(number), id);
        const sockaddr_in6 to =
            address(below(3) == 0 ? "127.0.0.1" : "10.0.0.1", static_cast<std::uint16_t>(7000 + below(2)));
        if (number == RDMA_USER_CM_CMD_CREATE_ID) set(0, rdma_ucm_create_id{7, kThere, RDMA_PS_TCP, IBV_QPT_RC, {}});
        if (number == RDMA_USER_CM_CMD_BIND_IP) set(offsetof(rdma_ucm_bind_ip, addr), to);
        if (number == RDMA_USER_CM_CMD_RESOLVE_IP) {
            set(offsetof(rdma_ucm_resolve_ip, src_addr), sockaddr_in6{});
            set(offsetof(rdma_ucm_resolve_ip, dst_addr), to);
        }
        const bool has_param = below(8) != 0;
        if (number == RDMA_USER_CM_CMD_CONNECT) set(offsetof(rdma_ucm_conn_param, valid), has_param);
        if (number == RDMA_USER_CM_CMD_ACCEPT && below(2) == 0)
            set(offsetof(rdma_ucm_accept, conn_param.valid), has_param);
        const std::size_t length = below(10) == 0 ? below(321) : 320;
        Reply command(
            rdma_ucm_cmd_hdr{number, static_cast<std::uint16_t>(length), static_cast<std::uint16_t>(below(400))});
        for (const std::byte each : bytes.first(length)) command.add(each);
        const Answer answer = side->write(side->channel(), command.bytes());
        ++(answer.error == 0 ? done : refused)[number];
        if (answer.error != 0 || answer.bytes.size() < sizeof(CmAnswer) + sizeof(Handle)) continue;
        if (number == RDMA_USER_CM_CMD_CREATE_ID) {
            Handle made = 0;
            std::memcpy(&made, &answer.bytes[sizeof(CmAnswer)], sizeof made);
            know(*side, made);
        }
        if (number == RDMA_USER_CM_CMD_GET_EVENT && answer.bytes.size() >= sizeof(CmAnswer) + 20) {
            rdma_ucm_event_resp told{};
            std::memcpy(&told, &answer.bytes[sizeof(CmAnswer)], answer.bytes.size() - sizeof(CmAnswer));
            ++events.at(told.event);
            know(*side, told.id);
        }
    }
    for (const unsigned number : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 12U, 15U, 18U}) {
        INFO("command " << number << ": " << done[number] << " done, " << refused[number] << " refused");
        CHECK((done[number] > 0 && refused[number] > 0));
    }
    for (const CmTold each : {CmTold::address_resolved, CmTold::route_resolved, CmTold::connect_request,
                              CmTold::connect_response, CmTold::rejected, CmTold::established, CmTold::disconnected}) {
        INFO("event " << static_cast<unsigned>(each));
        CHECK(events[static_cast<unsigned>(each)] > 0);
    }
}

}  // namespace rnicsim::programs
