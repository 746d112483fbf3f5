# SPDX-License-Identifier: Apache-2.0
"""Compares two scenarios, settings, builds or results folders: `rnicsim compare` calls it;
scripts/compare --help says what it takes.

Exit codes: 0 equal or within the tolerance, 1 different, 2 bad input, 3 a simulation failed, 130
interrupted.
"""

from collections.abc import Sequence
from typing import Any

from rnicsim import ending
from rnicsim.comparison import command


@ending.reported("compare", "nothing was written, the same command begins anew", on_sigterm=True)
def main(arguments: Sequence[str]) -> Any:
    return command.run(command.parser().parse_intermixed_args(arguments))
