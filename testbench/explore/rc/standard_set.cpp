#include "testbench/explore/rc/standard_set.h"

namespace rnicsim::rc {
namespace {

Workload bounds_of(std::string_view policy, std::uint32_t window, std::uint32_t rd_atomic) {
    Workload bounds;
    bounds.retransmission = &retransmission(policy);
    bounds.window = window;
    bounds.rd_atomic = rd_atomic;
    return bounds;
}

std::string names_of(const std::vector<Verb>& messages) {
    std::string text;
    for (const Verb verb : messages) text.append(text.empty() ? "" : ", ").append(verb_name(verb));
    return text;
}

std::string number(const char* name, std::uint32_t value) { return std::string(", ") + name + std::to_string(value); }

}  // namespace

std::vector<Workload> singles_of(const Workload& bounds) {
    std::vector<Workload> all;
    for (const Verb verb : kExploredVerbs) {
        all.push_back(bounds);
        all.back().messages = {verb};
    }
    return all;
}

std::vector<Workload> pairs_of(const Workload& bounds, std::span<const Verb> firsts) {
    std::vector<Workload> all;
    for (const Verb first : firsts) {
        for (const Verb second : kExploredVerbs) {
            all.push_back(bounds);
            all.back().messages = {first, second};
        }
    }
    return all;
}

std::vector<UnreliableWorkload> unreliable_of(Service service, std::uint32_t faults) {
    if (service == Service::datagram) return {{service, {Verb::send, Verb::send, Verb::send}, 1, faults}};
    std::vector<UnreliableWorkload> all;
    for (const Verb first : kExploredUcVerbs) {
        all.push_back({service, {first}, 3, faults});
        for (const Verb second : kExploredUcVerbs) all.push_back({service, {first, second}, 2, faults});
    }
    return all;
}

std::vector<AnyWorkload> standard_set() {
    std::vector<AnyWorkload> all;
    const auto add = [&all](const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
    for (const auto& [policy, packets] : {std::pair{"go_back_n", 3U}, std::pair{"selective_repeat", 4U}}) {
        Workload bounds = bounds_of(policy, packets, 1);
        bounds.packets = packets;
        bounds.faults = 2;
        add(singles_of(bounds));
    }
    add(pairs_of(bounds_of("go_back_n", 3, 1)));
    add(pairs_of(bounds_of("go_back_0", 3, 2)));
    add(pairs_of(bounds_of("selective_repeat", 4, 2)));
    Workload apart = bounds_of("selective_repeat", 4, 1);
    apart.apart = true;
    apart.packets = 3;
    add(pairs_of(apart));
    add(unreliable_of(Service::unreliable, 2));
    add(unreliable_of(Service::datagram, 2));
    return all;
}

std::string describe(const Workload& w) {
    std::string text = "RC " + names_of(w.messages) + number("", w.packets) + (w.packets == 1 ? " packet" : " packets");
    text += ", " + std::string(w.retransmission->name()) + number("window ", w.window) +
            number("rd_atomic ", w.rd_atomic) + number("F ", w.faults);
    if (w.retry != Workload{}.retry) text += number("retry ", w.retry);
    if (w.rnr != Workload{}.rnr) text += number("rnr ", w.rnr);
    if (w.apart) text += ", apart";
    return text;
}

std::string describe(const UnreliableWorkload& w) {
    return std::string(w.service == Service::datagram ? "UD " : "UC ") + names_of(w.messages) + number("", w.packets) +
           (w.packets == 1 ? " packet" : " packets") + number("F ", w.faults);
}

}  // namespace rnicsim::rc
