// SPDX-License-Identifier: Apache-2.0
// Who asks for tensors, and who has them.
#pragma once

#include "testbench/applications/tensor/channel.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::tensor {

/// Where the time of a tensor goes: until its request is posted, until the one with new meta-data is, until the tensor
/// has come, until it is copied or parsed.
enum class Part : std::uint8_t { wait, meta_data, content, finish };

/// Who asks. It keeps the meta-data of each tensor, and asks for a tensor again when the last one has come.
class Receiver final : public Channel {
  public:
    explicit Receiver(const TrafficConfig& item) : Channel(item), known_(settings().tensors), open_(depth()) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Receiver>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    struct Wanted {
        bool is = false;
        std::uint32_t operation = 0, bytes = 0;
        bool asks_again = false;  // its meta-data have come
    };
    void asked(const Event& event, Actions& actions) override;
    void connected(Actions& actions) override;
    void came(const Message& message, Actions& actions) override;
    void tensor_came(std::uint32_t operation, Actions& actions) override;
    void posted(const Message& message, Actions& actions) override;
    void fails(Actions& actions) override;
    void begin_all(Actions& actions);
    [[nodiscard]] bool can_begin(std::size_t number) const;
    void ask(Type type, std::uint32_t slot, Actions& actions);
    [[nodiscard]] std::uint32_t tensor_of(std::uint32_t operation) const { return operation % settings().tensors; }

    std::vector<MetaData> known_;  // by tensor
    std::vector<Wanted> open_;     // by slot
    std::deque<Wanted> waiting_;
    bool asked_for_address_ = false, connected_ = false;
};

/// Who has them. A tensor whose meta-data are not those that the other end knows is kept until it asks again.
class Sender final : public Channel {
  public:
    explicit Sender(const TrafficConfig& item) : Channel(item), times_(settings().tensors), slots_(depth()) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Sender>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    struct Slot {
        bool busy = false;   // a WRITE from it is not complete
        bool keeps = false;  // a clone, until it is asked for again
        bool waits = false;  // a request, for it
        Message request;
    };
    void connected(Actions& actions) override { tell_address(actions); }
    void came(const Message& message, Actions& actions) override;
    void slot_is_free(std::uint32_t slot, Actions& actions) override;
    void serve(const Message& request, Actions& actions);
    void send(const Message& request, Actions& actions);

    std::vector<std::uint32_t> times_;  // by tensor: that it was asked for
    std::vector<Slot> slots_;           // of who asks, and of its own
};

}  // namespace rnicsim::applications::tensor
