#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A personality is named in its rooms: who else includes its headers is known, file by file."""
import os
import pathlib
import re
import unittest

SOURCES = pathlib.Path(os.environ["RNICSIM_SOURCE_DIR"])
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

# The first three of each hold its headers.
ROOMS = {
    "drp": ("model/rnic/drp/", "testbench/kits/drp/", "testbench/scenario/personalities/drp/",
            "model/rtl/", "testbench/events/drp/", "testbench/theory/",
            "testbench/workloads/transfers/"),
    "rc": ("model/rnic/rc/", "testbench/kits/rc/", "testbench/scenario/personalities/rc/",
           "model/host/verbs/", "model/host/tcp/", "testbench/events/rc/", "testbench/programs/",
           "testbench/workloads/messages/", "testbench/workloads/persistence/",
           "testbench/workloads/applications/", "testbench/applications/", "testbench/theory/"),
    "plain": ("model/rnic/plain/", "testbench/kits/plain/",
              "testbench/scenario/personalities/plain/", "testbench/workloads/frames/"),
}
# They ask for what one personality has: tests, searches and benchmarks.
NOT_ASKED = ("testbench/tests/", "testbench/explore/", "testbench/bench/")
# The lists of all, then who should not: take out what names one no more, add nothing.
ELSEWHERE = {
    "model/rtl/generate_rc_pkg.cpp": "rc",
    "model/rtl/icrc_rtl.h": "rc",
    "model/rtl/packet_rtl.h": "rc",
    "model/rtl/pm_rtl.h": "rc",
    "model/rtl/psn_rtl.h": "rc",
    "model/rtl/request_check_ports.h": "rc",
    "model/rtl/request_check_rtl.h": "rc",
    "model/rtl/rtl_blocks.h": "rc",
    "testbench/kits/kits.cpp": "drp plain rc",
    "testbench/scenario/personalities/personalities.cpp": "drp plain rc",
    "model/traffic.h": "rc",
    "testbench/cli/chosen_message.cpp": "drp rc",
    "testbench/cli/command_line.cpp": "drp",
    "testbench/cli/cosim.cpp": "drp rc",
    "testbench/cli/transactions.cpp": "drp",
    "testbench/cli/crash.cpp": "rc",
    "testbench/cli/cut.cpp": "rc",
    "testbench/cli/explain.cpp": "drp",
    "testbench/cli/explore_options.cpp": "drp rc",
    "testbench/cli/serve.cpp": "rc",
    "testbench/cli/system_graph.cpp": "drp",
    "testbench/events/event_recorder.h": "drp",
    "testbench/events/frame_text.cpp": "rc",
    "testbench/observe/message_ladder.cpp": "rc",
    "testbench/observe/packet_rows.cpp": "rc",
    "testbench/observe/persist_ladder.cpp": "rc",
    "testbench/observe/persist_ladder.h": "rc",
    "testbench/observe/signal_writer.cpp": "drp",
    "testbench/observe/transfer_of.h": "drp",
    "testbench/results/hopeless.cpp": "drp",
    "testbench/scenario/in_use.cpp": "drp rc",
    "testbench/scenario/key_schema.cpp": "drp",
    "testbench/scenario/network_rules.cpp": "drp",
    "testbench/scenario/paths.cpp": "drp",
    "testbench/scenario/personality_rules.cpp": "drp plain rc",
    "testbench/scenario/resolve.cpp": "drp plain rc",
    "testbench/scenario/rules.cpp": "drp",
    "testbench/scenario/scenario.cpp": "drp",
    "testbench/scenario/schema.cpp": "drp",
    "testbench/scenario/schema.h": "rc",
    "testbench/scenario/switch_rules.cpp": "drp",
    "testbench/scenario/traffic_fields.cpp": "rc",
    "testbench/scenario/unread_keys.h": "drp rc",
    "testbench/tape/tape_names.cpp": "drp rc",
    "testbench/workloads/transfers/transfer_work.cpp": "rc",
    "testbench/workloads/wire_work.h": "rc",
}


def named(text: str, file: str) -> set[str]:
    """The personalities whose headers a file includes from outside their rooms."""
    return {
        name
        for included in INCLUDE.findall(text) for name, rooms in ROOMS.items()
        if included.startswith(rooms[:3]) and not file.startswith(rooms)
    }


class Rooms(unittest.TestCase):
    def test_a_name_outside_is_found(self) -> None:
        text = '#include "model/rnic/rc/qp.h"\n#include "model/rnic/common/gmac.h"\n'
        self.assertEqual(named(text, "model/system.h"), {"rc"})
        self.assertEqual(named(text, "model/host/verbs/verbs_driver.h"), set())

    def test_personalities_are_named_in_their_rooms(self) -> None:
        found = {}
        for top in ("model", "testbench"):
            for path in (SOURCES / top).rglob("*"):
                file = path.relative_to(SOURCES).as_posix()
                if path.suffix in (".h", ".cpp") and not file.startswith(NOT_ASKED):
                    names = named(path.read_text(encoding="utf-8"), file)
                    if names:
                        found[file] = " ".join(sorted(names))
        self.assertEqual(found, ELSEWHERE)

    def test_the_network_and_the_system_name_none(self) -> None:
        for file in ELSEWHERE:
            self.assertFalse(file.startswith(("model/network/", "model/system", "testbench/run/")))


if __name__ == "__main__":
    unittest.main()
