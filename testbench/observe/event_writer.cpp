// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/event_writer.h"

#include <array>
#include <charconv>
#include <optional>

namespace rnicsim {
namespace {

/// One row; columns are filled in their order, those left out stay empty.
class Row {
  public:
    Row(std::string& line, bool json) : line_(line), json_(json) { line_.assign(json ? "{" : ""); }

    void skip(std::size_t columns = 1) {
        for (std::size_t i = 0; i < columns; ++i) begin(false);
    }
    void number(std::int64_t value) {
        std::array<char, 20> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        begin(true);
        line_.append(digits.data(), end);
    }
    /// `text`: without quotes, commas and control characters.
    void text(std::string_view text) {
        begin(!text.empty());
        if (json_ && !text.empty()) line_ += '"';
        line_ += text;
        if (json_ && !text.empty()) line_ += '"';
    }
    std::string_view finish() {
        if (json_) line_ += '}';
        line_ += '\n';
        return line_;
    }

  private:
    void begin(bool filled) {
        if (json_ && filled) {
            if (line_.size() > 1) line_ += ',';
            line_ += '"';
            line_ += kEventColumns.at(column_);
            line_ += "\":";
        }
        if (!json_ && column_ != 0) line_ += ',';
        ++column_;
    }

    std::string& line_;
    bool json_;
    std::size_t column_ = 0;
};

}  // namespace

EventTableWriter::EventTableWriter(const std::string& name, const RunConfig& run)
    : json_(name.ends_with(".jsonl")),
      file_(name),
      hosts_(node_names(run)),
      names_(hosts_.size()),
      cause_(hosts_.size()) {
    for (const ntb::Config& bridge : run.bridges) bridges_.push_back(bridge.name);
    if (json_) {
        line_ = R"({"format":"rnicsim events","version":)" + std::to_string(kEventColumnsVersion) + R"(,"columns":[)";
        for (const std::string_view column : kEventColumns) {
            line_.append(column == kEventColumns.front() ? "\"" : ",\"").append(column) += '"';
        }
        line_ += "]}\n";
    } else {
        line_.clear();
        for (const std::string_view column : kEventColumns) {
            line_.append(column == kEventColumns.front() ? "" : ",").append(column);
        }
        line_ += '\n';
    }
    file_.write(line_);
}

void EventTableWriter::event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) {
    const auto* const cause = std::get_if<DecisionCause>(&event.what);
    if (cause != nullptr) cause_.at(event.end) = cause_text(*cause);
    const std::optional<TransferName> transfer = names_.of(event);
    const DrpHeader* const header = header_of(event);
    const EventPlace place = std::visit([](const auto& what) { return place_of(what); }, event.what);
    EventColumns columns = std::visit([&](const auto& what) { return columns_of(what, hosts_); }, event.what);
    if (const auto* const step = std::get_if<BridgeStep>(&event.what)) columns.message = bridges_.at(step->bridge);

    Row row(line_, json_);
    row.number(kEventColumnsVersion);
    row.number(event.at.ps);
    row.number(event.since.ps);
    row.text(hosts_[event.end]);
    row.text(place.unit);
    row.text(place.event);
    if (transfer) {
        row.text(transfer->text(hosts_));
        row.number(raw(header != nullptr ? header->tid : *columns.tid));
    } else if (columns.bth) {
        row.skip();
        row.number(columns.bth->to.n);
    } else if (columns.qp) {
        row.text(columns.message);
        row.number(columns.qp->n);
    } else if (!columns.message.empty()) {
        row.text(columns.message);
        row.skip();
    } else {
        row.skip(2);
    }
    if (columns.role) {
        row.text(*columns.role == Role::initiator ? "initiator" : "responder");
    } else {
        row.skip();
    }
    if (header != nullptr) {
        row.text(header->is_ack() ? "ACK" : type_name(header->type));
        row.number(header->sn);
        row.number(header->ackn);
        row.number(header->len);
        row.text(header->indirect ? "indirect" : "direct");
    } else if (columns.bth) {
        row.text(roce::meaning(columns.bth->opcode)->name);
        row.number(columns.bth->psn.n);
        row.skip(3);
    } else if (columns.tcp) {
        row.text(columns.tcp->type);
        row.number(columns.tcp->sequence);
        row.number(columns.tcp->acknowledged);
        row.number(columns.tcp->payload);
        row.text(columns.tcp->flags);
    } else if (!columns.verb.empty()) {
        row.text(columns.verb);
        row.skip(4);
    } else {
        row.skip(5);
    }
    if (columns.bytes) {
        row.number(*columns.bytes);
    } else {
        row.skip();
    }
    if (columns.address != 0) {
        row.number(static_cast<std::int64_t>(columns.address));
    } else {
        row.skip();
    }
    const bool decides = cause != nullptr || std::holds_alternative<DecisionResult>(event.what);
    row.text(decides ? std::string_view(cause_.at(event.end)) : std::string_view());
    file_.write(row.finish());
}

}  // namespace rnicsim
