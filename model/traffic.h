// SPDX-License-Identifier: Apache-2.0
// Which transfers the hosts ask for, and of whom.
#pragma once

#include "model/rnic/rc/persist/mode.h"
#include "model/rnic/rc/verbs.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <algorithm>
#include <any>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

struct RandomSource;

enum class OperationMix : std::uint8_t { write, read, alternate };

/// Who asks whom, between two hosts.
enum class Direction : std::uint8_t { a_to_b, b_to_a, both };

/// Of whom each initiator of an item asks transfers. Members count from 0, in the order of the scenario.
enum class Pairs : std::uint8_t {
    all,         ///< of all in turn, but never of itself
    ring,        ///< member i of the next one, the last of the first
    tree,        ///< member i of member (i - 1) / 2; the first asks none
    opposite,    ///< member i of `from` of member i of `to`, modulo their number
    permutation  ///< the same, with `to` in an order that each repetition draws; of a group among itself nobody of
                 ///< itself
};
inline constexpr std::array<std::string_view, 5> kPairsNames{"all", "ring", "tree", "opposite", "permutation"};

/// What an item consists of; its hosts' personality decides.
enum class Workload : std::uint8_t {
    transfers,  ///< between DRP RNICs
    frames,     ///< ordinary ones, between plain hosts
    verbs       ///< messages between RoCEv2 RNICs
};

/// How messages of a connection follow one another.
enum class VerbsPattern : std::uint8_t {
    stream,    ///< up to `depth` are outstanding
    ping_pong  ///< in turn from both ends, and a sample is half a round; READs and atomics: one at a time, a round
};

/// How an initiator has data made durable at its responder: which requests it posts, and what tells it
/// (scenarios/README.md, "Write persistence"). The names are the figures of the patent that shows them, and those of
/// librpma.
enum class PersistScheme : std::uint8_t {
    none,   ///< plain messages
    fig2,   ///< WRITE; when it is complete READ
    fig3,   ///< WRITE; when it is complete SEND, upon which the responder's processor flushes and sends back
    fig10,  ///< WRITE_PERSIST
    fig11,  ///< WRITE_PERSIST, upon which the responder's processor flushes and has a persist ACK sent
    apm,    ///< WRITE and READ, posted together
    flush,  ///< WRITE and FLUSH, posted together
    gpspm,  ///< fig3 with WRITE and SEND posted together
    ack     ///< WRITE, whose ACK is taken for the word that data are durable: no such thing
};
inline constexpr std::array<std::string_view, 9> kPersistSchemes{"none", "fig2",  "fig3",  "fig10", "fig11",
                                                                 "apm",  "flush", "gpspm", "ack"};
constexpr bool has_write_persist(PersistScheme scheme) {
    return scheme == PersistScheme::fig10 || scheme == PersistScheme::fig11;
}
/// A READ of data stands for a flush.
constexpr bool has_read_back(PersistScheme scheme) {
    return scheme == PersistScheme::fig2 || scheme == PersistScheme::apm;
}
/// The responder's processor makes data durable; the programs have receive WQEs.
constexpr bool is_by_processor(PersistScheme scheme) {
    return scheme == PersistScheme::fig3 || scheme == PersistScheme::fig11 || scheme == PersistScheme::gpspm;
}
/// Which ends of a connection with such a scheme have receive WQEs posted before its first item.
enum class ReceivesAhead : std::uint8_t { both, initiator, responder };

/// What items of verbs have of their own.
struct VerbsTraffic {
    roce::Service service = roce::Service::reliable;
    rc::Verb operation = rc::Verb::write;  ///< of all messages, where there is no mix
    /// How many of a million messages are of this verb, on average.
    struct Share {
        rc::Verb verb{};
        std::uint32_t parts = 0;
    };
    std::vector<Share> mix;            ///< add up to a million; empty: all messages are of `operation`
    std::vector<std::uint32_t> sizes;  ///< each message has one of them; empty: all have that of the item
    VerbsPattern pattern = VerbsPattern::stream;
    std::uint32_t connections = 1;     ///< of each pair of hosts
    std::uint32_t depth = 16;          ///< messages of a connection outstanding
    std::uint32_t outstanding = 0;     ///< ... of all of an initiator's, which take turns; 0: each goes by itself
    std::uint32_t signal_every = 1;    ///< messages to a completion
    std::optional<std::uint8_t> dscp;  ///< of all its packets but CNPs; none: the card's
    [[nodiscard]] rc::Path path() const { return {dscp.value_or(rc::Path::kOwnDscp), 0, 0, {}, {}}; }
    PersistScheme scheme = PersistScheme::none;  ///< else messages are durable when they end
    bool write_behind = false;                   ///< fig10: a plain WRITE is posted behind each item
    bool reads_all = false;                      ///< fig2, apm: the READ asks for all of an item; else for its end
    /// The responder tells where its region is by a SEND, for which the first items wait; else it is known.
    bool sends_table = false;
    bool unsafe = false;  ///< ... or what is told may be wrong
    ReceivesAhead receives_ahead = ReceivesAhead::both;
    rc::PersistMode persist;      ///< of fig10 and fig11
    bool region_of_host = false;  ///< one for all memory of a host; else each connection has its own at each end
    /// May a message be such?
    [[nodiscard]] bool any(bool (*is)(rc::Verb)) const {
        return mix.empty() ? is(operation) : std::ranges::any_of(mix, is, &Share::verb);
    }
    [[nodiscard]] bool is_reliable() const { return service == roce::Service::reliable; }
    /// Messages of a connection under way from one end.
    [[nodiscard]] std::uint32_t under_way() const { return pattern == VerbsPattern::ping_pong ? 1 : depth; }
    /// Receive WQEs that a program keeps posted. A stream of UC or UD does not wait for who gets it (perftest: 512).
    [[nodiscard]] std::uint32_t receives() const {
        const bool waits = is_reliable() || pattern == VerbsPattern::ping_pong;
        return std::max(2 * under_way(), waits ? 0U : 128U);
    }
};

/// What an application has of its own in an item: a value of a type that it alone knows.
class ApplicationSettings {
  public:
    template <typename T>
    void set(T value) {
        value_ = std::move(value);
    }
    /// The value that was set, or else a default one.
    template <typename T>
    [[nodiscard]] const T& of() const {
        static const T kInitial{};
        const T* const value = std::any_cast<T>(&value_);
        return value == nullptr ? kInitial : *value;
    }

  private:
    std::any value_;
};

/// One item of a scenario's traffic.
struct TrafficConfig {
    std::string name = "0";
    Workload workload = Workload::transfers;
    std::string application;        ///< whose work it is; empty: what hosts of this personality do by themselves
    bool has_card = true;           ///< its work has the cards of its hosts; else other items may have them
    std::vector<unsigned> from{0};  ///< hosts that initiate
    std::vector<unsigned> to{1};    ///< hosts that they have transfers with, or that get the frames
    Pairs pairs = Pairs::all;
    OperationMix operation = OperationMix::write;
    std::uint32_t size =
        128 * 1024;  ///< bytes per transfer, 1 B .. 16 MiB; of a frame its MAC client data; drawn ones are no longer
    std::uint32_t transfers = 800;  ///< issued by each initiator; or frames
    std::uint32_t in_flight = 1;    ///< transfers of one initiator at once
    Cycle think;    ///< from the end of a transfer to the next request: mean, exponential. Frames: from one to the next
    Cycle start;    ///< of the first request, behind the beginning of the run
    Cycle stagger;  ///< member i of `from` starts i times so much later
    Cycle random_start;     ///< and each up to so much later than that, drawn
    std::int64_t pace = 0;  ///< bits a second that each asks for; of frames with preamble and gap; 0 = no limit
    std::uint8_t traffic_class = 0;  ///< frames: 0 to 7, in the DSCP
    bool ecn_capable = false;        ///< frames: a switch may mark them
    VerbsTraffic verbs;
    ApplicationSettings settings;
    std::vector<Cycle> drawn_starts;  ///< by member of `from`; empty: not drawn, or none
    std::vector<unsigned> drawn;      ///< of a permutation: `to` in its order; empty: not drawn, anybody may be asked

    /// Do its hosts by themselves what their personality does? Else an application is theirs.
    [[nodiscard]] bool is(Workload of) const { return application.empty() && workload == of; }
    /// Between hosts 0 and 1.
    void between_two(Direction direction) {
        from =
            direction == Direction::both ? std::vector{0U, 1U} : std::vector{direction == Direction::b_to_a ? 1U : 0U};
        to = direction == Direction::both ? from : std::vector{1 - from.front()};
    }
    [[nodiscard]] bool initiates(unsigned host) const { return std::ranges::find(from, host) != from.end(); }
    /// Draws the permutation of item `number`; other items stay as they are.
    void draw_pairs(const RandomSource& random, std::size_t number);
    /// Draws when the initiators of item `number` start.
    void draw_starts(const RandomSource& random, std::size_t number);
    /// How long these bits take at `pace`, which is not 0.
    [[nodiscard]] Time paced(std::int64_t bits) const;
    /// The hosts that this one asks in turn, or may ask as long as a permutation is not drawn; none if it does not
    /// initiate.
    [[nodiscard]] std::vector<unsigned> responders(unsigned host) const;
    /// The hosts that ask this one, likewise.
    [[nodiscard]] std::vector<unsigned> initiators(unsigned host) const;
    /// When the host asks for its first transfer. Precondition: initiates(host).
    [[nodiscard]] Cycle first_request(unsigned host) const {
        const auto member = std::ranges::find(from, host) - from.begin();
        const Cycle drawn_start = drawn_starts.empty() ? Cycle{} : drawn_starts.at(static_cast<std::size_t>(member));
        return Cycle{1} + start + stagger * member + drawn_start;
    }
};

/// Of one item between hosts 0 and 1.
inline TrafficConfig traffic_of_two(OperationMix operation, Direction direction, std::uint32_t size,
                                    std::uint32_t transfers, std::uint32_t in_flight) {
    TrafficConfig item;
    item.operation = operation;
    item.between_two(direction);
    item.size = size;
    item.transfers = transfers;
    item.in_flight = in_flight;
    return item;
}

}  // namespace rnicsim
