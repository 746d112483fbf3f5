// SPDX-License-Identifier: Apache-2.0
// Keys of applications at values with which nothing changes are refused, with what would have them count; and errors
// name keys that the application has.
#include "testbench/tests/applications/pair_of.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string of(const std::string& application, const std::string& item, const std::string& keys,
               const std::string& system = {}) {
    return pair_text("application: " + application + ", " + item + ", " + application + ": {" + keys + "}", system);
}

struct Vain {
    std::string application, item, vain, why,
        counts;  ///< `counts`: the item with which the same keys have an effect; none: no item
};

const Vain kVain[] = {
    {"kv", "size: 64 B, transfers: 20", "room: taken, unsafe: true", "nobody fills the other end's memory",
     "size: 64 KiB, transfers: 20"},
    {"plasma", "size: 4 KiB", "protocol: sendrecv, ack: false, unsafe: true", "each object is one chunk",
     "size: 8 KiB"},
    {"plasma", "size: 4 KiB", "protocol: sendrecv, window: 4", "each object is one chunk", "size: 8 KiB"},
    {"plasma", "size: 4 KiB", "protocol: sendrecv, window: 4, slots: shared, unsafe: true", "each object is one chunk",
     "size: 8 KiB"},
    {"plasma", "size: 4 KiB", "threshold: 64 KiB", "each object goes as with 32 KiB", "sizes: [4 KiB, 33 KiB]"},
    {"plasma", "size: 4 MiB", "threshold: 64 KiB", "each object goes as with 32 KiB", "size: 32 KiB"},
    {"plasma", "size: 4 KiB", "protocol: socket, write: 1 MiB", "each object is one call", "size: 5 KiB"},
    {"rpc", "size: 4 KiB, depth: 1", "window: false, unsafe: true", "the window is never full",
     "size: 4 MiB, depth: 1"},
    {"fifo", "size: 16 KiB", "adaptive_routing: true, threshold: 64 B", "it divides the same messages",
     "sizes: [64 B, 1 KiB, 16 KiB]"},
    {"fifo", "size: 16 KiB, transfers: 20", "slots: 128", "no slot is used twice", "size: 16 KiB, transfers: 65"},
    {"smc", "size: 64 B, transfers: 20", "read: 1 KiB", "no recv() finds so many bytes", "size: 2 KiB, transfers: 20"},
    {"blocks", "size: 4 KiB, transfers: 20", "irreversible: 20", "all blocks are of one kind",
     "size: 4 KiB, transfers: 21"},
    {"documents", "size: 4 KiB", "operation: query, overload: 5 %, sizing: slots",
     "there is no such bound but in algorithm 2, expected documents.sizing: printed", ""},
    {"tensor", "size: 4 KiB, transfers: 16", "tensors: 64", "no tensor is asked for twice",
     "size: 4 KiB, transfers: 17"},
    {"tensor", "size: 4 KiB, transfers: 1, depth: 4", "ack: false, unsafe: true", "one message is under way",
     "size: 4 KiB, transfers: 2, depth: 4"},
};

}  // namespace

TEST_CASE("what a value of an application's key changes nothing of, the reader refuses", "[applications]") {
    for (const Vain& one : kVain) {
        INFO(one.application << ": " << one.vain);
        const std::string text = rejection(of(one.application, one.item, one.vain));
        CHECK_THAT(text, ContainsSubstring("has no effect: " + one.why));
        if (!one.counts.empty()) CHECK_NOTHROW(ScenarioFile(of(one.application, one.counts, one.vain)).load());
    }
}
TEST_CASE("a value that some point of a sweep reads is accepted", "[applications]") {
    const std::string window = of("plasma", "transfers: 2", "protocol: sendrecv, window: 4");
    CHECK_NOTHROW(ScenarioFile(window + "  sweep:\n    - {keys: [run.size], values: [4 KiB, 64 KiB]}\n").load());
    CHECK_THAT(rejection(window + "  sweep:\n    - {keys: [run.size], values: [1 KiB, 4 KiB]}\n"),
               ContainsSubstring("has no effect: each object is one chunk"));
}
TEST_CASE("too little room is told of by a key that the item has, and the value will do", "[applications]") {
    const auto full = [](const std::string& item) { return rejection(pair_text("application: " + item)); };
    CHECK_THAT(full("plasma, connections: 64, size: 1 MiB, plasma: {protocol: sendrecv, chunk: 1 MiB}"),
               ContainsSubstring("plasma.chunk: found '1 MiB', expected at most "));
    CHECK_THAT(full("kv, connections: 64, size: 3 B, depth: 1"),
               ContainsSubstring("run.kv.receives: found '1024', expected at most "));
    CHECK_THAT(full("smc, connections: 900, size: 1536 KiB, smc: {rmb: 512 KiB}"),
               ContainsSubstring("smc.rmb: found '512 KiB', expected at most "));
    for (const char* const item : {"plasma, connections: 16384, size: 16 MiB", "smc, connections: 16384, size: 16 MiB"})
        CHECK_THAT(full(item), !ContainsSubstring("depth"));
}
TEST_CASE("FIFO's depth and slots do not send to each other in a circle", "[applications]") {
    const auto with = [](const std::string& keys) { return of("fifo", "transfers: 50, depth: 100", keys); };
    CHECK_NOTHROW(ScenarioFile(with("wait: true")).load());
    CHECK_THAT(rejection(with("slots: 5")),
               ContainsSubstring("expected at most fifo.slots, 5, or fifo.slots: 64: a slot would be written over"));
    CHECK_NOTHROW(ScenarioFile(with("slots: 64")).load());
    const std::string more = "transfers: 500, depth: 100";
    CHECK_THAT(rejection(of("fifo", more, "wait: true")),
               ContainsSubstring("at most fifo.slots, 64, or fifo.slots: 100"));
    CHECK_NOTHROW(ScenarioFile(of("fifo", more, "slots: 100")).load());
    CHECK_THAT(rejection(of("fifo", "transfers: 500, depth: 300", "slots: 256")),
               ContainsSubstring("expected at most fifo.slots, 256: a slot"));
    CHECK_THAT(rejection(of("kv", "depth: 4096", "receives: 4096")),
               ContainsSubstring("expected at most 4094: 2 fewer than kv.receives can be"));
}
TEST_CASE("what has no effect without verbs names the application's key, not one of messages", "[applications]") {
    const auto post = [](const std::string& application, const std::string& keys) {
        return rejection(of(application, "transfers: 2", keys, "  host.verbs.post: 2 us\n"));
    };
    CHECK_THAT(post("kv", "transport: tcp"), ContainsSubstring("expected run.kv.transport: rdma"));
    CHECK_THAT(post("plasma", "protocol: socket"), ContainsSubstring("expected run.plasma.protocol: sendrecv, read"));
    CHECK_THAT(post("smc", "refused: true"), ContainsSubstring("expected run.smc.refused: false"));
    for (const char* const key : {"rnic.rc.retransmission: selective_repeat", "rnic.rc.timeout: 5"}) {
        const std::string text = rejection(of("kv", "transfers: 2", "transport: tcp", std::string("  ") + key + "\n"));
        CHECK_THAT(text, ContainsSubstring("expected run.kv.transport: rdma"));
    }
    CHECK_THAT(rejection(pair_text("application: echo, transfers: 2", "  rnic.rc.atomic_busy: 96 ns\n")),
               ContainsSubstring("expected another run.application, or none"));
}
