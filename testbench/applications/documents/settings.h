// SPDX-License-Identifier: Apache-2.0
// How the hosts of a store of documents carry requests, answers and the log of operations.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"
#include "testbench/applications/application.h"
#include "testbench/applications/documents/load.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <cstdint>

namespace rnicsim::applications {

enum class DocumentOperation : std::uint8_t {
    write,  ///< insert, update, delete: the request has the document
    query,  ///< the answer has the documents
    oplog   ///< a round of a secondary, that asks the primary for what is new
};
/// Which hosts have RDMA, as their configuration says.
enum class Support : std::uint8_t { both, client, server, neither };
enum class MessageFlow : std::uint8_t {
    slots,  ///< as many messages under way as there are slots; the answer frees one
    turns   ///< one each way, until an empty WRITE says that it has been read
};
enum class DataBuffers : std::uint8_t { pool, each };

struct DocumentSettings {
    DocumentOperation operation = DocumentOperation::query;
    Support support = Support::both;
    MessageFlow flow = MessageFlow::slots;
    std::uint32_t slots = 16;  ///< of messages, of a connection and a direction
    DataBuffers buffers = DataBuffers::pool;
    PoolSizing sizing = PoolSizing::slots;
    HostLoad load;
    double overload = 0.5;  ///< of the load factor
    Time work = kMicrosecond * 60;
    // Of the log.
    std::uint32_t news = 1;           ///< one of so many rounds finds new entries
    Time timeout = kMillisecond;      ///< a secondary that is up to date waits so long
    std::uint32_t history = 1 << 20;  ///< bytes of the log when a secondary begins
    std::uint32_t heartbeat = 0;      ///< rounds from one to the next; 0: none
    // Faults, to see what they do: `unsafe` lets them be run.
    bool sync_once = true;  ///< the whole log is pulled by the first round only
    bool repost = true;     ///< a receive WQE that has been used is posted again
    bool unsafe = false;

    static constexpr std::uint32_t kMessage = 568;   ///< bytes: 563 of fields, padded to 8
    static constexpr std::uint32_t kDocument = 512;  ///< bytes of a message that a document can have
    static constexpr std::uint32_t kHello = 64;      ///< bytes by TCP when a connection begins

    [[nodiscard]] bool is_rdma() const { return support == Support::both; }
    [[nodiscard]] bool has_data() const { return operation != DocumentOperation::write; }
    /// Data buffers are registered once, when a connection begins.
    [[nodiscard]] bool has_pool() const { return is_rdma() && has_data() && buffers == DataBuffers::pool; }
    [[nodiscard]] bool registers_each() const { return is_rdma() && has_data() && buffers == DataBuffers::each; }
    [[nodiscard]] bool takes_turns() const { return is_rdma() && flow == MessageFlow::turns; }
    /// A message that finds no receive WQE is sent again, as long as the sender's card likes to.
    [[nodiscard]] bool is_faulty() const { return !sync_once || !repost || sizing == PoolSizing::printed; }
    /// Round `round`, from 0 on, finds new entries.
    [[nodiscard]] bool finds_news(std::uint32_t round) const { return round % news == 0; }
    /// Round `round` pulls the whole log.
    [[nodiscard]] bool pulls_all(std::uint32_t round) const { return round == 0 || !sync_once; }
    [[nodiscard]] bool pulls(std::uint32_t round) const { return finds_news(round) || pulls_all(round); }
    /// The primary asks how far the secondary is, before it answers round `round`.
    [[nodiscard]] bool beats(std::uint32_t round) const { return heartbeat != 0 && (round + 1) % heartbeat == 0; }
};

const Fields<DocumentSettings>& document_fields();
[[nodiscard]] inline const DocumentSettings& documents_of(const TrafficConfig& item) {
    return item.settings.of<DocumentSettings>();
}

/// Bytes of a buffer of data.
[[nodiscard]] inline std::uint32_t data_bytes(const TrafficConfig& item) {
    const DocumentSettings& of = documents_of(item);
    if (!of.has_data()) return 0;
    return of.operation == DocumentOperation::oplog ? std::max(item.size, of.history) : item.size;
}
/// Operations of a connection that may be under way as far as messages go.
[[nodiscard]] inline std::uint32_t message_slots(const TrafficConfig& item) {
    const DocumentSettings& of = documents_of(item);
    if (of.operation == DocumentOperation::oplog) return 1;
    return of.takes_turns() ? item.verbs.depth : of.slots;
}
/// Bytes that a connection registers for data at each end.
[[nodiscard]] inline std::uint64_t pool_bytes(const TrafficConfig& item) {
    const DocumentSettings& of = documents_of(item);
    if (of.sizing == PoolSizing::slots) return std::uint64_t{message_slots(item)} * data_bytes(item);
    return of.sizing == PoolSizing::equation ? by_equation(of.load) : by_printed_rule(of.load, of.overload);
}
/// Operations under way: each has a slot, and a buffer where it has data. 0: no buffer is as long.
[[nodiscard]] inline std::uint32_t open_operations(const TrafficConfig& item) {
    const std::uint32_t slots = message_slots(item);
    const std::uint32_t data = data_bytes(item);
    if (!documents_of(item).has_pool() || data == 0) return slots;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, pool_bytes(item) / data));
}

}  // namespace rnicsim::applications
