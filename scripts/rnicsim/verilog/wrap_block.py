# SPDX-License-Identifier: Apache-2.0
"""Wraps modules with AXI-Stream ports, each described by a manifest, so that a scenario can name
them.

Usage: scripts/wrap_block --out FOLDER MANIFEST...

The build calls it: -DRNICSIM_STREAM_BLOCKS="my_mac.yaml;my_filter.yaml" (rtl/examples/README.md).
For each manifest FOLDER gets stream_NAME.sv, the module between ports that are always the same;
for all of them stream_blocks.cmake, stream_modules.h and stream_blocks.inc. Needs Verilator, which
says what ports a module has. Exit codes: 0 done, 2 a manifest that cannot be used, or does not fit
its module.
"""

import argparse
from pathlib import Path

from rnicsim import ending
from rnicsim.verilog import check_ports
from rnicsim.verilog.manifest import ACCEPTED, GMII, OWN_ADDRESS, STREAMS, Manifest, read

Ports = dict[str, tuple[str, int | str]]

MOST_BITS = 512
FIXED = f"""\
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [47:0]  own_address_i,
  input  logic [7:0]   gmii_rxd_i,
  input  logic         gmii_rx_dv_i,
  input  logic         gmii_rx_er_i,
  output logic [7:0]   gmii_txd_o,
  output logic         gmii_tx_en_o,
  output logic         gmii_tx_er_o,
  input  logic [{MOST_BITS - 1}:0] in_tdata_i,
  input  logic [{MOST_BITS // 8 - 1}:0]  in_tkeep_i,
  input  logic         in_tvalid_i,
  input  logic         in_tlast_i,
  input  logic         in_tuser_i,
  output logic         in_tready_o,
  output logic [{MOST_BITS - 1}:0] out_tdata_o,
  output logic [{MOST_BITS // 8 - 1}:0]  out_tkeep_o,
  output logic         out_tvalid_o,
  output logic         out_tlast_o,
  output logic         out_tuser_o,
  input  logic         out_tready_i
"""


class Wrapper:
    """Connects each port of a module once; outputs that nobody wants stay open."""

    def __init__(self, manifest: Manifest, ports: Ports) -> None:
        self.manifest, self.ports = manifest, ports
        self.nets: list[str] = []
        self.pins: dict[str, str] = {}
        self.drivers: list[str] = []
        self.faults: list[str] = []

    def bits(self, port: str, direction: str, want: int | None, optional: bool = False) -> int:
        """How wide it is; 0 if it is not there, which is a fault unless it is optional."""
        if port not in self.ports:
            if not optional:
                self.faults.append(f"port {port} is missing: {direction}" +
                                   (f" of {want} bits" if want else ""))
            return 0
        found, bits = self.ports[port]
        if found != direction or isinstance(bits, str) or (want and bits != want):
            self.faults.append(
                f"port {port} is {check_ports.shown((found, bits))}, expected {direction}" +
                (f" of {want} bit" + ("s" if want != 1 else "") if want else ""))
            return 0
        return bits

    def drive(self, port: str, value: str, want: int | None = 1, optional: bool = False) -> None:
        if self.bits(port, "input", want, optional):
            self.pins[port] = value

    def take(self, port: str, to: str, want: int | None, without: str, high: int = 0) -> None:
        """`without`: stands for a port that is not there; empty: it is needed. `high`: how many
        bits `to` has."""
        bits = self.bits(port, "output", want, optional=bool(without))
        if bits:
            self.nets.append(f"  logic [{bits - 1}:0] from_{port};")
            self.pins[port] = f"from_{port}"
            value = f"from_{port}" if high else f"from_{port}[0]"
            self.drivers.append(
                f"  assign {to} = {f'{high}{chr(39)}({value})' if high else value};")
        elif without:
            self.drivers.append(f"  assign {to} = {without};")

    def stream_in(self, prefix: str) -> int:
        bits = self.width(prefix, "input")
        self.drive(f"{prefix}tdata", f"in_tdata_i[{bits - 1}:0]", bits)
        self.drive(f"{prefix}tkeep",
                   f"in_tkeep_i[{max(bits // 8, 1) - 1}:0]",
                   bits // 8,
                   optional=bits == 8)
        self.drive(f"{prefix}tvalid", "in_tvalid_i")
        self.drive(f"{prefix}tlast", "in_tlast_i")
        users = self.bits(f"{prefix}tuser", "input", None, optional=True)
        if users:
            self.pins[f"{prefix}tuser"] = f"{users}'(in_tuser_i)"
        self.take(f"{prefix}tready", "in_tready_o", 1, "1'b1")
        return bits

    def stream_out(self, prefix: str) -> int:
        bits = self.width(prefix, "output")
        self.take(f"{prefix}tdata", "out_tdata_o", bits, "", MOST_BITS)
        self.take(f"{prefix}tkeep", "out_tkeep_o", bits // 8, "64'd1" if bits == 8 else "",
                  MOST_BITS // 8)
        self.take(f"{prefix}tvalid", "out_tvalid_o", 1, "")
        self.take(f"{prefix}tlast", "out_tlast_o", 1, "")
        self.take(f"{prefix}tuser", "out_tuser_o", None, "1'b0")
        self.drive(f"{prefix}tready", "out_tready_i", optional=True)
        self.pauses = f"{prefix}tready" in self.ports
        return bits

    def width(self, prefix: str, direction: str) -> int:
        bits = self.bits(f"{prefix}tdata", direction, None)
        if bits and bits not in (8, 16, 32, 64, 128, 256, 512):
            self.faults.append(
                f"port {prefix}tdata has {bits} bits, expected 8, 16, 32, 64, 128, 256 or 512")
            bits = 0
        return bits or 8

    def gmii(self, prefix: str) -> None:
        self.drive(f"{prefix}rxd", "gmii_rxd_i", 8)
        self.drive(f"{prefix}rx_dv", "gmii_rx_dv_i")
        self.drive(f"{prefix}rx_er", "gmii_rx_er_i", optional=True)
        self.take(f"{prefix}txd", "gmii_txd_o", 8, "", 8)
        self.take(f"{prefix}tx_en", "gmii_tx_en_o", 1, "")
        self.take(f"{prefix}tx_er", "gmii_tx_er_o", 1, "1'b0")

    def text(self) -> str:
        manifest = self.manifest
        for port in manifest.clocks:
            self.drive(port, "clk_i")
        for port in manifest.resets:
            self.drive(port, "!rst_ni" if manifest.reset_high else "rst_ni")
        for port, value in manifest.inputs.items():
            if value == OWN_ADDRESS:
                self.drive(port, "own_address_i", 48)
            else:
                bits = self.bits(port, "input", None)
                if bits and isinstance(value, int) and value >= 1 << bits:
                    self.faults.append(
                        f"inputs.{port} is {value}, expected at most {(1 << bits) - 1}: "
                        f"it has {bits} bit" + ("s" if bits > 1 else ""))
                elif bits:
                    self.pins[port] = f"{bits}'d{value}"
        into, out = STREAMS[manifest.block]
        self.in_bits = self.stream_in(manifest.streams[into].prefix)
        self.out_bits = self.stream_out(manifest.streams[out].prefix)
        if manifest.block in GMII:
            self.gmii(manifest.gmii)
        else:
            self.drivers += [
                f"  assign {port} = '0;" for port in ("gmii_txd_o", "gmii_tx_en_o", "gmii_tx_er_o")
            ]
        for port, (direction, width) in self.ports.items():
            if port in self.pins or any(f"port {port} " in fault for fault in self.faults):
                continue
            if direction != "output":
                self.faults.append(
                    f"port {port}, {check_ports.shown((direction, width))}, has no value: "
                    f"inputs: {{{port}: 0}} gives it one, if it is no clock, reset or stream")
            else:
                self.pins[port] = ""
        if self.faults:
            raise ending.Unusable(f"{manifest.file}: module {manifest.module} does not fit:\n  " +
                                  "\n  ".join(self.faults))
        parameters = ",\n".join(f"      .{name}({value})"
                                for name, value in manifest.parameters.items())
        return "\n".join([
            f"// Made by scripts/wrap_block of {manifest.file.name}.",
            f"module stream_{manifest.name} (", FIXED + ");", *self.nets, f"  {manifest.module} " +
            (f"#(\n{parameters}\n  ) " if parameters else "") + "u_block (",
            ",\n".join(f"      .{port}({value})"
                       for port, value in self.pins.items()), "  );", *self.drivers, "endmodule", ""
        ])


def truth(value: bool) -> str:
    return "true" if value else "false"


def verilog_value(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def stream_text(wrapper: Wrapper, index: int) -> str:
    stream = wrapper.manifest.streams[STREAMS[wrapper.manifest.block][index]]
    bits = wrapper.out_bits if index else wrapper.in_bits
    stalls = stream.stalls and (index == 0 or wrapper.pauses)
    return f"{bits // 8}, {stream.least}, {stream.most}, {truth(stalls)}"


def write_if_new(file: Path, text: str) -> None:
    """An unchanged file keeps its time: nothing is built anew for it."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


@ending.reported("wrap_block")
def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="wrap_block",
                                     description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("manifests", type=Path, nargs="*", metavar="MANIFEST")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    includes, lines, cmake = "", "", ""
    seen: dict[str, Path] = {}
    for file in given.manifests:
        manifest = read(file)
        if manifest.name in seen:
            raise ending.Unusable(f"{file}: name: found '{manifest.name}', expected another: "
                                  f"{seen[manifest.name]} has it")
        if manifest.module == f"stream_{manifest.name}":
            raise ending.Unusable(f"{file}: name: found '{manifest.name}', expected another: the "
                                  f"module around {manifest.module} would be called like it")
        seen[manifest.name] = file
        ports, _ = check_ports.ports(manifest.module, manifest.files, manifest.parameters)
        wrapper = Wrapper(manifest, ports)
        write_if_new(given.out / f"stream_{manifest.name}.sv", wrapper.text())
        includes += f'#include "Vstream_{manifest.name}.h"\n'
        lines += (f"RNICSIM_STREAM_BLOCK({manifest.block}, {manifest.name}, {manifest.period}, "
                  f"{stream_text(wrapper, 0)}, {stream_text(wrapper, 1)}, "
                  f"{truth(manifest.block in GMII and manifest.gmii + 'rx_er' in ports)}, " +
                  ", ".join(truth(kind in manifest.accepts) for kind in ACCEPTED) + ")\n")
        files = " ".join(f'"{path}"' for path in manifest.files)
        cmake += f'stream_block({manifest.block} {manifest.name} "{file.resolve()}" {files})\n'
    write_if_new(given.out / "stream_modules.h",
                 "// Made by scripts/wrap_block.\n#pragma once\n" + includes)
    write_if_new(
        given.out / "stream_blocks.inc",
        "// Made by scripts/wrap_block: block, name, its period in ps; of the stream into it, then "
        "of the one out of it: bytes, least and most latency, whether it may stall; whether "
        "there is rx_er, whether runts and oversize frames may pass.\n" + lines)
    write_if_new(given.out / "stream_blocks.cmake", "# Made by scripts/wrap_block.\n" + cmake)
    return 0
