// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/applications/application_work.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/events/microseconds.h"
#include "testbench/kits/rc/rc_connection.h"
#include "testbench/records/report_clock.h"
#include "tlm/wakeup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

namespace rnicsim {

using applications::Count;

namespace {

constexpr std::uint8_t kFailed = 1;

/// Of bridges' links; nobody gets on meanwhile. A tape decides how often they are down, but each of its lines happens
/// once, and there may be no time between two in which somebody does.
Time held_by_outages(const RunConfig& config) {
    Time held;
    if (config.tape == nullptr) {
        for (const ntb::Config& bridge : config.bridges)
            if (bridge.down.probability > 0) held = std::max(held, bridge.down.duration);
        return held;
    }
    for (const TapeEntry& entry : *config.tape)
        if (const auto* const down = std::get_if<LinkDown>(&entry)) held += down->to - down->from;
    return held;
}

OperationEnds ends_of(const ApplicationLayout::Connection& plan) {
    return {static_cast<std::uint16_t>(plan.ends[0].host), static_cast<std::uint16_t>(plan.ends[1].host),
            plan.ends[0].qp};
}

}  // namespace

ApplicationWork::Connection::Connection(const RunConfig& config, const ApplicationLayout::Connection& of)
    : plan(&of),
      item(&config.traffic[of.item]),
      kinds(*item, {config.seed, config.repetition}, of.item,
            (std::uint64_t{of.ends[0].host} << 48U) + (std::uint64_t{of.ends[1].host} << 32U) + of.number) {}

ApplicationWork::ApplicationWork(const RunConfig& config, const applications::Application& application,
                                 WireWork& shared)
    : config_(config),
      application_(application),
      layout_(lay_out(config, application, shared.taken())),
      sharing_(layout_),
      wire_(shared.wire()),
      numbers_(config.names.size()),
      taps_(wire_, *this),
      given_(config.names.size()) {
    shared.taken() = layout_.taken;
    for (const ApplicationLayout::Connection& plan : layout_.connections) connections_.emplace_back(config, plan);
    running_ = connections_.size();
}

void ApplicationWork::claim_memory(std::vector<std::uint64_t>& bytes) const {
    for (std::size_t host = 0; host < bytes.size(); ++host)
        bytes[host] = std::max(bytes[host], layout_.taken[host].bytes);
}

std::size_t ApplicationWork::samples() const {
    std::size_t all = 0;
    for (const Connection& c : connections_) all += c.item->transfers;
    return all;
}

void ApplicationWork::record_in(std::span<Sample> samples) {
    for (Connection& c : connections_) {
        c.samples = samples.first(c.item->transfers);
        samples = samples.subspan(c.item->transfers);
    }
}

void ApplicationWork::attach(System& system) {
    system_ = &system;
    for (unsigned host = 0; host < config_.names.size(); ++host) {
        Program& program = programs_.emplace_back(*this, host);
        if (!layout_.has(host)) continue;
        VerbsEnd& end = verbs_end(system, host);
        end.host.driver.tell_all_kinds();
        if (events_ != nullptr) {
            HostEvents& watched = watched_.emplace_back(*events_, host, verbs_of(config_, host).host.clock);
            end.host.driver.set_observer(&watched);
            if (StoreCores* const stores = end.host.stores()) stores->set_observer(&watched);
            if (layout_.has_card(host)) end.rnic.set_observer(&watched);
        }
        if (layout_.has_card(host)) {
            take_card(end, host);
        } else {
            numbers_[host] = end.host.driver.attach_beside(program);
        }
    }
    for (std::size_t number = 0; number < connections_.size(); ++number) set_up(system, number);
    stand_in_lines();
    open_streams(system);
    for (Connection& c : connections_) {
        for (SimEnd* const end : c.ends) end->start();
    }
    for (std::vector<rc::Range>& of : given_) std::ranges::sort(of, {}, &rc::Range::address);
}

void ApplicationWork::take_card(VerbsEnd& end, unsigned host) {
    end.host.driver.attach(programs_[host]);
    if (waits_for_solicited(host)) end.host.driver.wait_for_solicited();
    end.rnic.give_memory(layout_.lines[host]);
    given_[host].push_back({layout_.lines[host].address, layout_.lines[host].bytes});
    for (std::uint32_t thread = 0; thread < layout_.cqs[host].size(); ++thread) {
        const rc::CqRing& ring = layout_.cqs[host][thread];
        end.host.driver.create_cq(ring, Thread{thread});
        given_[host].push_back({ring.address, std::uint64_t{ring.entries} * rc::kCqeBytes});
    }
}

bool ApplicationWork::waits_for_solicited(unsigned host) const {
    return std::ranges::any_of(connections_, [host](const Connection& c) {
        const auto does = [&](unsigned side) {
            return c.plan->ends.at(side).host == host && c.plan->plan.sides.at(side).waits_for_solicited;
        };
        return does(0) || does(1);
    });
}

void ApplicationWork::set_up(System& system, std::size_t number) {
    Connection& c = connections_[number];
    for (unsigned side = 0; side < 2; ++side) {
        const ApplicationLayout::End& plan = c.plan->ends.at(side);
        const applications::Plan::Side& needs = c.plan->plan.sides.at(side);
        VerbsEnd& host = verbs_end(system, plan.host);
        Program& program = programs_[plan.host];
        SimEnd& end = ends_.emplace_back(
            SimEnd::Init{
                number,
                side,
                plan,
                needs,
                verbs_of(config_, plan.host).host,
                host.host.driver,
                numbers_[plan.host],
                application_.end(*c.item, {side, c.plan->number, plan.host, c.plan->ends.at(1 - side).host, &config_}),
                {config_.seed, config_.repetition}},
            *this);
        c.ends.at(side) = &end;
        end.set_place(static_cast<std::uint32_t>(program.ends.size()));
        program.ends.push_back(&end);
        given_[plan.host].insert(given_[plan.host].end(), plan.areas.begin(), plan.areas.end());
        if (c.plan->plan.has_card()) add_queues(host, end, c, side);
    }
    if (c.plan->plan.bridge) join(system, c);
    if (c.plan->plan.has_card()) connect(system, c);
    if (application_.order(*c.item) != applications::Order::each) return;  // stand_in_lines() asks
    const Time at = kReportClock.time(c.item->first_request(c.plan->ends[0].host));
    for (std::uint32_t i = 0; i < std::min(c.item->verbs.depth, c.item->transfers); ++i) ask(number, at);
}

void ApplicationWork::add_queues(VerbsEnd& host, SimEnd& end, const Connection& c, unsigned side) {
    const ApplicationLayout::End& plan = c.plan->ends.at(side);
    Program& program = programs_[plan.host];
    rc::QpInit init;
    init.pd = kApplicationPd;
    init.send_cq = init.receive_cq = rc::Cqn{plan.thread};  // each thread has one, made in this order
    init.receive_queue = host.host.driver.create_receive_queue(plan.receives, false);
    const rc::Qpn qp = host.host.driver.create_qp(init, plan.sends);
    end.set_queues(qp, init.receive_queue);
    if (qp.n >= program.by_qp.size()) program.by_qp.resize(qp.n + 1);
    program.by_qp[qp.n] = &end;
    std::vector<rc::Range>& given = given_[plan.host];
    given.push_back({plan.sends.address, std::uint64_t{plan.sends.entries} * plan.sends.stride});
    given.push_back({plan.receives.address, plan.receives.bytes()});
    given.push_back({plan.receives.record, rc::kRecordBytes});
    const std::vector<applications::Plan::Area>& areas = c.plan->plan.sides.at(side).areas;
    for (std::size_t area = 0; area < plan.areas.size(); ++area) {
        if (!areas[area].registered) continue;
        end.set_key(area, host.rnic.add_region(kApplicationPd, plan.areas[area], kApplicationAccess,
                                               verbs_of(config_, plan.host).host.page));
    }
}

void ApplicationWork::connect(System& system, const Connection& c) {
    const std::array<QpOfHost, 2> qps{QpOfHost{c.plan->ends[0].host, c.ends[0]->qp()},
                                      QpOfHost{c.plan->ends[1].host, c.ends[1]->qp()}};
    connect_qps(system, config_, qps, {.path = c.item->verbs.path()});
    wire_.connect(wire_connection(system, config_, qps));
}

/// Each end stores to an area of the other one's, through the bridge between their hosts. Its window begins where the
/// memory of rings does.
void ApplicationWork::join(System& system, Connection& c) {
    const std::array<unsigned, 2> hosts{c.plan->ends[0].host, c.plan->ends[1].host};
    const ntb::Config& of = bridge_between(config_, hosts);
    ntb::Bridge& bridge = system.bridge(static_cast<std::size_t>(&of - config_.bridges.data()));
    c.bridge = &bridge;
    for (unsigned side = 0; side < 2; ++side) {
        const unsigned host = hosts.at(side), there = hosts.at(1 - side);
        std::unique_ptr<HostBridges>& bridges = programs_[host].bridges;
        if (!bridges)
            bridges = std::make_unique<HostBridges>(config_, host, verbs_end(system, host).host, numbers_[host], *this,
                                                    *this);
        const applications::Plan::Side& far = c.plan->plan.sides.at(1 - side);
        if (of.start_up && c.plan->plan.stream) c.ends.at(side)->begin_without_link();
        bridges->join(*c.ends.at(side), of, bridge, c.plan->ends.at(1 - side).areas.at(far.far_area),
                      {layout_.before[host].bytes, layout_.before[there].bytes});
    }
}

void ApplicationWork::open_streams(System& system) {
    for (unsigned host = 0; host < config_.names.size(); ++host) {
        if (!layout_.has(host) || layout_.streams[host] == 0) continue;
        const rc::Range& sockets = layout_.sockets[host];
        given_[host].push_back(sockets);
        VerbsEnd& end = verbs_end(system, host);
        end.host.add_streams(end.rnic, {sockets.address, layout_.streams[host]}, programs_[host]);
        programs_[host].by_stream.resize(layout_.streams[host]);
    }
    for (Connection& c : connections_) {
        if (!c.plan->plan.stream) continue;
        for (unsigned side = 0; side < 2; ++side) {
            const ApplicationLayout::End &here = c.plan->ends.at(side), &there = c.plan->ends.at(1 - side);
            TcpStack& stack = *verbs_end(system, here.host).host.streams();
            TcpStack::Init init;
            init.peer = there.host;
            init.peer_stream = there.stream;
            init.thread = Thread{here.thread};
            init.peer_window = verbs_of(config_, there.host).host.tcp.window;
            c.ends.at(side)->set_stream(stack, stack.open(init));
            programs_[here.host].by_stream.at(here.stream) = c.ends.at(side);
        }
    }
}

Time ApplicationWork::patience() const {
    constexpr Time kTcpGivesUp = kMillisecond * 25'600;  // 200 ms, doubled six times
    const bool streams = std::ranges::any_of(layout_.streams, [](std::uint32_t of) { return of != 0; });
    // What is resent may be acknowledged and tell no program anything.
    return (streams ? kTcpGivesUp * 2 : Time{}) + held_by_outages(config_);
}

void ApplicationWork::Program::tell(Cycle now, StreamId stream, applications::Event::What what, std::uint32_t bytes) {
    work_.last_progress_ = std::max(work_.last_progress_, verbs_of(work_.config_, host_).host.clock.time(now));
    by_stream.at(static_cast<std::size_t>(stream))->heard(now, what, bytes);
}

void ApplicationWork::Program::completed(Cycle now, const rc::Completion& completion) {
    if (!rc::is_atomic(completion.verb))  // one that changes nothing is tried again, for ever if need be
        work_.last_progress_ = std::max(work_.last_progress_, verbs_of(work_.config_, host_).host.clock.time(now));
    by_qp.at(completion.qp.n)->completed(now, completion);
}

void ApplicationWork::Program::called(Cycle now, std::uint64_t what) {
    const std::uint64_t place = what & kAsks, number = what >> SimEnd::kPlaceBits;
    if (place == kAsks) return work_.begin_next(number, now);
    if (place == HostBridges::kPlace) return bridges->called(now, number);
    ends.at(place)->called(now, number);
}

void ApplicationWork::Program::registered(Cycle now, std::uint64_t what, std::optional<std::uint32_t> key) {
    ends.at(what & kAsks)->registered(now, what >> SimEnd::kPlaceBits, key);
}

void ApplicationWork::begin_next(std::size_t connection, Cycle now) {
    Connection& c = connections_[connection];
    const std::uint32_t operation = c.begun;
    begin(c, verbs_of(config_, c.plan->ends[0].host).host.clock.time(now));
    c.ends[0]->asked(now, operation, c.samples[operation].bytes);
}

void ApplicationWork::begin(Connection& c, Time at) {
    const std::uint32_t operation = c.begun++;
    Sample& of = c.samples[operation];
    of.id = operation;
    of.qp = c.plan->ends[0].qp;
    of.item = static_cast<std::uint16_t>(c.plan->item);
    of.initiator = static_cast<std::uint16_t>(c.plan->ends[0].host);
    of.responder = static_cast<std::uint16_t>(c.plan->ends[1].host);
    of.status = kFailed;
    of.bytes = c.kinds.at(operation).bytes;
    of.start = of.end = at;
    last_progress_ = std::max(last_progress_, at);
    show(c, OperationStep::Step::asked, operation, at);
}

bool ApplicationWork::is_under_way(const Connection& c, std::uint32_t operation, Time now) {
    if (operation < c.begun) return true;
    violate(fmt::format("{}: an end speaks of operation {}, and {} have begun", name_of(c), operation, c.begun), now);
    return false;
}

void ApplicationWork::marked(std::size_t connection, std::uint32_t operation, unsigned part, Time now) {
    const Connection& c = connections_[connection];
    if (!is_under_way(c, operation, now)) return;
    Sample& of = c.samples[operation];
    const Time last = std::accumulate(of.parts.begin(), of.parts.end(), of.start,
                                      [](Time sum, std::int64_t ps) { return sum + Time{ps}; });
    of.parts.at(part) += (now - last).ps;
    last_progress_ = std::max(last_progress_, now);
    show(c, OperationStep::Step::marked, operation, now, part);
}

void ApplicationWork::ended(std::size_t connection, std::uint32_t operation, applications::Outcome outcome, Time now) {
    Connection& c = connections_[connection];
    if (!is_under_way(c, operation, now)) return;
    Sample& of = c.samples[operation];
    of.end = last_end_ = last_progress_ = now;
    if (outcome == applications::Outcome::complete) {
        of.status = 0;
        marked(connection, operation, static_cast<unsigned>(application_.parts().size()) - 1, now);
    } else {
        ++c.failed;
    }
    show(c, outcome == applications::Outcome::complete ? OperationStep::Step::ended : OperationStep::Step::failed,
         operation, now);
    if (++c.over == c.item->transfers) --running_;
    std::optional<std::size_t> next = connection;
    if (c.line)
        next = lines_[*c.line].next();
    else if (c.asked == c.item->transfers)
        next.reset();
    if (!next) return;
    Time think;
    if (c.item->think != Cycle{}) {
        const RandomSource random{config_.seed, config_.repetition};
        const double uniform = random.uniform(RandomStream::think, connection, operation, 2);
        think = Time{std::llround(-std::log1p(-uniform) * static_cast<double>(kReportClock.time(c.item->think).ps))};
    }
    ask(*next, now + think);
}

void ApplicationWork::stand_in_lines() {
    for (std::size_t number = 0; number < connections_.size(); ++number) {
        Connection& c = connections_[number];
        const applications::Order order = application_.order(*c.item);
        if (order == applications::Order::each) continue;
        const unsigned host = c.plan->ends[0].host;
        if (lines_.empty() || lines_.back().item() != c.plan->item || lines_.back().host() != host)
            lines_.emplace_back(order, RandomSource{config_.seed, config_.repetition}, c.plan->item, host);
        c.line = lines_.size() - 1;
        lines_.back().add(number, c.item->transfers);
    }
    for (Line& line : lines_)
        ask(*line.next(), kReportClock.time(config_.traffic[line.item()].first_request(line.host())));
}

void ApplicationWork::ask(std::size_t connection, Time at) {
    const Connection& c = connections_[connection];
    ++connections_[connection].asked;
    works_until(at);
    const bool has_other_way = c.plan->plan.stream;
    if (c.bridge != nullptr && !has_other_way && !programs_[c.plan->ends[0].host].bridges->may_use(*c.bridge)) {
        waiting_.emplace_back(connection, at);
    } else {
        call_user(connection, at);
    }
}

void ApplicationWork::call_user(std::size_t connection, Time at) {
    const unsigned from = connections_[connection].plan->ends[0].host;
    verbs_end(*system_, from)
        .host.driver.call_at(verbs_of(config_, from).host.clock.edge(at),
                             numbers_[from].with((std::uint64_t{connection} << SimEnd::kPlaceBits) + kAsks));
}

/// Its users ask now, or when they want to.
void ApplicationWork::may_use(unsigned host, const ntb::Bridge& bridge, Cycle now) {
    const Time from = verbs_of(config_, host).host.clock.time(now);
    const auto is_its = [&](const std::pair<std::size_t, Time>& of) {
        const Connection& c = connections_[of.first];
        return c.bridge == &bridge && c.plan->ends[0].host == host;
    };
    for (const auto& of : waiting_)
        if (is_its(of)) call_user(of.first, std::max(of.second, from));
    std::erase_if(waiting_, is_its);
}

void ApplicationWork::did(std::size_t connection, unsigned side, const EndStep& step, Time at) {
    const ApplicationLayout::Connection& plan = *connections_[connection].plan;
    EndStep is = step;
    is.of = ends_of(plan);
    events_->event(
        {.at = at, .since = current_time(), .end = static_cast<std::uint16_t>(plan.ends.at(side).host), .what = is},
        {});
}

void ApplicationWork::show(const Connection& c, OperationStep::Step step, std::uint32_t operation, Time at,
                           unsigned part) {
    if (events_ == nullptr) return;
    OperationStep is{
        .step = step, .of = ends_of(*c.plan), .number = operation, .part = static_cast<std::uint8_t>(part)};
    if (step == OperationStep::Step::asked) {
        is.bytes = c.samples[operation].bytes;
        for (unsigned side = 0; side < 2; ++side) {
            const ApplicationLayout::End& end = c.plan->ends.at(side);
            is.qps.at(side) = c.ends.at(side)->qp();
            is.first.at(side) = verbs_of(config_, end.host).attributes.sq_psn;
            const VerbsHostConfig& host = verbs_of(config_, end.host).host;
            is.handlers.at(side) = host.clock.time(host.interrupt_latency);
            is.threads.at(side) = static_cast<std::uint16_t>(end.thread);
            if (c.plan->plan.stream) is.streams.at(side) = end.stream;
            if (c.plan->plan.bridge) is.windows.at(side) = window_of(c, side);
        }
    }
    events_->event({.at = at, .since = current_time(), .end = is.of.asks, .what = is}, {});
}

OperationStep::Window ApplicationWork::window_of(const Connection& c, unsigned side) const {
    const ApplicationLayout::End& end = c.plan->ends.at(side);
    const std::uint64_t bytes = c.plan->ends.at(1 - side).areas.at(c.plan->plan.sides.at(1 - side).far_area).length;
    const VerbsDriver& driver = verbs_end(*system_, end.host).host.driver;
    return {c.ends.at(side)->far().area, bytes, static_cast<std::uint16_t>(driver.core_of(Thread{end.thread}))};
}

std::string ApplicationWork::name_of(const Connection& c) const {
    return fmt::format("item {}, {} to {}, connection {}", c.item->name, config_.names[c.plan->ends[0].host],
                       config_.names[c.plan->ends[1].host], c.plan->number);
}

void ApplicationWork::violate(const std::string& what, Time now) {
    if (violation_.empty()) violation_ = fmt::format("invariant violated at {} us: {}", exact_microseconds(now), what);
}

void ApplicationWork::differs(std::size_t connection, unsigned side, std::uint32_t operation, Time now) {
    const Connection& c = connections_[connection];
    violate(fmt::format("{}: {} finds other bytes than those of operation {}", name_of(c),
                        config_.names[c.plan->ends.at(side).host], operation),
            now);
}

void ApplicationWork::violates(std::size_t connection, unsigned side, const std::string& what, Time now) {
    const Connection& c = connections_[connection];
    violate(fmt::format("{}: {}: {}", name_of(c), config_.names[c.plan->ends.at(side).host], what), now);
}

void ApplicationWork::works_until(Time at) {
    works_until_ = std::max(works_until_, at);
    longest_wait_ = std::max(longest_wait_, at - current_time());
}

void ApplicationWork::overflows(std::size_t connection, unsigned side, Time now) {
    const Connection& c = connections_[connection];
    violate(fmt::format("{}: the {} send WQEs of {} are in use, none is signaled, and more wait: for ever", name_of(c),
                        c.plan->plan.sides.at(side).sends, config_.names[c.plan->ends.at(side).host]),
            now);
}

void ApplicationWork::wakes(std::size_t connection, unsigned side, std::uint32_t shared, std::uint32_t tag, Time at) {
    const Connection& c = connections_[connection];
    for (SimEnd* const end : programs_[c.plan->ends.at(side).host].ends) {
        if (end != c.ends.at(side) && end->shares(shared)) end->woken(at, tag);
    }
}

void ApplicationWork::device_accesses(unsigned host, std::uint64_t address, std::uint64_t bytes) {
    const std::vector<rc::Range>& given = given_[host];
    const auto behind = std::ranges::upper_bound(given, address, {}, &rc::Range::address);
    if (behind != given.begin() && address + bytes <= std::prev(behind)->address + std::prev(behind)->length) return;
    violate(fmt::format("the card of {} touches {} bytes at 0x{:x}, which nobody has given it", config_.names[host],
                        bytes, address),
            current_time());
}

/// A QP has requests that are not answered, or a stream bytes: a timer will act. A link that is down comes up.
bool ApplicationWork::has_to_send() const {
    if (std::ranges::any_of(ends_, &SimEnd::waits_to_send)) return true;
    for (std::size_t i = 0; i < system_->bridges(); ++i)
        if (!system_->bridge(i).idle() || (!system_->bridge(i).is_up() && !is_over())) return true;
    for (unsigned host = 0; host < config_.names.size(); ++host) {
        if (!layout_.has(host)) continue;
        const VerbsEnd& end = verbs_end(*system_, host);
        if (end.host.stores() != nullptr && !end.host.stores()->idle()) return true;
        if (!layout_.has_card(host)) continue;
        if (layout_.streams[host] != 0 && end.host.streams()->next_due() != kNever) return true;
        bool sends = false;
        end.rnic.transport().for_each_qp([&](const rc::Qp& qp) {
            sends = sends || (qp.state != rc::QpState::error && !qp.requester.queue.empty());
        });
        if (sends) return true;
    }
    return false;
}

/// Who waits now waits for ever, if nobody has to send anything.
void ApplicationWork::idle(Time now) {
    if (works_until_ >= now || has_to_send()) return;
    const auto waits = [this](std::size_t number) {
        const Connection& c = connections_[number];
        const bool for_its_turn = c.line && c.asked == c.over;
        return c.over != c.item->transfers && !for_its_turn;
    };
    std::vector<std::size_t> all(connections_.size()), dead;
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::ranges::copy_if(all, std::back_inserter(dead), [this](std::size_t number) { return has_died(number); });
    sharing_.follow(dead, waits);
    std::erase_if(dead, std::not_fn(waits));
    std::ranges::sort(dead);
    for (const std::size_t number : dead) give_up(number, now);
    if (!dead.empty()) return go_on(now);
    for (const std::size_t number : all) {
        if (!waits(number)) continue;
        const Connection& c = connections_[number];
        violate(fmt::format("{}: both ends wait, and operation {} is not over (lost wake-up)", name_of(c), c.over),
                now);
    }
}

/// An end has failed, which the other one need not hear of.
bool ApplicationWork::has_died(std::size_t number) const {
    const Connection& c = connections_[number];
    if (c.given_up) return true;
    for (unsigned side = 0; side < 2; ++side) {
        if (!c.plan->plan.has_card()) continue;
        const VerbsEnd& end = verbs_end(*system_, c.plan->ends.at(side).host);
        if (end.rnic.transport().qp(c.ends.at(side)->qp())->state == rc::QpState::error) return true;
        if (c.plan->plan.stream && end.host.streams()->has_died(StreamId{c.plan->ends.at(side).stream})) return true;
    }
    return false;
}

/// Who waits for its turn has it.
void ApplicationWork::go_on(Time now) {
    std::vector<bool> rests(lines_.size(), true);
    for (const Connection& c : connections_)
        if (c.line && c.asked != c.over) rests[*c.line] = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (!rests[i]) continue;
        if (const std::optional<std::size_t> next = lines_[i].next()) ask(*next, now);
    }
}

/// Its operations wait for ever.
void ApplicationWork::give_up(std::size_t number, Time now) {
    Connection& c = connections_[number];
    if (c.line) lines_[*c.line].drop(number);
    c.given_up = true;
    while (c.begun < c.item->transfers) begin(c, now);
    for (Sample& of : c.samples) {
        if (of.failed()) of.end = now;
    }
    c.failed += c.item->transfers - c.over;
    c.over = c.asked = c.item->transfers;
    --running_;
    last_end_ = std::max(last_end_, now);
}

void ApplicationWork::check_end() {
    applications::Tallies tallies(application_);
    for (const Connection& c : connections_)
        tallies.add(*c.item, {c.plan->ends[0].host, c.plan->ends[1].host}, {c.ends[0]->counts(), c.ends[1]->counts()},
                    expected(c));
    // One may die behind its last operation, with what its ends had still to say.
    const auto is_whole = [this](std::size_t number) { return connections_[number].failed == 0 && !has_died(number); };
    bool all = true;
    for (std::size_t number = 0; number < connections_.size(); ++number) all = all && is_whole(number);
    for (std::size_t number = 0; number < connections_.size(); ++number)
        if (is_whole(number)) check_counts(number, tallies, all);
    if (all && nothing_was_repeated()) check_packets();
    if (all) check_receives();
}

/// A card counts them for all its connections.
void ApplicationWork::check_receives() {
    const auto promises = [&](const Connection& c) {
        return c.plan->plan.has_card() && application_.has_receives_ahead(*c.item);
    };
    if (!std::ranges::all_of(connections_, promises)) return;
    for (const Connection& c : connections_) {
        for (const ApplicationLayout::End& end : c.plan->ends) {
            const std::uint64_t found =
                verbs_end(*system_, end.host).rnic.transport().count(rc::RcCount::rnr_naks_sent);
            if (found == 0) continue;
            violate(fmt::format("{}: {} messages found no receive WQE, and {} promises one for each", name_of(c), found,
                                application_.name()),
                    last_end_);
        }
    }
}

applications::Counts ApplicationWork::expected(const Connection& c) const {
    std::vector<std::uint32_t> sizes;
    for (const Sample& of : c.samples) sizes.push_back(of.bytes);
    const std::uint32_t pmtu = std::min(verbs_of(config_, c.plan->ends[0].host).attributes.path_mtu,
                                        verbs_of(config_, c.plan->ends[1].host).attributes.path_mtu);
    return application_.expected(*c.item, sizes, pmtu);
}

void ApplicationWork::check_counts(std::size_t number, const applications::Tallies& tallies, bool all) {
    const Connection& c = connections_[number];
    const bool was_down = c.bridge != nullptr && c.bridge->was_down();
    for (unsigned side = 0; side < 2; ++side) {
        for (std::size_t i = 0; i < applications::kCounts; ++i) {
            const auto what = static_cast<Count>(i);
            if (!all && application_.is_summed(*c.item, what)) continue;
            const std::uint64_t wanted = tallies.wanted(number, side, what), found = tallies.found(number, side, what);
            if (what == Count::payload_packets || wanted == found) continue;
            const bool bound = application_.is_bound(*c.item, what);
            if (bound && found < wanted) continue;
            const applications::Holds holds =
                was_down ? application_.when_down(*c.item, what) : applications::Holds::exactly;
            if (holds == applications::Holds::anyhow) continue;
            if (holds == applications::Holds::from_below && found > wanted) continue;
            if (holds == applications::Holds::from_above && found < wanted) continue;
            violate(fmt::format("{}: {} of {}: {} are {} the {} of {}'s formula", name_of(c),
                                applications::kCountNames.at(i), config_.names[c.plan->ends.at(side).host], found,
                                bound ? "more than" : "not", wanted, application_.name()),
                    last_end_);
        }
    }
}

bool ApplicationWork::nothing_was_repeated() const {
    for (unsigned host = 0; host < config_.names.size(); ++host) {
        if (!layout_.has_card(host)) continue;
        const rc::RcTransport& card = verbs_end(*system_, host).rnic.transport();
        if (card.count(rc::RcCount::retransmissions) + card.count(rc::RcCount::duplicates) != 0) return false;
    }
    return true;
}

void ApplicationWork::check_packets() {
    std::vector<std::uint64_t> wanted(config_.names.size());
    for (const Connection& c : connections_) {
        const applications::Counts expected = this->expected(c);
        for (unsigned side = 0; side < 2; ++side)
            wanted[c.plan->ends.at(side).host] += expected.at(side)[Count::payload_packets];
    }
    for (unsigned host = 0; host < wanted.size(); ++host) {
        if (!layout_.has_card(host)) continue;
        const std::uint64_t found = verbs_end(*system_, host).rnic.sender().counters().payload_packets;
        if (found == wanted[host]) continue;
        violate(fmt::format("{}: {} packets with payload are not the {} of {}'s formula", config_.names[host], found,
                            wanted[host], application_.name()),
                last_end_);
    }
}

}  // namespace rnicsim
