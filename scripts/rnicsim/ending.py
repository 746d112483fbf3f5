# SPDX-License-Identifier: Apache-2.0
"""How every Python script here ends: with an exit code, and one line that says what failed. No
traceback reaches the user; RNICSIM_TRACEBACK=1 asks for it."""

import functools
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

WRONG_INPUT, FAILED, INTERRUPTED = 2, 3, 130


class Ended(Exception):
    """Ends the script: one line, and the exit code of its class."""
    code = FAILED


class Unusable(Ended):
    """Input that cannot be used."""
    code = WRONG_INPUT


class Failed(Ended):
    """Something that the script needs did not do its work."""


def _said_by_system(error: Any) -> Any:
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename is not None else what


def _said_by_command(error: Any) -> Any:
    command = error.cmd if isinstance(error.cmd, str) else " ".join(map(str, error.cmd))
    if isinstance(error, subprocess.TimeoutExpired):
        # Python reports what was left of the time when it began to wait, some microseconds less
        # than what was allowed
        return f"{command}: not done after {math.ceil(error.timeout * 10) / 10:g} s"
    said = error.stderr.decode(
        errors="replace") if isinstance(error.stderr, bytes) else error.stderr or ""
    return f"{command}: exit code {error.returncode}" + (f": {said.strip()}"
                                                         if said.strip() else "")


def _ending_of(error: Any) -> tuple[int, str]:
    """(exit code, what to say)"""
    if isinstance(error, Ended):
        return error.code, str(error)
    if isinstance(error, OSError):
        return WRONG_INPUT, _said_by_system(error)
    if isinstance(error, (subprocess.CalledProcessError, subprocess.TimeoutExpired)):
        return FAILED, _said_by_command(error)
    if isinstance(error, ImportError):
        return FAILED, (f"{error.name or 'a module'} of Python is missing: scripts/setup --tests "
                        "installs what scripts need")
    return FAILED, (f"a fault of this script: {type(error).__name__}: {error}; "
                    "RNICSIM_TRACEBACK=1 shows where")


def reported(name: str, interrupted: str = "the same command goes on",
             on_sigterm: bool = False) -> Callable[..., Any]:
    """For the main() of a script: returns its exit code, or prints the exception that ended it and
    returns that one's.

    on_sigterm: SIGTERM ends it as Ctrl-C does, so that its temporary folder and its processes end,
    too.
    """
    def decorate(main: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(main)
        def ends(*arguments: list[str]) -> Any:
            if on_sigterm:
                signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                code = main(*arguments)
                sys.stdout.flush()
                return code or 0
            except BrokenPipeError:  # who read it has enough
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 128 + signal.SIGPIPE
            except KeyboardInterrupt:
                print(f"warning: {name}: interrupted; {interrupted}", file=sys.stderr)
                return INTERRUPTED
            except Exception as error:  # whatever it is, the user gets a line
                if os.environ.get("RNICSIM_TRACEBACK"):
                    raise
                code, what = _ending_of(error)
                print(f"error: {name}: {what}", file=sys.stderr)
                return code
        return ends
    return decorate
