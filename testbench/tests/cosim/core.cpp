// SPDX-License-Identifier: Apache-2.0
// The core in Verilog at its ports, with inputs that no model gives.
#include "Vrnic_core.h"
#include "model/rtl/clocked.h"
#include "model/rtl/ports.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"
#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

namespace rnicsim {
namespace {

constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
constexpr MacAddress kPeer{2, 0, 0, 0, 0, 2};
constexpr Tid kTid{5};

/// A responder: wire, host interface and link around the core.
class Responder {
  public:
    explicit Responder(unsigned segment) : segment_(segment) {
        core_->cfg_own_address_i = ports::address(kOwn);
        core_->cfg_peer_address_i = ports::address(kPeer);
        core_->cfg_segment_i = segment;
        core_->cfg_window_i = 8;
        core_->cfg_request_timer_i = core_->cfg_data_timer_i = core_->cfg_release_timer_i = 1'000'000;
        core_->cfg_idle_timeout_i = 10'000'000;
        core_->cfg_max_requests_i = core_->cfg_max_retransmissions_i = core_->cfg_indirect_after_i = 16;
        core_->cfg_slots_i = 48;
        core_->cfg_slot_words_i = segment / 8;
        core_->cfg_tx_buffers_i = 16;
        core_->cfg_rx_buffers_i = 28;
        core_->cfg_max_payload_log2_i = 12;
        core_->cfg_max_read_request_log2_i = 12;
        core_->cfg_tags_i = 32;
        core_->cfg_request_overhead_i = 255;
        run(4);
    }

    void run(unsigned cycles) {
        for (; cycles > 0; --cycles) cycle();
    }
    /// Bytes from destination address to FCS, and the gap behind them.
    void receive(std::span<const std::uint8_t> bytes) {
        for (unsigned i = 0; i < 8; ++i) wire(i == 7 ? 0xD5 : 0x55);
        for (const std::uint8_t byte : bytes) wire(byte);
        run(12);
    }
    void receive(const DrpHeader& header, std::span<const std::uint8_t> data = {}) {
        const FrameRef frame = pool_.take();
        frame->format(kOwn, kPeer, kDrpEtherType, std::max<std::size_t>(46, kDrpHeaderBytes + data.size()));
        encode(header, frame->writable_client_data().first<kDrpHeaderBytes>());
        std::ranges::copy(data, frame->writable_client_data().begin() + kDrpHeaderBytes);
        frame->seal();
        receive(frame->bytes());
    }
    void command(CommandCode code, unsigned length) {
        core_->command_valid_i = 1;
        core_->command_code_i = static_cast<unsigned>(code);
        core_->command_tid_i = raw(kTid);
        core_->command_length_i = length;
        core_->command_generation_i = generation_;
        core_.settle();
        while (core_->command_ready_o == 0) cycle();
        cycle();
        core_->command_valid_i = 0;
    }
    /// A transfer of so many frames is requested and its region registered. Returns the header of its data.
    DrpHeader begin(unsigned frames) {
        DrpHeader header;
        header.type = DrpType::req;
        header.tid = kTid;
        header.len = frames * segment_;
        header.sn = segment_;
        receive(header);
        run(20);
        command(CommandCode::registered, header.len);
        run(200);
        header.type = DrpType::data;
        header.len = segment_;
        return header;
    }
    /// Writes of the host interface, which keep the DMA engine busy.
    void host_writes(unsigned count) { host_writes_ += count; }

    std::vector<std::uint8_t> payload;  // of what has been placed
    unsigned dropped = 0;               // frames

  private:
    void wire(std::uint8_t byte) {
        core_->gmii_rx_dv_i = 1;
        core_->gmii_rxd_i = byte;
        cycle();
        core_->gmii_rx_dv_i = 0;
    }
    void cycle() {
        core_->now_i = now_++;
        core_->left_i = leaves_ > 0;
        if (leaves_ > 0) --leaves_;
        core_->host_valid_i = host_writes_ > 0;
        core_->host_write_i = 1;
        core_->host_bytes_i = 64;
        core_->host_age_i = 1;
        core_.settle();
        if (core_->host_valid_i != 0 && core_->host_ready_o != 0) --host_writes_;
        core_.tick();
        dropped += core_->rx_drop_o;
        if (core_->event_valid_o != 0) generation_ = core_->event_generation_o;
        if (core_->payload_valid_o != 0) {
            for (unsigned i = 0; i < 8; ++i) payload.push_back(static_cast<std::uint8_t>(core_->payload_o >> (8 * i)));
            leaves_ += core_->payload_last_o;
        }
    }

    Clocked<Vrnic_core> core_{"rnic_core"};
    FramePool pool_;
    unsigned segment_, now_ = 0, host_writes_ = 0, leaves_ = 0;
    unsigned generation_ = 0;  // of the core's request to the host
};

TEST_CASE("rnic_core: with DMA behind, a frame that is too long leaves the payload that waits as it is", "[cosim]") {
    constexpr unsigned kSegment = 1000;
    for (const unsigned bytes : {1519U, 1586U, 1587U, 1590U, 1700U, 2048U, 2500U}) {
        CAPTURE(bytes);
        Responder responder(kSegment);
        DrpHeader header = responder.begin(2);
        responder.host_writes(30);
        std::mt19937 random(bytes);
        std::vector<std::uint8_t> wanted(kSegment), other(kSegment), too_long(bytes);
        for (auto* all : {&wanted, &other, &too_long}) {
            for (std::uint8_t& byte : *all) byte = static_cast<std::uint8_t>(random());
        }
        // Beyond the window: its place in staging is freed, the one below that of the next frame.
        header.sn = 20;
        responder.receive(header, other);
        header.sn = 0;
        responder.receive(header, wanted);
        std::ranges::copy(kOwn, too_long.begin());
        responder.receive(too_long);
        CHECK(responder.dropped == 1);
        CHECK(responder.payload.empty());  // the DMA engine is still behind
        responder.run(12'000);
        CHECK((responder.payload == wanted));
    }
}

TEST_CASE("rnic_core: with DMA far behind, decisions are held; frames are lost whole, and what is placed is right",
          "[cosim]") {
    constexpr unsigned kSegment = 64, kFrames = 60, kWindow = 8;
    Responder responder(kSegment);
    DrpHeader header = responder.begin(kFrames);
    responder.host_writes(400);  // the host interface takes what places it gets
    responder.run(200);
    std::mt19937 random(1);
    std::vector<std::uint8_t> placed;
    std::vector<bool> here(kFrames + kWindow);
    unsigned expected = 0;
    for (header.sn = 0; header.sn < kFrames; ++header.sn) {
        std::vector<std::uint8_t> data(kSegment);
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
        const unsigned dropped = responder.dropped;
        responder.receive(header, data);
        if (responder.dropped != dropped || header.sn >= expected + kWindow) continue;
        placed.insert(placed.end(), data.begin(), data.end());
        here[header.sn] = true;
        while (here[expected]) ++expected;
    }
    CHECK(responder.dropped > 10);
    CHECK(expected >= 20);
    responder.run(600 * 300);
    CHECK((responder.payload == placed));
}

}  // namespace
}  // namespace rnicsim
