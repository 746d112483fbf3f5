// SPDX-License-Identifier: Apache-2.0
// The words for samples of transfers between DRP RNICs.
#pragma once

#include "testbench/records/sample_kind.h"
#include "tlm/drp/host_queues.h"

#include <array>
#include <cstddef>

namespace rnicsim {

/// Where the time of a transfer goes (time_ledger.h).
enum class TransferPart : std::uint8_t { set_up, waiting, stalled, wire, retransmission, drain, release, count };
inline constexpr std::size_t kTransferParts = static_cast<std::size_t>(TransferPart::count);
inline constexpr std::array<std::string_view, kTransferParts> kTransferPartNames{
    "setup", "waiting", "stalled", "wire", "retransmission", "drain", "release"};

/// Marked: its data went in MODE = 1. `operation` is an Operation, `status` a TransferError.
inline constexpr SampleKind kTransferSample{
    .name = "transfer",
    .parts = kTransferPartNames,
    .decimals = 3,  // whole cycles of 8 ns
    .operation =
        [](std::uint8_t of) {
            return std::string_view(static_cast<Operation>(of) == Operation::read ? "read" : "write");
        },
    .mark = [](bool is) { return std::string_view(is ? "indirect" : "direct"); },
    .status = [](std::uint8_t of) { return std::string_view(error_name(static_cast<TransferError>(of))); }};

constexpr TransferError error_of(const Sample& transfer) { return static_cast<TransferError>(transfer.status); }
constexpr Operation operation_of(const Sample& transfer) { return static_cast<Operation>(transfer.operation); }

}  // namespace rnicsim
