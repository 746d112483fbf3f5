// SPDX-License-Identifier: Apache-2.0
// A time line of the run in Chrome's trace format, for ui.perfetto.dev and chrome://tracing: a process for each end,
// with tracks for the calls of programs of the machine, its host's software, PCIe, bridges, the transport controller's
// decisions and both directions of the MAC, the fill of the indirect buffer, and a span for each transfer or message.
#pragma once

#include "testbench/observe/observation.h"
#include "testbench/observe/transfer_of.h"
#include "testbench/records/output_file.h"
#include "tlm/time/mac_timing.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace rnicsim {

class TraceWriter : public EventWriter {
  public:
    /// `from`, `to`: the window; spans that reach over it are cut. Throws RequestError.
    TraceWriter(const std::string& name, const RunConfig& run, Time from, Time to);

    void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) override;
    void outside(const LoggedEvent& event) override;
    void finish() override;

  private:
    enum class Track : std::uint8_t { transfers, host, transport, sends, receives, pcie };
    static constexpr unsigned number(Track track) { return static_cast<unsigned>(track); }
    /// Of an end, from `from` to `to`.
    struct Slice {
        unsigned end = 0;
        Track track = Track::host;
        Time from, to;
        std::string name;
        std::string arguments;  ///< members of a JSON object
    };
    /// A transfer or a message that goes on, and the host that has asked for it.
    struct Going {
        std::string_view kind;
        unsigned host = 0;
    };
    struct SpanEdge {
        bool begins = false;
        Going of;
        std::string name;
    };
    /// A decision and its results: complete when an event of another kind comes.
    struct Decision {
        Slice slice;
        std::string results;
    };

    void name_tracks();
    void open(char phase, std::string_view name, unsigned end, unsigned track, Time at);
    void slice(const Slice& slice);
    void instant(unsigned end, Track track, Time at, const std::string& name);
    void frame(const LoggedEvent& event, const WireFrame& frame);
    void dma(const LoggedEvent& event, const DmaRequest& dma);
    void cause(const LoggedEvent& event, const DecisionCause& cause);
    void result(const DecisionResult& result);
    void step(const LoggedEvent& event, const SoftwareStep& software, const std::optional<TransferName>& transfer);
    void close_decision();
    void begin_window();
    void span(char phase, const Going& of, const std::string& name, Time at);
    void fill(unsigned end, Time at);
    void call(const LoggedEvent& event, const VerbsCall& call);
    void message(const LoggedEvent& event, const MessageStep& step);
    void message(const LoggedEvent& event, const PersistStep& step);
    void operation(const LoggedEvent& event, const OperationStep& step);
    void core(const LoggedEvent& event, const CoreStep& step);
    void waited(const LoggedEvent& event, const StoreStep& step);
    void bridge(const LoggedEvent& event, const BridgeStep& step);
    unsigned bridge_track(unsigned bridge, unsigned end, bool sends);
    /// A track of its own, above others of its end; named the first time.
    void name_track(unsigned end, unsigned track, const std::string& name);
    [[nodiscard]] std::optional<SpanEdge> edge_of(const LoggedEvent& event,
                                                  const std::optional<TransferName>& transfer) const;
    void keep_state(const LoggedEvent& event, const std::optional<TransferName>& transfer);

    OutputFile file_;
    const HostNames hosts_;
    Time from_, to_;
    Time last_;
    std::vector<MacTiming> wires_;  // by host
    TransferNames names_;
    std::vector<Time> pcie_free_;  // by host
    std::vector<std::string> bridges_;
    std::optional<Decision> decision_;
    bool begun_ = false;                                             // the window has
    std::map<std::string, Going> going_on_;                          // transfers and messages, by name
    std::vector<std::uint32_t> filled_;                              // by host: slots of the indirect buffers
    std::map<std::pair<unsigned, unsigned>, std::string> programs_;  // by end and number
    std::set<std::pair<unsigned, unsigned>> calls_;                  // tracks of threads, by end
    bool first_ = true;
    std::string line_;
};

}  // namespace rnicsim
