// SPDX-License-Identifier: Apache-2.0
// A user's block with one wrong port: cosim names that port, the cycle and the time.
#include "testbench/tests/cosim/faulty_blocks.h"

#include "Vdma_engine.h"
#include "Vdrp_frame_filter.h"
#include "Vgmac_rx.h"
#include "Vgmac_tx.h"
#include "Vindirect_buffer.h"
#ifdef RNICSIM_OWN_GMAC_TX
#include "Vown_gmac_tx.h"
#endif
#include "model/rnic/drp/end/end_config.h"
#include "model/rtl/dma_rtl.h"
#include "model/rtl/filter_rtl.h"
#include "model/rtl/gmac_rtl.h"
#include "model/rtl/indirect_buffer_rtl.h"
#include "testbench/tests/support/default_config.h"
#include "tlm/drp/drp_header.h"

#include <array>

namespace rnicsim {
namespace {

TransferKey responder_of(std::uint16_t tid) { return {Role::responder, Tid{tid}, {}}; }

constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
constexpr MacAddress kPeer{2, 0, 0, 0, 0, 2};

/// Requests to an idle engine, and some that have to wait.
template <typename Module>
std::string fault_of_dma() {
    return fault_of([] {
        PcieConfig config = drp_of(default_config(), 0).rnic.pcie;
        config.max_payload = config.max_read_request = 256;
        DmaRtl<Module> engine(config, "mine", {});
        for (std::int64_t i = 0; i < 40; ++i) {
            std::array<DmaEngine::Piece, 2> pieces{{{0x1040, 300, {}}, {0x4FF0, 700, {}}}};
            const auto direction = i % 3 == 0 ? DmaEngine::Direction::read : DmaEngine::Direction::write;
            engine.issue(Cycle{100 + 50 * (i / 8)}, direction, pieces);
        }
    });
}

TEST_CASE("a DMA engine of one's own: the port that is wrong is named", "[cosim]") {
    CHECK(fault_of_dma<Vdma_engine>() == "nothing");
    const auto check = []<auto Port>(const char* port) {
        check_named(fault_of_dma<WrongOutput<Vdma_engine, Port, kLate>>(), "dma_engine", port);
        check_named(fault_of_dma<WrongOutput<Vdma_engine, Port, kInverted>>(), "dma_engine", port);
    };
    RNICSIM_CHECK(request_ready_o);
    RNICSIM_CHECK(tlp_valid_o);
    RNICSIM_CHECK(tlp_write_o);
    RNICSIM_CHECK(tlp_address_o);
    RNICSIM_CHECK(tlp_bytes_o);
    RNICSIM_CHECK(tlp_first_o);
    RNICSIM_CHECK(tlp_last_o);
    RNICSIM_CHECK(tlp_piece_last_o);
    RNICSIM_CHECK(idle_o);
}

TEST_CASE("a DMA engine of one's own: short TLPs, and no account of what a request was held up", "[cosim]") {
    constexpr auto kHalf = [](auto log2) -> decltype(log2) { return log2 - 1U; };
    constexpr auto kNone = [](auto given) -> decltype(given) { return given * 0U; };
    constexpr auto kTwice = [](auto given) -> decltype(given) { return given * 2U; };
    const auto check = []<auto Port, auto Spoil>(const char* port) {
        check_named(fault_of_dma<WrongInput<Vdma_engine, Port, Spoil>>(), "dma_engine", port);
    };
    check.operator()<RNICSIM_PORT(cfg_max_payload_log2_i), kHalf>("tlp_bytes_o");
    check.operator()<RNICSIM_PORT(cfg_max_read_request_log2_i), kHalf>("tlp_bytes_o");
    check.operator()<RNICSIM_PORT(request_age_i), kNone>("tlp_valid_o");
    check.operator()<RNICSIM_PORT(request_age_i), kTwice>("tlp_valid_o");
}

/// DRP frames, an ordinary one, one for another destination, a malformed one.
template <typename Module>
std::string fault_of_filter() {
    return fault_of([] {
        RnicConfig config = drp_of(default_config(), 0).rnic;
        FilterRtl<Module> filter(kOwn, "mine", BlockFactory().filter(config, kOwn), {});
        FramePool pool;
        Cycle due{2000};
        const auto classify = [&](const MacAddress& to, std::uint16_t type, std::size_t bytes, unsigned ctrl) {
            const FrameRef frame = pool.take();
            frame->format(to, kPeer, type, bytes);
            frame->writable_client_data()[0] = static_cast<std::uint8_t>(ctrl);
            filter.classify(*frame, due);
            due += Cycle{2000};
        };
        classify(kOwn, 0x0800, 100, 0);
        classify(kPeer, 0x0800, 100, 0);
        classify(kOwn, kDrpEtherType, 100, 0);
        DrpHeader header;
        header.type = DrpType::data;
        header.tid = Tid{77};
        header.len = 1;
        header.sn = header.ackn = 0x55;
        header.sba = header.dba = 0x1234;
        const FrameRef frame = pool.take();
        frame->format(kOwn, kPeer, kDrpEtherType, 100);
        encode(header, frame->writable_client_data().first<kDrpHeaderBytes>());
        filter.classify(*frame, due);
    });
}

TEST_CASE("a frame filter of one's own: the port that is wrong is named", "[cosim]") {
    CHECK(fault_of_filter<Vdrp_frame_filter>() == "nothing");
    const auto check = []<auto Port>(const char* port) {
        check_named(fault_of_filter<WrongOutput<Vdrp_frame_filter, Port, kInverted>>(), "frame_filter", port);
    };
    RNICSIM_CHECK(drp_o);
    RNICSIM_CHECK(ordinary_o);
    RNICSIM_CHECK(other_destination_o);
    RNICSIM_CHECK(malformed_o);
    RNICSIM_CHECK(reason_o);
    RNICSIM_CHECK(ctrl_o);
    RNICSIM_CHECK(tid_o);
    RNICSIM_CHECK(len_o);
    RNICSIM_CHECK(sn_o);
    RNICSIM_CHECK(ackn_o);
    RNICSIM_CHECK(sba_o);
    RNICSIM_CHECK(dba_o);
    RNICSIM_CHECK(frame_bytes_o);
}

/// Frames of both directions, of the four verdicts.
template <typename Tx, typename Rx>
std::string fault_of_mac() {
    return fault_of([] {
        GmacRtl<Tx, Rx> mac("mine", "mine", {});
        FramePool pool;
        Cycle due{10'000};
        const auto receive = [&](std::size_t bytes, bool damaged) {
            const FrameRef frame = pool.take();
            frame->format(kOwn, kPeer, 0x0800, bytes);
            frame->seal();
            if (damaged) frame->writable_bytes()[30] ^= 1U;
            mac.receive(*frame, due);
            due += Cycle{2000};
        };
        const FrameRef frame = pool.take();
        frame->format(kPeer, kOwn, 0x0800, 100);
        mac.send(*frame, Cycle{100});
        receive(100, false);
        receive(100, true);
        const FrameRef runt = pool.take();
        runt->format(kOwn, kPeer, 0x0800, 100);
        runt->seal();
        runt->truncate(60);
        mac.receive(*runt, due);
        due += Cycle{2000};
        receive(1501, false);
    });
}

TEST_CASE("a MAC of one's own: the port that is wrong is named", "[cosim]") {
    CHECK(fault_of_mac<Vgmac_tx, Vgmac_rx>() == "nothing");
    {
        const auto check = []<auto Port>(const char* port) {
            check_named(fault_of_mac<WrongOutput<Vgmac_tx, Port, kInverted>, Vgmac_rx>(), "gmac_tx", port);
            check_named(fault_of_mac<WrongOutput<Vgmac_tx, Port, kLate>, Vgmac_rx>(), "gmac_tx", port);
        };
        RNICSIM_CHECK(ready_o);
        RNICSIM_CHECK(take_o);
        RNICSIM_CHECK(gmii_txd_o);
        RNICSIM_CHECK(gmii_tx_en_o);
    }
    const auto check = []<auto Port>(const char* port) {
        check_named(fault_of_mac<Vgmac_tx, WrongOutput<Vgmac_rx, Port, kInverted>>(), "gmac_rx", port);
        check_named(fault_of_mac<Vgmac_tx, WrongOutput<Vgmac_rx, Port, kLate>>(), "gmac_rx", port);
    };
    RNICSIM_CHECK(valid_o);
    RNICSIM_CHECK(first_o);
    RNICSIM_CHECK(data_o);
    RNICSIM_CHECK(end_o);
    RNICSIM_CHECK(good_o);
    RNICSIM_CHECK(runt_o);
    RNICSIM_CHECK(oversize_o);
    RNICSIM_CHECK(bad_fcs_o);
}

/// A buffer that is filled; one transfer is drained and leaves, another one is dropped.
template <typename Module>
std::string fault_of_buffer() {
    return fault_of([] {
        TransportConfig config = drp_of(default_config(), 0).rnic.transport;
        config.segment = 100;
        config.indirect_buffer = 4 * 104;
        FramePool pool;
        IndirectBufferRtl<Module> buffer(config, "mine", {});
        for (std::uint32_t i = 0; i < 4; ++i) {
            FrameRef frame = pool.take();
            frame->format(kOwn, kPeer, kDrpEtherType, kDrpHeaderBytes + 100);
            for (std::uint8_t& byte : frame->writable_client_data()) byte = static_cast<std::uint8_t>(17 * i + 1);
            buffer.keep(responder_of(static_cast<std::uint16_t>(i / 3)), Sn{9 - i}, 0x1000 * std::uint64_t{i}, 90 + i,
                        frame);
        }
        for (const auto slot : buffer.drain(responder_of(0))) buffer.left(slot);
        buffer.drop(responder_of(1));
        buffer.drain(responder_of(1));
    });
}

TEST_CASE("an indirect buffer of one's own: the port that is wrong is named", "[cosim]") {
    CHECK(fault_of_buffer<Vindirect_buffer>() == "nothing");
    const auto check = []<auto Port>(const char* port) {
        check_named(fault_of_buffer<WrongOutput<Vindirect_buffer, Port, kInverted>>(), "indirect_buffer", port);
    };
    const auto check_late = []<auto Port>(const char* port) {
        check_named(fault_of_buffer<WrongOutput<Vindirect_buffer, Port, kLate>>(), "indirect_buffer", port);
    };
    RNICSIM_CHECK(full_o);
    RNICSIM_CHECK(used_o);
    RNICSIM_CHECK(piece_valid_o);
    RNICSIM_CHECK(piece_slot_o);
    RNICSIM_CHECK(piece_address_o);
    RNICSIM_CHECK(piece_bytes_o);
    RNICSIM_CHECK(piece_last_o);
    RNICSIM_CHECK(read_data_o);
    check_late.operator()<RNICSIM_PORT(full_o)>("full_o");
    check_late.operator()<RNICSIM_PORT(used_o)>("used_o");
    check_late.operator()<RNICSIM_PORT(piece_last_o)>("piece_last_o");
    constexpr auto kOtherWord = [](auto given) -> decltype(given) { return given ^ 1U; };
    check_named(fault_of_buffer<WrongInput<Vindirect_buffer, RNICSIM_PORT(write_word_i), kOtherWord>>(),
                "indirect_buffer", "read_data_o");
    using SameSlot = WrongOutput<Vindirect_buffer, RNICSIM_PORT(keep_slot_o),
                                 [](auto right, auto) -> decltype(right) { return right * 0U; }>;
    const std::string fault = fault_of_buffer<SameSlot>();
    CHECK(fault.starts_with("indirect_buffer (mine): keep_slot_o in cycle "));
    CHECK(fault.ends_with(" ps in its waveform): slot 0 is not free"));
}

#ifdef RNICSIM_OWN_GMAC_TX
TEST_CASE("an assertion of one's own that fails: its text, the cycle and the time", "[cosim]") {
    const std::string fault = fault_of([] {
        Clocked<Vown_gmac_tx> tx("gmac_tx");
        tx.at(Cycle{100});
        tx->start_i = 1;
        for (int i = 0; i < 2; ++i) tx.tick();
    });
    INFO(fault);
    CHECK(std::regex_match(fault, std::regex(R"(.*other_gmac_tx\.sv:\d+: .*mine: a frame is in hand, )"
                                             R"(in cycle 101 \(808000 ps in its waveform\))")));
}
#endif

}  // namespace
}  // namespace rnicsim
