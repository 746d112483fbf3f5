// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/old_names.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace rnicsim {
namespace {

struct Renamed {
    std::string_view was, is;  ///< parts of a path, behind a point
};
/// Since 0.1: only DRP RNICs have these keys.
constexpr std::array kRenamed{Renamed{"rnic.transport", "rnic.drp"}};

/// Where the old name stands in the path; npos: nowhere.
std::size_t place_of(std::string_view path, const Renamed& name) {
    for (std::size_t at = path.find(name.was); at != std::string_view::npos; at = path.find(name.was, at + 1)) {
        const std::size_t end = at + name.was.size();
        const bool whole = end == path.size() || path[end] == '.';
        if (whole && at != 0 && path[at - 1] == '.') return at;
    }
    return std::string_view::npos;
}

}  // namespace

std::string named_now(const std::string& path) {
    std::string now = path;
    for (const Renamed& name : kRenamed) {
        const std::size_t at = place_of(now, name);
        if (at != std::string::npos) now.replace(at, name.was.size(), name.is);
    }
    return now;
}

std::string old_name_warning(const std::string& where, const std::string& path) {
    return where + ": " + path + " is called " + named_now(path) + " now; the next release will not know the old name";
}

}  // namespace rnicsim
