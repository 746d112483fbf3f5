#include "testbench/explore/rc/words.h"

#include "tlm/roce/describe.h"

#include <stdexcept>

namespace rnicsim::rc {
namespace {

std::string_view fate_of(Step step) {
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

std::string frame_in_words(Step step, const roce::Header& header) {
    std::string text = is_of_request(step) ? "a>b " : "b>a ";
    return text.append(roce::describe(header)).append(" ").append(fate_of(step));
}

std::string_view host_in_words(Step step) {
    switch (step) {
        case Step::post: return "a: a WQE is posted";
        case Step::post_receive: return "b: a receive WQE is posted";
        case Step::read_receives: return "b: the card reads receive WQEs";
        case Step::request: return "a: the next packet leaves";
        case Step::answer: return "b: the next answer leaves";
        case Step::posted: return "b: the oldest write is in memory";
        case Step::atomic: return "b: the atomic unit is done";
        case Step::timer: return "a: the timer expires";
        case Step::taken: return "a: the MAC takes the packet";
        default: throw std::logic_error("a step of a packet");
    }
}

}  // namespace rnicsim::rc
