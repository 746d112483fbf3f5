// SPDX-License-Identifier: Apache-2.0
// What the parts of a host with a RoCEv2 RNIC add to the time of a message where nobody else is on its way
// (model/rnic/rc/README.md, "Times"; of streams model/host/tcp/README.md).
#pragma once

#include "model/config.h"
#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/work_queues.h"
#include "tlm/ethernet/frame.h"
#include "tlm/pcie/address_map.h"
#include "tlm/pcie/pcie_direction.h"
#include "tlm/pcie/tlp_count.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim {

/// A host, its slot and its card: each part begins when its input is there and the part is free, host and card at edges
/// of their clocks.
class HostParts {
  public:
    explicit HostParts(const VerbsEndConfig& config)
        : config_(config),
          host_(config.host.clock),
          card_(config.card.clock),
          down_(config.card.pcie.generation, config.card.pcie.lanes),
          up_(down_) {}

    /// A program's call, until its WQE of so many blocks, pushed, has come to the card.
    Time post(Time at, std::uint32_t blocks = 1) {
        Time come = at + host_.time(config_.host.costs.post + config_.host.costs.push);
        const Time called = come;
        for (std::uint32_t i = 0; i < blocks; ++i) come = written(called, rc::page::kPush, rc::kWqeBlock);
        return come;
    }
    /// Something is written to a register of the card, until it has come there.
    Time written(Time at, std::uint64_t offset, std::uint32_t bytes) {
        return to_card(down_.send(at, memory_write_tlps(kBar0 + offset, bytes, pcie().max_payload).link_bytes));
    }
    /// The card reads the host's memory.
    Time read(Time at, std::uint32_t bytes) { return reads(at, bytes).last; }
    /// ... to send it on: when the frame that it is in can go to the wire.
    Time read_payload(Time at, std::uint32_t bytes) { return goes_on(reads(at, bytes), bytes); }
    /// The card reads, and asks for something else when it is there: behind the Acks of the answer.
    Time read_line(Time at, std::uint32_t bytes) {
        const Time there = read(at, bytes);
        acknowledged(there, bytes);
        return there;
    }
    /// The same of a payload, which may go to the wire before it is all there.
    Time read_payload_line(Time at, std::uint32_t bytes) {
        const Read got = reads(at, bytes);
        acknowledged(got.last, bytes);
        return goes_on(got, bytes);
    }
    /// The card writes; when it can be seen in memory.
    Time write(Time at, std::uint32_t bytes) {
        return memory(to_host(on_link_up(at, memory_write_tlps(0, bytes, pcie().max_payload))), bytes);
    }
    /// ... a payload, which has come from the wire: `streamed` bytes of it while it came.
    Time write_payload(Time at, std::uint32_t bytes, std::uint32_t streamed) {
        begins_early(at, bytes, streamed);
        return write(at, bytes);
    }
    Time write_payload(Time at, std::uint32_t bytes) { return write_payload(at, bytes, bytes); }
    /// A frame of a stream, as it comes, and that it has come.
    Time write_frame(Time at, std::uint32_t bytes, std::uint32_t told) {
        TlpCount all = memory_write_tlps(0, bytes, pcie().max_payload);
        const TlpCount last = memory_write_tlps(0, told, pcie().max_payload);
        all.tlps += last.tlps;
        all.link_bytes += last.link_bytes;
        begins_on_link(at, all.link_bytes, bytes + static_cast<std::uint32_t>(kFcsBytes));
        const Time come = to_host(on_link_up(at, all));
        memory(come, bytes);
        return memory(come, told);
    }
    /// The card's interrupt, behind what it has written: when the host has it.
    Time interrupt(Time at) {
        return to_host(up_.send(at, memory_write_tlps(kInterrupts, 4, pcie().max_payload).link_bytes));
    }
    /// The program polls what can be seen, and has taken it.
    [[nodiscard]] Time polled(Time visible) const { return host_.time(host_.edge(visible) + config_.host.costs.poll); }
    [[nodiscard]] Time receive_posted(Time at) const { return at + host_.time(config_.host.costs.receive); }

    /// Frames one behind the other, from a decision or a payload's arrival at the card until the last one's last bit.
    [[nodiscard]] Time sent(Time at, const std::vector<std::size_t>& frames, const MacTiming& wire) const {
        Time end = at + card_.time(config_.card.tx_path + config_.card.gmac.tx_latency) - wire.gap();
        for (const std::size_t length : frames) end += wire.gap() + wire.serialisation(length);
        return end;
    }
    /// The last bit has come: the decision about it.
    [[nodiscard]] Time received(Time end) const {
        return card_.time(card_.edge(end) + config_.card.gmac.rx_latency + config_.card.rx_path);
    }

  protected:
    [[nodiscard]] const PcieConfig& pcie() const { return config_.card.pcie; }
    struct Read {
        Time first, last;  // of its completions
    };
    Read reads(Time at, std::uint32_t bytes) {
        const TlpCount request = memory_read_tlps(0, bytes, pcie().max_read_request);
        down_.send(to_host(on_link_up(at, request)), request.tlps * kDllpBytes);
        const Time ready = memory(to_host_, bytes) + host_.time(config_.host.memory.latency);
        const std::uint32_t all = completion_tlps(0, bytes, pcie().max_read_request, pcie().max_payload,
                                                  config_.host.pcie.read_completion_boundary)
                                      .link_bytes;
        const std::uint32_t one = std::min(all, largest_tlp_link_bytes(pcie().max_payload));
        const Time first = std::max(ready, down_.free_at()) + down_.length(one);
        return {to_card(first), to_card(down_.send(ready, all))};
    }
    [[nodiscard]] Time goes_on(const Read& got, std::uint32_t bytes) const {
        if (!config_.card.cut_through) return got.last;
        const std::int64_t before = bytes - std::min(bytes, pcie().max_payload);
        const Time on_wire = card_.time(card_.cycle(config_.card.wire.per_byte * before));
        return std::max(got.first, got.last - on_wire);
    }
    void acknowledged(Time there, std::uint32_t bytes) {
        up_.send(there, completion_tlps(0, bytes, pcie().max_read_request, pcie().max_payload,
                                        config_.host.pcie.read_completion_boundary)
                                .tlps *
                            kDllpBytes);
    }
    /// Of the next write: all but its last TLP may have left while it came.
    void begins_early(Time at, std::uint32_t bytes, std::uint32_t streamed) {
        begins_on_link(at, memory_write_tlps(0, bytes, pcie().max_payload).link_bytes, streamed);
    }
    /// `all`: its bytes on the link.
    void begins_on_link(Time at, std::uint32_t all, std::uint32_t streamed) {
        if (!config_.card.cut_through) return;
        const Time first = std::max(at, engine_free_) + card_.time(pcie().request_overhead);
        up_.begin_early(first - config_.card.wire.per_byte * std::int64_t{streamed}, first,
                        up_.length(all - std::min(all, largest_tlp_link_bytes(pcie().max_payload))));
        early_ = true;
    }
    /// The DMA engine and the link.
    Time on_link_up(Time at, const TlpCount& request) {
        const Time first = std::max(at, engine_free_) + card_.time(pcie().request_overhead);
        engine_free_ = first + card_.time(Cycle{request.tlps});
        return up_.send(std::exchange(early_, false) ? Time{} : first, request.link_bytes);
    }
    Time to_host(Time left) { return to_host_ = host_.time(host_.edge(card_.time(card_.edge(left) + pcie().latency))); }
    [[nodiscard]] Time to_card(Time left) const {
        return card_.time(card_.edge(host_.time(host_.edge(left) + config_.host.pcie.latency)));
    }
    Time memory(Time at, std::uint32_t bytes) {
        memory_free_ = std::max(at, memory_free_) + time_of(bytes, config_.host.memory.bytes_per_second);
        return memory_free_;
    }

    const VerbsEndConfig& config_;
    const Clock host_, card_;
    PcieDirection down_, up_;
    Time engine_free_, memory_free_, to_host_;
    bool early_ = false;  // the link knows when the next write has begun
};

}  // namespace rnicsim
