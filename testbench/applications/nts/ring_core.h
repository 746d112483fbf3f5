// SPDX-License-Identifier: Apache-2.0
// What a thread does for a partition: it runs the programs of its rings, and the stream that stands in for them. A
// value.
#pragma once

#include "testbench/applications/nts/queue.h"
#include "testbench/applications/nts/ring_reader.h"
#include "testbench/applications/nts/ring_writer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rnicsim::nts {

class RingCore {
  public:
    /// `settings` outlives it. `side`: of its host.
    RingCore(const NtsSettings& settings, std::shared_ptr<const Partition> partition, unsigned side);

    void start(Actions& actions);
    void send(std::uint32_t member, const Queue::Entry& message, Actions& actions) {
        writer_.send(member, message.at, message.bytes, actions);
    }
    /// Says to the other end how many messages of a member the program here has taken.
    void tell_freed(std::uint32_t member, std::uint64_t taken, Actions& actions);
    /// The other end has said so.
    void hear_freed(const RingReader::Whole& message, Actions& actions);
    /// What it has asked for, or watches. What has come is to be asked for afterwards.
    void on(const applications::Event& event, Actions& actions);
    /// A message that has come, until there is none.
    std::optional<RingReader::Whole> came() { return reader_.whole(); }
    /// That has been taken: it looks further.
    void go_on(Actions& actions) { reader_.look(actions); }
    /// At the end of an event.
    void use_stream(Actions& actions) {
        read_stream(actions);
        send_next(actions);
    }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    void called(Tag tag, Actions& actions);
    /// What comes by the stream is read a frame after the other.
    void read_stream(Actions& actions);
    void came_by_stream(std::uint32_t bytes, Actions& actions);
    void send_next(Actions& actions);

    std::shared_ptr<const RingProgram> program_;  // of all copies
    std::shared_ptr<const Partition> partition_;  // likewise
    unsigned side_;
    bool writes_, reads_;
    RingWriter writer_;
    RingReader reader_;
    StreamFrame frame_;       // of the message that comes by the stream
    std::uint32_t have_ = 0;  // bytes of its frame, and then of itself
    bool readable_ = false;   // there are more
    bool reads_stream_ = false;
    bool closed_ = false;  // the stream, for good: operations that need it are given up
    enum class Sends : std::uint8_t { nobody, writer, reader } sends_{};  // by the stream
};

}  // namespace rnicsim::nts
