#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/debian_root: what it refuses and skips, and, with fake debootstrap and chroot, which
commands it runs where.

The real thing takes an hour: scripts/test --all.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ["RNICSIM_SOURCE_DIR"]).resolve()

# A root without content, and a chroot that only changes the folder.
PLAYED = {
    "debootstrap":
    'echo "debootstrap $*" >>"$PLAYED_LOG"; root=$3; mkdir -p "$root/var/lib/dpkg" '
    '"$root/etc/apt/apt.conf.d" "$root/srv"\n'
    'touch "$root/var/lib/dpkg/status"; echo "VERSION_CODENAME=$2" >"$root/etc/os-release"',
    "mount":
    "exit 0",
    "unshare":
    'while [[ "$1" == --* ]]; do shift; done; exec "$@"',
    "apt-get":
    'echo "Somebody|main|http://other.test/"; echo "Debian|main|http://mirror.test/debian/"',
    "chroot":
    'root=$1; command=${!#}; echo "chroot $root" >>"$PLAYED_LOG"\n'
    'exec bash -c "${command/\\/srv\\/rnicsim/$root/srv/rnicsim}"',
}


class DebianRoot(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rnicsim_root_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tree = self.folder / "tree"
        (self.tree / "scripts").mkdir(parents=True)
        for script in ("debian_root", "run"):
            shutil.copy(SOURCE / "scripts" / script, self.tree / "scripts")
        git: list[str | Path] = [
            "git", "-C", self.tree, "-c", "user.name=test", "-c", "user.email=test@localhost"
        ]
        for command in (["init", "-q"], ["add", "scripts/run"], ["commit", "-q", "-m", "A tree"]):
            subprocess.run([*git, *command], check=True)
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        for name, text in PLAYED.items():
            (self.tools / name).write_text("#!/usr/bin/env bash\n" + text + "\n", encoding="utf-8")
            (self.tools / name).chmod(0o755)
        self.log = self.folder / "played"

    def call(self, *arguments: Any, path: Any = None) -> Any:
        environment = {
            "PATH": path or f"{self.tools}:{os.environ['PATH']}",
            "PLAYED_LOG": str(self.log),
            "TMPDIR": str(self.folder)
        }
        return subprocess.run([self.tree / "scripts/debian_root", *arguments], capture_output=True,
                              text=True, env=environment, check=False)

    def test_bad_options(self) -> None:
        for arguments, said in (((), "found ''"), (("sid", ), "found 'sid'"),
                                (("trixie", "--kept"), "unknown option '--kept'"),
                                (("trixie", "--do"), "--do needs a command"),
                                (("trixie", "--page", "none.md"), "found 'none.md'")):
            done = self.call(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertRegex(done.stderr, f"^error: debian_root: .*{said}")

    def test_without_root(self) -> None:
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            done = subprocess.run([
                "setpriv", "--reuid", "65534", "--clear-groups", self.tree / "scripts/debian_root",
                "trixie"
            ], capture_output=True, text=True, check=False)
        else:
            done = self.call("trixie")
        self.assertEqual(
            (done.returncode, done.stdout),
            (77, "SKIPPED: debian_root trixie, because only root can make a root file system\n"))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_without_debootstrap(self) -> None:
        (self.tools / "debootstrap").unlink()
        for name in ("bash", "dirname", "env"):
            (self.tools / name).symlink_to(shutil.which(name))
        done = self.call("bookworm", path=str(self.tools))
        self.assertEqual(
            (done.returncode, done.stdout),
            (77, "SKIPPED: debian_root bookworm, because debootstrap is not installed\n"))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_commands_run_in_the_clone(self) -> None:
        root = self.folder / "kept"
        done = self.call("trixie", "--keep", root, "--do", "pwd; git status --short", "--do",
                         "test -x scripts/run")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"debian_root trixie: test -x scripts/run passed, 0\.\d min\n"
                                      r"debian_root trixie: all passed, 0\.\d min\n$")
        said = (self.tree / "build/debian_root_trixie.log").read_text(encoding="utf-8")
        self.assertIn(f"{root}/srv/rnicsim\n", said)
        self.assertFalse((root / "srv/rnicsim/scripts/debian_root").exists(),
                         "what is not committed is not in the clone")
        self.assertEqual(
            self.log.read_text(encoding="utf-8").splitlines(), [
                f"debootstrap --variant=minbase trixie {root} http://mirror.test/debian/",
                *[f"chroot {root}"] * 2
            ])
        again = self.call("trixie", "--keep", root, "--do", "true")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("debootstrap", again.stdout)
        other = self.call("bookworm", "--keep", root)
        self.assertEqual((other.returncode, other.stderr),
                         (2, f"error: debian_root: {root} holds trixie\n"))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_the_commands_of_a_page(self) -> None:
        """Plain blocks whole, of consoles what follows "$ ", in one shell; the first that fails
        ends it."""
        page = self.folder / "page.md"
        page.write_text(
            "text\n```\nexport WORD=first\n```\ntrue\n```console\n$ echo $WORD \\\n  second\nfirst "
            "second\n$ true && false\n...\n```\n"
            "```\ntouch never\n```\n", encoding="utf-8")
        done = self.call("bookworm", "--keep", self.folder / "kept", "--page", page)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"'{page}' failed", done.stderr)
        self.assertIn("\nfirst second\n",
                      (self.tree / "build/debian_root_bookworm.log").read_text(encoding="utf-8"))
        self.assertFalse((self.folder / "kept/srv/rnicsim/never").exists())

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_failure_is_told_and_nothing_is_left(self) -> None:
        before = {path.name for path in self.folder.iterdir()}
        done = self.call("bookworm", "--do", "echo the reason; exit 5", "--do", "touch never")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"the reason\n$")
        self.assertRegex(
            done.stderr,
            r"'echo the reason; exit 5' failed after 0\.\d min with code 5; all it said: build/")
        self.assertEqual({path.name for path in self.folder.iterdir()} - before, {"played"})

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_interrupted_nothing_goes_on(self) -> None:
        environment = {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "PLAYED_LOG": str(self.log),
            "TMPDIR": str(self.folder)
        }
        command: list[str | Path] = [
            self.tree / "scripts/debian_root", "trixie", "--do", "echo begun $$; exec sleep 300"
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              env=environment) as running:
            log = self.tree / "build/debian_root_trixie.log"
            while not (log.exists() and
                       (begun := re.search(r"begun (\d+)\n", log.read_text(encoding="utf-8")))):
                self.assertIsNone(running.poll())
                time.sleep(0.02)
            running.terminate()
            running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertRaises(ProcessLookupError, os.kill, int(begun[1]), 0)
        self.assertEqual(list(self.folder.glob("rnicsim_trixie.*")), [])


if __name__ == "__main__":
    unittest.main()
