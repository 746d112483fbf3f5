# SPDX-License-Identifier: Apache-2.0
"""Results made before a key had its present name are read as if it had had it, as the program reads
scenarios (testbench/scenario/old_names.cpp)."""
import re

RENAMED = {"rnic.transport": "rnic.drp"}


def named_now(key: str) -> str:
    for was, now in RENAMED.items():
        key = re.sub(rf"(?<=\.){re.escape(was)}(?=\.|$)", now, key)
    return key
