// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/exchange.h"

#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/raw.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rnicsim::programs {
namespace {

constexpr std::int32_t kMostErrno = 4095;

/// The descriptor that came with a message, or -1.
int descriptor_of(msghdr& message) {
    const cmsghdr* const control = CMSG_FIRSTHDR(&message);
    if (control == nullptr || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) return -1;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(control), sizeof fd);
    return fd;
}

/// From the request to its answer.
class Busy {
  public:
    explicit Busy(Connection& connection) : busy_(connection.busy) { busy_ = true; }
    ~Busy() { busy_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

  private:
    bool& busy_;
};

/// The descriptor that comes with an answer has found no place: the process has as many as it may have.
bool is_descriptor_lost(const AnswerHeader& header, int flags, bool wants_descriptor, int descriptor) {
    return (flags & MSG_CTRUNC) != 0 && wants_descriptor && descriptor < 0 && header.error == 0;
}

/// What is wrong with an answer, or null.
const char* fault_of(const AnswerHeader& header, std::size_t got, int flags, bool wants_descriptor, int descriptor) {
    if (got == 0) return "it has closed its socket";
    const bool lost = is_descriptor_lost(header, flags, wants_descriptor, descriptor);
    if ((flags & MSG_TRUNC) != 0 || ((flags & MSG_CTRUNC) != 0 && !lost)) return "an answer is too long";
    if (got < sizeof header || header.bytes != got) return "an answer does not have the length that it says";
    if (header.error < 0 || header.error > kMostErrno) return "an answer has an unknown error";
    if (wants_descriptor && header.error == 0 && descriptor < 0 && !lost) return "an answer lacks its descriptor";
    return nullptr;
}

}  // namespace

int send_request(Connection& connection, Op op, const iovec* request, unsigned parts) {
    if (parts > kRnicsimParts) return EINVAL;
    connection.clock = std::max(connection.clock, simulated_now());
    RequestHeader header{.op = op, .bytes = sizeof header, .at = connection.clock};
    std::array<iovec, 1 + kRnicsimParts> all{{{&header, sizeof header}}};
    std::copy_n(request, parts, all.begin() + 1);
    std::size_t bytes = 0;
    for (unsigned i = 0; i <= parts; ++i) bytes += all[i].iov_len;
    if (bytes > kMostMessage) return EMSGSIZE;
    header.bytes = static_cast<std::uint32_t>(bytes);
    msghdr message{};
    message.msg_iov = all.data();
    message.msg_iovlen = 1 + parts;
    if (raw::send(connection.fd, message) == static_cast<ssize_t>(bytes)) return 0;
    return lose_simulator(connection, std::strerror(errno));
}

int exchange(Connection& connection, const Exchange& what, std::size_t& got) {
    const Busy here(connection);
    if (const int error = send_request(connection, what.op, what.request, what.parts); error != 0) return error;
    return receive_answer(connection, what, got);
}

int receive_answer(Connection& connection, const Exchange& what, std::size_t& got) {
    if (what.answer_parts > kRnicsimParts) return lose_simulator(connection, std::strerror(EINVAL));
    connection.reads.begin();
    connection.yields = 0;
    AnswerHeader header;
    std::array<iovec, 1 + kRnicsimParts> into{{{&header, sizeof header}}};
    std::copy_n(what.answer, what.answer_parts, into.begin() + 1);
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = into.data();
    message.msg_iovlen = 1 + what.answer_parts;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t received = raw::receive(connection.fd, message);
    if (received < 0) return lose_simulator(connection, std::strerror(errno));
    const int came = descriptor_of(message);
    const bool expects = what.descriptor != nullptr;
    const char* const fault = fault_of(header, static_cast<std::size_t>(received), message.msg_flags, expects, came);
    const bool wanted = expects && fault == nullptr && header.error == 0;
    if (came >= 0 && !wanted) raw::close(came);
    if (fault != nullptr) return lose_simulator(connection, fault);
    connection.clock = header.now;
    got = static_cast<std::size_t>(received) - sizeof header;
    if (is_descriptor_lost(header, message.msg_flags, expects, came)) return EMFILE;
    if (wanted) *what.descriptor = came;
    return header.error;
}

}  // namespace rnicsim::programs
