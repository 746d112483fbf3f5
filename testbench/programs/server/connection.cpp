// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <infiniband/verbs.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <systemc>

#include <unistd.h>
#include <array>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace rnicsim::programs {
namespace {

/// The numbers of a thread in its PID namespace and those around it, from here inwards: "NSpid" of proc(5).
std::vector<pid_t> numbers_of(const std::string& folder) {
    std::ifstream file(folder + "/status");
    std::vector<pid_t> numbers;
    for (std::string word; file >> word;) {
        if (word != "NSpid:") continue;
        for (pid_t number = 0; file.peek() != '\n' && file >> number;) numbers.push_back(number);
        break;
    }
    return numbers;
}

/// A program in a PID namespace of its own knows its threads by other numbers than /proc here. 0: there is none.
pid_t number_here(pid_t process, pid_t own) {
    const std::string folder = fmt::format("/proc/{}", process);
    if (numbers_of(folder).size() <= 1) return own;
    std::error_code gone;
    for (std::filesystem::directory_iterator at(folder + "/task", gone), end; !gone && at != end; at.increment(gone)) {
        const std::vector<pid_t> numbers = numbers_of(at->path().string());
        if (!numbers.empty() && numbers.back() == own) return numbers.front();
    }
    return 0;
}

}  // namespace

Connection::Doing Connection::doing() const {
    std::array<char, 256> text{};
    const ssize_t got = ::pread(stat_.get(), text.data(), text.size(), 0);
    if (got <= 0) return Doing::blocked;  // it has ended
    const std::string_view line(text.data(), static_cast<std::size_t>(got));
    const std::size_t behind_name = line.rfind(')');  // a name may have any characters
    if (behind_name == std::string_view::npos || behind_name + 2 >= line.size()) return Doing::blocked;
    switch (line[behind_name + 2]) {
        case 'R':
        case 'D':
            return Doing::computes;  // D: the machine's disk or the like, which nobody waits for in simulated time
        case 'T':
        case 't': return Doing::stopped;
        default: return Doing::blocked;
    }
}

std::int64_t Connection::computed() const {
    timespec time{};
    if (!introduced() || ::clock_gettime(processor_, &time) != 0) return 0;
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

void Connection::introduce(Program& program, HostService& service, pid_t thread) {
    own_number_ = thread;
    number_ = number_here(program.process, thread);
    stat_ = Descriptor(
        ::open(fmt::format("/proc/{}/task/{}/stat", program.process, number_).c_str(), O_RDONLY | O_CLOEXEC));
    if (stat_.get() < 0) throw Refusal{ESRCH};
    program_ = &program;
    thread_ = program.threads++;
    service_ = &service;
    ::clock_getcpuclockid(program.process, &processor_);
}

Asked Connection::ask(Op op, std::span<const std::byte> body, Time at) {
    Asked asked{op, thread_, 0, kNoState, at};
    if (body.size() >= sizeof asked.object) std::memcpy(&asked.object, body.data(), sizeof asked.object);
    QpChange change;
    if (op == Op::modify_qp && body.size() >= sizeof change) {
        std::memcpy(&change, body.data(), sizeof change);
        if ((change.what & IBV_QP_STATE) != 0) asked.state = change.state;
    }
    if (op != Op::stop_waiting) asked_ = asked;
    return asked;
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
    if (observer_ != nullptr && introduced()) observer_->answered(*program_, asked_, error, body, clock_);
    state_ = State::running;
    news = false;
    spinning.begin(computed());
    shown_.show(current_time());
    static_cast<void>(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL));  // if it is gone, its socket says so
    if (sc_core::sc_is_running()) sc_core::sc_pause();
}

}  // namespace rnicsim::programs
