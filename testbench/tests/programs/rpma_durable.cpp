// SPDX-License-Identifier: Apache-2.0
// A program of librpma, with memory in an ordinary file:
//     rpma_durable listen|connect ADDRESS PORT METHOD COUNT BYTES FILE
// The client writes COUNT items and has each made durable, as METHOD says: by rpma_flush (apm), or by a message that
// the server answers when its processor has written the file back, by msync (gpspm) or libpmem (pmem), or as if it had
// (forgets). When the client has gone, the server compares all bytes.
#include "testbench/tests/programs/calls.h"

#include <infiniband/verbs.h>
#include <librpma.h>
#ifdef RNICSIM_HAS_LIBPMEM
#include <libpmem.h>
#endif

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace {

constexpr std::size_t kRegion = std::size_t{1} << 20U, kMessages = 4096;

struct Task {
    const char* address = nullptr;
    const char* port = nullptr;
    std::string_view method;
    std::uint64_t count = 0;
    std::size_t bytes = 0;

    /// The server flushes, and has to be asked.
    [[nodiscard]] bool asks() const { return method != "apm"; }
    [[nodiscard]] std::size_t place(std::uint64_t item) const { return item * bytes; }
    [[nodiscard]] char value(std::uint64_t item) const { return static_cast<char>(item * 7 + 1); }
};

struct Peer {
    Peer(const Task& task, rpma_util_ibv_context_type where) {
        ibv_context* card = nullptr;
        CHECK(rpma_utils_get_ibv_context(task.address, where, &card) == 0);
        CHECK(rpma_peer_new(card, &peer) == 0);
    }
    ~Peer() { CHECK(rpma_peer_delete(&peer) == 0); }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    rpma_peer* peer = nullptr;
};

struct Memory {
    Memory(const Peer& of, char* start, std::size_t size, int usage) : bytes(start) {
        CHECK(bytes != MAP_FAILED && rpma_mr_reg(of.peer, bytes, size, usage, &mr) == 0);
    }
    ~Memory() { CHECK(rpma_mr_dereg(&mr) == 0); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    char* bytes = nullptr;
    rpma_mr_local* mr = nullptr;
};

char* anonymous(std::size_t size) {
    return static_cast<char*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

char* mapped(const char* file) {
    const int opened = ::open(file, O_RDWR | O_CREAT, 0600);
    CHECK(opened >= 0 && ::ftruncate(opened, kRegion) == 0);
    auto* const start = static_cast<char*>(::mmap(nullptr, kRegion, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0));
    ::close(opened);
    return start;
}

/// What the client has to know, as its private data.
struct Described {
    std::uint8_t memory_bytes = 0, peer_bytes = 0;
    char descriptors[150]{};
};

Described describe(const Memory& memory) {
    Described all;
    std::size_t bytes = 0;
    CHECK(rpma_mr_get_descriptor_size(memory.mr, &bytes) == 0 && bytes < 100);
    CHECK(rpma_mr_get_descriptor(memory.mr, all.descriptors) == 0);
    all.memory_bytes = static_cast<std::uint8_t>(bytes);
    rpma_peer_cfg* peer = nullptr;
    CHECK(rpma_peer_cfg_new(&peer) == 0 && rpma_peer_cfg_set_direct_write_to_pmem(peer, true) == 0);
    CHECK(rpma_peer_cfg_get_descriptor_size(peer, &bytes) == 0 && bytes < 50);
    CHECK(rpma_peer_cfg_get_descriptor(peer, all.descriptors + all.memory_bytes) == 0);
    all.peer_bytes = static_cast<std::uint8_t>(bytes);
    CHECK(rpma_peer_cfg_delete(&peer) == 0);
    return all;
}

void await(rpma_conn* connection, rpma_conn_event wanted) {
    rpma_conn_event event{};
    CHECK(rpma_conn_next_event(connection, &event) == 0 && event == wanted);
}

ibv_wc completion(rpma_conn* connection) {
    rpma_cq* cq = nullptr;
    CHECK(rpma_conn_get_cq(connection, &cq) == 0);
    ibv_wc done{};
    int error = rpma_cq_get_wc(cq, 1, &done, nullptr);
    while (error == RPMA_E_NO_COMPLETION) {
        CHECK(rpma_cq_wait(cq) == 0);
        error = rpma_cq_get_wc(cq, 1, &done, nullptr);
    }
    CHECK(error == 0 && done.status == IBV_WC_SUCCESS);
    return done;
}

void end(rpma_conn* connection, bool first) {
    if (!first) CHECK(rpma_conn_disconnect(connection) == 0);
    await(connection, RPMA_CONN_CLOSED);
    if (first) CHECK(rpma_conn_disconnect(connection) == 0);
    CHECK(rpma_conn_delete(&connection) == 0);
}

/// Each message of the client says that an item has been written.
void persist_for(rpma_conn* connection, const Task& task, const Memory& memory, const Memory& messages) {
    for (std::uint64_t item = 0; item < task.count; ++item) {
        while (completion(connection).opcode != IBV_WC_RECV) {}
        if (task.method == "gpspm") CHECK(::msync(memory.bytes, kRegion, MS_SYNC) == 0);
#ifdef RNICSIM_HAS_LIBPMEM
        if (task.method == "pmem") ::pmem_persist(memory.bytes + task.place(item), task.bytes);
#endif
        CHECK(rpma_recv(connection, messages.mr, 0, 8, nullptr) == 0);
        CHECK(rpma_send(connection, messages.mr, 64, 8, RPMA_F_COMPLETION_ALWAYS, nullptr) == 0);
    }
    completion(connection);
}

void serve(const Task& task, const char* file) {
    const Peer peer(task, RPMA_UTIL_IBV_CONTEXT_LOCAL);
    const Memory memory(
        peer, mapped(file), kRegion,
        RPMA_MR_USAGE_WRITE_DST | RPMA_MR_USAGE_FLUSH_TYPE_PERSISTENT | RPMA_MR_USAGE_FLUSH_TYPE_VISIBILITY);
    const Memory messages(peer, anonymous(kMessages), kMessages, RPMA_MR_USAGE_RECV | RPMA_MR_USAGE_SEND);
    rpma_ep* listener = nullptr;
    CHECK(rpma_ep_listen(peer.peer, task.address, task.port, &listener) == 0);
    Described described = describe(memory);
    const rpma_conn_private_data data{&described, sizeof described};
    rpma_conn_req* request = nullptr;
    CHECK(rpma_ep_next_conn_req(listener, nullptr, &request) == 0);
    if (task.asks()) CHECK(rpma_conn_req_recv(request, messages.mr, 0, 8, nullptr) == 0);
    rpma_conn* connection = nullptr;
    CHECK(rpma_conn_req_connect(&request, &data, &connection) == 0);
    await(connection, RPMA_CONN_ESTABLISHED);
    if (task.asks()) persist_for(connection, task, memory, messages);
    end(connection, true);
    for (std::uint64_t item = 0; item < task.count; ++item) {
        for (std::size_t i = 0; i < task.bytes; ++i) CHECK(memory.bytes[task.place(item) + i] == task.value(item));
    }
    CHECK(rpma_ep_shutdown(&listener) == 0);
}

/// Returns when the server has said that it is durable.
void ask(rpma_conn* connection, const Memory& messages) {
    CHECK(rpma_recv(connection, messages.mr, 0, 8, nullptr) == 0);
    CHECK(rpma_send(connection, messages.mr, 64, 8, RPMA_F_COMPLETION_ALWAYS, nullptr) == 0);
    const ibv_wc first = completion(connection), second = completion(connection);
    CHECK(first.opcode == IBV_WC_RECV || second.opcode == IBV_WC_RECV);  // the other one gives places back
}

void write(const Task& task) {
    const Peer peer(task, RPMA_UTIL_IBV_CONTEXT_REMOTE);
    const Memory from(peer, anonymous(kRegion), kRegion, RPMA_MR_USAGE_WRITE_SRC);
    const Memory messages(peer, anonymous(kMessages), kMessages, RPMA_MR_USAGE_RECV | RPMA_MR_USAGE_SEND);
    rpma_conn_req* request = nullptr;
    CHECK(rpma_conn_req_new(peer.peer, task.address, task.port, nullptr, &request) == 0);
    rpma_conn* connection = nullptr;
    CHECK(rpma_conn_req_connect(&request, nullptr, &connection) == 0);
    await(connection, RPMA_CONN_ESTABLISHED);

    rpma_conn_private_data data{};
    CHECK(rpma_conn_get_private_data(connection, &data) == 0 && data.len >= sizeof(Described));
    Described there;
    std::memcpy(&there, data.ptr, sizeof there);
    rpma_peer_cfg* how = nullptr;
    CHECK(rpma_peer_cfg_from_descriptor(there.descriptors + there.memory_bytes, there.peer_bytes, &how) == 0);
    CHECK(rpma_conn_apply_remote_peer_cfg(connection, how) == 0 && rpma_peer_cfg_delete(&how) == 0);
    rpma_mr_remote* to = nullptr;
    CHECK(rpma_mr_remote_from_descriptor(there.descriptors, there.memory_bytes, &to) == 0);

    for (std::uint64_t item = 0; item < task.count; ++item) {
        const std::size_t place = task.place(item);
        std::memset(from.bytes + place, task.value(item), task.bytes);
        CHECK(rpma_write(connection, to, place, from.mr, place, task.bytes, RPMA_F_COMPLETION_ON_ERROR, nullptr) == 0);
        if (task.asks()) {
            ask(connection, messages);
            continue;
        }
        CHECK(rpma_flush(connection, to, place, task.bytes, RPMA_FLUSH_TYPE_PERSISTENT, RPMA_F_COMPLETION_ALWAYS,
                         nullptr) == 0);
        const auto opcode = static_cast<unsigned>(completion(connection).opcode);
        // It is a READ where librpma or the card has no FLUSH.
        if (item == 0) std::printf("flushes by opcode %u\n", opcode);
    }
    CHECK(rpma_mr_remote_delete(&to) == 0);
    end(connection, false);
}

}  // namespace

int main(int count, char** words) {
    CHECK(count == 8);
    const Task task{words[2], words[3], words[4], std::stoull(words[5]), std::stoull(words[6])};
    CHECK(task.count * task.bytes <= kRegion);
    if (std::string_view(words[1]) == "listen") {
        serve(task, words[7]);
    } else {
        write(task);
    }
    std::puts("done");
    return 0;
}
