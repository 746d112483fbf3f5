"""Result folders (results/README.md) as objects: rows of summary.csv by point and method, and the manifest."""

import csv
import json
import math
import re

from report_page.intervals import from_half_width, from_sd

UNITS = {  # unit -> (base unit, factor)
    "ns": ("ms", 1e-6), "us": ("ms", 1e-3), "µs": ("ms", 1e-3), "ms": ("ms", 1.0), "s": ("ms", 1e3),
    "B": ("KiB", 1 / 1024), "KiB": ("KiB", 1.0), "MiB": ("KiB", 1024.0), "%": ("%", 1.0), "": ("", 1.0),
}
PARTS = {  # columns that add up to mean_us -> (name, what it is)
    "setup": ("set-up", "the handshake of the attempt that succeeds"),
    "waiting": ("waiting", "failed attempts to connect, before data may be sent"),
    "stalled": ("stalled", "everything that may be sent has been sent; waits for the valid REQ_ACK"),
    "wire": ("wire", "data frames on the wire for the first time, with the gaps between them"),
    "retransmission": ("retransmission", "repeated frames, and waiting for the data timer"),
    "drain": ("drain", "the indirect buffer goes to memory while nothing else happens"),
    "release": ("release", "from the release to the completion"),
}
TOLERANCE_US = 0.001  # to which the parts must add up
NEEDED = ("point", "method", "repetitions", "transfers_completed", "mean_us", "sd_us", "ci95_us", "gain", "gain_ci95")


class Unusable(Exception):
    """A folder whose files cannot be read, or contradict themselves; one line."""


def number(text):
    """A CSV number; NaN for an empty or absent field."""
    return float(text) if text else math.nan


def quantities(texts):
    """(numbers, unit) of values such as '5 %' in one unit, or None if they are not all numbers of one kind."""
    parsed = []
    for text in texts:
        match = re.fullmatch(r"([-+]?[\d_]*\.?\d+(?:[eE][-+]?\d+)?)\s*([%µA-Za-z]*)", text.strip())
        if not match:
            return None
        parsed.append((float(match[1].replace("_", "")), match[2]))
    units = {unit for _, unit in parsed}
    if len(units) == 1:
        return [value for value, _ in parsed], units.pop()
    nonzero = {unit for value, unit in parsed if value != 0 or unit}
    bases = {UNITS[unit][0] if unit in UNITS else None for unit in nonzero}
    if len(bases) != 1 or None in bases:
        return None
    return [value * UNITS.get(unit, ("", 1.0))[1] for value, unit in parsed], bases.pop()


def same_value(a, b):
    """Whether two values of a key are equal, whatever their units: 1 KiB and 1024 B."""
    both = quantities([a, b])
    return a.strip() == b.strip() or both is not None and math.isclose(both[0][0], both[0][1], abs_tol=1e-12)


def ordered_unique(items):
    return list(dict.fromkeys(items))


def leaves(resolved):
    """Dotted keys of the resolved scenario (block YAML, two spaces a level) with the texts of their values."""
    keys, path = {}, []
    for line in resolved.splitlines():
        match = re.fullmatch(r"((?:  )*)([\w.]+):(?: (.*))?", line)
        if match:
            path = path[:len(match[1]) // 2] + [match[2]]
            if match[3] is not None:
                keys[".".join(path)] = match[3]
    return keys


class Result:
    """One folder. Points are numbers from 0; a value that the files do not give is NaN or None."""

    def __init__(self, folder):
        self.name = folder.name
        try:
            self.manifest = self._read_manifest(folder / "manifest.json")
            with (folder / "summary.csv").open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            scenario = self.manifest["scenario"]
            if scenario["name"] != folder.name:
                raise Unusable(f"holds results of the scenario {scenario['name']}: the folder has to bear its name")
            self.axes, self.points, self.methods = scenario["axes"], scenario["points"], scenario["methods"]
            self.keys = leaves(scenario["resolved"])
            self.references = {r["point"]: r["gain"] for r in self.manifest["reference"]["gains"]}
            missing = [column for column in NEEDED if not rows or column not in rows[0]]
            if missing:
                raise Unusable(f"summary.csv has no rows or lacks {', '.join(missing)}")
            self.rows = {(int(row["point"]), row["method"]): row for row in rows}
            wanted = {(p, method) for p in range(len(self.points)) for method in self.methods}
            if set(self.rows) != wanted:
                raise Unusable("summary.csv and manifest.json do not speak of the same points and methods")
            self.repetitions = max(int(row["repetitions"]) for row in rows)
            for key in self.rows:
                self._check_parts(*key)
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise Unusable(f"{folder.name}: {type(error).__name__}: {error}") from error
        except Unusable as error:
            raise Unusable(f"{folder.name}: {error}") from None

    @staticmethod
    def _read_manifest(file):
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise Unusable(f"{file.name} is cut or damaged: {error}; the sweep's own command writes it again") from error

    def _check_parts(self, point, method):
        parts = self.parts(point, method)
        if parts and abs(sum(parts.values()) - self.value(point, method, "mean_us")) > TOLERANCE_US:
            raise Unusable(f"point {point}, {method}: the parts of the time add up to {sum(parts.values()):.6f} us, but "
                           f"mean_us is {self.value(point, method, 'mean_us'):.6f} us")

    def value(self, point, method, column):
        return number(self.rows[point, method].get(column)) if (point, method) in self.rows else math.nan

    def parts(self, point, method):
        """Mean microseconds by part, or None where the file gives none."""
        parts = {part: self.value(point, method, f"{part}_us") for part in PARTS}
        return None if any(map(math.isnan, parts.values())) else parts

    def time(self, point, method):
        """Mean time of a transfer in microseconds."""
        return from_sd(self.value(point, method, "mean_us"), self.value(point, method, "sd_us"), self.repetitions)

    def means(self, point, method):
        """Mean time of each repetition in microseconds; None if the file does not say, or one completed nothing."""
        text = self.rows.get((point, method), {}).get("repetition_means_us") or "-"
        return None if "-" in text.split() else [float(mean) for mean in text.split()]

    def gain(self, point):
        """Gain of dynamic over traditional, paired, as a fraction; None where there is none."""
        mean = self.value(point, "dynamic", "gain")
        if math.isnan(mean):
            return None
        return from_half_width(mean, self.value(point, "dynamic", "gain_ci95"), self.repetitions)

    def per_transfer(self, point, method, counter):
        """A counter, divided by the completed transfers."""
        return self.value(point, method, counter) / self.value(point, method, "transfers_completed")

    def counter_exists(self, counter):
        return all(counter in row for row in self.rows.values())

    @property
    def transfers(self):
        """Of one repetition, as asked for."""
        return int(self.keys.get("run.transfers", 0))

    def values(self, axis):
        """The values of an axis in order, each once."""
        return ordered_unique(point[axis] for point in self.points)

    def numbers(self, axis):
        """Value text -> number, or None if they are not numbers of one kind."""
        scaled = quantities(self.values(axis))
        return dict(zip(self.values(axis), scaled[0])) if scaled else None

    def base_value(self, axis):
        """The value of an axis that the scenario has where it is not swept, or None."""
        keys = self._axis_keys(axis)
        base = self.keys.get(keys[0]) if keys else None
        if base is None and keys and keys[0].startswith("system."):
            base = self.keys.get(keys[0].replace("system.", "system.a.", 1))
        return next((v for v in self.values(axis) if base is not None and same_value(v, base)), None)

    def _axis_keys(self, axis):
        swept = re.findall(r"\{name: (.+?), keys: \[(.+?)\]", self.manifest["scenario"]["resolved"])
        return next((keys.split(", ") for name, keys in swept if name.strip('"') == self.axes[axis]), None)


def read_folders(root):
    """Every complete result folder of `root` by name, and the names of the incomplete ones."""
    results, incomplete = {}, []
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if (folder / "summary.csv").exists() and (folder / "manifest.json").exists():
            results[folder.name] = Result(folder)
        elif (folder / "runs").exists() or (folder / "manifest.json").exists():
            incomplete.append(folder.name)
    return results, incomplete
