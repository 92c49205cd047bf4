"""The frame of the campaigns: common options, parallel cases reported in order, and the end.

A campaign provides its cases, a function for one case, and its table. The output is the same for any number of jobs. On a
terminal, progress goes to stderr."""
import argparse
import concurrent.futures
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parser(doc, smoke, count=None, first=None, jobs=os.cpu_count()):
    """A parser with the options that campaigns share. `smoke`: help of --smoke; `count`, `first`: their defaults, None: no such option."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--binary", type=lambda text: str(pathlib.Path(text).resolve()), default=str(ROOT / "build" / "release" / "magicwire"))
    if jobs is not None:
        made.add_argument("--jobs", type=positive, default=jobs, help="runs at a time; the output is the same for any number")
    if count is not None:
        made.add_argument("--count", type=positive, default=count, help="how many cases")
    if first is not None:
        made.add_argument("--first", type=int, default=first, help="number of the first case")
    if smoke is not None:
        made.add_argument("--smoke", action="store_true", help=smoke)
    return made


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def each(work, cases, jobs=1):
    """Yields (case, work(case)) in the order of the cases, `jobs` of them at work at a time."""
    cases = list(cases)
    began, told = time.monotonic(), 0.0
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        for done, (case, result) in enumerate(zip(cases, pool.map(work, cases)), 1):
            yield case, result
            now = time.monotonic() - began
            if sys.stderr.isatty() and (now - told > 1 or done == len(cases)):
                told = now
                left = now / done * (len(cases) - done)
                print(f"\r{done} of {len(cases)}, {left:.0f} s to go   ", end="\n" if done == len(cases) else "", file=sys.stderr, flush=True)
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C waits for the cases at work, not for those that have not begun


def end(sentence, problems):
    """Prints the last line and the problems. Returns the exit code: 1 when there is one."""
    print(sentence)
    for line in problems:
        print(line)
    return 1 if problems else 0
