#include "testbench/runner/result_codec.h"

#include <nlohmann/json.hpp>

namespace rnicsim::runner {

using nlohmann::json;

std::string encode_result(const RunResult& result) {
    json transfers = json::array();
    for (const TransferRecord& t : result.transfers) {
        transfers.push_back(json::array({t.id, t.initiator, static_cast<int>(t.operation), t.start.n, t.end.n,
                                         t.indirect ? 1 : 0, t.error, t.parts}));
    }
    json counters = json::array();  // an array: a JSON object would not keep their order
    for (const auto& [name, value] : result.counters) counters.push_back(json::array({name, value}));
    const json all = {{"transfers", std::move(transfers)}, {"counters", std::move(counters)},
                      {"data_frames", result.data_frames}, {"kernel_events", result.kernel_events},
                      {"simulated", result.simulated.n},   {"wall_seconds", result.wall_seconds}};
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

RunResult decode_result(const std::string_view text) {
    try {
        const json all = json::parse(text);
        RunResult result;
        for (const json& t : all.at("transfers")) {
            const int operation = t.at(2).get<int>();
            if (t.size() != 8 || t.at(7).size() != kTransferParts || operation < 0 || operation > 1)
                throw CodecError("not a transfer record");
            result.transfers.push_back({t.at(0).get<std::uint32_t>(), t.at(1).get<std::uint8_t>(),
                                        static_cast<Operation>(operation), Cycle{t.at(3).get<std::int64_t>()},
                                        Cycle{t.at(4).get<std::int64_t>()}, t.at(5).get<int>() != 0,
                                        t.at(6).get<std::string>(), t.at(7).get<TransferParts>()});
        }
        for (const json& c : all.at("counters")) {
            result.counters.emplace_back(c.at(0).get<std::string>(), c.at(1).get<std::uint64_t>());
        }
        result.data_frames = all.at("data_frames").get<std::uint64_t>();
        result.kernel_events = all.at("kernel_events").get<std::uint64_t>();
        result.simulated = Cycle{all.at("simulated").get<std::int64_t>()};
        result.wall_seconds = all.at("wall_seconds").get<double>();
        return result;
    } catch (const json::exception& e) { throw CodecError(e.what()); }
}

}  // namespace rnicsim::runner
