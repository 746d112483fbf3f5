// What the parts of a host with a RoCEv2 RNIC add to the time of a message where nobody else is on its way
// (model/rnic/rc/README.md, "Times").
#pragma once

#include "model/config.h"
#include "model/rnic/rc/work_queues.h"
#include "tlm/pcie/address_map.h"
#include "tlm/pcie/pcie_tlp.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rnicsim {

/// A host, its slot and its card: each part begins when its input is there and the part is free, host and card at edges
/// of their clocks.
class End {
  public:
    explicit End(const VerbsEndConfig& config)
        : config_(config),
          host_(config.host.clock),
          card_(config.card.clock),
          down_(config.card.pcie.generation, config.card.pcie.lanes),
          up_(down_) {}

    /// A program's call, until its WQE of one block has come to the card.
    Time post(Time at) {
        const std::uint32_t bytes =
            memory_write_tlps(kBar0 + rc::page::kPush, rc::kWqeBlock, pcie().max_payload).link_bytes;
        return to_card(down_.send(at + host_.time(config_.host.costs.post + config_.host.costs.push), bytes));
    }
    /// The card reads the host's memory.
    Time read(Time at, std::uint32_t bytes) {
        const TlpCount request = memory_read_tlps(0, bytes, pcie().max_read_request);
        down_.send(to_host(on_link_up(at, request)), request.tlps * kDllpBytes);
        const Time ready = memory(to_host_, bytes) + host_.time(config_.host.memory.latency);
        const TlpCount answer = completion_tlps(0, bytes, pcie().max_read_request, pcie().max_payload,
                                                config_.host.pcie.read_completion_boundary);
        return to_card(down_.send(ready, answer.link_bytes));
    }
    /// The card reads, and asks for something else when it is there: behind the Acks of the answer.
    Time read_line(Time at, std::uint32_t bytes) {
        const Time there = read(at, bytes);
        up_.send(there, completion_tlps(0, bytes, pcie().max_read_request, pcie().max_payload,
                                        config_.host.pcie.read_completion_boundary)
                                .tlps *
                            kDllpBytes);
        return there;
    }
    /// The card writes; when it can be seen in memory.
    Time write(Time at, std::uint32_t bytes) {
        return memory(to_host(on_link_up(at, memory_write_tlps(0, bytes, pcie().max_payload))), bytes);
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
    /// The DMA engine and the link.
    Time on_link_up(Time at, const TlpCount& request) {
        const Time first = std::max(at, engine_free_) + card_.time(pcie().request_overhead);
        engine_free_ = first + card_.time(Cycle{request.tlps});
        return up_.send(first, request.link_bytes);
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
    PcieLane down_, up_;
    Time engine_free_, memory_free_, to_host_;
};

}  // namespace rnicsim
