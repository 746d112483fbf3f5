// SPDX-License-Identifier: Apache-2.0
// The two programs of a connection: one asks, the other one answers with as many bytes. They agree on SMC-R first, by
// TCP; if the other end declines, TCP carries their messages.
#pragma once

#include "testbench/applications/smc/messages.h"
#include "testbench/applications/smc/settings.h"
#include "testbench/applications/smc/socket.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rnicsim::applications::smc {

/// Where the time of an operation goes: until the connection is there, until send() has returned, until the answer is.
enum class Part : std::uint8_t { set_up, request, answer };

class Program : public End {
  public:
    explicit Program(const TrafficConfig& item)
        : settings_(smc_of(item)), most_(item.size), socket_(settings_, item.size) {}

    void state(std::vector<std::uint64_t>& words) const override;
    void start(Actions& actions) override {
        if (!settings_.refused) Socket::start(actions);
    }
    void on(const Event& event, Actions& actions) final;

  protected:
    virtual void asked(const Event& /*event*/, Actions& /*actions*/) {}
    /// A message of the set-up has come; `rmb` where it has one.
    virtual void agrees(Clc type, const Remote& rmb, Actions& actions) = 0;
    virtual void confirms_link(Actions& actions) = 0;
    /// The message of the other program is in kIn behind its header.
    virtual void came(std::uint32_t bytes, Actions& actions) = 0;
    virtual void has_sent(Actions& /*actions*/) {}
    virtual void fails(Actions& /*actions*/) {}

    [[nodiscard]] bool is_broken() const { return broken_; }
    [[nodiscard]] const SmcSettings& settings() const { return settings_; }
    Socket& socket() { return socket_; }
    void say(Clc type, Actions& actions);
    /// From now on all goes by TCP.
    void fall_back() { by_tcp_ = true; }
    /// A message with the data of this operation.
    void send(std::uint32_t operation, std::uint32_t bytes, Actions& actions);

  private:
    void readable(Actions& actions) const;
    void read(std::uint32_t bytes, Actions& actions);
    void look(Actions& actions);

    const SmcSettings& settings_;
    const std::uint32_t most_;
    Socket socket_;
    bool broken_ = false, by_tcp_ = false;
    bool sends_ = false;                 // a send() by TCP has not returned
    std::uint32_t have_ = 0;             // bytes of what comes by TCP
    std::uint32_t wanted_ = kClcHeader;  // ... of a message of the set-up
};

class Client final : public Program {
  public:
    using Program::Program;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Client>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        Program::state(words);
        words.insert(words.end(), {std::uint64_t{operation_} << 32U | bytes_, (open_ ? 1U : 0U) + (agreed_ ? 2U : 0U)});
    }

  private:
    void asked(const Event& event, Actions& actions) override;
    void agrees(Clc type, const Remote& rmb, Actions& actions) override;
    void confirms_link(Actions& actions) override;
    void came(std::uint32_t bytes, Actions& actions) override;
    void has_sent(Actions& actions) override { mark(Part::request, actions); }
    void fails(Actions& actions) override;
    void begin(Actions& actions);
    void mark(Part part, Actions& actions) const { actions.mark(operation_, static_cast<unsigned>(part)); }

    std::uint32_t operation_ = 0, bytes_ = 0;
    bool open_ = false;    // it is under way
    bool agreed_ = false;  // the connection is there
};

class Server final : public Program {
  public:
    using Program::Program;
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Server>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        Program::state(words);
        words.push_back(answered_);
    }

  private:
    void agrees(Clc type, const Remote& rmb, Actions& actions) override;
    void confirms_link(Actions& /*actions*/) override {}
    void came(std::uint32_t bytes, Actions& actions) override;

    std::uint32_t answered_ = 0;
};

}  // namespace rnicsim::applications::smc
