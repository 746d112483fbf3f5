// SPDX-License-Identifier: Apache-2.0
// Work queues: doorbells and pushed WQEs from the host, and the WQEs that are read from its memory. Each WQE is handed
// to the decisions in its queue's order, and not sooner than `qp_interval` after the one before it.
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/context_lines.h"
#include "model/rnic/rc/counted_ring.h"
#include "model/rnic/rc/rc_transport.h"
#include "model/rnic/rc/rings.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim::rc {

struct SendRing {
    std::uint64_t address = 0;
    std::uint32_t entries = 0;         ///< a power of two
    std::uint32_t stride = kWqeBlock;  ///< bytes from one WQE to the next: 64, 128 or 256
};
struct ReceiveRing {
    std::uint64_t address = 0;
    std::uint32_t entries = 0;                ///< a power of two
    std::uint64_t record = 0;                 ///< where the host writes how many it has posted, counted on
    std::uint32_t stride = kReceiveWqeBytes;  ///< bytes from one WQE to the next: 64 or 128
    [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{entries} * stride; }
};

class WorkQueues final : private DmaClient {
  public:
    WorkQueues(const Clock& clock, Cycle qp_interval, std::uint32_t receive_batch, PcieEndpoint& pcie,
               FramePool& frames, ContextLines& lines, RcTransport& transport, RcActions& actions);

    void add_send_ring(Qpn qp, const SendRing& ring);
    void add_receive_ring(ReceiveQueueNumber queue, const ReceiveRing& ring);
    // RESET: the rings begin anew, as nobody has posted anything; what is being read is not wanted any more (V-Q1).
    void restart(Qpn qp);
    void restart(ReceiveQueueNumber queue);

    // From the host.
    void doorbell(Cycle now, Qpn qp, std::uint32_t producer);
    void push(Cycle now, std::span<const std::uint8_t> block);

    // For the decisions.
    void fetch_sends(Cycle now, const SendFetch& fetch);
    void fetch_receives(Cycle now, ReceiveQueueNumber queue);
    void read_record(Cycle now, ReceiveQueueNumber queue);
    /// The payload of an inline WQE. Precondition: it has not completed.
    [[nodiscard]] std::span<const std::uint8_t> inline_payload(Qpn qp, std::uint32_t number, std::uint32_t offset,
                                                               std::uint32_t bytes) const;

    /// The context of a QP is on the card whose doorbells or WQEs waited for it.
    void line_came(Cycle now, Qpn qp);

    /// Hands over the WQEs whose time has come. True: receive WQEs have come, so that held packets may go on.
    bool run(Cycle now);
    [[nodiscard]] Cycle next_due() const { return due_; }
    [[nodiscard]] bool idle() const { return reading_ == 0 && due_ == kNever; }

    struct Counters {
        std::uint64_t doorbells = 0, pushes = 0, refused = 0, send_reads = 0, receive_reads = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    struct Sends {
        Qpn qp;
        SendRing ring;
        std::uint32_t producer = 0;             // counted on
        std::vector<std::uint8_t> inline_data;  // of each WQE that is not complete
        CountedRing<WrittenWqe> waiting;        // for their time
        Cycle next;                             // not before
        std::uint32_t untold = 0;               // posted WQEs that the decisions have not heard of
        bool listed = false;                    // in `busy_`
        std::uint32_t use = 0;                  // how often it has begun anew
    };
    struct Receives {
        ReceiveRing ring;
        std::uint32_t producer = 0, fetched = 0;  // counted on; the producer as last read
        std::uint32_t use = 0;                    // how often it has begun anew
    };
    struct Read {
        enum class What : std::uint8_t { sends, record, record_alone, receives } what = What::sends;
        std::uint32_t of = 0;  // QP or receive queue
        std::uint32_t first = 0, count = 0;
        std::uint32_t use = 0;  // of the ring, when it was asked for
    };
    [[nodiscard]] std::size_t index_of(Qpn qp) const { return qp.n < place_.size() ? place_[qp.n] : kNone; }
    void read(Cycle now, const Read& what, std::uint64_t address, std::uint32_t bytes);
    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;
    [[nodiscard]] std::uint32_t use_of(const Read& read) const;
    void take(Cycle now, std::size_t index, std::span<const std::uint8_t> bytes);
    /// So many WQEs more to read, now or when the QP's context is on the card.
    void posted(Cycle now, Sends& sends, std::uint32_t count);
    void list(Cycle now, std::size_t index);
    /// False: it waits for the QP's context.
    bool hand_over(Cycle now, Sends& sends);
    void record_came(std::uint32_t queue, std::span<const std::uint8_t> bytes);
    void read_receives(Cycle now, std::uint32_t queue);
    void keep_inline(Sends& sends, const WrittenWqe& wqe, std::span<const std::uint8_t> bytes);
    static constexpr std::size_t kNone = ~std::size_t{0};

    const Clock clock_;
    const Cycle qp_interval_;
    const std::uint32_t receive_batch_;
    PcieEndpoint& pcie_;
    FramePool& frames_;
    ContextLines& lines_;
    RcTransport& transport_;
    RcActions& actions_;
    std::vector<Sends> sends_;
    std::vector<std::size_t> place_;  // in sends_, by QPN
    std::vector<Receives> receives_;  // by number
    CountedRing<Read> reads_;         // under way
    std::uint32_t reading_ = 0;
    std::vector<std::size_t> busy_;  // those of sends_ with WQEs that wait
    Cycle due_ = kNever;
    bool receives_came_ = false;
    std::array<std::uint8_t, kMostWqeBytes> pushed_{};
    std::uint32_t pushed_bytes_ = 0;
    std::vector<ReceiveWqe> fetched_;
    Counters counters_;
};

}  // namespace rnicsim::rc
