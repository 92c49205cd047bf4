#!/usr/bin/env python3
"""Bad programs: what each does is told at its line, no file is touched, Magicwire neither ends nor hangs. What is legal is not told.

    bad_programs_test.py --magicwire FILE --source DIR [--without dispatch,seccomp] [--sanitized] [--list] [DEED ...]

The programs lie in bad_programs/; each run does one deed of them, in a folder of its own with a file that must stay as it is. --without:
as on a kernel that has these fences not; then the deeds are left out that nothing else keeps away.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cli_cases import specification

SHARE = 4  # one deed in so many, unless scripts/test --long runs all
LONGEST = 60  # seconds; a run alone takes less than 8
NOT_THERE = ", which a node does not have"
# What is told, where it is not that a node has no such call; and the text of the line, where the deed calls something of the program's.
TOLD = {
    "exit": "calls exit(3)", "_exit": "calls _exit(3)", "_Exit": "calls _Exit(0)", "quick_exit": "calls quick_exit(0)", "abort": "calls abort()",
    "assert": "finds its assertion 'zero == 1' false", "err": "calls err()", "pthread_exit": "calls pthread_exit()",
    "exit_by_syscall": "calls syscall()", "exit_group_by_hand": "ends itself by the system call exit_group", "smashed": r"reads|writes|not a valid address|not allocated|array|calls",
    "mutex": "waits for a lock", "semaphore": "waits for a lock", "endless": "runs endlessly in one place",
    "endless_work": "runs endlessly without charging", "endless_malloc": "runs endlessly without charging",
    "endless_fopen": "has made 1000 calls", "endless_by_hand": "has made 1000 calls", "pause_for_ever": "has made 1000 calls",
    "recursion": "has used up its stack", "recursion_with_calls": "has used up its stack", "alloca": "has used up its stack",
    "long_jump": "", "null_call": "calls address 0x0", "null_write": "writes address 0x0", "host_write": "writes address",
    "breakpoint": "breakpoint", "halt": "", "no_instruction": "unreachable", "port": "", "single_steps": "breakpoint", "divide": "by zero",
    "throws": "throws std::out_of_range: row 7 of 5, and it is never", "throws_number": "throws int 42, and it is never",
    "throws_words": 'throws char const* "no such row", and it is never', "throws_own": "throws OfTheProgram, and it is never",
    "throws_promised": "throws std::runtime_error: promised otherwise, and it is never", "throws_at_its_end": "and it is never caught",
    "rethrows": "throws std::out_of_range: row 7 of 5", "terminates": "calls std::terminate()", "exits": "calls exit(0)",
    "pure_virtual": "calls a pure virtual function", "vector_at": "throws std::out_of_range: vector::_M_range_check", "much_memory": "asks new for",
    "future": "waits for a lock", "future_waits": "waits for a lock",
    "condition": "waits for a lock",
    "endless_events": "runs endlessly without charging", "endless_clock": "runs endlessly without charging",
    "kill_of_32_bits": "makes the 32-bit system call 37 by int $0x80, which a node does not have",
    "alignment": "(bus error)", "thread_base": "", "no_stack": "has used up its stack",
    "overwrites": "another process has overwritten its stack", "overwrites_all": "another process has overwritten its stack",
    "overwrites_above": "not a valid address", "jumps": "calls do_task(), which is for data_generator()",
}
LINE = {"smashed": "void smash", "recursion": "int deeper(", "recursion_with_calls": "int deeper_and_louder(", "throws": 'std::out_of_range("row',
        "throws_promised": '"promised otherwise"', "pure_virtual": "indirectly() { does", "long_jump": None,
        "overwrites": "do_task(here", "overwrites_all": "do_task(here", "jumps": "do_task(here", "overwrites_above": "the end of data_generator", "much_memory": "std::vector<char>(bytes)[0]"}
BY_HAND = re.compile("by_hand|32_bits")

# Each: BEGINNING, ENDING, what is told; "": the run is good and nothing is told; further definitions.
CONSTRUCTORS = {
    "constructor_unlinks": ("unlink(CANARY)", "", "at constructor.cpp:{line}: it calls unlink()"),
    "constructor_unlinks_by_hand": ("by_hand(SYS_unlink, (long)CANARY, 0)", "", "it makes the system call unlink"),
    "constructor_kills": ("kill(-1, SIGKILL)", "", "constructor.cpp:{line}: it calls kill()"),
    "constructor_throws": ('throw std::runtime_error("not now")', "", "constructor.cpp:{line}: it throws std::runtime_error: not now"),
    "constructor_never_ends": ("while (always) continue", "", "does not end at constructor.cpp:{line}"),
    "destructor_unlinks": ("", "unlink(CANARY); by_hand(SYS_unlink, (long)CANARY, 0)", ""),
    "chosen_function_unlinks": ("", "", "its function chosen() is chosen when it is loaded", "CHOOSES by_hand(SYS_unlink, (long)CANARY, 0)"),
    "unloading_unlinks": ("", "", "", "UNLOADS"),
}
# Without user dispatch only seccomp keeps away the program's own instructions; without both nothing does, and what waits in the C library waits.
IN_LIBRARY = {"mutex", "semaphore", "future_waits", "condition"}
# Under AddressSanitizer its runtime follows a stack that a program has destroyed, and reports that in the program's place. A loop of events is
# too slow there for a test.
NOT_SANITIZED = {"smashed", "jumps", "endless_events"}


class Failure(Exception):
    pass


def lines_of(source):
    """Deed: numbers of its lines, up to the next deed."""
    found, deed = {}, None
    for number, text in enumerate(source.read_text().splitlines(), 1):
        match = re.search(r"^\s+DEED\((\w+)\)", text)
        deed = match[1] if match else None if text.startswith("    else") else deed
        if deed:
            found.setdefault(deed, []).append(number)
    return found


def line_with(source, words):
    return next(number for number, text in enumerate(source.read_text().splitlines(), 1) if words in text)


class Bench:
    def __init__(self, options):
        self.magicwire, self.programs = options.magicwire.resolve(), options.source.resolve() / "tests/cli/bad_programs"
        self.folder = Path(tempfile.mkdtemp(prefix="magicwire_bad."))
        self.environment = dict(os.environ)
        if options.without:
            self.environment["MAGICWIRE_WITHOUT_FENCES"] = options.without
        self.quiet = options.without != "dispatch,seccomp"

    def run(self, *arguments, folder):
        try:
            return subprocess.run([self.magicwire, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=LONGEST, env=self.environment, start_new_session=True, check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"it takes more than {LONGEST} s") from None

    def build(self, name):
        """The program in a folder of its own; its specification file."""
        source = self.programs / name
        folder = self.folder / source.stem
        folder.mkdir()
        shutil.copy(source, folder)
        path = folder / (source.stem + ".farm")
        text = specification(name)
        # So many that data_generator() waits when result_receiver() acts.
        path.write_text(text.replace("total_tasks = 1;", "total_tasks = 12;") if name == "stacks.c" else text)
        result = self.run("farm", "build", path, folder=folder)
        if result.returncode != 0:
            raise Failure(f"{name} cannot be built:\n{result.stderr}")
        return path

    def build_constructor(self, name, beginning, ending, canary, more):
        """Its macros stand in a header, since a specification file's options hold no quotation marks."""
        folder = self.folder / ("of_" + name)
        folder.mkdir()
        text = (self.programs / "constructor.cpp").read_text()
        (folder / "deeds.h").write_text(f'#define CANARY "{canary}"\n#define BEGINNING {beginning}\n#define ENDING {ending}\n' + (f"#define {more}\n" if more else ""))
        (folder / "constructor.cpp").write_text(text)
        path = folder / "constructor.farm"
        path.write_text(specification("constructor.cpp", more='options = "-include", "deeds.h";\n  paths = ".";\n  task_type = "unsigned";'))
        result = self.run("farm", "build", path, folder=folder)
        if result.returncode != 0:
            raise Failure(f"{name} cannot be built:\n{result.stderr}")
        return path

    def deed_in(self, specification, deed, folder):
        """Does it; the folder has a file that must stay as it is."""
        (folder / "deed").write_text(f"{deed} {folder / 'canary'}\n")
        result = self.run("farm", "run", specification, "--json", "--input", folder / "deed", "--files", folder / "files", folder=folder)
        self.check_canary(folder)
        return result

    @staticmethod
    def with_canary(folder):
        folder.mkdir()
        (folder / "canary").write_text("untouched")
        return folder

    @staticmethod
    def check_canary(folder):
        there = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        if there != ["canary", "deed"]:
            raise Failure(f"the folder holds {there}")
        if (folder / "canary").read_text() != "untouched" or (folder / "canary").stat().st_mode & 0o600 != 0o600:
            raise Failure("its file was touched")


def check_future(bench, specification, deed):
    """A run that is forked before the deed: the fences stand in each future. (What it tells of futures holds no diagnoses.)"""
    folder = bench.with_canary(bench.folder / f"future_{deed}")
    (folder / "deed").write_text(f"{deed} {folder / 'canary'}\n")
    own = specification.with_name(f"{specification.stem}_{deed}.farm")
    own.write_text(specification.read_text().replace("Configuration", f'Interface\n  input_stream = "{folder}/deed";\nConfiguration'))
    result = bench.run("run", own, "--fork-at", "100ms", "--what-if", "seed=2", "--what-if", "fault=die n1", "--json", folder=folder)
    bench.check_canary(folder)
    if result.returncode < 0:
        raise Failure(f"exit code {result.returncode}: {result.stderr}")


def check_told(source, deed, lines, result, quiet):
    if result.returncode != 1:
        raise Failure(f"exit code {result.returncode}: {result.stdout[:500]} {result.stderr[:500]}")
    if quiet and result.stderr:
        raise Failure(f"standard error: {result.stderr}")
    diagnoses = json.loads(result.stdout)["program"]["diagnoses"]
    told = [f"{d['where']}: {d['what']}; {d['advice']}" for d in diagnoses]
    words = LINE.get(deed) or (BY_HAND.search(deed) and ("int $0x80" if "32" in deed else '"syscall"'))
    its = [line_with(source, words)] if words else lines[deed]
    wanted = TOLD.get(deed, re.escape(NOT_THERE)) if deed == "smashed" else re.escape(TOLD.get(deed, NOT_THERE))
    for text in told:
        if re.search(wanted, text) and (deed in LINE and LINE[deed] is None or any(text.startswith(f"{source.name}:{line}:") for line in its)):
            return
    raise Failure(f"told at line {its}, '{wanted}', is not among:\n        " + "\n        ".join(told))


def check_legal(result):
    if result.returncode != 0 or result.stderr:
        raise Failure(f"exit code {result.returncode}: {result.stdout[:500]} {result.stderr[:500]}")
    summary = json.loads(result.stdout)
    if summary["program"]["diagnoses"] or not summary["console"].startswith("done\n"):
        raise Failure(f"it prints '{summary['console']}' and is told {summary['program']['diagnoses']}")


def check_constructor(bench, name):
    beginning, ending, told, *more = CONSTRUCTORS[name]
    folder = bench.with_canary(bench.folder / name)
    specification = bench.build_constructor(name, beginning, ending, folder / "canary", "".join(more))
    result = bench.deed_in(specification, "none", folder)
    line = line_with(bench.programs / "constructor.cpp", "BEGINNING;")
    if told and (result.returncode == 0 or told.format(line=line) not in result.stderr):
        raise Failure(f"exit code {result.returncode}: {result.stderr}")
    if not told and (result.returncode != 0 or bench.quiet and result.stderr):
        raise Failure(f"exit code {result.returncode}: {result.stdout} {result.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--magicwire", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--without", default="")
    parser.add_argument("--sanitized", action="store_true", help="the tool was built with AddressSanitizer")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    bench = Bench(options)
    work = {}
    for name in ("bad.c", "worse.cpp", "stacks.c", "legal.c"):
        for deed in lines_of(bench.programs / name):
            work[f"{name} {deed}"] = (name, deed)
    for deed in ("unlink_by_hand", "kill_by_hand", "open"):
        work[f"future {deed}"] = ("bad.c", deed)
    for name in CONSTRUCTORS:
        work[name] = ("constructor.cpp", name)
    if options.sanitized:
        work = {key: it for key, it in work.items() if it[1] not in NOT_SANITIZED}
    if "dispatch" in options.without:
        work = {key: it for key, it in work.items() if it[1] not in IN_LIBRARY}
        if "seccomp" in options.without:
            work = {key: it for key, it in work.items() if not BY_HAND.search(it[1])}
    if options.names:
        work = {key: it for key, it in work.items() if any(name in key for name in options.names)}
    elif "MAGICWIRE_LONG_TESTS" not in os.environ and not options.list:
        work = dict(list(work.items())[::SHARE])
    if options.list:
        print("\n".join(work))
        return 0

    specifications = {name: bench.build(name) for name in {it[0] for it in work.values()} - {"constructor.cpp"}}

    def do(key):
        name, deed = work[key]
        begun = time.monotonic()
        try:
            if name == "constructor.cpp":
                check_constructor(bench, deed)
            elif key.startswith("future"):
                check_future(bench, specifications[name], deed)
            else:
                source = bench.programs / name
                result = bench.deed_in(specifications[name], deed, bench.with_canary(bench.folder / (Path(name).stem + "_" + deed)))
                if name == "legal.c":
                    check_legal(result)
                else:
                    check_told(source, deed, lines_of(source), result, bench.quiet)
        except (Failure, ValueError, KeyError) as failure:
            return key, time.monotonic() - begun, str(failure) or repr(failure)
        return key, time.monotonic() - begun, ""

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as pool:
        for key, seconds, problem in pool.map(do, work):
            failed += bool(problem)
            print(f"{'FAILED' if problem else 'passed'}  {key} ({seconds:.1f} s)" + (f"\n        {problem}" if problem else ""), flush=True)
    shutil.rmtree(bench.folder, ignore_errors=True)
    print(f"{len(work) - failed} of {len(work)} bad programs harm nobody and are told")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
