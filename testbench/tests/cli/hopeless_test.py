#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in which all transfers fail: the counter that explains it, and their own exit code; refused
before the run if possible.

Environment: RNICSIM_BIN, RNICSIM_SOURCE_DIR.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

BIN = os.path.abspath(os.environ["RNICSIM_BIN"])
SMALL = "run: {size: 4 KiB, transfers: 5, repetitions: 1, methods: [traditional]}\n"
NEVER_REGISTERED = "system: {host: {registration: {failure: 99.9999 %}}}\n" + SMALL
NEVER_CARRIED = "system: {link: {loss: 99.9999 %}}\n" + SMALL
SLOW_TO_ANSWER = "system: {b: {host: {software: {interrupt_latency: 0.9 ms}}}, link: {loss: 1 %}, " \
                 "a: {rnic: {drp: {request_timer: 50 us}}}}\n" + SMALL  # noqa: E501
IMPATIENT = """system:
  link: {delay_variation: 100 %, jitter: 10 ms}
  rnic: {drp: {release_timer: 4 ms, data_timer: 8 us}}
""" + SMALL


class Hopeless(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_hopeless_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def rnicsim(self, command: Any, text: Any, *words: str | Path, out: str = "out") -> Any:
        file = self.folder / "hopeless.yaml"
        file.write_text(text, encoding="utf-8")
        return subprocess.run(
            [BIN, command,
             str(file), "--out",
             str(self.folder / out), "--no-plot", *words], capture_output=True, text=True,
            timeout=120, check=False)

    def expect(self, done: subprocess.CompletedProcess[str], *said: str) -> None:
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        for words in said:
            self.assertIn(words, done.stderr)

    def test_the_counter_that_explains_it_is_named(self) -> None:
        for text, error, counter in ((NEVER_REGISTERED, "request timeout",
                                      "b.host.registration_failures "),
                                     (NEVER_CARRIED, "request timeout", "link.a_to_b_lost "),
                                     (IMPATIENT, "data timeout", "a.transport.data_timeouts ")):
            with self.subTest(counter=counter):
                done = self.rnicsim("run", text, out=counter.strip())
                self.expect(
                    done,
                    f"error: run p000_traditional_r0: all 5 transfers failed ({error}): {counter}")
                # they are results like others
                self.assertTrue((self.folder / counter.strip() / "summary.csv").exists())
                self.assertIn("1 run in ", done.stdout)

    def test_settings_come_before_losses(self) -> None:
        self.expect(
            self.rnicsim("run", SLOW_TO_ANSWER, "--set", "run.transfers=1"),
            "its only transfer failed (request timeout): connecting (interrupt 900 us, "
            "registration 10.2 us at end b) takes 91",
            ", and max_requests x request_timer is 800 us; a.transport.request_timeouts 16")
        transport = (
            "system: {rnic: {drp: {max_retransmissions: 1, %s_timer: 8 ns}}, host: "
            "{registration: {failure: 10 %%}}}\n" + SMALL
        )
        self.expect(
            self.rnicsim("run", transport % "release"),
            "(release timeout): REL with REL_ACK takes 1.44 us, and (max_retransmissions + 1) x "
            "release_timer is 16 ns; a.transport.release_timeouts 10")
        self.expect(
            self.rnicsim("run", transport % "data", "--set", "run.methods=[dynamic]", "--set",
                         "system.host.registration.failure=0 %"),
            "(data timeout): a data frame with its ACK takes ",
            ", and (max_retransmissions + 1) x data_timer of end a is 16 ns; "
            "a.transport.data_timeouts "
        )

    def test_data_of_a_read_is_sent_by_the_other_end(self) -> None:
        hasty = "system: {b: {rnic: {drp: {data_timer: 8 ns, max_retransmissions: 1}}}}\n"
        self.expect(
            self.rnicsim("run",
                         hasty + SMALL.replace("size: 4 KiB", "size: 128 KiB, operation: read")),
            "(data timeout): a data frame with its ACK takes ", "x data_timer of end b is 16 ns; ")

    def test_a_few_lost_frames_do_not_explain_many_timeouts(self) -> None:
        """A window takes longer to memory than its timer waits."""
        slow = "system: {host: {memory: {bandwidth: 1 MB/s}}, link: {loss: %s}}\n" + SMALL.replace(
            "size: 4 KiB", "size: 128 KiB")
        for loss in ("5 %", "0 %"):
            with self.subTest(loss=loss):
                self.expect(self.rnicsim("run", slow % loss, out=loss),
                            "all 5 transfers failed (data timeout): a.transport.data_timeouts ")

    def test_ordinary_frames_are_no_reason(self) -> None:
        """Thousands of them find no buffer, and no transfer fails because of that."""
        pings = "ping: {sizes: [1500 B, 1500 B], interval: 50 us}, receive_ring: 1"
        done = self.rnicsim(
            "run", "system: {host: {registration: {failure: 99.99 %}, " + pings + "}}\n" + SMALL)
        self.expect(done, "host.registration_failures")
        self.assertNotIn("no_receive_buffer", done.stderr)

    def test_the_same_command_says_it_again(self) -> None:
        self.rnicsim("run", NEVER_CARRIED)
        again = self.rnicsim("run", NEVER_CARRIED, "--quiet")
        self.expect(again, "all 5 transfers failed")
        self.assertEqual(again.stdout, "")

    def test_one_point_of_a_sweep_is_enough(self) -> None:
        words = ["--axis", "system.link.loss=0 %,99.9999 %"]
        done = self.rnicsim("sweep", SMALL, *words)
        self.expect(
            done, "run p001_traditional_r0 (system.link.loss: 99.9999 %): all 5 transfers failed")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_many_are_counted(self) -> None:
        done = self.rnicsim("run", NEVER_CARRIED, "--set", "run.repetitions=9", "--set",
                            "run.transfers=1")
        self.expect(done, "its only transfer failed (request timeout): link.a_to_b_lost 16",
                    "all transfers failed in 3 runs more")
        self.assertEqual(done.stderr.count("\n"), 7)

    def test_a_merge_says_it_and_a_shard_leaves_it_to_the_merge(self) -> None:
        shard = self.rnicsim("run", NEVER_CARRIED, "--shard", "1/1")
        self.assertEqual(shard.returncode, 0, shard.stderr)
        self.expect(self.rnicsim("merge", NEVER_CARRIED),
                    "all 5 transfers failed (request timeout): link.a_to_b_lost 80")

    def test_one_transfer_that_is_completed_is_no_such_run(self) -> None:
        done = self.rnicsim("run", "system: {host: {registration: {failure: 85 %}}}\n" + SMALL,
                            "--set", "run.transfers=40")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_can_be_known_is_refused(self) -> None:
        done = self.rnicsim("run", "system: {b: {rnic: {drp: {segment: 512 B}}}}\n" + SMALL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("hopeless.yaml:1:36: system.b.rnic.drp.segment: found '512 B'",
                      done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_what_is_refused_lies_close_to_what_works(self) -> None:
        """With 4.3 ms all transfers failed when such scenarios were still accepted."""
        done = self.rnicsim("run", SMALL, "--set", "system.link.delay=4.2 ms", "--set",
                            "run.methods=[traditional, dynamic]")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(
            self.rnicsim("run", SMALL, "--set", "system.link.delay=4.3 ms").returncode, 2)

    def test_help_has_the_code(self) -> None:
        done = subprocess.run([BIN, "run", "--help"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout,
                         r"\n  4 +the results are written, but in some run all transfers failed")


if __name__ == "__main__":
    unittest.main()
