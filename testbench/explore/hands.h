// SPDX-License-Identifier: Apache-2.0
// Carries out the actions of one end's logic in the world, and checks the rules of PROTOCOL.md section 7.
#pragma once

#include "testbench/explore/world.h"

#include <string>

namespace rnicsim::explore {

/// Exists for one step. breach() is the first rule broken.
class Hands final : public TransportActions {
  public:
    /// `notes`: what is done, in words; nullptr = not wanted.
    Hands(World& world, unsigned end, Lines* notes) : world_(world), here_(end), notes_(notes) {}

    void send(const DrpHeader& header) override;
    void place(std::uint64_t address, std::uint32_t bytes) override;
    [[nodiscard]] bool buffer_full() const override;
    [[nodiscard]] std::uint32_t buffered_of(Peer peer) const override;
    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes) override;
    void drain(const TransferKey& of) override;
    void drop(const TransferKey& of) override;
    void notify(const Event& event) override;

    /// The frame that the decision is about.
    void take_in_hand(const Flight& flight) { in_hand_ = &flight; }
    /// The frame belongs to a transfer that is over at this end: it must change nothing.
    void expect_nothing() { nothing_ = true; }
    /// Puts a frame onto the wire.
    void launch(const DrpHeader& header);
    /// A data frame is read from memory at this address.
    void read(const DataJob& job);

    void breach(const std::string& what);
    void note(const std::string& what) const;
    [[nodiscard]] bool noting() const { return notes_ != nullptr; }
    [[nodiscard]] const std::string& breach() const { return breach_; }

  private:
    /// The transfer that this is done for. Throws std::logic_error if there is none.
    std::uint32_t concerns(const TransferKey& key);
    void check_window(std::uint32_t transfer, std::uint32_t sn);
    void store(std::uint32_t transfer, std::uint32_t sn, std::uint64_t address, std::uint32_t bytes);
    void ended(std::uint32_t transfer, const Event& event);
    /// May a transfer fail in this way?
    [[nodiscard]] bool explained(std::uint32_t transfer, TransferError error) const;
    void asked_to_register(std::uint32_t transfer, const Event& event);
    /// SNs of a transfer that this end has in memory or in the indirect buffer, one bit each.
    [[nodiscard]] std::uint32_t held(std::uint32_t transfer) const;
    [[nodiscard]] End& end() const { return world_.ends_[here_]; }
    [[nodiscard]] Progress& progress(std::uint32_t transfer) const { return world_.progress_[transfer]; }
    [[nodiscard]] const Plan& plan(std::uint32_t transfer) const { return world_.setting_->plans[transfer]; }
    [[nodiscard]] std::uint32_t all_frames() const { return (1U << world_.setting_->bounds.frames) - 1; }
    [[nodiscard]] std::string name(std::uint32_t transfer) const { return world_.setting_->name_of(transfer); }

    World& world_;
    unsigned here_;
    Lines* notes_;                     // not owned
    const Flight* in_hand_ = nullptr;  // not owned
    bool nothing_ = false;
    std::string breach_;
};

/// The frame with this header would be the n-th of its kind in its direction, from 1.
std::uint32_t next_ordinal(const Progress& progress, const DrpHeader& header);
/// "a0 REQ #2": transfer, kind and ordinal, as fault tapes name a frame.
std::string frame_name(const Setting& setting, const Flight& flight);

}  // namespace rnicsim::explore
