// SPDX-License-Identifier: Apache-2.0
// Bytes in order to the other end of a connection, and from it into the query buffer: by RDMA, or by TCP.
// Through rings whole messages come (ring_pipe.h).
#pragma once

#include "testbench/applications/end.h"
#include "testbench/applications/kv/messages.h"

#include <deque>

namespace rnicsim::applications::kv {

/// What has been read and is not used yet: [begin, end) of the area.
struct Query {
    std::uint32_t capacity = 0;  ///< bytes
    std::uint32_t begin = 0, end = 0;
    std::uint32_t area = kIn;
    [[nodiscard]] std::uint32_t size() const { return end - begin; }
    [[nodiscard]] std::uint32_t room() const { return capacity - end; }
};

/// Who has a pipe.
class PipeReader {
  public:
    /// Its query has more.
    virtual void has_read(Actions& actions) = 0;

  protected:
    ~PipeReader() = default;
};

/// Tags of what a pipe asks for. Those of its user are above.
enum PipeTag : std::uint32_t { kWrite, kTellTag, kStarts, kHasRead, kUserTag };

/// What is to be sent, in order.
class Waiting {
  public:
    void push(Place from, std::uint32_t bytes) { all_.push_back({from, bytes}); }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] Place from() const { return all_.front().from; }
    [[nodiscard]] std::uint32_t bytes() const { return all_.front().bytes; }
    /// The first so many bytes have been sent.
    void sent(std::uint32_t bytes) {
        all_.front().from.offset += bytes;
        all_.front().bytes -= bytes;
        if (all_.front().bytes == 0) all_.pop_front();
    }
    void state(std::vector<std::uint64_t>& words) const {
        words.push_back(all_.size());
        for (const Message& one : all_) words.push_back(std::uint64_t{one.from.offset} << 32U | one.bytes);
    }

  private:
    struct Message {
        Place from;
        std::uint32_t bytes = 0;
    };
    std::deque<Message> all_;
};

/// Each end tells the other of memory; that writes there from front to back, and waits at its end until it is told
/// again, when all has been read.
class RdmaPipe {
  public:
    explicit RdmaPipe(const KvSettings& settings) : settings_(settings) {}
    void start(Actions& actions);
    void on(const Event& event, Actions& actions, Query& query, PipeReader& reader);
    /// Behind what has been sent before. The place is free when the other end has it.
    void send(Place from, std::uint32_t bytes, Actions& actions);
    /// Reads what there is, if nothing is being read.
    void read(Actions& actions, const Query& query);
    void close(Actions& /*actions*/) {}
    void state(std::vector<std::uint64_t>& words) const;

  private:
    void tell(Actions& actions) const;
    void write(Actions& actions);
    static void post_receive(std::uint32_t tag, Actions& actions) {
        actions.post_receive({kSlots, tag * kTold}, kTold, tag);
    }

    const KvSettings& settings_;
    Waiting waiting_;
    Remote there_;
    bool may_write_ = false;                         // there_ is known, and not full
    std::uint32_t written_ = 0;                      // bytes, of there_
    std::uint32_t writes_ = 0;                       // since a signaled one
    std::uint32_t came_ = 0, read_ = 0, reads_ = 0;  // bytes of kReceive; `reads`: being read
};

/// A stream.
class SocketPipe {
  public:
    void start(Actions& /*actions*/) {}
    void on(const Event& event, Actions& actions, Query& query, PipeReader& reader);
    void send(Place from, std::uint32_t bytes, Actions& actions);
    void read(Actions& actions, const Query& query);
    void close(Actions& actions) { actions.stream_close(); }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    void write(Actions& actions);

    Waiting waiting_;
    bool sends_ = false, reads_ = false, readable_ = false;
};

}  // namespace rnicsim::applications::kv
