// What the items of a run make its hosts, links and switches do.
#pragma once

#include "model/config.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace rnicsim {

/// What a host does, in any item.
struct HostUse {
    bool initiates = false;
    bool responds = false;
    bool posts = false;              ///< its program posts send WQEs
    bool is_requester = false;       ///< asks on reliable connections, and so waits for answers
    bool is_responder = false;       ///< answers on reliable connections
    bool gets_receives = false;      ///< messages for which it posts receive WQEs
    bool asks_receives = false;      ///< it sends such messages on reliable connections
    bool is_told_rnr = false;        ///< ... gets them on these
    bool has_answers = false;        ///< READs, atomics and FLUSHes, from here or there
    bool does_atomics = false;       ///< as a responder
    bool card_flushes = false;       ///< as a responder of fig10 or flush
    bool processor_flushes = false;  ///< as a responder of fig3, fig11 or gpspm
    bool persists = false;           ///< an item of it has a scheme
    bool waits_for_pack = false;     ///< as an initiator: an ACK, of it or of what is behind, is not the PACK
    bool keeps_packs = false;        ///< as an initiator of fig11
    std::uint64_t qps = 0;
    [[nodiscard]] bool any() const { return initiates || responds; }
    /// An item of it is of reliable connections.
    [[nodiscard]] bool is_reliable() const { return is_requester || is_responder; }
    /// Its program looks at completions, or at memory.
    [[nodiscard]] bool looks() const { return posts || gets_receives || processor_flushes; }
};

class InUse {
  public:
    explicit InUse(const RunConfig& config);

    [[nodiscard]] const HostUse& host(std::size_t number) const { return hosts_[number]; }
    /// Frames of items cross it.
    [[nodiscard]] bool link(std::size_t number) const {
        if (links_.empty()) add_ways();
        return links_[number];
    }
    /// Frames that may be marked (ECN) are under way.
    [[nodiscard]] bool markable() const { return markable_; }
    /// Something may mark them.
    [[nodiscard]] bool marks() const { return marks_; }
    /// Traffic classes of its frames.
    [[nodiscard]] const std::set<unsigned>& classes() const { return classes_; }
    /// The two ends ping each other.
    [[nodiscard]] bool pings() const { return pings_; }

  private:
    void add_verbs(const TrafficConfig& item, unsigned from, unsigned to);
    void add_ways() const;

    const RunConfig& config_;
    std::vector<HostUse> hosts_;
    mutable std::vector<bool> links_;  // empty: nobody has asked yet
    std::set<unsigned> classes_;
    bool markable_ = false, marks_ = false, pings_ = false;
};

}  // namespace rnicsim
