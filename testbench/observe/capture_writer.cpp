// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/capture_writer.h"

#include "testbench/events/microseconds.h"
#include "testbench/records/report_clock.h"
#include "tlm/pcie/tlp_count.h"
#include "tlm/pcie/tlp_header.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::uint32_t kWrongFcs = 1U << 24;  // a link-layer error in epb_flags

/// By its EtherType, MAC control.
bool is_pause(std::span<const std::uint8_t> frame) {
    return frame.size() > 13 && frame[12] == 0x88 && frame[13] == 0x08;
}

}  // namespace

CaptureWriter::CaptureWriter(const RunRequest& request)
    : file_(request.observe.capture),
      tlps_(request.observe.tlps),
      sent_(request.observe.capture_at != ObserveRequest::At::received),
      received_(request.observe.capture_at != ObserveRequest::At::sent),
      just_sent_(request.names.size() + request.switches.size()),
      network_(request.network),
      hosts_(request.names.size()) {
    using enum PcapngFile::LinkType;
    for (const AnyEnd& host : request.hosts) {
        slots_.emplace_back();
        if (const PcieConfig* const pcie = host->pcie()) slots_.back() = Slot{*pcie, cards_++};
    }
    const HostNames& names = request.names;
    for (unsigned from = 0; from < names.size(); ++from) {
        const std::string& to = names[request.network ? from : 1 - from];
        file_.add_interface(ethernet, names[from] + ".sent",
                            "RNIC " + names[from] + " sends: the end of the frame's last byte");
        file_.add_interface(ethernet, to + ".received", "reaches RNIC " + to + ": the end of the frame's last byte");
    }
    if (!tlps_) return;
    for (unsigned end = 0; end < slots_.size(); ++end) {
        if (!slots_[end]) continue;
        file_.add_interface(user0, names[end] + ".pcie",
                            "requests of RNIC " + names[end] + ", headers only: when the root complex acts upon them");
    }
    for (const ntb::Config& bridge : request.bridges) {
        const auto [one, other] = std::minmax(bridge.between[0], bridge.between[1]);
        for (const auto& [from, to] : {std::pair{one, other}, std::pair{other, one}})
            file_.add_interface(user0, bridge.name + '.' + names.direction(from, to),
                                names[from] + " sends to bridge " + bridge.name + ": the end of the TLP's last byte");
    }
}

/// A port knows when it sends before it does.
bool CaptureWriter::lies_ahead(BridgeStep::Step step) {
    return step == BridgeStep::Step::sent || step == BridgeStep::Step::credits_back;
}

void CaptureWriter::event(const LoggedEvent& event, std::span<const std::uint8_t> frame) {
    const auto* const step = std::get_if<BridgeStep>(&event.what);
    const auto* const dma = std::get_if<DmaRequest>(&event.what);
    const auto* const wire = std::get_if<WireFrame>(&event.what);
    if (step != nullptr && lies_ahead(step->step)) {
        if (tlps_ && step->step == BridgeStep::Step::sent) hold_tlp(event, *step, frame);
        return;
    }
    const unsigned end = event.end;
    Packet* const sent = std::exchange(just_sent_.at(end), nullptr);
    if (step == nullptr && dma == nullptr && wire == nullptr) return;  // what cores do may lie ahead, too
    // Those of a cycle come by module.
    write_before(kReportClock.time(kReportClock.cycle(event.since)));
    if (dma != nullptr && tlps_) hold_dma(event, *dma);
    if (wire == nullptr) return;
    // A switch has no interface: its pause frames are captured where they arrive.
    const bool to_host = wire->next < hosts_ && (received_ || (end >= hosts_ && is_pause(frame)));
    const auto captured = [&](std::uint32_t interface, std::uint32_t flags) {
        return Packet{interface, 0, flags, static_cast<std::uint32_t>(frame.size()), {}, {frame.begin(), frame.end()}};
    };
    switch (wire->step) {
        case WireFrame::Step::sent:
            if (end >= hosts_) break;  // a switch's pause frame: captured where it arrives
            if (sent_) just_sent_.at(end) = &hold(event.at, captured(sent_by(end), PcapngFile::kOutbound));
            break;
        case WireFrame::Step::arrives:
            if (to_host) hold(event.at, captured(received_by(wire->next), PcapngFile::kInbound));
            break;
        case WireFrame::Step::damaged: {
            if (sent != nullptr && !received_) sent->comment = "damaged on the link: arrives with a wrong FCS";
            if (!to_host) break;
            Packet& packet = hold(event.at, captured(received_by(wire->next), PcapngFile::kInbound | kWrongFcs));
            packet.comment = "damaged on the link: wrong FCS";
            break;
        }
        case WireFrame::Step::lost:
            if (sent != nullptr) sent->comment = "lost on the link, " + exact_microseconds(event.at) + " us";
            break;
        case WireFrame::Step::dropped: break;
    }
}

CaptureWriter::Packet& CaptureWriter::hold(Time at, Packet packet) {
    packet.ns = at.ps / kNanosecond.ps;
    return held_.emplace(at, std::move(packet))->second;
}

/// One packet for each TLP of a DMA transaction, cut as the endpoint cuts it. All have the
/// same time: the model has one for them.
void CaptureWriter::hold_dma(const LoggedEvent& event, const DmaRequest& dma) {
    const bool read = dma.kind == TlpKind::memory_read;
    const PcieConfig& pcie = slots_.at(event.end)->pcie;
    const std::uint32_t limit = read ? pcie.max_read_request : pcie.max_payload;
    std::uint64_t address = dma.address;
    std::uint32_t left = dma.bytes;
    while (left != 0) {
        const std::uint32_t part = first_tlp_bytes(address, left, limit);
        const TlpHeader header = read ? memory_read_header(address, part) : memory_write_header(address, part);
        const std::span<const std::uint8_t> bytes = header.used();
        hold(event.at, {pcie_of(event.end),
                        0,
                        PcapngFile::kOutbound,
                        header.length + header.payload_bytes,
                        dma.kind == TlpKind::message_signalled_interrupt ? "interrupt" : "",
                        {bytes.begin(), bytes.end()}});
        address += part;
        left -= part;
    }
}

/// All of it, unlike a card's requests.
void CaptureWriter::hold_tlp(const LoggedEvent& event, const BridgeStep& step, std::span<const std::uint8_t> payload) {
    const auto tag = static_cast<std::uint8_t>(step.tag);
    TlpHeader header;
    switch (step.tlp) {
        case BridgeTlp::write:
        case BridgeTlp::interrupt: header = memory_write_header(step.address, step.bytes); break;
        case BridgeTlp::read: header = memory_read_header(step.address, step.bytes, tag); break;
        case BridgeTlp::completion: header = completion_header(step.address, step.bytes, tag); break;
        case BridgeTlp::refusal: header = refusal_header(step.address, tag); break;
    }
    std::vector<std::uint8_t> bytes(header.length + header.payload_bytes);
    std::ranges::copy(header.used(), bytes.begin());
    const std::size_t first = header.length + (step.address & 3U);
    std::ranges::copy(payload, bytes.begin() + static_cast<std::ptrdiff_t>(first));
    const auto wire = static_cast<std::uint32_t>(bytes.size());
    hold(event.at, {sent_over(step, event.end), 0, PcapngFile::kOutbound, wire, {}, std::move(bytes)});
}

/// Later events take effect at `now` or after it.
void CaptureWriter::write_before(Time now) {
    while (!held_.empty() && held_.begin()->first < now) {
        file_.write(held_.begin()->second);
        held_.erase(held_.begin());
    }
}

void CaptureWriter::finish() {
    write_before(kEndOfTime);
    file_.close();
}

}  // namespace rnicsim
