// SPDX-License-Identifier: Apache-2.0
// A program of MPI that compares every byte that it gets: by Sendrecv, Alltoall, Allreduce, and put and get of a
// window. Argument: how many rounds of each. Rank 0 prints one line; exit code 1: a byte is wrong.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr int kTag = 7;
// UCX sends small ones with the request (eager), large ones after the receiver has said where to (rendezvous).
constexpr int kSizes[] = {1, 64, 1500, 8191, 40'000, 262'147};

int g_rank = 0, g_ranks = 1;
std::uint64_t g_compared = 0, g_wrong = 0;

/// What `from` sends to `to`: no two messages of a run are alike, nor two parts of one.
std::uint8_t pattern(int from, int to, int round, int i) {
    std::uint32_t x = static_cast<std::uint32_t>(((from * 16 + to) * 1024 + round) * 31 + i) * 2'654'435'761U;
    x ^= x >> 15;
    return static_cast<std::uint8_t>(x * 2'246'822'519U >> 24);
}

void fill(std::uint8_t* at, int from, int to, int round, int bytes) {
    for (int i = 0; i < bytes; ++i) at[i] = pattern(from, to, round, i);
}

void compare(const std::uint8_t* at, int from, int to, int round, int bytes) {
    for (int i = 0; i < bytes; ++i) g_wrong += at[i] != pattern(from, to, round, i);
    g_compared += static_cast<std::uint64_t>(bytes);
}

/// Of the ring: this one sends to the next, and gets from the one before.
int next() { return (g_rank + 1) % g_ranks; }
int before() { return (g_rank + g_ranks - 1) % g_ranks; }

void send_and_receive(int round, int bytes) {
    Bytes out(static_cast<std::size_t>(bytes)), in(out.size());
    fill(out.data(), g_rank, next(), round, bytes);
    MPI_Sendrecv(out.data(), bytes, MPI_BYTE, next(), kTag, in.data(), bytes, MPI_BYTE, before(), kTag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    compare(in.data(), before(), g_rank, round, bytes);
}

void all_to_all(int round, int bytes) {
    const auto each = static_cast<std::size_t>(bytes), all = static_cast<std::size_t>(g_ranks);
    Bytes out(each * all), in(each * all);
    for (std::size_t i = 0; i < all; ++i) fill(&out[i * each], g_rank, static_cast<int>(i), round, bytes);
    MPI_Alltoall(out.data(), bytes, MPI_BYTE, in.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < all; ++i) compare(&in[i * each], static_cast<int>(i), g_rank, round, bytes);
}

void sum_of_all(int round, int bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    std::vector<std::uint32_t> out(count), in(count);
    for (int i = 0; i < bytes; ++i) out[static_cast<std::size_t>(i)] = pattern(g_rank, 0, round, i);
    MPI_Allreduce(out.data(), in.data(), bytes, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < bytes; ++i) {
        std::uint32_t sum = 0;
        for (int from = 0; from < g_ranks; ++from) sum += pattern(from, 0, round, i);
        if (in[static_cast<std::size_t>(i)] != sum) ++g_wrong;
    }
    g_compared += count * sizeof(std::uint32_t);
}

/// Puts into the window of the next one, and gets that back.
void window(int round, int bytes) {
    Bytes mine(static_cast<std::size_t>(bytes)), out(mine.size()), in(mine.size());
    MPI_Win made = MPI_WIN_NULL;
    MPI_Win_create(mine.data(), bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    fill(out.data(), g_rank, next(), round, bytes);
    MPI_Win_fence(0, made);
    MPI_Put(out.data(), bytes, MPI_BYTE, next(), 0, bytes, MPI_BYTE, made);
    MPI_Win_fence(0, made);
    compare(mine.data(), before(), g_rank, round, bytes);
    MPI_Get(in.data(), bytes, MPI_BYTE, next(), 0, bytes, MPI_BYTE, made);
    MPI_Win_fence(0, made);
    compare(in.data(), g_rank, next(), round, bytes);
    MPI_Win_free(&made);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    for (int round = 0; round < rounds; ++round) {
        for (const int bytes : kSizes) {
            send_and_receive(round, bytes);
            all_to_all(round, bytes);
            sum_of_all(round, bytes);
            window(round, bytes);
        }
    }
    const std::uint64_t mine[] = {g_compared, g_wrong};
    std::uint64_t all[] = {0, 0};
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (g_rank == 0)
        std::printf("%d ranks: %llu bytes compared, %llu wrong\n", g_ranks, static_cast<unsigned long long>(all[0]),
                    static_cast<unsigned long long>(all[1]));
    MPI_Finalize();
    return all[1] == 0 ? 0 : 1;
}
