// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/echo/echo.h"

#include <deque>
#include <vector>

namespace rnicsim::applications {
namespace {

enum class MemoryMode : std::uint8_t { each, copy, pool };

struct EchoSettings {
    MemoryMode memory = MemoryMode::pool;
};

const Fields<EchoSettings>& echo_fields() {
    static const Fields<EchoSettings> kAll = [] {
        Fields<EchoSettings> k("run.echo");
        k.choice<MemoryMode>(
             "memory", &EchoSettings::memory,
             {{"each", MemoryMode::each}, {"copy", MemoryMode::copy}, {"pool", MemoryMode::pool}},
             "who sends: registers its data for each message, copies them to registered memory, or has them there",
             "article 2, of Redis over RDMA")
            .in_networks();
        return k;
    }();
    return kAll;
}

constexpr std::array<std::string_view, 2> kEchoParts{"round", "give_up"};

// Areas of both ends: slots that the card knows, those of receives, then a buffer of the user's for each operation.
constexpr std::uint32_t kPool = 0, kReceived = 1, kUser = 2;

/// What both ends do with data that they send.
class Sender {
  public:
    explicit Sender(const TrafficConfig& item)
        : slot_bytes_(item.size),
          depth_(item.verbs.depth),
          memory_(item.settings.of<EchoSettings>().memory),
          of_(item.verbs.depth) {}

    /// Operation `number` of so many bytes; to be told of what has ended until it is free again.
    void send(std::uint32_t number, std::uint32_t bytes, Actions& actions) {
        const std::uint32_t slot = number % depth_;
        of_[slot] = {number, bytes};
        const Place user{kUser + slot, 0}, pool{kPool, slot * slot_bytes_};
        if (memory_ == MemoryMode::pool) {
            actions.produce(pool, bytes, number);
            return post(slot, pool, actions);
        }
        actions.produce(user, bytes, number);
        if (memory_ == MemoryMode::each) {
            registering_.push_back(slot);
            return actions.register_memory(user, bytes, slot);
        }
        actions.copy(pool, user, bytes, bytes);
        post(slot, pool, actions);
    }
    /// A registration, or its end. True: what this slot has sent is free. Slots are used in turn, so messages keep
    /// their order: one whose registration is tried again is waited for.
    bool done(std::uint32_t slot, Actions& actions) {
        if (of_[slot].posted) return true;
        of_[slot].registered = true;
        while (!registering_.empty() && of_[registering_.front()].registered) {
            post(registering_.front(), {kUser + registering_.front(), 0}, actions);
            registering_.pop_front();
        }
        return false;
    }
    /// The work request has completed. True: what this slot has sent is free.
    bool sent(std::uint32_t slot, Actions& actions) {
        if (memory_ != MemoryMode::each) return true;
        actions.deregister_memory(kUser + slot, slot);
        return false;
    }
    [[nodiscard]] std::uint32_t operation(std::uint32_t slot) const { return of_[slot].number; }
    void state(std::vector<std::uint64_t>& words) const {
        for (const Sent& of : of_)
            words.push_back(std::uint64_t{of.number} << 34U | std::uint64_t{of.bytes} << 2U | (of.posted ? 1U : 0U) |
                            (of.registered ? 2U : 0U));
        words.insert(words.end(), registering_.begin(), registering_.end());
    }

  private:
    void post(std::uint32_t slot, Place from, Actions& actions) {
        Sent& of = of_[slot];
        of.posted = true;
        WorkRequest request;
        request.verb = rc::Verb::send_imm;
        request.local = from;
        request.bytes = of.bytes;
        request.immediate = of.number;
        request.tag = slot;
        actions.post_send(request);
    }

    struct Sent {
        std::uint32_t number = 0, bytes = 0;
        bool registered = false, posted = false;
    };
    const std::uint32_t slot_bytes_, depth_;
    const MemoryMode memory_;
    std::vector<Sent> of_;                   // by slot
    std::deque<std::uint32_t> registering_;  // slots, in the order of their messages
};

class EchoEnd : public End {
  public:
    explicit EchoEnd(const TrafficConfig& item)
        : sender_(item), slot_bytes_(item.size), receives_(2 * item.verbs.depth) {}

    void state(std::vector<std::uint64_t>& words) const override { sender_.state(words); }
    void start(Actions& actions) override {
        for (std::uint32_t tag = 0; tag < receives_; ++tag) post_receive(tag, actions);
    }
    void on(const Event& event, Actions& actions) override {
        if (event.status != rc::Status::success) return fails(actions);
        switch (event.what) {
            case Event::What::asked: return asked(event.tag, event.bytes, actions);
            case Event::What::received: {
                actions.check({kReceived, event.tag * slot_bytes_}, event.bytes, event.immediate);
                post_receive(event.tag, actions);
                return received(event.immediate, event.bytes, actions);
            }
            case Event::What::completion:
                if (sender_.sent(event.tag, actions)) free(sender_.operation(event.tag), actions);
                return;
            case Event::What::done:
                if (sender_.done(event.tag, actions)) free(sender_.operation(event.tag), actions);
                return;
            default: return;
        }
    }

  protected:
    virtual void asked(std::uint32_t /*operation*/, std::uint32_t /*bytes*/, Actions& /*actions*/) {}
    virtual void received(std::uint32_t operation, std::uint32_t bytes, Actions& actions) = 0;
    /// What it has sent of this operation may be used for another.
    virtual void free(std::uint32_t /*operation*/, Actions& /*actions*/) {}
    virtual void fails(Actions& /*actions*/) {}
    Sender& sender() { return sender_; }

  private:
    void post_receive(std::uint32_t tag, Actions& actions) {
        actions.post_receive({kReceived, tag * slot_bytes_}, slot_bytes_, tag);
    }

    Sender sender_;
    const std::uint32_t slot_bytes_, receives_;
};

class Client final : public EchoEnd {
  public:
    explicit Client(const TrafficConfig& item) : EchoEnd(item), open_(item.verbs.depth) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Client>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        EchoEnd::state(words);
        for (const Open& of : open_)
            words.push_back(std::uint64_t{of.number} << 3U | (of.is ? 1U : 0U) | (of.has_come ? 2U : 0U) |
                            (of.is_free ? 4U : 0U));
        words.push_back(broken_ ? 1U : 0U);
    }

  private:
    struct Open {
        std::uint32_t number = 0;
        bool is = false, has_come = false, is_free = false;
    };
    void asked(std::uint32_t operation, std::uint32_t bytes, Actions& actions) override {
        if (broken_) return actions.ended(operation, Outcome::failed);
        of(operation) = {operation, true};
        sender().send(operation, bytes, actions);
    }
    void received(std::uint32_t operation, std::uint32_t /*bytes*/, Actions& actions) override {
        actions.mark(operation, 0);
        of(operation).has_come = true;
        end_if_over(operation, actions);
    }
    void free(std::uint32_t operation, Actions& actions) override {
        of(operation).is_free = true;
        end_if_over(operation, actions);
    }
    void fails(Actions& actions) override {
        broken_ = true;
        for (Open& open : open_) {
            if (!open.is) continue;
            open.is = false;
            actions.ended(open.number, Outcome::failed);
        }
    }
    void end_if_over(std::uint32_t operation, Actions& actions) {
        Open& open = of(operation);
        if (!open.is || !open.has_come || !open.is_free) return;
        open.is = false;
        actions.mark(operation, 1);
        actions.ended(operation, Outcome::complete);
    }
    Open& of(std::uint32_t operation) { return open_[operation % open_.size()]; }

    std::vector<Open> open_;  // by slot
    bool broken_ = false;
};

/// The next request of a slot may come before the memory of the answer before is given up.
class Server final : public EchoEnd {
  public:
    explicit Server(const TrafficConfig& item) : EchoEnd(item), slots_(item.verbs.depth) {}
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<Server>(*this); }
    void state(std::vector<std::uint64_t>& words) const override {
        EchoEnd::state(words);
        for (const Slot& of : slots_)
            words.insert(words.end(), {of.operation, of.bytes, (of.in_use ? 1U : 0U) | (of.waits ? 2U : 0U)});
    }

  private:
    struct Slot {
        bool in_use = false, waits = false;
        std::uint32_t operation = 0, bytes = 0;  // of what waits
    };
    void received(std::uint32_t operation, std::uint32_t bytes, Actions& actions) override {
        Slot& slot = slots_[operation % slots_.size()];
        if (slot.in_use) {
            slot = {true, true, operation, bytes};
            return;
        }
        slot.in_use = true;
        sender().send(operation, bytes, actions);
    }
    void free(std::uint32_t operation, Actions& actions) override {
        Slot& slot = slots_[operation % slots_.size()];
        slot.in_use = slot.waits;
        if (!slot.waits) return;
        slot.waits = false;
        sender().send(slot.operation, slot.bytes, actions);
    }

    std::vector<Slot> slots_;
};

class Echo final : public Application {
  public:
    [[nodiscard]] std::string_view name() const override { return "echo"; }
    [[nodiscard]] std::span<const std::string_view> parts() const override { return kEchoParts; }
    [[nodiscard]] Declarations keys() const override {
        Declarations all;
        append(all, echo_fields());
        return all;
    }
    void read(TrafficConfig& item, Values& in) const override { item.settings.set(echo_fields().read(in)); }
    [[nodiscard]] std::optional<Refusal> refused(const RunConfig& /*config*/,
                                                 const TrafficConfig& /*item*/) const override {
        return {};
    }
    [[nodiscard]] Plan plan(const TrafficConfig& item) const override {
        Plan plan;
        const std::uint32_t depth = item.verbs.depth;
        for (Plan::Side& side : plan.sides) {
            side.sends = depth;
            side.receives = 2 * depth;
            side.areas = {{std::uint64_t{depth} * item.size, true}, {std::uint64_t{2} * depth * item.size, true}};
            const MemoryMode memory = item.settings.of<EchoSettings>().memory;
            side.registers = memory == MemoryMode::each;
            side.copies = memory == MemoryMode::copy;
            if (memory == MemoryMode::pool) continue;
            for (std::uint32_t slot = 0; slot < depth; ++slot) side.areas.push_back({item.size, false});
        }
        return plan;
    }
    [[nodiscard]] std::unique_ptr<End> end(const TrafficConfig& item, const Seat& seat) const override {
        if (seat.side == 0) return std::make_unique<Client>(item);
        return std::make_unique<Server>(item);
    }
    [[nodiscard]] Counts expected(const TrafficConfig& item, std::span<const std::uint32_t> sizes,
                                  std::uint32_t pmtu) const override {
        Counts counts;
        const MemoryMode memory = item.settings.of<EchoSettings>().memory;
        for (EndCounts& end : counts) {
            for (const std::uint32_t bytes : sizes) {
                end.add(Count::sends);
                end.add(Count::receives);
                end.add(Count::payload_packets, payload_packets_of(bytes, pmtu));
                end.add(Count::checked_bytes, bytes);
                if (memory == MemoryMode::copy) end.add(Count::copied_bytes, bytes);
                if (memory == MemoryMode::each) end.add(Count::registrations);
                if (memory == MemoryMode::each) end.add(Count::deregistrations);
            }
        }
        return counts;
    }
};

}  // namespace

const Application& echo() {
    static const Echo kEcho;
    return kEcho;
}

}  // namespace rnicsim::applications
