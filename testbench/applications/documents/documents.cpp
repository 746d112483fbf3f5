// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/documents/documents.h"

#include "testbench/applications/documents/cost.h"
#include "testbench/applications/documents/ends.h"

#include <string>

namespace rnicsim::applications {
namespace {

/// Send WQEs on top of those that can be outstanding: of messages that the other end has, while the ACKs of their
/// packets were lost.
constexpr std::uint32_t kSparesOfDocuments = 64;
constexpr std::array<std::string_view, 1> kDocumentBounds{"run.documents.slots=2"};
constexpr std::array<std::string_view, 6> kDocumentParts{"set_up", "wait", "request", "server", "answer", "rest"};

class Documents final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "documents"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kDocumentParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, document_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(document_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& config, const TrafficConfig& item) const override;
    [[nodiscard]] const char* unread(const TrafficConfig& item, std::string_view key) const override {
        return documents::without_effect(item, key);
    }
    [[nodiscard]] std::string_view with_verbs() const override { return "run.documents.support: both"; }
    [[nodiscard]] std::span<const std::string_view> explored_with() const override { return kDocumentBounds; }
    [[nodiscard]] bool has_receives_ahead(const TrafficConfig& item) const override {
        return documents_of(item).repost;
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override;
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        const bool is_log = documents_of(item).operation == DocumentOperation::oplog;
        if (seat.side == 0 && is_log) return std::make_unique<documents::Secondary>(item);
        if (seat.side == 0) return std::make_unique<documents::Client>(item);
        if (is_log) return std::make_unique<documents::Primary>(item);
        return std::make_unique<documents::Server>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override {
        return documents::counts_of(item, sizes, pmtu);
    }
};

std::optional<Refusal> Documents::refused(const RunConfig& /*config*/, const TrafficConfig& item) const {
    const DocumentSettings& of = documents_of(item);
    if (of.operation == DocumentOperation::write && item.size > DocumentSettings::kDocument)
        return Refusal{"run.size", "at most 512 B: a document that is written goes in a message"};
    if (of.operation == DocumentOperation::oplog && item.verbs.depth != 1)
        return Refusal{"run.depth", "1: a secondary has one round under way"};
    const std::string unsafe = "; run.documents.unsafe: true runs it, to see what it does";
    if (of.has_pool() && of.sizing == PoolSizing::printed && !of.unsafe)
        return Refusal{"run.documents.sizing", "equation: a host without free memory registers 50 MB" + unsafe};
    if (!of.sync_once && !of.unsafe)
        return Refusal{"run.documents.initial_sync", "once: each round pulls the whole log" + unsafe};
    if (!of.repost && !of.unsafe)
        return Refusal{"run.documents.repost", "true: messages will find no receive WQE" + unsafe};
    if (of.unsafe && !of.is_faulty()) return Refusal{"run.documents.unsafe", "false: nothing is unsafe"};
    if (of.has_pool() && pool_bytes(item) < data_bytes(item))
        return Refusal{"run.documents.sizing", "slots, or less load: a connection registers " +
                                                   std::to_string(pool_bytes(item)) + " B, and a buffer has " +
                                                   std::to_string(data_bytes(item)) + " B"};
    return {};
}

Plan Documents::plan(const TrafficConfig& item) const {
    const DocumentSettings& of = documents_of(item);
    const std::uint32_t open = open_operations(item);
    const std::uint64_t messages = std::uint64_t{open + 1} * DocumentSettings::kMessage;  // one for a heartbeat
    Plan plan;
    plan.stream = true;
    plan.verbs = of.is_rdma();
    for (Plan::Side& here : plan.sides) {
        here.areas = {{DocumentSettings::kHello, false},
                      {DocumentSettings::kHello, false},
                      {messages, of.is_rdma()},
                      {messages, of.is_rdma()}};
        if (of.registers_each()) {
            here.areas.insert(here.areas.end(), open, {data_bytes(item), false});
        } else if (of.has_data()) {
            here.areas.push_back({of.has_pool() ? pool_bytes(item) : std::uint64_t{open} * data_bytes(item), false});
        }
        here.registers = of.is_rdma() && of.has_data();
        if (!of.is_rdma()) continue;
        here.sends = 2 * open + kSparesOfDocuments;
        here.receives = documents::Channel::receives(open);
    }
    return plan;
}

}  // namespace

const Application& documents_store() {
    static const Documents kDocuments;
    return kDocuments;
}

}  // namespace rnicsim::applications
