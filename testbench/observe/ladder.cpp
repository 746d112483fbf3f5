#include "testbench/observe/ladder.h"

#include "testbench/observe/microseconds.h"

namespace rnicsim {

std::string size_text(std::uint64_t bytes) {
    if (bytes != 0 && bytes % 1024 == 0) return std::to_string(bytes / 1024) + " KiB";
    return std::to_string(bytes) + " B";
}

std::string LadderMark::label() const { return count == 1 ? text : text + " (" + std::to_string(count) + " times)"; }

void LadderFrames::join(const LadderFrames& next) {
    last = next.last;
    arrives = next.arrives;
    ++count;
    if (next.waited <= waited) return;
    waited = next.waited;
    place = next.place;
}

std::string LadderFrames::label() const {
    std::string text = of + std::string(name);
    if (!numbered.empty()) {
        text.append(numbered) += std::to_string(first);
        if (first == last && count > 1) text += " (" + std::to_string(count) + " times)";
        if (first != last) text += ".." + std::to_string(last) + " (" + std::to_string(count) + " frames)";
    }
    if (indirect && look == Look::data) text += " indirect";
    if (again) text += " again";
    if (copy) text += ", a copy";
    if (damaged) text += ", damaged";
    return text;
}

std::string LadderFrames::on_the_way() const {
    if (place.empty()) return {};
    if (lost) return place;
    return std::string(count == 1 ? "waited " : "waited up to ") + microseconds(waited) + " \u00B5s at " + place;
}

}  // namespace rnicsim
