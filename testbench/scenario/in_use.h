// SPDX-License-Identifier: Apache-2.0
// What the items of a run make its hosts, links and switches do.
#pragma once

#include "model/config.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

namespace applications {
class Application;
}

/// What a host does, in any item.
struct HostUse {
    bool initiates = false;
    bool responds = false;
    bool posts = false;              ///< its program posts send WQEs
    bool is_requester = false;       ///< asks on reliable connections, and so waits for answers
    bool is_responder = false;       ///< answers on reliable connections
    bool asks_for_acks = false;      ///< asks on these for what an ACK alone answers
    bool gives_acks = false;         ///< ... answers it
    bool gets_reads = false;         ///< READs on reliable connections, whose responses may be marked
    bool answers_reads = false;      ///< ... as a responder
    bool is_notified = false;        ///< who answers it tells it of gaps by CNPs (nak_cnp)
    bool gets_receives = false;      ///< messages for which it posts receive WQEs
    bool asks_receives = false;      ///< it sends such messages on reliable connections
    bool is_told_rnr = false;        ///< ... gets them on these
    bool has_answers = false;        ///< READs, atomics and FLUSHes, from here or there
    bool does_atomics = false;       ///< as a responder
    bool card_flushes = false;       ///< as a responder of fig10 or flush
    bool has_persist_unit = false;   ///< as a responder of fig10, fig11 or flush: its card's unit has to do
    bool processor_flushes = false;  ///< as a responder of fig3, fig11 or gpspm
    bool persists = false;           ///< an item of it has a scheme
    bool waits_for_pack = false;     ///< as an initiator: an ACK, of it or of what is behind, is not the PACK
    bool keeps_packs = false;        ///< as an initiator of fig11
    bool uses_qps = false;           ///< an item of it does, and not its streams alone
    bool has_application = false;
    bool registers = false;        ///< its application registers memory while the run goes on
    bool streams = false;          ///< ... uses TCP
    bool stores = false;           ///< ... stores to another host's memory, through a bridge
    bool loads = false;            ///< ... loads from there
    bool is_loaded = false;        ///< another host's does, from here
    bool hears_doorbells = false;  ///< ... of a bridge
    bool rings_doorbells = false;  ///< another host's
    bool copies = false;           ///< ... copies
    /// Bytes of the largest buffer of which it copies parts, and of the smallest; of ends that store through a bridge.
    std::uint64_t largest_copied = 0, smallest_copied = ~std::uint64_t{0};
    bool copies_else = false;   ///< other ends copy, of buffers of any size
    bool touches = false;       ///< ... writes to pages for the first time
    bool calls = false;         ///< ... calls other processes
    bool system_calls = false;  ///< ... calls the operating system, beside its streams
    std::uint64_t qps = 0;
    std::uint64_t acting_qps = 0;  ///< ... in which its program does something
    [[nodiscard]] bool any() const { return initiates || responds; }
    /// An item of it is of reliable connections.
    [[nodiscard]] bool is_reliable() const { return is_requester || is_responder; }
    /// It sends packets that are paced, and may be marked: requests and READ responses.
    [[nodiscard]] bool is_paced() const { return is_requester || answers_reads; }
    /// It gets such packets.
    [[nodiscard]] bool gets_paced() const { return is_responder || gets_reads; }
    /// Its program looks at completions, or at memory.
    [[nodiscard]] bool looks() const { return posts || gets_receives || processor_flushes || stores; }
};

/// Which frames cross a link or a switch.
struct Passing {
    bool any = false;
    bool markable = false;     ///< (ECN)
    std::uint8_t classes = 0;  ///< bit c: traffic class c
};

class InUse {
  public:
    /// `everywhere`: programs may send from each host to each other one.
    InUse(const RunConfig& config, bool everywhere);

    /// Items are not what happens.
    [[nodiscard]] bool by_programs() const { return by_programs_; }
    [[nodiscard]] const HostUse& host(std::size_t number) const { return hosts_[number]; }
    /// Frames of items that cross it.
    [[nodiscard]] const Passing& link(std::size_t number) const { return ways().links[number]; }
    [[nodiscard]] const Passing& of_switch(std::size_t number) const { return ways().switches[number]; }
    /// Something on a way of the host's frames, or of those to it, may mark frames.
    [[nodiscard]] bool passes_marks(std::size_t host) const { return ways().passes_marks[host]; }
    /// ... and frames of this way may be marked.
    [[nodiscard]] bool is_marked(std::size_t host) const { return ways().is_marked[host]; }
    /// The two ends ping each other.
    [[nodiscard]] bool pings() const { return pings_; }

  private:
    /// By link, switch and host.
    struct Ways {
        std::vector<Passing> links, switches;
        std::vector<bool> passes_marks, is_marked;
    };
    /// What goes from one host to another one, and back.
    struct Way {
        unsigned from = 0, to = 0;
        Passing frames{};
    };
    void add_application(const applications::Application& protocol, const TrafficConfig& item, unsigned from,
                         unsigned to);
    void add_verbs(const TrafficConfig& item, unsigned from, unsigned to);
    void add_reliable(const VerbsTraffic& verbs, unsigned from, unsigned to);
    [[nodiscard]] const Ways& ways() const;
    [[nodiscard]] Passing frames_of(const TrafficConfig& item, unsigned from, unsigned to) const;
    [[nodiscard]] std::vector<Way> list_ways() const;
    [[nodiscard]] Ways follow_ways() const;
    [[nodiscard]] Ways all_ways() const;

    const RunConfig& config_;
    std::vector<HostUse> hosts_;
    mutable std::optional<Ways> ways_;  // nothing: nobody has asked yet
    bool by_programs_ = false, everywhere_ = false, pings_ = false;
};

}  // namespace rnicsim
