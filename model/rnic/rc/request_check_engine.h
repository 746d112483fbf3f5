// SPDX-License-Identifier: Apache-2.0
// What a responder asks of a request before it takes it: the model (request_checks.h), or Verilog. No time.
#pragma once

#include <array>

namespace rnicsim::roce {
struct Header;
}

namespace rnicsim::rc {

class MrTable;
struct Qp;

/// What an opcode of a request says by itself.
struct RequestKind {
    /// None of them: no request of RC.
    bool send = false, write = false, read = false, atomic = false, flush = false, atomic_write = false;
    bool persist = false;    ///< of a WRITE: its opcode is the mark (V-P1)
    bool addressed = false;  ///< of a WRITE: each packet says where it goes (V-R12)
    bool first = false, last = false;
    bool immediate = false, invalidates = false;
    /// More than an ACK is due.
    [[nodiscard]] bool has_answer() const { return read || atomic || flush || atomic_write; }
    friend constexpr bool operator==(const RequestKind&, const RequestKind&) = default;
};

/// All of that, by the names that the Verilog has.
struct RequestKindBit {
    const char* name;
    bool RequestKind::*is;
};
inline constexpr std::array<RequestKindBit, 12> kRequestKindBits{{{"Send", &RequestKind::send},
                                                                  {"Write", &RequestKind::write},
                                                                  {"Read", &RequestKind::read},
                                                                  {"Atomic", &RequestKind::atomic},
                                                                  {"Flush", &RequestKind::flush},
                                                                  {"AtomicWrite", &RequestKind::atomic_write},
                                                                  {"Persist", &RequestKind::persist},
                                                                  {"Addressed", &RequestKind::addressed},
                                                                  {"First", &RequestKind::first},
                                                                  {"Last", &RequestKind::last},
                                                                  {"Immediate", &RequestKind::immediate},
                                                                  {"Invalidates", &RequestKind::invalidates}}};

/// A request is refused for the first that is false (VERBS.md 4), each of which holds or not whatever the others are.
struct Verdict {
    bool sequence = false;  ///< the opcode continues the message under way, or begins one if there is none
    bool allowed = false;   ///< the QP's peer may do this at all
    bool length = false;  ///< payload and lengths are as the opcode and the message so far demand; not the receive WQE
    bool key = false;     ///< the keys open what the request touches
    [[nodiscard]] bool good() const { return sequence && allowed && length && key; }
    friend constexpr bool operator==(const Verdict&, const Verdict&) = default;
};

class RequestCheckEngine {
  public:
    virtual ~RequestCheckEngine() = default;
    /// `kind`: of the header's opcode. The same question has the same answer whenever it is asked.
    [[nodiscard]] virtual Verdict check(const RequestKind& kind, const roce::Header& header, const Qp& qp,
                                        const MrTable& regions) const = 0;

  protected:
    RequestCheckEngine() = default;
    RequestCheckEngine(const RequestCheckEngine&) = default;
    RequestCheckEngine& operator=(const RequestCheckEngine&) = default;
};

}  // namespace rnicsim::rc
