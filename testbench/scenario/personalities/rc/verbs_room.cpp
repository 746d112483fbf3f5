// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/verbs_room.h"

#include "model/rnic/rc/context_cache.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/rings.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/scenario/applications.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

/// Rings and buffers of a host fit below its devices' addresses, and its card has QPs and CQ entries enough.
struct NoRoom {
    std::size_t item = 0;
    std::string key;
    std::string what;  ///< at most, of a host
};

/// What a side of an application's item has: areas and rings in pages of their own, four CQ entries a WQE.
void add(const applications::Plan& plan, const TrafficConfig& item, unsigned side, std::int64_t& memory,
         std::int64_t& entries) {
    constexpr std::int64_t kPage = 4096, kLongestWqe = 256;
    const applications::Plan::Side& of = plan.sides.at(side);
    const std::int64_t wqes = 2 * (std::int64_t{of.sends} + of.receives + 2);
    std::int64_t bytes = wqes * kLongestWqe + 4 * kPage;
    for (const applications::Plan::Area& area : of.areas)
        (area.shared == 0 ? bytes : memory) += static_cast<std::int64_t>(area.bytes) + kPage;
    memory += item.verbs.connections * (bytes + 4 * wqes * std::int64_t{rc::kCqeBytes});
    if (item.has_card) entries += item.verbs.connections * wqes * 4;
}

std::optional<NoRoom> no_room(const RunConfig& config) {
    constexpr std::int64_t kMostMemory = 0xC000'0000;
    struct Needs {
        std::int64_t memory = 0, entries = 0, qps = 0;
        std::int64_t slot = 0, shared = 0;  // of a shared receive WQE, of all of them, bytes
    };
    std::vector<Needs> needs(config.names.size());
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (item.workload != Workload::verbs) continue;
        const applications::Application* const protocol = protocol_of(item);
        std::optional<applications::Plan> plan;
        if (protocol != nullptr) plan = protocol->plan(item);
        const std::int64_t depth = item.verbs.under_way(), receives = item.verbs.receives();
        const auto ring = [](std::int64_t wqes) {
            return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wqes + 1)));
        };
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                for (const unsigned host : {from, to}) {
                    Needs& of = needs[host];
                    if (plan) add(*plan, item, host == from ? 0 : 1, of.memory, of.entries);
                    const std::int64_t shared = plan ? 0 : std::int64_t{verbs_of(config, host).host.shared_receives};
                    // A scheme has two WQEs an item, and receive WQEs for as many as the card reads at once.
                    const std::int64_t stride = rc::stride_with_inline(verbs_of(config, host).host.inline_bytes);
                    const bool scheme = item.verbs.scheme != PersistScheme::none;
                    const std::int64_t more = scheme ? depth + 2 * std::int64_t{rc::RcConfig{}.receive_batch} : 0;
                    const std::int64_t untold = is_by_processor(item.verbs.scheme) ? kUntoldSends : 0;
                    const std::int64_t rings = ring(depth + more + untold) + (shared == 0 ? ring(receives + more) : 0);
                    if (item.has_card) of.qps += item.verbs.connections;
                    if (shared != 0) {  // once, with room for the longest message of all items
                        if (of.slot == 0) {
                            of.entries += 4 * ring(shared);
                            const std::int64_t threads = verbs_of(config, host).host.threads;  // each has a CQ for all
                            of.memory += threads * 4 * ring(shared) * std::int64_t{rc::kCqeBytes};
                        }
                        const std::int64_t slot = std::max<std::int64_t>(of.slot, item.size + rc::kGrhBytes);
                        of.memory += shared * (slot - of.slot);
                        of.slot = slot;
                        of.shared = shared * slot;
                    }
                    if (!plan) of.entries += item.verbs.connections * rings * 4;
                    // UC and UD have a place for each receive WQE, and a datagram's addresses in front of it.
                    const std::int64_t landing = item.verbs.is_reliable() ? depth : receives;
                    const std::int64_t places = depth + landing * (item.verbs.mix.empty() && !scheme ? 1 : 2) + more;
                    if (!plan)
                        of.memory +=
                            item.verbs.connections * (places * (item.size + rc::kGrhBytes) + rings * stride + 32'768);
                    const auto refuse = [&](const char* key, const std::string& what) {
                        return NoRoom{i, key, "'" + config.names[host] + "' has at most " + what};
                    };
                    if (of.qps > rc::RcConfig{}.max_qps)
                        return refuse("run.connections", std::to_string(rc::RcConfig{}.max_qps) + " QPs");
                    const auto of_shared = [&] {
                        return std::to_string(of.shared >> 20U) + " MiB for the longest message in each of its " +
                               std::to_string(shared) + " shared receive WQEs";
                    };
                    if (of.entries > rc::kMostCqes) {
                        return refuse("run.depth", std::to_string(rc::kMostCqes) +
                                                       " entries in its CQ: it has at least " + std::to_string(of.qps) +
                                                       " QPs, and room for four entries a WQE");
                    }
                    if (of.memory > kMostMemory) {
                        return refuse(item.verbs.sizes.empty() ? "run.size" : "run.sizes",
                                      "3 GiB of rings and buffers: it has at least " + std::to_string(of.qps) + " QPs" +
                                          (shared == 0 ? "" : ", and " + of_shared()));
                    }
                }
            }
        }
    }
    return std::nullopt;
}

/// The largest number below `bad` with which there is room; nothing if not even `good` has.
template <typename Fits>
std::optional<std::uint32_t> most_that_fits(std::uint32_t good, std::uint32_t bad, const Fits& fits) {
    if (bad <= good || !fits(good)) return std::nullopt;
    while (bad - good > 1) {
        const std::uint32_t middle = good + (bad - good) / 2;
        (fits(middle) ? good : bad) = middle;
    }
    return good;
}

struct Change {
    std::string key;
    std::string expected;
};

using Numbers = std::map<std::string, std::uint32_t>;  // of keys

/// The values of an item, but for some numbers.
class Changed final : public Values {
  public:
    Changed(Lookup& in, const Numbers& numbers) : in_(in), numbers_(numbers) {}
    Value get(const std::string& path) override {
        Value value = in_.get(path);
        if (const auto found = numbers_.find(path); found != numbers_.end()) value.number = found->second;
        return value;
    }
    Cycle cycles(const std::string& path, const Clock& clock) override { return in_.cycles(path, clock); }

  private:
    Lookup& in_;
    const Numbers& numbers_;
};

/// Numbers of the application's own, those that somebody has written first.
std::vector<std::string> numbers_of(const applications::Application& protocol, const Lookup& in) {
    std::vector<std::string> keys;
    for (const Declared& of : protocol.keys())
        if (of.key.kind == Kind::integer || of.key.kind == Kind::bytes) keys.emplace_back(of.key.path);
    std::stable_partition(keys.begin(), keys.end(), [&](const std::string& key) { return in.written(key); });
    return keys;
}

/// Changes of the application's own numbers.
class OwnChanges {
  public:
    OwnChanges(const RunConfig& config, const NoRoom& full, Lookup& in)
        : in_(in), other_(config), item_(other_.traffic[full.item]), protocol_(*protocol_of(item_)) {}

    /// The most that the number may be, beside others, so that there is room, and the application takes it.
    std::optional<Change> most(const std::string& path, Numbers numbers = {}) {
        const Key& key = *find_key(path);
        std::uint32_t& number = numbers[path];
        const auto most = most_that_fits(static_cast<std::uint32_t>(key.least), in_.u32(path), [&](std::uint32_t n) {
            number = n;
            set(numbers);
            return !no_room(other_);
        });
        if (!most) return std::nullopt;
        for (const std::uint32_t n : {*most, std::bit_floor(*most)}) {  // some want a power of two
            number = n;
            if (takes(path, numbers)) return Change{path, "at most " + write_limit(key, n)};
        }
        return std::nullopt;
    }
    /// ... where it is not enough that one number is smaller.
    std::optional<Change> most_beside_another(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) {
            for (const std::string& other : paths) {
                if (other == path) continue;
                const std::optional<std::uint32_t> least = least_taken(other);
                std::optional<Change> change;
                if (least) change = most(path, {{other, *least}});
                if (!change) continue;
                change->expected += " beside " + other + ": " + write_limit(*find_key(other), *least);
                return change;
            }
        }
        return std::nullopt;
    }

  private:
    void set(const Numbers& numbers) {
        Changed values(in_, numbers);
        protocol_.read(item_, values);
    }
    bool takes(const std::string& path, const Numbers& numbers) {
        set(numbers);
        return !protocol_.refused(other_, item_) && protocol_.unread(item_, path) == nullptr;
    }
    /// Of the least number and its doubles, below what it is.
    std::optional<std::uint32_t> least_taken(const std::string& path) {
        const std::uint32_t now = in_.u32(path);
        const auto least = static_cast<std::uint32_t>(std::max<std::int64_t>(find_key(path)->least, 1));
        for (std::uint64_t n = least; n < now; n *= 2)
            if (const auto number = static_cast<std::uint32_t>(n); takes(path, {{path, number}})) return number;
        return std::nullopt;
    }

    Lookup& in_;
    RunConfig other_;
    TrafficConfig& item_;
    const applications::Application& protocol_;
};

/// The least change of one key that is accepted: of the key that is short, or of another one if no value of it will do.
std::optional<Change> change_that_fits(const RunConfig& config, const NoRoom& full, Lookup& in) {
    RunConfig other = config;
    TrafficConfig& item = other.traffic[full.item];
    const TrafficConfig& was = config.traffic[full.item];
    const applications::Application* const protocol = protocol_of(item);
    std::vector<std::string> keys{full.key, "run.depth", "run.connections"}, own;
    if (protocol != nullptr) {
        own = numbers_of(*protocol, in);
        const auto unwritten = std::ranges::find_if(own, [&](const std::string& key) { return !in.written(key); });
        keys.insert(keys.end() - 1, unwritten, own.end());
        keys.insert(keys.begin(), own.begin(), unwritten);
        if (protocol->one_at_a_time()) std::erase(keys, "run.depth");
    }
    for (const std::string& key : keys) {
        if (is_of_an_application(key)) {
            if (auto change = OwnChanges(config, full, in).most(key)) return change;
            continue;
        }
        std::uint32_t& value = key == "run.connections" ? item.verbs.connections
                               : key == "run.depth"     ? item.verbs.depth
                                                        : item.size;
        const std::uint32_t before = value;
        const auto most = most_that_fits(1, before, [&](std::uint32_t n) {
            value = n;
            return !no_room(other);
        });
        value = most.value_or(before);
        const bool taken = protocol == nullptr || !protocol->refused(other, item);
        value = before;
        if (most && taken)
            return Change{key, "at most " + std::to_string(*most) + (key.starts_with("run.size") ? " B" : "")};
    }
    if (auto change = own.empty() ? std::nullopt : OwnChanges(config, full, in).most_beside_another(own)) return change;
    item.verbs.depth = 1;
    const auto connections = most_that_fits(1, was.verbs.connections, [&](std::uint32_t n) {
        item.verbs.connections = n;
        return !no_room(other);
    });
    const bool has_depth = protocol == nullptr || !protocol->one_at_a_time();
    const std::string shallow = has_depth ? " with a depth of 1" : "";
    if (connections) return Change{"run.connections", "at most " + std::to_string(*connections) + shallow};
    item.verbs.connections = 1;
    const auto most = most_that_fits(1, static_cast<std::uint32_t>(was.from.size()), [&](std::uint32_t n) {
        item.from.assign(was.from.begin(), was.from.begin() + n);
        return !no_room(other);
    });
    if (!most) return std::nullopt;
    const std::string few = "at most " + std::to_string(*most) + " initiators";
    return Change{"run.connections", has_depth ? "1" + shallow + " and " + few : few};
}

}  // namespace

void check_room(const RunConfig& config, Lookups& in) {
    const std::optional<NoRoom> full = no_room(config);
    if (!full) return;
    const auto change =
        change_that_fits(config, *full, in.traffic[full->item]).value_or(Change{full->key, "fewer items"});
    in.traffic[full->item].refuse(
        change.key, "run.connections",
        "found '" + in.traffic[full->item].text(change.key) + "', expected " + change.expected + ": " + full->what);
}

}  // namespace rnicsim
