// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/host/processor.h"

#include "model/rnic/drp/host/ping.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace rnicsim {

Processor::Processor(sc_core::sc_module_name name, const DriverConfig& config, Memory& memory,
                     RootComplex& root_complex, ClockedWakeup& wakeup)
    : sc_module(name),
      config_(config),
      memory_(memory),
      root_complex_(root_complex),
      wakeup_(wakeup),
      registrar_(config.host.registration, config.faults, config.end, config.peers, memory.size()) {
    const auto add_ring = [this](std::uint64_t base, std::uint64_t bytes, bool writable) {
        regions_.add({.base = base, .bytes = bytes, .writable = writable, .ring = true});
    };
    add_ring(kRings.command, kCommandRing * sizeof(Command), false);
    add_ring(kRings.event, std::uint64_t{kEventRing} * kEventBytes, true);
    add_ring(kRings.receive, std::uint64_t{config.host.receive_ring} * kReceiveBufferBytes, true);
    add_ring(kRings.transmit, std::uint64_t{kTransmitRing} * kReceiveBufferBytes, false);
    add_ring(kRings.status, sizeof(Status), true);
    ping_sequence_.resize(config.host.ping.sizes.size());
    for (std::uint32_t i = 0; i < ping_sequence_.size(); ++i) {
        // Streams are spread over the interval, so that they do not send at the same time.
        plan(Cycle{config.host.ping.interval.n * (i + 1) / static_cast<std::int64_t>(ping_sequence_.size())},
             SendPing{i});
    }
    const std::vector<Cycle>& changes = registrar_.pool().first_changes();
    for (std::uint32_t i = 0; i < changes.size(); ++i) plan_memory_task(i, changes[i]);
}

void Processor::kick(Cycle at) {
    kick_at_ = std::min(kick_at_, at);
    wakeup_.at(at);
}

void Processor::interrupt(Cycle at) {
    ++counters_.interrupts;
    if (polling_) return;  // the handler looks again before it ends
    polling_ = true;
    const Cycle handler = std::max(at + config_.host.software.interrupt_latency, free_at_);
    plan(handler, PollEvents{});
    wakeup_.at(handler);
}

bool Processor::rests_until(Cycle due) const { return next_due() >= due && !upper_layer_->may_kick(); }

void Processor::run(Cycle now) {
    while (!tasks_.empty() && tasks_.front().due <= now) {
        std::ranges::pop_heap(tasks_, &Task::later_than);
        const Task task = tasks_.back();
        tasks_.pop_back();
        std::visit([this, now](const auto& work) { carry_out(now, work); }, task.work);
    }
    if (kick_at_ <= now) {
        kick_at_ = kNever;
        issue_transfers(now);
    }
}

void Processor::plan(Cycle due, const Work& work) {
    tasks_.push_back({due, planned_++, work});
    std::ranges::push_heap(tasks_, &Task::later_than);
}

/// The core works for `cost` from `from` on, or as soon as it is free. Returns when it is done.
Cycle Processor::occupy(Cycle from, Cycle cost) {
    free_at_ = std::max(from, free_at_) + cost;
    return free_at_;
}

/// Takes one entry from the event ring; the handler continues until the ring is empty, then rings its doorbell.
void Processor::carry_out(Cycle now, const PollEvents& /*work*/) {
    Event event;
    const std::uint64_t place = kRings.event + std::uint64_t{events_taken_ % kEventRing} * kEventBytes;
    std::memcpy(&event, memory_.at(place, sizeof event).data(), sizeof event);
    if (event.sequence != static_cast<std::uint16_t>(events_taken_ + 1)) {  // not a fresh entry
        polling_ = false;
        if (events_reported_ != events_taken_) {
            events_reported_ = events_taken_;
            ring(now, Doorbell::event_consumer, events_taken_);
        }
        return;
    }
    ++events_taken_;
    ++counters_.events;
    plan(occupy(now, config_.host.software.event_cost), HandleEvent{event});
}

void Processor::carry_out(Cycle now, const HandleEvent& work) {
    const Event& event = work.event;
    report(HostStep::event_taken, key_of(event), static_cast<std::uint32_t>(event.code),
           now - config_.host.software.event_cost);
    if (event.code != EventCode::frame_received) served_at_ = now;
    switch (event.code) {
        case EventCode::request_acknowledged:
        case EventCode::completed:
        case EventCode::failed: report_to_upper_layer(now, event); break;
        case EventCode::register_region: asked_to_register(now, event); break;
        case EventCode::released: released(now, event); break;
        case EventCode::frame_received: frame_received(now, event); break;
        case EventCode::none: break;
    }
    plan(std::max(now, free_at_), PollEvents{});
}

void Processor::report_to_upper_layer(Cycle now, const Event& event) {
    const auto active =
        std::ranges::find_if(active_, [&event](const Active& a) { return a.tid == event.tid && a.peer == event.peer; });
    if (active == active_.end()) {
        upper_layer_->unexpected(event, now);
        return;
    }
    const std::uint32_t id = active->id;
    if (event.code == EventCode::request_acknowledged) {
        report(HostStep::acknowledged, key_of(event), event.status, now);
        upper_layer_->acknowledged(id, event.status != 0, now);
        return;
    }
    active_.erase(active);
    regions_.remove(key_of(event), Generation{});
    report(event.status == 0 ? HostStep::completed : HostStep::failed, key_of(event), event.status, now);
    upper_layer_->ended(id, static_cast<TransferError>(event.status), event.indirect != 0, now);
    issue_transfers(now);
}

void Processor::released(Cycle now, const Event& event) {
    const Registrar::Region* const region = registrar_.find(Registrar::key_of(event));
    if (region == nullptr) return;
    const std::uint64_t base = region->base;
    registrar_.remove(Registrar::key_of(event), event.status != 0);
    regions_.remove(key_of(event), event.generation);
    report(HostStep::released, key_of(event), 0, now);
    upper_layer_->peer_region_released(base, now);
    memory_released(now);
}

void Processor::asked_to_register(Cycle now, const Event& event) {
    Registrar::Region* region = registrar_.find(Registrar::key_of(event));
    if (region == nullptr) {
        region = &registrar_.add(event);
        upper_layer_->peer_region_wanted(region->base, now);
    }
    if (region->registered) {  // the host's own retry was faster than this request
        submit_verdict(now, region->key, true);
        return;
    }
    plan(occupy(now, registrar_.cost(*region)), AttemptRegistration{region->key, true});
}

/// One attempt has taken its time: now it succeeds or fails.
void Processor::carry_out(Cycle now, const AttemptRegistration& work) {
    Registrar::Region* const region = registrar_.find(work.region);
    if (region == nullptr || region->registered) return;  // given up, or already done
    const Registrar::Key key = region->key;
    if (!work.asked) region->retry_planned = false;
    constexpr std::array kSteps{HostStep::registered, HostStep::registration_failed, HostStep::no_memory,
                                HostStep::refused};  // in the order of RegistrationOutcome
    const Cycle cost = registrar_.cost(*region);
    const RegistrationOutcome outcome = registrar_.attempt(*region);
    const TransferKey of{Role::responder, key.tid, key.peer};
    report(kSteps.at(static_cast<std::size_t>(outcome)), of, region->attempts, now - cost);
    const bool success = outcome == RegistrationOutcome::registered;
    if (success) {
        regions_.add({.base = region->base,
                      .bytes = region->bytes,
                      .writable = region->writable,
                      .of = of,
                      .generation = key.generation});
    } else {
        plan_retry(now, *region, outcome);
    }
    if (success || work.asked) submit_verdict(now, key, success);
}

void Processor::carry_out(Cycle now, const RetryRegistration& work) { start_unasked(now, work.region); }

void Processor::submit_verdict(Cycle now, const Registrar::Key& key, bool registered) {
    Command command;
    command.code = registered ? CommandCode::registered : CommandCode::not_registered;
    command.tid = key.tid;
    command.peer = key.peer;
    command.generation = key.generation;
    submit(now, command);
}

/// PROTOCOL.md 3.11: the host keeps a failed registration pending and tries again, if the RNIC accepts an unsolicited
/// verdict.
void Processor::plan_retry(Cycle now, Registrar::Region& region, RegistrationOutcome outcome) {
    const RegistrationConfig& registration = config_.host.registration;
    const std::optional<Cycle> after = registration.retry->tries_after(region.attempts, registration.retry_interval);
    if (config_.method != Method::dynamic || !after) return;
    if (region.retry_planned || outcome == RegistrationOutcome::refused) return;
    if (outcome == RegistrationOutcome::no_memory) {
        region.waits_for_memory = true;
        return;
    }
    region.retry_planned = true;
    plan(now + *after, RetryRegistration{region.key});
}

/// The host's own attempt: it costs the core the same as any other.
void Processor::start_unasked(Cycle now, const Registrar::Key& key) {
    Registrar::Region* const region = registrar_.find(key);
    if (region == nullptr || region->registered) return;  // given up, or already done
    region->retry_planned = true;
    plan(occupy(now, registrar_.cost(*region)), AttemptRegistration{key, false});
}

/// Memory has been freed: first other tasks take what they wait for, then waiting regions are tried again.
void Processor::memory_released(Cycle now) {
    for (const MemoryPool::Change& served : registrar_.pool().serve(now)) {
        plan_memory_task(served.task, served.next);
    }
    for (const Registrar::Key& key : registrar_.take_waiting()) start_unasked(now, key);
}

void Processor::carry_out(Cycle now, const ChangeMemoryTask& work) {
    if (!background_) return;
    const MemoryPool::Change change = registrar_.pool().change(work.task, now);
    plan_memory_task(work.task, change.next);
    memory_released(now);
}

void Processor::plan_memory_task(std::uint32_t index, Cycle at) {
    if (at != kNever) plan(at, ChangeMemoryTask{index});
}

void Processor::frame_received(Cycle now, const Event& event) {
    const std::uint64_t place =
        kRings.receive + std::uint64_t{buffers_returned_ % config_.host.receive_ring} * kReceiveBufferBytes;
    const std::span<std::uint8_t> frame = memory_.at(place, event.length);
    switch (classify_echo(frame)) {
        case EchoKind::request:
            turn_into_reply(frame);
            ++counters_.pings_answered;
            send_frame(now, frame);
            break;
        case EchoKind::reply: ++counters_.ping_replies; break;
        case EchoKind::none: break;
    }
    ring(now, Doorbell::receive_consumer, ++buffers_returned_);
}

void Processor::carry_out(Cycle now, const SendPing& work) {
    if (!background_) return;
    const std::uint32_t stream = work.stream;
    std::array<std::uint8_t, kMaxFrameBytes> frame{};
    const std::size_t bytes = kEthernetHeaderBytes + config_.host.ping.sizes[stream];
    make_echo_request(std::span(frame).first(bytes), config_.end, config_.peers[Peer{}],
                      static_cast<std::uint16_t>(stream), ping_sequence_[stream]++);
    ++counters_.pings_sent;
    send_frame(now, std::span(frame).first(bytes));
    plan(now + config_.host.ping.interval, work);
}

void Processor::send_frame(Cycle now, std::span<const std::uint8_t> frame) {
    if (frames_sent_ - status().frames_fetched == kTransmitRing) {
        ++counters_.frames_dropped;
        return;
    }
    Command command;
    command.code = CommandCode::send_frame;
    command.length = static_cast<std::uint32_t>(frame.size());
    command.sba = kRings.transmit + std::uint64_t{frames_sent_++ % kTransmitRing} * kReceiveBufferBytes;
    std::ranges::copy(frame, memory_.at(command.sba, frame.size()).begin());
    submit(now, command);
}

void Processor::issue_transfers(Cycle now) {
    const auto in_use = [this](Tid tid) { return std::ranges::find(active_, tid, &Active::tid) != active_.end(); };
    while (const std::optional<TransferRequest> request = upper_layer_->next_transfer(now)) {
        const Tid tid = tids_.next(in_use);
        active_.push_back({tid, request->peer, request->id});
        const TransferKey of{Role::initiator, tid, request->peer};
        report(HostStep::requested, of, request->length, now);
        const bool read = request->operation == Operation::read;
        regions_.add({.base = request->local, .bytes = request->length, .writable = read, .of = of});
        Command command;
        command.code = read ? CommandCode::rdma_read : CommandCode::rdma_write;
        command.tid = tid;
        command.peer = request->peer;
        command.length = request->length;
        command.sba = request->local;
        command.dba = request->remote;
        submit(now, command);
    }
}

/// Software builds a descriptor; when that is done it is in the ring and the doorbell rings.
void Processor::submit(Cycle now, const Command& command) {
    plan(occupy(now, config_.host.software.command_cost), PostCommand{command});
}

void Processor::carry_out(Cycle now, const PostCommand& work) {
    if (waiting_.empty() && command_ring_has_room()) {
        write(now, work.command);
        return;
    }
    waiting_.push_back(work.command);
    if (waiting_.size() == 1) plan_post_waiting(now);
}

/// Polls for room in the command ring, which costs the core as much as a command; other tasks may run between two
/// polls.
void Processor::carry_out(Cycle now, const PostWaiting& /*work*/) {
    if (command_ring_has_room()) {
        write(now, waiting_.front());
        waiting_.pop_front();
    }
    if (!waiting_.empty()) plan_post_waiting(now);
}

void Processor::plan_post_waiting(Cycle now) { plan(occupy(now, config_.host.software.command_cost), PostWaiting{}); }

void Processor::ring(Cycle now, Doorbell which, std::uint32_t value) {
    root_complex_.write_register(now, static_cast<std::uint64_t>(which),
                                 std::bit_cast<std::array<std::uint8_t, sizeof value>>(value));
}

void Processor::write(Cycle now, const Command& command) {
    const std::uint64_t place = kRings.command + std::uint64_t{commands_posted_ % kCommandRing} * sizeof(Command);
    std::memcpy(memory_.at(place, sizeof command).data(), &command, sizeof command);
    ++counters_.commands;
    report(HostStep::command_posted, key_of(command), static_cast<std::uint32_t>(command.code),
           now - config_.host.software.command_cost);
    ring(now, Doorbell::command_producer, ++commands_posted_);
}

void Processor::report(HostStep what, const TransferKey& of, std::uint32_t value, Cycle since) {
    if (observer_ != nullptr) observer_->step(what, of, value, since);
}

Status Processor::status() const {
    Status status;
    std::memcpy(&status, memory_.at(kRings.status, sizeof status).data(), sizeof status);
    return status;
}

Cycle Processor::next_due() const { return tasks_.empty() ? kick_at_ : std::min(kick_at_, tasks_.front().due); }

bool Processor::idle() const {
    const bool only_background = std::ranges::all_of(tasks_, [](const Task& task) {
        return std::holds_alternative<SendPing>(task.work) || std::holds_alternative<ChangeMemoryTask>(task.work);
    });
    return only_background && active_.empty() && registrar_.empty() && regions_.registered() == 0 && !polling_;
}

std::vector<std::string> Processor::waiting() const {
    std::vector<std::string> lines;
    for (const Active& a : active_)
        lines.push_back("transfer " + std::to_string(a.id) + " (tid " + std::to_string(raw(a.tid)) +
                        "): no completion yet");
    const std::vector<std::string> regions = registrar_.waiting();
    lines.insert(lines.end(), regions.begin(), regions.end());
    if (!lines.empty()) lines.push_back("the core is busy until cycle " + std::to_string(free_at_.n));
    return lines;
}

}  // namespace rnicsim
