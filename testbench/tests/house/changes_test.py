# SPDX-License-Identifier: Apache-2.0
"""Lists of wrong changes: each expression stands once in its function, and what may change around
it."""

import argparse
import os
import re
import sys
import unittest
from pathlib import Path

SOURCES = Path(os.environ["RNICSIM_SOURCE_DIR"])
sys.path.insert(0, str(SOURCES / "scripts"))

from rnicsim import sampling
from rnicsim.faults import application_mutants, changes
from rnicsim.faults.scopes import scopes_of
from rnicsim.faults.source import NotFoundError, Source, source_of
from rnicsim.faults.tokens import tokens_of, words

BUFFER = """
namespace net {
struct Limits { int most = 3; };
class Buffer : public Base<int> {
  public:
    explicit Buffer(int size) : size_{size}, used_(0) { reset(); }
    bool full() const { return used_ >= size_; }
    bool operator==(const Buffer&) const = default;
    void operator()() { used_ = 1'000; }
  private:
    int size_{0};
};
constexpr int kRows[] = {1, 2};
int Buffer::take(int bytes) {
    // as much as there is
    if (full()) return 0;
    used_ += bytes;
    return bytes;
}
}  // namespace net
"""


def source(text: str, verilog: bool = False) -> Source:
    tokens = tokens_of(text, verilog)
    return Source(text, verilog, tokens, scopes_of(tokens, verilog))


class Scopes(unittest.TestCase):
    def test_functions_members_and_constants_have_qualified_names(self) -> None:
        names = {scope.name for scope in source(BUFFER).scopes}
        expected = {"Buffer::Buffer", "Buffer::full", "Buffer::operator==", "Buffer::operator()"}
        expected |= {"Limits::most", "Buffer::size_", "kRows", "Buffer::take"}
        self.assertEqual(names, expected)

    def test_verilog_has_modules_and_their_functions(self) -> None:
        text = (
            "module m (input a); function automatic logic f(logic x); return !x; "
            "endfunction\nendmodule\n"
        )
        self.assertEqual([s.name for s in source(text, True).scopes], ["m", "m::f"])

    def test_tokens_are_those_of_the_language(self) -> None:
        cpp = words(tokens_of("a<=1'000/*c*/+'\\''; R\"(x // y)\"", False))
        self.assertEqual(cpp, ["a", "<=", "1'000", "+", "'\\''", ";", 'R"(x // y)"'])
        verilog = words(tokens_of("q <= 6'd1 + 11'(n) && '0; // end", True))
        self.assertEqual(
            verilog, ["q", "<=", "6'd1", "+", "11", "'", "(", "n", ")", "&&", "'0", ";"]
        )


class Replaced(unittest.TestCase):
    OLD = "if (full()) return 0; used_ += bytes;"
    NEW = "if (full()) return 0; used_ += 1;"

    def test_only_what_differs_is_replaced(self) -> None:
        changed = source(BUFFER).replaced("Buffer::take", self.OLD, self.NEW)
        self.assertEqual(changed, BUFFER.replace("used_ += bytes", "used_ += 1"))

    def test_format_comments_and_what_stands_elsewhere_do_not_matter(self) -> None:
        other = BUFFER.replace("return 0;",
                               "return 0;  // nothing\n\n").replace("(full())", "( full( ) )")
        other = other.replace(
            "int Buffer::take",
            "void g() { if (full()) return 0; used_ += bytes; }\nint Buffer::take")
        changed = source(other).replaced("Buffer::take", self.OLD, self.NEW)
        self.assertEqual(changed, other.replace("    used_ += bytes", "    used_ += 1"))

    def test_tokens_are_put_in_and_taken_away(self) -> None:
        with_more = source(BUFFER).replaced("Buffer::take", "return bytes;",
                                            "++used_; return bytes;")
        self.assertIn("    ++used_; return bytes;\n", with_more)
        with_less = source(BUFFER).replaced("Buffer::take", "if (full()) return 0;", "")
        self.assertEqual(words(tokens_of(with_less, False)),
                         words(tokens_of(BUFFER.replace("if (full()) return 0;", ""), False)))

    def test_a_part_of_a_word_is_not_the_word(self) -> None:
        with self.assertRaisesRegex(NotFoundError, r"'byte' is not in Buffer::take; nearest"):
            source(BUFFER).replaced("Buffer::take", "byte", "x")

    def test_what_is_not_there_is_answered_by_what_is_nearest(self) -> None:
        with self.assertRaisesRegex(NotFoundError, r"nearest, in line 17: 'used_ \+= bytes;'"):
            source(BUFFER).replaced("Buffer::take", "used_ -= bytes;", "")
        with self.assertRaisesRegex(NotFoundError,
                                    "there is no 'Buffer::tack'; nearest: Buffer::take"):
            source(BUFFER).replaced("Buffer::tack", "bytes", "")

    def test_what_is_there_twice_is_refused_with_its_lines(self) -> None:
        with self.assertRaisesRegex(NotFoundError,
                                    "'bytes;' is 2 times in Buffer::take, in lines 17, 18"):
            source(BUFFER).replaced("Buffer::take", "bytes;", "")


class Lists(unittest.TestCase):
    """Every expression stands once in its function; what stands there instead is something else."""

    def check(self, path: Path, listed: list[tuple[str, changes.Change]]) -> None:
        self.assertTrue(listed, path)
        for line, change in listed:
            self.assertNotEqual(change.text(), source_of(change.file).text, f"{path}: {line}")

    def test_lists_of_the_models(self) -> None:
        lists = sorted(changes.LISTS.glob("*.txt"))
        self.assertIn("decisions.txt", [path.name for path in lists])
        for path in lists:
            if path.name != "faults_seen.txt":
                self.check(path, changes.read(path))

    def test_who_is_asked_about_an_application_is_there(self) -> None:
        there = {path.stem for path in (SOURCES / "testbench/tests").rglob("*.cpp")}
        for _line, change in changes.read(application_mutants.LIST):
            for _program, filters in application_mutants.witnesses(change.file):
                asked = set(re.findall(r"#(\w+)", filters))
                self.assertEqual(asked - there, set(), change.file)

    def test_lists_of_the_verilog(self) -> None:
        for name in ("rtl/mutants.txt", "rtl/formal/faults.txt"):
            self.check(SOURCES / name, changes.read(SOURCES / name, changes.of_module))


class Parts(unittest.TestCase):
    def test_the_parts_are_all(self) -> None:
        items = list(range(10))
        found = []
        for text in ("1/3", "2/3", "3/3"):
            options = argparse.Namespace(all=True, part=sampling.part(text))
            found += sampling.drawn(items, options, "numbers")
        self.assertEqual(sorted(found), items)

    def test_what_is_no_part(self) -> None:
        for text in ("0/2", "3/2", "1", "a/b", "-1/2"):
            with self.subTest(text), self.assertRaises(ValueError):
                sampling.part(text)


if __name__ == "__main__":
    unittest.main()
