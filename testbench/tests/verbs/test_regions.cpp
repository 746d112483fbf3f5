// SPDX-License-Identifier: Apache-2.0
// V-Q5: a region that lies elsewhere for DMA than at its program's addresses. V-Q6: one that is registered anew.
#include "testbench/tests/verbs/verbs_end.h"
#include "tlm/roce/codec.h"

namespace rnicsim::rc {

using roce::Header;
using roce::Opcode;

namespace {

constexpr std::uint64_t kAway = 1'000'000'000;

EndSettings away(bool selective = false) {
    EndSettings s;
    s.to_bus = kAway;
    if (selective) s.config.retransmission = &retransmission("selective_repeat");
    return s;
}
Segment at(std::uint64_t address, std::uint32_t length) { return {kAway + address, length}; }

}  // namespace

TEST_CASE("V-Q5: what is sent, and what is answered to a READ, is read on the bus", "[verbs]") {
    End e(away());
    e.post(wqe(Verb::write, 300, e));
    CHECK(e.send() == Lines{"write_first 100 +256 at 40960:300", "write_last 101 +44 ask"});
    CHECK(e.left_from == Segments{at(8192 + 256, 44)});
    e.packet(reth(request(Opcode::read_request, {500}), e, 300));
    CHECK(e.answers() == Lines{"read_first 500 +256", "read_last 501 +44"});
    CHECK(e.left_from == Segments{at(40960 + 256, 44)});
}

TEST_CASE("V-Q5: what comes is placed on the bus: WRITEs, SENDs, READ responses", "[verbs]") {
    End e(away());
    CHECK(e.packet(reth(request(Opcode::write_first, {500}, 256), e, 300)) == Lines{"place 500 1000040960+256"});
    CHECK(e.packet(request(Opcode::write_last, {501}, 44)) == Lines{"place 501 1000041216+44"});
    e.receive(300);
    CHECK(e.packet(request(Opcode::send_only, {502}, 8)) == Lines{"place 502 1000065536+8", "receive 0 success 8 B"});
    e.post(wqe(Verb::read, 8, e));
    CHECK(e.send() == Lines{"read_request 100 at 40960:8 ask"});
    CHECK(e.packet(response(Opcode::read_only, {100}, 8)) == Lines{"place 100 1000008192+8", "cqe 0 success 8 B"});
}

TEST_CASE("V-Q5: of UC and UD as well", "[verbs]") {
    EndSettings s = away();
    s.config.port_mtu = kMtu;
    s.service = Service::unreliable;
    End uc(s);
    Header write = request(roce::of_service(Opcode::write_only, Service::unreliable), {500}, 8);
    write.ack_request = false;
    CHECK(uc.packet(reth(write, uc, 8)) == Lines{"place 500 1000040960+8"});
    s.service = Service::datagram;
    End ud(s);
    ud.receive(100);
    Header datagram = request(Opcode::ud_send_only, {500}, 8);
    datagram.ack_request = false;
    datagram.from = kFar;
    CHECK(ud.packet(datagram).front() == "place grh 500 1000065536+48");
}

TEST_CASE("V-Q5: atomics", "[verbs]") {
    End e(away());
    Header h = reth(request(Opcode::fetch_add, {500}), e, 8);
    CHECK(e.packet(h) == Lines{"add 1000040960"});
}

TEST_CASE("V-Q5: the keys' ranges are the program's", "[verbs]") {
    End e(away());
    const std::uint64_t end = 4096 + (1U << 20U);
    CHECK(e.packet(reth(request(Opcode::write_only, {500}, 8), e, 8, end - 8)).size() == 1);
    CHECK(e.packet(reth(request(Opcode::write_only, {501}, 8), e, 8, kAway + 40960)) !=
          Lines{"place 501 1000040960+8"});
    CHECK(e.state().state == QpState::error);
}

TEST_CASE("V-Q5: ahead of a missing WRITE to the same place on the bus nothing is placed", "[verbs]") {
    End e(away(true));
    const auto write = [&](Psn psn, std::uint32_t key, std::uint64_t address) {
        Header h = reth(request(Opcode::write_only, psn, 8), e, 8, address);
        h.key = key;
        return e.packet(h);
    };
    // The same bytes by another name, and others by the first one's.
    const std::uint32_t alias = *e.rc.regions().add(Pd{1}, {5'000'000, 4096}, kAllAccess, {}, kAway + 40960);
    const std::uint32_t other = *e.rc.regions().add(Pd{1}, {40960, 4096}, kAllAccess, {}, 2 * kAway);
    // 500 has come, of the WRITE of 1000 bytes to 40960, then 502; its second and its last packet are missing.
    Header first = reth(request(Opcode::write_first, {500}, 256), e, 1000);
    e.packet(first);
    CHECK(e.packet(request(Opcode::write_middle, {502}, 256)) == Lines{"place 502 1000041472+256"});
    CHECK(write({504}, alias, 5'000'000 + 256) == Lines{});
    CHECK(write({504}, other, 40960 + 256) == Lines{"place 504 2000000256+8"});
}

TEST_CASE("V-Q6: a region that is registered anew keeps its key, and nothing else", "[verbs]") {
    End e(away());
    CHECK(e.packet(reth(request(Opcode::write_only, {500}, 8), e, 8)) == Lines{"place 500 1000040960+8"});
    REQUIRE(e.rc.regions().change(e.key, Pd{1}, {70'000, 100}, kAllAccess, {}, 5'000'000));
    CHECK(e.packet(reth(request(Opcode::write_only, {501}, 8), e, 8, 70'092)) == Lines{"place 501 5000092+8"});
    CHECK(e.rc.regions().allows(e.key, Pd{1}, {70'000, 100}, kRemoteRead));
    CHECK_FALSE(e.rc.regions().allows(e.key, Pd{1}, {40960, 8}, kRemoteRead));
    REQUIRE(e.rc.regions().change(e.key, Pd{2}, {70'000, 100}, kLocalWrite, {}, 5'000'000));
    CHECK_FALSE(e.rc.regions().allows(e.key, Pd{1}, {70'000, 8}, kLocalWrite));
    CHECK_FALSE(e.rc.regions().allows(e.key, Pd{2}, {70'000, 8}, kRemoteRead));
    CHECK(e.rc.regions().allows(e.key, Pd{2}, {70'000, 8}, kLocalWrite));
    REQUIRE(e.rc.regions().remove(e.key));
    CHECK_FALSE(e.rc.regions().change(e.key, Pd{1}, {70'000, 100}, kLocalWrite, {}, 5'000'000));
}

TEST_CASE("V-Q6: its pages have new entries in the MTT", "[verbs]") {
    MrTable regions;
    const std::uint32_t key = *regions.add(Pd{1}, {0, 4096}, kLocalWrite);
    REQUIRE(regions.change(key, Pd{1}, {8192, 8192}, kLocalWrite, {}, 8192));
    CHECK(regions.page_entries() == 3);
    CHECK(regions.pages_of(key, {12288, 1})->first == 2);
}

TEST_CASE("V-Q9: requests and answers of a QP have its path, from RTR on", "[verbs]") {
    EndSettings s;
    s.attributes.path = {0x60, 7, 0x12345, IpAddress::unique_local, IpAddress::link_local};
    End e(s);
    CHECK(e.packet(reth(request(Opcode::write_only, {500}, 8), e, 8)) == Lines{"place 500 40960+8"});
    SendWqe wqe;
    wqe.verb = Verb::write;
    e.post(wqe);
    for (const Lane lane : {Lane::request, Lane::answer}) {
        const auto packet = e.rc.next_packet(e.now, lane, e);
        REQUIRE(packet);
        CHECK(packet->path == s.attributes.path);
    }
}

TEST_CASE("V-Q8: entries in the MTT of a region that ends or moves are the next ones'", "[verbs]") {
    MrTable regions;
    const auto add = [&](std::uint64_t pages) { return regions.add(Pd{1}, {0, pages * 4096}, kLocalWrite); };
    const auto first = [&](std::uint32_t key) { return regions.pages_of(key, {0, 1})->first; };
    const std::uint32_t a = *add(4), b = *add(4), c = *add(4);
    CHECK(regions.page_entries() == 12);
    REQUIRE(regions.remove(b));
    const std::uint32_t small = *add(3);
    CHECK(first(small) == 4);
    CHECK(first(*add(2)) == 12);  // one is left there
    REQUIRE(regions.change(a, Pd{1}, {0, 4096}, kLocalWrite, {}, 0));
    CHECK(first(a) == 7);
    REQUIRE(regions.invalidate(c, Pd{1}));
    REQUIRE(regions.remove(small));
    REQUIRE(regions.remove(a));
    CHECK(first(*add(12)) == 0);  // the gaps have grown together
    CHECK(regions.page_entries() == 14);
}

TEST_CASE("V-Q8: what has no room in the MTT changes nothing", "[verbs]") {
    MrTable regions;
    regions.set_most_page_entries(10);
    const std::uint32_t key = *regions.add(Pd{1}, {0, 6 * 4096}, kLocalWrite);
    CHECK_FALSE(regions.add(Pd{1}, {0, 5 * 4096}, kLocalWrite));
    CHECK_FALSE(regions.add(Pd{1}, {0, std::uint64_t{1} << 63U}, kLocalWrite));
    CHECK(regions.used() == 1);
    CHECK_FALSE(regions.change(key, Pd{1}, {4096, 5 * 4096}, kLocalWrite, {}, 4096));
    CHECK(regions.allows(key, Pd{1}, {0, 6 * 4096}, kLocalWrite));
    REQUIRE(regions.add(Pd{1}, {0, 4 * 4096}, kLocalWrite));
    REQUIRE(regions.remove(key));
    CHECK(regions.add(Pd{1}, {0, 6 * 4096}, kLocalWrite));
}

TEST_CASE("V-Q5: a region is as far into its page as on the bus, and moves either way", "[verbs]") {
    MrTable regions;
    const std::uint32_t up = *regions.add(Pd{1}, {4096 + 5, 100}, kLocalWrite, {}, 0x7FFF'0000'0005);
    const std::uint32_t down = *regions.add(Pd{1}, {0x7FFF'0000'0005, 100}, kLocalWrite, {}, 4096 + 5);
    const std::uint32_t same = *regions.add(Pd{1}, {0x7FFF'0000'0005, 100}, kLocalWrite);
    CHECK(regions.bus(up, 4096 + 6) == 0x7FFF'0000'0006);
    CHECK(regions.bus(down, 0x7FFF'0000'0006) == 4096 + 6);
    CHECK(regions.bus(same, 0x7FFF'0000'0006) == 0x7FFF'0000'0006);
}

}  // namespace rnicsim::rc
