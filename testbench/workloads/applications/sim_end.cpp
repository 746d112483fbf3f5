// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/applications/sim_end.h"

#include "model/host/cpu/copy_cost.h"
#include "testbench/kits/rc/verbs_message.h"

#include <algorithm>
#include <stdexcept>

namespace rnicsim {

using applications::Count;

namespace {

constexpr std::uint64_t kTouched = 4096;  // bytes of a page that the processor touches

}  // namespace

SimEnd::SimEnd(Init init, OperationBoard& board)
    : connection_(init.connection),
      side_(init.side),
      plan_(init.plan),
      needs_(init.needs),
      host_(init.host),
      driver_(init.driver),
      program_(init.program),
      protocol_(std::move(init.protocol)),
      board_(board),
      keys_(init.needs.areas.size()),
      registered_(init.needs.areas.size()),
      sends_(init.needs.sends),
      receive_tags_(plan_.receives.entries),
      random_(init.random) {}

void SimEnd::start() {
    protocol_->start(*this);
    started_ = true;
}

void SimEnd::asked(Cycle now, std::uint32_t operation, std::uint32_t bytes) {
    now_ = now;
    tell({.what = applications::Event::What::asked, .tag = operation, .bytes = bytes});
}

/// What has come from outside.
void SimEnd::show(const applications::Event& event) {
    using enum applications::Event::What;
    EndStep step{.what = EndStep::What::received, .bytes = event.bytes};
    switch (event.what) {
        case received: break;
        case completion: step.what = EndStep::What::completed; break;
        case bytes: step.what = EndStep::What::told; break;
        case read: step.what = EndStep::What::got; break;
        default: return;
    }
    board_.did(connection_, side_, step, time(now_));
}

void SimEnd::completed(Cycle now, const rc::Completion& completion) {
    now_ = now;
    applications::Event event{.what = applications::Event::What::completion,
                              .tag = 0,
                              .bytes = completion.bytes,
                              .immediate = completion.immediate_or_key,
                              .status = completion.status};
    if (completion.receive) {
        event.what = applications::Event::What::received;
        event.tag = receive_tags_[completion.index % receive_tags_.size()];
        if (completion.status == rc::Status::success) counts_.add(Count::receives);
    } else {
        event.tag = sends_.completed(completion.index);
        post_waiting();
    }
    tell(event);
}

std::uint64_t SimEnd::remember(const Planned& what) {
    std::uint32_t number = 0;
    if (free_.empty()) {
        number = static_cast<std::uint32_t>(planned_.size());
        planned_.push_back(what);
    } else {
        number = free_.back();
        free_.pop_back();
        planned_[number] = what;
    }
    return program_.with((std::uint64_t{number} << kPlaceBits) + place_);
}

void SimEnd::plan_at(Cycle at, const Planned& what) {
    board_.works_until(time(at));
    driver_.call_in_order(at, remember(what));
}

Cycle SimEnd::charge(Charge kind, Cycle cost) {
    const Cycle done = driver_.occupy(thread(), now_, kind, cost);
    board_.works_until(time(done));
    return done;
}

void SimEnd::called(Cycle now, std::uint64_t number) {
    now_ = now;
    const Planned what = planned_[number];
    free_.push_back(static_cast<std::uint32_t>(number));
    switch (what.what) {
        case Planned::What::event: return tell(what.event);
        case Planned::What::copy: {
            if (what.to == what.from) return;  // from a program's own memory, which nobody else sees, or to there
            const std::span<const std::uint8_t> from = memory(what.from, what.bytes);
            std::ranges::copy(from, memory(what.to, what.bytes).begin());
            return;
        }
        case Planned::What::mark: return board_.marked(connection_, what.operation, what.part, time(now));
        case Planned::What::check:
            if (!is_filled(memory(what.to, what.bytes), board_.key_of(connection_, what.operation), 0))
                board_.differs(connection_, side_, what.operation, time(now));
            return;
        case Planned::What::registers: return register_memory(what.to, what.bytes, what.event.tag);
        case Planned::What::stores: return begin_stores(what.operation, now);
        case Planned::What::ended: return board_.ended(connection_, what.operation, what.outcome, time(now));
    }
}

void SimEnd::registered(Cycle now, std::uint64_t number, std::optional<std::uint32_t> key) {
    now_ = now;
    const Planned what = planned_[number];
    free_.push_back(static_cast<std::uint32_t>(number));
    applications::Event event = what.event;
    event.immediate = key.value_or(0);
    if (!key) event.status = rc::Status::loc_prot;
    if (what.bytes != 0) keys_.at(what.to.area) = event.immediate;
    tell(event);
}

void SimEnd::post_send(const applications::WorkRequest& what) {
    if (!started_) throw std::logic_error("an end sends in start(): then() lets it begin");
    counts_.add(applications::count_of(what.verb));
    if (!what.signaled) counts_.add(Count::unsignaled);
    if (what.solicited) counts_.add(Count::solicited);
    sends_.ask(what);
    post_waiting();
}

void SimEnd::post_waiting() {
    while (const std::optional<applications::WorkRequest> next = sends_.next()) post(*next);
    if (sends_.is_stuck()) board_.overflows(connection_, side_, time(now_));
}

void SimEnd::post(const applications::WorkRequest& what) {
    rc::SendWqe wqe;
    wqe.verb = what.verb;
    wqe.solicited = what.solicited;
    wqe.signaled = what.signaled;
    wqe.swap_or_add = what.swap_or_add;
    wqe.compare = what.compare;
    if (what.bytes != 0) wqe.sges = {sge(what.local, what.bytes)};
    wqe.remote_address = what.remote.address;
    wqe.remote_key = what.remote.key;
    wqe.immediate_or_key = what.immediate;
    does(EndStep::What::posts, what.bytes, what.verb);
    driver_.post_send(now_, qp_, wqe);
    worked();
}

void SimEnd::post_receive(Place at, std::uint32_t bytes, std::uint32_t tag) {
    receive_tags_[posted_receives_++ % receive_tags_.size()] = tag;
    rc::ReceiveSges sges;
    if (bytes != 0) sges = {sge(at, bytes)};
    if (started_) {
        driver_.post_receive(now_, receives_, sges, thread());
    } else {
        driver_.prepare_receive(receives_, sges);
    }
}

void SimEnd::watch(Place at, std::uint32_t tag) {
    Planned what;
    what.event = {.what = applications::Event::What::noticed, .tag = tag};
    driver_.watch(address(at), remember(what), thread());
}

bool SimEnd::refuses_registration(const Planned& what) {
    const PinFaults& faults = host_.cpu.pin_faults;
    if (faults.failure == 0) return false;
    if (random_.uniform(RandomStream::registration, connection_, side_, attempts_++) >= faults.failure) return false;
    Planned again = what;
    again.what = Planned::What::registers;
    plan_at(driver_.fail_to_register(now_, thread()) + faults.retry, again);
    return true;
}

void SimEnd::register_memory(Place at, std::uint32_t bytes, std::uint32_t tag) {
    Planned what;
    what.event = {.what = applications::Event::What::done, .tag = tag};
    what.to = at;
    what.bytes = bytes;
    if (refuses_registration(what)) return;
    counts_.add(Count::registrations);
    registered_.at(at.area) = {address(at), bytes};
    does(EndStep::What::registers, bytes);
    driver_.register_memory(now_, thread(), {kApplicationPd, registered_[at.area], kApplicationAccess}, remember(what));
    worked();
}

void SimEnd::deregister_memory(std::uint32_t area, std::uint32_t tag) {
    counts_.add(Count::deregistrations);
    does(EndStep::What::deregisters, 0);
    Planned what;
    what.event = {.what = applications::Event::What::done, .tag = tag};
    driver_.deregister_memory(now_, thread(), keys_.at(area), registered_.at(area), remember(what));
    worked();
}

void SimEnd::stream_send(Place from, std::uint32_t bytes) {
    counts_.add(Count::stream_sends);
    counts_.add(Count::stream_bytes, bytes);
    static_cast<void>(memory(from, bytes));
    does(EndStep::What::writes, bytes);
    stack_->send(now_, stream_, address(from), bytes);
    worked();
}

void SimEnd::stream_receive(Place to, std::uint32_t most) {
    static_cast<void>(memory(to, most));
    does(EndStep::What::reads, most);
    stack_->read(now_, stream_, address(to), most);
    worked();
}

void SimEnd::stream_close() {
    if (stack_ != nullptr) stack_->close(now_, stream_);
}

void SimEnd::heard(Cycle now, applications::Event::What what, std::uint32_t bytes) {
    now_ = now;
    tell({.what = what, .bytes = bytes});
}

void SimEnd::woken(Time at, std::uint32_t tag) {
    Planned what;
    what.event = {.what = applications::Event::What::woken, .tag = tag};
    const Cycle from = host_.clock.edge(at);
    plan_at(std::max(from, driver_.free_from(from, thread())), what);
}

bool SimEnd::shares(std::uint32_t number) const {
    return std::ranges::any_of(needs_.areas, [=](const auto& area) { return area.shared == number; });
}

void SimEnd::copy(Place to, Place from, std::uint32_t bytes, std::uint32_t of) {
    counts_.add(Count::copied_bytes, bytes);
    does(EndStep::What::copies, bytes);
    charge(Charge::copy, host_.cpu.copy.base + copy_cost_of_part(host_.cpu.copy, bytes, of, host_.clock));
    Planned what;
    what.what = Planned::What::copy;
    what.to = to;
    what.from = from;
    what.bytes = bytes;
    plan_behind(what);
}

/// Who copies nothing says how far it has read.
void SimEnd::count(std::span<const applications::Store> program) {
    using What = applications::Store::What;
    const auto has = [program](What what) {
        return std::ranges::any_of(program, [what](const auto& one) { return one.what == what; });
    };
    if (has(What::load)) return;
    if (!has(What::copy)) return counts_.add(Count::pushes);
    for (const applications::Store& one : program) {
        if (one.what == What::fence) counts_.add(Count::fences);
        if (one.what == What::copy) counts_.add(Count::stored_bytes, one.bytes);
        if (one.what == What::word) counts_.add(Count::stored_bytes, sizeof one.word);
    }
}

/// Begins when the thread is there.
void SimEnd::store(std::span<const applications::Store> program, std::uint32_t tag) {
    using What = applications::Store::What;
    if (far_.stores == nullptr) throw std::logic_error("an application stores to another host, and plans no bridge");
    if (free_stores_.empty()) {
        free_stores_.push_back(static_cast<std::uint32_t>(asked_stores_.size()));
        asked_stores_.emplace_back();
    }
    const std::uint32_t number = free_stores_.back();
    free_stores_.pop_back();
    Stores& of = asked_stores_[number];
    of.tag = tag;
    for (const applications::Store& one : program) {
        StoreInstruction& is = of.program.emplace_back();
        is.what = one.what;
        is.address = one.what == What::doorbell ? far_.doorbell : far_.area + one.far;
        is.word = one.what == What::doorbell ? 1 : one.word;
        if (one.what == What::copy) is.bytes = memory(one.own, one.bytes);
        if (one.what == What::load) is.into = memory(one.own, one.bytes);
    }
    count(program);
    Planned what;
    what.what = Planned::What::stores;
    what.operation = number;
    plan_behind(what);
}

/// The thread is taken for as long as they last at least, and for the rest when that is known.
void SimEnd::begin_stores(std::uint32_t number, Cycle now) {
    Stores& of = asked_stores_[number];
    of.kind = of.program.front().what == StoreInstruction::What::load ? Charge::poll : Charge::copy;
    of.least = host_.clock.edge(far_.stores->least(of.program));
    charge(of.kind, of.least);
    far_.stores->begin(driver_.core_of(thread()), time(now), of.program, *this, number);
}

/// What it has waited for the core is charged to those before it.
void SimEnd::stores_over(Time began, Time at, std::uint64_t context) {
    const auto number = static_cast<std::uint32_t>(context);
    Stores& of = asked_stores_[number];
    const Cycle end = host_.clock.edge(at);
    of.program.clear();
    free_stores_.push_back(number);
    const Cycle booked = host_.clock.edge(began) + of.least;
    if (end > booked) driver_.occupy(thread(), booked, of.kind, end - booked);
    Planned what;
    what.event = {.what = applications::Event::What::done, .tag = of.tag};
    plan_at(std::max(end, driver_.free_from(end, thread())), what);
}

void SimEnd::link_changed(Cycle now, bool up) {
    now_ = now;
    link_ = up ? applications::LinkState::back : applications::LinkState::down;
    if (!link_tag_) return;
    Planned what;
    what.event = {.what = applications::Event::What::noticed, .tag = *link_tag_};
    plan_behind(what);
}

void SimEnd::rung(Cycle now) {
    now_ = now;
    if (!doorbell_tag_) return;
    driver_.wake(thread(), now);
    driver_.occupy(thread(), now, Charge::event_read, host_.cpu.event_read, WorkedBy::kernel);
    Planned what;
    what.event = {.what = applications::Event::What::noticed, .tag = *doorbell_tag_};
    plan_behind(what);
}

void SimEnd::touch(Place at, std::uint32_t bytes) {
    const std::uint64_t first = address(at) / kTouched, last = (address(at) + bytes - 1) / kTouched;
    charge(Charge::touch, host_.cpu.touch * static_cast<std::int64_t>(last - first + 1));
}

void SimEnd::call() {
    counts_.add(Count::calls);
    does(EndStep::What::calls, 0);
    charge(Charge::call, host_.cpu.ipc);
}

void SimEnd::system_call() {
    counts_.add(Count::system_calls);
    charge(Charge::syscall, host_.cpu.syscall);
}

void SimEnd::work(Time cost) { charge(Charge::work, host_.clock.edge(cost)); }

void SimEnd::set_up(Time cost) {
    counts_.add(Count::setups);
    work(cost);
}

void SimEnd::then(std::uint32_t tag) {
    Planned what;
    what.event = {.what = applications::Event::What::done, .tag = tag};
    plan_behind(what);
}

void SimEnd::after(Time time, std::uint32_t tag) {
    Planned what;
    what.event = {.what = applications::Event::What::timer, .tag = tag};
    const Cycle at = now_ + host_.clock.edge(time);
    board_.works_until(this->time(at));
    driver_.call_at(at, remember(what));
}

std::span<std::uint8_t> SimEnd::memory(Place at, std::uint32_t bytes) {
    if (at.offset + std::uint64_t{bytes} > plan_.areas.at(at.area).length)
        throw std::logic_error("an application leaves its area");
    return driver_.memory(address(at), bytes);
}

applications::Remote SimEnd::remote(Place at) { return {address(at), keys_.at(at.area)}; }

void SimEnd::produce(Place at, std::uint32_t bytes, std::uint32_t operation) {
    fill(memory(at, bytes), board_.key_of(connection_, operation));
}

void SimEnd::mark(std::uint32_t operation, unsigned part) {
    Planned what;
    what.what = Planned::What::mark;
    what.operation = operation;
    what.part = part;
    plan_behind(what);
}

void SimEnd::check(Place at, std::uint32_t bytes, std::uint32_t operation) {
    counts_.add(Count::checked_bytes, bytes);
    Planned what;
    what.what = Planned::What::check;
    what.to = at;
    what.bytes = bytes;
    what.operation = operation;
    plan_behind(what);
}

void SimEnd::ended(std::uint32_t operation, applications::Outcome outcome) {
    Planned what;
    what.what = Planned::What::ended;
    what.operation = operation;
    what.outcome = outcome;
    plan_behind(what);
}

}  // namespace rnicsim
