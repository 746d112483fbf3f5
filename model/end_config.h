// SPDX-License-Identifier: Apache-2.0
// What a host of the system is: a host and its RNIC, with all parameters resolved. Each personality has its own, in its
// room; the system asks only what is here.
#pragma once

#include "model/faults/config.h"
#include "tlm/time/mac_timing.h"
#include "tlm/time/time.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rnicsim {

struct PcieConfig;

class EndConfig {
  public:
    virtual ~EndConfig() = default;
    /// The word of `rnic.personality`.
    [[nodiscard]] virtual std::string_view personality() const = 0;
    [[nodiscard]] virtual std::unique_ptr<EndConfig> copy() const = 0;

    /// Bytes of the largest frame that it sends, FCS included.
    [[nodiscard]] virtual std::size_t largest_frame() const = 0;
    /// From the last bit of a pause frame until it begins no frame of the class; 0: as late as the standard allows.
    [[nodiscard]] virtual Time pause_reaction() const { return {}; }
    /// Its card's slot; nullptr: it has no card.
    [[nodiscard]] virtual const PcieConfig* pcie() const { return nullptr; }
    /// Takes what follows from its link.
    virtual void join(const MacTiming& /*link*/) {}
    /// What can go wrong at the host, by draws.
    [[nodiscard]] virtual HostFaultConfig faults() const { return {}; }

  protected:
    EndConfig() = default;
    EndConfig(const EndConfig&) = default;
    EndConfig& operator=(const EndConfig&) = default;
};

/// One of any personality, as a value.
class AnyEnd {
  public:
    template <typename Config>
    AnyEnd(Config config) : of_(std::make_unique<Config>(std::move(config))) {}
    explicit AnyEnd(std::unique_ptr<EndConfig> of) : of_(std::move(of)) {}
    AnyEnd(const AnyEnd& other) : of_(other.of_->copy()) {}
    AnyEnd(AnyEnd&&) noexcept = default;
    AnyEnd& operator=(const AnyEnd& other) {
        if (this != &other) of_ = other.of_->copy();
        return *this;
    }
    AnyEnd& operator=(AnyEnd&&) noexcept = default;
    ~AnyEnd() = default;

    [[nodiscard]] EndConfig& operator*() { return *of_; }
    [[nodiscard]] const EndConfig& operator*() const { return *of_; }
    [[nodiscard]] EndConfig* operator->() { return of_.get(); }
    [[nodiscard]] const EndConfig* operator->() const { return of_.get(); }

    /// Is it of this personality?
    template <typename Config>
    [[nodiscard]] bool is() const {
        return dynamic_cast<const Config*>(of_.get()) != nullptr;
    }
    /// Precondition: it is.
    template <typename Config>
    [[nodiscard]] Config& as() {
        return static_cast<Config&>(*of_);
    }
    template <typename Config>
    [[nodiscard]] const Config& as() const {
        return static_cast<const Config&>(*of_);
    }

  private:
    std::unique_ptr<EndConfig> of_;
};

/// The hosts of one personality, in their order.
template <typename Config>
std::vector<unsigned> hosts_with(const std::vector<AnyEnd>& ends) {
    std::vector<unsigned> hosts;
    for (unsigned host = 0; host < ends.size(); ++host)
        if (ends[host].is<Config>()) hosts.push_back(host);
    return hosts;
}

/// Their configurations, likewise.
template <typename Config, typename Ends>
auto ends_with(Ends& ends) {
    std::vector<std::reference_wrapper<std::conditional_t<std::is_const_v<Ends>, const Config, Config>>> found;
    for (auto& end : ends)
        if (end.template is<Config>()) found.push_back(end.template as<Config>());
    return found;
}

}  // namespace rnicsim
