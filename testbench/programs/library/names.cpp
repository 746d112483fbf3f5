// SPDX-License-Identifier: Apache-2.0
// Names of values, for messages.
#include "testbench/programs/library/abi.h"

#include <cstddef>
#include <iterator>

namespace {

template <std::size_t count>
const char* name_of(const char* const (&names)[count], int value, const char* unknown) {
    const auto index = static_cast<std::size_t>(value);
    return value >= 0 && index < count && names[index] != nullptr ? names[index] : unknown;
}

}  // namespace

const char* ibv_wc_status_str(ibv_wc_status status) {
    static constexpr const char* kNames[] = {"success",
                                             "local length error",
                                             "local QP operation error",
                                             "local EE context operation error",
                                             "local protection error",
                                             "Work Request Flushed Error",
                                             "memory management operation error",
                                             "bad response error",
                                             "local access error",
                                             "remote invalid request error",
                                             "remote access error",
                                             "remote operation error",
                                             "transport retry counter exceeded",
                                             "RNR retry counter exceeded",
                                             "local RDD violation error",
                                             "remote invalid RD request",
                                             "aborted error",
                                             "invalid EE context number",
                                             "invalid EE context state",
                                             "fatal error",
                                             "response timeout error",
                                             "general error",
                                             "TM error",
                                             "TM software rendezvous"};
    return name_of(kNames, status, "unknown");
}

const char* ibv_node_type_str(ibv_node_type type) {
    static constexpr const char* kNames[] = {nullptr,
                                             "InfiniBand channel adapter",
                                             "InfiniBand switch",
                                             "InfiniBand router",
                                             "iWARP NIC",
                                             "usNIC",
                                             "usNIC UDP",
                                             "unspecified"};
    return name_of(kNames, type, "unknown");
}

const char* ibv_port_state_str(ibv_port_state state) {
    static constexpr const char* kNames[] = {
        "no state change (NOP)", "down", "init", "armed", "active", "active defer",
    };
    return name_of(kNames, state, "unknown");
}

const char* ibv_event_type_str(ibv_event_type type) {
    static constexpr const char* kNames[] = {"CQ error",
                                             "local work queue catastrophic error",
                                             "invalid request local work queue error",
                                             "local access violation work queue error",
                                             "communication established",
                                             "send queue drained",
                                             "path migrated",
                                             "path migration request error",
                                             "local catastrophic error",
                                             "port active",
                                             "port error",
                                             "LID change",
                                             "P_Key change",
                                             "SM change",
                                             "SRQ catastrophic error",
                                             "SRQ limit reached",
                                             "last WQE reached",
                                             "client reregistration",
                                             "GID table change",
                                             "WQ fatal"};
    return name_of(kNames, type, "unknown");
}

extern "C" const char* ibv_wr_opcode_str(ibv_wr_opcode opcode) {
    static constexpr const char* kNames[] = {"rdma-write",
                                             "rdma-write-with-imm",
                                             "send",
                                             "send-with-imm",
                                             "rdma-read",
                                             "atomic-cmp-and-swp",
                                             "atomic-fetch-and-add",
                                             "local-inv",
                                             "bind-mw",
                                             "send-with-inv",
                                             "tso",
                                             "driver1",
                                             nullptr,
                                             nullptr,
                                             "flush",
                                             "atomic-write"};
    return name_of(kNames, opcode, "unknown");
}
