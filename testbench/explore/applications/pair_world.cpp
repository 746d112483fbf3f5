// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/applications/pair_world.h"

#include "testbench/applications/tallies.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <utility>

namespace rnicsim::explore {

namespace {

/// A byte of the user's data of an operation.
std::uint8_t byte_of(std::uint32_t operation, std::uint32_t at) {
    return static_cast<std::uint8_t>(operation * 101 + at * 7 + 1);
}

constexpr std::uint32_t kAtomic = 8;  // bytes

/// "SEND"
std::string verb_of(const applications::WorkRequest& what) {
    std::string name(rc::verb_name(what.verb));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
}
/// "SEND of 64 B"
std::string name_of(const applications::WorkRequest& what) {
    return verb_of(what) + " of " + std::to_string(what.bytes) + " B";
}

std::string name_of(const applications::Event& event) {
    using enum applications::Event::What;
    const std::string size = std::to_string(event.bytes) + " B";
    switch (event.what) {
        case asked: return "is asked for operation " + std::to_string(event.tag) + ", " + size;
        case completion: return "has a completion";
        case received: return "has received " + size;
        case noticed: return "sees that its memory has been written";
        case bytes: return "is told of " + size + " of the stream";
        case read: return "has read " + size;
        case sent: return "has sent by the stream";
        case closed: return "hears that the stream is closed";
        case done: return "hears that it is done";
        case timer: return "its timer expires";
        case woken: return "is woken";
    }
    return {};
}

/// An area's number, where an address has one.
constexpr unsigned kAreaShift = 32;

}  // namespace

/// What an end does, of which nothing takes time.
class PairWorld::Hands final : public applications::Actions {
  public:
    Hands(PairWorld& world, unsigned side) : world_(world), side_(side), here_(world.sides_.at(side)) {}

    void post_send(const applications::WorkRequest& what) override {
        count(applications::count_of(what.verb));
        if (!what.signaled) count(applications::Count::unsignaled);
        if (what.solicited) count(applications::Count::solicited);
        if (here_.failed) {
            here_.completions.push_back(
                {.what = applications::Event::What::completion, .tag = what.tag, .status = rc::Status::wr_flush});
            return;
        }
        here_.sends.ask(what);
        world_.post_waiting(side_);
    }
    void post_receive(applications::Place at, std::uint32_t bytes, std::uint32_t tag) override {
        here_.receives.push_back({at, bytes, tag});
        world_.say(side_, false, "posts a receive WQE");
    }
    void watch(applications::Place at, std::uint32_t tag) override { here_.watches.push_back({at, tag}); }
    void register_memory(applications::Place at, std::uint32_t /*bytes*/, std::uint32_t tag) override {
        count(applications::Count::registrations);
        if (here_.registered.at(at.area)) world_.breaks("an area is registered twice");
        here_.registered.at(at.area) = true;
        world_.say(side_, false, "registers area", std::to_string(at.area));
        here_.commands.push_back({.what = applications::Event::What::done, .tag = tag, .immediate = 1});
    }
    void deregister_memory(std::uint32_t area, std::uint32_t tag) override {
        count(applications::Count::deregistrations);
        if (!here_.registered.at(area)) world_.breaks("what is not registered is given up");
        here_.registered.at(area) = false;
        world_.say(side_, false, "gives area", std::to_string(area), "up");
        here_.commands.push_back({.what = applications::Event::What::done, .tag = tag});
    }
    void stream_send(applications::Place from, std::uint32_t bytes) override {
        count(applications::Count::stream_sends);
        count(applications::Count::stream_bytes, bytes);
        const std::uint8_t* const first = world_.bytes(side_, from, bytes);
        here_.sent.emplace_back(first, first + bytes);
        here_.of_socket.push_back({.what = applications::Event::What::sent});
        world_.say(side_, false, "sends", std::to_string(bytes), "B by the stream");
    }
    void stream_receive(applications::Place to, std::uint32_t most) override {
        here_.read_to = to;
        here_.read_most = most;
        here_.told = false;
        world_.say(side_, false, "reads up to", std::to_string(most), "B");
        world_.read_if_there(here_);
    }
    void stream_close() override {
        world_.sides_.at(side_ ^ 1U).of_socket.push_back({.what = applications::Event::What::closed});
    }
    void copy(applications::Place to, applications::Place from, std::uint32_t bytes, std::uint32_t /*of*/) override {
        count(applications::Count::copied_bytes, bytes);
        std::copy_n(world_.bytes(side_, from, bytes), bytes, world_.bytes(side_, to, bytes));
        world_.say(side_, false, "copies", std::to_string(bytes), "B");
    }
    void touch(applications::Place /*at*/, std::uint32_t /*bytes*/) override {}
    void call() override { count(applications::Count::calls); }
    void system_call() override { count(applications::Count::system_calls); }
    void work(Time /*cost*/) override {}
    void set_up(Time /*cost*/) override { count(applications::Count::setups); }
    void wake(std::uint32_t shared, std::uint32_t tag) override { world_.wake(side_, shared, tag); }
    void then(std::uint32_t tag) override {
        here_.commands.push_back({.what = applications::Event::What::done, .tag = tag});
    }
    void after(Time time, std::uint32_t tag) override {
        (time == Time{} ? here_.commands : here_.timers)
            .push_back({.what = applications::Event::What::timer, .tag = tag});
    }
    [[nodiscard]] std::span<std::uint8_t> memory(applications::Place at, std::uint32_t bytes) override {
        return {world_.bytes(side_, at, bytes), bytes};
    }
    [[nodiscard]] applications::Remote remote(applications::Place at) override {
        return {(std::uint64_t{at.area} << kAreaShift) + at.offset, 1};
    }
    void produce(applications::Place at, std::uint32_t bytes, std::uint32_t operation) override {
        std::uint8_t* const to = world_.bytes(side_, at, bytes);
        for (std::uint32_t i = 0; i < bytes; ++i) to[i] = byte_of(operation, i);
    }
    void mark(std::uint32_t /*operation*/, unsigned /*part*/) override {}
    void violates(const std::string& what) override { world_.breaks(what); }
    void check(applications::Place at, std::uint32_t bytes, std::uint32_t operation) override {
        count(applications::Count::checked_bytes, bytes);
        const std::uint8_t* const found = world_.bytes(side_, at, bytes);
        for (std::uint32_t i = 0; i < bytes; ++i) {
            if (found[i] != byte_of(operation, i)) return world_.breaks("the user finds other bytes");
        }
        world_.say(side_, false, "finds the data of operation", std::to_string(operation));
    }
    void ended(std::uint32_t operation, applications::Outcome outcome) override {
        if (outcome == applications::Outcome::failed && !world_.plan_->faults) world_.breaks("an operation fails");
        ++world_.over_.at(side_ / 2);
        world_.say(side_, false, "operation", std::to_string(operation), "is over");
    }

  private:
    void count(applications::Count what, std::uint64_t value = 1) {
        world_.counts_.at(side_ / 2).at(side_ % 2).add(what, value);
    }

    PairWorld& world_;
    const unsigned side_;
    Side& here_;
};

std::vector<std::array<applications::Seat, 2>> seats_of(const PairPlan& plan) {
    const TrafficConfig& item = *plan.item;
    std::vector<std::array<applications::Seat, 2>> all;
    for (const unsigned from : item.from) {
        for (const unsigned to : item.responders(from)) {
            for (std::uint32_t number = 0; number < item.verbs.connections; ++number)
                all.push_back({applications::Seat{0, number, from, to}, applications::Seat{1, number, to, from}});
        }
    }
    const applications::Plan needs = plan.application->plan(item);
    const bool shares = std::ranges::any_of(needs.sides, [](const applications::Plan::Side& side) {
        return std::ranges::any_of(side.areas, [](const auto& area) { return area.shared != 0; });
    });
    if (!shares) all.resize(1);
    return all;
}

PairWorld::PairWorld(const PairPlan& plan, std::vector<PairLine>* told) : plan_(&plan), told_(told) {
    const applications::Plan needs = plan.application->plan(*plan.item);
    std::map<std::pair<unsigned, std::uint32_t>, std::size_t> shared;  // by host and number
    for (const std::array<applications::Seat, 2>& connection : seats_of(plan)) {
        for (unsigned side = 0; side < 2; ++side) {
            const applications::Plan::Side& of = needs.sides.at(side);
            Side& here = sides_.emplace_back();
            here.host = connection.at(side).host;
            for (const applications::Plan::Area& area : of.areas) {
                std::size_t index = memory_.size();
                if (area.shared != 0) index = shared.try_emplace({here.host, area.shared}, index).first->second;
                if (index == memory_.size()) memory_.emplace_back(area.bytes);
                here.areas.push_back(index);
                here.registered.push_back(area.registered);
            }
            here.sends = applications::SendQueue(of.sends);
            here.sleeps = plan.sleeps && of.waits_for_solicited;
            ends_.push_back(plan.application->end(*plan.item, connection.at(side)));
        }
    }
    const std::size_t connections = sides_.size() / 2;
    asked_.resize(connections);
    over_.resize(connections);
    counts_.resize(connections);
    for (unsigned side = 0; side < sides_.size(); ++side) {
        Hands hands(*this, side);
        ends_.at(side)->start(hands);
        if (!sides_.at(side).requests.empty()) breaks("an end sends in start()");
    }
}

PairWorld::PairWorld(const PairWorld& other) : plan_(other.plan_) { copy_from(other); }
PairWorld& PairWorld::operator=(const PairWorld& other) {
    if (this != &other) copy_from(other);
    return *this;
}

std::string PairWorld::words(std::initializer_list<std::string> said) {
    std::string text;
    for (const std::string& word : said) text += (text.empty() ? "" : " ") + word;
    return text;
}

void PairWorld::copy_from(const PairWorld& other) {
    plan_ = other.plan_;
    memory_ = other.memory_;
    sides_ = other.sides_;
    ends_.resize(other.ends_.size());
    for (std::size_t side = 0; side < ends_.size(); ++side) ends_[side] = other.ends_[side]->copy();
    asked_ = other.asked_;
    over_ = other.over_;
    counts_ = other.counts_;
    broken_ = other.broken_;
    dead_ = other.dead_;
}

std::uint8_t* PairWorld::bytes(unsigned side, applications::Place at, std::uint32_t count) {
    std::vector<std::uint8_t>& area = memory_.at(sides_.at(side).areas.at(at.area));
    if (at.offset + std::uint64_t{count} > area.size()) {
        breaks("an end leaves its area");
        area.resize(at.offset + std::uint64_t{count});
    }
    return &area[at.offset];
}

bool PairWorld::over() const {
    const bool all = std::ranges::all_of(over_, [this](std::size_t of) { return of == plan_->sizes.size(); });
    if (!plan_->faults) return all;
    for (unsigned side = 0; side < sides_.size(); ++side)
        if (lives(side) && !sides_[side].timers.empty()) return false;
    return (dead_ || all) && is_quiet();
}

bool PairWorld::is_quiet() const {
    for (unsigned side = 0; side < sides_.size(); ++side) {
        const Side& of = sides_[side];
        if (!of.requests.empty() || !of.answers.empty() || !of.sent.empty()) return false;
        const bool sees = !of.completions.empty() && (!of.sleeps || of.solicits);
        if (lives(side) && (sees || !of.of_socket.empty() || !of.commands.empty() || !of.notices.empty())) return false;
    }
    return true;
}

/// Memory that no end has given up stays pinned for good.
void PairWorld::check_registered() {
    const applications::Plan needs = plan_->application->plan(*plan_->item);
    for (unsigned side = 0; side < sides_.size(); ++side) {
        const std::vector<applications::Plan::Area>& areas = needs.sides.at(side % 2).areas;
        for (std::size_t area = 0; area < areas.size(); ++area) {
            if (lives(side) && sides_[side].registered[area] != areas[area].registered)
                breaks("memory stays registered");
        }
    }
}

bool PairWorld::apply(const PairMove& move) {
    if (!happens(move)) return false;
    if (plan_->faults && over()) check_registered();
    return true;
}

bool PairWorld::happens(const PairMove& move) {
    if (move.variant != 0 && move.step != PairStep::stream) return false;
    const bool of_card =
        move.step == PairStep::request || move.step == PairStep::answer || move.step == PairStep::stream;
    if (!of_card && !lives(move.side)) return false;
    switch (move.step) {
        case PairStep::ask: {
            const bool one = plan_->application->one_at_a_time();
            std::size_t& asked = asked_.at(move.side / 2);
            const std::size_t most = over_.at(move.side / 2) + (one ? 1 : plan_->item->verbs.depth);
            if (move.side % 2 != 0 || asked == plan_->sizes.size() || asked >= most) return false;
            const auto number = static_cast<std::uint32_t>(asked++);
            tell(move.side, {.what = applications::Event::What::asked, .tag = number, .bytes = plan_->sizes[number]});
            return true;
        }
        case PairStep::request: return carry_out(move.side);
        case PairStep::answer: return answer(move.side);
        case PairStep::stream: return stream(move.side, move.variant);
        case PairStep::completion: {
            Side& here = sides_.at(move.side);
            if (here.sleeps && !here.solicits) return false;
            if (here.completions.size() == 1) here.solicits = false;  // it takes all that there is
            return tell_next(move.side, &Side::completions);
        }
        case PairStep::socket: {
            const bool did = tell_next(move.side, &Side::of_socket);
            if (did) tell_if_there(sides_.at(move.side));
            return did;
        }
        case PairStep::command: return tell_next(move.side, &Side::commands);
        case PairStep::notice: return tell_next(move.side, &Side::notices);
        case PairStep::timer: return (plan_->faults || is_quiet()) && tell_next(move.side, &Side::timers);
        case PairStep::death:
            if (!plan_->faults || move.side != 0) return false;
            dead_ = true;
            say(0, false, "dies");
            return true;
    }
    return false;
}

void PairWorld::tell(unsigned side, const applications::Event& event) {
    if (told_ != nullptr) say(side, false, "*", name_of(event));
    if (Side& here = sides_.at(side); event.what == applications::Event::What::completion) {
        static_cast<void>(here.sends.completed(here.signaled.front()));
        here.signaled.pop_front();
        post_waiting(side);
    }
    Hands hands(*this, side);
    ends_.at(side)->on(event, hands);
}

bool PairWorld::tell_next(unsigned side, std::deque<applications::Event> Side::*from) {
    std::deque<applications::Event>& events = sides_.at(side).*from;
    if (events.empty()) return false;
    const applications::Event event = events.front();
    events.pop_front();
    tell(side, event);
    return true;
}

void PairWorld::wake(unsigned side, std::uint32_t shared, std::uint32_t tag) {
    const applications::Plan needs = plan_->application->plan(*plan_->item);
    for (unsigned other = 0; other < sides_.size(); ++other) {
        Side& there = sides_.at(other);
        const bool shares = std::ranges::any_of(needs.sides.at(other % 2).areas,
                                                [=](const auto& area) { return area.shared == shared; });
        if (other == side || !shares || there.host != sides_.at(side).host) continue;
        there.commands.push_back({.what = applications::Event::What::woken, .tag = tag});
    }
}

/// What has room.
void PairWorld::post_waiting(unsigned side) {
    Side& here = sides_.at(side);
    while (const std::optional<applications::WorkRequest> next = here.sends.next()) {
        if (next->signaled) here.signaled.push_back(here.sends.posted() - 1);
        here.requests.push_back({*next});
        say(side, false, "posts " + name_of(*next));
    }
    if (here.sends.is_stuck()) breaks("the send queue is full, none of it is signaled, and more wait");
}

/// The bytes are those that the memory has now: it belongs to the card until the request is complete.
bool PairWorld::carry_out(unsigned side) {
    Side &here = sides_.at(side), &there = sides_.at(side ^ 1U);
    if (here.requests.empty()) return false;
    Request request = std::move(here.requests.front());
    here.requests.pop_front();
    const applications::WorkRequest& what = request.what;
    say(side, true, name_of(what));
    if (what.bytes != 0 && !here.registered.at(what.local.area)) breaks("what is sent is not registered");
    const applications::Place remote{static_cast<std::uint32_t>(what.remote.address >> kAreaShift),
                                     static_cast<std::uint32_t>(what.remote.address)};
    const bool goes_there = rc::brings_data(what.verb) || rc::is_write(what.verb);
    if (goes_there && !there.registered.at(remote.area)) {
        if (plan_->faults) {
            refuse(side);
            return true;
        }
        breaks("what is read or written there is not registered");
    }
    if (rc::is_atomic(what.verb)) {
        std::uint8_t* const word = bytes(side ^ 1U, remote, kAtomic);
        request.came.assign(word, word + kAtomic);
        const std::uint64_t before = boost::endian::load_little_u64(word);
        const bool swaps = what.verb == rc::Verb::compare_swap;
        if (!swaps || before == what.compare)
            boost::endian::store_little_u64(word, swaps ? what.swap_or_add : before + what.swap_or_add);
        notice(there, remote, kAtomic);
    } else if (what.verb == rc::Verb::read) {
        const std::uint8_t* const first = bytes(side ^ 1U, remote, what.bytes);
        request.came.assign(first, first + what.bytes);
    } else if (rc::is_write(what.verb)) {
        std::copy_n(bytes(side, what.local, what.bytes), what.bytes, bytes(side ^ 1U, remote, what.bytes));
        notice(there, remote, what.bytes);
    }
    if (rc::takes_receive(what.verb)) {
        if (there.receives.empty()) {
            breaks("a message finds no receive WQE");
            return true;
        }
        const Receive into = there.receives.front();
        there.receives.pop_front();
        const bool carries = !rc::is_write(what.verb);
        if (carries && what.bytes > into.bytes) breaks("a message is longer than its receive WQE");
        if (carries && what.bytes <= into.bytes && what.bytes != 0)
            std::copy_n(bytes(side, what.local, what.bytes), what.bytes, bytes(side ^ 1U, into.at, what.bytes));
        counts_.at(side / 2).at(1 - side % 2).add(applications::Count::receives);
        there.solicits = there.solicits || what.solicited;
        there.completions.push_back({.what = applications::Event::What::received,
                                     .tag = into.tag,
                                     .bytes = what.bytes,
                                     .immediate = what.immediate});
    }
    here.answers.push_back(std::move(request));
    return true;
}

/// The other card does not let it: both QPs fail, with all that they have.
void PairWorld::refuse(unsigned side) {
    sides_.at(side).completions.push_back(
        {.what = applications::Event::What::completion, .status = rc::Status::rem_access});
    sides_.at(side ^ 1U).completions.push_back(
        {.what = applications::Event::What::received, .status = rc::Status::wr_flush});
    for (Side* const of : {&sides_.at(side), &sides_.at(side ^ 1U)}) {
        of->failed = true;
        of->requests.clear();
        of->answers.clear();
    }
    say(side ^ 1U, true, "NAK");
}

bool PairWorld::answer(unsigned side) {
    Side& here = sides_.at(side);
    if (here.answers.empty()) return false;
    const Request request = std::move(here.answers.front());
    here.answers.pop_front();
    say(side ^ 1U, true, rc::brings_data(request.what.verb) ? "answer to the " + verb_of(request.what) : "ACK");
    if (rc::brings_data(request.what.verb)) {
        if (!here.registered.at(request.what.local.area)) breaks("where it is read to is not registered");
        std::ranges::copy(request.came,
                          bytes(side, request.what.local, static_cast<std::uint32_t>(request.came.size())));
    }
    if (!request.what.signaled) return true;
    here.completions.push_back(
        {.what = applications::Event::What::completion, .tag = request.what.tag, .bytes = request.what.bytes});
    return true;
}

/// Once, whoever has asked.
void PairWorld::notice(Side& of, applications::Place at, std::uint32_t bytes) {
    const auto is_written = [&](const Watch& one) {
        return one.at.area == at.area && one.at.offset >= at.offset && one.at.offset - at.offset < bytes;
    };
    for (const Watch& one : of.watches) {
        if (is_written(one)) of.notices.push_back({.what = applications::Event::What::noticed, .tag = one.tag});
    }
    std::erase_if(of.watches, is_written);
}

bool PairWorld::stream(unsigned side, unsigned variant) {
    Side &here = sides_.at(side), &there = sides_.at(side ^ 1U);
    if (here.sent.empty()) return false;
    std::vector<std::uint8_t>& first = here.sent.front();
    constexpr std::size_t kDivided = 60;                    // bytes: one message comes in two pieces at most
    const bool whole = plan_->faults || sides_.size() > 2;  // of several connections there are enough orders as it is
    if (variant != 0 && (first.size() < kDivided || whole)) return false;
    const std::size_t come = variant == 0 ? first.size() : first.size() / 2;
    say(side, true, std::to_string(come), "B of the stream");
    there.socket.insert(there.socket.end(), first.begin(), first.begin() + static_cast<std::ptrdiff_t>(come));
    if (come == first.size()) {
        here.sent.pop_front();
    } else {
        first.erase(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(come));
    }
    if (there.read_most != 0) {
        read_if_there(there);
    } else {
        tell_if_there(there);
    }
    return true;
}

void PairWorld::read_if_there(Side& of) {
    if (of.read_most == 0 || of.socket.empty()) return;
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(of.read_most, of.socket.size()));
    std::uint8_t* const to = bytes(static_cast<unsigned>(&of - sides_.data()), of.read_to, count);
    std::copy_n(of.socket.begin(), count, to);
    of.socket.erase(of.socket.begin(), of.socket.begin() + count);
    of.read_most = 0;
    of.of_socket.push_back({.what = applications::Event::What::read, .bytes = count});
}

/// An end that has been told is not told again before it reads.
void PairWorld::tell_if_there(Side& of) {
    const bool reads = std::ranges::any_of(
        of.of_socket, [](const applications::Event& e) { return e.what == applications::Event::What::read; });
    if (of.socket.empty() || of.told || of.read_most != 0 || reads) return;
    of.told = true;
    of.of_socket.push_back(
        {.what = applications::Event::What::bytes, .bytes = static_cast<std::uint32_t>(of.socket.size())});
}

std::string wrong_count(const PairPlan& plan, const std::vector<applications::Counts>& counts) {
    constexpr std::uint32_t kPmtu = 1024;
    const applications::Counts wanted = plan.application->expected(*plan.item, plan.sizes, kPmtu);
    const std::vector<std::array<applications::Seat, 2>> seats = seats_of(plan);
    applications::Tallies tallies(*plan.application);
    for (std::size_t i = 0; i < counts.size(); ++i)
        tallies.add(*plan.item, {seats.at(i)[0].host, seats.at(i)[1].host}, counts[i], wanted);
    for (std::size_t end = 0; end < 2 * counts.size(); ++end) {
        const unsigned side = end % 2;
        for (std::size_t i = 0; i < applications::kCounts; ++i) {
            const auto what = static_cast<applications::Count>(i);
            const std::uint64_t found = tallies.found(end / 2, side, what);
            const std::uint64_t formula = tallies.wanted(end / 2, side, what);
            if (what == applications::Count::payload_packets) continue;
            // Who answers may still have something to do when the last operation is over.
            const bool bound = side == 1 || plan.application->is_bound(*plan.item, what);
            if (bound ? found > formula : found != formula)
                return std::string(applications::kCountNames.at(i)) + " are not the formula's";
        }
    }
    return {};
}

Digest PairWorld::state() const {
    Mixer mixer;
    const auto add_bytes = [&](const auto& all) {
        mixer.add(all.size());
        std::uint64_t word = 0, count = 0;
        for (const std::uint8_t byte : all) {
            word = word << 8U | byte;
            if (++count % 8 == 0) mixer.add(std::exchange(word, 0));
        }
        mixer.add(word);
    };
    const auto add_area = [&](const std::vector<std::uint8_t>& all) {
        std::size_t at = 0;
        for (std::uint64_t word = 0; at + sizeof word <= all.size(); at += sizeof word) {
            std::memcpy(&word, &all[at], sizeof word);
            mixer.add(word);
        }
        for (; at < all.size(); ++at) mixer.add(all[at]);
    };
    const auto add_events = [&](const std::deque<applications::Event>& all) {
        mixer.add(all.size());
        for (const applications::Event& e : all)
            mixer.add(static_cast<std::uint64_t>(e.what) << 56U ^ std::uint64_t{e.tag} << 32U ^
                      std::uint64_t{e.bytes} << 12U ^ e.immediate ^ static_cast<std::uint64_t>(e.status) << 48U);
    };
    const auto add_request = [&](const applications::WorkRequest& of) {
        mixer.add(static_cast<std::uint64_t>(of.verb) << 56U ^ std::uint64_t{of.local.area} << 48U ^
                  std::uint64_t{of.local.offset} << 24U ^ of.bytes);
        mixer.add(of.swap_or_add);
        mixer.add(of.compare);
        mixer.add((of.signaled ? 1U : 0U) | (of.solicited ? 2U : 0U));
        mixer.add(of.remote.address ^ std::uint64_t{of.immediate} << 8U ^ std::uint64_t{of.tag} << 40U);
    };
    for (const std::vector<std::uint8_t>& area : memory_) add_area(area);
    for (std::size_t side = 0; side < sides_.size(); ++side) {
        const Side& of = sides_[side];
        for (const bool is : of.registered) mixer.add(is ? 1 : 0);
        mixer.add(of.watches.size());
        for (const Watch& one : of.watches)
            mixer.add(std::uint64_t{one.at.area} << 32U ^ one.at.offset ^ std::uint64_t{one.tag} << 40U);
        mixer.add(of.sends.outstanding());
        for (const std::uint32_t number : of.signaled) mixer.add(of.sends.posted() - number);
        mixer.add(of.sends.waiting().size());
        for (const applications::WorkRequest& one : of.sends.waiting()) add_request(one);
        mixer.add(of.requests.size());
        for (const Request& one : of.requests) add_request(one.what);
        mixer.add(of.answers.size());
        for (const Request& one : of.answers) {
            add_request(one.what);
            add_bytes(one.came);
        }
        mixer.add(of.receives.size());
        for (const Receive& one : of.receives)
            mixer.add(std::uint64_t{one.at.area} << 32U ^ one.at.offset ^ std::uint64_t{one.tag} << 40U);
        add_events(of.completions);
        add_events(of.of_socket);
        add_events(of.commands);
        add_events(of.notices);
        add_events(of.timers);
        mixer.add(of.sent.size());
        for (const auto& one : of.sent) add_bytes(one);
        add_bytes(of.socket);
        mixer.add(std::uint64_t{of.read_to.area} << 32U ^ of.read_to.offset ^ std::uint64_t{of.read_most} << 40U ^
                  (of.told ? 1U : 0U) ^ (of.solicits ? 2U : 0U) ^ (of.failed ? 4U : 0U));
        std::vector<std::uint64_t> words;
        ends_.at(side)->state(words);
        mixer.add(words.size());
        for (const std::uint64_t word : words) mixer.add(word);
    }
    for (std::size_t i = 0; i < asked_.size(); ++i) mixer.add(asked_[i] << 32U ^ over_[i]);
    mixer.add(dead_ ? 1 : 0);
    return mixer.finish();
}

}  // namespace rnicsim::explore
