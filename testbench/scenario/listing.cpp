// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/listing.h"

namespace rnicsim {
namespace {

/// A value as a sweep has it: quoted, so that "5 %" and "off" stay texts; a list as a list.
void write_swept(YAML::Emitter& out, const Key& key, const std::string& text) {
    if (is_list(key.kind)) {
        out << YAML::Load(text);
    } else {
        out << YAML::DoubleQuoted << text;
    }
}

/// What stands at one position of an axis: a value for all keys, or a row with a value for each.
void write_position(YAML::Emitter& out, const ParsedAxis& axis, const std::size_t place) {
    const std::vector<Value>& values = axis.values[place];
    if (axis.texts[place] == values.front().text) {
        write_swept(out, *find_key(axis.keys.front()), values.front().text);
        return;
    }
    out << YAML::Flow << YAML::BeginSeq;
    for (std::size_t k = 0; k < axis.keys.size(); ++k) write_swept(out, *find_key(axis.keys[k]), values[k].text);
    out << YAML::EndSeq;
}

}  // namespace

void Listing::close(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) out_ << YAML::EndMap;
}

/// Opens the sections of the path, closes those of the one before, and writes its last part.
void Listing::name(const std::string& path) {
    std::size_t depth = 0;
    std::size_t start = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', start), ++depth) {
        const std::string section = path.substr(start, dot - start);
        if (depth < open_.size() && open_[depth] != section) close(depth);
        if (depth == open_.size()) {
            open_.push_back(section);
            out_ << YAML::Key << section << YAML::Value << YAML::BeginMap;
        }
        start = dot + 1;
    }
    close(depth);
    out_ << YAML::Key << path.substr(start) << YAML::Value;
}

void Listing::key(const std::string& path, const Key& key, const std::string& value) {
    name(path);
    if (is_list(key.kind)) {
        out_ << YAML::Load(value);
    } else {
        out_ << value;
    }
}

void Listing::remark(const std::string& path, const std::string& text) {
    name(path);
    out_ << text;
}

void Listing::list(const std::string& path, const std::vector<std::string>& items) {
    name(path);
    out_ << YAML::Flow << items;
}

void Listing::sweep(const std::string& path, const std::vector<ParsedAxis>& axes) {
    name(path);
    out_ << YAML::BeginSeq;
    for (const ParsedAxis& axis : axes) {
        out_ << YAML::Flow << YAML::BeginMap;
        out_ << YAML::Key << "name" << YAML::Value << YAML::DoubleQuoted << axis.name;
        out_ << YAML::Key << "keys" << YAML::Value << YAML::Flow << axis.keys;
        out_ << YAML::Key << "values" << YAML::Value << YAML::Flow << YAML::BeginSeq;
        for (std::size_t i = 0; i < axis.texts.size(); ++i) write_position(out_, axis, i);
        out_ << YAML::EndSeq << YAML::EndMap;
    }
    out_ << YAML::EndSeq;
}

void Listing::node(const std::string& path, const YAML::Node& node) {
    name(path);
    if (node.IsSequence()) {
        out_ << YAML::BeginSeq;
        for (const YAML::Node& item : node) out_ << YAML::Flow << item;
        out_ << YAML::EndSeq;
        return;
    }
    out_ << YAML::BeginMap;
    for (const auto& pair : node) out_ << YAML::Key << pair.first.Scalar() << YAML::Value << YAML::Flow << pair.second;
    out_ << YAML::EndMap;
}

std::string Listing::text() {
    close(0);
    out_ << YAML::EndMap;
    return std::string(out_.c_str()) + '\n';
}

}  // namespace rnicsim
