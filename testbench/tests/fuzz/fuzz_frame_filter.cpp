// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frame from the wire and from a host: through the MAC, then the frame filter.
#include "model/rnic/drp/blocks.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/tests/fuzz/fuzz.h"
#include "testbench/tests/support/default_config.h"

#include <algorithm>

namespace rnicsim::fuzz {
namespace {

constexpr MacAddress kOwn{2, 0, 0, 0, 0, 1};
constexpr Cycle kDue{1000};
constexpr std::size_t kRoom = 1536;  // bytes a frame has room for

class Receiver {
  public:
    Receiver()
        : config_(drp_of(default_config(), 0).rnic),
          mac_(BlockFactory().mac(config_)),
          filter_(BlockFactory().filter(config_, kOwn)) {}

    void from_wire(Bytes input) { receive(*frame_of(input)); }

    /// From DA to the end of the client data; padded and sealed here.
    void from_host(Bytes input) {
        if (input.size() < kEthernetHeaderBytes || input.size() + kFcsBytes > kMaxFrameBytes) return;
        const FrameRef frame = frame_of(input);
        frame->set_length_from_header(input.size());
        frame->seal();
        require(receive(*frame), "the MAC takes a frame that is padded and sealed");
    }

  private:
    FrameRef frame_of(Bytes input) {
        FrameRef frame = pool_.take();
        frame->truncate(input.size());
        std::ranges::copy(input, frame->writable_bytes().begin());
        return frame;
    }

    /// Does the MAC hand it on? Then the filter has classified it.
    bool receive(Frame& frame) {
        const MacEngine::Received received = mac_->receive(frame, kDue);
        const bool runt = frame.length() < kMinFrameBytes;
        const bool oversize = frame.length() > kMaxFrameBytes;
        require(runt == (received.verdict == MacEngine::Verdict::runt), "runts are those below 64 bytes");
        require(oversize == (received.verdict == MacEngine::Verdict::oversize), "oversize are those above 1518 bytes");
        if (received.verdict != MacEngine::Verdict::good) return false;
        require(received.at == kDue + config_.gmac.rx_latency, "handed on after the MAC's latency");
        classify(frame);
        return true;
    }

    void classify(const Frame& frame) {
        using Kind = FilterEngine::Kind;
        const FilterEngine::Classified found = filter_->classify(frame, kDue);
        require(found.at == kDue + config_.filter.latency, "classified after the filter's latency");
        const bool group = frame.bytes()[0] % 2 == 1;
        if (!group && !std::ranges::equal(frame.bytes().first(kOwn.size()), kOwn)) {
            require(found.kind == Kind::other_destination, "a frame for others is known by its address");
        } else if (frame.bytes()[12] != 0x01 || frame.bytes()[13] != 0xFF) {
            require(found.kind == Kind::ordinary, "an ordinary frame is known by its type");
        } else {
            DrpHeader header;
            const DrpError verdict = decode(frame.client_data(), header);
            require(found.reason == verdict, "the reason is that of decode()");
            require(found.kind == (verdict == DrpError::none ? Kind::drp : Kind::malformed), "DRP, or malformed");
            if (verdict == DrpError::none) {
                require(found.header == header, "the header is that of decode()");
                make_again(frame, header);
            }
        }
    }

    /// A frame rebuilt from what was read is the same, byte for byte.
    void make_again(const Frame& frame, const DrpHeader& header) {
        MacAddress source{};
        std::ranges::copy(frame.bytes().subspan(6, source.size()), source.begin());
        MacAddress destination{};
        std::ranges::copy(frame.destination(), destination.begin());
        FrameRef again = pool_.take();
        again->format(destination, source, kDrpEtherType, frame.client_data().size());
        encode(header, again->writable_client_data().first<kDrpHeaderBytes>());
        std::ranges::copy(frame.client_data().subspan(kDrpHeaderBytes),
                          again->writable_client_data().subspan(kDrpHeaderBytes).begin());
        again->seal();
        require(std::ranges::equal(again->bytes(), frame.bytes()), "encoded again it is the same frame");
    }

    const RnicConfig config_;
    const std::unique_ptr<MacEngine> mac_;
    const std::unique_ptr<FilterEngine> filter_;
    FramePool pool_;
};

}  // namespace
}  // namespace rnicsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rnicsim::fuzz::Receiver receiver;
    const rnicsim::fuzz::Bytes input(data, std::min(size, rnicsim::fuzz::kRoom));
    receiver.from_wire(input);
    receiver.from_host(input);
    return 0;
}
