// SPDX-License-Identifier: Apache-2.0
// Keys bound to the fields of a configuration. Each key is declared once, beside its component: its name, the member
// that it sets, its range, its meaning and the source of its default. The default is the member's initialiser. The
// parser, `describe`, the reference, the JSON Schema and the edge cases of tests all follow from the declaration.
#pragma once

#include "model/keys/conversions.h"
#include "model/keys/key.h"
#include "model/keys/values.h"
#include "tlm/time/clock.h"
#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

/// One key and the member that it sets.
template <typename Config>
struct Field {
    Key key;
    Value initial;  ///< the member's, in a default configuration
    /// `clock`: of the module that the configuration is of.
    std::function<void(Config&, Values&, const Clock& clock)> set;
    /// Has the member the same value in both? Empty where a function reads the key (custom()).
    std::function<bool(const Config&, const Config&)> same{};
};

/// A word of a choice and what it stands for.
template <typename T>
struct Word {
    std::string_view word;
    T value;
};

/// Words that stand for themselves.
inline std::vector<Word<std::string>> same_words(const std::vector<std::string_view>& names) {
    std::vector<Word<std::string>> words;
    words.reserve(names.size());
    for (const std::string_view name : names) words.push_back({name, std::string(name)});
    return words;
}

/// The names of all values of an enumeration, by value.
template <typename Enum, std::size_t N>
std::vector<Word<Enum>> words_of(const std::array<std::string_view, N>& names) {
    std::vector<Word<Enum>> words;
    words.reserve(N);
    for (std::size_t i = 0; i < N; ++i) words.push_back({names[i], static_cast<Enum>(i)});
    return words;
}

/// The member of a member.
template <typename Outer, typename Inner>
auto at(Outer outer, Inner inner) {
    return [ outer, inner ](auto& config) -> auto& { return std::invoke(inner, std::invoke(outer, config)); };
}

/// The fields of one configuration, in the order of the reference. Members are pointers to members, or functions from
/// the configuration to a reference. Limits of times are times, those of numbers in the key's unit.
template <typename Config>
class Fields {
  public:
    /// `section`: where the keys stand, such as "system.link".
    explicit Fields(std::string section) : section_(std::move(section)) {}

    /// Times of the keys below that are kept in cycles are of the clock in this member, which a key above sets.
    template <typename Member>
    void clocked_by(Member member) {
        clock_ = [member](const Config& config) { return std::invoke(member, config); };
    }

    /// A time of whole cycles of 8 ns, whatever the clock is.
    template <typename Member>
    Key& time(std::string_view name, Member member, Time least, Time most, std::string_view meaning,
              std::string_view source) {
        const std::int64_t cycle = kGmiiClock.period().ps;
        return bind(key(name, Kind::time, least.ps / cycle, most.ps / cycle, meaning, source), member);
    }
    /// A time to the picosecond; of a member in cycles: whole ones of its clock.
    template <typename Member>
    Key& picoseconds(std::string_view name, Member member, Time least, Time most, std::string_view meaning,
                     std::string_view source) {
        return bind(key(name, Kind::picoseconds, least.ps, most.ps, meaning, source), member);
    }
    template <typename Member>
    Key& number(std::string_view name, Member member, std::int64_t least, std::int64_t most, std::string_view meaning,
                std::string_view source) {
        return bind(key(name, Kind::integer, least, most, meaning, source), member);
    }
    template <typename Member>
    Key& bytes(std::string_view name, Member member, std::int64_t least, std::int64_t most, std::string_view meaning,
               std::string_view source) {
        return bind(key(name, Kind::bytes, least, most, meaning, source), member);
    }
    /// Bytes a second.
    template <typename Member>
    Key& rate(std::string_view name, Member member, std::int64_t least, std::int64_t most, std::string_view meaning,
              std::string_view source) {
        return bind(key(name, Kind::rate, least, most, meaning, source), member);
    }
    /// Bits a second, up to the fastest link.
    template <typename Member>
    Key& bit_rate(std::string_view name, Member member, std::int64_t least, std::string_view meaning,
                  std::string_view source) {
        return bind(key(name, Kind::bit_rate, least, kFastestLink, meaning, source), member);
    }
    template <typename Member>
    Key& probability(std::string_view name, Member member, std::string_view meaning, std::string_view source) {
        return bind(key(name, Kind::probability, 0, kCertain, meaning, source), member);
    }
    template <typename Member>
    Key& flag(std::string_view name, Member member, std::string_view meaning, std::string_view source) {
        return bind(key(name, Kind::boolean, 0, 1, meaning, source), member);
    }
    template <typename Member>
    Key& bytes_list(std::string_view name, Member member, std::int64_t least, std::int64_t most,
                    std::string_view meaning, std::string_view source) {
        return bind(key(name, Kind::bytes_list, least, most, meaning, source), member);
    }
    template <typename Member>
    Key& integer_list(std::string_view name, Member member, std::int64_t least, std::int64_t most,
                      std::string_view meaning, std::string_view source) {
        return bind(key(name, Kind::integer_list, least, most, meaning, source), member);
    }
    /// One of these numbers, of the kind integer or bytes.
    template <typename Member>
    Key& one_of(Kind kind, std::string_view name, Member member, std::vector<std::string_view> numbers,
                std::string_view meaning, std::string_view source) {
        Key one = key(name, kind, 0, std::numeric_limits<std::int64_t>::max(), meaning, source);
        one.choices = std::move(numbers);
        return bind(std::move(one), member);
    }
    /// A word for each value of the member. Throws std::logic_error if its initialiser has none.
    template <typename T, typename Member>
    Key& choice(std::string_view name, Member member, std::vector<Word<T>> words, std::string_view meaning,
                std::string_view source) {
        Key one = key(name, Kind::choice, 0, 0, meaning, source);
        one.choices.reserve(words.size());
        for (const Word<T>& word : words) one.choices.push_back(word.word);
        const Config initial{};
        Value value;
        value.number = index_of(words, T{std::invoke(member, initial)}, one.path);
        return add(
            std::move(one), std::move(value),
            [member, words, path = section_ + '.' + std::string(name)](Config& config, Values& in, const Clock&) {
                std::invoke(member, config) = words.at(static_cast<std::size_t>(in.get(path).number)).value;
            },
            same_member(member));
    }
    /// A rule by its name (model/policy.h). `named`: from a name to the rule.
    template <typename Rule, typename Member>
    Key& policy(std::string_view name, Member member, const Rule& (*named)(std::string_view),
                const std::vector<std::string_view>& names, std::string_view meaning, std::string_view source) {
        std::vector<Word<const Rule*>> words;
        words.reserve(names.size());
        for (const std::string_view one : names) words.push_back({one, &named(one)});
        return choice<const Rule*>(name, member, std::move(words), meaning, source);
    }
    /// A key that a function reads, as it is no member alone. `key`: but for its section.
    Key& custom(Key key, Value initial, std::function<void(Config&, const Value&)> set) {
        key.path = section_ + '.' + key.path;
        std::string path = key.path;
        return add(std::move(key), std::move(initial),
                   [path = std::move(path), set = std::move(set)](Config& config, Values& in, const Clock&) {
                       set(config, in.get(path));
                   });
    }

    /// All fields of a part of the configuration, which have a section of their own.
    template <typename Part, typename Member>
    void part(Member member, const Fields<Part>& fields) {
        for (const Field<Part>& field : fields.all()) {
            all_.push_back({field.key, field.initial,
                            [member, set = field.set, clock = clock_](Config& config, Values& in, const Clock& of) {
                                set(std::invoke(member, config), in, clock ? clock(config) : of);
                            },
                            same_part<Part>(member, field.same)});
        }
    }

    [[nodiscard]] const std::vector<Field<Config>>& all() const { return all_; }

    /// Sets all members that have a key.
    void read(Config& config, Values& in, const Clock& clock = kGmiiClock) const {
        for (const Field<Config>& field : all_) field.set(config, in, clock);
    }
    [[nodiscard]] Config read(Values& in, const Clock& clock = kGmiiClock) const {
        Config config{};
        read(config, in, clock);
        return config;
    }

  private:
    static constexpr std::int64_t kFastestLink = 100'000'000'000;
    static constexpr std::int64_t kCertain = 1'000'000;

    [[nodiscard]] Key key(std::string_view name, Kind kind, std::int64_t least, std::int64_t most,
                          std::string_view meaning, std::string_view source) const {
        Key one;
        one.path = section_ + '.' + std::string(name);
        one.kind = kind;
        one.least = least;
        one.most = most;
        one.meaning = meaning;
        one.source = source;
        return one;
    }
    template <typename T>
    static std::int64_t index_of(const std::vector<Word<T>>& words, const T& value, const std::string& path) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i].value == value) return static_cast<std::int64_t>(i);
        }
        throw std::logic_error("no word for the default of " + path);
    }
    template <typename Member>
    Key& bind(Key key, Member member) {
        const Config initial{};
        Value value = value_of(std::invoke(member, initial), key.kind);
        const Kind kind = key.kind;
        std::string path = key.path;
        return add(
            std::move(key), std::move(value),
            [member, kind, path = std::move(path)](Config& config, Values& in, const Clock& clock) {
                put(std::invoke(member, config), in, path, kind, clock);
            },
            same_member(member));
    }
    using Same = std::function<bool(const Config&, const Config&)>;
    template <typename Member>
    static Same same_member(Member member) {
        return [member](const Config& a, const Config& b) { return std::invoke(member, a) == std::invoke(member, b); };
    }
    /// As `same` says of the part.
    template <typename Part, typename Member>
    static Same same_part(Member member, std::function<bool(const Part&, const Part&)> same) {
        if (!same) return {};
        return [member, same = std::move(same)](const Config& a, const Config& b) {
            return same(std::invoke(member, a), std::invoke(member, b));
        };
    }
    Key& add(Key key, Value initial, std::function<void(Config&, Values&, const Clock&)> set, Same same = {}) {
        if (clock_) {
            set = [set = std::move(set), clock = clock_](Config& config, Values& in, const Clock&) {
                set(config, in, clock(config));
            };
        }
        all_.push_back({std::move(key), std::move(initial), std::move(set), std::move(same)});
        return all_.back().key;
    }

    std::string section_;
    std::function<Clock(const Config&)> clock_;
    std::vector<Field<Config>> all_;
};

/// A key and its default, without the member.
struct Declared {
    Key key;
    Value initial;
};
using Declarations = std::vector<Declared>;

/// Those of a configuration.
template <typename Config>
void append(Declarations& all, const Fields<Config>& fields) {
    all.reserve(all.size() + fields.all().size());
    for (const Field<Config>& field : fields.all()) all.push_back({field.key, field.initial});
}

}  // namespace rnicsim
