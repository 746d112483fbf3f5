// SPDX-License-Identifier: Apache-2.0
// Turns what programs do with items of a scheme, what their cards count, and where the data's lines are, into logged
// events, and passes it on.
#pragma once

#include "model/host/persistence/line_observer.h"
#include "model/rnic/rc/rc_observer.h"
#include "model/system.h"
#include "testbench/events/event_log.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/workloads/persistence/persist_observer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace rnicsim {

class PersistRecorder final : public PersistObserver {
  public:
    /// `next`: who gets each report afterwards; `lines`: the same of each host's path, nullptr where nobody does. None
    /// is owned; all must outlive it.
    PersistRecorder(EventSink& sink, const VerbsLayout& layout, PersistObserver& next,
                    const std::vector<LineObserver*>& lines);

    /// Takes the place of `lines`, and hears what the cards of these items' hosts count. Before the simulation starts.
    void attach(System& system);

    // PersistObserver
    void posted(std::size_t connection, std::uint32_t item, Time begins) override {
        next_.posted(connection, item, begins);
    }
    void told_written(std::size_t connection, std::uint32_t item, Time now) override;
    void told_persisted(std::size_t connection, std::uint32_t item, Time now) override;
    void table_posted(std::size_t connection, std::span<const std::uint8_t> bytes) override;
    void connected(std::size_t connection, unsigned side, rc::Qpn qp, roce::Psn first, std::uint32_t pmtu) override;
    void message_posted(const PersistPost& post, Time begins) override;
    void takes_completion(unsigned host) override { ++hosts_[host].taken; }
    void message_taken(std::size_t connection, unsigned side, std::uint32_t item, Time now) override;
    void flushes(std::size_t connection, std::uint32_t item, Time begins) override;
    void failed(std::size_t connection, Time now) override;

  private:
    class Host final : public LineObserver, public rc::RcObserver {
      public:
        Host(PersistRecorder& all, unsigned number, LineObserver* before) : host(number), next(before), all_(all) {}
        void line_written(const LineWrite& write) override;
        void line_written_back(std::uint64_t number, Time adr, Time scm_done) override;
        void noted(rc::Qpn qp, rc::RcCount what) override;
        void reached(rc::Qpn /*qp*/, rc::Stage /*stage*/, std::uint32_t /*end*/, Time /*at*/) override {}
        void progressed(rc::Qpn /*qp*/, bool /*again*/, Time /*at*/) override {}
        void goes_back(rc::Qpn /*qp*/, Time /*not_before*/, Time /*at*/) override {}

        const unsigned host;
        LineObserver* const next;
        std::uint32_t taken = 0;  // CQEs, by its program

      private:
        void enters(WriteStage stage, LineStep step, Time at);

        PersistRecorder& all_;
        std::unordered_map<std::uint64_t, LineStep> cached_;  // not written back so far, by number
    };
    struct End {
        rc::Qpn qp;
        roce::Psn first, next;  // that it sends
    };
    struct Connection {
        std::array<End, 2> ends;
        std::uint32_t pmtu = 0;
        std::uint32_t posted = 0, persisted = 0;  // items
    };

    [[nodiscard]] PersistStep step_of(PersistStep::Step step, std::size_t connection, std::uint32_t item) const;
    void tell(PersistStep step, std::size_t connection, unsigned side, Time at, bool of_completion);
    /// Says whose data lie there, if they are anybody's, or are to.
    [[nodiscard]] bool find_item(unsigned host, LineStep& step) const;

    EventSink& sink_;
    const VerbsLayout& layout_;
    PersistObserver& next_;
    std::deque<Host> hosts_;  // they do not move
    std::vector<Connection> connections_;
};

}  // namespace rnicsim
