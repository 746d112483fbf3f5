// SPDX-License-Identifier: Apache-2.0
// request_check beside the model: any request against any state of its QP and any region, with and without stalls.
#include "Vrequest_check.h"
#include "model/rnic/rc/request_checks.h"
#include "model/rtl/clocked.h"
#include "model/rtl/request_check_ports.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

using rc::Access, rc::Incoming, rc::MrTable, rc::Pd, rc::RequestKind, rc::Verdict;
using roce::Header, roce::Opcode;

constexpr std::uint64_t kEnd = ~std::uint64_t{0};  // the last byte there is
constexpr std::uint64_t kTakes = 8;                // cycles, as rtl/README.md says
constexpr std::array kRights{rc::kRemoteWrite,  rc::kRemoteRead,      rc::kRemoteAtomic,
                             rc::kFlushVisible, rc::kFlushPersistent, rc::kWritePersist};
constexpr Access kAll{0xFFFF};

/// What the verdicts were, so that each has been seen.
struct Seen {
    std::uint64_t asked = 0, good = 0, sequence = 0, allowed = 0, length = 0, key = 0;
    /// A tenth at least has it, and a tenth has not.
    [[nodiscard]] bool both(std::uint64_t of) const { return of > asked / 10 && of < asked - asked / 10; }
};

/// How likely sender and receiver are to go on, in sixteenths.
struct CheckPace {
    std::uint32_t offer, ready;
};
constexpr CheckPace kFullRate{16, 16};

class CheckBench {
  public:
    explicit CheckBench(const MrTable& regions, CheckPace pace = kFullRate, std::uint32_t seed = 1)
        : regions_(regions), pace_(pace), random_(seed) {}

    /// Cycles until the request has been taken. Returns whether model and Verilog have agreed so far.
    bool ask(const Header& h, const rc::Qp& qp) {
        const RequestKind kind = rc::kind_of(h.opcode);
        const Question question{h, kind, rc::kRequestChecks.check(kind, h, qp, regions_), now_};
        show_request(*rtl_, h, qp);
        while (random_() % 16 >= pace_.offer)
            if (!cycle(false)) return false;
        rtl_->request_valid_i = 1;
        bool taken = false;
        while (!taken) {
            decide_ready();
            taken = rtl_->request_ready_o != 0;
            if (taken) {
                under_way_.push_back(question);
                under_way_.back().since = now_;
            }
            if (!finish_cycle()) return false;
        }
        return true;
    }
    /// Until all have their verdict.
    bool drain() {
        for (int i = 0; i < 200 && !under_way_.empty(); ++i)
            if (!cycle(false)) return false;
        for (int i = 0; i < 20; ++i)
            if (!cycle(false)) return false;  // none twice
        return under_way_.empty() || differs("a verdict is missing");
    }
    [[nodiscard]] const Seen& seen() const { return seen_; }
    [[nodiscard]] std::uint64_t now() const { return now_; }

  private:
    struct Question {
        Header header;
        RequestKind kind;
        Verdict expected;
        std::uint64_t since = 0;
    };

    bool cycle(bool valid) {
        rtl_->request_valid_i = valid;
        decide_ready();
        return finish_cycle();
    }
    void decide_ready() {
        rtl_->verdict_ready_i = random_() % 16 < pace_.ready;
        rtl_.settle();
    }
    bool finish_cycle() {
        const bool same = look();
        const bool looks_up = rtl_->lookup_valid_o != 0;
        const std::uint32_t index = rtl_->lookup_index_o;
        rtl_.tick();
        ++now_;
        if (looks_up) show_region(*rtl_, regions_.entry(index));
        return same;
    }
    bool look() {
        if (rtl_->verdict_valid_o == 0) return true;
        if (under_way_.empty()) return differs("a verdict of nothing");
        const Question& question = under_way_.front();
        if (pace_.offer == 16 && pace_.ready == 16 && now_ != question.since + kTakes) return differs("cycle");
        const Verdict found = verdict_of(*rtl_), &expected = question.expected;
        if (rtl_->verdict_kind_o != kind_bits(question.kind)) return differs("kind");
        if (found.sequence != expected.sequence) return differs("sequence");
        if (found.allowed != expected.allowed) return differs("allowed");
        if (found.length != expected.length) return differs("length");
        if (found.key != expected.key) return differs("key");
        if (rtl_->verdict_ready_i == 0) return true;
        ++seen_.asked;
        seen_.good += expected.good() ? 1 : 0;
        seen_.sequence += expected.sequence ? 1 : 0;
        seen_.allowed += expected.allowed ? 1 : 0;
        seen_.length += expected.length ? 1 : 0;
        seen_.key += expected.key ? 1 : 0;
        under_way_.pop_front();
        return true;
    }
    bool differs(const char* what) {
        UNSCOPED_INFO("model and Verilog differ at " << what << " in cycle " << now_);
        if (!under_way_.empty()) {
            const Header& h = under_way_.front().header;
            UNSCOPED_INFO("opcode " << static_cast<unsigned>(h.opcode) << " address " << h.address << " key " << h.key
                                    << " length " << h.length << " payload " << h.payload);
        }
        return false;
    }

    const MrTable& regions_;
    const CheckPace pace_;
    std::mt19937 random_;
    Clocked<Vrequest_check> rtl_{"request_check"};
    std::deque<Question> under_way_;
    Seen seen_;
    std::uint64_t now_ = 0;
};

rc::Qp qp_of(Pd pd, Access access = kAll, std::uint32_t mtu = 1024) {
    rc::QpInit init;
    init.pd = pd;
    init.persist = rc::PersistMode{};
    rc::Qp qp(rc::Qpn{1}, init);
    qp.attributes.access = access;
    qp.attributes.path_mtu = mtu;
    return qp;
}

/// One packet of each kind that touches memory, of whatever there is at `at`, as the first of its message.
std::vector<Header> touches(std::uint64_t address, std::uint32_t length, std::uint32_t key) {
    std::vector<Header> all;
    const auto add = [&](Opcode opcode) -> Header& {
        Header h;
        h.opcode = opcode;
        h.address = address;
        h.key = key;
        h.length = length;
        return all.emplace_back(h);
    };
    for (const Opcode opcode : {Opcode::write_only, Opcode::write_only_imm, Opcode::write_persist_only,
                                Opcode::selective_write_only, Opcode::atomic_write})
        add(opcode).payload = length % 0x1'0000;
    for (const Opcode opcode : {Opcode::read_request, Opcode::fetch_add, Opcode::compare_swap}) add(opcode);
    for (std::uint8_t placement = 0; placement < 6; ++placement) {
        for (std::uint8_t selectivity = 0; selectivity < 4; ++selectivity) {
            add(Opcode::flush).feth = {static_cast<roce::FlushPlacement>(placement),
                                       static_cast<roce::FlushSelectivity>(selectivity)};
        }
    }
    add(Opcode::send_only_inv).payload = length % 0x1'0000;
    add(Opcode::send_only).payload = length % 0x1'0000;
    return all;
}

constexpr rc::Range kEdges[] = {{0x1000, 0x1000},
                                {0, 0x2000},
                                {kEnd - 0xFFF, 0x1000},
                                {1, kEnd},
                                {0x7000, 0},
                                {0, 0},
                                {0xFFFF'FFF0, 0x20},
                                {0x5'0000'0000, 0x1'8000'0000},
                                {0x7FFF'FFFF'FFFF'FFF8, 16},
                                {0x1001, 1}};

TEST_CASE("request_check: every opcode in every state of the message, at every MTU, with payloads at the edges",
          "[cosim]") {
    MrTable regions;
    const std::uint32_t key = *regions.add(Pd{1}, {0, kEnd}, kAll, {30});
    CheckBench bench(regions);
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        for (std::uint32_t mtu = 256; mtu <= 4096; mtu *= 2) {
            rc::Qp qp = qp_of(Pd{1}, kAll, mtu);
            for (const std::uint32_t payload : {0U, 1U, 7U, 8U, 9U, mtu - 1, mtu, mtu + 1, 2 * mtu, 0xFFFFU}) {
                for (unsigned state = 0; state < 4; ++state) {
                    qp.responder.incoming = state == 3 ? Incoming::write : static_cast<Incoming>(state);
                    qp.responder.persist = state == 3;
                    for (const std::uint32_t length : {payload, payload - 1, payload + 1, mtu, 0x1'0000U + payload}) {
                        Header h;
                        h.opcode = static_cast<Opcode>(opcode);
                        h.key = qp.responder.key = key;
                        h.payload = payload;
                        h.length = qp.responder.left = length;
                        REQUIRE(bench.ask(h, qp));
                    }
                }
            }
        }
    }
    REQUIRE(bench.drain());
    CHECK(bench.seen().good > 100);
    CHECK(bench.now() == bench.seen().asked + kTakes + 20);  // a request a cycle
}

TEST_CASE("request_check: ranges at the edges of regions, of the address space, and of no bytes", "[cosim]") {
    MrTable regions;
    std::vector<std::pair<std::uint32_t, rc::Range>> keys;
    for (const rc::Range& range : kEdges) keys.emplace_back(*regions.add(Pd{1}, range, kAll, {30}), range);
    CheckBench bench(regions);
    rc::Qp qp = qp_of(Pd{1}, kAll, 4096);
    for (const auto& [key, range] : keys) {
        for (const std::uint32_t length :
             {0U, 1U, 8U, 16U, 0xFFFU, 0x1000U, 0x1001U, 0x7FFF'FFFFU, 0x8000'0000U, 0x8000'0001U, 0xFFFF'FFFFU}) {
            for (std::uint64_t near = 0; near < 20; ++near) {
                // About its begin and its end, and where the range ends as the region does.
                for (const std::uint64_t about : {range.address, range.address + range.length,
                                                  range.address + range.length - length, std::uint64_t{0} - length}) {
                    const std::uint64_t address = about + near - 10;
                    for (const Header& h : touches(address, length, key)) REQUIRE(bench.ask(h, qp));
                    qp.responder = rc::Responder();
                    qp.responder.incoming = Incoming::write;
                    qp.responder.address = address;
                    qp.responder.key = key;
                    qp.responder.left = length;
                    Header h;
                    h.opcode = Opcode::write_middle;
                    h.payload = 4096;
                    REQUIRE(bench.ask(h, qp));
                    qp.responder = rc::Responder();
                }
            }
        }
    }
    REQUIRE(bench.drain());
    CHECK(bench.seen().both(bench.seen().key));
    CHECK(bench.seen().both(bench.seen().good));
}

TEST_CASE("request_check: every set of rights of QP and region", "[cosim]") {
    MrTable regions;
    std::vector<std::uint32_t> keys;
    const auto rights_of = [](unsigned set) {
        Access access = rc::kLocalWrite;
        for (std::size_t i = 0; i < kRights.size(); ++i) {
            if ((set >> i & 1U) != 0) access = access | kRights.at(i);
        }
        return access;
    };
    for (unsigned set = 0; set < 64; ++set) keys.push_back(*regions.add(Pd{1}, {0, 0x1000}, rights_of(set)));
    CheckBench bench(regions);
    for (unsigned set = 0; set < 64; ++set) {
        for (const bool mine : {false, true}) {  // the QP's rights vary, or the region's
            for (unsigned persist = 0; persist < 3; ++persist) {
                rc::Qp qp = qp_of(Pd{1}, mine ? rights_of(set) : kAll);
                qp.init.persist.reset();
                if (persist != 0) qp.init.persist = rc::PersistMode{static_cast<rc::PersistMark>(persist - 1)};
                for (const Header& h : touches(64, 8, keys.at(mine ? 63 : set))) REQUIRE(bench.ask(h, qp));
            }
        }
    }
    REQUIRE(bench.drain());
    CHECK(bench.seen().both(bench.seen().allowed));
    CHECK(bench.seen().both(bench.seen().key));
}

TEST_CASE("request_check: a key opens its own region only, in its own protection domain, and no more once it has ended",
          "[cosim]") {
    MrTable regions;
    std::vector<std::uint32_t> keys;
    for (const Pd pd : {Pd{1}, Pd{2}, Pd{0x8000'0001}, Pd{0x80'0001}}) {
        keys.push_back(*regions.add(pd, {0, 0x1000}, kAll));
        keys.push_back(*regions.add(pd, {0, 0x1000}, kAll));
        regions.remove(keys.back());
        keys.push_back(*regions.add(pd, {0, 0x1000}, kAll));  // its index, with another tag
    }
    keys.push_back(*regions.add(Pd{1}, {0, 0x1000}, kAll));
    regions.remove(keys.back());
    CheckBench bench(regions);
    for (const Pd pd : {Pd{1}, Pd{2}, Pd{0x80'0001}, Pd{3}}) {
        const rc::Qp qp = qp_of(pd);
        for (const std::uint32_t key : keys) {
            for (unsigned bit = 0; bit <= 32; ++bit) {
                const std::uint32_t wrong = bit == 32 ? key : key ^ 1U << bit;
                for (const std::uint32_t length : {0U, 8U})
                    for (const Header& h : touches(16, length, wrong)) REQUIRE(bench.ask(h, qp));
            }
        }
    }
    REQUIRE(bench.drain());
    CHECK(bench.seen().good > 100);
}

TEST_CASE("request_check: a packet of a selective WRITE says what the message so far does, in each bit", "[cosim]") {
    MrTable regions;
    const std::uint32_t key = *regions.add(Pd{1}, {0, kEnd}, kAll, {30});
    CheckBench bench(regions);
    rc::Qp qp = qp_of(Pd{1});
    qp.responder.incoming = Incoming::write;
    qp.responder.address = 0x0123'4567'89AB'CDEF;
    qp.responder.key = key;
    for (const Opcode opcode : {Opcode::selective_write_middle, Opcode::selective_write_last, Opcode::write_middle}) {
        const bool last = opcode == Opcode::selective_write_last;
        qp.responder.left = last ? 1000 : 5000;
        for (unsigned bit = 0; bit <= 128; ++bit) {
            Header h;
            h.opcode = opcode;
            h.address = qp.responder.address ^ (bit < 64 ? std::uint64_t{1} << bit : 0);
            h.key = key ^ (bit >= 64 && bit < 96 ? 1U << (bit - 64) : 0);
            h.length = qp.responder.left ^ (bit >= 96 && bit < 128 ? 1U << (bit - 96) : 0);
            h.payload = last ? 1000 : 1024;
            REQUIRE(bench.ask(h, qp));
        }
    }
    REQUIRE(bench.drain());
    CHECK(bench.seen().good == 2 + 129);
}

/// Requests that are often nearly right.
class AnyRequests {
  public:
    AnyRequests(MrTable& regions, std::uint32_t seed) : random_(seed) {
        for (const rc::Range& range : kEdges) {
            for (int i = 0; i < 3; ++i) add(regions, range);
        }
        for (int i = 0; i < 10; ++i) add(regions, {of64() >> of(60), 1 + (of64() >> (20 + of(40)))});
        regions.remove(regions_.back().key);
    }
    [[nodiscard]] std::uint32_t of(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    Header draw(rc::Qp& qp) {
        const Known& region = regions_.at(of(static_cast<std::uint32_t>(regions_.size())));
        const std::uint32_t mtu = 256U << of(5);
        qp.init.pd = of(8) != 0 ? region.pd : Pd{of(4)};
        qp.init.persist.reset();
        if (of(4) != 0)
            qp.init.persist = rc::PersistMode{of(4) != 0 ? rc::PersistMark::opcode : rc::PersistMark::range};
        qp.attributes.access = of(2) != 0 ? kAll : rights();
        qp.attributes.path_mtu = mtu;
        Header h;
        const roce::OpcodeMeaning& known = roce::kOpcodes.at(of(roce::kOpcodes.size()));
        h.opcode = of(16) != 0 ? known.opcode : static_cast<Opcode>(of(256));
        h.feth = {static_cast<roce::FlushPlacement>(of(4) != 0 ? of(4) : of(16)),
                  static_cast<roce::FlushSelectivity>(of(4) != 0 ? of(2) : of(4))};
        h.length = length(region, mtu);
        h.address = address(region, h.length);
        h.key = key(region);
        rc::Responder& r = qp.responder;
        const RequestKind kind = rc::kind_of(h.opcode);
        r.incoming = static_cast<Incoming>(of(3));
        if (of(2) != 0) r.incoming = kind.first ? Incoming::none : kind.send ? Incoming::send : Incoming::write;
        r.persist = of(4) != 0 ? kind.persist : of(2) != 0;
        r.left = length(region, mtu);
        r.address = address(region, r.left);
        r.key = key(region);
        if (of(2) != 0) {
            h.length = r.left;
            h.address = r.address;
            h.key = r.key;
            if (of(4) == 0) h.address ^= std::uint64_t{1} << of(64);
            if (of(4) == 0) h.length ^= 1U << of(32);
        }
        h.payload = payload(kind.first ? h.length : r.left, kind, mtu);
        return h;
    }

  private:
    struct Known {
        std::uint32_t key;
        Pd pd;
        rc::Range range;
    };
    std::uint64_t of64() { return std::uint64_t{random_()} << 32U | random_(); }
    Access rights() {
        Access access;
        for (const Access one : kRights) access = of(4) != 0 ? access | one : access;
        return access;
    }
    void add(MrTable& regions, rc::Range range) {
        const Pd pd{1 + of(2)};
        if (const auto key = regions.add(pd, range, of(2) != 0 ? kAll : rights(), {30}))
            regions_.push_back({*key, pd, range});
    }
    std::uint32_t key(const Known& region) {
        if (of(16) == 0) return region.key ^ 1U << of(32);
        return region.key;
    }
    std::uint32_t length(const Known& region, std::uint32_t mtu) {
        switch (of(8)) {
            case 0: return of(10);
            case 1: return mtu + of(3) - 1;
            case 2: return static_cast<std::uint32_t>(region.range.length) + of(3) - 1;
            case 3: return rc::kMaxMessage + of(3) - 1;
            case 4: return static_cast<std::uint32_t>(random_());
            case 5: return 0U - of(3);
            default: return of(3 * mtu);
        }
    }
    std::uint64_t address(const Known& region, std::uint32_t length) {
        const std::uint64_t end = region.range.address + region.range.length;
        switch (of(8)) {
            case 0: return of64();
            case 1: return region.range.address + of(5) - 2;
            case 2: return end - length + of(5) - 2;
            case 3: return end + of(5) - 2;
            case 4: return (region.range.address + of(4096)) & ~std::uint64_t{7};
            default: return region.range.address + of(4096);
        }
    }
    std::uint32_t payload(std::uint32_t left, const RequestKind& kind, std::uint32_t mtu) {
        if (of(8) == 0) return of(0x1'0000);
        if (of(8) == 0) return (mtu + of(3) - 1) & 0xFFFFU;
        if (kind.atomic_write) return 8;
        if (kind.has_answer()) return 0;
        return kind.last ? left & 0xFFFFU : mtu;
    }

    std::mt19937 random_;
    std::vector<Known> regions_;
};

TEST_CASE("request_check: two million random requests at full rate", "[cosim]") {
    Seen all;
    for (std::uint32_t run = 0; run < 20; ++run) {
        CAPTURE(run);
        MrTable regions;
        AnyRequests requests(regions, run);
        CheckBench bench(regions);
        rc::Qp qp = qp_of(Pd{1});
        for (int i = 0; i < 100'000; ++i) {
            const Header h = requests.draw(qp);
            REQUIRE(bench.ask(h, qp));
        }
        REQUIRE(bench.drain());
        const Seen& seen = bench.seen();
        all.asked += seen.asked;
        all.good += seen.good;
        all.sequence += seen.sequence;
        all.allowed += seen.allowed;
        all.length += seen.length;
        all.key += seen.key;
    }
    CHECK(all.asked == 2'000'000);
    CHECK(all.good > 20'000);
    for (const std::uint64_t one : {all.sequence, all.allowed, all.length, all.key}) CHECK(all.both(one));
}

TEST_CASE("request_check: whatever stalls, each request has its own verdict, once and in order", "[cosim]") {
    std::uint32_t run = 0;
    for (const CheckPace pace : {CheckPace{16, 8}, CheckPace{8, 16}, CheckPace{8, 8}, CheckPace{2, 16},
                                 CheckPace{16, 2}, CheckPace{12, 14}, CheckPace{1, 1}}) {
        CAPTURE(run);
        MrTable regions;
        AnyRequests requests(regions, 100 + run);
        CheckBench bench(regions, pace, run++);
        rc::Qp qp = qp_of(Pd{1});
        for (int i = 0; i < 20'000; ++i) {
            const Header h = requests.draw(qp);
            REQUIRE(bench.ask(h, qp));
        }
        REQUIRE(bench.drain());
        CHECK(bench.seen().asked == 20'000);
    }
}

}  // namespace
}  // namespace rnicsim
