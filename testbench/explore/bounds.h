// SPDX-License-Identifier: Apache-2.0
// The bounds of an exploration: the workload, all sizes, and the number of faults.
#pragma once

#include "model/host_names.h"
#include "model/rnic/drp/config.h"
#include "model/transfer_key.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim::explore {

inline constexpr std::uint32_t kMaxSlots = 8;

/// The end that all others have transfers with: b.
inline constexpr unsigned kHub = 1;

/// Which transfers there are, all with b. `both_ends`: a writes to b, and b reads from a, in turn; their TIDs are the
/// same. So are those of two initiators.
enum class Traffic : std::uint8_t { write, read, both_ends };

/// The policies of all ends, by name; the first of each is the protocol's own.
struct Rules {
    std::string mode_choice = "paper";
    std::string retransmission = "selective_repeat";
    std::string acknowledgement = "each";
    std::string buffer_admission = "any";  ///< per_initiator: with a quota of one frame
    std::string window_rule = "fixed";
    std::string resume_rule = "window_full";
    bool busy_answer = false;
};

struct Bounds {
    Traffic traffic = Traffic::write;
    Method method = Method::dynamic;
    std::optional<Method> hub_method;  ///< of b, where it has another one
    std::uint32_t initiators = 1;      ///< 1 or 2, a and c; with both_ends 1
    std::uint32_t transfers = 1;       ///< 1..4, of each initiator; with both_ends in all
    std::uint32_t frames = 4;          ///< of each transfer, 1..8; the last one is shorter
    std::uint32_t window = 2;          ///< frames, 1..8
    std::uint32_t faults = 2;          ///< in all, at every possible place; 0..4
    std::uint32_t failures = 1;        ///< of the registration of each transfer, 0..4
    std::uint32_t table = 0;           ///< entries of each connection table, 0..8; 0: one for each transfer there is
    std::uint32_t slots = 2;           ///< of the indirect buffer of each end, 0..8
    std::uint32_t staged = 2;          ///< data frames of each end between their fetch and the wire, 1..8
    std::uint32_t duplicate_acks = 1;  ///< for a fast retransmission, 0..8; 1: a window of 2 can show it
    std::uint32_t indirect_after = 1;  ///< expiries of the request timer, 1..4; 1: one fault is enough
    bool fetch_at_once = false;        ///< as soon as there is a place; otherwise any time later
    /// A responder may forget at any time what it gave up, and verdicts may be late: a TID is used again before its
    /// first use is over elsewhere.
    bool forgetful = false;
    bool prompt = false;  ///< one more rule: if no frame was lost or late, no data waits for its timer
    Rules rules;
    std::size_t max_states = 20'000'000;
};

/// What an RNIC calls another end.
constexpr Peer peer(unsigned end) { return Peer{static_cast<std::uint16_t>(end)}; }

/// One transfer of the workload.
struct Plan {
    unsigned initiator = 0;  ///< end
    unsigned responder = 0;
    std::uint32_t number = 0;  ///< of its initiator's transfers, from 0: also its TID
    Operation operation = Operation::write;
    std::uint32_t length = 0;  ///< bytes
    std::uint64_t sba = 0;
    std::uint64_t dba = 0;

    [[nodiscard]] Tid tid() const { return Tid{static_cast<std::uint16_t>(number)}; }
    /// The end that receives the data.
    [[nodiscard]] unsigned destination() const { return operation == Operation::write ? responder : initiator; }
    [[nodiscard]] std::uint64_t base_at(unsigned end) const { return end == initiator ? sba : dba; }
    [[nodiscard]] bool has(unsigned end) const { return end == initiator || end == responder; }
    /// As one of its two ends knows it.
    [[nodiscard]] TransferKey key_at(unsigned end) const {
        if (end == initiator) return {Role::initiator, tid(), peer(responder)};
        return {Role::responder, tid(), peer(initiator)};
    }
};

/// The constants of an exploration.
struct Setting {
    Bounds bounds;
    TransportConfig transport;  ///< of all ends, but for the method and its buffer
    bool network;               ///< only a scenario with hosts and switches can say this
    HostNames names;            ///< of the ends
    std::vector<Plan> plans;

    explicit Setting(const Bounds& chosen);
    [[nodiscard]] Method method_of(unsigned end) const;
    [[nodiscard]] TransportConfig transport_of(unsigned end) const;
    [[nodiscard]] std::uint32_t bytes_of(std::uint32_t sn) const;  ///< payload of a data frame
    /// Index of the transfer that an end knows by this key. Throws std::logic_error if there is none.
    [[nodiscard]] std::uint32_t find(unsigned end, const TransferKey& key) const;
    /// "a0" or, in a network, "a.0": as fault tapes name it.
    [[nodiscard]] std::string name_of(std::uint32_t transfer) const;
};

/// Key and name of the rules that are not the protocol's own.
std::vector<std::pair<std::string, std::string>> other_rules(const Rules& rules);

/// Has any end the dynamic method?
bool any_dynamic(const Bounds& bounds);

/// "write, dynamic, 1 x 4, window 2, F 2, R 1, ...": transfers x frames, faults, failures of a registration.
std::string describe(const Bounds& bounds);
/// The options of `rnicsim explore` for these bounds.
std::string options(const Bounds& bounds);

/// The bounds of `rnicsim explore` without options.
std::vector<Bounds> standard_set();

}  // namespace rnicsim::explore
