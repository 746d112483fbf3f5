// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/profile_reader.h"

#include "testbench/scenario/document.h"
#include "testbench/scenario/node_reader.h"
#include "testbench/scenario/reader.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::uint32_t kMostPciId = 0xFFFF;
constexpr const char* kParts = "expected key, name and values";

using NamedNode = std::pair<YAML::Node, YAML::Node>;

/// The members of a section, each with a name that stands there once.
std::vector<NamedNode> members(const NodeReader& in, const std::string& path, const YAML::Node& node,
                               const char* expected) {
    if (!node.IsMap() || node.size() == 0)
        reject(in.where(node), path,
               "found " + (node.IsMap() ? std::string("an empty section") : shown(node)) + ", " + expected);
    std::vector<NamedNode> all;
    std::set<std::string> seen;
    for (const auto& pair : node) {
        if (!pair.first.IsScalar() || pair.first.Scalar().empty())
            reject(in.where(pair.first), path, "found " + shown(pair.first) + " as a key, expected a name");
        const std::string member = path.empty() ? pair.first.Scalar() : path + '.' + pair.first.Scalar();
        if (!seen.insert(member).second) reject(in.where(pair.first), member, "given twice, expected once");
        if (pair.second.IsNull()) reject(in.where(pair.first), member, "found nothing, expected a value");
        all.emplace_back(pair.first, pair.second);
    }
    return all;
}

struct Sourced {
    std::string value, source, where;
};

/// A value and its source: both are wanted.
Sourced sourced(const NodeReader& in, const std::string& path, const YAML::Node& node) {
    constexpr const char* kExpected = "expected {value: ..., source: \"...\"}";
    for (const auto& [name, value] : members(in, path, node, kExpected)) {
        if ((name.Scalar() == "value" || name.Scalar() == "source") && value.IsScalar()) continue;
        reject(in.where(name), path, "found '" + name.Scalar() + "' with " + shown(value) + ", " + kExpected);
    }
    const YAML::Node value = node["value"], source = node["source"];
    if (!value || !source)
        reject(in.where(node), path, std::string("has no ") + (value ? "source, " : "value, ") + kExpected);
    if (source.Scalar().find_first_not_of(" \t\n") == std::string::npos)
        reject(in.where(source), path, std::string("has an empty source, ") + kExpected);
    return {value.Scalar(), source.Scalar(), in.where(value)};
}

std::uint32_t whole_number(const std::string& path, const Sourced& given,
                           std::uint32_t most = std::numeric_limits<std::uint32_t>::max()) {
    const std::string& text = given.value;
    const bool hexadecimal = text.starts_with("0x");
    const char* const begin = text.data() + (hexadecimal ? 2 : 0);
    const char* const end = text.data() + text.size();
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number, hexadecimal ? 16 : 10);
    if (error != std::errc{} || stop != end || number > most)
        reject(given.where, path, "found '" + text + "', expected a number of at most " + std::to_string(most));
    return number;
}

Product read_product(const NodeReader& in, const YAML::Node& node) {
    constexpr const char* kMembers = "expected vendor, part, pci_vendor, pci_device, most_inline or mlx5_errors";
    Product product;
    for (const auto& [key, value] : members(in, "product", node, kMembers)) {
        const std::string name = key.Scalar();
        const std::string path = "product." + name;
        if (name == "mlx5_errors") {
            const Sourced given = sourced(in, path, value);
            if (given.value != "true" && given.value != "false")
                reject(given.where, path, "found '" + given.value + "', expected true or false");
            product.mlx5_errors = given.value == "true";
        } else if (name == "vendor") {
            product.vendor = whole_number(path, sourced(in, path, value));
        } else if (name == "part") {
            product.part = whole_number(path, sourced(in, path, value));
        } else if (name == "pci_vendor") {
            product.pci_vendor = static_cast<std::uint16_t>(whole_number(path, sourced(in, path, value), kMostPciId));
        } else if (name == "pci_device") {
            product.pci_device = static_cast<std::uint16_t>(whole_number(path, sourced(in, path, value), kMostPciId));
        } else if (name == "most_inline") {
            product.most_inline = whole_number(path, sourced(in, path, value));
        } else {
            reject(in.where(key), path, std::string("unknown, ") + kMembers);
        }
    }
    return product;
}

std::string read_name(const NodeReader& in, const YAML::Node& node) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (!node.IsScalar() || node.Scalar().empty() || !std::ranges::all_of(node.Scalar(), fits))
        reject(in.where(node), "name", "found " + shown(node) + ", expected a word of a-z, 0-9 and _");
    return node.Scalar();
}

Profile read_document_of(const NodeReader& in, const std::string& source, const YAML::Node& document) {
    if (!document.IsMap()) reject(source + ":1:1", "", kParts);
    Profile profile;
    bool has_values = false;
    for (const auto& [key, node] : members(in, "", document, kParts)) {
        const std::string name = key.Scalar();
        if (name == "key") {
            if (!node.IsScalar()) reject(in.where(node), name, "found " + shown(node) + ", expected a key");
            profile.key = node.Scalar();
            profile.key_where = in.where(node);
        } else if (name == "name") {
            profile.choice.name = read_name(in, node);
            profile.name_where = in.where(node);
        } else if (name == "product") {
            profile.choice.product = read_product(in, node);
            profile.product_where = in.where(key);
        } else if (name == "values") {
            has_values = true;
            for (const auto& [of, value] : members(in, name, node, "expected keys such as rnic.rc.pmtu")) {
                const Sourced given = sourced(in, name + '.' + of.Scalar(), value);
                profile.choice.settings.push_back(
                    {"system." + of.Scalar(), given.value, given.source, in.where(of), given.where});
            }
        } else {
            reject(in.where(key), name, "unknown, expected key, name, product or values");
        }
    }
    if (profile.key.empty() || profile.choice.name.empty() || !has_values) reject(source + ":1:1", "", kParts);
    return profile;
}

}  // namespace

Profile read_profile(const std::string& source, const std::string& text) {
    const NodeReader in(source);
    try {
        return read_document_of(in, source, read_document(in, text));
    } catch (const YAML::Exception& error) { reject(in.where(error.mark), "", "not YAML: " + error.msg); }
}

}  // namespace rnicsim
