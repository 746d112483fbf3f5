// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/fields.h"

#include "model/rnic/common/fields.h"
#include "model/rnic/drp/policies/acknowledgement.h"
#include "model/rnic/drp/policies/buffer_admission.h"
#include "model/rnic/drp/policies/data_timer_rule.h"
#include "model/rnic/drp/policies/mode_choice.h"
#include "model/rnic/drp/policies/resume_rule.h"
#include "model/rnic/drp/policies/retransmission.h"
#include "model/rnic/drp/policies/window_rule.h"

namespace rnicsim {
namespace {

Fields<FilterConfig> declare_filter() {
    Fields<FilterConfig> k("system.rnic.frame_filter");
    k.time("latency", &FilterConfig::latency, Time{}, kMillisecond, "frame handed in to classified",
           "derived: 3 cycles");
    return k;
}

const Fields<FilterConfig>& filter_fields() {
    static const Fields<FilterConfig> kAll = declare_filter();
    return kAll;
}

Fields<TransportConfig> declare_transport() {
    Fields<TransportConfig> k("system.rnic.drp");
    k.choice<Method>(
        "method", &TransportConfig::method, {{"traditional", Method::traditional}, {"dynamic", Method::dynamic}},
        "direct transfers only, or indirect ones, too; run.methods sets it where a host has none of its own",
        "PROTOCOL.md 1.6");
    k.bytes("segment", &TransportConfig::segment, 1, 1468, "payload of every data frame but the last; + 32 <= MTU",
            "paper 4.1");
    k.number("window", &TransportConfig::window, 1, 64, "data frames outstanding", "paper 2.1");
    k.policy<WindowRule>("window_rule", &TransportConfig::window_rule, &window_rule, window_rule_names(),
                         "how much of the window is used: all, or additive increase, multiplicative decrease",
                         "PROTOCOL.md 4.1")
        .in_networks();
    k.policy<Retransmission>("retransmission", &TransportConfig::retransmission, &retransmission,
                             retransmission_names(), "what a loss repeats, and whether frames out of order are kept",
                             "PROTOCOL.md 4.4");
    k.number("duplicate_acks", &TransportConfig::duplicate_acks, 0, 255,
             "fast retransmission on this duplicate acknowledgement; 0 = off", "RFC 5681");
    k.policy<Acknowledgement>(
        "acknowledgement", &TransportConfig::acknowledgement, &acknowledgement, acknowledgement_names(),
        "which data frames are acknowledged at once: each, or every second one and those that matter",
        "PROTOCOL.md 4.2");
    k.policy<BufferAdmission>(
        "buffer_admission", &TransportConfig::buffer_admission, &buffer_admission, buffer_admission_names(),
        "which early data gets a slot of the indirect buffer: any, only the next in order, or at most "
        "buffer_quota of each initiator",
        "PROTOCOL.md 6.4");
    k.number("buffer_quota", &TransportConfig::buffer_quota, 1, 65536,
             "per_initiator: frames of one initiator in the indirect buffer", "assumed: a window")
        .in_networks();
    k.time("request_timer", &TransportConfig::request_timer, kNanosecond * 8, kSecond * 10, "REQ to the next REQ",
           "calibrated to figure 6");
    k.time("data_timer", &TransportConfig::data_timer, kNanosecond * 8, kSecond * 10, "no progress to retransmission",
           "calibrated to figure 6");
    k.policy<DataTimerRule>(
         "data_timer_rule", &TransportConfig::data_timer_rule, &data_timer_rule, data_timer_rule_names(),
         "data_timer as it stands, or longer where round trips are: smoothed, doubled by each expiry",
         "PROTOCOL.md 4.7")
        .in_networks();
    k.time("release_timer", &TransportConfig::release_timer, kNanosecond * 8, kSecond * 10,
           "REL to the next REL; a lost REL_ACK fails a write where more than table_entries others are released "
           "meanwhile",
           "as data_timer");
    k.time("idle_timeout", &TransportConfig::idle_timeout, kNanosecond * 8, kSecond * 1000,
           "responder: silence until a transfer is given up; longer than the other end tries "
           "(PROTOCOL.md 10.2)",
           "assumed");
    k.number("max_requests", &TransportConfig::max_requests, 1, 65535,
             "REQ sent until a transfer fails; REQ_ACKs of a read", "assumed");
    k.number("max_retransmissions", &TransportConfig::max_retransmissions, 1, 65535,
             "data or release timers without progress until a transfer fails", "assumed");
    k.policy<ModeChoice>("mode_choice", &TransportConfig::mode_choice, &mode_choice, mode_choice_names(),
                         "what makes a dynamic RNIC send indirectly: a refusal or silence, or a refusal only",
                         "PROTOCOL.md 5.2");
    k.number("indirect_after_timeouts", &TransportConfig::indirect_after_timeouts, 1, 65535,
             "dynamic: expiry of the request timer at which data goes indirect", "paper 1.3");
    k.flag("resume_on_valid_ack", &TransportConfig::resume_on_valid_ack,
           "a stalled indirect window resumes on the valid REQ_ACK, not at the data timer", "PROTOCOL.md 6.8");
    k.policy<ResumeRule>("resume_rule", &TransportConfig::resume_rule, &resume_rule, resume_rule_names(),
                         "what tells that it is stalled: nothing more may be sent, or also that the REQ_ACK says that "
                         "frames were refused",
                         "PROTOCOL.md 6.8")
        .in_networks();
    k.flag("busy_answer", &TransportConfig::busy_answer,
           "a REQ that finds the table full is answered, and its initiator does not go indirect", "PROTOCOL.md 3.23")
        .in_networks();
    k.flag("bulk_drain", &TransportConfig::bulk_drain,
           "the indirect buffer goes to memory in one DMA request; false: one a frame, to see what that is worth",
           "paper 4.3");
    k.number("table_entries", &TransportConfig::table_entries, 1, 1024, "transfers in the connection table",
             "PROTOCOL.md 3.21");
    k.bytes("indirect_buffer", &TransportConfig::indirect_buffer, 0, 64 << 20,
            "dynamic: buffer for early data; 0 B = none, else at least a segment", "paper, table 2");
    k.bytes("tx_buffer", &TransportConfig::tx_buffer, 1518, 64 << 20, "frames between DMA and wire",
            "BCM5718: 22 KiB transmit memory");
    k.bytes("rx_buffer", &TransportConfig::rx_buffer, 1518, 64 << 20,
            "data frames between wire and DMA, until they have left; one that finds no room is lost",
            "BCM5718: 40 KiB receive memory");
    k.probability("ordinary_share", &TransportConfig::ordinary_share,
                  "of the frames sent while both data and ordinary frames wait", "assumed");
    k.time("decision", &TransportConfig::decision, kNanosecond * 8, kMillisecond,
           "one decision of the transport controller; it makes one at a time", "derived: 8 cycles of the RTL");
    return k;
}

const Fields<TransportConfig>& transport_fields() {
    static const Fields<TransportConfig> kAll = declare_transport();
    return kAll;
}

Fields<QueuesConfig> declare_queues() {
    Fields<QueuesConfig> k("system.rnic.queues");
    k.time("latency", &QueuesConfig::latency, kNanosecond * 8, kMillisecond,
           "ordinary frame, status or completion in hand to DMA request or transmit queue", "derived: 4 cycles");
    return k;
}

const Fields<QueuesConfig>& queues_fields() {
    static const Fields<QueuesConfig> kAll = declare_queues();
    return kAll;
}

Fields<RnicConfig> declare_rnic() {
    Fields<RnicConfig> k("system.rnic");
    k.part(&RnicConfig::gmac, gmac_fields());
    k.time("gmac.interpacket_gap", at(&RnicConfig::gmac, &GmacConfig::interpacket_gap), kNanosecond * 96,
           kNanosecond * 8000, "gap between frames on the wire", "IEEE 802.3 4.4.2");
    k.part(&RnicConfig::filter, filter_fields());
    k.part(&RnicConfig::pcie, pcie_fields());
    k.part(&RnicConfig::transport, transport_fields());
    k.part(&RnicConfig::queues, queues_fields());
    return k;
}

}  // namespace

const Fields<RnicConfig>& rnic_fields() {
    static const Fields<RnicConfig> kAll = declare_rnic();
    return kAll;
}

}  // namespace rnicsim
