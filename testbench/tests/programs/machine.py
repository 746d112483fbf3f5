# SPDX-License-Identifier: Apache-2.0
"""What tests of programs have to know of the machine."""
import functools
import shutil
import socket
import subprocess


def free_port() -> str:
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return str(any_socket.getsockname()[1])


@functools.cache
def ucx_perftest() -> str:
    """The command: that of Debian 13 takes itself for a program of MPI where its input is no
    terminal."""
    if shutil.which("ucx_perftest") is None:
        return "ucx_perftest"
    said = subprocess.run(["ucx_perftest", "-h"], capture_output=True, text=True, timeout=60,
                          check=False)
    return "ucx_perftest -P 0" if "-P <0|1>" in said.stdout + said.stderr else "ucx_perftest"
