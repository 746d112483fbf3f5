// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/profile_reader.h"

#include "testbench/scenario/document.h"
#include "testbench/scenario/node_reader.h"
#include "testbench/scenario/reader.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::uint32_t kMostPciId = 0xFFFF;

/// A value and its source: both are wanted.
std::pair<std::string, std::string> sourced(const NodeReader& in, const std::string& path, const YAML::Node& node) {
    if (!node.IsMap() || node.size() != 2 || !node["value"] || !node["source"] || node["source"].Scalar().empty())
        reject(in.where(node), path, "found " + shown(node) + ", expected {value: ..., source: \"...\"}");
    return {node["value"].Scalar(), node["source"].Scalar()};
}

std::uint32_t whole_number(const NodeReader& in, const std::string& path, const YAML::Node& node,
                           std::uint32_t most = std::numeric_limits<std::uint32_t>::max()) {
    const std::string text = sourced(in, path, node).first;
    const bool hexadecimal = text.starts_with("0x");
    const char* const begin = text.data() + (hexadecimal ? 2 : 0);
    const char* const end = text.data() + text.size();
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number, hexadecimal ? 16 : 10);
    if (error != std::errc{} || stop != end || number > most)
        reject(in.where(node), path, "found '" + text + "', expected a number of at most " + std::to_string(most));
    return number;
}

Product read_product(const NodeReader& in, const YAML::Node& node) {
    Product product;
    for (const auto& pair : node) {
        const std::string name = pair.first.Scalar();
        const std::string path = "product." + name;
        if (name == "mlx5_errors") {
            const std::string text = sourced(in, path, pair.second).first;
            if (text != "true" && text != "false")
                reject(in.where(pair.second), path, "found '" + text + "', expected true or false");
            product.mlx5_errors = text == "true";
            continue;
        }
        const bool of_pci = name.starts_with("pci_");
        const std::uint32_t number =
            of_pci ? whole_number(in, path, pair.second, kMostPciId) : whole_number(in, path, pair.second);
        if (name == "vendor") {
            product.vendor = number;
        } else if (name == "part") {
            product.part = number;
        } else if (name == "pci_vendor") {
            product.pci_vendor = static_cast<std::uint16_t>(number);
        } else if (name == "pci_device") {
            product.pci_device = static_cast<std::uint16_t>(number);
        } else if (name == "most_inline") {
            product.most_inline = number;
        } else {
            reject(in.where(pair.first), path,
                   "unknown, expected vendor, part, pci_vendor, pci_device, most_inline or mlx5_errors");
        }
    }
    return product;
}

}  // namespace

Profile read_profile(const std::string& source, const std::string& text) {
    const NodeReader in(source);
    const YAML::Node document = read_document(in, text);
    if (!document.IsMap()) reject(source + ":1:1", "", "expected key, name and values");
    Profile profile;
    for (const auto& pair : document) {
        const std::string name = pair.first.Scalar();
        if (name == "key") {
            profile.key = pair.second.Scalar();
        } else if (name == "name") {
            profile.choice.name = pair.second.Scalar();
        } else if (name == "product") {
            profile.choice.product = read_product(in, pair.second);
        } else if (name == "values") {
            for (const auto& value : pair.second) {
                std::string path = "system." + value.first.Scalar();
                auto [written, reason] = sourced(in, path, value.second);
                profile.choice.settings.push_back({std::move(path), std::move(written), std::move(reason)});
            }
        } else {
            reject(in.where(pair.first), name, "unknown, expected key, name, product or values");
        }
    }
    if (profile.key.empty() || profile.choice.name.empty()) reject(source + ":1:1", "", "expected key and name");
    return profile;
}

}  // namespace rnicsim
