#include "testbench/scenario/document.h"

#include <yaml-cpp/eventhandler.h>

#include <sstream>

namespace rnicsim {
namespace {

/// Stops at the first node of a second document. A stray bracket makes yaml-cpp begin one document after the other for
/// ever, so YAML::LoadAll() would never return.
class OneDocument : public YAML::EventHandler {
  public:
    explicit OneDocument(const NodeReader& in) : in_(in) {}

    void OnDocumentStart(const YAML::Mark& /*mark*/) override { ++documents_; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { node(mark); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { node(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  const std::string& /*value*/) override {
        node(mark);
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
