// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/rc.h"

#include "model/host/persistence/fields.h"
#include "model/rnic/rc/end/fields.h"
#include "testbench/scenario/profiles.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim {

PersistenceConfig resolve_persistence(Lookup& in) { return persistence_fields().read(in); }

namespace {

/// Is one of the keys that give a path written, whatever its value?
bool has_persistence(const Lookup& in) {
    return std::ranges::any_of(persistence_fields().all(), [&](const Field<PersistenceConfig>& field) {
        return gives_persistence(field.key.path) && in.written(field.key.path);
    });
}

/// Whose values the keys of DCQCN have that are not written: the preset reads it.
Declared dcqcn_parameters() {
    return {{.path = "system.rnic.rc.dcqcn.parameters",
             .kind = Kind::choice,
             .choices = dcqcn_parameter_names(),
             .meaning = "whose values the keys below and cnp_interval have where they are not written",
             .source = "model/VERBS.md 7",
             .network = true},
            {}};
}

/// What the keys of a processor have that are not written: the preset reads it.
Declared cpu_profile() {
    return {{.path = "system.host.cpu.profile",
             .kind = Kind::choice,
             .choices = cpu_profile_names(),
             .meaning = "whose values the keys below and host.software.interrupt_latency have where they are not "
                        "written",
             .source = "testbench/scenario/profiles",
             .network = true},
            {}};
}

/// In front of the keys of its section.
void put_first(Declarations& all, Declared preset) {
    const std::string section = preset.key.path.substr(0, preset.key.path.rfind('.') + 1);
    const auto place = std::ranges::find_if(all, [&](const Declared& of) { return of.key.path.starts_with(section); });
    all.insert(place, std::move(preset));
}

Declarations declare_rc() {
    Declarations all = keys_of(verbs_end_fields());
    append(all, persistence_fields());
    put_first(all, dcqcn_parameters());
    put_first(all, cpu_profile());
    return all;
}

class Rc final : public Personality {
  public:
    Rc() : Personality(declare_rc()) {}
    [[nodiscard]] std::string_view name() const override { return "rc"; }
    [[nodiscard]] Workload workload() const override { return Workload::verbs; }
    [[nodiscard]] std::unique_ptr<EndConfig> resolve(Lookup& in) const override {
        auto end = std::make_unique<VerbsEndConfig>(verbs_end_fields().read(in));
        const PersistenceConfig persistence = resolve_persistence(in);
        if (has_persistence(in)) end->host.persistence = persistence;
        end->host.product = product_of(in.word("system.rnic.profile"));
        return end;
    }
    [[nodiscard]] std::string_view why_not() const override {
        return "has a RoCEv2 RNIC: expected it of hosts with a DRP RNIC";
    }
    [[nodiscard]] std::span<const UnreadRule> unread() const override { return unread_of_verbs_hosts(); }
};

}  // namespace

const Personality& rc_personality() {
    static const Rc kOne;
    return kOne;
}

}  // namespace rnicsim
