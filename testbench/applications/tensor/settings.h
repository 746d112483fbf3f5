// SPDX-License-Identifier: Apache-2.0
// Tensors between two hosts: how many, how often they change, how their bytes come to where they are used.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"

#include <cstdint>

namespace rnicsim::applications {

enum class TensorPath : std::uint8_t {
    direct,  ///< from tensor to tensor
    proxy,   ///< to a buffer, from which who asks copies it, as to a GPU that the card does not reach
    proto    ///< serialized, and parsed by who asks
};

struct TensorSettings {
    std::uint32_t tensors = 16;      ///< of a connection, asked for in turn
    std::uint32_t change_every = 0;  ///< of the times that one is asked for: its meta-data are others; 0: never
    TensorPath path = TensorPath::direct;
    std::int64_t serialize = 1'000'000'000;  ///< bytes a second of protobuf, at each end
    // A fault, to see what it does: `unsafe` lets it be run.
    bool ack = true;  ///< a message waits for the ACK of the one before
    bool unsafe = false;

    /// The n-th time (from 0) that a tensor is asked for it has this version.
    [[nodiscard]] std::uint32_t version_of(std::uint32_t n) const {
        return change_every == 0 ? 1 : 1 + n / change_every;
    }
    /// Tensors that can be under way at once.
    [[nodiscard]] std::uint32_t under_way(std::uint32_t depth) const { return tensors < depth ? tensors : depth; }
};

const Fields<TensorSettings>& tensor_fields();
[[nodiscard]] inline const TensorSettings& tensor_of(const TrafficConfig& item) {
    return item.settings.of<TensorSettings>();
}

}  // namespace rnicsim::applications
