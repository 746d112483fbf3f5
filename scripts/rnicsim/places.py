"""Where things are in the tree of sources that these scripts belong to."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
CORPUS = ROOT / "testbench" / "tests" / "corpus"  # data of the tests
