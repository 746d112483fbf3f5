// SPDX-License-Identifier: Apache-2.0
// The names of a system's hosts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

/// By host, from 0, in the order of the scenario.
class HostNames {
  public:
    /// Two hosts on one link, as in a scenario without `hosts`.
    HostNames() : HostNames(std::vector<std::string>{"a", "b"}) {}
    explicit HostNames(std::vector<std::string> names) : names_(std::move(names)) {}
    /// Of a network, where names may end in digits: so "client3.7" is a transfer.
    static HostNames of_network(std::vector<std::string> names) {
        HostNames all(std::move(names));
        all.separator_ = ".";
        return all;
    }

    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::string& operator[](unsigned host) const { return names_.at(host); }
    [[nodiscard]] std::optional<unsigned> find(std::string_view name) const {
        const auto found = std::ranges::find(names_, name);
        if (found == names_.end()) return std::nullopt;
        return static_cast<unsigned>(found - names_.begin());
    }

    /// A transfer by its initiator and its number there, from 0: "a7".
    [[nodiscard]] std::string transfer(unsigned initiator, std::uint64_t number) const {
        return (*this)[initiator] + separator_ + std::to_string(number);
    }
    /// A QP of a host, in order of creation, from 0: "client3.q7".
    [[nodiscard]] std::string qp(unsigned host, std::uint64_t number) const {
        return (*this)[host] + ".q" + std::to_string(number);
    }
    /// A stream, likewise: "client3.s7".
    [[nodiscard]] std::string stream(unsigned host, std::uint64_t number) const {
        return (*this)[host] + ".s" + std::to_string(number);
    }
    /// A message that a QP sends, by its number there, from 0: "client3.q7.12".
    [[nodiscard]] std::string message(unsigned host, std::uint64_t qp, std::uint64_t number) const {
        return this->qp(host, qp) + '.' + std::to_string(number);
    }
    /// The host that a text begins with, if it is the name of one, and what is behind it.
    [[nodiscard]] std::pair<std::optional<unsigned>, std::string_view> split(std::string_view text) const {
        if (!separator_.empty()) {
            const std::size_t dot = std::min(text.rfind('.'), text.size());
            return {find(text.substr(0, dot)), text.substr(std::min(dot + 1, text.size()))};
        }
        const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
        const auto behind = static_cast<std::size_t>(std::ranges::find_if_not(text, letter) - text.begin());
        return {find(text.substr(0, behind)), text.substr(behind)};
    }
    /// What one host sends and another one gets: "a>b".
    [[nodiscard]] std::string direction(unsigned from, unsigned to) const { return (*this)[from] + '>' + (*this)[to]; }

    friend bool operator==(const HostNames&, const HostNames&) = default;

  private:
    std::vector<std::string> names_;
    std::string separator_;  // between a host and the number of its transfer
};

}  // namespace rnicsim
