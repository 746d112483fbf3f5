// SPDX-License-Identifier: Apache-2.0
// WRITEs that are made durable, over the simulator:
//     durable PEER PORT listen|connect METHOD COUNT BYTES
// Both sides run it; PEER is the number of the other host, from 1. The one that connects posts COUNT times a WRITE and
// what makes it durable, and waits for that; the other one compares all bytes at the end. METHOD:
//     flush, flush_region, half, visible  FLUSH of the range, of the region, of the range's first half; for visibility
//     refused                             FLUSH of a region without the right
//     read, none                          a READ of 8 bytes; only the WRITE
#include "testbench/tests/programs/flush_call.h"
#include "testbench/tests/programs/two_hosts.h"

#include <memory>
#include <string>
#include <string_view>

namespace calls {
namespace {

constexpr std::size_t kRegion = std::size_t{1} << 20U;

struct Task {
    std::string_view method;
    std::uint64_t count = 0;
    std::size_t bytes = 0;

    [[nodiscard]] bool flushes() const { return method != "read" && method != "none"; }
    [[nodiscard]] int rights() const {
        using namespace rnicsim::programs;
        const bool persistent = method != "visible" && method != "refused";
        return kAll | static_cast<int>(kAccessFlushGlobal | (persistent ? kAccessFlushPersistent : 0));
    }
    [[nodiscard]] std::size_t place(std::uint64_t item) const { return item % (kRegion / bytes) * bytes; }
    [[nodiscard]] char value(std::uint64_t item) const { return static_cast<char>(item * 7 + 1); }
};

/// Aligned to a page: nobody else's bytes are in its lines.
struct Memory {
    explicit Memory(const Opened& card, int rights) {
        void* made = nullptr;
        CHECK(::posix_memalign(&made, 4096, kRegion) == 0);
        std::memset(made, 0, kRegion);
        bytes = static_cast<char*>(made);
        mr = ibv_reg_mr(card.pd, bytes, kRegion, rights);
        CHECK(mr != nullptr);
    }
    char* bytes = nullptr;
    ibv_mr* mr = nullptr;
};

void post(ibv_qp_ex* qp, const Task& task, const Memory& from, const Peer& to, std::uint64_t item) {
    const std::size_t place = task.place(item);
    const auto here = reinterpret_cast<std::uint64_t>(from.bytes + place);
    std::memset(from.bytes + place, task.value(item), task.bytes);
    ibv_wr_start(qp);
    qp->wr_id = 2 * item;
    qp->wr_flags = task.method == "none" ? unsigned{IBV_SEND_SIGNALED} : 0;
    ibv_wr_rdma_write(qp, to.rkey, to.address + place);
    ibv_wr_set_sge(qp, from.mr->lkey, here, static_cast<std::uint32_t>(task.bytes));
    qp->wr_id = 2 * item + 1;
    qp->wr_flags = IBV_SEND_SIGNALED;
    if (task.method == "read") {
        ibv_wr_rdma_read(qp, to.rkey, to.address + place);
        ibv_wr_set_sge(qp, from.mr->lkey, here, 8);
    } else if (task.flushes()) {
        wr_flush(qp, to.rkey, to.address + place, task.method == "half" ? task.bytes / 2 : task.bytes,
                 task.method == "visible" ? Placement::global : Placement::persistent,
                 task.method == "flush_region" ? Level::region : Level::range);
    }
    CHECK(ibv_wr_complete(qp) == 0);
}

void write_all(const Opened& card, ibv_qp* qp, const Task& task, const Memory& from, const Peer& to) {
    ibv_qp_ex* const ex = ibv_qp_to_qp_ex(qp);
    for (std::uint64_t item = 0; item < task.count; ++item) {
        post(ex, task, from, to, item);
        const ibv_wc done = poll(card.cq, 1)[0];
        if (task.method == "refused") {
            CHECK(done.status == IBV_WC_REM_ACCESS_ERR);
            return;
        }
        CHECK(done.status == IBV_WC_SUCCESS && done.wr_id == 2 * item + (task.method == "none" ? 0 : 1));
        const auto opcode = static_cast<int>(done.opcode);
        CHECK(!task.flushes() || opcode == rnicsim::programs::kWcFlush);
    }
}

void compare(const Memory& memory, const Task& task) {
    for (std::uint64_t item = 0; item < task.count; ++item) {
        for (std::size_t i = 0; i < task.bytes; ++i) CHECK(memory.bytes[task.place(item) + i] == task.value(item));
    }
}

}  // namespace
}  // namespace calls

int main(int count, char** words) {
    using namespace calls;
    CHECK(count == 7);
    const bool first = std::string_view(words[3]) == "listen";
    const Line line(static_cast<std::uint16_t>(std::stoi(words[2])), first);
    const Task task{words[4], std::stoull(words[5]), std::stoull(words[6])};
    CHECK(task.count * task.bytes <= kRegion);  // each item has a place of its own
    const Opened card;
    const Memory memory(card, task.rights());
    ibv_qp_init_attr init = init_of(card);
    init.cap.max_send_sge = 1;
    ibv_qp* const qp = create_qp_that_flushes(card.pd, init);
    CHECK(qp != nullptr);
    const Peer peer = line.exchange({qp->qp_num, memory.mr->rkey, reinterpret_cast<std::uint64_t>(memory.bytes)});
    connect_to(qp, static_cast<unsigned>(std::stoi(words[1])), peer,
               rnicsim::programs::kAccessFlushGlobal | rnicsim::programs::kAccessFlushPersistent);
    line.meet();
    if (!first) write_all(card, qp, task, memory, peer);
    line.meet();
    if (first && task.method != "refused") compare(memory, task);
    line.meet();
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_dereg_mr(memory.mr) == 0);
    std::puts("done");
    return 0;
}
