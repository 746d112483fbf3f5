// SPDX-License-Identifier: Apache-2.0
// Commands taken apart, and identifiers with their addresses.
#include "testbench/programs/server/cm.h"

#include "testbench/programs/server/event_sockets.h"
#include "testbench/programs/server/values.h"

#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace rnicsim::programs {
namespace {

constexpr std::uint16_t kFirstPort = 32'768, kLastPort = 60'999;  // that are given to who asks for none (Linux)
constexpr std::uint32_t kMostBacklog = 1024;                      // rdma_ucm's default
constexpr std::uint32_t kPsnStep = 4096;                          // between first PSNs of a host's identifiers

/// A command may be shorter than the kernel's newest struct: what an older librdmacm does not know is 0.
template <typename T>
T argument(std::span<const std::byte> bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
}

/// What goes to `to` in the program, at most `room` bytes of it.
template <typename T>
Reply reply(std::uint64_t to, const T& value, std::size_t room) {
    std::array<std::byte, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(T));
    Reply out(CmAnswer{to});
    for (const std::byte byte : std::span(bytes).first(std::min(room, sizeof(T)))) out.add(byte);
    return out;
}

}  // namespace

ConnectionManager::ConnectionManager(const std::vector<std::uint8_t>& mtus, News news) : news_(std::move(news)) {
    for (const std::uint8_t mtu : mtus) ports_.push_back({mtu, 0, kFirstPort});
}

void ConnectionManager::call(Caller& caller, Op op, std::span<const std::byte> bytes, Time now) {
    Body body(bytes);
    try {
        if (op == Op::cm_open) return open(caller, now);
        if (op == Op::cm_close) {
            close(caller.program(), body.take<Handle>());
            return caller.answer(now, 0, {}, -1);
        }
        const Handle channel = body.take<CmCommand>().channel;
        caller.answer(now, 0, command(caller.program(), channel, body), -1);
    } catch (const Refusal& refusal) { caller.answer(now, refusal.error, {}, -1); }
}

void ConnectionManager::open(Caller& caller, Time now) {
    EventSockets sockets = EventSockets::made();
    const int descriptor = sockets.theirs.get();
    EventChannel channel{&caller.program(), std::move(sockets.ours), std::move(sockets.theirs), {}, false};
    caller.answer(now, 0, Reply(Made{channels_.add(std::move(channel))}), descriptor);
}

void ConnectionManager::close(Program& program, Handle channel) {
    if (channels_.find(channel, program) == nullptr) throw Refusal{EBADF};
    std::vector<Handle> on_it;
    for (const auto& [handle, id] : ids_.all()) {
        if (id.channel == channel) on_it.push_back(handle);
    }
    for (const Handle handle : on_it) destroy(handle);
    channels_.remove(channel);
}

void ConnectionManager::forget(const Program& program) {
    std::vector<Handle> its;
    for (const auto& [handle, id] : ids_.all()) {
        if (id.owner == &program) its.push_back(handle);
    }
    for (const Handle handle : its) destroy(handle);
    std::erase_if(channels_.all(), [&](const auto& entry) { return entry.second.owner == &program; });
}

Identifier& ConnectionManager::find(Handle handle, const Program& of) {
    Identifier* const found = ids_.find(handle, of);
    if (found == nullptr) throw Refusal{ENOENT};
    return *found;
}

Reply ConnectionManager::command(Program& program, Handle channel_number, Body body) {
    EventChannel* const channel = channels_.find(channel_number, program);
    if (channel == nullptr) throw Refusal{EBADF};
    const auto header = body.take<rdma_ucm_cmd_hdr>();
    const auto bytes = body.take_bytes(header.in);
    const std::size_t room = header.out;
    Reply done(CmAnswer{});
    switch (header.cmd) {
        case RDMA_USER_CM_CMD_CREATE_ID: {
            const auto what = argument<rdma_ucm_create_id>(bytes);
            return reply(what.response, rdma_ucm_create_id_resp{create(program, channel_number, what)}, room);
        }
        case RDMA_USER_CM_CMD_DESTROY_ID: {
            const auto what = argument<rdma_ucm_destroy_id>(bytes);
            find(what.id, program);
            return reply(what.response, rdma_ucm_destroy_id_resp{destroy(what.id)}, room);
        }
        case RDMA_USER_CM_CMD_BIND_IP: {
            const auto what = argument<rdma_ucm_bind_ip>(bytes);
            return bind(find(what.id, program), what.addr), done;
        }
        case RDMA_USER_CM_CMD_RESOLVE_IP: {
            const auto what = argument<rdma_ucm_resolve_ip>(bytes);
            find(what.id, program);
            return resolve(what.id, what), done;
        }
        case RDMA_USER_CM_CMD_RESOLVE_ROUTE: {
            const auto what = argument<rdma_ucm_resolve_route>(bytes);
            Identifier& id = find(what.id, program);
            if (id.state != CmState::resolved) throw Refusal{EINVAL};
            id.state = CmState::routed;
            return tell(what.id, CmTold::route_resolved), done;
        }
        case RDMA_USER_CM_CMD_QUERY_ROUTE: {
            const auto what = argument<rdma_ucm_query>(bytes);
            return reply(what.response, route(find(what.id, program)), room);
        }
        case RDMA_USER_CM_CMD_CONNECT: {
            const auto what = argument<rdma_ucm_connect>(bytes);
            find(what.id, program);
            return connect(what.id, what.conn_param), done;
        }
        case RDMA_USER_CM_CMD_LISTEN: {
            const auto what = argument<rdma_ucm_listen>(bytes);
            return listen(find(what.id, program), what.backlog), done;
        }
        case RDMA_USER_CM_CMD_ACCEPT: {
            const auto what = argument<rdma_ucm_accept>(bytes);
            find(what.id, program);
            return what.conn_param.valid != 0 ? accept(what.id, what) : become_ready(what.id), done;
        }
        case RDMA_USER_CM_CMD_REJECT: {
            const auto what = argument<rdma_ucm_reject>(bytes);
            find(what.id, program);
            return reject(what.id, what), done;
        }
        case RDMA_USER_CM_CMD_DISCONNECT: {
            const auto what = argument<rdma_ucm_disconnect>(bytes);
            find(what.id, program);
            return disconnect(what.id), done;
        }
        case RDMA_USER_CM_CMD_INIT_QP_ATTR: {
            const auto what = argument<rdma_ucm_init_qp_attr>(bytes);
            return reply(what.response, qp_attributes(find(what.id, program), what.qp_state), room);
        }
        case RDMA_USER_CM_CMD_GET_EVENT:
            return reply(argument<rdma_ucm_get_event>(bytes).response, fetch(*channel), room);
        case RDMA_USER_CM_CMD_SET_OPTION: {
            const auto what = argument<rdma_ucm_set_option>(bytes);
            return set_option(find(what.id, program), what), done;
        }
        case RDMA_USER_CM_CMD_NOTIFY: {
            // A message has come before the other end said that it is ready.
            const auto what = argument<rdma_ucm_notify>(bytes);
            Identifier& id = find(what.id, program);
            if (what.event != IBV_EVENT_COMM_EST) throw Refusal{EINVAL};
            if (id.state != CmState::accepting) return done;
            id.state = CmState::connected;
            return tell(what.id, CmTold::established), done;
        }
        case RDMA_USER_CM_CMD_MIGRATE_ID: {
            const auto what = argument<rdma_ucm_migrate_id>(bytes);
            find(what.id, program);
            return reply(what.response, rdma_ucm_migrate_resp{migrate(what.id, channel_number)}, room);
        }
        // BIND, too: librdmacm asks by it for the addresses of InfiniBand, and does without them and its companions.
        default: throw Refusal{EOPNOTSUPP};
    }
}

Handle ConnectionManager::create(Program& program, Handle channel, const rdma_ucm_create_id& what) {
    constexpr std::array kSpaces{RDMA_PS_TCP, RDMA_PS_UDP, RDMA_PS_IPOIB, RDMA_PS_IB};
    if (std::ranges::find(kSpaces, what.ps) == kSpaces.end()) throw Refusal{EINVAL};
    Identifier id;
    id.owner = &program;
    id.channel = channel;
    id.uid = what.uid;
    id.space = what.ps;
    id.datagram = what.qp_type == IBV_QPT_UD;
    id.psn = first_psn(program.host);
    return ids_.add(id);
}

std::uint32_t ConnectionManager::first_psn(unsigned host) {
    std::uint32_t& last = ports_[host].last_psn;
    last = (last + kPsnStep) & rc::Psn::kMask;
    return last;
}

/// How many of its events the program has to have acknowledged before it goes on.
std::uint32_t ConnectionManager::destroy(Handle handle) {
    const auto found = ids_.all().find(handle);
    if (found == ids_.all().end()) return 0;
    leave_peer(found->second);
    const std::uint32_t reported = found->second.reported;
    const Handle channel = found->second.channel;
    ids_.remove(handle);
    drop_events(channel, handle);
    return reported;
}

void ConnectionManager::bind(Identifier& id, const sockaddr_in6& to) {
    const auto address = read_address(to, static_cast<unsigned>(ports_.size()));
    if (!address) throw Refusal{EAFNOSUPPORT};
    if (id.state != CmState::idle) throw Refusal{EINVAL};
    const bool own = address->kind == CmAddress::Kind::loopback ||
                     (address->kind == CmAddress::Kind::host && address->host == id.owner->host);
    if (!own && address->kind != CmAddress::Kind::any) throw Refusal{EADDRNOTAVAIL};
    take_port(id, address->port);
    id.on_card = own;
    id.ipv6 = address->ipv6;
    id.state = CmState::bound;
}

/// 0: any that is free.
void ConnectionManager::take_port(Identifier& id, std::uint16_t port) {
    if (port == 0) {
        std::uint16_t& next = ports_[id.owner->host].next_port;
        for (unsigned tried = kFirstPort; port_taken(id, next); ++tried) {
            if (tried == kLastPort) throw Refusal{EADDRNOTAVAIL};
            next = next == kLastPort ? kFirstPort : static_cast<std::uint16_t>(next + 1);
        }
        port = next;
        next = next == kLastPort ? kFirstPort : static_cast<std::uint16_t>(next + 1);
    } else if (port_taken(id, port)) {
        throw Refusal{EADDRINUSE};
    }
    id.port = port;
    id.holds_port = true;
}

bool ConnectionManager::port_taken(const Identifier& by, std::uint16_t port) const {
    return std::ranges::any_of(ids_.all(), [&](const auto& entry) {
        const Identifier& id = entry.second;
        if (&id == &by || !id.holds_port || id.port != port) return false;
        if (id.owner->host != by.owner->host || id.space != by.space) return false;
        return !by.reuses_port || !id.reuses_port || id.state == CmState::listening;
    });
}

std::optional<Handle> ConnectionManager::listener(unsigned host, std::uint16_t space, std::uint16_t port) const {
    for (const auto& [handle, id] : ids_.all()) {
        if (id.state == CmState::listening && id.owner->host == host && id.space == space && id.port == port)
            return handle;
    }
    return {};
}

bool ConnectionManager::listens(pid_t process) const {
    return std::ranges::any_of(ids_.all(), [&](const auto& entry) {
        return entry.second.state == CmState::listening && entry.second.owner->process == process;
    });
}

/// Programs that know nothing of the scenario take 127.0.0.1 for the one other host where somebody listens; the own one
/// if there is none, or several.
unsigned ConnectionManager::loopback_host(const Identifier& id, std::uint16_t port) const {
    const unsigned own = id.owner->host;
    std::optional<unsigned> only;
    for (unsigned host = 0; host < ports_.size(); ++host) {
        if (host == own || !listener(host, id.space, port)) continue;
        if (only) return own;
        only = host;
    }
    return only.value_or(own);
}

void ConnectionManager::resolve(Handle handle, const rdma_ucm_resolve_ip& what) {
    Identifier& id = ids_.all().at(handle);
    const auto to = read_address(what.dst_addr, static_cast<unsigned>(ports_.size()));
    if (!to) throw Refusal{EAFNOSUPPORT};
    if (id.state == CmState::idle) {
        sockaddr_in6 from = what.src_addr;
        if (from.sin6_family == 0) from.sin6_family = to->ipv6 ? AF_INET6 : AF_INET;
        bind(id, from);
    }
    if (id.state != CmState::bound) throw Refusal{EINVAL};
    if (to->kind == CmAddress::Kind::elsewhere) return tell(handle, CmTold::address_error, -EHOSTUNREACH);
    id.by_loopback = to->kind != CmAddress::Kind::host;
    id.remote = id.by_loopback ? loopback_host(id, to->port) : to->host;
    id.remote_port = to->port;
    id.on_card = true;
    id.state = CmState::resolved;
    tell(handle, CmTold::address_resolved);
}

void ConnectionManager::listen(Identifier& id, std::uint32_t backlog) {
    if (id.state == CmState::idle) {
        take_port(id, 0);
        id.state = CmState::bound;
    }
    if (id.state != CmState::bound) throw Refusal{EINVAL};
    if (listener(id.owner->host, id.space, id.port)) throw Refusal{EADDRINUSE};
    id.backlog = backlog == 0 || backlog > kMostBacklog ? kMostBacklog : backlog;
    id.state = CmState::listening;
}

void ConnectionManager::set_option(Identifier& id, const rdma_ucm_set_option& what) {
    if (what.level != RDMA_OPTION_ID) throw Refusal{EOPNOTSUPP};
    std::uint32_t value = 0;
    std::array<std::uint8_t, sizeof value> bytes{};
    const std::size_t size = what.optname == RDMA_OPTION_ID_REUSEADDR || what.optname == RDMA_OPTION_ID_AFONLY ? 4 : 1;
    if (what.optlen != size) throw Refusal{EINVAL};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): of the program, where it is one
    const iovec here{bytes.data(), size}, there{reinterpret_cast<void*>(what.optval), size};
    if (::process_vm_readv(id.owner->process, &here, 1, &there, 1, 0) != static_cast<ssize_t>(size))
        throw Refusal{EFAULT};
    std::memcpy(&value, bytes.data(), sizeof value);
    switch (what.optname) {
        case RDMA_OPTION_ID_TOS: id.tos = static_cast<std::uint8_t>(value); return;
        case RDMA_OPTION_ID_AFONLY: return;  // nothing here depends on it
        case RDMA_OPTION_ID_REUSEADDR: id.reuses_port = value != 0; return;
        case RDMA_OPTION_ID_ACK_TIMEOUT: id.timeout = static_cast<std::uint8_t>(value & 31U); return;
        default: throw Refusal{ENOSYS};
    }
}

rdma_ucm_query_route_resp ConnectionManager::route(const Identifier& id) const {
    rdma_ucm_query_route_resp out{};
    const unsigned host = id.owner->host;
    out.src_addr = write_address(id.on_card ? std::optional(host) : std::nullopt, id.port, id.ipv6);
    out.dst_addr = id.remote ? write_address(id.remote, id.remote_port, id.ipv6) : sockaddr_in6{};
    if (!id.on_card) return out;
    out.node_guid = guid_of(host);
    out.port_num = 1;
    if (!id.remote) return out;
    ib_user_path_rec& path = out.ib_route[0];
    write_gid(std::span<std::uint8_t, 16>(path.sgid), host);
    write_gid(std::span<std::uint8_t, 16>(path.dgid), *id.remote);
    path.pkey = 0xFFFF;
    path.hop_limit = 64;
    path.reversible = 1;
    path.numb_path = 1;
    path.mtu_selector = 2;  // exactly
    path.mtu = std::min(ports_[host].mtu, ports_[*id.remote].mtu);
    out.num_paths = id.state == CmState::resolved ? 0 : 1;
    return out;
}

}  // namespace rnicsim::programs
