// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/products.h"

#include "testbench/results/output_folder.h"
#include "testbench/results/plot.h"
#include "testbench/results/summary_csv.h"
#include "testbench/results/table.h"

#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>

namespace rnicsim::runner {

void set_products_aside(const std::filesystem::path& out) {
    std::error_code error;
    for (const char* const name : {"summary.csv", "transfers.csv", "manifest.json", "plot.png", "plot.svg"}) {
        if (!std::filesystem::exists(out / name, error)) continue;
        std::filesystem::create_directories(out / "previous", error);
        if (!error) std::filesystem::rename(out / name, out / "previous" / name, error);
        if (error == std::errc::no_such_file_or_directory) error.clear();  // another shard was faster
        if (error) throw OutputError((out / name).string() + ": cannot be moved to previous/: " + error.message());
    }
}

Products write_products(const Scenario& scenario, const ProductOptions& options, const Journal& journal,
                        const CallInfo& call) {
    const Scope scope = scope_of(scenario);
    std::optional<AtomicFile> transfers;
    if (options.transfers_csv)
        transfers.emplace(options.out / "transfers.csv").write(transfers_csv_header(scenario, scope));
    Products products;
    products.summary = summarise(scenario, [&](const RunKey& key) {
        std::optional<RunResult> result = journal.read(key);
        if (!result) throw OutputError(journal.file(key).string() + ": vanished while the results were compiled");
        if (transfers)
            write_transfers_csv(scenario, scope, key, *result, [&](std::string_view row) { transfers->write(row); });
        if (auto why = why_all_failed(run_config(scenario, key.point, key.variant, key.repetition), *result)) {
            products.hopeless.push_back({key, std::move(*why)});
        }
        if (!result->false_persistence.empty()) products.told_too_much.push_back({key, result->false_persistence});
        return std::move(*result);
    });
    try {
        if (transfers) transfers->commit();
        write_atomically(options.out / "manifest.json", manifest_json(scenario, products.summary, call));
        write_atomically(options.out / "summary.csv", summary_csv(scenario, products.summary));
    } catch (const OutputError&) {
        // All or nothing: the files written so far go.
        std::error_code ignored;
        for (const char* const name : {"transfers.csv", "manifest.json"}) {
            std::filesystem::remove(options.out / name, ignored);
        }
        throw;
    }
    return products;
}

ExitCode show_products(const Scenario& scenario, const ProductOptions& options, const Products& products,
                       const std::string& cost) {
    const bool plotted = options.plot && draw_plot(options.out);
    const auto tell = [&] {
        const ExitCode told = tell_false(scenario, products.told_too_much);
        const ExitCode hopeless = tell_hopeless(scenario, products.hopeless);
        return told != kOk ? told : hopeless;
    };
    if (options.quiet) return tell();
    std::string text = results_table(scenario, products.summary);
    text += options.out.string() + ": summary.csv, manifest.json";
    if (options.transfers_csv) text += ", transfers.csv";
    if (plotted) text += ", plot.png, plot.svg";
    std::fputs((text + '\n' + cost + '\n').c_str(), stdout);
    std::fflush(stdout);  // keeps the order of lines when both streams go to one file
    return tell();
}

}  // namespace rnicsim::runner
