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
    return {kBar, kSize, kFar, kBar + setting.plan.program.shape.bytes(), true};
}

/// What a place is, for people.
std::string name_of(const RingSetting& setting, std::uint64_t at) {
    const nts::RingShape& shape = setting.plan.program.shape;
    if (at >= shape.answered_at()) return "answer";
    if (at >= shape.asked_at()) return "question";
    if (at >= shape.writer_at()) return "writer's index";
    if (at >= shape.reader_at()) return "reader's index";
    const std::uint32_t ring = shape.ring_at(setting.plan.program.rules);
    const auto in_ring = static_cast<std::uint32_t>(at) - ring;
    if (in_ring % shape.slot == 0) return fmt::format("slot {} header", in_ring / shape.slot);
    return fmt::format("slot {}+{}", in_ring / shape.slot, in_ring % shape.slot);
}

/// What the ends say to each other, for people; else a number.
std::string text_of(const RingSetting& setting, std::uint64_t at, std::uint64_t word) {
    if (at < setting.plan.program.shape.asked_at()) return fmt::format("{:x}", word);
    switch (nts::said_in(word)) {
        case nts::Said::nothing: break;
        case nts::Said::going_down: return fmt::format("going down ({})", nts::number_in(word));
        case nts::Said::stopped: return fmt::format("stopped ({})", nts::number_in(word));
        case nts::Said::up: return fmt::format("Up, {} taken", nts::number_in(word));
    }
    return "nothing";
}

/// 8 bytes of it: a copy is made in words, as they lie in its source.
std::array<std::uint8_t, nts::kWord> word_of(const Instruction& what, std::uint32_t stored) {
    std::array<std::uint8_t, nts::kWord> bytes{};
    const std::uint64_t word = what.what == What::copy ? RingPlan::payload_word(what.from + stored) : what.word;
    boost::endian::store_little_u64(bytes.data(), word);
    return bytes;
}

}  // namespace

RingWorld::RingWorld(const RingSetting& setting, std::vector<RingLine>* told)
    : setting_(&setting),
      sender_(setting.plan.program),
      receiver_(setting.plan.program),
      downs_(setting.downs),
      resets_(setting.resets),
      told_(told) {
    sides_.assign(2, Side(setting.buffers));
    for (Side& side : sides_) side.memory.resize(setting.plan.program.shape.bytes());
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
        case RingStep::stream: return flow(move.side);
        case RingStep::up: return change_link(true);
        case RingStep::down: return change_link(false);
        case RingStep::reset: return reset();
        case RingStep::nothing: return true;
    }
    return false;
}

nts::RingSender::Sees RingWorld::seen() const {
    const nts::RingShape& shape = setting_->plan.program.shape;
    const std::vector<std::uint8_t>& own = sides_[0].memory;
    const std::deque<std::uint64_t>& streamed = sides_[0].streamed;
    return {nts::word_at(own, shape.reader_at()), nts::word_at(own, shape.asked_at()),
            streamed.empty() ? 0 : streamed.front()};
}

Instruction RingWorld::next(unsigned side) const {
    if (side == 0) return sender_.next(seen(), message());
    nts::RingReceiver::Signals signals{sides_[1].rung, nts::Link::up, !sides_[1].streamed.empty()};
    if (!is_up_) {
        signals.link = nts::Link::down;
    } else if (was_down_) {
        signals.link = nts::Link::back;
    }
    const Instruction what = receiver_.next(sides_[1].memory, signals);
    // Who has everything looks no further.
    const bool has_all = receiver_.taken() == setting_->plan.messages.size();
    return what.what == What::load && has_all ? Instruction{} : what;
}

bool RingWorld::core(unsigned side) {
    Side& of = sides_[side];
    if (of.waits) return false;
    const Instruction what = next(side);
    const auto says = [&](const char* text) { say(side, RingLine::Place::core, [=] { return std::string(text); }); };
    switch (what.what) {
        case What::rest: return false;
        case What::copy:
        case What::store:
            if (const Stored stored = store(side, what); stored != Stored::done) return stored == Stored::in_part;
            break;
        case What::fence:
            if (!of.buffers.empty()) return false;
            says("fence");
            break;
        case What::doorbell:
            if (!of.buffers.empty()) return false;
            says("doorbell");
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
            says("clear the doorbell");
            break;
        case What::see:
            was_down_ = false;
            says("sees that it was down");
            break;
        case What::hear:
            boost::endian::store_little_u64(&of.memory[what.at], 0);
            if (side == 0) stored_ = 0;
            say(side, RingLine::Place::core,
                [&] { return fmt::format("hear {}", text_of(*setting_, what.at, what.word)); });
            break;
        case What::send:
            of.streams.push_back(message()->tag);
            say(side, RingLine::Place::core,
                [&] { return fmt::format("send message {} by stream", of.streams.back() - 1); });
            break;
        case What::tell:
            of.streams.push_back(what.word);
            say(side, RingLine::Place::core,
                [&] { return fmt::format("by the stream: {} taken", nts::more_in(what.word)); });
            break;
        case What::heed:
            of.streamed.pop_front();
            says("heed it");
            break;
        case What::accept: check_accept(); break;
        case What::wake: says("awake"); break;
        case What::sleep: says("finds nothing"); break;
    }
    done(side, what);
    return true;
}

void RingWorld::done(unsigned side, const Instruction& what) {
    const std::uint64_t loaded = std::exchange(sides_[side].loaded, std::nullopt).value_or(0);
    if (side == 0) {
        sender_.done(what, loaded, message());
    } else {
        receiver_.done(what, loaded, sides_[1].memory);
    }
    check_indices();
}

/// A word after the other; one over two lines is two, the lower one first. Only the sender has such, and copies.
RingWorld::Stored RingWorld::store(unsigned side, const Instruction& what) {
    const std::uint32_t all = what.what == What::copy ? what.bytes : nts::kWord, stored = side == 0 ? stored_ : 0;
    const std::uint32_t in_word = stored % nts::kWord, line = setting_->plan.program.shape.line;
    const std::uint32_t count = std::min({nts::kWord - in_word, all - stored, line - (what.at + stored) % line});
    const std::array<std::uint8_t, nts::kWord> bytes = word_of(what, stored - in_word);
    if (side == 0 && stored == 0) check_store(what);
    if (!store_part(side, kBar + what.at + stored, &bytes.at(in_word), count)) return Stored::waits;
    const bool is_done = stored + count == all;
    if (side == 0) stored_ = is_done ? 0 : stored + count;
    return is_done ? Stored::done : Stored::in_part;
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
    if (what.what == What::fence || what.what == What::doorbell) return true;
    if (what.what != What::store && what.what != What::copy) return false;
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

bool RingWorld::flow(unsigned side) {
    std::deque<std::uint64_t>& on_the_way = sides_[side].streams;
    if (on_the_way.empty()) return false;
    sides_[1 - side].streamed.push_back(on_the_way.front());
    on_the_way.pop_front();
    say(side, RingLine::Place::stream, [] { return std::string("stream"); });
    return true;
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

/// Slots that the sender has begun to fill, counted from the beginning.
std::uint64_t RingWorld::begun() const {
    const nts::Message* const now = message();
    const bool between = now == nullptr || sender_.is_between();
    return sender_.slot() + (between ? 0 : setting_->plan.program.shape.slots_of(now->bytes));
}

/// NI4. A slot is used again when the receiver has taken what it had.
void RingWorld::check_store(const Instruction& what) {
    const nts::RingShape& shape = setting_->plan.program.shape;
    if (what.at >= shape.reader_at()) return;
    if (begun() > receiver_.read() + shape.slots) breaks("NI4: a slot is filled again that has not been read");
}

/// NI3: a prefix of what was sent, whole.
void RingWorld::check_take() {
    const RingPlan& plan = setting_->plan;
    const std::vector<std::uint8_t>& memory = sides_[1].memory;
    const std::uint64_t message = receiver_.taken(), found = receiver_.header(memory);
    say(1, RingLine::Place::core, [&] { return fmt::format("take message {}", message); });
    const nts::Header header = nts::header_of(found);
    if (nts::is_half(found)) return breaks("NI3: half a header is taken");
    if (message == plan.messages.size() || (header.message != 0 && header.message < message + 1))
        return breaks("NI3: a message is taken twice");
    if (found == 0) return breaks("NI3: a message is taken before it has come");
    const nts::Message& sent = plan.messages[message];
    if (header.message != sent.tag || header.bytes != sent.bytes + nts::kWord)
        return breaks("NI3: what is taken is no message");
    for (std::uint32_t piece = 0; piece < plan.program.pieces(sent.bytes); ++piece) {
        const Instruction copy = plan.program.piece(sent, receiver_.read(), piece);
        for (std::uint32_t i = 0; i < copy.bytes; i += nts::kWord) {
            if (nts::word_at(memory, copy.at + i) != RingPlan::payload_word(copy.from + i))
                return breaks("NI3: a message is torn");
        }
    }
}

/// NI3, of what comes by the stream.
void RingWorld::check_accept() {
    std::deque<std::uint64_t>& streamed = sides_[1].streamed;
    const std::uint64_t tag = streamed.front(), wanted = receiver_.taken() + 1;
    streamed.pop_front();
    say(1, RingLine::Place::core, [&] { return fmt::format("take message {}", tag - 1); });
    if (tag < wanted) return breaks("NI3: a message is taken twice");
    if (tag > wanted) return breaks("NI3: a message is lost");
}

/// NI5.
void RingWorld::check_indices() {
    if (sender_.reader(seen()) > receiver_.read()) breaks("NI5: the reader's index is ahead of what is read");
}

bool RingWorld::over() const {
    const auto is_quiet = [](const Side& of) {
        return of.buffers.empty() && of.sent.empty() && !of.waits && of.streams.empty() && of.streamed.empty();
    };
    if (!is_up_ || was_down_ || receiver_.begins_anew()) return false;
    return receiver_.taken() == setting_->plan.messages.size() && message() == nullptr && sender_.is_over(seen()) &&
           next(1).what == What::rest && is_quiet(sides_[0]) && is_quiet(sides_[1]);
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
        for (const auto* stream : {&of.streams, &of.streamed}) {
            mixer.add(stream->size());
            for (const std::uint64_t word : *stream) mixer.add(word);
        }
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
