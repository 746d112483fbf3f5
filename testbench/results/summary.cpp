// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/summary.h"

#include "testbench/results/quantiles.h"
#include "testbench/theory/expectation.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>

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

void add_names(std::vector<std::string>& names, const VariantSummary& row) {
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

/// Calls `visit` for each of one item.
template <typename Visit>
void each_sample(const RunResult& run, const std::size_t item, const Visit& visit) {
    run.samples.each([&](const Sample& sample) {
        if (sample.item == item) visit(sample);
    });
}

/// Microseconds. Of whole cycles exactly what kMicrosecondsPerCycle makes of them.
double microseconds(double ps) { return ps / static_cast<double>(kGmiiClock.period().ps) * kMicrosecondsPerCycle; }

struct Shares {
    double gbps, millions;  ///< of what has completed: Gb/s, and millions a second
    double jain;  ///< how evenly initiators share the Gb/s (R. Jain and others, 1984): (sum x)^2 / (n sum x^2)
};

/// Of one item, from its first request to its last end.
class Throughput {
  public:
    void add(const Sample& sample) {
        all_.add(sample);
        by_initiator_[sample.initiator].add(sample);
    }
    [[nodiscard]] Shares shares() const {
        double sum = 0, squares = 0;
        for (const auto& [initiator, of] : by_initiator_) {
            sum += of.gbps();
            squares += of.gbps() * of.gbps();
        }
        const double jain = squares > 0 ? sum * sum / (static_cast<double>(by_initiator_.size()) * squares) : kNan;
        return {all_.gbps(), all_.a_microsecond(all_.completed), jain};
    }

  private:
    struct Of {
        std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
        double bits = 0, completed = 0;
        void add(const Sample& s) {
            first = std::min(first, s.start.ps);
            last = std::max(last, s.end.ps);
            if (s.failed()) return;
            bits += 8.0 * s.bytes;
            ++completed;
        }
        [[nodiscard]] double a_microsecond(double of) const {
            return last <= first ? kNan : of / microseconds(static_cast<double>(last - first));
        }
        [[nodiscard]] double gbps() const { return a_microsecond(bits) / 1000; }
    };
    Of all_;
    std::map<std::uint16_t, Of> by_initiator_;
};

struct Quantiles {
    double median = kNan, p90 = kNan, p99 = kNan;  ///< us
};

double fraction_of(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Times of what has completed, in us: of one item, in some repetitions.
class Times {
  public:
    Times(std::span<const RunResult> runs, std::size_t item) : runs_(runs), item_(item) {}
    void add(std::int64_t ps) {
        least_ = n_ == 0 ? ps : std::min(least_, ps);
        most_ = std::max(most_, ps);
        ++n_;
    }
    /// NaN where there is none.
    [[nodiscard]] double least() const { return n_ == 0 ? kNan : microseconds(static_cast<double>(least_)); }
    [[nodiscard]] double most() const { return n_ == 0 ? kNan : microseconds(static_cast<double>(most_)); }
    [[nodiscard]] std::size_t size() const { return n_; }
    [[nodiscard]] Quantiles quantiles() const {
        if (n_ == 0) return {};
        const std::array<std::size_t, 4> ranks{(n_ - 1) / 2, n_ / 2, nearest_rank(n_, 90), nearest_rank(n_, 99)};
        const std::vector<std::int64_t> ps = values_at(
            ranks,
            [&](const std::function<void(std::int64_t)>& visit) {
                for (const RunResult& run : runs_) {
                    each_sample(run, item_, [&](const Sample& sample) {
                        if (!sample.failed()) visit(sample.took().ps);
                    });
                }
            },
            most_);
        const auto us = [&](std::size_t i) { return microseconds(static_cast<double>(ps.at(i))); };
        return {.median = n_ % 2 == 1 ? us(0) : (us(0) + us(1)) / 2, .p90 = us(2), .p99 = us(3)};
    }

  private:
    std::span<const RunResult> runs_;
    std::size_t item_;
    std::size_t n_ = 0;
    std::int64_t least_ = 0, most_ = 0;  // ps
};

/// What one repetition says of one item.
struct Repetition {
    Times times;
    std::size_t failed = 0;
    double mean = kNan, goodput = kNan, jain = kNan;

    /// NaN where it has none.
    [[nodiscard]] double value(Statistic of) const {
        switch (of) {
            case Statistic::mean: return mean;
            case Statistic::least: return times.least();
            case Statistic::median: return times.quantiles().median;
            case Statistic::p90: return times.quantiles().p90;
            case Statistic::p99: return times.quantiles().p99;
            case Statistic::most: return times.most();
            case Statistic::failed_share: return fraction_of(failed, failed + times.size());
            case Statistic::goodput: return goodput;
            case Statistic::jain: return jain;
        }
        return kNan;
    }
};

/// Has an initiator of the item been told that data are durable at one of its hosts, where such tales were false?
bool tells_false(const RunResult& run, const RunConfig& config, const TrafficConfig& item) {
    if (run.false_persistence.empty() || item.verbs.scheme == PersistScheme::none) return false;
    return std::ranges::any_of(item.to, [&](unsigned host) {
        const std::string name = config.names[host] + ".cuts.false_items";
        return std::ranges::any_of(run.counters, [&](const auto& c) { return c.first == name && c.second > 0; });
    });
}

Estimate gain(const PointSummary& point, const Comparison& of) {
    return estimate(paired_gains(point.variants.at(of.base).compared, point.variants.at(of.against).compared,
                                 more_is_better(of.of)));
}

}  // namespace

bool PointSummary::equal_failed_shares(const Comparison& of) const {
    const auto failed = [](const VariantSummary& v) { return fraction_of(v.failed, v.completed + v.failed); };
    return failed(variants.at(of.base)) == failed(variants.at(of.against));
}

VariantSummary summarise(const std::vector<RunResult>& repetitions, const std::size_t item, const Statistic compared) {
    VariantSummary row;
    row.repetitions = repetitions.size();
    Times times(repetitions, item);
    std::array<std::vector<double>, std::tuple_size_v<Sample::Parts>> part_means;
    std::vector<double> goodputs, rates, indices;
    for (const RunResult& run : repetitions) {
        std::int64_t sum = 0;  // ps, as integers: exact, whatever the order
        Sample::Parts parts{};
        Repetition repetition{.times = Times(std::span(&run, 1), item)};
        Throughput throughput;
        each_sample(run, item, [&](const Sample& sample) {
            throughput.add(sample);
            row.marked += sample.mark ? 1 : 0;
            if (sample.failed()) {
                ++repetition.failed;
                return;
            }
            const std::int64_t length = sample.took().ps;
            sum += length;
            for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += sample.parts[i];
            repetition.times.add(length);
            times.add(length);
        });
        const std::size_t completed = repetition.times.size();
        row.completed += completed;
        row.failed += repetition.failed;
        const auto mean = [completed](std::int64_t of) {
            return completed == 0 ? kNan
                                  : static_cast<double>(of) / static_cast<double>(kGmiiClock.period().ps) /
                                        static_cast<double>(completed) * kMicrosecondsPerCycle;
        };
        repetition.mean = mean(sum);
        const Shares of_all = throughput.shares();
        repetition.goodput = of_all.gbps;
        repetition.jain = of_all.jain;
        row.repetition_means.push_back(repetition.mean);
        row.compared.push_back(repetition.value(compared));
        goodputs.push_back(repetition.goodput);
        rates.push_back(of_all.millions);
        indices.push_back(repetition.jain);
        for (std::size_t i = 0; i < parts.size(); ++i) part_means[i].push_back(mean(parts[i]));
        for (std::size_t i = 0; i < run.counters.size(); ++i) {
            add_counter(row.counters, i, run.counters[i].first, run.counters[i].second);
        }
    }
    row.time = estimate(row.repetition_means);
    for (std::size_t i = 0; i < row.parts.size(); ++i) row.parts[i] = estimate(part_means[i]).mean;
    row.min = times.least();
    row.max = times.most();
    row.goodput = estimate(goodputs).mean;
    row.rate = estimate(rates).mean;
    row.jain = estimate(indices).mean;
    const Quantiles quantiles = times.quantiles();
    row.median = quantiles.median;
    row.p90 = quantiles.p90;
    row.p99 = quantiles.p99;
    return row;
}

Summary summarise(const Scenario& scenario, const std::function<RunResult(const RunKey&)>& result_of) {
    Summary summary;
    const std::optional<Comparison>& compare = scenario.variants.compare;
    for (std::size_t p = 0; p < scenario.points.size(); ++p) {
        const std::vector<RunConfig>& configs = scenario.points[p].configs;
        std::vector<PointSummary> of_items(configs.front().traffic.size());
        for (std::size_t item = 0; item < of_items.size(); ++item) {
            of_items[item].point = p;
            of_items[item].item = item;
        }
        for (std::size_t variant = 0; variant < configs.size(); ++variant) {
            std::vector<RunResult> repetitions;
            for (std::uint32_t r = 0; r < scenario.repetitions; ++r) {
                repetitions.push_back(result_of({p, variant, r}));
                summary.totals.data_frames += repetitions.back().data_frames;
                summary.totals.kernel_events += repetitions.back().kernel_events;
                summary.totals.simulated_seconds +=
                    static_cast<double>(repetitions.back().simulated.ps) / static_cast<double>(kSecond.ps);
                summary.totals.run_seconds += repetitions.back().wall_seconds;
            }
            const Expectation expected = expectation(run_config(scenario, p, variant, 0));
            for (PointSummary& point : of_items) {
                VariantSummary& row = point.variants.emplace_back(
                    summarise(repetitions, point.item, compare ? compare->of : Statistic::mean));
                row.false_runs = static_cast<std::size_t>(std::ranges::count_if(repetitions, [&](const RunResult& run) {
                    return tells_false(run, configs[variant], configs[variant].traffic[point.item]);
                }));
                row.theory = expected.transfer.value_or(kNan) * kMicrosecondsPerCycle;
                row.theory_set_up = expected.set_up.value_or(kNan) * kMicrosecondsPerCycle;
                add_names(summary.counter_names, row);
            }
        }
        for (PointSummary& point : of_items) {
            point.gain = compare ? gain(point, *compare) : estimate({});
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
