// SPDX-License-Identifier: Apache-2.0
// Power cut at any instant, from one run: the power going off changes nothing before it, so one run answers for all.
//
// It hears of each line write and each telling when it is booked, in any order of their times, and goes through them in
// the order of time as far as `advance` has promised. The state behind each is what a cut there finds. Line writes that
// are safe, with nothing older on the way, are forgotten, and so are messages of which all has been told.
#pragma once

#include "testbench/records/cut_report.h"
#include "testbench/records/line_write.h"
#include "testbench/workloads/persistence/connection_order.h"
#include "testbench/workloads/persistence/event_lanes.h"
#include "testbench/workloads/persistence/line_versions.h"
#include "testbench/workloads/persistence/lone_writes.h"
#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace rnicsim {

/// A message whose bytes are to be persistent.
struct PersistMessage {
    std::uint64_t id = 0;  ///< from 1 on, rising
    std::uint64_t connection = 0;
    std::uint64_t order = 0;              ///< from 1 on, rising on its connection: as it was posted
    std::uint64_t bytes = 0;              ///< all in all, of its line writes; not 0
    std::optional<LineRange> lines = {};  ///< of these; not known: each line write is followed, which takes longer
};

class PowerCutLedger {
  public:
    /// `observer`: hears the rows and messages; not owned; may be null.
    explicit PowerCutLedger(Domain domain, CutObserver* observer = nullptr) : domain_(domain), observer_(observer) {}

    // All throw std::invalid_argument for what cannot be: numbers twice, times that go back.

    /// Before its first line write.
    void message_posted(const PersistMessage& message);
    /// `message`: whose bytes they are; 0: of none that is judged.
    void lines_written(std::span<const LineWrite> writes, std::uint64_t message);
    void line_written(const LineWrite& write, std::uint64_t message) { lines_written(std::span(&write, 1), message); }
    /// Of a write that is not kept it says nothing: that has left the LLC with a newer one, or is not of SCM.
    void line_written_back(const LineWriteBack& back);
    /// The first telling counts. Of a message that is forgotten, nothing can change.
    void told_written(std::uint64_t message, Time at);
    void told_persisted(std::uint64_t message, Time at);

    /// Nothing that is reported from here on happens before `now`: no copy is written back as it was before that,
    /// either. What an IIO holds until it is pushed is known late, so this may have to stay behind.
    void advance(Time now);
    /// Once, at the end: what is due at `end` or later does not happen.
    CutReport finish(Time end);

    /// All that it holds, but for the connections.
    [[nodiscard]] std::size_t live_records() const;

  private:
    /// Of a line write the first four, of a message the others; `lone`: some of it has entered the IIO, or some or
    /// all the iMC.
    enum class What : std::uint8_t { iio, llc, imc, scm, told_written, told_persisted, lone };
    static constexpr std::size_t kEvents = 7;
    struct Write {
        std::uint64_t line = 0;
        Time in_llc;  // from when on it may be written back, once; kEndOfTime: not at all
    };
    struct Message {
        CutMessage known;
        std::uint64_t bytes = 0;                           // that its line writes have to sum up to
        std::uint64_t announced = 0;                       // that they do so far
        std::uint64_t posted = 0;                          // of these, have entered the IIO
        std::uint64_t kept = 0;                            // line writes that are not settled
        std::uint64_t safe_writes = 0, unsafe_writes = 0;  // of those posted
        std::uint8_t states = 0;                           // a bit by CutState, as counted
        std::uint8_t ever = 0;
        bool safe = false, settled = false;
        bool touched = false;            // its state may have changed
        std::optional<LoneWrites> lone;  // as long as it is alone; its line writes are nowhere else then
        LineRange lines;                 // of one that is, or has been, alone
    };

    [[nodiscard]] bool is_alone(const PersistMessage& message);
    static void announce(Message& message, const LineWrite& write);
    std::size_t write_alone(Message& message, std::span<const LineWrite> writes);
    void follow_each_line(std::uint64_t message);
    void follow(const LineWrite& write, std::uint64_t message);
    [[nodiscard]] LineVersions& line_at(std::uint64_t address);
    [[nodiscard]] bool is_safe(const Message& message, Time now) const;
    [[nodiscard]] bool is_in_part(const Message& message, Time now) const;
    void touch(Message& message);
    void book(Time at, What what, std::uint64_t number);
    void book_way(std::uint64_t number, Time adr, Time scm_done);
    void happens(What what, Time at, std::uint64_t number);
    void enter(LineVersions& line, What stage, std::uint64_t number);
    void reckon_until(Time now);
    void look_at_lines(Time now);
    void look_at_messages(Time now);
    void count(const LineVersions& line, LineVersion& version, Time now);
    void judge(Message& message, Time now);
    void follow_order(Message& message, bool safe, Time now);
    void note_false(const Message& message, Time now);
    [[nodiscard]] std::uint64_t& bytes_in(WriteStage stage);

    Domain domain_;
    CutObserver* observer_;
    EventLanes<kEvents> events_;
    using Lines = std::unordered_map<std::uint64_t, LineVersions>;
    Lines lines_;
    std::vector<Lines::node_type> spare_lines_;        // room for those to come
    std::unordered_map<std::uint64_t, Write> writes_;  // by number
    std::unordered_map<std::uint64_t, Message> messages_;
    LoneRanges alone_;                           // of those that are not settled
    std::vector<std::vector<LineWrite>> spare_;  // room for those to come
    std::unordered_map<std::uint64_t, ConnectionOrder> connections_;
    std::vector<std::uint64_t> touched_lines_, touched_messages_;
    Time now_;
    std::uint64_t last_message_ = 0;
    std::optional<Time> reckoned_;  // up to where the totals go; nothing has happened yet: none
    CutRow current_, told_;         // as it is; the row that was reported last
    CutReport report_;
};

}  // namespace rnicsim
