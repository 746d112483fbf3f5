// SPDX-License-Identifier: Apache-2.0
// Our blocks with one wrong port, as if each were a user's; and cosim's message about them.
#pragma once

#include "model/rtl/rtl_blocks.h"

#include <verilated.h>
#include <catch2/catch_test_macros.hpp>
#include <regex>
#include <string>
#include <type_traits>
#include <utility>

namespace rnicsim {

/// `Port`: names an output of a module. `Spoil`: makes the value on the port from the right value and that of the cycle
/// before. The module itself sees the right one.
template <typename Module, auto Port, auto Spoil>
class WrongOutput : public Module {
  public:
    WrongOutput(VerilatedContext* context, const char* name) : Module(context, name), right_(Port(*this)) {}
    void eval() {
        Port(*this) = right_;
        if (this->clk_i != 0 && !clock_) before_ = right_;
        clock_ = this->clk_i != 0;
        Module::eval();
        right_ = Port(*this);
        Port(*this) = Spoil(right_, before_);
    }

  private:
    using Value = std::remove_cvref_t<decltype(Port(std::declval<Module&>()))>;
    Value right_{}, before_{};
    bool clock_ = false;
};

/// The same for an input: the module sees the spoiled value.
template <typename Module, auto Port, auto Spoil>
class WrongInput : public Module {
  public:
    using Module::Module;
    void eval() {
        const auto given = Port(*this);
        Port(*this) = Spoil(given);
        Module::eval();
        Port(*this) = given;
    }
};

inline constexpr auto kLate = [](auto, auto before) { return before; };
inline constexpr auto kInverted = [](auto right, auto) -> decltype(right) { return right ^ 1U; };

#define RNICSIM_PORT(name) ([](auto& module) -> auto& { return module.name; })
/// `check`: takes the port as its template argument.
#define RNICSIM_CHECK(name) check.operator()<RNICSIM_PORT(name)>(#name)

/// The fault that ends a run with a faulty block, or nothing.
template <typename Run>
std::string fault_of(const Run& run) {
    try {
        run();
    } catch (const RtlFault& fault) { return fault.what(); }
    return "nothing";
}

/// Checks that the message names the port, the cycle, and the time in a waveform.
inline void check_named(const std::string& fault, const std::string& block, const std::string& port) {
    INFO(port << ": " << fault);
    std::smatch found;
    REQUIRE(std::regex_match(fault, found,
                             std::regex(R"((\w+) \(mine\): ([\w\[\]]+) is \w+ in cycle (\d+) \((\d+) ps )"
                                        R"(in its waveform\), expected \w+: .+)")));
    CHECK(found[1] == block);
    CHECK(found[2] == port);
    CHECK(std::stoll(found[3]) * 8000 == std::stoll(found[4]));
}

}  // namespace rnicsim
