# SPDX-License-Identifier: Apache-2.0
"""valkey, a store of keys and values over RDMA: Debian's source, built here, and what its protocol
says that it posts."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import typing

FOLDER = pathlib.Path(os.environ["RNICSIM_VALKEY_FOLDER"])
# Debian's suites whose valkey has RDMA in server, benchmark and client: 9.1 and later, with the
# sources of what they link.
SUITES = ("forky", "sid")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
PROGRAMS = ("valkey-server", "valkey-benchmark", "valkey-cli")
NEEDED = {
    "/usr/include/rdma/rdma_cma.h": "librdmacm-dev",
    "/usr/include/infiniband/verbs.h": "libibverbs-dev"
}


class Missing(Exception):
    """What keeps valkey from being here."""


def _apt(*words: str, folder: pathlib.Path | None = None) -> str:
    done = subprocess.run(["apt-get", *words], cwd=folder, capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0:
        raise Missing("apt-get says " + (done.stderr.strip().splitlines() or ["nothing"])[0])
    return done.stdout


def _fetch(folder: pathlib.Path) -> pathlib.Path:
    """Its source, by an apt that has nothing but that of the suites, and leaves this machine's as
    it is."""
    for program, package in (("apt-get", "apt"), ("dpkg-source", "dpkg-dev"), ("make", "make")):
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed (Debian: {package})")
    for file, package in NEEDED.items():
        if not os.path.exists(file):
            raise Missing(f"{file} is not there (Debian: {package})")
    targets = _apt("indextargets", "--format", "$(LABEL)|$(COMPONENT)|$(REPO_URI)")
    mirror = next((line.split("|")[2] for line in targets.splitlines()
                   if line.startswith("Debian|main|")), None)
    if mirror is None or not os.path.exists(KEYRING):
        raise Missing("apt names no mirror of Debian, or its keyring is not there")
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "sources.list").write_text("".join(
        f"deb-src [signed-by={KEYRING}] {mirror} {suite} main\n" for suite in SUITES))
    own = [
        word for name, value in (("Dir::State", folder), ("Dir::State::lists", folder / "lists"),
                                 ("Dir::State::status", "/var/lib/dpkg/status"),
                                 ("Dir::Cache", folder), ("Dir::Cache::archives",
                                                          folder / "archives"),
                                 ("Dir::Etc::sourcelist", folder / "sources.list"),
                                 ("Dir::Etc::sourceparts", "/dev/null"),
                                 ("APT::Sandbox::User", "root"))
        for word in ("-o", f"{name}={value}")
    ]
    _apt(*own, "update", "--error-on=any")
    _apt(*own, "source", "valkey", folder=folder)
    return next(folder.glob("valkey-*/"))


def programs() -> pathlib.Path:
    """The folder of its programs, built once for each build of rnicsim. Raises Missing."""
    built = FOLDER / "built"
    if not built.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as made:
            source = _fetch(pathlib.Path(made))
            # Computing takes no time under exec, so what the compiler saves is the test's.
            done = subprocess.run([
                "make", f"-j{os.cpu_count() or 1}", "BUILD_RDMA=yes", "MALLOC=libc",
                "USE_SYSTEMD=no", "OPTIMIZATION=-O0", *PROGRAMS
            ], cwd=source / "src", capture_output=True, text=True, timeout=1500, check=False)
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
            ready = pathlib.Path(made, "ready")
            ready.mkdir()
            for program in PROGRAMS:
                shutil.copy(source / "src" / program, ready)
            ready.rename(built)
    return built


class Side(typing.NamedTuple):
    """Work requests of one end of a connection."""
    writes: int  # WRITEs with immediate
    sends: int   # SENDs


def in_protocol(*words: str) -> int:
    """Bytes of a request, or of an answer that is an array: each word behind its length."""
    return len(f"*{len(words)}\r\n") + sum(
        len(f"${len(word)}\r\n") + len(word) + len("\r\n") for word in words)


def splits(message: int, count: int, buffer: int) -> int:
    """How many of so many messages of so many bytes lie across an end of the receiver's buffer: the
    rest waits until that is registered anew."""
    return sum(1 for i in range(1, message * count // buffer + 1) if i * buffer % message != 0)


def expected(requests: int, request: int, answer: int, buffer: int = 1 << 20) -> tuple[Side, Side]:
    """Client and server of a connection with so many requests, one at a time, of so many bytes.
    Each side registers its buffer once, and again whenever the other one has filled it."""
    client_bytes, server_bytes = requests * request, requests * answer
    return (Side(requests + splits(request, requests, buffer), 1 + server_bytes // buffer),
            Side(requests + splits(answer, requests, buffer), 1 + client_bytes // buffer))
