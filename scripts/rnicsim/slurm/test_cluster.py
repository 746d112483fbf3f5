# SPDX-License-Identifier: Apache-2.0
"""Runs a command beside a real Slurm on this one machine, which lives in a temporary folder and
ends with the command.

Usage: scripts/slurm/test_cluster COMMAND [ARGUMENTS...]
       e.g. scripts/slurm/test_cluster scripts/slurm/submit --wait --shards 4
       scenarios/examples/minimal.yaml

munged, slurmctld and slurmd are started here, without systemd and without touching /etc, on free
ports, and stopped by their process ids. The command finds the cluster through SLURM_CONF. Exit
codes: the command's; 77 if Slurm cannot be started here, with the reason (CTest counts that as
skipped); 1 if it should have started and did not, with its logs.
"""

import ctypes
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnicsim import ending

SKIPPED = 77
SECONDS = 30  # until the node is ready, or a process has ended
os.environ["PATH"] += ":/usr/sbin:/sbin"


def reason_to_skip() -> Any:
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "sinfo", "scancel")
               if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} not installed (scripts/setup --tests installs Slurm)"
    if os.geteuid() != 0:
        return "must be root: slurmd starts jobs in the name of their owners"
    try:
        pwd.getpwnam("munge")
    except KeyError:
        return "there is no user munge"
    return None


def free_ports(count: Any) -> Any:
    """Ports that nobody listens at, all different because all are open at once."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        self.processes: list[Any] = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in ("SLURM_JOB_ID", "SLURM_JOBID"):  # of a job that this may itself be part of
            self.environment.pop(name, None)

    def start(self, *command: Any, **options: Any) -> None:
        with (self.folder / f"{command[0]}.out").open("wb") as output:
            self.processes.append(
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                 env=self.environment, **options))

    def wait_until(self, condition: Any, what: Any) -> None:
        deadline = time.monotonic() + SECONDS
        while not condition():
            ended = [process.args[0] for process in self.processes if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise RuntimeError(f"{' and '.join(ended)} ended"
                                   if ended else f"{what} took longer than {SECONDS} s")
            time.sleep(0.1)

    def start_munge(self) -> None:
        """Authentication: every message of Slurm carries a credential of it."""
        munge = self.folder / "munge"
        munge.mkdir(mode=0o755)
        key = munge / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        for path in (munge, key):
            shutil.chown(path, "munge", "munge")
        self.start("munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={munge}/socket", f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                   f"--seed-file={munge}/seed", user="munge", group="munge", extra_groups=[])
        self.wait_until((munge / "socket").exists, "munged")

    def start_slurm(self) -> None:
        controller, daemon = free_ports(2)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(f"""
ClusterName=rnicsim
SlurmctldHost={self.host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
# Nothing that needs control groups or a data base.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=bf_interval=1,sched_interval=2
ReturnToService=2
NodeName={self.host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={self.host} Default=YES MaxTime=INFINITE State=UP
""", encoding="utf-8")
        # Slurm needs the file system of control groups unless configured otherwise: Debian 12's
        # (22.05) by a plugin that needs none until it is asked for something, newer ones by a word
        # of their own.
        version = subprocess.run(["slurmd", "-V"], capture_output=True, text=True,
                                 check=True).stdout
        plugin = "disabled" if int("".join(re.findall(r"\d+", version)[:1])) > 22 else "cgroup/v1"
        (self.folder / "cgroup.conf").write_text(f"CgroupPlugin={plugin}\n", encoding="utf-8")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", self.host)

        def ready() -> bool:
            state = subprocess.run(["sinfo", "--noheader", "--format=%T"], env=self.environment,
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   check=False).stdout
            return state.strip() == "idle"
        self.wait_until(ready, "Slurm")

    def stop(self) -> None:
        if len(self.processes) == 3 and all(process.poll() is None for process in self.processes):
            subprocess.run(["scancel", "--quiet", f"--user={os.getuid()}"], env=self.environment,
                           check=False)
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # slurmd's orphans are our children; a container's first process need not reap them.
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.05)
            except ChildProcessError:
                break

    def print_logs(self) -> None:
        for log in sorted([
                *self.folder.glob("*.out"), *self.folder.glob("*.log"),
                *self.folder.glob("munge/log")
        ]):
            text = log.read_text(encoding="utf-8", errors="replace")
            if text:
                print(f"--- {log.name}\n{text[-3000:]}", file=sys.stderr)


@ending.reported("test_cluster")
def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    reason = reason_to_skip()
    if reason:
        print(f"test_cluster: skipped: {reason}")
        return SKIPPED
    pr_set_child_subreaper = 36
    # what the daemons start ends with them, see stop()
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1)
    # so that the cluster is stopped then, too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = Path(tempfile.mkdtemp(prefix="rnicsim_slurm_"))
    folder.chmod(0o755)  # munged is another user
    cluster = Cluster(folder)
    try:
        try:
            cluster.start_munge()
            cluster.start_slurm()
        except (OSError, RuntimeError) as error:
            print(f"test_cluster: Slurm did not start: {error}", file=sys.stderr)
            cluster.print_logs()
            return 1
        return subprocess.run(arguments, env=cluster.environment, check=False).returncode
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
