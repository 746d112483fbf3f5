// SPDX-License-Identifier: Apache-2.0
// Gives each station its frames, and keeps what becomes of each. In every run: a frame arrives where it was sent to, as
// it was sent, once for each copy that a link has made, and behind those of its item that were sent before; no two of a
// host are on its wire at once.
#pragma once

#include "model/random.h"
#include "model/rnic/plain/plain_end.h"
#include "model/system.h"
#include "testbench/records/run_result.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class FrameBoard {
  public:
    explicit FrameBoard(const RunConfig& config);

    /// Gives the system's plain hosts their users. To be called once, before the simulation starts.
    void attach(System& system);

    /// When a frame was sent or arrived last, and how long nobody will send one.
    [[nodiscard]] Time last_progress() const { return last_progress_; }
    [[nodiscard]] Time rests_until() const { return rests_until_; }
    /// Empty as long as every frame has arrived as it must.
    [[nodiscard]] const std::string& violation() const { return violation_; }
    /// Arrival of the last frame.
    [[nodiscard]] Time last_end() const { return last_end_; }
    /// How many frames are to be recorded, and where, in the order of (item, sender, id). To be called before attach();
    /// not owned.
    [[nodiscard]] std::size_t samples() const;
    void record_in(std::span<Sample> samples);

  private:
    /// One item of the traffic at one of its senders.
    struct Flow {
        std::vector<unsigned> receivers;  ///< in turn
        std::uint32_t offered = 0;
        Time first, ready;                        ///< of the first frame, and of the one offered last
        std::span<Sample> samples;                ///< by frame
        std::map<unsigned, std::uint32_t> heard;  ///< by receiver: the frame that is expected next
    };
    class User : public PlainUser {
      public:
        User(FrameBoard& board, unsigned host) : board_(board), host_(host) {}
        std::optional<Offer> next(std::size_t item, Time sent) override { return board_.next(host_, item, sent); }
        void sends(const PlainFrame& frame, Time begin) override { board_.sends(frame, begin); }
        void arrives(const PlainFrame& frame, Time end) override { board_.arrives(host_, frame, end); }

      private:
        FrameBoard& board_;
        const unsigned host_;
    };
    std::optional<PlainUser::Offer> next(unsigned host, std::size_t item, Time sent);
    void sends(const PlainFrame& frame, Time begin);
    void arrives(unsigned host, const PlainFrame& frame, Time end);
    void violate(const PlainFrame& frame, Time at, const std::string& what);

    const RunConfig config_;
    const RandomSource random_;
    const bool in_order_;                                     // no link lets frames overtake one another
    std::map<std::pair<std::size_t, unsigned>, Flow> flows_;  // by item and sender
    struct Wire {
        MacTiming timing;
        Time free_at;
    };
    std::vector<Wire> wires_;  // by host
    std::deque<User> users_;   // by station; they do not move
    Time last_progress_, rests_until_, last_end_;
    std::string violation_;
};

}  // namespace rnicsim
