// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/event_writer.h"
#include "testbench/kits/rc/verbs_observer.h"

#include <array>
#include <bit>
#include <charconv>
#include <optional>

namespace rnicsim {
namespace {

struct Place {
    std::string_view unit;
    std::string_view event;
};

Place place_of(const WireFrame& frame) {
    switch (frame.step) {
        case WireFrame::Step::sent: return {"mac", "sent"};
        case WireFrame::Step::lost: return {"link", "lost"};
        case WireFrame::Step::damaged: return {"link", "damaged"};
        case WireFrame::Step::arrives: return {"link", "arrives"};
        case WireFrame::Step::dropped: return {"switch", "dropped"};
    }
    return {};
}
Place place_of(const MemoryAccess& memory) { return {"memory", memory.write ? "write" : "read"}; }
Place place_of(const DmaRequest& dma) {
    constexpr std::array<std::string_view, 3> kEvents{"dma_write", "dma_read", "interrupt"};
    return {"pcie", kEvents.at(static_cast<std::size_t>(dma.kind))};
}
Place place_of(const DecisionCause& /*cause*/) { return {"transport", "decides"}; }
Place place_of(const DecisionResult& result) {
    return {"transport", kTransportCountNames.at(static_cast<std::size_t>(result.what))};
}
Place place_of(const Overrun& /*overrun*/) { return {"transport", "rx_overrun"}; }
Place place_of(const BufferFill& /*fill*/) { return {"buffer", "fill"}; }
Place place_of(const SoftwareStep& software) {
    return {"host", kHostStepNames.at(static_cast<std::size_t>(software.step))};
}
Place place_of(const MessageStep& step) { return {"program", step_name(step.step)}; }
Place place_of(const ProgramBegins& /*program*/) { return {"program", "begins"}; }
Place place_of(const QpConnected& /*qp*/) { return {"qp", "connected"}; }
Place place_of(const VerbsCall& call) { return {"call", kVerbsCallNames.at(static_cast<std::size_t>(call.what))}; }
Place place_of(const PersistStep& step) { return {"program", step_name(step.step)}; }
Place place_of(const LineStep& line) { return {"line", stage_name(line.stage)}; }
Place place_of(const QpNote& note) { return {"qp", rc::kRcCountNames.at(static_cast<std::size_t>(note.what))}; }

/// Columns that an event has or leaves empty.
struct Columns {
    std::optional<roce::Bth> bth{};
    std::optional<Role> role{};
    std::optional<Tid> tid{};              ///< where no frame tells it
    std::optional<std::uint32_t> bytes{};  ///< or slots, or the step's value
    std::uint64_t address = 0;             ///< 0: none
    std::optional<roce::Qpn> qp{};         ///< of a RoCEv2 RNIC
    std::string message{};                 ///< "a.q0.7"
    std::string verb{};
};
Columns columns_of(const WireFrame& frame) { return {.bth = frame.bth, .bytes = frame.bytes}; }
Columns columns_of(const MemoryAccess& memory) { return {.bytes = memory.bytes, .address = memory.address}; }
Columns columns_of(const DmaRequest& dma) { return {.bytes = dma.bytes, .address = dma.address}; }
Columns columns_of(const DecisionCause& cause) { return {.role = cause.role, .tid = cause.tid}; }
Columns columns_of(const DecisionResult& result) { return {.role = result.role, .tid = result.tid}; }
Columns columns_of(const BufferFill& fill) { return {.bytes = fill.slots}; }
Columns columns_of(const Overrun& /*overrun*/) { return {.bytes = 0}; }
Columns columns_of(const SoftwareStep& software) {
    Columns columns{.tid = software.tid, .bytes = software.value};
    if (!software.of_ordinary_frame()) columns.role = software.role;
    return columns;
}
Columns columns_of(const MessageStep& step, const HostNames& hosts) {
    Columns columns{.qp = step.from, .message = hosts.message(step.sender, step.qp, step.number)};
    if (step.step != MessageStep::Step::posted) return columns;
    columns.bytes = step.bytes;
    if (step.place != kUnknownPlace) columns.address = step.place;
    columns.verb = shown(step.verb);
    return columns;
}
Columns columns_of(const PersistStep& step, const HostNames& hosts) {
    Columns columns{.message = hosts.message(step.sender, step.qp, step.number)};
    if (step.packets == 0) return columns;  // it is not posted
    columns.qp = step.from;
    columns.bytes = step.bytes;
    columns.address = step.place;
    columns.verb = shown(step.verb);
    return columns;
}
Columns columns_of(const LineStep& line, const HostNames& hosts) {
    return {.bytes = static_cast<std::uint32_t>(std::popcount(line.mask)),
            .address = line.address + static_cast<std::uint64_t>(std::countr_zero(line.mask)),
            .message = line.stored ? std::string() : hosts.message(line.sender, line.qp, line.item)};
}
Columns columns_of(const QpNote& note, const HostNames& /*hosts*/) { return {.qp = note.qp}; }
Columns columns_of(const ProgramBegins& program) { return {.bytes = program.program}; }
Columns columns_of(const QpConnected& qp) { return {.qp = qp.number}; }
Columns columns_of(const VerbsCall& call) { return {.bytes = call.count}; }
template <typename What>
Columns columns_of(const What& what, const HostNames& /*hosts*/) {
    return columns_of(what);
}

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

EventTableWriter::EventTableWriter(const std::string& name, const HostNames& hosts)
    : json_(name.ends_with(".jsonl")), file_(name), hosts_(hosts), names_(hosts.size()), cause_(hosts.size()) {
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
    const Place place = std::visit([](const auto& what) { return place_of(what); }, event.what);
    const Columns columns = std::visit([&](const auto& what) { return columns_of(what, hosts_); }, event.what);

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
