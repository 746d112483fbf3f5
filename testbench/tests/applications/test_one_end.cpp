// SPDX-License-Identifier: Apache-2.0
// One end alone, told of what comes in an order that cards and links give seldom, if ever.
#include "testbench/applications/fifo/slot.h"
#include "testbench/applications/tensor/messages.h"
#include "testbench/tests/applications/recorded.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>

using namespace rnicsim;
using applications::Event;
using What = applications::Event::What;

TEST_CASE("a slot that comes ahead of another one waits for it", "[applications]") {
    const RunConfig config = pair_config("application: fifo, size: 64 B, transfers: 5, depth: 2, fifo: {slots: 2}");
    Recorded sender(config.traffic.at(0), 0);
    for (std::uint32_t i = 0; i < 2; ++i) sender.on({.what = What::asked, .tag = i, .bytes = 64});
    const auto comes = [&](std::uint32_t slot) {
        const std::uint32_t bytes = applications::fifo::kSlotBytes;
        applications::fifo::write({{1000 + slot, 7}, 64, slot + 1},
                                  sender.memory({applications::fifo::kFifo, slot * bytes}, bytes));
        sender.on({.what = What::noticed, .tag = slot});
    };
    comes(1);
    CHECK(sender.posts.empty());
    comes(0);
    REQUIRE(sender.posts.size() == 2);
    CHECK(sender.posts[0].remote.address == 1000);
    CHECK(sender.posts[1].remote.address == 1001);
}

TEST_CASE("a tensor is not asked for while it is on its way", "[applications]") {
    const RunConfig config =
        pair_config("application: tensor, size: 40 B, transfers: 6, depth: 2, tensor: {tensors: 2}");
    Recorded receiver(config.traffic.at(0), 0);
    const auto ask = [&](std::uint32_t i) { receiver.on({.what = What::asked, .tag = i, .bytes = 40}); };
    const auto requests = [&] {
        return std::ranges::count(receiver.posts, applications::tensor::kMessageImmediate,
                                  &applications::WorkRequest::immediate);
    };
    const auto is_read = [&] {
        receiver.on({.what = What::completion, .tag = receiver.posts.back().tag});
        receiver.on({.what = What::received, .immediate = applications::tensor::kAckImmediate});
    };
    const auto comes = [&](std::uint32_t i) {
        const std::uint32_t slot = i % 2;  // as they were asked for
        receiver.produce({applications::tensor::kSlots, slot * 40}, 40, i);
        receiver.on({.what = What::received, .bytes = 40, .immediate = i});
    };
    ask(0);
    ask(1);
    receiver.on({.what = What::read, .bytes = applications::tensor::kAddress});
    is_read();
    is_read();
    CHECK(requests() == 2);
    ask(2);  // tensor 0 again
    comes(1);
    CHECK(requests() == 2);
    comes(0);
    CHECK(requests() == 3);
    CHECK(receiver.over == std::vector<std::uint32_t>{1, 0});
    CHECK(receiver.looked_at == receiver.over);
}

TEST_CASE("a tensor does not take the place of one that is being sent", "[applications]") {
    const RunConfig config =
        pair_config("application: tensor, size: 40 B, transfers: 6, depth: 2, tensor: {tensors: 2}");
    Recorded sender(config.traffic.at(0), 1);
    sender.on({.what = What::read, .bytes = applications::tensor::kAddress});
    const auto comes = [&](applications::tensor::Type type, std::uint32_t operation) {
        const std::uint32_t bytes = applications::tensor::kMessage;
        const applications::tensor::Message message{
            .type = type, .operation = operation, .known = {operation == 0 ? 0U : 1U, 40}, .bytes = 40, .at = {}};
        applications::tensor::write(message, sender.memory({applications::tensor::kMessageIn, 0}, bytes));
        sender.on({.what = What::received, .bytes = bytes, .immediate = applications::tensor::kMessageImmediate});
    };
    const auto sent = [&] {
        return std::ranges::count_if(sender.posts, [](const applications::WorkRequest& of) { return of.bytes == 40; });
    };
    comes(applications::tensor::Type::request, 0);
    comes(applications::tensor::Type::re_request, 0);
    REQUIRE(sent() == 1);
    comes(applications::tensor::Type::request, 2);  // its user has the tensor, and its card has not been told
    CHECK(sent() == 1);
    sender.on({.what = What::completion, .tag = 0});
    CHECK(sent() == 2);
}

TEST_CASE("what is left of a command moves to the front of a full buffer", "[applications]") {
    const RunConfig config =
        pair_config("application: kv, size: 40 B, transfers: 40, depth: 1, kv: {operation: set, transport: tcp}");
    Recorded client(config.traffic.at(0), 0), server(config.traffic.at(0), 1);
    constexpr std::uint32_t kCommands = 40, kPiece = 60;  // bytes; a command has more
    std::vector<std::uint8_t> stream;
    for (std::uint32_t i = 0; i < kCommands; ++i) {
        client.on({.what = What::asked, .tag = i, .bytes = 40});
        const std::vector<std::uint8_t> command = client.take_sent();
        stream.insert(stream.end(), command.begin(), command.end());
        client.on({.what = What::sent});
    }
    std::uint32_t moves = 0;
    for (std::size_t at = 0; at < stream.size();) {
        const auto left = static_cast<std::uint32_t>(stream.size() - at);
        server.reads = {};
        server.on({.what = What::bytes, .bytes = left});
        REQUIRE(server.reads.second != 0);
        const std::uint32_t bytes = std::min({left, kPiece, server.reads.second});
        std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), bytes,
                    server.memory(server.reads.first, bytes).begin());
        at += bytes;
        server.on({.what = What::read, .bytes = bytes});
        if (!server.take_sent().empty()) server.on({.what = What::sent});
        for (; !server.commands.empty(); ++moves) {
            const std::uint32_t tag = server.commands.front();
            server.commands.pop_front();
            server.on({.what = What::done, .tag = tag});
        }
    }
    CHECK(moves > 2);
    std::vector<std::uint32_t> all(kCommands);
    std::iota(all.begin(), all.end(), 0U);
    CHECK(server.looked_at == all);
    CHECK(server.wrong.empty());
}
