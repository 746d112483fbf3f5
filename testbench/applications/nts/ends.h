// SPDX-License-Identifier: Apache-2.0
// The two programs of a connection: one sends messages, the other one takes them and, if it is asked to, sends each
// back. An operation ends where its message is taken last. Values.
#pragma once

#include "testbench/applications/nts/ring_reader.h"
#include "testbench/applications/nts/ring_writer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim::nts {

/// Where the time of an operation goes: on the way there, on the way back.
enum class Part : std::uint8_t { there, back };

class RingEnd : public applications::End {
  public:
    void start(Actions& actions) override;
    void on(const applications::Event& event, Actions& actions) final;
    void state(std::vector<std::uint64_t>& words) const override;

  protected:
    RingEnd(const TrafficConfig& item, bool writes, bool reads);
    virtual void asked(const applications::Event& /*event*/, Actions& /*actions*/) {}
    virtual void came(const RingWriter::Whole& message, Actions& actions) = 0;
    [[nodiscard]] const NtsSettings& settings() const { return *settings_; }
    [[nodiscard]] RingWriter& writer() { return writer_; }
    /// Where the n-th operation's message is, in kUser.
    [[nodiscard]] std::uint32_t place_of(std::uint32_t operation) const { return operation % depth_ * most_; }

  private:
    const NtsSettings* settings_;
    std::shared_ptr<const RingProgram> program_;  // of all copies
    void called(Tag tag, Actions& actions);
    /// What comes by the stream is read a frame after the other.
    void read_stream(Actions& actions);
    void came_by_stream(std::uint32_t bytes, Actions& actions);
    void give(Actions& actions);
    void send_next(Actions& actions);

    std::uint32_t most_, depth_;
    bool writes_, reads_;
    RingWriter writer_;
    RingReader reader_;
    StreamFrame frame_;       // of the message that comes by the stream
    std::uint32_t have_ = 0;  // bytes of its frame, and then of itself
    bool readable_ = false;   // there are more
    bool reads_stream_ = false;
    enum class Sends : std::uint8_t { nobody, writer, reader } sends_{};  // by the stream
};

class Sender final : public RingEnd {
  public:
    explicit Sender(const TrafficConfig& item);
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Sender>(*this); }

  private:
    void asked(const applications::Event& event, Actions& actions) override;
    void came(const RingWriter::Whole& message, Actions& actions) override;
};

class Receiver final : public RingEnd {
  public:
    explicit Receiver(const TrafficConfig& item);
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Receiver>(*this); }

  private:
    void came(const RingWriter::Whole& message, Actions& actions) override;
};

}  // namespace rnicsim::nts
