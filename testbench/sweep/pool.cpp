// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/pool.h"

#include "testbench/sweep/worker.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <system_error>

namespace rnicsim::runner {
namespace {

constexpr int kTickMilliseconds = 200;

/// Waits until a pipe has something, the tick is over, or a signal comes.
std::vector<pollfd> wait_for_news(const std::list<Worker>& workers) {
    std::vector<pollfd> fds;
    for (const Worker& w : workers) fds.push_back({w.fd(), POLLIN, 0});
    if (poll(fds.data(), fds.size(), kTickMilliseconds) < 0) {
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
        for (pollfd& fd : fds) fd.revents = 0;
    }
    return fds;
}

/// Starts workers up to the limit. A full process table is no error while at least one worker runs.
std::size_t launch(std::list<Worker>& workers, const std::vector<RunRequest>& runs, std::size_t next,
                   const unsigned jobs, const Simulate& simulate) {
    while (workers.size() < jobs && next < runs.size()) {
        try {
            workers.emplace_back(next, runs[next], simulate);
        } catch (const std::system_error&) {
            if (workers.empty()) throw;
            break;
        }
        ++next;
    }
    return next;
}

}  // namespace

PoolEnd run_pool(const std::vector<RunRequest>& runs, const unsigned jobs, const Simulate& simulate,
                 const PoolCallbacks& callbacks) {
    std::list<Worker> workers;  // leaving this scope kills what still runs
    std::size_t next = 0;
    while (true) {
        if (callbacks.interrupted()) return PoolEnd::interrupted;
        next = launch(workers, runs, next, std::max(jobs, 1U), simulate);
        if (workers.empty()) return PoolEnd::completed;

        const std::vector<pollfd> news = wait_for_news(workers);
        auto worker = workers.begin();
        for (const pollfd& fd : news) {
            const auto current = worker++;
            if (fd.revents == 0 || !current->read_some()) continue;
            RunOutcome outcome = current->collect();
            const std::size_t run = current->run();
            workers.erase(current);
            callbacks.on_end(run, std::move(outcome));
        }
        callbacks.on_tick();
    }
}

}  // namespace rnicsim::runner
