// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md section 6: what the responder of a write does with a data frame.
#include "testbench/tests/protocol/logic_harness.h"

namespace rnicsim {
namespace {

TEST_CASE("6.1: MODE=1 data after the valid REQ_ACK goes to memory, not to the buffer", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.accept(s);
    CHECK(end.frame(10, data(s, 0, true)) == Lines{placed(s, 0), sent(ack(s, 1))});
    CHECK(end.buffer().used() == 0);
    CHECK(end.count(TransportCount::placed_direct) == 1);
}

TEST_CASE("6.2: data after a refused registration goes to the buffer and is acknowledged", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.refuse(s);
    CHECK(end.frame(10, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 1))});
    CHECK(end.frame(20, data(s, 2, true)) == Lines{kept(s, 2), sent(ack(s, 1))});
    CHECK(end.buffer().used() == 2);
    CHECK(end.count(TransportCount::kept_indirect) == 2);
}

TEST_CASE("6.2: so does data while the host is still registering", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.frame(0, req(s));
    CHECK(end.frame(10, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 1))});
    CHECK(end.command(20, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {0})});
}

TEST_CASE("6.2: data whose request was lost goes to the buffer; the request is then handled as usual", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    CHECK(end.frame(0, data(s, 1, true)) == Lines{kept(s, 1), sent(ack(s, 0))});
    CHECK(end.frame(5, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 2))});
    CHECK(end.logic.table().used() == 1);
    CHECK(end.frame(10, req(s)) == Lines{asked(s)});
    CHECK(end.logic.table().used() == 1);
    CHECK(end.frame(20, data(s, 2, true)) == Lines{kept(s, 2), sent(ack(s, 3))});
    CHECK(end.command(30, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {0, 1, 2})});
}

TEST_CASE("6.2: a frame that is kept already is acknowledged again and takes no second place", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.refuse(s);
    end.frame(10, data(s, 1, true));
    CHECK(end.frame(20, data(s, 1, true)) == Lines{sent(ack(s, 0))});
    end.frame(30, data(s, 0, true));
    CHECK(end.frame(40, data(s, 0, true)) == Lines{sent(ack(s, 2))});
    CHECK(end.buffer().used() == 2);
    CHECK(end.count(TransportCount::duplicates) == 2);
}

TEST_CASE("6.2, 6.3: an address has 64 bits, in the buffer as well", "[protocol]") {
    Spec s = write_of(2500);
    s.sba = 0xFEDC'BA98'0001'0000;
    s.dba = 0x0123'4567'89AB'C000;
    End end;
    end.refuse(s);
    CHECK(end.frame(10, data(s, 0, true)) == Lines{kept(s, 0), sent(ack(s, 1))});
    CHECK(end.frame(20, data(s, 1, true)) == Lines{kept(s, 1), sent(ack(s, 2))});
    CHECK(end.frame(25, req(s)) == Lines{asked(s)});
    CHECK(end.command(30, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {0, 1})});
}

TEST_CASE("6.2: the window holds for the buffer as well", "[protocol]") {
    const Spec s = write_of(20'000);
    for (const bool requested : {false, true}) {
        End end;
        if (requested) end.refuse(s);
        CHECK(end.frame(10, data(s, 8, true)) == Lines{});
        CHECK(end.count(TransportCount::out_of_window) == 1);
        CHECK(end.buffer().used() == 0);
        CHECK(end.frame(10, data(s, 7, true)) == Lines{kept(s, 7), sent(ack(s, 0))});
    }
}

TEST_CASE("6.3: the valid REQ_ACK moves everything in one bulk DMA, by SN, then 6.1 holds", "[protocol]") {
    const Spec s = write_of(5500);
    End end;
    end.refuse(s);
    for (const std::uint32_t sn : {3U, 0U, 4U, 1U}) end.frame(10, data(s, sn, true));
    CHECK(end.command(20, verdict(s, true)) == Lines{sent(req_ack(s, true)), drained(s, {0, 1, 3, 4})});
    CHECK(end.count(TransportCount::bulk_drains) == 1);
    CHECK(end.frame(30, data(s, 2, true)) == Lines{placed(s, 2), sent(ack(s, 5))});
    CHECK(end.frame(40, data(s, 5, true)) == Lines{placed(s, 5), sent(ack(s, 6))});
}

TEST_CASE("6.3: keyed by TID: only the frames of this transfer move", "[protocol]") {
    Spec a = write_of(3000, 1);
    Spec b = write_of(3000, 2);
    b.dba = 0x90'0000;
    End end;
    end.refuse(a);
    end.refuse(b);
    for (const std::uint32_t sn : {1U, 0U, 2U}) {
        end.frame(10, data(a, sn, true));
        end.frame(10, data(b, sn, true));
    }
    CHECK(end.command(20, verdict(b, true)) == Lines{sent(req_ack(b, true)), drained(b, {0, 1, 2})});
    end.drain_done();
    CHECK(end.buffer().used() == 3);
    CHECK(end.command(30, verdict(a, true)) == Lines{sent(req_ack(a, true)), drained(a, {0, 1, 2})});
    end.drain_done();
    CHECK(end.buffer().used() == 0);
}

TEST_CASE("6.3: slots are free when the DMA has left, and nothing is moved twice", "[protocol]") {
    const Spec s = write_of(500);
    End end;
    end.refuse(s);
    end.frame(10, data(s, 0, true));
    end.command(20, verdict(s, true));
    CHECK(end.buffer().used() == 1);
    CHECK(end.command(25, verdict(s, true)) == Lines{sent(req_ack(s, true))});
    CHECK(end.frame(26, rel(s)) == Lines{sent(rel_ack(s)), released(s)});  // released while it drains
    CHECK(end.buffer().used() == 1);
    end.drain_done();
    CHECK(end.empty());
}

TEST_CASE("6.3: with nothing kept there is no DMA", "[protocol]") {
    const Spec s = write_of(2500);
    End end;
    end.refuse(s);
    CHECK(end.command(20, verdict(s, true)) == Lines{sent(req_ack(s, true))});
    CHECK(end.count(TransportCount::bulk_drains) == 0);
}

TEST_CASE("6.4: 48 KiB by default, in whole segments; the traditional RNIC has none", "[protocol]") {
    CHECK(TransportConfig{}.indirect_buffer == 393'216 / 8);
    TransportConfig config;
    CHECK(End(config).buffer().slot_count() == 48);
    config.segment = 1448;
    CHECK(End(config).buffer().slot_count() == 33);
    config.segment = 1001;  // its memory has words of 8 bytes: 1008
    CHECK(End(config).buffer().slot_count() == 48);
    config.method = Method::traditional;
    CHECK(End(config).buffer().slot_count() == 0);
}

TEST_CASE("6.4: a frame that does not fit is dropped and not acknowledged", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;  // ten frames fit
    end.refuse(s);
    for (std::uint32_t sn = 0; sn < 10; ++sn) {
        CHECK(end.frame(10, data(s, sn, true)) == Lines{kept(s, sn), sent(ack(s, sn + 1))});
    }
    CHECK(end.frame(20, data(s, 10, true)) == Lines{});
    CHECK(end.count(TransportCount::buffer_full) == 1);
    CHECK(end.frame(20, data(s, 9, true)) == Lines{sent(ack(s, 10))});  // a duplicate needs no room
    end.command(30, verdict(s, true));
    CHECK(end.frame(31, data(s, 10, true)) == Lines{placed(s, 10), sent(ack(s, 11))});  // PROTOCOL.md 6.1 needs none
}

TEST_CASE("6.4: a full buffer leaves no table entry behind for a transfer it could not serve", "[protocol]") {
    const Spec a = write_of(10'000, 1);
    End end;
    end.refuse(a);
    for (std::uint32_t sn = 0; sn < 10; ++sn) end.frame(10, data(a, sn, true));
    CHECK(end.frame(20, data(write_of(500, 2), 0, true)) == Lines{});
    CHECK(end.logic.table().used() == 1);
}

TEST_CASE("6.8: a stalled window resumes at once when the valid REQ_ACK arrives", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    end.send_data(10);
    end.frame(20, ack(s, 2));
    CHECK(end.send_data(20) == Lines{fetched(s, 8, true), fetched(s, 9, true)});
    CHECK(end.frame(90, req_ack(s, true)) == Lines{});
    CHECK(end.count(TransportCount::resumed) == 1);
    Lines outstanding;
    for (std::uint32_t sn = 2; sn <= 9; ++sn) outstanding.push_back(fetched(s, sn, true));
    CHECK(end.send_data(90) == outstanding);
    end.expiry(390);  // the data timer restarts
    CHECK(end.count(TransportCount::data_timeouts) == 1);
}

TEST_CASE("6.8: a window that is not stalled is not sent again", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    end.send_data(10, 3);
    end.frame(20, req_ack(s, true));
    CHECK(end.count(TransportCount::resumed) == 0);
    CHECK(end.send_data(20, 1) == Lines{fetched(s, 3, true)});
}

TEST_CASE("6.8: without resume_on_valid_ack the data timer has to do it", "[protocol]") {
    TransportConfig config = small_config();
    config.resume_on_valid_ack = false;
    const Spec s = write_of(20'000);
    End end(config);
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    end.send_data(10);
    end.frame(90, req_ack(s, true));
    CHECK(end.send_data(90) == Lines{});
    CHECK(end.count(TransportCount::resumed) == 0);
    CHECK(end.expiry(310) == Lines{});
    CHECK(end.send_data(310) == Lines{fetched(s, 0, true)});
}

TEST_CASE("6 traditional: keeps nothing, whatever MODE says", "[protocol]") {
    const Spec s = write_of(2500);
    End end(small_config(Method::traditional));
    CHECK(end.frame(0, data(s, 0, true)) == Lines{});
    CHECK(end.empty());
    end.refuse(s);
    CHECK(end.frame(10, data(s, 0, true)) == Lines{});
    CHECK(end.count(TransportCount::kept_indirect) == 0);
    CHECK(end.command(20, verdict(s, true)) == Lines{sent(req_ack(s, true))});
    CHECK(end.frame(30, data(s, 0, true)) == Lines{placed(s, 0), sent(ack(s, 1))});
}

TEST_CASE("6.8: a loss after the resume is found by duplicate acknowledgements", "[protocol]") {
    const Spec s = write_of(20'000);
    End end;
    end.command(0, start(s));
    end.frame(10, req_ack(s, false));
    end.send_data(10);
    for (int i = 0; i < 3; ++i) end.frame(20, ack(s, 0));
    CHECK(end.send_data(20) == Lines{fetched(s, 0, true)});  // a repair is under way
    end.frame(90, req_ack(s, true));
    CHECK(end.send_data(90).size() == 8);
    for (int i = 0; i < 3; ++i) end.frame(100, ack(s, 0));
    CHECK(end.send_data(100) == Lines{fetched(s, 0, true)});
}

}  // namespace
}  // namespace rnicsim
