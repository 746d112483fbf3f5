// SPDX-License-Identifier: Apache-2.0
// Both directions of an SMC-R connection at one end: what is sent goes through its ring to the other end's (RMB) by
// WRITE, and a CDC message says how far; what has come is copied out of this end's RMB. A value.
#pragma once

#include "testbench/applications/smc/messages.h"
#include "testbench/applications/smc/settings.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rnicsim::applications::smc {

class Socket {
  public:
    /// `most`: bytes of a message without its header.
    Socket(const SmcSettings& settings, std::uint32_t most) : settings_(settings), most_(most), free_(settings.rmb) {}

    static void start(Actions& actions);
    void connect(const Remote& rmb) { rmb_ = rmb; }
    void confirm_link(Actions& actions) { say({.message = {.confirms_link = true}, .bytes = 0}, actions); }
    /// A send() of the first `bytes` of kOut.
    void send(std::uint32_t bytes, Actions& actions);
    /// The send() has returned, once.
    [[nodiscard]] bool has_sent();
    /// A message has come. What of it is data is read by recv()s, behind what the message of the user has already.
    Cdc received(std::uint32_t tag, Actions& actions);
    /// A SEND is complete, and the WRITEs ahead of it.
    void completed(std::uint32_t tag, Actions& actions);
    /// The bytes of the user's message, if all of it is in kIn behind its header; once.
    [[nodiscard]] std::optional<std::uint32_t> take();

    void state(std::vector<std::uint64_t>& words) const;

  private:
    struct Saying {
        Cdc message;
        std::uint32_t bytes = 0;  ///< of data ahead of it
    };
    [[nodiscard]] std::uint32_t ring(std::uint64_t cursor) const {
        return static_cast<std::uint32_t>(cursor % settings_.rmb);
    }
    /// Bytes from a cursor on that are in one piece of the ring.
    [[nodiscard]] std::uint32_t until_wrap(std::uint64_t cursor, std::uint32_t bytes) const {
        return std::min(bytes, settings_.rmb - ring(cursor));
    }
    [[nodiscard]] std::uint32_t room() const {
        return settings_.wait ? settings_.rmb - static_cast<std::uint32_t>(offered_ - taken_) : settings_.rmb;
    }
    void offer(Actions& actions);
    void say(const Saying& what, Actions& actions);
    void go_on(Actions& actions);
    void write(std::uint32_t bytes, Actions& actions);
    void read_all(const Cdc& message, Actions& actions);
    void copy_out(std::uint32_t bytes, Actions& actions);

    const SmcSettings& settings_;
    const std::uint32_t most_;
    Remote rmb_;  // the other end's
    // What is sent. Cursors: bytes since the beginning.
    std::uint32_t bytes_ = 0, rest_ = 0;                   // of the message, and those that have found no room
    std::uint64_t offered_ = 0, written_ = 0, taken_ = 0;  // have room; are posted; the other end has read
    std::uint32_t free_;                                   // bytes of the ring of who sends
    std::deque<Saying> waiting_;                           // for a slot, or for the ring
    std::uint32_t said_ = 0, in_flight_ = 0;               // SENDs in all; those that are not complete
    bool sends_ = false;                                   // a send() has not returned
    // What comes.
    std::uint64_t consumed_ = 0, confirmed_ = 0;  // have been read; of those the other end has been told
    std::uint32_t got_ = 0, coming_ = 0;          // bytes of the user's message; all that it has
};

}  // namespace rnicsim::applications::smc
