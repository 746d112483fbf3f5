// SPDX-License-Identifier: Apache-2.0
// What the lines of a tape name: the hosts, links and directions of a system.
#pragma once

#include "model/config.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

class TapeNames {
  public:
    /// Two hosts on one link, as in a scenario without `hosts`: tapes of version 1.
    TapeNames();
    explicit TapeNames(const RunConfig& run);

    /// One way of one link; `side`: of the sender, 0 or 1.
    struct Direction {
        std::uint16_t link = 0;
        std::uint8_t side = 0;
        friend bool operator==(const Direction&, const Direction&) = default;
    };

    /// Tapes of networks are of version 2.
    [[nodiscard]] bool network() const { return network_; }
    [[nodiscard]] std::string first_line() const;

    [[nodiscard]] const HostNames& hosts() const { return hosts_; }
    /// Has the host a DRP RNIC, which knows transfers?
    [[nodiscard]] bool has_transfers(unsigned host) const { return with_transfers_[host]; }
    /// Has it a RoCEv2 RNIC?
    [[nodiscard]] bool has_qps(unsigned host) const { return with_qps_[host]; }

    /// "client3.q7": a QP of a host, in order of creation, from 0.
    [[nodiscard]] std::string qp(unsigned host, std::uint64_t number) const { return hosts_.qp(host, number); }
    struct QpName {
        std::uint16_t host = 0;
        std::string_view number;
    };
    /// A text that begins with the name of a host that has QPs, and ".q".
    [[nodiscard]] std::optional<QpName> find_qp(std::string_view text) const { return find(text, ".q"); }
    /// The same of streams, ".s".
    [[nodiscard]] std::optional<QpName> find_stream(std::string_view text) const { return find(text, ".s"); }

    /// "a>b", "client3>s0"; where several links join the same two, "s0>s1:uplink" with the link's name.
    [[nodiscard]] const std::string& direction(const Direction& way) const { return ways_.at(way.link).at(way.side); }
    [[nodiscard]] std::optional<Direction> find_direction(std::string_view text) const;

    /// "link", "link client3-s0"
    [[nodiscard]] std::string link(std::uint16_t number) const;
    [[nodiscard]] std::optional<std::uint16_t> find_link(std::string_view name) const;
    /// Behind the network's links those of bridges are counted.
    [[nodiscard]] std::optional<std::uint16_t> first_bridge() const {
        if (ways_.size() == links_.size()) return std::nullopt;
        return static_cast<std::uint16_t>(ways_.size());
    }

    /// Do tapes of both mean the same?
    friend bool operator==(const TapeNames&, const TapeNames&) = default;

  private:
    [[nodiscard]] std::optional<QpName> find(std::string_view text, std::string_view mark) const;

    HostNames hosts_;
    bool network_ = false;
    std::vector<bool> with_transfers_, with_qps_;  // by host
    std::vector<std::string> links_;
    std::vector<std::array<std::string, 2>> ways_;  // by link and side
    std::map<std::string, Direction, std::less<>> by_name_;
};

}  // namespace rnicsim
