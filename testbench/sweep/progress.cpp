// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/progress.h"

#include "testbench/results/text.h"

#include <unistd.h>

#include <cstdio>

namespace rnicsim::runner {

Progress::Progress(const std::size_t total, const std::size_t resumed, const bool enabled)
    : total_(total), resumed_(resumed), enabled_(enabled) {}

void Progress::run_ended(const std::uint64_t data_frames) {
    ++ended_;
    data_frames_ += data_frames;
}

double Progress::elapsed_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string Progress::line(const double elapsed) const {
    const std::size_t done = resumed_ + ended_;
    std::string text = "runs " + std::to_string(done) + "/" + std::to_string(total_) + "  " +
                       std::to_string(total_ == 0 ? 100 : done * 100 / total_) + " %";
    if (ended_ > 0) {
        const double left = elapsed / static_cast<double>(ended_) * static_cast<double>(total_ - done);
        text += "  ETA " + duration(left);
        if (elapsed > 0 && data_frames_ > 0) {
            const double rate = static_cast<double>(data_frames_) / elapsed;
            text += "  " + grouped(static_cast<std::uint64_t>(rate)) + " data frames/s";
        }
    }
    return text;
}

void Progress::show() {
    if (!enabled_) return;
    std::fprintf(stderr, "\r%s\x1b[K", line(elapsed_seconds()).c_str());
    std::fflush(stderr);
    shown_ = true;
}

void Progress::clear() {
    if (!shown_) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    shown_ = false;
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace rnicsim::runner
