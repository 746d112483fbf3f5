"""Draws plot.png and plot.svg from the summary.csv and manifest.json of one output folder.

Usage: scripts/plot OUT

Left: mean transfer time of each method with its 95 % interval, and as thin dashes the theory, where summary.csv
has theory_us. Right: gain of dynamic over traditional with its paired 95 % interval, and published gains where the
scenario names them. The first axis of the sweep runs along x; each combination of the other axes is a group of lines.
The same input gives the same bytes.
Exit codes: 0 drawn, 2 unusable input, 3 matplotlib is missing.
"""

import math
import sys
from pathlib import Path

from rnicsim import ending
from rnicsim.report_page.look import (GROUP_COLOURS, LINE_STYLES, METHOD_STYLE, name_ticks, published, pyplot, style, theory,
                              with_errors, zero_line)
from rnicsim.report_page.results import number, ordered_unique, quantities, read_manifest, read_summary


def axis_label(name, unit):
    parts = name.split(".")
    while len(".".join(parts)) > 45 and len(parts) > 1:
        parts.pop(0)
    label = ".".join(parts)
    return f"{label} ({unit})" if unit else label


def read(folder):
    """(manifest, rows of the summary); each row knows its axis values. Several items of a network's traffic are one more axis."""
    manifest = read_manifest(folder)
    rows = read_summary(folder, manifest)
    scenario = manifest["scenario"]
    items = len({row.get("traffic") for row in rows}) > 1
    for row in rows:
        row["values"] = scenario["points"][int(row["point"])] + ([row["traffic"]] if items else [])
    if items:
        scenario["axes"] = scenario["axes"] + ["traffic"]
    return manifest, rows


def group_label(manifest, group):
    names = [name.split(".")[-1] for name in manifest["scenario"]["axes"][1:]]
    return ", ".join(f"{name} {value}" for name, value in zip(names, group))


def time_scale(rows):
    """(factor from microseconds, unit)"""
    means = [number(row["mean_us"]) for row in rows if row["mean_us"]]
    return (1e-3, "ms") if means and max(means) >= 1000 else (1.0, "µs")


def place_values(texts, panels):
    """Where each value of the first axis stands on x, and its unit. Sets scale and ticks of the panels."""
    scaled = quantities(texts)
    if not scaled:
        for axes in panels:
            name_ticks(axes, list(range(len(texts))), texts)
        return {text: i for i, text in enumerate(texts)}, ""
    numbers, unit = scaled
    low, high = min(numbers), max(numbers)
    for axes in panels:
        if low > 0 and high / low >= 32:
            axes.set_xscale("log", base=2)
            axes.minorticks_off()
        if len(numbers) <= 11 and len(set(numbers)) == len(numbers):  # so few: a tick at each value
            gaps = [b - a for a, b in zip(sorted(numbers), sorted(numbers)[1:])]
            if low > 0 and high / low >= 32 or not gaps or min(gaps) >= (high - low) / 25:
                axes.set_xticks(numbers)
                axes.set_xticklabels([f"{n:g}" for n in numbers])
    return dict(zip(texts, numbers)), unit


def sample(manifest):
    """What each number is of: a network of plain hosts has frames only."""
    return "frame" if manifest["scenario"]["methods"] == ["none"] else "transfer"


def named(method):
    return "simulated" if method == "none" else method


def draw_lines(manifest, rows, time_axes, gain_axes):
    """A sweep: means and gains over the first axis, a group of lines for each combination of the others."""
    panels = [axes for axes in (time_axes, gain_axes) if axes is not None]
    place, unit = place_values(ordered_unique(row["values"][0] for row in rows), panels)
    groups = ordered_unique(tuple(row["values"][1:]) for row in rows)
    factor, time_unit = time_scale(rows)

    def line(axes, chosen, column, scale, **options):
        chosen = sorted(chosen, key=lambda row: place[row["values"][0]])
        half = {"mean_us": "ci95_us", "gain": "gain_ci95"}[column]
        with_errors(axes, [place[row["values"][0]] for row in chosen], [number(row[column]) * scale for row in chosen],
                    [number(row[half]) * scale for row in chosen], **options)

    expected = sorted((row for row in rows if row.get("theory_us")), key=lambda row: place[row["values"][0]])
    for g, group in enumerate(groups):
        members = [row for row in rows if tuple(row["values"][1:]) == group]
        dashes = LINE_STYLES[g % len(LINE_STYLES)]
        for method in manifest["scenario"]["methods"]:
            colour, marker = METHOD_STYLE[method]
            line(time_axes, [row for row in members if row["method"] == method], "mean_us", factor, colour=colour,
                 marker=marker, linestyle=dashes,
                 label=named(method) if len(groups) == 1 else ", ".join([*([method] if method != "none" else []), group_label(manifest, group)]))
            known = [row for row in expected if row in members and row["method"] == method]
            labelled = "theory" in time_axes.get_legend_handles_labels()[1]
            theory(time_axes, [place[row["values"][0]] for row in known], [number(row["theory_us"]) * factor for row in known],
                   None if labelled else "theory")
        if gain_axes is not None:
            single = len(groups) == 1
            line(gain_axes, [row for row in members if row["gain"]], "gain", 100, marker="s", linestyle=dashes,
                 colour=METHOD_STYLE["dynamic"][0] if single else GROUP_COLOURS[g % len(GROUP_COLOURS)],
                 label="simulated" if single else group_label(manifest, group))
    time_axes.set_ylabel(f"mean {sample(manifest)} time ({time_unit})")
    for axes in panels:
        axes.set_xlabel(axis_label(manifest["scenario"]["axes"][0], unit))
    return lambda point: place[manifest["scenario"]["points"][point][0]]


def draw_bars(manifest, rows, time_axes, gain_axes):
    """One point: a bar for each method."""
    factor, unit = time_scale(rows)
    for i, row in enumerate(rows):
        half = number(row["ci95_us"]) * factor
        time_axes.bar(i, number(row["mean_us"]) * factor, width=0.55, color=METHOD_STYLE[row["method"]][0],
                      yerr=None if math.isnan(half) else half, capsize=6)
    time_axes.set_ylabel(f"mean {sample(manifest)} time ({unit})")
    name_ticks(time_axes, list(range(len(rows))), [named(row["method"]) for row in rows])
    for row in rows:
        if gain_axes is not None and row["gain"]:
            with_errors(gain_axes, [0], [number(row["gain"]) * 100], [number(row["gain_ci95"]) * 100],
                        METHOD_STYLE["dynamic"][0], "s", "none", "simulated", capsize=6)
            name_ticks(gain_axes, [0], [manifest["scenario"]["name"]])
    return lambda point: 0


def finish_gain(manifest, axes, place_of):
    reference = manifest["reference"]
    if reference["gains"]:
        published(axes, [place_of(r["point"]) for r in reference["gains"]], [r["gain"] * 100 for r in reference["gains"]])
    zero_line(axes)
    axes.set_ylabel("gain of dynamic over traditional (%)")


def draw(folder, plt):
    manifest, rows = read(folder)
    gains = any(row["gain"] for row in rows)
    figure, panels = plt.subplots(1, 2 if gains else 1, figsize=(10.5 if gains else 5.6, 4.6), squeeze=False,
                                  layout="constrained")
    time_axes, gain_axes = panels[0][0], panels[0][1] if gains else None
    place_of = (draw_lines if manifest["scenario"]["axes"] else draw_bars)(manifest, rows, time_axes, gain_axes)
    time_axes.set_ylim(bottom=0)
    if gain_axes is not None:
        finish_gain(manifest, gain_axes, place_of)
    for axes in panels[0]:
        style(axes)
        if manifest["scenario"]["axes"] or axes is gain_axes:
            many = len(manifest["scenario"]["axes"]) > 1  # then it would cover lines
            below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15), "ncol": 2} if many else {}
            axes.legend(frameon=False, fontsize=9, handlelength=3.2, **below)
    repetitions = manifest["scenario"]["repetitions"]
    bars = "error bars: 95 % confidence" if repetitions > 1 else "no intervals"
    plural = "repetition" if repetitions == 1 else "repetitions"
    figure.suptitle(f"{manifest['scenario']['name']}   ({repetitions} {plural}, {bars})", fontsize=11)
    pictures = {"plot.png": {"Software": None}, "plot.svg": {"Date": None, "Creator": None}}
    for name, metadata in pictures.items():
        temporary = folder / f".{name}.tmp"
        try:
            figure.savefig(temporary, format=name[-3:], metadata=metadata, dpi=150)
            temporary.replace(folder / name)
        except OSError as error:
            for half in (temporary, *(folder / picture for picture in pictures)):  # one alone would be of another result later on
                half.unlink(missing_ok=True)
            raise ending.Unusable(f"{folder / name}: cannot be written: {error.strerror}; make room, then scripts/plot {folder} draws it") from error


@ending.reported("plot")
def main(arguments):
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if arguments and arguments[0] in ("-h", "--help") else sys.stderr)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    try:
        drawing = pyplot()
    except ImportError:
        raise ending.Failed("no picture: matplotlib is missing (Debian: apt install python3-matplotlib)") from None
    draw(Path(arguments[0]), drawing)
    return 0
