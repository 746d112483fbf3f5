// SPDX-License-Identifier: Apache-2.0
// The connection manager: what a program asks of /dev/infiniband/rdma_cm, with the kernel's commands and events. It
// belongs to all hosts; what it carries between them takes no time and is no frame.
#pragma once

#include "testbench/programs/server/body.h"
#include "testbench/programs/server/caller.h"
#include "testbench/programs/server/cm_addresses.h"
#include "testbench/programs/server/cm_objects.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rnicsim::programs {

class ConnectionManager {
  public:
    /// `mtus`: ibv_mtu of each host's port.
    ConnectionManager(const std::vector<std::uint8_t>& mtus, News news);

    /// A request of messages.h's cm_*, which is answered at once.
    void call(Caller& caller, Op op, std::span<const std::byte> body, Time now);
    /// A program is gone; its peers hear of it.
    void forget(const Program& program);

    /// Has a process an identifier that listens?
    [[nodiscard]] bool listens(pid_t process) const;

    static bool has(Op op) { return op == Op::cm_open || op == Op::cm_close || op == Op::cm_command; }

  private:
    struct Port {
        std::uint8_t mtu = 0;         ///< ibv_mtu
        std::uint32_t last_psn = 0;   ///< that an identifier was given
        std::uint16_t next_port = 0;  ///< for who asks for none
    };
    void open(Caller& caller, Time now);
    void close(Program& program, Handle channel);
    Reply command(Program& program, Handle channel, Body body);

    // Identifiers and addresses.
    Handle create(Program& program, Handle channel, const rdma_ucm_create_id& what);
    std::uint32_t destroy(Handle handle);
    std::uint32_t first_psn(unsigned host);
    void bind(Identifier& id, const sockaddr_in6& to);
    void take_port(Identifier& id, std::uint16_t port);
    void resolve(Handle handle, const rdma_ucm_resolve_ip& what);
    void listen(Identifier& id, std::uint32_t backlog);
    void set_option(Identifier& id, const rdma_ucm_set_option& what);
    [[nodiscard]] rdma_ucm_query_route_resp route(const Identifier& id) const;
    [[nodiscard]] bool port_taken(const Identifier& by, std::uint16_t port) const;
    [[nodiscard]] std::optional<Handle> listener(unsigned host, std::uint16_t space, std::uint16_t port) const;
    [[nodiscard]] unsigned loopback_host(const Identifier& id, std::uint16_t port) const;

    // Connections.
    void connect(Handle handle, const rdma_ucm_conn_param& param);
    void accept(Handle handle, const rdma_ucm_accept& what);
    void become_ready(Handle handle);
    void reject(Handle handle, const rdma_ucm_reject& what);
    void disconnect(Handle handle);
    void leave_peer(Identifier& id);
    void refuse(Handle handle, std::uint32_t reason, std::span<const std::uint8_t> data);
    [[nodiscard]] ib_uverbs_qp_attr qp_attributes(const Identifier& id, std::uint32_t state) const;
    [[nodiscard]] ib_uverbs_ah_attr path(const Identifier& id) const;

    // Events.
    rdma_ucm_event_resp fetch(EventChannel& channel);
    void tell(Handle handle, CmTold event, int status = 0, const rdma_ucm_event_resp& with = {});
    void queue(Handle channel, const CmEvent& event);
    void drop_events(Handle channel, Handle of);
    std::uint32_t migrate(Handle handle, Handle to);
    void show(EventChannel& channel);

    Identifier& find(Handle handle, const Program& of);
    Identifier* peer_of(const Identifier& id);

    std::vector<Port> ports_;  // by host
    News news_;
    Table<EventChannel> channels_;
    Table<Identifier> ids_;
};

}  // namespace rnicsim::programs
