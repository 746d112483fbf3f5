// SPDX-License-Identifier: Apache-2.0
// Runs one case, or lists them.
#include "testbench/tests/programs/calls.h"

#include <string>

int main(int count, char** words) {
    const std::string wanted = count == 2 ? words[1] : "";
    if (wanted == "--list") {
        for (const calls::Case& each : calls::cases()) std::puts(each.name);
        return 0;
    }
    for (const calls::Case& each : calls::cases()) {
        if (wanted != each.name) continue;
        each.run();
        return 0;
    }
    std::fprintf(stderr, "no such case: %s\n", wanted.c_str());
    return 2;
}
