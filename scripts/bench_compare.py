"""scripts/bench --compare: this tree beside another commit, both run in turn, so that both meet the same other load."""
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

# Row, program, what it is. A row is an argument of its program.
ROWS = [
    ("f1", "farm_bench", "75 nodes, 1 s tasks"),
    ("f2", "farm_bench", "1024 nodes, 1 s tasks"),
    ("f3", "farm_bench", "75 nodes, 10 ms tasks"),
    ("links", "farm_bench", "75 nodes at byte level, and at message level"),
    ("f4", "micro_bench", "wait and wake, 1024 processes"),
    ("f5", "micro_bench", "1024 x 16 processes up"),
]
ROW_NAMES = [name for name, _, _ in ROWS]


class Failed(Exception):
    pass


def checked_out(root, other):
    """The folder with the other tree: a folder as it is, or a commit in a work tree of its own below build/compare."""
    if Path(other).is_dir():
        return Path(other).resolve()
    named = subprocess.run(["git", "rev-parse", "--verify", "--quiet", other + "^{commit}"], cwd=root, stdout=subprocess.PIPE, text=True)
    if named.returncode != 0:
        raise Failed(f"'{other}' is neither a folder nor a commit; name one, such as HEAD~1")
    commit = named.stdout.strip()
    tree = root / "build/compare" / commit[:12]
    if not (tree / "CMakeLists.txt").is_file():
        shutil.rmtree(tree, ignore_errors=True)
        subprocess.run(["git", "worktree", "prune"], cwd=root, check=True)
        subprocess.run(["git", "worktree", "add", "--detach", "--force", tree, commit], cwd=root, check=True, stdout=sys.stderr)
    return tree


def built(tree, programs):
    """The build folder of that tree, with the programs in it."""
    print(f"bench: building {tree}", file=sys.stderr, flush=True)
    for command in (["cmake", "--preset", "bench"], ["cmake", "--build", "--preset", "bench", "--target", *programs]):
        if subprocess.run(command, cwd=tree, stdout=sys.stderr).returncode != 0:
            raise Failed(f"'{' '.join(command)}' failed in {tree}; see above")
    return tree / "build/bench"


def processor_time(folder, program, row, parse):
    """Of one run: what the program prints for the modelled run alone, in microseconds a task; else seconds of the whole process."""
    process = subprocess.Popen([folder / "bench" / program, "--repeat", "1", row], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})
    with process.stdout:
        text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or row not in parse(text):
        raise Failed(f"{folder / 'bench' / program} {row} failed; run it by hand to see why")
    for value, unit in parse(text)[row]:
        if unit == "us-cpu/task":
            return value
    return usage.ru_utime + usage.ru_stime


def compare(root, build, other, rows, pairs, parse):
    """Prints, for each row, how much longer this tree takes than the other. `build`: a folder with this tree's programs, or None."""
    wanted = [row for row in ROWS if not rows or row[0] in rows]
    programs = sorted({program for _, program, _ in wanted})
    other_tree = checked_out(root, other)
    ours = build.resolve() if build else built(root, programs)
    theirs = built(other_tree, programs)
    print(f"processor time of this tree over that of {other}; {pairs} pairs, one after the other")
    print("row    median  quartiles        spread           what")
    for name, program, what in wanted:
        ratios = []
        for pair in range(pairs):
            first, second = (ours, theirs) if pair % 2 == 0 else (theirs, ours)
            times = {folder: processor_time(folder, program, name, parse) for folder in (first, second)}
            ratios.append(times[ours] / times[theirs])
            if sys.stderr.isatty():
                print(f"\r{name}: pair {pair + 1} of {pairs} ", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)
        low, _, high = statistics.quantiles(ratios, n=4) if pairs > 1 else ratios * 3
        print(f"{name:6} {statistics.median(ratios):6.3f}  {low:.3f} to {high:.3f}  {min(ratios):.3f} to {max(ratios):.3f}  {what}", flush=True)
