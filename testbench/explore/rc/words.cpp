// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/rc/words.h"

#include "tlm/roce/describe.h"

#include <stdexcept>

namespace rnicsim::rc {
namespace {

std::string_view fate_in_words(Step step) {
    switch (step) {
        case Step::deliver_request:
        case Step::deliver_answer: return "arrives";
        case Step::lose_request:
        case Step::lose_answer: return "is lost";
        case Step::copy_request_next:
        case Step::copy_answer_next: return "is copied";
        case Step::copy_request_last:
        case Step::copy_answer_last: return "is copied, the copy is the last in flight";
        case Step::overtake_request:
        case Step::overtake_answer: return "is overtaken by the next packet";
        case Step::overtake_request_all:
        case Step::overtake_answer_all: return "is overtaken by all packets in flight";
        default: throw std::logic_error("a step of no packet");
    }
}

}  // namespace

std::string frame_in_words(Step step, const std::string& way, const roce::Header& header) {
    return way + " " + roce::describe(header) + " " + std::string(fate_in_words(step));
}

std::string host_in_words(Step step, const std::string& who) {
    const auto what = [step]() -> std::string_view {
        switch (step) {
            case Step::post: return "a WQE is posted";
            case Step::post_receive: return "a receive WQE is posted";
            case Step::read_receives: return "the card reads receive WQEs";
            case Step::request: return "the next packet leaves";
            case Step::answer: return "the next answer leaves";
            case Step::posted: return "the oldest write is in memory";
            case Step::atomic: return "the atomic unit is done";
            case Step::flush_read: return "the flush read comes back";
            case Step::timer: return "the timer expires";
            case Step::taken: return "the MAC takes the packet";
            case Step::modify_to_error: return "the QP is modified to ERR";
            case Step::deregister: return "the region is deregistered";
            default: throw std::logic_error("a step of a packet");
        }
    };
    return who + ": " + std::string(what());
}

}  // namespace rnicsim::rc
