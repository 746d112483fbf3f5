// SPDX-License-Identifier: Apache-2.0
// Which blocks of a RoCEv2 card are simulated by Verilog. One row makes a block's key and its name in messages.
#pragma once

#include <array>
#include <string_view>

namespace rnicsim::rc {

/// The others are models, which give the same results.
struct InVerilog {
    bool persist_module = false, icrc = false, packet_parser = false, packet_builder = false, request_check = false,
         responder_psn = false;
    friend constexpr bool operator==(const InVerilog&, const InVerilog&) = default;
};

struct CardBlockRow {
    std::string_view name;  ///< of its key, too
    bool InVerilog::*chosen;
    std::string_view what;  ///< for the key
};
inline constexpr std::array kCardBlocks{
    CardBlockRow{"persist_module", &InVerilog::persist_module,
                 "who decides about flush reads and PACKs: the model, or rtl/rc/pm_module.sv"},
    CardBlockRow{"icrc", &InVerilog::icrc,
                 "who makes and checks ICRCs: the model, or rtl/rc/icrc_insert.sv and icrc_check.sv"},
    CardBlockRow{"packet_parser", &InVerilog::packet_parser,
                 "who reads packets: the model, or rtl/rc/packet_parser.sv"},
    CardBlockRow{"packet_builder", &InVerilog::packet_builder,
                 "who makes packets: the model, or rtl/rc/packet_builder.sv"},
    CardBlockRow{"request_check", &InVerilog::request_check,
                 "who judges requests: the model, or rtl/rc/request_check.sv"},
    CardBlockRow{"responder_psn", &InVerilog::responder_psn,
                 "who finds where a request stands in its QP's order: the model, or rtl/rc/responder_psn.sv"},
};

}  // namespace rnicsim::rc
