// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/ring_pipe.h"

#include <limits>

namespace rnicsim::applications::kv {
namespace {

/// Commands one way, answers the other one: a message has a place by its number, modulo the depth, at both ends.
nts::Partition rings_of(const TrafficConfig& item) {
    nts::Member one;
    one.most = message_bytes(kv_of(item), item.size);
    one.depth = item.verbs.depth;
    one.answer = true;
    return nts::partition_of_one(one);
}

/// A message is all that there is to be read.
class Taker final : public nts::MessagePipe::User {
  public:
    Taker(Query& query, PipeReader& reader) : query_(query), reader_(reader) {}
    void came(const nts::Queue::Entry& message, Actions& actions) override {
        query_ = {.capacity = std::numeric_limits<std::uint32_t>::max(),  // nothing has to come behind it
                  .begin = message.at,
                  .end = message.at + message.bytes,
                  .area = nts::kUser};
        reader_.has_read(actions);
    }

  private:
    Query& query_;
    PipeReader& reader_;
};

}  // namespace

RingPipe::RingPipe(const TrafficConfig& item, const Seat& seat) : pipe_(kv_of(item).ring, rings_of(item), seat) {}

void RingPipe::on(const Event& event, Actions& actions, Query& query, PipeReader& reader) {
    Taker taker(query, reader);
    pipe_.on(event, taker, actions);
}

}  // namespace rnicsim::applications::kv
