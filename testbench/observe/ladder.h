// One transfer as a ladder: what both hosts and both RNICs do and which frames pass between them, in the order of time.
// Drawn by ladder_text and ladder_svg.
#pragma once

#include "testbench/event_log.h"
#include "testbench/observe/hops.h"
#include "testbench/observe/transfer_of.h"
#include "tlm/drp/drp_header.h"
#include "tlm/units.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rnicsim {

enum class Lane : std::uint8_t { initiator_host, initiator_rnic, responder_rnic, responder_host };

/// What a host or an RNIC does. `trouble`: something went wrong, `turn`: the transfer takes another course.
enum class Tone : std::uint8_t { plain, trouble, turn };
struct LadderMark {
    Lane lane = Lane::initiator_host;
    Tone tone = Tone::plain;
    std::string text;
    unsigned count = 1;  ///< the same, so many times in a row
    [[nodiscard]] std::string label() const;
};

/// A frame, or frames of consecutive numbers without anything of note between them.
struct LadderFrames {
    bool by_initiator = true;
    bool lost = false;
    bool damaged = false;  ///< arrives with a wrong bit: as good as lost
    bool copy = false;     ///< the link delivers it a second time
    bool again = false;    ///< has been sent before
    bool indirect = false;
    DrpType type = DrpType::req;
    bool ack = false;
    bool valid = false;
    std::uint32_t first = 0, last = 0;  ///< SN of data, ACKN of acknowledgements
    unsigned count = 1;
    Cycle arrives = kNever;  ///< the last of them
    std::string place;       ///< in a network: the switch where one waited longest, or what lost it
    Cycle waited;            ///< there, behind other frames
    [[nodiscard]] std::string label() const;
    /// What happened on the way: "waited 12.304 us at s0", "lost behind s0"; empty if nothing of note.
    [[nodiscard]] std::string on_the_way() const;
};

struct LadderRow {
    Cycle at;  ///< of frames: the first one's preamble begins
    std::variant<LadderMark, LadderFrames> what;
    std::uint32_t fill = 0;  ///< slots of the far indirect buffer that hold data of this transfer, before the next row
};

struct Ladder {
    TransferName transfer;
    std::string initiator, responder;  ///< names of their hosts
    unsigned responder_host = 0;
    std::string title;
    Operation operation = Operation::write;
    std::uint32_t bytes = 0;
    bool found = false;
    bool failed = false;
    Cycle start, end = kNever;  ///< as the upper layer sees it
    Cycle in_memory = kNever;   ///< the last byte is in the memory of the host that receives
    std::uint32_t fullest = 0;  ///< of the indirect buffer while it went on, slots
    std::vector<LadderRow> rows;
};

class LadderBuilder {
  public:
    /// `every_frame`: none are put together. `go_back_n`: the receiver takes frames in order only.
    LadderBuilder(TransferName transfer, const RunConfig& run, bool every_frame, bool go_back_n)
        : every_frame_(every_frame),
          go_back_n_(go_back_n),
          names_(run.ends.size()),
          hops_(run),
          network_(!run.switches.empty()),
          buffers_(run.ends.size()) {
        ladder_.transfer = transfer;
    }

    /// All events of the run, in their order.
    void add(const LoggedEvent& event);
    /// Both ends have finished it, and its data is in memory: later events do not belong to it.
    [[nodiscard]] bool complete() const {
        return reported_ && released_ && (ladder_.failed || ladder_.in_memory != kNever);
    }
    [[nodiscard]] Ladder finish();

  private:
    void sent(Cycle at, const WireFrame& frame, const DrpHeader& header);
    void frame(const LoggedEvent& event, const WireFrame& wire, const DrpHeader& header);
    void hop(const LoggedEvent& event, const WireFrame& wire);
    void decision(const LoggedEvent& event, const DecisionResult& result);
    void fill(const LoggedEvent& event, std::uint32_t filled);
    void responder(const LoggedEvent& event, const std::optional<TransferName>& of);
    void own_freed(Cycle at, std::uint32_t slots);
    void step(const LoggedEvent& event, const SoftwareStep& software);
    void placed(const LoggedEvent& event, const MemoryAccess& memory);
    void mark(Cycle at, Lane lane, Tone tone, std::string text);
    void mark_aside(Cycle at, Lane lane, Tone tone, std::string_view text);
    [[nodiscard]] Lane lane_of(const LoggedEvent& event, bool host) const;

    bool every_frame_;
    bool go_back_n_;
    TransferNames names_;
    Hops hops_;
    bool network_;
    Ladder ladder_;
    bool reported_ = false, released_ = false;
    std::optional<std::uint64_t> region_;         // where its data goes
    std::uint32_t placed_ = 0;                    // bytes of it that are in memory
    std::map<TransferName, std::uint32_t> kept_;  // slots with data of each transfer, not drained yet
    /// The indirect buffer of one host.
    struct Buffer {
        std::vector<std::pair<TransferName, std::uint32_t>> drains;  // slots on their way to memory, the oldest first
        std::optional<TransferName> decided;                         // its RNIC's last decision: about which, when,
        Cycle decided_at{-1};
        bool drained = false;      // and whether it drained
        std::uint32_t filled = 0;  // slots in use
    };
    std::vector<Buffer> buffers_;                         // by host
    std::uint32_t own_ = 0;                               // slots with data of this transfer
    std::vector<std::pair<Cycle, std::uint32_t>> fills_;  // own_ from then on
    std::uint32_t fresh_ = 0;                             // SN that has not been sent yet
    std::size_t aside_ = 0;                               // row of a remark that more of the same may join; 0 = none
    /// The last transmission of a frame that looks like this.
    struct Sent {
        Cycle begins;
        bool again = false;
        bool delivered = false;
        std::optional<Cycle> in_switch{};  // since then
        std::string place{};               // where it waited longest
        Cycle waited{};
    };
    std::map<FrameHead, Sent> sent_;
    std::array<std::array<std::size_t, 2>, 2>
        open_{};  // rows of frames that more may join: [by initiator][ack]; 0 = none
};

}  // namespace rnicsim
