// SPDX-License-Identifier: Apache-2.0
// What both ends of a channel between two nodes do alike: they shake hands by TCP; each tells by SEND where its memory
// is, once; they shake hands again; control messages, blocks and ACKs are WRITEs with immediate, each into a place of
// its own.
#pragma once

#include "testbench/applications/blocks/messages.h"
#include "testbench/applications/blocks/settings.h"

#include <cstdint>
#include <vector>

namespace rnicsim::applications::blocks {

/// Where the time of a block goes: until the nodes know each other, until it has come, until it is verified and whoever
/// asked knows.
enum class Part : std::uint8_t { set_up, block, verify };

class Session : public End {
  public:
    explicit Session(const TrafficConfig& item)
        : settings_(blocks_of(item)), chain_(chain_of(item)), block_bytes_(item.size) {}

    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& actions) override;
    void on(const Event& event, Actions& actions) final;

    /// Receive WQEs of an end: an ACK, or block, or verdict, and a TIME for each block of a window; what comes before.
    static constexpr std::uint32_t receives(std::uint32_t window) { return 2 * window + 5; }

  protected:
    virtual void asked(const Event& /*event*/, Actions& /*actions*/) {}
    /// The handshake has been answered, or has come.
    virtual void connected(Actions& actions) = 0;
    virtual void came(const Message& /*message*/, Actions& /*actions*/) {}
    virtual void block_came(std::uint32_t /*bytes*/, Actions& /*actions*/) {}
    virtual void acknowledged(Actions& /*actions*/) {}
    /// The WRITE of a block is complete.
    virtual void block_sent(Actions& /*actions*/) {}
    virtual void timer(Actions& /*actions*/) {}
    virtual void fails(Actions& /*actions*/) {}

    /// Of who asks, once.
    static void set_up(Actions& actions);
    void say(const Message& message, std::uint32_t slot, Actions& actions) const;
    void write_block(std::uint32_t number, std::uint32_t bytes, Actions& actions) const;
    void acknowledge(Actions& actions) const;

    [[nodiscard]] Place block(std::uint32_t number) const {
        return {kBlocks, number % settings_.window * block_bytes_};
    }
    [[nodiscard]] const BlockSettings& settings() const { return settings_; }
    [[nodiscard]] const ChainParts& chain() const { return chain_; }
    [[nodiscard]] std::uint32_t block_bytes() const { return block_bytes_; }
    [[nodiscard]] bool is_broken() const { return broken_; }

  private:
    enum : std::uint32_t { kMessageTag, kBlockTag };
    static void tell_regions(Actions& actions);
    void got_regions(Actions& actions);
    void got_message(std::uint32_t slot, Actions& actions);
    void received(const Event& event, Actions& actions);
    static void post(std::uint32_t tag, std::uint32_t immediate, Place from, std::uint32_t bytes, const Remote& to,
                     Actions& actions);
    [[nodiscard]] virtual bool asks() const = 0;

    const BlockSettings& settings_;
    const ChainParts chain_;
    const std::uint32_t block_bytes_;
    Regions peer_;
    bool knows_ = false, broken_ = false;
    std::uint32_t have_ = 0;  // bytes of the handshake by TCP
};

}  // namespace rnicsim::applications::blocks
