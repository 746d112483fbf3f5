// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/stress.h"

#include "model/rtl/mac_frames.h"
#include "model/rtl/stream_filter.h"
#include "model/rtl/stream_mac.h"
#include "tlm/drp/drp_frame.h"
#include "tlm/drp/drp_header.h"

#include <algorithm>
#include <array>
#include <random>

namespace rnicsim {
namespace {

constexpr MacAddress kPeer{2, 0, 0, 0, 0, 9};
constexpr std::size_t kMostClientBytes = kMaxFrameBytes - kEthernetHeaderBytes - kFcsBytes;
constexpr std::int64_t kLeastGap = 12;

class Frames {
  public:
    explicit Frames(std::uint32_t seed) : random_(seed) {}

    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    /// The shortest and the longest more often than those between.
    std::size_t client_bytes() {
        switch (below(4)) {
            case 0: return below(50);  // padded, most of them
            case 1: return kMostClientBytes - below(4);
            default: return below(kMostClientBytes + 1);
        }
    }
    FrameRef frame(const MacAddress& to, std::uint16_t type, std::size_t client_bytes) {
        FrameRef frame = pool_.take();
        frame->format(to, kPeer, type, client_bytes);
        for (std::uint8_t& byte : frame->writable_client_data().first(client_bytes))
            byte = static_cast<std::uint8_t>(random_());
        return frame;
    }
    void flip_a_bit(Frame& frame) {
        frame.writable_bytes()[below(static_cast<std::uint32_t>(frame.length()))] ^=
            static_cast<std::uint8_t>(1U << below(8));
    }
    /// Good, damaged, a runt with a right FCS, too long with one.
    FrameRef from_wire() {
        const std::uint32_t kind = below(8);
        FrameRef frame = this->frame(kPeer, 0x0800, kind == 7 ? kMostClientBytes : client_bytes());
        if (kind == 6) frame->truncate(kFcsBytes + 1 + below(kMinFrameBytes - kFcsBytes - 1));
        if (kind == 7) {
            const std::size_t length = frame->length() + 1 + below(kFrameRoom - kMaxFrameBytes);
            frame->truncate(length);
        }
        frame->seal();
        if (kind >= 4 && kind < 6) flip_a_bit(*frame);
        return frame;
    }
    FrameRef drp(const MacAddress& own, DrpType type) {
        FrameRef frame = this->frame(own, kDrpEtherType, std::max<std::size_t>(client_bytes(), 46));
        const std::span<std::uint8_t> client = frame->writable_client_data();
        DrpHeader header;
        header.type = type;
        header.len = 1 + below(static_cast<std::uint32_t>(client.size() - kDrpHeaderBytes));
        header.sn = static_cast<std::uint32_t>(random_());
        header.ackn = static_cast<std::uint32_t>(random_());
        header.tid = Tid{static_cast<std::uint16_t>(below(65536))};
        encode(header, client.first<kDrpHeaderBytes>());
        return frame;
    }
    /// Of every kind that a filter tells apart.
    FrameRef to_filter(const MacAddress& own) {
        constexpr MacAddress kAll{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
        const std::size_t bytes = std::max<std::size_t>(client_bytes(), 46);
        const std::uint32_t kind = below(8);
        if (kind == 0) {
            MacAddress other = own;
            if (below(4) == 0) {
                for (std::uint8_t& byte : other) byte = static_cast<std::uint8_t>(random_());
                other[0] |= 1;  // a group
            } else {
                const std::uint32_t bit = 1 + below(47);  // all but the group bit
                other[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
            }
            return below(2) == 0 ? drp(other, DrpType::data) : frame(other, 0x0800, bytes);
        }
        if (kind == 1)
            return frame(below(2) == 0 ? own : kAll, static_cast<std::uint16_t>(kDrpEtherType ^ 1U << below(16)),
                         bytes);
        constexpr std::array kTypes{DrpType::data, DrpType::req, DrpType::req_ack, DrpType::rel, DrpType::rel_ack};
        FrameRef frame = drp(own, kTypes.at(below(5)));
        const std::span<std::uint8_t> client = frame->writable_client_data();
        if (kind == 2) client[0] = static_cast<std::uint8_t>(random_());
        if (kind == 4) {  // LEN around what the frame has room for, and around nothing
            DrpHeader edge;
            decode(std::as_const(*frame).client_data(), edge);
            const auto room = static_cast<std::uint32_t>(client.size() - kDrpHeaderBytes);
            edge.len = below(2) == 0 ? room - 1 + below(3) : below(2);
            encode(edge, client.first<kDrpHeaderBytes>());
        }
        if (kind == 3) client[below(8)] ^= static_cast<std::uint8_t>(1U << below(8));
        return frame;
    }

  private:
    FramePool pool_;
    std::mt19937 random_;
};

}  // namespace

StressCounts stress(MacEngine& mac, std::uint32_t seed, std::uint64_t frames) {
    Frames draw(seed);
    StressCounts counts;
    auto* const streams = dynamic_cast<StreamMac*>(&mac);
    Cycle ready{100};
    Cycle due{100};
    for (std::uint64_t i = 0; i < frames; ++i) {
        const FrameRef out = draw.frame(kPeer, 0x0800, draw.client_bytes());
        ready = mac.send(*out, ready + Cycle{draw.below(2) == 0 ? 0 : draw.below(40)}).ready_at;
        ++counts.sent;
        if (streams != nullptr && draw.below(16) == 0) {
            std::array<FrameRef, 4> two;
            for (FrameRef& frame : two) {
                frame = draw.frame(kPeer, 0x0800, draw.client_bytes());
                frame->seal();
            }
            streams->try_two({&*two[0], &*two[1]}, {&*two[2], &*two[3]});
            counts.close += 2;
        }
        if (streams != nullptr && streams->knows_errors() && draw.below(16) == 0) {
            const FrameRef marked = draw.frame(kPeer, 0x0800, draw.client_bytes());
            marked->seal();
            due += Cycle{kLeastGap} + serialisation(marked->length());
            streams->try_error(*marked, due, draw.below(static_cast<std::uint32_t>(marked->length())));
            ++counts.marked;
        }
        const FrameRef in = draw.from_wire();
        due += Cycle{kLeastGap + (draw.below(2) == 0 ? 0 : draw.below(40))} + serialisation(in->length());
        switch (verdict_of(*in)) {
            case MacEngine::Verdict::good: ++counts.good; break;
            case MacEngine::Verdict::bad_fcs: ++counts.damaged; break;
            case MacEngine::Verdict::runt: ++counts.runt; break;
            case MacEngine::Verdict::oversize: ++counts.oversize; break;
        }
        mac.receive(*in, due);
    }
    return counts;
}

StressCounts stress(FilterEngine& filter, const MacAddress& own, std::uint32_t seed, std::uint64_t frames) {
    Frames draw(seed);
    StressCounts counts;
    auto* const streams = dynamic_cast<StreamFilter*>(&filter);
    Cycle due{100};
    for (std::uint64_t i = 0; i < frames; ++i) {
        if (streams != nullptr && draw.below(16) == 0) {
            const std::array<FrameRef, 2> two{draw.drp(own, DrpType::data), draw.drp(own, DrpType::data)};
            due += Cycle{kLeastGap} + serialisation(two[0]->length() + two[1]->length());
            streams->try_two({&*two[0], &*two[1]}, due);
            counts.close += 2;
        }
        const FrameRef frame = draw.to_filter(own);
        due += Cycle{kLeastGap} + serialisation(frame->length());
        if (streams != nullptr && draw.below(8) == 0) {
            streams->try_bad(*frame, due);
            ++counts.bad;
            continue;
        }
        switch (filter.classify(*frame, due).kind) {
            case FilterEngine::Kind::drp: ++counts.drp; break;
            case FilterEngine::Kind::ordinary: ++counts.ordinary; break;
            case FilterEngine::Kind::other_destination: ++counts.elsewhere; break;
            case FilterEngine::Kind::malformed: ++counts.malformed; break;
        }
    }
    return counts;
}

}  // namespace rnicsim
