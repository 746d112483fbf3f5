// SPDX-License-Identifier: Apache-2.0
#include "model/host/tcp/fields.h"

#include "tlm/ethernet/frame.h"

namespace rnicsim {
namespace {

constexpr std::int64_t kLeastMtu = 576;          // RFC 791: what every host takes
constexpr std::int64_t kMostPiece = 65536;       // Linux: GSO_LEGACY_MAX_SIZE
constexpr std::int64_t kMostWindow = 8U << 20U;  // half of what sequence numbers and the window's shift allow

Fields<TcpConfig> declare_tcp() {
    Fields<TcpConfig> k("system.host.tcp");
    k.picoseconds("tx", &TcpConfig::tx, Time{}, kMillisecond,
                  "processor: handing a piece of at most `gso` to the card, and hearing of its ACK", "left out")
        .in_networks();
    k.picoseconds("rx", &TcpConfig::rx, Time{}, kMillisecond,
                  "processor: a segment of at most `gro` that has come, up to its socket", "left out")
        .in_networks();
    k.picoseconds("frame", &TcpConfig::frame, Time{}, kMillisecond,
                  "... and on top of it each of its frames; an ACK without data costs this alone", "left out")
        .in_networks();
    k.picoseconds("extra_write", &TcpConfig::extra_write, Time{}, kMillisecond,
                  "processor: on top of each call that sends", "left out")
        .in_networks();
    k.picoseconds("moderation", &TcpConfig::moderation, Time{}, kMillisecond,
                  "from the first frame that the host has not been told of to the interrupt", "left out")
        .in_networks();
    k.bytes("gso", &TcpConfig::gso, 1, kMostPiece, "that are handed to the card at once, in whole frames", "Linux")
        .in_networks();
    k.bytes("gro", &TcpConfig::gro, 1, kMostPiece, "of frames that follow each other are taken as one segment", "Linux")
        .in_networks();
    k.bytes("window", &TcpConfig::window, 4096, kMostWindow,
            "of a stream that are not acknowledged, or have come and are not read", "between those of Linux")
        .in_networks();
    k.bytes("mtu", &TcpConfig::mtu, kLeastMtu, kJumboMtu, "of TCP's frames: 52 B are headers", "IEEE 802.3")
        .in_networks();
    k.choice<TcpPlace>(
         "stack", &TcpConfig::place, {{"kernel", TcpPlace::kernel}, {"user", TcpPlace::user}},
         "TCP of the kernel, or in the program, which polls the card as libvma does: no calls, interrupts "
         "or wakings, and 3/10 of tx and rx",
         "-")
        .in_networks();
    return k;
}

}  // namespace

const Fields<TcpConfig>& tcp_fields() {
    static const Fields<TcpConfig> kAll = declare_tcp();
    return kAll;
}

}  // namespace rnicsim
