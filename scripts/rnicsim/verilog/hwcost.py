# SPDX-License-Identifier: Apache-2.0
"""What dynamic RDMA costs in hardware: synthesises rnic_core with DYNAMIC 0 and 1, beside table 2
of the paper.

Usage: scripts/hwcost [--family cyclonev|xc7|ice40]... [--fast] [--out FILE] [--log FOLDER] [--jobs
                      N]

  --family NAME  what Yosys maps to, may be repeated: cyclonev (28 nm ALMs, as the paper's Stratix
                 V), xc7 (Xilinx 7), ice40 (its small memories become registers: very large and
                 slow) [cyclonev and xc7]
  --fast         no mapping: memory bits, pins, and what each block holds before it; half a minute
  --out FILE     all numbers as JSON; `rnicsim report DIR` judges claims T2a and T2b by
                 DIR/hwcost.json
  --log FOLDER   keeps Yosys' scripts, logs and netlists there
  --jobs N       runs of Yosys at once, about 1 GB each [all cores]
  --rtl FOLDER, --top MODULE   something else with a parameter DYNAMIC [rtl, rnic_core]

Nothing is placed or routed. results/paper/hwcost.json has the last numbers. Exit codes: 0 done, 1
Yosys failed, 2 a bad option, 3 no Yosys.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending
from rnicsim.places import ROOT


SECONDS = 7200  # a run of Yosys that takes longer has failed
CORE = "rnic_core"
VARIANTS = (("traditional", 0), ("dynamic", 1))
PAPER: dict[str, Any] = {
    "device": "Stratix V 5SGSMD4E2H29I3",
    "logic": (106_754, 111_846),
    "ram_blocks": (288, 302),
    "memory_bits": (3_323_924, 3_717_140),
    "pins": (247, 247),
    "plls": (4, 4)
}
MLAB_WIDTH, MLAB_ALMS = 20, 10  # an MLAB, 32 words of 20 bits, takes the place of 10 ALMs

# ABC9 as synth_intel_alm calls it, but without its last step, &mfs, in which the ABC of Debian 12
# aborts on rnic_core.
ABC9 = 'abc9 -maxlut 6 -W 600 -script "+&scorr;&sweep;&dc2;&dch,-f;&ps;&if,{C},{W},{D},-v"'

# What synthesises; cells that are memory; how the table groups the cells of Yosys' stat.
# `synth_intel_alm` is cut short where it would only find names for cells (autoname takes longer
# than all the rest).
FAMILIES: dict[str, dict[Any, Any]] = {
    "cyclonev": {
        "script": ("synth_intel_alm -family cyclonev -top {top} -noiopad -run begin:map_luts",
                   "techmap -map +/intel_alm/common/abc9_map.v", ABC9,
                   "techmap -map +/intel_alm/common/abc9_unmap.v",
                   "techmap -map +/intel_alm/common/alm_map.v", "opt -fast", "clean"),
        "memories": ("MISTRAL_M10K", "MISTRAL_MLAB"),
        "rows": [
            *((f"ALUTs of {n} inputs", {
                f"MISTRAL_ALUT{n}": 1
            }) for n in (6, 5, 4, 3, 2)), ("inverters", {
                "MISTRAL_NOT": 1
            }), ("ALUTs of adders", {
                "MISTRAL_ALUT_ARITH": 1
            }), ("flip-flops", {
                "MISTRAL_FF": 1
            }),
            ("DSP multipliers", {
                "MISTRAL_MUL9X9": 1,
                "MISTRAL_MUL18X18": 1,
                "MISTRAL_MUL27X27": 1
            }), ("block RAMs (M10K)", {
                "MISTRAL_M10K": 1
            })
        ]
    },
    "xc7": {
        "script": ("synth_xilinx -family xc7 -top {top} -flatten -noiopad", ),
        "memories": ("RAMB36E1", "RAMB18E1", "RAM32M", "RAM64M", "RAM32X1D", "RAM64X1D",
                     "RAM128X1D", "RAM32X1S", "RAM64X1S"),
        "rows": [("LUTs", {f"LUT{n}": 1
                           for n in range(1, 7)}),
                 ("LUTs as memory", {
                     "RAM32M": 4,
                     "RAM64M": 4,
                     "RAM32X1D": 2,
                     "RAM64X1D": 2,
                     "RAM128X1D": 4,
                     "RAM32X1S": 1,
                     "RAM64X1S": 1
                 }), ("CARRY4", {
                     "CARRY4": 1
                 }), ("MUXF7, MUXF8", {
                     "MUXF7": 1,
                     "MUXF8": 1
                 }), ("flip-flops", {
                     "FDRE": 1,
                     "FDCE": 1,
                     "FDPE": 1,
                     "FDSE": 1
                 }), ("DSP48E1", {
                     "DSP48E1": 1
                 }), ("block RAMs (36 Kbit)", {
                     "RAMB36E1": 1,
                     "RAMB18E1": 0.5
                 })]
    },
    "ice40": {
        "script": ("synth_ice40 -top {top} -dsp", ),
        "memories": ("SB_RAM40_4K", ),
        "rows": [("LUTs of 4 inputs", {
            "SB_LUT4": 1
        }), ("SB_CARRY", {
            "SB_CARRY": 1
        }),
                 ("flip-flops", {
                     f"SB_DFF{n}{e}{r}": 1
                     for n in ("", "N") for e in ("", "E") for r in ("", "R", "S", "SR", "SS")
                 }), ("SB_MAC16", {
                     "SB_MAC16": 1
                 }), ("block RAMs (4 Kbit)", {
                     "SB_RAM40_4K": 1
                 })]
    },
}
TITLES = {
    "cyclonev": "Cyclone V (28 nm ALMs as in Stratix V)",
    "xc7": "Xilinx 7 series",
    "ice40": "iCE40"
}


class Failed(ending.Ended):
    code = 1


# What Yosys says

def parse_stat(text: str) -> Any:
    """Cells of the design by type: {type: how many}, of the last `=== module ===` in the output of
    stat."""
    cells = {}
    for line in text.rpartition("===\n")[2].splitlines():
        # older, newer Yosys
        found = re.match(r"^ +(\S+) +(\d+)$", line) or re.match(
            r"^ +(\d+) +(?:\S+ +)?([\\$A-Z]\S*)$", line)
        if found:
            name, count = found.groups() if found[2].isdecimal() else (found[2], found[1])
            cells[name] = int(count)
    return cells


def parse_places(text: str) -> Any:
    """Memory cells by their path, from `select -list`: [name of the cell in the flat design]."""
    return [line.split("/", 1)[1] for line in text.splitlines() if "/" in line]


def parse_delay(log: Any) -> Any:
    """ABC9's last word on the longest path, in ps without wires; 0 if it says nothing."""
    found = re.findall(r"^ABC: A: +Del = +(\d+\.\d+)", log, re.MULTILINE)
    return round(float(found[-1])) if found else 0


def number(value: Any) -> Any:
    return int(value, 2) if isinstance(value, str) else value


def parse_netlist(module: Any, top: Any) -> Any:
    """Before mapping: memories {name: {words, width, registered read, read ports}}, pins, and by
    block of the top module the word-wide cells and the bits of flip-flops."""
    named: dict[Any, Any] = {}
    for net in module["netnames"].values():
        for bit in net["bits"]:
            named.setdefault(bit, net["attributes"].get("src", ""))
    memories: dict[str, Any] = {}
    cells: collections.Counter[str] = collections.Counter()
    registers: collections.Counter[str] = collections.Counter()
    for name, cell in module["cells"].items():
        parameters, kind = cell["parameters"], cell["type"]
        # A cell of a block carries the lines of its instance and of itself.
        sources = cell["attributes"].get("src", "") or next(
            (named[bit] for bits in cell["connections"].values()
             for bit in bits if named.get(bit)), "")
        block = (re.findall(r"(\w+)\.sv", sources) or [top])[-1]
        if kind.startswith("$mem"):
            clocked = parameters["RD_CLK_ENABLE"]
            memories[name] = {
                "words": number(parameters["SIZE"]),
                "width": number(parameters["WIDTH"]),
                "read_ports": number(parameters["RD_PORTS"]),
                "block": bool(clocked) and set(str(clocked)) == {"1"}
            }
            continue
        cells[block] += 1
        if re.match(r"\$a?l?s?dff", kind):
            registers[block] += number(parameters["WIDTH"])
    pins = sum(len(port["bits"]) for port in module["ports"].values())
    return {"memories": memories, "pins": pins, "cells": dict(cells), "registers": dict(registers)}


def bits(memories: Any, block: Any) -> Any:
    return sum(m["words"] * m["width"] for m in memories.values() if m["block"] == block)


def memory_of(cell: Any, names: Any) -> Any:
    return max((name for name in names if cell.startswith(name + ".")), key=len, default="?")


def mlabs(places: Any) -> Any:
    """MLABs of 32 x 20 that hold the cells of 32 x 1: of a memory's name.column.row.copy the
    columns share them."""
    rows: collections.Counter[Any] = collections.Counter()
    for place in places:
        name, _, row, copy = place.rsplit(".", 3)
        rows[name, row, copy] += 1
    return sum(-(-columns // MLAB_WIDTH) for columns in rows.values())


def alms(cells: Any) -> Any:
    """An ALM holds one ALUT of 6 inputs or two smaller ones, and four flip-flops."""
    small = sum(cells.get(f"MISTRAL_ALUT{n}", 0)
                for n in (5, 4, 3, 2)) + cells.get("MISTRAL_ALUT_ARITH", 0)
    return max(cells.get("MISTRAL_ALUT6", 0) + -(-small // 2), -(-cells.get("MISTRAL_FF", 0) // 4))


# Running it

def yosys(what: Any, folder: Path, name: str, commands: Any) -> None:
    """Runs the commands, in the folder, with progress."""
    print(f"{what} ...", flush=True)
    start = time.monotonic()
    script = folder / f"{name}.ys"
    script.write_text("\n".join(commands) + "\n", encoding="utf-8")
    try:
        done = subprocess.run(["yosys", "-q", "-l", f"{name}.log", script.name], cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{what}: longer than {SECONDS} s") from error
    if done.returncode != 0:
        raise Failed(f"{what}: {done.stdout.strip()}")
    print(f"{what}: {time.monotonic() - start:.0f} s", flush=True)


def read(rtl: Any, top: Any, value: Any) -> Any:
    packages = sorted(rtl.glob("*_pkg.sv"))
    files = packages + [file for file in sorted(rtl.glob("*.sv")) if file not in packages]
    if not files:
        raise Failed(f"{rtl}: holds no *.sv")
    return [
        f"read_verilog -sv -noassert {' '.join(str(file.resolve()) for file in files)}",
        f"chparam -set DYNAMIC {value} {top}"
    ]


def elaborate(rtl: Any, top: Any, folder: Path, value: Any) -> Any:
    name = f"elaborated_{value}"
    yosys(f"{top}, DYNAMIC = {value}: before mapping", folder, name, [
        *read(rtl, top, value), f"hierarchy -check -top {top}", "proc", "flatten", "opt",
        "memory -nomap", "opt", f"write_json {name}.json"
    ])
    return parse_netlist(
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["modules"][top], top)


def synthesise(rtl: Any, top: Any, folder: Path, family: Any, value: Any) -> Any:
    name = f"{family}_{value}"
    yosys(f"{top}, DYNAMIC = {value}: {family}", folder, name, [
        *read(rtl, top, value), *(command.replace("{top}", top)
                                  for command in FAMILIES[family]["script"]),
        f"tee -q -o {name}.stat stat", *(f"tee -q -o {name}.{cell} select -list t:{cell}"
                                         for cell in FAMILIES[family]["memories"])
    ])
    places = {
        cell: parse_places((folder / f"{name}.{cell}").read_text(encoding="utf-8"))
        for cell in FAMILIES[family]["memories"]
    }
    return {"cells": parse_stat((folder / f"{name}.stat").read_text(encoding="utf-8")),
            "places": {cell: found for cell, found in places.items() if found},
            "path_ps": parse_delay((folder / f"{name}.log").read_text(encoding="utf-8"))}


def measure(options: argparse.Namespace, folder: Path) -> Any:
    """{variant: elaborated}, {family: {variant: synthesised}}"""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        before = {
            variant: pool.submit(elaborate, options.rtl, options.top, folder, value)
            for variant, value in VARIANTS
        }
        after = {
            family: {
                variant: pool.submit(synthesise, options.rtl, options.top, folder, family, value)
                for variant, value in VARIANTS
            }
            for family in options.family
        }
        try:
            return ({variant: run.result()
                     for variant, run in before.items()}, {
                         family: {variant: run.result()
                                  for variant, run in runs.items()}
                         for family, runs in after.items()
                     })
        except Failed:
            pool.shutdown(cancel_futures=True)
            raise


# What it adds up to

def resources_before(before: Any) -> list[tuple[Any, ...]]:
    """Rows (resource, title, traditional, dynamic) that need no mapping."""
    return [("memory_bits", "block memory, bits (registered read)",
             *(bits(before[v]["memories"], True) for v, _ in VARIANTS)),
            ("small_memory_bits", "other memories, bits (read in the same cycle)",
             *(bits(before[v]["memories"], False) for v, _ in VARIANTS)),
            ("pins", "pins (bits of the ports)", *(before[v]["pins"] for v, _ in VARIANTS))]


def resources_of(family: Any, runs: Any) -> Any:
    """Rows (resource, title, traditional, dynamic) of a family."""
    counted = [runs[v]["cells"] for v, _ in VARIANTS]
    rows = []
    for title, weights in FAMILIES[family]["rows"]:
        values = [
            sum(cells.get(name, 0) * weight for name, weight in weights.items())
            for cells in counted
        ]
        resource = {
            "f": "registers",
            "b": "ram_blocks"
        }.get(title[0]) if title.startswith(("flip-flops", "block RAMs")) else ""
        rows.append(
            (resource
             or "", title, *(int(value) if value == int(value) else value for value in values)))
    if family == "cyclonev":
        inside = [mlabs(runs[v]["places"].get("MISTRAL_MLAB", [])) for v, _ in VARIANTS]
        logic = [alms(cells) for cells in counted]
        rows += [("", "MLABs (32 x 20)", *inside), ("", "ALMs of logic, estimate", *logic),
                 ("logic", "ALMs with those that MLABs take, estimate",
                  *(a + MLAB_ALMS * m for a, m in zip(logic, inside))),
                 ("", "longest path without wires, ns", *(round(runs[v]["path_ps"] / 1000)
                                                          for v, _ in VARIANTS))]
    elif family == "xc7":
        values = [sum(pair) for pair in zip(rows[0][2:], rows[1][2:])]
        rows.append(("logic", "LUTs, all", *values))
    elif family == "ice40":
        rows = [("logic" if title.startswith("LUTs") else resource, title, *values)
                for resource, title, *values in rows]
    return rows


def memory_table(before: Any, after: Any) -> Any:
    """Rows for each memory: name, words x width, bits traditional and dynamic, read ports, what
    each family makes of it."""
    names = sorted({name for v, _ in VARIANTS for name in before[v]["memories"]})
    rows = []
    for name in names:
        memory = next(before[v]["memories"][name] for v, _ in reversed(VARIANTS)
                      if name in before[v]["memories"])
        held = [before[v]["memories"].get(name) for v, _ in VARIANTS]
        made = []
        for runs in after.values():
            run = runs["dynamic"] if held[1] else runs["traditional"]
            cells = []
            for kind, places in run["places"].items():
                mine = [place for place in places if memory_of(place, names) == name]
                if mine:
                    cells.append(
                        f"{mlabs(mine) if kind == 'MISTRAL_MLAB' else len(mine)} "
                        f"{kind.replace('MISTRAL_', '')}"
                    )
            made.append(" + ".join(cells) or "registers")
        rows.append([
            name, f"{memory['words']} x {memory['width']}",
            *(count(m["words"] * m["width"]) if m else "-" for m in held),
            "registered" if memory["block"] else str(memory["read_ports"]), *made
        ])
    return rows


def count(n: Any) -> Any:
    return f"{n:,}"


def change(old: Any, new: Any) -> Any:
    if new == old:
        return "0"
    return f"{new - old:+,}" + (f" ({100 * (new - old) / old:+.1f} %)" if old else "")


def table(rows: Any, left: int = 1) -> Any:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(
        word.ljust(width) if column < left else word.rjust(width)
        for column, (word, width) in enumerate(zip(row, widths))).rstrip() for row in rows) + "\n"


def beside_paper(title: str, rows: Any, paper_of: Any) -> Any:
    """The rows of ours with the paper's where it has one."""
    shown = [[
        title, "traditional", "dynamic", "change", "| paper:", "traditional", "dynamic", "change"
    ]]
    for resource, name, old, new in rows:
        paper = paper_of.get(resource)
        shown.append([
            name,
            count(old),
            count(new),
            change(old, new), "|",
            *((count(paper[0]), count(paper[1]), change(*paper)) if paper else ("", "", ""))
        ])
    return table(shown)


def text_of(before: Any, after: Any, paper: Any) -> Any:
    parts = [beside_paper("before mapping", resources_before(before), paper)]
    for family, runs in after.items():
        # The paper's ALMs and its RAM blocks stand beside the family that is nearest.
        parts.append(
            beside_paper(TITLES[family], resources_of(family, runs),
                         paper if family == "cyclonev" else {}))
    places = [["memory", "words x bits", "traditional", "dynamic", "read ports", *after]
              ] + memory_table(before, after)
    parts.append(table(places))
    blocks = [[
        "before mapping, by block", "cells:", "traditional", "dynamic", "register bits:",
        "traditional", "dynamic"
    ]]
    for block in sorted({name for v, _ in VARIANTS for name in before[v]["cells"]}):
        blocks.append([
            block, "", *(count(before[v]["cells"].get(block, 0)) for v, _ in VARIANTS), "",
            *(count(before[v]["registers"].get(block, 0)) for v, _ in VARIANTS)
        ])
    parts.append(table(blocks))
    return "\n".join(parts)


def remarks(before: Any, after: Any) -> Any:
    """What the tables show, and what in them does not compare."""
    block, small, _ = resources_before(before)
    memories = before["dynamic"]["memories"]
    slots = sum(m["words"] * m["width"] for name, m in memories.items()
                if "indirect_buffer" in name and not m["block"])
    many = [name for name, m in memories.items() if m["read_ports"] > 2]
    cells = [before[v]["cells"].get("transport_controller", 0) for v, _ in VARIANTS]
    lines = [
        f"Block memory grows by {count(block[3] - block[2])} bits, the data of the indirect "
        "buffer; the paper's by "
        f"{count(PAPER['memory_bits'][1] - PAPER['memory_bits'][0])}.",
        f"The buffer's slot table (TID, SN, address, bytes) adds {count(slots)} bits beside it, "
        "which are not in the paper's growth; "
        f"{count(small[3] - small[2] - slots)} more are the TIDs that payload_mover remembers to "
        "free slots.",
        f"Memories that are searched in one cycle can only be registers: {', '.join(many)}.",
        "DYNAMIC = 0 is a constant in the whole flattened core: the indirect buffer is gone, the "
        "transport controller has "
        f"{count(cells[0])} cells before mapping instead of {count(cells[1])}. Something dynamic "
        "stays even so: no bit of the connection "
        "table's entries falls away, nor does what drains in payload_mover and dma_queue, since "
        "Yosys cannot know that it never happens.",
        "Pins do not compare, but for being equal: ours are the bits of the core's ports, inside "
        "the FPGA, with the configuration as "
        "inputs. PLLs: the core has none, its clock comes in.",
        "The base does not compare: the paper counts the whole FPGA with the PCIe and MAC IP, we "
        "the core alone; so per cents of "
        "ours are larger.",
    ]
    if "cyclonev" in after:
        rows = {title: values for _, title, *values in resources_of("cyclonev", after["cyclonev"])}
        old, new = rows["ALMs with those that MLABs take, estimate"]
        paths = rows["longest path without wires, ns"]
        lines += [
            f"Logic: {new - old:+,} ALMs are {100 * (new - old) / old:+.1f} % of our core; on the "
            "paper's base they would be "
            f"{100 * (new - old) / PAPER['logic'][0]:+.1f} %, where it has +5,092 and +4.8 %.",
            "ALMs are an estimate: ALUTs of 6 inputs + half of all others and of adders, at least "
            "a quarter of the flip-flops; 10 for "
            "each MLAB; inverters and multipliers are free. The family differs: M10K there are "
            "M20K of Stratix V.",
            "The paper's 14 more RAM blocks hold 286,720 bits, fewer than its 393,216 more: it "
            "must have found room in blocks that it "
            "had already.",
            "Nothing is placed or routed. By ABC's delays without wires the longest path, used or "
            f"not, takes {paths[0]} ns and "
            f"{paths[1]} ns: neither core would run at 125 MHz (8 ns) on Cyclone V as it is.",
        ]
    return lines


def as_json(options: argparse.Namespace, version: Any, before: Any, after: Any) -> Any:
    main = next(iter(after), None)
    rows = [
        *resources_before(before),
        *(row for row in (resources_of(main, after[main]) if main else []) if row[0])
    ]
    return {
        "source":
        f"scripts/hwcost: {version}" + (f", {TITLES[main]}" if main else ", not mapped"),
        "rows": [{
            "resource": resource,
            "title": title,
            "traditional": old,
            "dynamic": new
        } for resource, title, old, new in rows],
        "paper":
        {name: list(value) if isinstance(value, tuple) else value
         for name, value in PAPER.items()},
        "yosys":
        version,
        "top":
        options.top,
        "before_mapping":
        before,
        "families": {
            family: [{
                "title": title,
                "traditional": old,
                "dynamic": new
            } for _, title, old, new in resources_of(family, runs)]
            for family, runs in after.items()
        },
    }


@ending.reported("hwcost")
def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS, add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES))
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--rtl", type=Path, default=ROOT / "rtl")
    parser.add_argument("--top", default=CORE)
    options = parser.parse_args(arguments)
    if options.help:
        print(__doc__.strip())
        return 0
    if options.fast and options.family:
        parser.error("--fast maps to no family: leave --family out")
    if options.jobs < 1:
        parser.error(f"argument --jobs: found '{options.jobs}', expected at least 1")
    options.family = [] if options.fast else list(
        dict.fromkeys(options.family or ["cyclonev", "xc7"]))
    if not shutil.which("yosys"):
        raise ending.Failed(
            "yosys is missing (Debian: apt install yosys, or scripts/setup --tests)")
    version = " ".join(
        subprocess.run(["yosys", "-V"], capture_output=True, text=True,
                       check=True).stdout.split()[:2])
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.log or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        before, after = measure(options, folder)
        print(
            f"\n{version}: {options.top} with DYNAMIC = 0 (traditional) and 1 (dynamic), paper: "
            f"{PAPER['device']}\n"
        )
        print(text_of(before, after, PAPER if options.top == CORE else {}))
        if options.top == CORE:
            print("\n".join(f"- {line}" for line in remarks(before, after)))
        if options.out:
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text(
                json.dumps(as_json(options, version, before, after), indent=1, sort_keys=False) +
                "\n", encoding="utf-8")
            print(f"{options.out}: all of it")
    return 0
