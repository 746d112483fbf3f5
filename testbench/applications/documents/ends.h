// SPDX-License-Identifier: Apache-2.0
// A client that writes and queries documents, a server that has them; a secondary that pulls the log, its primary.
#pragma once

#include "testbench/applications/documents/channel.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace rnicsim::applications::documents {

/// Where the time of an operation goes: until the hosts are connected, until a slot is free, until the request has
/// come, until the server has computed, until the answer has come, the rest: memory given up, new entries applied, a
/// wait for the next round.
enum class Part : std::uint8_t { set_up, wait, request, server, answer, rest };

/// Who asks.
class Asker : public Channel {
  public:
    explicit Asker(const TrafficConfig& item);
    void state(std::vector<std::uint64_t>& words) const override;

  protected:
    struct Wanted {
        std::uint32_t operation = 0, bytes = 0;
        bool is = false;
    };
    /// The operation has a slot.
    virtual void begin(std::uint32_t slot, Actions& actions) = 0;
    void finish(std::uint32_t slot, Actions& actions);
    [[nodiscard]] const Wanted& wanted(std::uint32_t slot) const { return open_[slot]; }
    static void mark(std::uint32_t operation, Part part, Actions& actions) {
        actions.mark(operation, static_cast<unsigned>(part));
    }

  private:
    void asked(const Event& event, Actions& actions) final;
    void connected(Actions& actions) final;
    void fails(Actions& actions) final;
    void begin_all(Actions& actions);

    std::vector<Wanted> open_;        // by slot
    std::deque<std::uint32_t> free_;  // slots
    std::deque<Wanted> waiting_;
    bool asked_ = false, connected_ = false;
};

class Client final : public Asker {
  public:
    using Asker::Asker;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Client>(*this); }

  private:
    void begin(std::uint32_t slot, Actions& actions) override;
    void came(const Message& message, Actions& actions) override;
    void data_came(std::uint32_t slot, Actions& actions) override;
    void ended(const Event& event, Actions& actions) override;
    void request(std::uint32_t slot, Actions& actions);
};

class Secondary final : public Asker {
  public:
    explicit Secondary(const TrafficConfig& item) : Asker(item) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Secondary>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    void begin(std::uint32_t slot, Actions& actions) override;
    void came(const Message& message, Actions& actions) override;
    void data_came(std::uint32_t slot, Actions& actions) override;
    void ended(const Event& event, Actions& actions) override;

    std::uint32_t optime_ = 0, pulls_ = 0;  // of the last entry that it has, and that it is about to have
    std::uint32_t bytes_ = 0;
};

/// Who answers.
class Server : public Channel {
  public:
    explicit Server(const TrafficConfig& item) : Channel(item, 1), slots_(open()) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Server>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  protected:
    void look_at(const Message& message, Place document, Actions& actions) override;
    void came(const Message& message, Actions& actions) override;
    /// The data that a request asks for.
    void serve(const Message& request, Actions& actions);

  private:
    struct Slot {
        bool busy = false;   ///< its buffer is being sent, or given up
        bool waits = false;  ///< a request, for it
        Message request;
    };
    void data_sent(std::uint32_t slot, Actions& actions) override;
    void ended(const Event& event, Actions& actions) override;
    void send(std::uint32_t slot, Actions& actions);
    void is_free(std::uint32_t slot, Actions& actions);

    std::vector<Slot> slots_;
};

class Primary final : public Server {
  public:
    using Server::Server;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Primary>(*this); }
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    void look_at(const Message& /*message*/, Place /*document*/, Actions& /*actions*/) override {}
    void came(const Message& message, Actions& actions) override;

    std::uint32_t rounds_ = 0;
};

}  // namespace rnicsim::applications::documents
