// SPDX-License-Identifier: Apache-2.0
// What a persistence path tells, by number, and times in nanoseconds.
#pragma once

#include "model/host/persistence/persistence_path.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rnicsim {

constexpr Time ns(std::int64_t n) { return kNanosecond * n; }

class LineList final : public LineObserver {
  public:
    struct Back {
        std::uint64_t number = 0;
        Time adr, scm_done;
        friend bool operator==(const Back&, const Back&) = default;
    };
    void line_written(const LineWrite& write) override {
        if (write.number >= writes.size()) writes.resize(write.number + 1);
        writes[write.number] = write;
        told.push_back(write.number);
    }
    void line_written_back(std::uint64_t number, Time adr, Time scm_done) override {
        back.push_back({number, adr, scm_done});
    }

    std::vector<LineWrite> writes;  // [0]: none
    std::vector<std::uint64_t> told;
    std::vector<Back> back;
};

/// All of the first MiB is SCM; behind it is DRAM.
struct PathBench {
    explicit PathBench(const PersistenceConfig& config) : path(config) {
        path.add_scm(0, kDram);
        path.set_observer(&lines);
    }
    static constexpr std::uint64_t kDram = 1 << 20;

    /// Whole lines: when they have left the IIO.
    Time write(Time arrives, std::uint64_t line, TlpAttributes attributes = {}, std::uint32_t count = 1) {
        return path.write(arrives, line * 64, count * 64, attributes).left;
    }
    [[nodiscard]] const LineWrite& line(std::size_t number) const { return lines.writes.at(number); }

    PersistencePath path;
    LineList lines;
};

constexpr TlpAttributes kRelaxed{false, true, 0};
constexpr TlpAttributes kNoSnoop{true, false, 0};

/// 40 ns through the IIO and 4 ns a line; 40 ns through the iMC; 100 ns a line of SCM, of 4 lines here; no LLC.
inline PersistenceConfig plain_config() {
    PersistenceConfig config;
    config.ddio = false;
    config.scm.write = 2'560'000'000;
    config.scm.read = 6'400'000'000;
    return config;
}

}  // namespace rnicsim
