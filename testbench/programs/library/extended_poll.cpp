// SPDX-License-Identifier: Apache-2.0
// Polling an extended CQ: a batch is fetched at its start, and then read completion by completion. The lock is held
// from start_poll to end_poll. What is not read by then stays for the next start, or for ibv_poll_cq.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/operations.h"
#include "testbench/programs/library/poll.h"

namespace rnicsim::programs {
namespace {

constexpr std::int64_t kPsPerNs = 1000;

const Completion& current(ibv_cq_ex* cq) { return of(cq).batch[of(cq).at - 1]; }

/// Goes on to the next one of the batch that the program can know.
bool advance(Cq& cq) {
    while (cq.at != cq.end) {
        const Completion& next = cq.batch[cq.at++];
        if (!settle(of(cq.cq.context), next, cq.cq.wr_id)) continue;
        cq.cq.status = static_cast<ibv_wc_status>(next.status);
        return true;
    }
    return false;
}

/// 0, ENOENT at the end, or another errno. An answer that is full may not be all.
int next_poll(ibv_cq_ex* handle) {
    Cq& cq = of(handle);
    if (advance(cq)) return 0;
    if (cq.end != kMostCompletions) return ENOENT;
    cq.at = cq.end = 0;
    if (const int error = fetch(cq, kMostCompletions, cq.batch, cq.end); error != 0) return error;
    return advance(cq) ? 0 : ENOENT;
}

int start_poll(ibv_cq_ex* handle, ibv_poll_cq_attr* attributes) {
    if (attributes != nullptr && attributes->comp_mask != 0) return EINVAL;
    Cq& cq = of(handle);
    pthread_mutex_lock(&cq.poll_lock);
    int error = advance(cq) ? 0 : ENOENT;
    if (error != 0) {
        cq.at = cq.end = 0;
        error = fetch(cq, kMostCompletions, cq.batch, cq.end);
        if (error == 0 && !advance(cq)) error = ENOENT;
    }
    if (error != 0) pthread_mutex_unlock(&cq.poll_lock);  // after an error there is no end_poll
    return error;
}

void end_poll(ibv_cq_ex* cq) { pthread_mutex_unlock(&of(cq).poll_lock); }

std::uint64_t wall_clock(ibv_cq_ex* cq) {
    const Welcome* const welcome = rnicsim_welcome();
    return static_cast<std::uint64_t>((welcome == nullptr ? 0 : welcome->start) + current(cq).at / kPsPerNs);
}

}  // namespace

void set_extended_poll(Cq& of_program) {
    ibv_cq_ex& cq = of_program.cq;
    cq.start_poll = start_poll;
    cq.next_poll = next_poll;
    cq.end_poll = end_poll;
    cq.read_opcode = [](ibv_cq_ex* from) { return static_cast<ibv_wc_opcode>(current(from).opcode); };
    cq.read_vendor_err = [](ibv_cq_ex* from) { return current(from).vendor_error; };
    cq.read_byte_len = [](ibv_cq_ex* from) { return current(from).bytes; };
    cq.read_imm_data = [](ibv_cq_ex* from) { return current(from).immediate_or_key; };
    cq.read_qp_num = [](ibv_cq_ex* from) { return current(from).qpn; };
    cq.read_src_qp = [](ibv_cq_ex* from) { return current(from).source_qpn; };
    cq.read_wc_flags = [](ibv_cq_ex* from) { return unsigned{current(from).flags}; };
    cq.read_slid = [](ibv_cq_ex*) { return std::uint32_t{0}; };  // there are no LIDs or paths
    cq.read_sl = [](ibv_cq_ex* from) { return service_level(current(from)); };
    cq.read_dlid_path_bits = [](ibv_cq_ex*) { return std::uint8_t{0}; };
    cq.read_completion_ts = [](ibv_cq_ex* from) { return static_cast<std::uint64_t>(current(from).at / kPsPerNs); };
    cq.read_completion_wallclock_ns = wall_clock;
}

}  // namespace rnicsim::programs
