// SPDX-License-Identifier: Apache-2.0
// Programs at the connection manager, without processes: commands as librdmacm writes them, and what comes back.
#pragma once

#include "testbench/programs/server/cm.h"
#include "testbench/programs/server/values.h"

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <list>
#include <optional>
#include <span>
#include <vector>

namespace rnicsim::programs {

inline constexpr unsigned kHosts = 3;
inline constexpr std::uint64_t kThere = 0x7f0012345678;  // where a program wants its answer

class Manager {
  public:
    Manager() : manager_({3, 3, 4}, [this](Program& program) { news.push_back(&program); }) {}
    ConnectionManager& operator*() { return manager_; }
    Program& program(unsigned host) {
        Program& made = programs_.emplace_back();
        made.process = ::getpid();
        made.host = host;
        return made;
    }
    std::vector<Program*> news;

  private:
    std::list<Program> programs_;
    ConnectionManager manager_;
};

class Answer final : public Caller {
  public:
    explicit Answer(Program& of) : program_(of) {}
    [[nodiscard]] Program& program() override { return program_; }
    void answer(Time, int number, const Reply& reply, int sent) override {
        ++times;
        error = number;
        bytes.assign(reply.bytes().begin(), reply.bytes().end());
        if (sent >= 0) descriptor = ::dup(sent);
    }
    template <typename T>
    T as() const {
        T out{};
        std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof out));
        return out;
    }
    unsigned times = 0;
    int error = -1, descriptor = -1;
    std::vector<std::byte> bytes;

  private:
    Program& program_;
};

inline sockaddr_in6 address(const char* text, std::uint16_t port) {
    sockaddr_in6 out{};
    if (::inet_pton(AF_INET6, text, &out.sin6_addr) == 1) {
        out.sin6_family = AF_INET6;
    } else {
        sockaddr_in ipv4{};
        ipv4.sin_family = AF_INET;
        REQUIRE(::inet_pton(AF_INET, text, &ipv4.sin_addr) == 1);
        std::memcpy(&out, &ipv4, sizeof ipv4);
    }
    out.sin6_port = htons(port);
    return out;
}

/// A program with an open /dev/infiniband/rdma_cm.
class Side {
  public:
    Side(Manager& manager, unsigned host) : manager_(manager), program_(manager.program(host)) { channel_ = open(); }
    ~Side() {
        for (const int each : descriptors_) ::close(each);
    }
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;

    Handle open() {
        Answer answer(program_);
        (*manager_).call(answer, Op::cm_open, {}, {});
        REQUIRE(answer.error == 0);
        descriptors_.push_back(answer.descriptor);
        return answer.as<Made>().handle;
    }
    int close(Handle channel) {
        Answer answer(program_);
        (*manager_).call(answer, Op::cm_close, std::as_bytes(std::span(&channel, 1)), {});
        return answer.error;
    }
    Answer write(Handle channel, std::span<const std::byte> command) {
        Reply request(CmCommand{channel, 0});
        for (const std::byte each : command) request.add(each);
        Answer answer(program_);
        (*manager_).call(answer, Op::cm_command, request.bytes(), {});
        REQUIRE(answer.times == 1);
        return answer;
    }
    /// The errno; what comes back goes to `to`.
    template <typename Command, typename Back = int>
    int command(std::uint32_t number, const Command& what, Back* to = nullptr) {
        Reply bytes(rdma_ucm_cmd_hdr{number, sizeof what, static_cast<std::uint16_t>(to == nullptr ? 0 : sizeof *to)});
        bytes.add(what);
        const Answer answer = write(channel_, bytes.bytes());
        if (answer.error != 0 || to == nullptr) return answer.error;
        REQUIRE(answer.bytes.size() == sizeof(CmAnswer) + sizeof *to);
        REQUIRE(answer.as<CmAnswer>().to == kThere);
        std::memcpy(to, answer.bytes.data() + sizeof(CmAnswer), sizeof *to);
        return 0;
    }

    Handle create(std::uint16_t space = RDMA_PS_TCP, std::uint64_t uid = 0) {
        rdma_ucm_create_id_resp back{};
        const bool datagram = space == RDMA_PS_UDP;
        const std::uint8_t type = datagram ? IBV_QPT_UD : IBV_QPT_RC;
        REQUIRE(command(RDMA_USER_CM_CMD_CREATE_ID,
                        rdma_ucm_create_id{uid == 0 ? ++uid_ : uid, kThere, space, type, {}}, &back) == 0);
        return back.id;
    }
    /// Events that were fetched.
    std::optional<std::uint32_t> destroy(Handle id) {
        rdma_ucm_destroy_id_resp back{};
        const int error = command(RDMA_USER_CM_CMD_DESTROY_ID, rdma_ucm_destroy_id{kThere, id, 0}, &back);
        return error == 0 ? std::optional(back.events_reported) : std::nullopt;
    }
    int bind(Handle id, const char* to, std::uint16_t port) {
        return command(RDMA_USER_CM_CMD_BIND_IP, rdma_ucm_bind_ip{0, address(to, port), id});
    }
    int listen(Handle id, std::uint32_t backlog = 0) {
        return command(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{id, backlog});
    }
    int resolve(Handle id, const char* to, std::uint16_t port) {
        return command(RDMA_USER_CM_CMD_RESOLVE_IP, rdma_ucm_resolve_ip{{}, address(to, port), id, 1000});
    }
    rdma_ucm_query_route_resp route(Handle id) {
        rdma_ucm_query_route_resp back{};
        CHECK(command(RDMA_USER_CM_CMD_QUERY_ROUTE, rdma_ucm_query{kThere, id, 0}, &back) == 0);
        return back;
    }
    int connect(Handle id, const rdma_ucm_conn_param& param) {
        return command(RDMA_USER_CM_CMD_CONNECT, rdma_ucm_connect{param, id, 0, {}});
    }
    /// From its creation on, with the events in between.
    Handle ask(const char* host, std::uint16_t port, rdma_ucm_conn_param param = {},
               std::uint16_t space = RDMA_PS_TCP) {
        const Handle id = create(space);
        param.valid = 1;
        REQUIRE(resolve(id, host, port) == 0);
        REQUIRE(event().event == std::uint32_t(CmTold::address_resolved));
        REQUIRE(command(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 1000}) == 0);
        REQUIRE(event().event == std::uint32_t(CmTold::route_resolved));
        REQUIRE(connect(id, param) == 0);
        return id;
    }
    Handle listener(std::uint16_t port, std::uint16_t space = RDMA_PS_TCP, std::uint32_t backlog = 0) {
        const Handle id = create(space);
        REQUIRE(bind(id, "0.0.0.0", port) == 0);
        REQUIRE(listen(id, backlog) == 0);
        return id;
    }
    int accept(Handle id, rdma_ucm_conn_param param = {}) {
        param.valid = 1;
        return command(RDMA_USER_CM_CMD_ACCEPT, rdma_ucm_accept{++uid_, param, id, 0, {}});
    }
    int ready(Handle id) { return command(RDMA_USER_CM_CMD_ACCEPT, rdma_ucm_accept{0, {}, id, 0, {}}); }
    int reject(Handle id, std::span<const std::uint8_t> data = {}) {
        rdma_ucm_reject what{id, static_cast<std::uint8_t>(data.size()), 0, {}, {}};
        std::ranges::copy(data, what.private_data);
        return command(RDMA_USER_CM_CMD_REJECT, what);
    }
    int disconnect(Handle id) { return command(RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{id}); }
    int attributes(Handle id, ibv_qp_state state, ib_uverbs_qp_attr& to) {
        return command(RDMA_USER_CM_CMD_INIT_QP_ATTR, rdma_ucm_init_qp_attr{kThere, id, std::uint32_t(state)}, &to);
    }
    /// None: there is no event.
    std::optional<rdma_ucm_event_resp> next() {
        rdma_ucm_event_resp back{};
        const int error = command(RDMA_USER_CM_CMD_GET_EVENT, rdma_ucm_get_event{kThere}, &back);
        if (error == EAGAIN) return {};
        REQUIRE(error == 0);
        return back;
    }
    rdma_ucm_event_resp event() {
        const auto got = next();
        REQUIRE(got);
        return *got;
    }
    CmTold told() { return static_cast<CmTold>(event().event); }
    [[nodiscard]] bool readable(std::size_t which = 0) const {
        pollfd of{descriptors_.at(which), POLLIN, 0};
        return ::poll(&of, 1, 0) == 1;
    }
    void die() {
        program_.gone = true;
        (*manager_).forget(program_);
    }
    void use(Handle channel) { channel_ = channel; }
    [[nodiscard]] Program& program() const { return program_; }
    [[nodiscard]] Handle channel() const { return channel_; }

  private:
    Manager& manager_;
    Program& program_;
    Handle channel_ = 0;
    std::uint64_t uid_ = 0x1000;
    std::vector<int> descriptors_;
};

/// A connection of two programs, from the request on.
struct Pair {
    Pair(Side& asks, Side& listens, const char* host) {
        active = asks.ask(host, 7000);
        passive = listens.event().id;
        REQUIRE(listens.accept(passive) == 0);
        REQUIRE(asks.told() == CmTold::connect_response);
        REQUIRE(asks.ready(active) == 0);
        REQUIRE(listens.told() == CmTold::established);
    }
    Handle active = 0, passive = 0;
};

}  // namespace rnicsim::programs
