#include "testbench/results/summary.h"

#include "testbench/theory/expectation.h"

#include <algorithm>
#include <limits>
#include <map>

namespace rnicsim::runner {
namespace {

/// Counts add up; a high-water mark is the highest of all repetitions.
void merge(std::uint64_t& sum, const std::string& name, const std::uint64_t value) {
    sum = name.ends_with("_high_water") ? std::max(sum, value) : sum + value;
}

/// Adds to the counter of that name, or appends it.
void add_counter(std::vector<std::pair<std::string, std::uint64_t>>& sums, const std::size_t hint,
                 const std::string& name, const std::uint64_t value) {
    if (hint < sums.size() && sums[hint].first == name) {  // the order is fixed, so this is the usual case
        merge(sums[hint].second, name, value);
        return;
    }
    const auto found = std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.first == name; });
    if (found != sums.end()) {
        merge(found->second, name, value);
    } else {
        sums.emplace_back(name, value);
    }
}

void add_names(std::vector<std::string>& names, const MethodSummary& row) {
    for (std::size_t i = 0; i < row.counters.size(); ++i) {
        const std::string& name = row.counters[i].first;
        if (i < names.size() && names[i] == name) continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
}

/// "5 %" and "5%" are the same value.
std::string without_blanks(std::string text) {
    std::erase(text, ' ');
    return text;
}

/// A transfer or a frame of one item.
struct Sample {
    std::uint16_t initiator = 0;
    Time start, end;
    std::uint32_t bytes = 0;
    bool failed = false, indirect = false;
    Parts parts{};
};

std::vector<Sample> samples_of(const RunResult& run, const std::size_t item) {
    std::vector<Sample> samples;
    for (const TransferRecord& t : run.transfers) {
        if (t.item != item) continue;
        samples.push_back({t.initiator, kGmiiClock.time(t.start), kGmiiClock.time(t.end), t.bytes, !t.error.empty(),
                           t.indirect, parts_of(t)});
    }
    for (const FrameRecord& f : run.frames) {
        if (f.item != item) continue;
        samples.push_back({f.sender, f.ready, f.lost() ? f.begin : f.arrived, f.bytes, f.lost(), false, parts_of(f)});
    }
    return samples;
}

/// Microseconds. Of whole cycles exactly what kMicrosecondsPerCycle makes of them.
double microseconds(double ps) { return ps / static_cast<double>(kGmiiClock.period().ps) * kMicrosecondsPerCycle; }

/// Gb/s of one item, and how evenly its initiators share it (R. Jain and others, 1984): (sum x)^2 / (n sum x^2).
std::pair<double, double> shares(const std::vector<Sample>& samples) {
    struct Of {
        std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
        double bits = 0;
        void add(const Sample& s) {
            first = std::min(first, s.start.ps);
            last = std::max(last, s.end.ps);
            if (!s.failed) bits += 8.0 * s.bytes;
        }
        [[nodiscard]] double gbps() const {
            return last <= first ? kNan : bits / (microseconds(static_cast<double>(last - first)) * 1000);
        }
    };
    Of all;
    std::map<std::uint16_t, Of> by_initiator;
    for (const Sample& sample : samples) {
        all.add(sample);
        by_initiator[sample.initiator].add(sample);
    }
    double sum = 0, squares = 0;
    for (const auto& [initiator, of] : by_initiator) {
        sum += of.gbps();
        squares += of.gbps() * of.gbps();
    }
    const double jain = squares > 0 ? sum * sum / (static_cast<double>(by_initiator.size()) * squares) : kNan;
    return {all.gbps(), jain};
}

}  // namespace

bool PointSummary::equal_failed_shares() const {
    const auto share = [](const MethodSummary& m) {
        const std::uint64_t all = m.completed + m.failed;
        return all == 0 ? 0.0 : static_cast<double>(m.failed) / static_cast<double>(all);
    };
    return std::ranges::all_of(methods, [&](const MethodSummary& m) { return share(m) == share(methods.front()); });
}

const MethodSummary* PointSummary::find(const Method method) const {
    const auto found = std::find_if(methods.begin(), methods.end(), [&](const auto& m) { return m.method == method; });
    return found == methods.end() ? nullptr : &*found;
}

MethodSummary summarise(const Method method, const std::vector<RunResult>& repetitions, const std::size_t item) {
    MethodSummary row;
    row.method = method;
    row.repetitions = repetitions.size();
    std::vector<double> times;
    std::array<std::vector<double>, kParts> part_means;
    std::vector<double> goodputs, indices;
    for (const RunResult& run : repetitions) {
        std::int64_t sum = 0;  // ps, as integers: exact, whatever the order
        Parts parts{};
        std::int64_t completed = 0;
        const std::vector<Sample> samples = samples_of(run, item);
        for (const Sample& sample : samples) {
            row.indirect += sample.indirect ? 1 : 0;
            if (sample.failed) {
                ++row.failed;
                continue;
            }
            const std::int64_t length = (sample.end - sample.start).ps;
            sum += length;
            for (std::size_t i = 0; i < kParts; ++i) parts[i] += sample.parts[i];
            ++completed;
            times.push_back(microseconds(static_cast<double>(length)));
        }
        row.completed += static_cast<std::uint64_t>(completed);
        const auto mean = [completed](std::int64_t of) {
            return completed == 0 ? kNan
                                  : static_cast<double>(of) / static_cast<double>(kGmiiClock.period().ps) /
                                        static_cast<double>(completed) * kMicrosecondsPerCycle;
        };
        row.repetition_means.push_back(mean(sum));
        const auto [goodput, jain] = shares(samples);
        goodputs.push_back(goodput);
        indices.push_back(jain);
        for (std::size_t i = 0; i < kParts; ++i) part_means[i].push_back(mean(parts[i]));
        for (std::size_t i = 0; i < run.counters.size(); ++i) {
            add_counter(row.counters, i, run.counters[i].first, run.counters[i].second);
        }
    }
    row.time = estimate(row.repetition_means);
    for (std::size_t i = 0; i < kParts; ++i) row.parts[i] = estimate(part_means[i]).mean;
    const auto [min, max] = std::minmax_element(times.begin(), times.end());
    row.min = times.empty() ? kNan : *min;
    row.max = times.empty() ? kNan : *max;
    row.goodput = estimate(goodputs).mean;
    row.jain = estimate(indices).mean;
    std::ranges::sort(times);
    row.p90 = nearest_rank(times, 90);
    row.p99 = nearest_rank(times, 99);
    row.median = median(std::move(times));
    return row;
}

Summary summarise(const Scenario& scenario,
                  const std::function<RunResult(std::size_t, Method, std::uint32_t)>& result_of) {
    Summary summary;
    for (std::size_t p = 0; p < scenario.points.size(); ++p) {
        const std::size_t items = scenario.points[p].config.traffic.size();
        std::vector<PointSummary> of_items(items);
        for (std::size_t item = 0; item < items; ++item) {
            of_items[item].point = p;
            of_items[item].item = item;
        }
        for (const Method method : scenario.methods) {
            std::vector<RunResult> repetitions;
            for (std::uint32_t r = 0; r < scenario.repetitions; ++r) {
                repetitions.push_back(result_of(p, method, r));
                summary.totals.data_frames += repetitions.back().data_frames;
                summary.totals.kernel_events += repetitions.back().kernel_events;
                summary.totals.simulated_cycles += repetitions.back().simulated.n;
                summary.totals.run_seconds += repetitions.back().wall_seconds;
            }
            for (PointSummary& point : of_items) {
                point.methods.push_back(summarise(method, repetitions, point.item));
                const Expectation expected = expectation(run_config(scenario, p, method, 0));
                point.methods.back().theory = expected.transfer.value_or(kNan) * kMicrosecondsPerCycle;
                point.methods.back().theory_set_up = expected.set_up.value_or(kNan) * kMicrosecondsPerCycle;
                add_names(summary.counter_names, point.methods.back());
            }
        }
        for (PointSummary& point : of_items) {
            const MethodSummary* const traditional = point.find(Method::traditional);
            const MethodSummary* const dynamic = point.find(Method::dynamic);
            point.gain = traditional != nullptr && dynamic != nullptr
                             ? estimate(paired_gains(traditional->repetition_means, dynamic->repetition_means))
                             : estimate({});
            summary.points.push_back(std::move(point));
        }
    }
    return summary;
}

const ReferenceGain* find_reference(const Scenario& scenario, const std::size_t point) {
    const auto& values = scenario.points.at(point).values;
    const auto has = [&](const auto& wanted) {
        return std::any_of(values.begin(), values.end(), [&](const auto& v) {
            return v.first == wanted.first && without_blanks(v.second) == without_blanks(wanted.second);
        });
    };
    for (const ReferenceGain& reference : scenario.reference) {
        // A further axis makes it another experiment, hence the sizes.
        if (reference.at.size() == values.size() && std::all_of(reference.at.begin(), reference.at.end(), has)) {
            return &reference;
        }
    }
    return nullptr;
}

}  // namespace rnicsim::runner
