// SPDX-License-Identifier: Apache-2.0
// What Verilog prints, by $display and its like: compiled into Verilator's own sources in the place of printf
// (rtl/CMakeLists.txt). The text of a failed assertion belongs to the fault that ends the run.
#pragma once

#include <cstdio>
#include <string>

namespace rnicsim {

void verilog_says(const std::string& text);

template <typename... Values>
int verilog_prints(const char* format, Values... values) {
    const int length = std::snprintf(nullptr, 0, format, values...);
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), format, values...);
    text.pop_back();
    verilog_says(text);
    return length;
}

}  // namespace rnicsim
