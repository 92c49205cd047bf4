"""scripts/bench --compare, with programs that only print figures."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True  # no cache in the source tree
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
import bench_compare


def figures(text):
    """NAME VALUE UNIT [VALUE UNIT ...], as in scripts/bench."""
    words = text.split()
    return {words[0]: [(float(words[at]), words[at + 1]) for at in range(1, len(words), 2)]} if words else {}


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def program(self, tree, text, code=0, work=""):
        folder = self.folder / tree / "bench"
        folder.mkdir(parents=True)
        (folder / "farm_bench").write_text(f"#!/bin/sh\n{work}\necho '{text}'\nexit {code}\n")
        (folder / "farm_bench").chmod(0o755)
        return folder.parent

    def compared(self, ours, theirs, rows, pairs):
        printed = io.StringIO()
        with mock.patch.object(bench_compare, "built", lambda tree, programs: theirs), contextlib.redirect_stdout(printed):
            bench_compare.compare(SCRIPTS.parent, ours, str(self.folder), rows, pairs, figures)
        return printed.getvalue()

    def test_the_ratio_is_that_of_the_processor_times_which_the_programs_print(self):
        ours = self.program("ours", "f1 7 us/task 3 us-cpu/task")
        theirs = self.program("theirs", "f1 1 us/task 2 us-cpu/task")
        text = self.compared(ours, theirs, ["f1"], 3)
        self.assertRegex(text, r"\nf1 +1\.500  1\.500 to 1\.500  1\.500 to 1\.500  75 nodes, 1 s tasks\n$")

    def test_one_pair_is_enough(self):
        ours = self.program("ours", "f2 1 us-cpu/task")
        self.assertRegex(self.compared(ours, ours, ["f2"], 1), r"\nf2 +1\.000 ")

    def test_a_program_that_prints_no_processor_time_is_measured_from_outside(self):
        ours = self.program("ours", "links 41 byte/message", work="i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")
        self.assertRegex(self.compared(ours, ours, ["links"], 1), r"\nlinks +\d+\.\d{3} ")

    def test_a_failed_run_is_an_error(self):
        theirs = self.program("theirs", "f1 1 us-cpu/task", code=1)
        with self.assertRaisesRegex(bench_compare.Failed, "farm_bench f1 failed"):
            self.compared(theirs, theirs, ["f1"], 1)

    def test_a_run_without_its_figure_is_an_error(self):
        theirs = self.program("theirs", "f3 1 us-cpu/task")
        with self.assertRaisesRegex(bench_compare.Failed, "farm_bench f1 failed"):
            self.compared(theirs, theirs, ["f1"], 1)

    def test_an_unknown_tree_is_refused(self):
        with self.assertRaisesRegex(bench_compare.Failed, "'no-such-commit' is neither a folder nor a commit"):
            bench_compare.checked_out(SCRIPTS.parent, "no-such-commit")

    def test_a_commit_gets_a_work_tree_of_its_own(self):
        git = ["git", "-C", str(self.folder), "-c", "user.name=t", "-c", "user.email=t@t"]
        subprocess.run([*git, "init", "-q"], check=True)
        (self.folder / "CMakeLists.txt").write_text("first\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
        (self.folder / "CMakeLists.txt").write_text("second\n")
        tree = bench_compare.checked_out(self.folder, "HEAD")
        self.assertEqual((tree / "CMakeLists.txt").read_text(), "first\n")
        self.assertEqual(bench_compare.checked_out(self.folder, "HEAD"), tree)  # and keeps it


if __name__ == "__main__":
    unittest.main()
