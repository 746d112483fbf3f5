// SPDX-License-Identifier: Apache-2.0
// What both ends of a connection of brpc do: cut what they have to say into messages, hold them back where the other
// end has no receive WQE for them, give receive WQEs back, and put together what comes.
#pragma once

#include "testbench/applications/end.h"
#include "testbench/applications/rpc/settings.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace rnicsim::applications::rpc {

// Areas, of both ends: a message of the stream each, what is sent, where it comes, and where a user finds it. The last
// two are one in a program: an IOBuf is a list of blocks.
inline constexpr std::uint32_t kStreamOut = 0, kStreamIn = 1, kPool = 2, kBlocks = 3, kUser = 4;

/// Where the time of a request goes: until the connection is there, until its last message is posted, until its answer
/// is complete.
enum class Part : std::uint8_t { hello, send, answer };

/// Bytes of a request, or an answer, in the pool.
[[nodiscard]] std::uint32_t slot_bytes(const TrafficConfig& item);

class RpcEnd : public End {
  public:
    explicit RpcEnd(const TrafficConfig& item);

    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& actions) override;
    void on(const Event& event, Actions& actions) override;

  protected:
    virtual void asked(std::uint32_t /*operation*/, std::uint32_t /*bytes*/, Actions& /*actions*/) {}
    /// So many bytes of the stream are where they were wanted: a message is complete.
    virtual void heard(Actions& actions) = 0;
    /// All of a request, or of an answer, has come; the bytes are the user's.
    virtual void came(std::uint32_t operation, std::uint32_t bytes, Place at, Actions& actions) = 0;
    virtual void fails(Actions& /*actions*/) {}

    /// Behind what waits.
    void send(std::uint32_t operation, std::uint32_t bytes, Actions& actions);
    void say(std::uint32_t bytes, Actions& actions);      ///< by the stream
    void listen(std::uint32_t bytes) { wants_ = bytes; }  ///< heard() when so many have come
    /// The connection is there.
    void begin(Actions& actions);
    [[nodiscard]] const RpcSettings& settings() const { return settings_; }
    [[nodiscard]] bool is_broken() const { return broken_; }

  private:
    /// A request, or an answer, with its header.
    struct Whole {
        std::uint32_t operation = 0, bytes = 0, done = 0;
    };
    void received(const Event& event, Actions& actions);
    void take(Place from, std::uint32_t bytes, Actions& actions);
    void give_back(Actions& actions);
    void flush(Actions& actions);
    void post_message(Actions& actions);
    [[nodiscard]] bool may_send() const { return !settings_.window || window_ != 0; }
    [[nodiscard]] bool wakes(std::uint32_t bytes, std::uint32_t credits, bool last);
    void post_receive(std::uint32_t tag, Actions& actions) const {
        actions.post_receive({kBlocks, tag * settings_.block}, settings_.payload(), tag);
    }
    [[nodiscard]] std::uint32_t slot(std::uint32_t operation) const { return operation % depth_ * slot_bytes_; }

    const RpcSettings& settings_;
    const std::uint32_t slot_bytes_, depth_;
    bool broken_ = false, there_ = false;
    std::uint32_t wants_ = 0, have_ = 0;  // bytes of the stream
    std::deque<Whole> out_;
    Whole in_;
    std::uint32_t window_;       // receive WQEs of the other end that are free
    std::uint32_t owed_ = 0;     // ... of this one of which it does not know
    std::uint32_t unheard_ = 0;  // messages since the last one that wakes, that is
    std::uint32_t unheard_bytes_ = 0, unheard_credits_ = 0;
    std::uint32_t unsignaled_ = 0;  // messages since the last one that asks for a completion
};

}  // namespace rnicsim::applications::rpc
