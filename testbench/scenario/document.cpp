// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/document.h"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <sstream>

namespace rnicsim {
namespace {

/// What is written is read as the same again: not of bytes that are no UTF-8, nor of Unicode's noncharacters, in whose
/// place yaml-cpp writes U+FFFD.
bool can_be_written(const std::string& text) {
    if (std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; })) return true;
    YAML::Emitter out;
    out << YAML::DoubleQuoted << text;
    return YAML::Load(out.c_str()).Scalar() == text;
}

/// Refuses texts that could not be written again, and stops at the first node of a second document. A stray bracket
/// makes yaml-cpp begin one document after the other for ever, so YAML::LoadAll() would never return.
class OneDocument : public YAML::EventHandler {
  public:
    explicit OneDocument(const NodeReader& in) : in_(in) {}

    void OnDocumentStart(const YAML::Mark& /*mark*/) override { ++documents_; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { node(mark); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { node(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  const std::string& value) override {
        node(mark);
        if (!can_be_written(value)) {
            reject(in_.where(mark), "", "a text that is not UTF-8, expected Unicode characters");
        }
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                         YAML::EmitterStyle::value /*style*/) override {
        node(mark);
    }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                    YAML::EmitterStyle::value /*style*/) override {
        node(mark);
    }
    void OnMapEnd() override {}

  private:
    void node(const YAML::Mark& mark) const {
        if (documents_ > 1) reject(in_.where(mark), "", "a second YAML document begins, expected one");
    }

    const NodeReader& in_;
    int documents_ = 0;
};

}  // namespace

YAML::Node read_document(const NodeReader& in, const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    OneDocument handler(in);
    while (parser.HandleNextDocument(handler)) {}
    return YAML::Load(text);
}

}  // namespace rnicsim
