// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/kv.h"

#include "testbench/applications/kv/client.h"
#include "testbench/applications/kv/server.h"
#include "testbench/applications/kv/transport.h"

namespace rnicsim::applications {
namespace {

constexpr std::array<std::string_view, 3> kKvBounds{"run.kv.rx_size=256 B", "run.kv.receives=18",
                                                    "run.kv.signal_every=2"};
constexpr std::array<std::string_view, 4> kKvParts{"client", "request", "server", "answer"};

class KeyValues final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "kv"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kKvParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, kv_fields());
        return all;
    }
    [[nodiscard]] bool has_section(std::string_view section) const override {
        return section == name() || section == "nts";
    }
    void read(TrafficConfig& item, Values& in) const override {
        KvSettings of = kv_fields().read(in);
        of.ring = nts_fields().read(in);
        item.settings.set(of);
    }
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        return kv::transport_of(item).unread(item, key);
    }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const override {
        return kv::transport_of(item).refused(config, item, *this);
    }
    [[nodiscard]] std::string_view with_verbs() const override { return "run.kv.transport: rdma"; }
    [[nodiscard]] std::span<const std::string_view> explored_with() const override { return kKvBounds; }
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override { return !kv_of(item).unsafe; }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override { return kv::transport_of(item).plan(item); }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<kv::Client>(item, seat);
        return std::make_unique<kv::Server>(item, seat);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override;
    [[nodiscard]] bool is_bound(const TrafficConfig& item, Count what) const override {
        return kv::transport_of(item).is_bound(what);
    }
    [[nodiscard]] Holds when_down(const TrafficConfig& item, Count what) const override {
        return kv::transport_of(item).when_down(item, what);
    }
};

Counts KeyValues::expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes, std::uint32_t pmtu) const {
    const KvSettings& of = kv_of(item);
    Counts counts;
    kv::Messages messages;
    for (const std::uint32_t value : sizes) {
        counts.at(of.operation == KvOperation::set ? 1 : 0).add(Count::checked_bytes, value);
        messages[0].push_back(kv::command_bytes(of, value));
        messages[1].push_back(kv::answer_bytes(of, value));
    }
    kv::transport_of(item).count(item, messages, pmtu, counts);
    return counts;
}

}  // namespace

const Application& key_values() {
    static const KeyValues kKeyValues;
    return kKeyValues;
}

}  // namespace rnicsim::applications
