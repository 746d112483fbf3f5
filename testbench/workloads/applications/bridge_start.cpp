// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/applications/bridge_start.h"

#include <utility>

namespace rnicsim {

using ntb::Handshake;

BridgeStart::BridgeStart(const Init& init, Caller& caller)
    : bridge_(init.bridge),
      side_(init.side),
      host_(init.host),
      thread_(init.thread),
      caller_(caller),
      handshake_(init.offer, {init.side.window_at(0), init.side.registers().windows()[0].size}) {
    caller_.call_start(bridge_, Call::begin, Cycle{});
}

void BridgeStart::called(Call what, Cycle now) {
    if (what == Call::again && ready_) return;
    if (what != Call::over) {
        caller_.call_start(bridge_, Call::again, now + host_.clock().edge(Handshake::kAgain));
        return say(now);
    }
    busy_ = false;
    if (const std::size_t read = std::exchange(read_, 0); read != 0)
        give(handshake_.saw(std::span(scratchpads_).first(read)), now);
    if (busy_) return;
    // What it has written has left the core: the window is open for what comes behind it.
    open_ = handshake_.state() >= Handshake::State::open;
    if (handshake_.state() == Handshake::State::ready && !std::exchange(ready_, true)) caller_.ready(bridge_, now);
    if (std::exchange(rung_, false)) {
        look(now);
    } else if (std::exchange(says_, false)) {
        say(now);
    }
}

void BridgeStart::rung(Cycle now) {
    rung_ = busy_;
    if (!busy_) look(now);
}

void BridgeStart::look(Cycle now) {
    read_ = handshake_.to_read();
    std::vector<StoreInstruction> program;
    for (std::size_t i = 0; i < read_; ++i) {
        const std::span<std::uint32_t> word = std::span(scratchpads_).subspan(i, 1);
        program.push_back({.what = StoreInstruction::What::read_register,
                           .address = side_.registers_at() + ntb::offset::kScratchpads + word.size_bytes() * i,
                           .into = {reinterpret_cast<std::uint8_t*>(word.data()), word.size_bytes()}});
    }
    begin(program, now);
}

void BridgeStart::give(std::span<const Handshake::Write> writes, Cycle now) {
    if (writes.empty()) return;
    if (busy_) {
        says_ = true;
        return;
    }
    std::vector<StoreInstruction> program;
    for (const Handshake::Write& one : writes) {
        const bool is_long = one.bytes == sizeof one.word;
        program.push_back({.what = is_long ? StoreInstruction::What::write_register : StoreInstruction::What::doorbell,
                           .address = side_.registers_at() + one.offset,
                           .word = one.word});
    }
    begin(program, now);
}

void BridgeStart::begin(std::span<const StoreInstruction> program, Cycle now) {
    busy_ = true;
    const Cycle from = host_.driver.free_from(now, thread_);
    host_.stores()->begin(host_.driver.core_of(thread_), host_.clock().time(from), program, *this, 0);
}

void BridgeStart::stores_over(Time began, Time at, std::uint64_t /*context*/) {
    const Cycle from = host_.clock().edge(began), end = host_.clock().edge(at);
    host_.driver.serve(thread_, from, Charge::work, end - from);
    caller_.call_start(bridge_, Call::over, end);
}

}  // namespace rnicsim
