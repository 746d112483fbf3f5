// SPDX-License-Identifier: Apache-2.0
// Vocabulary of the tests of the transport logic: transfers, frames and commands, and each as one line of text.
#pragma once

#include "model/rnic/drp/config.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim {

using Lines = std::vector<std::string>;
using At = std::int64_t;  ///< cycles

inline Lines operator+(Lines a, const Lines& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// ---- What the tests talk about ------------------------------------------------------------------------------------

/// Round numbers, all different, so that a test that confuses two of them fails.
inline TransportConfig small_config(Method method = Method::dynamic) {
    TransportConfig config;
    config.method = method;
    config.segment = 1000;
    config.window = 8;
    config.request_timer = Cycle{100};
    config.data_timer = Cycle{300};
    config.release_timer = Cycle{50};
    config.idle_timeout = Cycle{2000};
    config.max_requests = 4;
    config.max_retransmissions = 3;
    config.table_entries = 4;
    config.indirect_buffer = 10'000;  // ten frames
    return config;
}

/// A transfer. 2500 bytes: two whole frames and a short one.
struct Spec {
    Operation operation = Operation::write;
    Tid tid{7};
    std::uint32_t length = 2500;
    std::uint64_t sba = 0x1'0000;
    std::uint64_t dba = 0x20'0000;
    std::uint32_t segment = 1000;

    [[nodiscard]] std::uint32_t frames() const { return (length + segment - 1) / segment; }
    [[nodiscard]] std::uint32_t bytes(std::uint32_t sn) const {
        return sn + 1 == frames() ? length - sn * segment : segment;
    }
};
inline Spec write_of(std::uint32_t length, std::uint16_t tid = 7) {
    return {Operation::write, Tid{tid}, length, 0x1'0000, 0x20'0000, 1000};
}
inline Spec read_of(std::uint32_t length, std::uint16_t tid = 7) {
    return {Operation::read, Tid{tid}, length, 0x1'0000, 0x20'0000, 1000};
}

inline DrpHeader req(const Spec& s) {
    return {DrpType::req, s.operation, false, false, 0, s.tid, s.length, s.segment, 0, s.sba, s.dba};
}
inline DrpHeader req_ack(const Spec& s, bool valid) {
    return {DrpType::req_ack, s.operation, false, valid, 0, s.tid, s.length, s.segment, 0, s.sba, s.dba};
}
inline DrpHeader data(const Spec& s, std::uint32_t sn, bool indirect = false) {
    return {DrpType::data, s.operation, indirect, false, 0, s.tid, s.bytes(sn), sn, 0, s.sba, s.dba};
}
inline DrpHeader ack(const Spec& s, std::uint32_t expected) {
    return {DrpType::data, s.operation, false, false, 0, s.tid, 0, 0, expected, s.sba, s.dba};
}
inline DrpHeader rel(const Spec& s) {
    return {DrpType::rel, s.operation, false, false, 0, s.tid, 0, 0, 0, s.sba, s.dba};
}
inline DrpHeader rel_ack(const Spec& s) {
    return {DrpType::rel_ack, s.operation, false, false, 0, s.tid, 0, 0, 0, s.sba, s.dba};
}
inline Command start(const Spec& s) {
    Command command;
    command.code = s.operation == Operation::write ? CommandCode::rdma_write : CommandCode::rdma_read;
    command.tid = s.tid;
    command.length = s.length;
    command.sba = s.sba;
    command.dba = s.dba;
    return command;
}
inline Command verdict(const Spec& s, bool valid) {
    Command command;
    command.code = valid ? CommandCode::registered : CommandCode::not_registered;
    command.tid = s.tid;
    return command;
}

// ---- How it is written down ---------------------------------------------------------------------------------------

/// Every field that PROTOCOL.md 2.6 defines for the type of the frame, and only those.
inline std::string text(const DrpHeader& h) {
    const auto number = [](std::uint64_t n) { return std::to_string(n); };
    std::string s;
    switch (h.type) {
        case DrpType::req: s = "REQ len " + number(h.len) + " segment " + number(h.sn); break;
        case DrpType::req_ack:
            s = std::string("REQ_ACK ") + (h.valid ? "valid" : "invalid");
            if (h.operation == Operation::write && h.indirect) s += " mode 1";
            break;
        case DrpType::data:
            s = h.is_ack() ? "ACK " + number(h.ackn)
                           : "DATA " + number(h.sn) + " len " + number(h.len) + " mode " + (h.indirect ? "1" : "0");
            break;
        case DrpType::rel: s = "REL"; break;
        case DrpType::rel_ack: s = "REL_ACK"; break;
    }
    return s + (h.operation == Operation::write ? " write" : " read") + " tid " + number(raw(h.tid)) + " sba " +
           number(h.sba) + " dba " + number(h.dba) + (h.ext != 0 ? " ext" : "");
}
inline std::string sent(const DrpHeader& h) { return "send " + text(h); }
inline std::string fetched(const Spec& s, std::uint32_t sn, bool indirect = false) {
    const std::uint64_t base = s.operation == Operation::write ? s.sba : s.dba;
    return text(data(s, sn, indirect)) + " from " + std::to_string(base + std::uint64_t{sn} * s.segment);
}
inline std::string placed(std::uint64_t address, std::uint32_t bytes) {
    return "place " + std::to_string(address) + "+" + std::to_string(bytes);
}
/// The right place for frame `sn`.
inline std::string placed(const Spec& s, std::uint32_t sn) {
    return placed((s.operation == Operation::write ? s.dba : s.sba) + std::uint64_t{sn} * s.segment, s.bytes(sn));
}
inline std::string kept(std::uint64_t address, std::uint32_t bytes) {
    return "keep " + std::to_string(address) + "+" + std::to_string(bytes);
}
inline std::string kept(const Spec& s, std::uint32_t sn) { return "keep" + placed(s, sn).substr(5); }
/// What the indirect buffer holds of a transfer is dropped.
inline std::string dropped(Tid tid) { return "drop tid " + std::to_string(raw(tid)); }
/// One bulk DMA with these frames, in this order.
inline std::string drained(const Spec& s, const std::vector<std::uint32_t>& sns) {
    std::string line = "drain";
    for (const std::uint32_t sn : sns) line += placed(s, sn).substr(5);
    return line;
}

inline std::string text(const Event& e) {
    const std::string tid = " tid " + std::to_string(raw(e.tid));
    switch (e.code) {
        case EventCode::request_acknowledged:
            return std::string("host: acknowledged") + (e.status != 0 ? ", simulated" : "") + tid;
        case EventCode::completed: return std::string("host: completed") + (e.indirect != 0 ? ", indirect" : "") + tid;
        case EventCode::failed:
            return std::string("host: failed, ") + error_name(static_cast<TransferError>(e.status)) + tid;
        case EventCode::register_region:
            return "host: register " + std::to_string(e.dba) + "+" + std::to_string(e.length) +
                   (e.read != 0 ? " to be read" : " to be written") + tid;
        case EventCode::released: return "host: released" + tid;
        case EventCode::frame_received:
        case EventCode::none: break;
    }
    return "host: ?" + tid;
}
inline std::string event(EventCode code, const Spec& s, bool flag = false) {
    Event e;
    e.code = code;
    e.tid = s.tid;
    e.length = s.length;
    e.dba = s.dba;
    e.read = s.operation == Operation::read ? 1 : 0;
    e.indirect = flag ? 1 : 0;
    if (code == EventCode::request_acknowledged) e.status = flag ? 1 : 0;
    return text(e);
}
inline std::string acknowledged(const Spec& s) { return event(EventCode::request_acknowledged, s); }
inline std::string simulated(const Spec& s) { return event(EventCode::request_acknowledged, s, true); }
inline std::string completed(const Spec& s, bool indirect = false) { return event(EventCode::completed, s, indirect); }
inline std::string asked(const Spec& s) { return event(EventCode::register_region, s); }
inline std::string released(const Spec& s) { return event(EventCode::released, s); }
inline std::string failed(const Spec& s, TransferError error) {
    Event e;
    e.code = EventCode::failed;
    e.status = static_cast<std::uint8_t>(error);
    e.tid = s.tid;
    return text(e);
}

}  // namespace rnicsim
