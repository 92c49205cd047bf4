#!/usr/bin/env python3
"""Builds small MPI programs with mistakes, runs them with mpirun, and compares its findings with those that each program names.

    run_wrong_programs.py --magicwire FILE [--shard I/N] [PROGRAM.c ...]

The first line of a program says `/* np: 2, finds: buffer-in-use */`: the kinds of all findings, or `none`, and maybe `options:
--no-buffering` of mpirun or `built: -fsanitize=thread` of mpicc. Lines that a finding may name end with the comment `wrong`; without such lines any line will do. A program with
`none` must end with 0 and say nothing on standard error. The programs are built as one (joined_programs.py), or each by itself with
--apart.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import joined_programs

HERE = Path(__file__).resolve().parent / "wrong"


def wishes_of(source):
    lines = source.read_text(encoding="utf-8").splitlines()
    found = dict(re.findall(r"(\w+): ([^,*]+?)\s*(?=,|\*/)", lines[0]))
    kinds = set(found["finds"].split())
    return {"np": found["np"], "built": found.get("built", "").split(), "kinds": kinds - {"none"}, "options": found.get("options", "").split(),
            "lines": {number for number, line in enumerate(lines, 1) if line.endswith("/* wrong */")}}


def run(magicwire, words, wishes, folder):
    """The findings, the exit code and the standard error."""
    done = subprocess.run([magicwire, "mpirun", "-np", wishes["np"], "--json", *wishes["options"], *words], capture_output=True, text=True,
                          timeout=120, cwd=folder)
    return json.loads(done.stdout)["findings"] if done.stdout else None, done.returncode, done.stderr


def problems_of(source, wishes, findings, status, errors):
    if findings is None:
        return [f"exit code {status}, no JSON"]
    problems = []
    kinds = {finding["kind"] for finding in findings}
    if kinds != wishes["kinds"]:
        problems.append(f"found {sorted(kinds)}, expected {sorted(wishes['kinds'])}")
    for finding in findings:
        if wishes["lines"] and (finding["file"] != source.name or finding["line"] not in wishes["lines"]):
            problems.append(f"{finding['kind']} at {finding['file']}:{finding['line']}, expected lines {sorted(wishes['lines'])}")
    if (status != 0) != any(finding["fatal"] for finding in findings):
        problems.append(f"exit code {status}")
    if not wishes["kinds"] and errors:
        problems.append("says something on standard error")
    return problems


def check(magicwire, source, words):
    if words is None:
        return [f"{source.name}: not built"]
    wishes = wishes_of(source)
    with tempfile.TemporaryDirectory() as name:
        findings, status, errors = run(magicwire, words, wishes, Path(name))
    return [f"{source.name}: {problem}: {errors.strip()[:600]}" for problem in problems_of(source, wishes, findings, status, errors)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--magicwire", default="magicwire")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("programs", nargs="*", type=Path)
    options = parser.parse_args()
    index, count = map(int, options.shard.split("/"))
    sources = [source.resolve() for source in options.programs or sorted(HERE.glob("*.c"))][index::count]
    magicwire = os.path.abspath(options.magicwire)
    with tempfile.TemporaryDirectory() as name:
        built = {source: wishes_of(source)["built"] for source in sources}
        plain = [source for source in sources if not built[source]]
        programs = joined_programs.build(magicwire, plain, ["-O2"], Path(name), options.apart)
        for source in sources:
            if built[source]:
                programs |= joined_programs.build(magicwire, [source], ["-O2", *built[source]], Path(name))
        problems = [problem for source in sources for problem in check(magicwire, source, programs[source])]
    print("\n".join(problems) if problems else f"{len(sources)} programs: all mistakes are found, and no others")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
