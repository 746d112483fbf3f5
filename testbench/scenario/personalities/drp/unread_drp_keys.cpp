// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/policies/buffer_admission.h"
#include "model/rnic/drp/policies/mode_choice.h"
#include "testbench/scenario/unread_keys.h"

#include <array>

namespace rnicsim {
namespace {

const RegistrationConfig& registration(const Part& part) { return part.drp().host.registration; }
const TransportConfig& transport(const Part& part) { return part.drp().rnic.transport; }

bool has_no_item(const Part& part) { return !part.host().any() && !part.use.pings(); }
bool is_not_asked(const Part& part) { return !part.host().responds; }
bool has_no_bridge(const Part& part) { return part.drp().host.bridge.bytes_per_second == 0; }
bool is_traditional(const Part& part) { return transport(part).method == Method::traditional; }
/// Where memory is short the host waits until some is given back.
bool never_fails(const Part& part) { return registration(part).failure <= 0; }
bool always_has_memory(const Part& part) { return registration(part).pool.size == 0; }
bool never_fails_and_has_memory(const Part& part) { return never_fails(part) && always_has_memory(part); }
bool retries_on_request(const Part& part) { return registration(part).retry->name() == "on_request"; }
bool has_no_tasks(const Part& part) { return registration(part).pool.tasks == 0; }
bool does_not_ping(const Part& part) { return part.drp().host.ping.sizes.empty(); }
bool nobody_pings(const Part& part) { return !part.use.pings(); }
bool has_no_indirect_buffer(const Part& part) { return transport(part).indirect_buffer == 0; }
bool has_no_quota(const Part& part) { return transport(part).buffer_admission->name() != "per_initiator"; }
bool does_not_count_expiries(const Part& part) { return transport(part).mode_choice->name() == "on_refusal"; }

constexpr std::string_view kBridge = "system.host.bridge.bandwidth", kMethod = "system.rnic.drp.method",
                           kFailure = "system.host.registration.failure", kPool = "system.host.registration.pool.size",
                           kTasks = "system.host.registration.pool.tasks", kPings = "system.host.ping.sizes",
                           kBuffer = "system.rnic.drp.indirect_buffer";
constexpr std::string_view kTraditional = "the method is traditional", kDynamic = ": dynamic";
constexpr std::string_view kNobody = "no host pings another one", kNoItem = "no item has the host",
                           kItem = " with an item of it", kNoBuffer = "there is no indirect buffer",
                           kSomeBytes = " of more than 0 B", kSizes = ", such as [256 B]";

constexpr std::array kDrpRules = std::to_array<UnreadRule>({
    {"system.host.", has_no_item, kNoItem, "run.traffic", kItem, But::file},
    {"system.rnic.drp.", has_no_item, kNoItem, "run.traffic", kItem, But::file},
    {"system.rnic.pcie.", has_no_item, kNoItem, "run.traffic", kItem, But::file},
    {"system.rnic.gmac.", has_no_item, kNoItem, "run.traffic", kItem, But::file},
    {"system.rnic.frame_filter.", has_no_item, kNoItem, "run.traffic", kItem, But::file},
    {"system.rnic.queues.", has_no_item, kNoItem, "run.traffic", kItem, But::file},
    {"system.host.bridge.request_cost", has_no_bridge, "there is no bridge", kBridge, " of 1 MB/s or more"},
    {"system.host.registration.", is_not_asked, "who answers registers memory, and this host is asked for nothing", "",
     "an item that asks it", But::programs},
    {"system.host.registration.retry", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.host.registration.retry", never_fails_and_has_memory, "no registration fails", kFailure,
     " of more than 0 %", But::tape},
    {"system.host.registration.retry_interval", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.host.registration.retry_interval", retries_on_request, "the host does not try again by itself",
     "system.host.registration.retry", ": when_released or back_off"},
    {"system.host.registration.retry_interval", never_fails, "no registration fails but for want of memory", kFailure,
     " of more than 0 %", But::tape},
    {"system.host.registration.pool.tasks", always_has_memory, "memory has no limit", kPool, kSomeBytes},
    {"system.host.registration.pool.held", always_has_memory, "memory has no limit", kPool, kSomeBytes},
    {"system.host.registration.pool.hold_time", always_has_memory, "memory has no limit", kPool, kSomeBytes},
    {"system.host.registration.pool.rest_time", always_has_memory, "memory has no limit", kPool, kSomeBytes},
    {"system.host.registration.pool.held", has_no_tasks, "there are no other tasks", kTasks, " of 1 or more",
     But::tape},
    {"system.host.registration.pool.hold_time", has_no_tasks, "there are no other tasks", kTasks, " of 1 or more",
     But::tape},
    {"system.host.registration.pool.rest_time", has_no_tasks, "there are no other tasks", kTasks, " of 1 or more",
     But::tape},
    {"system.host.ping.interval", does_not_ping, "the host does not ping", kPings, kSizes},
    {"system.host.receive_ring", nobody_pings, kNobody, kPings, kSizes},
    {"system.rnic.drp.ordinary_share", nobody_pings, kNobody, kPings, kSizes},
    {"system.rnic.drp.mode_choice", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.rnic.drp.indirect_after_timeouts", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.rnic.drp.indirect_after_timeouts", does_not_count_expiries, "only a refusal makes data go indirect",
     "system.rnic.drp.mode_choice", ": paper"},
    {"system.rnic.drp.resume_on_valid_ack", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.rnic.drp.resume_rule", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.rnic.drp.bulk_drain", is_traditional, kTraditional, kMethod, kDynamic},
    {kBuffer, is_traditional, kTraditional, kMethod, kDynamic},
    {"system.rnic.drp.buffer_admission", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.rnic.drp.buffer_quota", is_traditional, kTraditional, kMethod, kDynamic},
    {"system.rnic.drp.buffer_quota", has_no_quota, "buffer_admission counts no initiator's frames",
     "system.rnic.drp.buffer_admission", ": per_initiator"},
    {"system.rnic.drp.buffer_admission", has_no_indirect_buffer, kNoBuffer, kBuffer, kSomeBytes},
    {"system.rnic.drp.buffer_quota", has_no_indirect_buffer, kNoBuffer, kBuffer, kSomeBytes},
    {"system.rnic.drp.bulk_drain", has_no_indirect_buffer, kNoBuffer, kBuffer, kSomeBytes},
});

}  // namespace

std::span<const UnreadRule> unread_of_drp_hosts() { return kDrpRules; }

}  // namespace rnicsim
