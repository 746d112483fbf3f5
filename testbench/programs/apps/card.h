// SPDX-License-Identifier: Apache-2.0
// A card of this machine, by libibverbs, and its reliable QPs.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace rnicsim::apps {

/// The program cannot begin; what() says what to do.
struct Unusable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <typename T, int (*Destroy)(T*)>
struct Destroyer {
    void operator()(T* what) const { Destroy(what); }
};
using Pd = std::unique_ptr<ibv_pd, Destroyer<ibv_pd, ibv_dealloc_pd>>;
using Cq = std::unique_ptr<ibv_cq, Destroyer<ibv_cq, ibv_destroy_cq>>;
using Qp = std::unique_ptr<ibv_qp, Destroyer<ibv_qp, ibv_destroy_qp>>;
using Mr = std::unique_ptr<ibv_mr, Destroyer<ibv_mr, ibv_dereg_mr>>;

/// What the other side has to know of a QP.
struct Address {
    std::uint32_t qpn = 0;
    ibv_gid gid{};
};

class Card {
  public:
    struct Choice {
        std::string device;  ///< empty: the first one
        int gid = 0;         ///< index
        int port = 1;
    };
    /// Throws Unusable.
    explicit Card(const Choice& choice);

    [[nodiscard]] ibv_pd* pd() const { return pd_.get(); }
    [[nodiscard]] ibv_cq* cq() const { return cq_.get(); }
    /// At least one of both.
    [[nodiscard]] Qp make_qp(std::uint32_t sends, std::uint32_t receives, std::uint32_t inline_bytes) const;
    [[nodiscard]] Address address(const ibv_qp& qp) const { return {qp.qp_num, gid_}; }
    /// To the state in which it takes receives; then to the one in which it sends.
    void receive_from(ibv_qp& qp, const Address& peer) const;
    void send_from(ibv_qp& qp) const;

  private:
    struct Close {
        void operator()(ibv_context* context) const { ibv_close_device(context); }
    };
    Choice choice_;
    std::unique_ptr<ibv_context, Close> context_;
    Pd pd_;
    Cq cq_;
    ibv_gid gid_{};
    ibv_mtu mtu_{};
    std::uint8_t reads_ = 1;  // outstanding
};

}  // namespace rnicsim::apps
