"""What the tests of the command line have in common: the binary run in an empty folder of its own for each case, what is expected of every
result and every refusal, and the choice of cases. A case is a function with @case, or @simulation when it needs the simulator. One with
@long below takes many seconds; it is left out unless MAGICWIRE_LONG_TESTS is set, as scripts/test --long does.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

DONE, FOUND, USAGE, BAD_INPUT, UNKNOWN, SELF_CHECK, BUDGET, DEFECT, HOST = 0, 1, 2, 3, 4, 5, 6, 70, 71
CASES = []
SIMULATION_CASES = set()
LONG_CASES = set()
# The sanitizers take several times the time, and more memory and channels of their own than some cases leave them.
SANITIZED = "MAGICWIRE_SANITIZED" in os.environ
PATIENCE = 240 if SANITIZED else 60
TASK = "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n"


def case(function):
    CASES.append(function)
    return function


def simulation(function):
    SIMULATION_CASES.add(function.__name__)
    return case(function)


def long(function):
    LONG_CASES.add(function.__name__)
    return function


def without_sanitizers(function):
    return function if SANITIZED else simulation(function)


class Box:
    """The folder of one case, and the binary run in it."""

    def __init__(self, magicwire, source, folder, sample=None):
        self.magicwire, self.source, self.folder, self.sample_program = magicwire, source, folder, sample

    def run(self, *arguments, **options):
        return subprocess.run([self.magicwire, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE, **options)

    def shell(self, line):
        return subprocess.run(["bash", "-c", line.replace("magicwire", f"'{self.magicwire}'", 1)], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def scenario(self, change=("", ""), tasks=TASK, monitor="monitor: {unload: [[1000s, 8, 32]]}\n", machine=None):
        """A small farm without bugs; change: (text, replacement)."""
        machine = self.write("machine.yaml", machine or (self.source / "topologies/machines/btree_8.yaml").read_text(encoding="utf-8"))
        self.write("tasks.dat", tasks)
        text = f"version: 1\nname: small\nmachine: {machine}\nfarm: {{nodes: 8, tree: binary, tasks: 20}}\napplication: {{tasks: tasks.dat}}\n{monitor}"
        assert change[0] in text, change
        return self.write("s.yaml", text.replace(*change) if change[0] else text)

    def sample(self, kind):
        """KIND.mwt, a trace of export_sample."""
        subprocess.run([self.sample_program, kind, f"{kind}.mwt"], cwd=self.folder, stdout=subprocess.DEVNULL, timeout=PATIENCE, check=True)

    def trace(self):
        """A whole trace without a fault, made without the simulator: one task through two nodes."""
        self.write("t.spf", "2 1 1 1 1\n")
        self.write("t.tvm", "10 0 send 1 0 0000\n20 1 recv 0 0 0000\n30 1 send 0 0 0000\n40 0 recv 1 0 0000\n")
        self.write("t.config", "magicwire-config 1\nsession program-ended\nnodes 2\nnode 0 finished 2 40\nnode 1 finished 2 30\n")


def specification(source, tasks=1, nodes=2, topology="CHAIN", cost="explicit", more=""):
    """Of a processor farm whose functions are all in one file."""
    return f"""begin
Virtual_Machine
  type = PFVM;
Configuration
  topology = {topology};
  total_tasks = {tasks};
  total_processors = {nodes};
Programs
  data_generator = {source};
  comp_function = {source};
  result_receive = {source};
  cost = {cost};
  {more}
end
"""


def equal(got, wanted, what):
    assert got == wanted, f"{what} is {got!r}, not {wanted!r}"


def succeeds(result, code=DONE):
    equal(result.returncode, code, f"exit code (standard error: {result.stderr!r})")
    equal(result.stderr, "", "standard error")
    assert result.stdout.endswith("\n"), "the last line has no end"
    return result.stdout


def refuses(box, arguments, message, code=BAD_INPUT):
    """Nothing on standard output, the message on standard error, nothing new or changed on the disk."""
    before = {name: (box.folder / name).lstat().st_mtime_ns for name in box.files()}
    result = box.run(*arguments)
    equal(result.returncode, code, f"exit code (standard error: {result.stderr!r})")
    equal(result.stdout, "", "standard output")
    equal(result.stderr, f"magicwire: {message}\n", "standard error")
    equal({name: (box.folder / name).lstat().st_mtime_ns for name in box.files()}, before, "what lies in the folder")


def is_json(text, schema):
    data = json.loads(text)
    equal(data["schema"], schema, "schema")
    return data


def wait_until(condition):
    for _ in range(500):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it does not come true")


def processes_of(folder):
    """Of this user, that work in the folder."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                    found.append(int(entry))
            except OSError:
                pass
    return found


def processes_with(word):
    """Whose command line has the word."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word in (folder / "cmdline").read_text(encoding="utf-8", errors="replace"):
                found.append(folder.name)
        except OSError:
            pass
    return found


def remove(folder, tries=50):
    """The folder and all in it. A daemon that a case has just ended may still write its last file there."""
    for left in reversed(range(tries)):
        try:
            return shutil.rmtree(folder)
        except OSError:
            if not left:
                raise
            time.sleep(0.1)


def passes(function, magicwire, source, sample):
    folder = Path(tempfile.mkdtemp(prefix=f"magicwire_cli.{function.__name__[:40]}."))
    try:
        function(Box(magicwire, source, folder, sample))
    except (AssertionError, KeyError, TypeError, ValueError, OSError, subprocess.TimeoutExpired):
        print(f"FAILED  {function.__name__}\n{traceback.format_exc()}        its folder: {folder}", flush=True)
        return False
    shutil.rmtree(folder)
    print(f"passed  {function.__name__}", flush=True)
    return True


def main(document):
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--magicwire", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--sample", type=lambda path: Path(path).resolve())
    parser.add_argument("--cases", choices=["all", "trace-tools"], default="all")
    parser.add_argument("--part", metavar="K/N", default="1/1", help="of N parts of the cases the K-th")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = [function for function in CASES if options.cases == "all" or function.__name__ not in SIMULATION_CASES]
    chosen = [function for function in chosen if not options.names or any(name in function.__name__ for name in options.names)]
    if "MAGICWIRE_LONG_TESTS" not in os.environ and not options.names:
        chosen = [function for function in chosen if function.__name__ not in LONG_CASES]
    part, parts = map(int, options.part.split("/"))
    chosen = chosen[part - 1::parts]
    failed = [function.__name__ for function in chosen if not passes(function, options.magicwire.resolve(), options.source.resolve(), options.sample)]
    print(f"{len(chosen) - len(failed)} of {len(chosen)} cases passed")
    return 1 if failed else 0
