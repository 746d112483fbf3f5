#include "testbench/programs/server/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <systemc>

#include <array>
#include <cstring>
#include <fstream>
#include <string>

namespace rnicsim::programs {

bool Connection::is_outside() const {
    if (!introduced()) return true;
    std::ifstream file(fmt::format("/proc/{}/task/{}/stat", program_->process, thread_));
    std::string line;
    if (!std::getline(file, line)) return true;
    const std::size_t behind_name = line.rfind(')');  // a name may have any characters
    return behind_name != std::string::npos && behind_name + 2 < line.size() && line[behind_name + 2] != 'R';
}

double Connection::computed() const {
    if (!introduced()) return 0;
    std::ifstream file(fmt::format("/proc/{}/task/{}/schedstat", program_->process, thread_));
    std::uint64_t nanoseconds = 0;
    file >> nanoseconds;
    return static_cast<double>(nanoseconds) * 1e-9;
}

void Connection::answer(Time now, int error, const Reply& reply, int descriptor) {
    advance(now);
    AnswerHeader header;
    header.error = error;
    header.now = clock_.ps;
    const std::span<const std::byte> body = error == 0 ? reply.bytes() : std::span<const std::byte>{};
    header.bytes = static_cast<std::uint32_t>(sizeof header + body.size());
    std::array<iovec, 2> parts{{{&header, sizeof header}, {const_cast<std::byte*>(body.data()), body.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (descriptor >= 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    }
    if (state_ == State::gone) return;
    state_ = State::running;
    computed_before = computed();
    static_cast<void>(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL));  // if it is gone, its socket says so
    if (sc_core::sc_is_running()) sc_core::sc_pause();
}

}  // namespace rnicsim::programs
