// SPDX-License-Identifier: Apache-2.0
// Values as written: an item's own, else its group's, else that of all, else the default.
#pragma once

#include "model/keys/values.h"
#include "testbench/scenario/profiles.h"
#include "testbench/scenario/reader.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

/// Looks up values of one item. Remembers which keys were asked for.
class Lookup final : public Values {
  public:
    /// `levels`: where its own values may stand, the nearest first (path_in()); none: of the run as a whole.
    /// `where`: the item, or the file.
    Lookup(const ParsedValues& values, std::string where, std::vector<std::string> levels = {})
        : values_(values), where_(std::move(where)), levels_(std::move(levels)) {}

    [[nodiscard]] Value get(const std::string& path) override {
        const Key* const key = find_key(path);
        if (key == nullptr) throw std::logic_error("no such key: " + path);
        const Found found = look(*key, path);
        asked_.insert_or_assign(path, found.path);
        if (found.looked_at != nullptr) {
            std::string& of_preset = asked_[std::string(found.looked_at->key)];
            if (!found.looked_at_path.empty()) of_preset = found.looked_at_path;
        }
        if (found.written != nullptr) return found.written->value;
        Value value;
        std::string expected;
        if (is_list(key->kind)) return value;
        if (!read_value(*key, std::string(found.text), value, expected)) {
            throw std::logic_error("the default of " + path + " is not legal: expected " + expected);
        }
        return value;
    }
    std::int64_t number(const std::string& path) { return get(path).number; }
    std::uint32_t u32(const std::string& path) { return static_cast<std::uint32_t>(get(path).number); }
    /// Of a module with this clock. Throws ScenarioError if it is no whole number of its cycles.
    Cycle cycles(const std::string& path, const Clock& clock) override {
        if (find_key(path)->kind != Kind::picoseconds) return {number(path)};
        const std::int64_t ps = number(path), period = clock.period().ps;
        if (ps % period == 0) return {ps / period};
        const Key& key = *find_key(path);
        const std::int64_t below = ps / period * period, above = below + period;
        const std::string lower = below < key.least ? "" : write_limit(key, below);
        const std::string upper = above > key.most ? "" : write_limit(key, above);
        refuse(path, path,
               "found '" + text(path) + "', expected a whole number of " + write_limit(key, period) +
                   " cycles, such as " + lower + (lower.empty() || upper.empty() ? "" : " or ") + upper);
    }
    Time time(const std::string& path) {
        const std::int64_t n = number(path);
        return find_key(path)->kind == Kind::picoseconds ? Time{n} : kGmiiClock.time(Cycle{n});
    }
    double fraction(const std::string& path) { return get(path).fraction; }

    /// Rejects the value of `path`, which does not go together with that of `other`. The place is that of whichever was
    /// written; the other one has its default then, or what a preset gives, which is said.
    [[noreturn]] void refuse(const std::string& path, const std::string& other, const std::string& what) {
        const Found found = look(*find_key(path), path);
        const bool given = found.preset != nullptr;
        const ParsedValue* written = found.written;
        if (written == nullptr && other != path) written = find(other);
        reject(written != nullptr ? written->where : where_, shown(path),
               what + (given ? "; the value is from the preset " + std::string(found.preset->key) + ": " +
                                   std::string(found.preset_name)
                             : ""));
    }
    /// Rejects an item as a whole.
    [[noreturn]] void refuse_item(const std::string& path, const std::string& what) const {
        reject(where_, path, what);
    }
    /// The word chosen.
    std::string word(const std::string& path) {
        return std::string(find_key(path)->choices.at(static_cast<std::size_t>(number(path))));
    }
    std::string text(const std::string& path) { return write_value(*find_key(path), get(path)); }
    [[nodiscard]] bool written(const std::string& path) const { return find(path) != nullptr; }
    /// Where the value stands, if it is the item's or the group's own.
    [[nodiscard]] std::string nearest_path(const std::string& path) const { return shown(path); }
    /// By key that was asked for: the path that gave its value, or a preset's path; empty: the default.
    [[nodiscard]] const std::map<std::string, std::string>& asked() const { return asked_; }
    /// Does the item look here for one of its keys? It may find the value before.
    [[nodiscard]] bool may_read(const std::string& path) const {
        const std::string common = common_path(path);
        return asked_.contains(common) && (path == common || std::ranges::any_of(levels_, [&](const auto& level) {
                                               return path_in(level, common) == path;
                                           }));
    }
    struct Origin {
        std::string path, where;  ///< of the value, or of a preset
        std::string reaches;      ///< at this path a value would count
    };
    /// All are empty if it has its default.
    [[nodiscard]] Origin origin(const std::string& path) const {
        const Found found = look(*find_key(path), path);
        if (found.written != nullptr) return {found.path, found.written->where, found.path};
        if (found.path.empty()) return {};
        return {found.path, values_.at(found.path).where, path_at(found.level, path)};
    }

  private:
    /// Where a value is from.
    struct Found {
        const ParsedValue* written = nullptr;  ///< or else:
        std::string_view text;                 ///< the default, or what a preset says
        const Preset* preset = nullptr;        ///< which says it
        std::string path;                      ///< where it, or the preset, is written; empty: nowhere
        std::size_t level = 0;                 ///< of the preset
        const Preset* looked_at = nullptr;     ///< on the way, whether it says it or not
        std::string looked_at_path;            ///< empty: nowhere
        std::string_view preset_name = "none";
    };
    [[nodiscard]] Found look(const Key& key, const std::string& path) const {
        const auto preset = std::ranges::find_if(presets(), [&](const Preset& one) { return one.decides(path); });
        Found found;
        for (std::size_t i = 0; i <= levels_.size(); ++i) {
            std::string own = path_at(i, path);
            if (i < levels_.size() && own == path) continue;  // that level has no such key
            if (const auto value = values_.find(own); value != values_.end()) {
                found.written = &value->second;
                found.path = std::move(own);
                return found;
            }
            if (preset == presets().end()) continue;
            found.looked_at = &*preset;
            if (found.looked_at_path.empty()) {  // the nearest is the one that counts
                // What it says counts below what is written at its level, and above what is written farther away.
                std::string of_preset = path_at(i, std::string(preset->key));
                if (const auto name = values_.find(of_preset); name != values_.end()) {
                    found.preset_name = preset->names().at(static_cast<std::size_t>(name->second.value.number));
                    found.looked_at_path = std::move(of_preset);
                    found.level = i;
                }
            }
            if (const auto value = preset->value(found.preset_name, path)) {
                found.text = *value;
                found.preset = &*preset;
                found.path = found.looked_at_path;
                return found;
            }
        }
        found.text = key.fallback;
        return found;
    }
    /// The path at a level; the last is that of all.
    [[nodiscard]] std::string path_at(std::size_t level, const std::string& path) const {
        return level < levels_.size() ? path_in(levels_[level], path) : path;
    }
    [[nodiscard]] const ParsedValue* find(const std::string& path) const {
        for (const std::string& candidate : {shown(path), path}) {
            if (const auto found = values_.find(candidate); found != values_.end()) return &found->second;
        }
        return nullptr;
    }
    /// The path at the nearest level that has a value of its own.
    [[nodiscard]] std::string shown(const std::string& path) const {
        for (const std::string& level : levels_) {
            std::string own = path_in(level, path);
            if (own != path && values_.contains(own)) return own;
        }
        return path;
    }

    const ParsedValues& values_;
    std::string where_;
    std::vector<std::string> levels_;
    std::map<std::string, std::string> asked_;
};

/// Where the configuration of a run is from, item by item.
struct Lookups {
    Lookup common;
    std::vector<Lookup> ends;
    std::vector<Lookup> switches;
    std::vector<Lookup> links;
    std::vector<Lookup> bridges;
    std::vector<Lookup> traffic;
};

}  // namespace rnicsim
