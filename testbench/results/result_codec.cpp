#include "testbench/results/result_codec.h"

#include "testbench/results/whole_number.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>

namespace rnicsim::runner {

using nlohmann::json;
namespace {

/// A member that is an array; of so many items, if that is said. Throws CodecError.
const json& array(const json& value, const std::optional<std::size_t> size = std::nullopt) {
    if (!value.is_array() || (size && value.size() != *size))
        throw CodecError("a list is missing or has another length");
    return value;
}

TransferRecord decode_transfer(const json& t) {
    constexpr std::size_t kMembers = 11;
    constexpr int kYes = 1;
    array(t, kMembers);
    TransferRecord record;
    record.id = whole_number<std::uint32_t>(t[0]);
    record.initiator = whole_number<std::uint16_t>(t[1]);
    record.operation = static_cast<Operation>(whole_number<int>(t[2], 0, static_cast<int>(Operation::read)));
    record.start = Cycle{whole_number<std::int64_t>(t[3], 0)};
    record.end = Cycle{whole_number<std::int64_t>(t[4], record.start.n)};
    record.indirect = whole_number<int>(t[5], 0, kYes) == kYes;
    record.error = t[6].get<std::string>();
    array(t[7], kTransferParts);
    for (std::size_t i = 0; i < kTransferParts; ++i) record.parts[i] = whole_number<std::int64_t>(t[7][i]);
    record.responder = whole_number<std::uint16_t>(t[8]);
    record.item = whole_number<std::uint16_t>(t[9]);
    record.bytes = whole_number<std::uint32_t>(t[10]);
    return record;
}

FrameRecord decode_frame(const json& f) {
    constexpr std::size_t kMembers = 11;  // and the parts of a message
    if (array(f).size() != kMembers + 1) array(f, kMembers);
    FrameRecord record;
    record.id = whole_number<std::uint32_t>(f[0]);
    record.sender = whole_number<std::uint16_t>(f[1]);
    record.receiver = whole_number<std::uint16_t>(f[2]);
    record.item = whole_number<std::uint16_t>(f[3]);
    record.bytes = whole_number<std::uint32_t>(f[4]);
    record.ready = Time{whole_number<std::int64_t>(f[5], 0)};
    record.begin = Time{whole_number<std::int64_t>(f[6], record.ready.ps)};
    record.arrived = Time{whole_number<std::int64_t>(f[7], 0)};
    record.marked = whole_number<int>(f[8], 0, 1) == 1;
    if (const auto qp = whole_number<std::int64_t>(f[9], -1); qp >= 0) {
        constexpr int kLast = static_cast<int>(rc::Verb::write_persist);
        record.message = {static_cast<std::uint32_t>(qp),
                          rc::Verb{static_cast<std::uint8_t>(whole_number<int>(f[10], 0, kLast))}};
        const json& parts = array(f.at(kMembers), kMessageParts);
        for (std::size_t i = 0; i < kMessageParts; ++i) record.parts[i] = whole_number<std::int64_t>(parts[i], 0);
    } else {
        array(f, kMembers);
    }
    return record;
}

}  // namespace

std::string encode_result(const RunResult& result) {
    json transfers = json::array();
    for (const TransferRecord& t : result.transfers) {
        transfers.push_back(json::array({t.id, t.initiator, static_cast<int>(t.operation), t.start.n, t.end.n,
                                         t.indirect ? 1 : 0, t.error, t.parts, t.responder, t.item, t.bytes}));
    }
    json frames = json::array();
    for (const FrameRecord& f : result.frames) {
        const auto message = f.message.value_or(FrameRecord::Message{});
        frames.push_back(
            json::array({f.id, f.sender, f.receiver, f.item, f.bytes, f.ready.ps, f.begin.ps, f.arrived.ps,
                         f.marked ? 1 : 0, f.message ? std::int64_t{message.qp} : -1, static_cast<int>(message.verb)}));
        if (f.message) frames.back().push_back(f.parts);
    }
    json counters = json::array();  // an array: a JSON object would not keep their order
    for (const auto& [name, value] : result.counters) counters.push_back(json::array({name, value}));
    json all = {{"transfers", std::move(transfers)}, {"counters", std::move(counters)},
                {"data_frames", result.data_frames}, {"kernel_events", result.kernel_events},
                {"simulated", result.simulated.n},   {"wall_seconds", result.wall_seconds},
                {"frames", std::move(frames)}};
    if (!result.false_persistence.empty()) {
        all["false_persistence"] = result.false_persistence;
        all["false_item"] = result.false_item;
    }
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

RunResult decode_result(const std::string_view text) {
    try {
        const json all = json::parse(text);
        RunResult result;
        for (const json& t : array(all.at("transfers"))) result.transfers.push_back(decode_transfer(t));
        for (const json& f : array(all.at("frames"))) result.frames.push_back(decode_frame(f));
        for (const json& c : array(all.at("counters"))) {
            result.counters.emplace_back(array(c, 2)[0].get<std::string>(), whole_number<std::uint64_t>(c[1]));
        }
        result.data_frames = whole_number<std::uint64_t>(all.at("data_frames"));
        result.kernel_events = whole_number<std::uint64_t>(all.at("kernel_events"));
        result.simulated = Cycle{whole_number<std::int64_t>(all.at("simulated"), 0)};
        result.wall_seconds = all.at("wall_seconds").get<double>();
        constexpr std::size_t kMembers = 7;
        const bool told = all.contains("false_persistence");
        if (told) {
            result.false_persistence = all.at("false_persistence").get<std::string>();
            result.false_item = all.at("false_item").get<std::string>();
        }
        if (all.size() != kMembers + (told ? 2 : 0)) throw CodecError("it holds more than a result");
        return result;
    } catch (const json::exception& e) { throw CodecError(e.what()); }
}

}  // namespace rnicsim::runner
