#!/usr/bin/env python3
"""Builds MPI programs with mpicc, runs them with mpirun, and compares what each rank prints with a stored answer of MPICH.

    run_programs.py --magicwire FILE [--shard I/N] [--mpich] [PROGRAM.c ...]

The first line of a program may say `/* np: 4 */` (default 4), `exit: 3`, `machine: ring:4`, `args: 5 x`, `finds: leak` (the program has mistakes; others
may raise no finding). Lines of one rank keep
their order; those of different ranks are compared as sets of lines, so a program begins its lines with its rank. --mpich writes the
answers anew, with mpicc.mpich and mpirun.mpich. The programs are built as one (joined_programs.py), or each by itself with --apart.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import joined_programs

HERE = Path(__file__).resolve().parent / "programs"


def wishes_of(source):
    first = source.read_text(encoding="utf-8").splitlines()[0]
    found = dict(re.findall(r"(\w+): ([^,*]+?)\s*(?=,|\*/)", first))
    return {"np": found.get("np", "4"), "exit": int(found.get("exit", "0")), "machine": found.get("machine"),
            "args": found.get("args", "").split(), "finds": found.get("finds", "").split()}


def by_rank(text):
    """Lines in the order of each rank: a stable sort by what stands before the first colon or space."""
    return sorted(text.splitlines(), key=lambda line: re.split(r"[:\s]", line)[0].zfill(8))


def run_mpich(source, wishes, folder):
    program = folder / "mpich"
    subprocess.run(["mpicc.mpich", "-w", "-o", program, source, "-lm"], check=True)
    done = subprocess.run(["mpirun.mpich", "-np", wishes["np"], program, *wishes["args"]], capture_output=True, text=True, timeout=60,
                          cwd=folder)
    return done.returncode, done.stdout


def run_here(magicwire, words, wishes, folder):
    machine = ["--machine", wishes["machine"]] if wishes["machine"] else []
    done = subprocess.run([magicwire, "mpirun", "-np", wishes["np"], *machine, *words, *wishes["args"]], capture_output=True,
                          text=True, timeout=120, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def check(magicwire, source, words):
    if words is None:
        return [f"{source.name}: not built"]
    wishes = wishes_of(source)
    answer = source.with_suffix(".out")
    with tempfile.TemporaryDirectory() as name:
        status, text, errors = run_here(magicwire, words, wishes, Path(name))
    problems = []
    if status != wishes["exit"]:
        problems.append(f"exit code {status}, expected {wishes['exit']}")
    told = re.findall(r"^rank \d+: .*$", errors, re.MULTILINE)
    if told and not wishes["finds"]:
        problems.append(f"{len(told)} findings, the first: {told[0]}")
    got, wanted = by_rank(text), by_rank(answer.read_text(encoding="utf-8"))
    if got != wanted:
        wrong = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
        problems.append(f"line {wrong + 1}: '{''.join(got[wrong:wrong + 1])}', MPICH '{''.join(wanted[wrong:wrong + 1])}'")
    return [f"{source.name}: {problem}{': ' + errors.strip()[:600] if errors else ''}" for problem in problems]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--magicwire", default="magicwire")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--mpich", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("programs", nargs="*", type=Path)
    options = parser.parse_args()
    sources = [source.resolve() for source in options.programs or sorted(HERE.glob("*.c"))]
    index, count = map(int, options.shard.split("/"))
    sources = sources[index::count]
    if options.mpich:
        for source in sources:
            with tempfile.TemporaryDirectory() as name:
                try:
                    status, text = run_mpich(source, wishes_of(source), Path(name))
                except subprocess.TimeoutExpired:
                    print(f"{source.name}: does not end under MPICH")
                    continue
            source.with_suffix(".out").write_text("\n".join(by_rank(text)) + "\n", encoding="utf-8")
            print(f"{source.name}: {status}, {len(text.splitlines())} lines")
        return 0
    magicwire = os.path.abspath(options.magicwire)
    with tempfile.TemporaryDirectory() as name:
        programs = joined_programs.build(magicwire, sources, [], Path(name), options.apart)
        problems = [problem for source in sources for problem in check(magicwire, source, programs[source])]
    print("\n".join(problems) if problems else f"{len(sources)} programs end as under MPICH")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
