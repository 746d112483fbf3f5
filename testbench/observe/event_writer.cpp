#include "testbench/observe/event_writer.h"

#include "model/host/host_observer.h"
#include "model/rnic/transport_engine.h"

#include <charconv>

namespace rnicsim {
namespace {

struct Place {
    std::string_view unit;
    std::string_view event;
};

Place place_of(const LoggedEvent& event) {
    switch (event.kind) {
        case EventKind::frame: return {"mac", "sent"};
        case EventKind::lost: return {"link", "lost"};
        case EventKind::damaged: return {"link", "damaged"};
        case EventKind::arrives: return {"link", "arrives"};
        case EventKind::memory_write: return {"memory", "write"};
        case EventKind::memory_read: return {"memory", "read"};
        case EventKind::dma_write: return {"pcie", "dma_write"};
        case EventKind::dma_read: return {"pcie", "dma_read"};
        case EventKind::interrupt: return {"pcie", "interrupt"};
        case EventKind::cause: return {"transport", "decides"};
        case EventKind::decision: return {"transport", kTransportCountNames.at(event.what)};
        case EventKind::overrun: return {"transport", "rx_overrun"};
        case EventKind::fill: return {"buffer", "fill"};
        case EventKind::host: return {"host", kHostStepNames.at(event.what)};
    }
    return {};
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

EventTableWriter::EventTableWriter(const std::string& name) : json_(name.ends_with(".jsonl")), file_(name) {
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
    if (event.kind == EventKind::cause) cause_.at(event.end) = cause_text(event);
    const std::optional<TransferName> transfer = names_.of(event);
    const std::optional<DrpHeader> header = header_of(event);
    const Place place = place_of(event);
    const bool has_role = event.kind == EventKind::cause || event.kind == EventKind::decision ||
                          (event.kind == EventKind::host && transfer);

    Row row(line_, json_);
    row.number(kEventColumnsVersion);
    row.number(event.at);
    row.number(event.during);
    row.number(event.at * (kPsPerCycle / 1000));
    row.text(event.end == 0 ? "a" : "b");
    row.text(place.unit);
    row.text(place.event);
    if (transfer) {
        row.text(transfer->text());
        row.number(header ? raw(header->tid) : event.tid);
    } else {
        row.skip(2);
    }
    if (has_role) {
        row.text(static_cast<Role>(event.role) == Role::initiator ? "initiator" : "responder");
    } else {
        row.skip();
    }
    if (header) {
        row.text(header->is_ack() ? "ACK" : type_name(header->type));
        row.number(header->sn);
        row.number(header->ackn);
        row.number(header->len);
        row.text(header->indirect ? "indirect" : "direct");
    } else {
        row.skip(5);
    }
    if (event.kind == EventKind::cause || event.kind == EventKind::decision) {
        row.skip();
    } else {
        row.number(event.bytes);
    }
    if (event.address != 0) {
        row.number(static_cast<std::int64_t>(event.address));
    } else {
        row.skip();
    }
    const bool decides = event.kind == EventKind::cause || event.kind == EventKind::decision;
    row.text(decides ? std::string_view(cause_.at(event.end)) : std::string_view());
    file_.write(row.finish());
}

}  // namespace rnicsim
