// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/ntb/ring_world.h"

#include <fmt/format.h>
#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <utility>

namespace rnicsim::explore {

using nts::Instruction;
using What = nts::Instruction::What;

namespace {

constexpr std::uint64_t kBar = 0x3800'0000'0000;  // of both sides' windows
constexpr std::uint64_t kFar = 0x1000'0000;       // where the other side's memory lies behind them

/// What `side` reaches of the other one.
ntb::Window window_of(const RingSetting& setting) {
    constexpr std::uint64_t kSize = 1U << 20U;
    return {kBar, kSize, kFar, kBar + setting.plan.shape.bytes(), true};
}

/// What a place is, for people.
std::string name_of(const RingSetting& setting, std::uint64_t at) {
    const nts::RingShape& shape = setting.plan.shape;
    if (at >= shape.writer_at()) return "writer's index";
    if (at >= shape.reader_at()) return "reader's index";
    const std::uint32_t ring = shape.ring_at(setting.plan.rules);
    const auto in_ring = static_cast<std::uint32_t>(at) - ring;
    if (in_ring % shape.slot == 0) return fmt::format("slot {} header", in_ring / shape.slot);
    return fmt::format("slot {}+{}", in_ring / shape.slot, in_ring % shape.slot);
}

/// What the ends say to each other, for people.
std::string text_of(std::uint64_t word) {
    const std::uint32_t number = nts::number_in(word);
    switch (nts::said_in(word)) {
        case nts::Said::nothing: break;
        case nts::Said::going_down: return fmt::format("going down ({})", number);
        case nts::Said::stopped: return fmt::format("stopped ({})", number);
        case nts::Said::up: return fmt::format("Up, {} taken", number);
    }
    return {};
}

}  // namespace

RingWorld::RingWorld(const RingSetting& setting, std::vector<RingLine>* told)
    : setting_(&setting),
      sender_(setting.plan),
      receiver_(setting.plan),
      downs_(setting.downs),
      resets_(setting.resets),
      told_(told) {
    sides_.assign(2, Side(setting.buffers));
    for (Side& side : sides_) side.memory.resize(setting.plan.shape.bytes());
}

RingWorld& RingWorld::operator=(const RingWorld& other) {
    if (this == &other) return *this;
    setting_ = other.setting_;
    sides_ = other.sides_;
    sender_ = other.sender_;
    receiver_ = other.receiver_;
    stored_ = other.stored_;
    downs_ = other.downs_;
    resets_ = other.resets_;
    is_up_ = other.is_up_;
    was_down_ = other.was_down_;
    broken_ = other.broken_;
    told_ = nullptr;
    return *this;
}

bool RingWorld::apply(const RingMove& move) {
    switch (move.step) {
        case RingStep::core: return core(move.side);
        case RingStep::evict: return evict(move.side, move.buffer, move.piece);
        case RingStep::arrive: return arrive(move.side);
        case RingStep::completion: return complete_ahead(move.side);
        case RingStep::up: return change_link(true);
        case RingStep::down: return change_link(false);
        case RingStep::reset: return reset();
        case RingStep::nothing: return true;
    }
    return false;
}

Instruction RingWorld::next(unsigned side) const {
    const Side& of = sides_[side];
    nts::Signals signals{of.rung, nts::Link::up, of.heard};
    if (!is_up_) {
        signals.link = nts::Link::down;
    } else if (was_down_) {
        signals.link = nts::Link::back;
    }
    return side == 0 ? sender_.next(of.memory, signals) : receiver_.next(of.memory, signals);
}

bool RingWorld::core(unsigned side) {
    Side& of = sides_[side];
    if (of.waits) return false;
    const Instruction what = next(side);
    switch (what.what) {
        case What::rest: return false;
        case What::store:
            if (const Stored stored = store(side, what); stored != Stored::done) return stored == Stored::in_part;
            break;
        case What::fence:
            if (!of.buffers.empty()) return false;
            say(side, RingLine::Place::core, [] { return std::string("fence"); });
            break;
        case What::doorbell:
            if (!of.buffers.empty()) return false;
            say(side, RingLine::Place::core, [] { return std::string("doorbell"); });
            of.sent.push_back({Item::What::doorbell, {}, 0});
            break;
        case What::load: {
            // The core's own stores to this line leave first; here no core stores what it loads.
            if (of.loaded) break;
            Item item{Item::What::load, {}, 0};
            item.piece.address = kBar + what.at;
            of.sent.push_back(item);
            of.waits = true;
            say(side, RingLine::Place::core, [&] { return fmt::format("load {}", name_of(*setting_, what.at)); });
            return true;
        }
        case What::write:
            boost::endian::store_little_u64(&of.memory[what.at], what.word);
            say(side, RingLine::Place::core,
                [&] { return fmt::format("write {} = {:x}", name_of(*setting_, what.at), what.word); });
            break;
        case What::take: check_take(); break;
        case What::clear:
            of.rung = false;
            say(side, RingLine::Place::core, [] { return std::string("clear the doorbell"); });
            break;
        case What::see:
            was_down_ = false;
            say(side, RingLine::Place::core, [] { return std::string("sees that it was down"); });
            break;
        case What::say:
            if (!of.buffers.empty()) return false;
            say(side, RingLine::Place::core, [&] { return fmt::format("say {}", text_of(what.word)); });
            of.sent.push_back({Item::What::word, {}, what.word});
            break;
        case What::hear:
            of.heard = 0;
            if (side == 0) stored_ = 0;
            say(side, RingLine::Place::core, [&] { return fmt::format("hear {}", text_of(what.word)); });
            break;
        case What::wake: say(side, RingLine::Place::core, [] { return std::string("awake"); }); break;
        case What::sleep: say(side, RingLine::Place::core, [] { return std::string("finds nothing"); }); break;
    }
    const std::uint64_t loaded = std::exchange(of.loaded, std::nullopt).value_or(0);
    if (side == 0) {
        sender_.done(what, loaded);
    } else {
        receiver_.done(what, loaded, of.memory);
    }
    check_indices();
    return true;
}

/// One over two lines is two, the lower one first. Only the sender has such.
RingWorld::Stored RingWorld::store(unsigned side, const Instruction& what) {
    std::array<std::uint8_t, nts::kWord> bytes{};
    boost::endian::store_little_u64(bytes.data(), what.word);
    const std::uint32_t line = setting_->plan.shape.line, in_first = std::min(nts::kWord, line - what.at % line);
    const std::uint32_t from = side == 0 ? stored_ : 0, to = from == 0 ? in_first : nts::kWord;
    if (side == 0 && from == 0) check_store(what);
    if (!store_part(side, kBar + what.at + from, &bytes.at(from), to - from)) return Stored::waits;
    if (side == 0) stored_ = to == nts::kWord ? 0 : to;
    return to == nts::kWord ? Stored::done : Stored::in_part;
}

bool RingWorld::store_part(unsigned side, std::uint64_t address, const std::uint8_t* bytes, std::uint32_t count) {
    WriteCombining& buffers = sides_[side].buffers;
    if (buffers.store(address, {bytes, count}) != WriteCombining::Stored::taken) return false;
    say(side, RingLine::Place::core, [&] { return fmt::format("store {}", name_of(*setting_, address - kBar)); });
    if (const std::optional<std::size_t> full = buffers.full()) leave(side, static_cast<std::uint32_t>(*full), 0);
    return true;
}

/// Its core cannot go on.
bool RingWorld::has_to_evict(unsigned side) const {
    const Instruction what = next(side);
    if (what.what == What::fence || what.what == What::doorbell || what.what == What::say) return true;
    if (what.what != What::store) return false;
    WriteCombining buffers = sides_[side].buffers;
    const std::uint64_t address = kBar + what.at + (side == 0 ? stored_ : 0);
    const std::uint8_t byte = 0;
    return buffers.store(address, {&byte, 1}) != WriteCombining::Stored::taken;
}

bool RingWorld::evict(unsigned side, std::uint32_t buffer, std::uint32_t piece) {
    const WriteCombining& buffers = sides_[side].buffers;
    if (buffer >= buffers.buffers().size() || piece >= buffers.pieces(buffer)) return false;
    // What has begun to leave leaves.
    if (setting_->holds && !buffers.buffers()[buffer].leaves && !has_to_evict(side)) return false;
    leave(side, buffer, piece);
    return true;
}

void RingWorld::leave(unsigned side, std::uint32_t buffer, std::uint32_t piece) {
    Side& of = sides_[side];
    const WriteCombining::Piece leaves = of.buffers.take(buffer, piece);
    say(side, RingLine::Place::buffers,
        [&] { return fmt::format("{} B at {}", leaves.bytes, name_of(*setting_, leaves.address - kBar)); });
    of.sent.push_back({Item::What::piece, leaves, 0});
}

bool RingWorld::arrive(unsigned side) {
    std::deque<Item>& sent = sides_[side].sent;
    if (sent.empty()) return false;
    const Item item = sent.front();
    sent.pop_front();
    if (is_up_) {
        deliver(side, item);
    } else {
        lose(side, item);
    }
    return true;
}

/// Whole TLPs; a load that nobody answers finds all ones.
void RingWorld::lose(unsigned side, const Item& item) {
    if (item.what == Item::What::load || item.what == Item::What::completion) {
        Side& who = sides_[item.what == Item::What::load ? side : 1 - side];
        who.loaded = nts::kAllOnes;
        who.waits = false;
    }
    say(side, RingLine::Place::lost, [&] {
        switch (item.what) {
            case Item::What::piece:
                return fmt::format("{} B at {}", item.piece.bytes, name_of(*setting_, item.piece.address - kBar));
            case Item::What::load: return fmt::format("load {}", name_of(*setting_, item.piece.address - kBar));
            case Item::What::doorbell: return std::string("doorbell");
            case Item::What::completion: return std::string("completion");
            case Item::What::word: return text_of(item.word);
        }
        return std::string();
    });
}

void RingWorld::deliver(unsigned side, const Item& item) {
    Side& to = sides_[1 - side];
    if (item.what == Item::What::doorbell) {
        say(side, RingLine::Place::bridge, [&] { return std::string(to.rung ? "doorbell, merged" : "doorbell"); });
        to.rung = true;
        return;
    }
    if (item.what == Item::What::word) {
        to.heard = item.word;
        say(side, RingLine::Place::bridge, [&] { return text_of(item.word); });
        return;
    }
    if (item.what == Item::What::completion) {
        to.loaded = item.word;
        to.waits = false;
        say(side, RingLine::Place::bridge, [&] { return fmt::format("completion {}", item.word); });
        return;
    }
    const std::uint64_t at = item.piece.address - kBar;
    const std::uint32_t bytes = item.what == Item::What::load ? nts::kWord : item.piece.bytes;
    const std::optional<std::uint64_t> there = window_of(*setting_).translate(item.piece.address, bytes);
    if (!there) {
        breaks("NI1: a TLP lies outside its window");
        return;
    }
    std::uint8_t* const memory = &to.memory.at(*there - kFar);
    if (item.what == Item::What::load) {
        Item answer{Item::What::completion, {}, boost::endian::load_little_u64(memory)};
        to.sent.push_back(answer);
        say(side, RingLine::Place::bridge, [&] { return fmt::format("load {}", name_of(*setting_, at)); });
        return;
    }
    for (std::uint32_t i = 0; i < item.piece.bytes; ++i)
        if ((item.piece.mask >> i & 1U) != 0) memory[i] = item.piece.data.at(i);
    say(side, RingLine::Place::bridge,
        [&] { return fmt::format("{} B at {}", item.piece.bytes, name_of(*setting_, at)); });
}

bool RingWorld::change_link(bool up) {
    if (is_up_ == up || (!up && downs_ == 0)) return false;
    is_up_ = up;
    if (!up) --downs_;
    was_down_ = true;
    say(0, RingLine::Place::link, [&] { return std::string(up ? "link up" : "link down"); });
    return true;
}

/// Its program starts once more, with what its host's memory has. Its core's buffers leave as ever.
bool RingWorld::reset() {
    if (resets_ == 0) return false;
    --resets_;
    receiver_.begin_anew();
    say(1, RingLine::Place::core, [] { return std::string("begins anew"); });
    return true;
}

/// Relaxed ordering. Of the first completion on its way from this side, if it is not the first item.
bool RingWorld::complete_ahead(unsigned side) {
    if (!setting_->relaxed || !is_up_) return false;
    std::deque<Item>& sent = sides_[side].sent;
    const auto found = std::ranges::find(sent, Item::What::completion, &Item::what);
    if (found == sent.end() || found == sent.begin()) return false;
    Side& to = sides_[1 - side];
    to.loaded = found->word;
    to.waits = false;
    say(side, RingLine::Place::bridge, [&] { return fmt::format("completion {}, ahead", found->word); });
    sent.erase(found);
    return true;
}

/// NI4. A slot is used again when the receiver has taken what it had.
void RingWorld::check_store(const Instruction& what) {
    const nts::RingShape& shape = setting_->plan.shape;
    if (what.at >= shape.reader_at()) return;
    if (sender_.begun() > receiver_.read() + shape.slots) breaks("NI4: a slot is filled again that has not been read");
}

/// NI3: a prefix of what was sent, whole.
void RingWorld::check_take() {
    const nts::RingPlan& plan = setting_->plan;
    const std::vector<std::uint8_t>& memory = sides_[1].memory;
    const std::uint32_t message = receiver_.taken();
    const std::uint64_t found = nts::word_at(memory, plan.shape.slot_at(plan.rules, receiver_.read()));
    say(1, RingLine::Place::core, [&] { return fmt::format("take message {}", message); });
    const nts::Header header = nts::header_of(found);
    if (nts::is_half(found)) return breaks("NI3: half a header is taken");
    if (message == plan.words.size() || (header.message != 0 && header.message < message + 1))
        return breaks("NI3: a message is taken twice");
    if (found == 0) return breaks("NI3: a message is taken before it has come");
    if (header.message != message + 1 || header.bytes != (plan.words[message] + 1) * nts::kWord)
        return breaks("NI3: what is taken is no message");
    for (const nts::Op& op : plan.ops[message]) {
        if (op.what != nts::Op::What::payload) continue;
        if (nts::word_at(memory, op.at) != nts::payload_word(message, op.word)) return breaks("NI3: a message is torn");
    }
}

/// NI5.
void RingWorld::check_indices() {
    if (sender_.reader(sides_[0].memory) > receiver_.read()) breaks("NI5: the reader's index is ahead of what is read");
}

bool RingWorld::over() const {
    const auto is_quiet = [](const Side& of) {
        return of.buffers.empty() && of.sent.empty() && !of.waits && of.heard == 0;
    };
    if (!is_up_ || was_down_ || receiver_.begins_anew()) return false;
    return receiver_.has_all() && sender_.is_over(sides_[0].memory) && is_quiet(sides_[0]) && is_quiet(sides_[1]);
}

Digest RingWorld::state() const {
    std::vector<std::uint64_t> words;
    sender_.state(words);
    receiver_.state(words);
    words.push_back(std::uint64_t{stored_} << 32U | std::uint64_t{downs_} << 16U | std::uint64_t{resets_} << 8U |
                    (is_up_ ? 2U : 0U) | (was_down_ ? 1U : 0U));
    Mixer mixer;
    const auto add_bytes = [&](const auto& bytes) {
        std::uint64_t word = 0;
        std::size_t i = 0;
        for (const std::uint8_t byte : bytes) {
            word = word << 8U | byte;
            if (++i % 8 == 0) mixer.add(word);
        }
        mixer.add(word);
    };
    for (const Side& of : sides_) {
        mixer.pack({static_cast<std::uint32_t>(of.buffers.buffers().size()), static_cast<std::uint32_t>(of.sent.size()),
                    of.waits ? 1U : 0U, of.rung ? 1U : 0U, of.loaded ? 1U : 0U});
        mixer.add(of.loaded.value_or(0));
        mixer.add(of.heard);
        std::vector<WriteCombining::Buffer> buffers = of.buffers.buffers();  // any may leave: their order says nothing
        std::ranges::sort(buffers, {}, &WriteCombining::Buffer::line);
        for (const WriteCombining::Buffer& buffer : buffers) {
            mixer.add(buffer.line * 2 + (buffer.leaves ? 1 : 0));
            mixer.add(buffer.mask);
            add_bytes(buffer.data);
        }
        for (const Item& item : of.sent) {
            mixer.add(item.piece.address * 8 + static_cast<std::uint64_t>(item.what));
            mixer.add(item.piece.mask);
            mixer.add(item.word);
            add_bytes(item.piece.data);
        }
        add_bytes(of.memory);
    }
    for (const std::uint64_t word : words) mixer.add(word);
    return mixer.finish();
}

}  // namespace rnicsim::explore
