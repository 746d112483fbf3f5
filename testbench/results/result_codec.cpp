// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/result_codec.h"

#include "testbench/records/record_files.h"
#include "testbench/results/record_hash.h"
#include "testbench/results/whole_number.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <system_error>

namespace rnicsim::runner {

using nlohmann::json;
namespace {

/// [how many, their hash]
template <typename Record>
json encode_records(const Records<Record>& records, const std::filesystem::path& file) {
    if (records.empty()) {
        std::error_code ignored;  // of an earlier run
        std::filesystem::remove(file, ignored);
    } else if (!records.file().empty() && records.file() != file) {
        std::filesystem::rename(records.file(), file);
    } else if (records.file() != file) {
        std::ranges::copy(records, Records<Record>(records.size(), file).begin());
    }
    return json::array({records.size(), record_hash(records)});
}

template <typename Record>
Records<Record> decode_records(const json& told, const std::filesystem::path& file) {
    constexpr std::size_t kMembers = 2;
    if (!told.is_array() || told.size() != kMembers) throw CodecError("it does not say which records it has");
    const auto count = whole_number<std::uint64_t>(told[0]);
    Records<Record> records;
    try {
        if (count != 0) records = Records<Record>::of(file);
    } catch (const std::exception& failure) { throw CodecError(failure.what()); }
    if (records.size() != count) throw CodecError(file.string() + " has another length");
    if (told[1].get<std::string>() != record_hash(records)) throw CodecError(file.string() + " has changed");
    return records;
}

}  // namespace

std::string encode_result(const RunResult& result, const std::filesystem::path& records) {
    json counters = json::array();  // an array: a JSON object would not keep their order
    for (const auto& [name, value] : result.counters) counters.push_back(json::array({name, value}));
    json all = {{"samples", encode_records(result.samples, samples_file(records))},
                {"counters", std::move(counters)},
                {"data_frames", result.data_frames},
                {"kernel_events", result.kernel_events},
                {"simulated_ps", result.simulated.ps},
                {"wall_seconds", result.wall_seconds}};
    if (!result.false_persistence.empty()) {
        all["false_persistence"] = result.false_persistence;
        all["false_item"] = result.false_item;
    }
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

RunResult decode_result(const std::string_view text, const std::filesystem::path& records) {
    try {
        const json all = json::parse(text);
        RunResult result;
        result.samples = decode_records<Sample>(all.at("samples"), samples_file(records));
        if (!all.at("counters").is_array()) throw CodecError("it has no list of counters");
        for (const json& c : all.at("counters")) {
            if (!c.is_array() || c.size() != 2) throw CodecError("a counter is no pair");
            result.counters.emplace_back(c[0].get<std::string>(), whole_number<std::uint64_t>(c[1]));
        }
        result.data_frames = whole_number<std::uint64_t>(all.at("data_frames"));
        result.kernel_events = whole_number<std::uint64_t>(all.at("kernel_events"));
        result.simulated = Time{whole_number<std::int64_t>(all.at("simulated_ps"), 0)};
        result.wall_seconds = all.at("wall_seconds").get<double>();
        constexpr std::size_t kMembers = 6;
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
