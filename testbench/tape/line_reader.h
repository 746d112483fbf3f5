// SPDX-License-Identifier: Apache-2.0
// One line of a fault tape, word by word.
#pragma once

#include "testbench/tape/tape_names.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace rnicsim {

/// Every error is a ScenarioError, "where: what was found, what was expected".
class LineReader {
  public:
    /// `where`: file and line. `names`: not owned.
    LineReader(std::string_view line, std::string where, const TapeNames& names)
        : rest_(line), where_(std::move(where)), names_(&names) {}

    [[noreturn]] void refuse(const std::string& what, const std::string& expected) const;
    /// "found 'x'", or that the line ends.
    static std::string found(std::string_view word);

    [[nodiscard]] bool done();
    /// The next word; "" at the end of the line.
    std::string_view word();
    /// The rest of the line.
    std::string_view tail();
    /// There must be nothing left.
    void end();

    [[nodiscard]] std::uint64_t number(std::string_view digits, std::uint64_t most, const std::string& expected) const;
    /// "#3": the third, 2.
    std::uint64_t ordinal();
    /// "480 ns", "60 cycles": whole cycles. `or_else`: what could stand there, too, for the error.
    [[nodiscard]] Cycle cycles(std::string_view text, std::string_view or_else = "") const;
    /// The same; in a network, where links have other rates, also picoseconds: "720 ps".
    [[nodiscard]] Time time(std::string_view text) const;
    /// How much later a frame arrives: the rest of the line.
    Time lateness();
    /// "a7", "client3.7": initiator and number.
    std::pair<unsigned, std::uint64_t> transfer();

    [[nodiscard]] const TapeNames& names() const { return *names_; }

  private:
    void skip_blanks();

    std::string_view rest_;
    std::string where_;
    const TapeNames* names_;
};

}  // namespace rnicsim
