"""scripts/cache_lines, with a small program whose events visit known lines."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/cache_lines"

# Few and Many differ in the lines they read only. Far takes ten lines that nothing has touched for 8192 others.
PROGRAM = """
struct Line { alignas(64) volatile int word; };
static Line memory[40], far[16384];
struct Other { virtual void other() {} };
struct Handler { virtual void fire(unsigned) = 0; };
namespace test {
struct Few : Other, Handler { void fire(unsigned) override { for (int i = 0; i < 40; ++i) memory[0].word; } };
struct Many : Other, Handler { void fire(unsigned what) override { for (int i = 0; i < 40; ++i) memory[what == 1 ? i : 0].word; } };
struct Far : Other, Handler {
    unsigned next = 0;
    void fire(unsigned) override { for (int i = 0; i < 10; ++i) far[next++ % 16384].word; }
};
}
int main() {
    test::Few few;
    test::Many many;
    test::Far far_away;
    Handler* volatile handlers[] = {&few, &many, &far_away};
    for (unsigned n = 0; n < 12000; ++n) handlers[n % 3]->fire(n % 2);
}
"""


class CacheLines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = Path(folder.name) / "program"
        source = cls.program.with_suffix(".cpp")
        source.write_text(PROGRAM)
        subprocess.run(["c++", "-O1", "-w", "-std=c++17", "-o", cls.program, source], check=True)

    def counted(self, *arguments):
        done = subprocess.run([SCRIPT, "--binary", self.program, *arguments], capture_output=True, text=True)
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        return done

    def kinds(self, text):
        found = {}
        for line in text.splitlines():
            cells = re.split(r"\s{2,}", line.strip())
            found[cells[1]] = dict(zip(["events", "data", "data 90", "code", "code 90", "instructions", "beyond"], cells[2:]))
        return found

    def test_lines_are_distinct_lines_by_kind_of_event(self):
        arguments = ["--skip", "600", "--warm", "5400", "--events", "600", "any"]
        first = self.counted(*arguments)
        self.assertEqual(first.returncode, 0, first.stderr)
        kinds = self.kinds(first.stdout)
        few, many = kinds["test::Few::fire 0"], kinds["test::Many::fire 1"]
        self.assertEqual([kind["events"] for kind in kinds.values()][1:], ["600"] + 6 * ["100"])
        self.assertAlmostEqual(float(many["data"]) - float(few["data"]), 39, places=3)
        self.assertEqual(int(many["data 90"]) - int(few["data 90"]), 39)
        self.assertEqual(kinds["test::Many::fire 0"]["data"], few["data"])
        self.assertEqual((few["beyond"], many["beyond"], kinds["test::Far::fire 0"]["beyond"]), ("0.0", "0.0", "10.0"))
        self.assertEqual(self.counted(*arguments).stdout, first.stdout)

    def test_a_program_with_too_few_events_is_an_error(self):
        done = self.counted("--skip", "0", "--events", "12000", "any")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("any ends after 12000 events; 0 left out, 5000 to warm up and 12000 to count are more", done.stderr)

    def test_a_workload_without_a_known_start_is_refused(self):
        done = self.counted("any")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'any' needs --skip N", done.stderr)


if __name__ == "__main__":
    unittest.main()
