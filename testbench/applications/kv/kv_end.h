// SPDX-License-Identifier: Apache-2.0
// What a client and a server of keys and values have in common: a pipe, and what it has read, from which each takes
// whole messages.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/end.h"
#include "testbench/applications/kv/pipe.h"
#include "testbench/applications/kv/ring_pipe.h"

#include <variant>

namespace rnicsim::applications::kv {

/// Of an end's query buffer.
[[nodiscard]] inline std::uint32_t query_bytes(const TrafficConfig& item) {
    return 2 * (item.verbs.depth + 1) * message_bytes(kv_of(item), item.size);
}

using Pipe = std::variant<RdmaPipe, SocketPipe, RingPipe>;
[[nodiscard]] Pipe pipe_of(const TrafficConfig& item, const Seat& seat);

class KvEnd : public End, private PipeReader {
  public:
    KvEnd(const TrafficConfig& item, const Seat& seat)
        : settings_(kv_of(item)),
          slot_bytes_(message_bytes(settings_, item.size)),
          depth_(item.verbs.depth),
          pipe_(pipe_of(item, seat)),
          query_{.capacity = query_bytes(item)} {}

    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& actions) override {
        std::visit([&](auto& pipe) { pipe.start(actions); }, pipe_);
    }
    void on(const Event& event, Actions& actions) override;

  protected:
    virtual void asked(std::uint32_t /*operation*/, std::uint32_t /*bytes*/, Actions& /*actions*/) {}
    /// Takes a message from the front. False: there is no whole one.
    virtual bool take(Actions& actions) = 0;
    virtual void fails(Actions& /*actions*/) {}

    /// What has been read begins with.
    [[nodiscard]] std::span<const std::uint8_t> text(Actions& actions) const {
        return actions.memory(in(0), query_.size());
    }
    [[nodiscard]] Place in(std::uint32_t at) const { return {query_.area, query_.begin + at}; }
    void taken(std::uint32_t bytes) { query_.begin += bytes; }
    /// The message of an operation: text, and its value behind it where it has one, of so many bytes.
    void send(std::uint32_t operation, const Head& head, std::uint32_t value, bool has_value, Actions& actions);
    /// Nothing more is done.
    void close(Actions& actions);
    [[nodiscard]] bool is_broken() const { return broken_; }
    [[nodiscard]] const KvSettings& settings() const { return settings_; }

  private:
    static constexpr std::uint32_t kMoves = kUserTag;
    void has_read(Actions& actions) override { go_on(actions); }
    void go_on(Actions& actions);

    const KvSettings& settings_;
    const std::uint32_t slot_bytes_, depth_;
    Pipe pipe_;
    Query query_;
    bool moves_ = false, broken_ = false;
};

}  // namespace rnicsim::applications::kv
