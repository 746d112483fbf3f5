// SPDX-License-Identifier: Apache-2.0
// Two ends and a wire: whole transfers, without and with single losses.
#include "testbench/tests/protocol/logic_pair.h"

namespace rnicsim {
namespace {

constexpr std::array kOperations{Operation::write, Operation::read};

Spec spec_of(Operation operation, std::uint32_t length, std::uint16_t tid = 7) {
    return operation == Operation::write ? write_of(length, tid) : read_of(length, tid);
}

TEST_CASE("7 end to end: every length completes, with nothing sent twice when nothing is lost", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Operation operation : kOperations) {
            for (const std::uint32_t length : {1U, 999U, 1000U, 1001U, 2500U, 8000U, 8001U, 65'536U, 131'072U}) {
                CAPTURE(length, operation == Operation::read, method == Method::dynamic);
                Pair pair(small_config(method));
                const Spec s = spec_of(operation, length);
                pair.transfer(0, s);
                pair.run();
                CHECK(pair.violations == Lines{});
                CHECK(pair.outcomes[0].completed == 1);
                const unsigned source = operation == Operation::write ? 0 : 1;
                CHECK(pair.count(source, TransportCount::data_sent) == s.frames());
                CHECK(pair.count(1 - source, TransportCount::placed_direct) == s.frames());
                CHECK(pair.count(0, TransportCount::requests_sent) == 1);
                CHECK(pair.count(0, TransportCount::releases_sent) == 1);
                CHECK(pair.most_buffered(1) == 0);
            }
        }
    }
}

TEST_CASE("7 end to end: the frames of a short direct write, in order", "[protocol]") {
    for (const Method method : kMethods) {
        Pair pair(small_config(method));
        pair.transfer(0, write_of(1500));
        pair.run();
        Lines order;
        for (const std::string& line : pair.log) order.push_back(line.substr(line.find("end "), 12));
        CHECK(order == Lines{"end 0: REQ l", "end 1: REQ_A", "end 0: DATA ", "end 0: DATA ", "end 1: ACK 1",
                             "end 1: ACK 2", "end 0: REL w", "end 1: REL_A"});
        // Request there and back with the host, data there and back with the fetch, release there and back.
        CHECK(pair.outcomes[0].ended_at == (10 + 5 + 10) + (2 + 10 + 10) + (10 + 10));
    }
}

TEST_CASE("7 end to end: a failed registration, both methods", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Operation operation : kOperations) {
            for (const unsigned failures : {1U, 2U, 3U}) {
                CAPTURE(failures, operation == Operation::read, method == Method::dynamic);
                Pair pair(small_config(method));
                pair.registers = [failures](Tid, unsigned attempt) { return attempt >= failures; };
                pair.transfer(0, spec_of(operation, 4500));
                pair.run();
                CHECK(pair.violations == Lines{});
                CHECK(pair.outcomes[0].completed == 1);
                const bool buffered = method == Method::dynamic && operation == Operation::write;
                CHECK(pair.count(1, TransportCount::kept_indirect) == (buffered ? 5 : 0));
                CHECK(pair.count(1, TransportCount::bulk_drains) == (buffered ? 1 : 0));
            }
        }
    }
}

TEST_CASE("7 end to end: the dynamic method is faster when the registration fails", "[protocol]") {
    At took[2] = {};
    for (const Method method : kMethods) {
        Pair pair(small_config(method));
        pair.registers = [](Tid, unsigned attempt) { return attempt >= 1; };
        pair.transfer(0, write_of(8000));
        pair.run();
        took[method == Method::dynamic ? 1 : 0] = pair.outcomes[0].ended_at;
    }
    CHECK(took[1] < took[0]);
}

TEST_CASE("7 end to end: a registration that never succeeds ends in an error and leaves nothing", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Operation operation : kOperations) {
            Pair pair(small_config(method));
            pair.registers = [](Tid, unsigned) { return false; };
            pair.transfer(0, spec_of(operation, 4500));
            pair.run();
            CHECK(pair.violations == Lines{});
            CHECK(pair.outcomes[0].error == TransferError::request_timeout);
        }
    }
}

TEST_CASE("6 end to end: a transfer larger than the buffer stalls and resumes", "[protocol]") {
    Pair::Delays delays;
    delays.retry = 350;
    Pair pair(small_config(), delays);
    pair.registers = [](Tid, unsigned attempt) { return attempt >= 4; };
    pair.transfer(0, write_of(60'000));
    pair.run();
    CHECK(pair.violations == Lines{});
    CHECK(pair.outcomes[0].completed == 1);
    CHECK(pair.most_buffered(1) == 10);
    CHECK(pair.count(1, TransportCount::buffer_full) > 0);
    CHECK(pair.count(0, TransportCount::resumed) == 1);
    CHECK(pair.count(1, TransportCount::bulk_drains) == 1);
    CHECK(pair.count(1, TransportCount::kept_indirect) == 10);
}

TEST_CASE("6 end to end: the buffer is shared by transfers that wait at the same time", "[protocol]") {
    Pair pair(small_config());
    pair.registers = [](Tid, unsigned attempt) { return attempt >= 2; };
    for (std::uint16_t tid = 1; tid <= 3; ++tid) {
        Spec s = write_of(7500, tid);
        s.sba += tid * 0x1'0000U;
        s.dba += tid * 0x1'0000U;
        pair.transfer(0, s, tid);
    }
    pair.run();
    CHECK(pair.violations == Lines{});
    for (const Pair::Outcome& o : pair.outcomes) CHECK(o.completed == 1);
    CHECK(pair.most_buffered(1) == 10);
}

TEST_CASE("7 end to end: nothing gets through, the initiator fails and nothing is left", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Operation operation : kOperations) {
            for (const unsigned deaf : {0U, 1U}) {
                Pair pair(small_config(method));
                pair.fate = [deaf](const Pair::Flight& f) {
                    return f.from == deaf ? std::vector<At>{} : std::vector<At>{10};
                };
                pair.transfer(0, spec_of(operation, 4500));
                pair.run();
                CHECK(pair.violations == Lines{});
                CHECK(pair.outcomes[0].error == TransferError::request_timeout);
            }
        }
    }
}

TEST_CASE("7 end to end: any one or any two frames lost, the transfer still completes", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Operation operation : kOperations) {
            for (const unsigned failures : {0U, 1U}) {
                for (std::uint64_t first = 0; first < 30; ++first) {
                    for (std::uint64_t second = first; second < 30; ++second) {
                        Pair pair(small_config(method));
                        pair.registers = [failures](Tid, unsigned attempt) { return attempt >= failures; };
                        pair.fate = [first, second](const Pair::Flight& f) {
                            return f.number == first || f.number == second ? std::vector<At>{} : std::vector<At>{10};
                        };
                        pair.transfer(0, spec_of(operation, 3500));
                        pair.run();
                        if (pair.violations.empty() && pair.outcomes[0].completed == 1) continue;
                        CAPTURE(first, second, failures, operation == Operation::read, method == Method::dynamic);
                        CAPTURE(pair.log, pair.violations);
                        REQUIRE(pair.outcomes[0].completed == 1);
                        REQUIRE(pair.violations == Lines{});
                    }
                }
            }
        }
    }
}

TEST_CASE("7 end to end: any one frame duplicated or very late, the transfer completes and stays ended", "[protocol]") {
    for (const Method method : kMethods) {
        for (const Operation operation : kOperations) {
            for (const unsigned failures : {0U, 1U}) {
                for (std::uint64_t number = 0; number < 30; ++number) {
                    for (const std::vector<At>& fate :
                         {std::vector<At>{10, 10}, {10, 35}, {10, 170}, {10, 5000}, {25}, {170}, {5000}}) {
                        Pair pair(small_config(method));
                        pair.registers = [failures](Tid, unsigned attempt) { return attempt >= failures; };
                        pair.fate = [&](const Pair::Flight& f) {
                            return f.number == number ? fate : std::vector<At>{10};
                        };
                        pair.transfer(0, spec_of(operation, 3500));
                        pair.run();
                        if (pair.violations.empty() && pair.outcomes[0].completed == 1) continue;
                        CAPTURE(number, fate, failures, operation == Operation::read, method == Method::dynamic);
                        CAPTURE(pair.log, pair.violations);
                        REQUIRE(pair.outcomes[0].completed == 1);
                        REQUIRE(pair.violations == Lines{});
                    }
                }
            }
        }
    }
}

TEST_CASE("3 end to end: a table smaller than the load; requests are repeated until there is room", "[protocol]") {
    TransportConfig config = small_config();
    config.table_entries = 2;
    Pair pair(config);
    pair.transfer(0, write_of(4500, 1));
    pair.transfer(0, read_of(4500, 2));
    pair.transfer(1, write_of(4500, 1), 1);  // takes an entry of end 1 that the read has asked for
    pair.run();
    CHECK(pair.violations == Lines{});
    for (const Pair::Outcome& o : pair.outcomes) CHECK(o.completed == 1);
    CHECK(pair.count(0, TransportCount::table_full) > 0);
    CHECK(pair.count(1, TransportCount::table_full) > 0);
    CHECK(pair.count(0, TransportCount::request_timeouts) > 0);
}

TEST_CASE("4 end to end: a lost data frame is repaired without waiting for the data timer", "[protocol]") {
    for (const Retransmission* const how : {&retransmission("selective_repeat"), &retransmission("go_back_n")}) {
        TransportConfig config = small_config();
        config.retransmission = how;
        Pair pair(config);
        bool lost = false;
        pair.fate = [&](const Pair::Flight& f) {
            const bool lose = !lost && f.header.type == DrpType::data && f.header.len != 0 && f.header.sn == 2;
            lost = lost || lose;
            return lose ? std::vector<At>{} : std::vector<At>{10};
        };
        pair.transfer(0, write_of(20'000));
        pair.run();
        CHECK(pair.violations == Lines{});
        CHECK(pair.outcomes[0].completed == 1);
        CHECK(pair.count(0, TransportCount::data_timeouts) == 0);
        CHECK(pair.count(0, TransportCount::fast_retransmissions) == 1);
        const std::uint64_t again = pair.count(0, TransportCount::retransmissions);
        CHECK((how == &retransmission("selective_repeat") ? again == 1 : again > 1));
    }
}

}  // namespace
}  // namespace rnicsim
