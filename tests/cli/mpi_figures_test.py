#!/usr/bin/env python3
"""The programs of examples/mpi that the figures of the paper on races are measured with, on small problems, and scripts/mpi_figures --quick.

    mpi_figures_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import csv
import re
import shutil
import subprocess
import sys

from cli_cases import DONE, case, equal, main



def example(box, name):
    done = box.run("mpicc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", name, box.source / f"examples/mpi/{name}.c", "-lm")
    equal((done.returncode, done.stderr), (DONE, ""), "mpicc")
    return f"./{name}"


def printed(box, np, *words):
    done = box.run("mpirun", "-np", np, *words)
    equal(done.returncode, DONE, f"exit code of {words}: {done.stderr}")
    return done.stdout


def without_times(text):
    return re.sub(r"in [0-9.]+ s.*", "", text)


@case
def the_tour_is_that_of_a_search_alone(box):
    tsp = example(box, "tsp")
    alone = re.search(r": (\d+) long", printed(box, 1, tsp, 8, 3))[1]
    recorded = printed(box, 4, "--record", "r.mwo", tsp, 8, 3, "check")
    assert f"8 cities, 4 ranks: {alone} long" in recorded and f"searched alone: {alone} long" in recorded, recorded
    other = printed(box, 4, "--machine", "chain:4", "--set", "mpi.call=2000", "--replay", "r.mwo", tsp, 8, 3, "check")
    equal(without_times(other), without_times(recorded), "the replay: as many probes, and as many beginnings tried")


@case
def a_band_matrix_is_solved_as_by_one_rank(box):
    bicgstab = example(box, "bicgstab")
    words = [256, 41, 6]
    recorded = printed(box, 4, "--record", "r.mwo", bicgstab, *words, "check")
    assert "solved alone: the same solution\n" in recorded, recorded
    equal(without_times(printed(box, 4, "--replay", "r.mwo", bicgstab, *words, "check")), without_times(recorded), "the replay")
    lines = printed(box, 3, bicgstab, 64, 5, 12, "print").splitlines()
    values = [float(line.split()[2]) for line in lines if line.startswith("x ")]
    equal((len(values), all(abs(value - 1) < 1e-6 for value in values)), (64, True), "the solution, all ones")
    races = box.run("mpirun", "-np", 3, "--races", bicgstab, 64, 5, 2).stderr
    assert "rank 1, receive 1: rank" in races and "rank 0, receive" not in races, races  # neighbours on both sides race
    done = box.run("mpirun", "-np", 4, bicgstab, 64, 41)
    equal((done.returncode, "each rank needs 20 rows" in done.stderr), (2, True), "a matrix that is too small for its ranks")


@case
def calls_are_timed_finer_than_the_clock(box):
    """The mean follows a cost that is less than a tick."""
    primitives = example(box, "primitives")
    means = {}
    for cost in (200, 600):
        text = printed(box, 4, "--set", f"mpi.call={cost}", primitives, "iprobe", 400)
        equal(text.splitlines()[0].split()[:2], ["messages", "4800"], "all messages")
        means[cost] = float(re.search(r"^receive ([0-9.]+) us", text, re.MULTILINE)[1])
    assert 16 < means[600] - means[200] < 24, means  # 400 cycles are 20 us, a tick is 64


@case
def the_figures_have_their_rows(box):
    done = subprocess.run([sys.executable, box.source / "scripts/mpi_figures", "--quick", "--binary", box.magicwire, "--out", box.folder / "out"],
                          cwd=box.folder, capture_output=True, text=True, timeout=240, check=False)
    equal((done.returncode, done.stderr), (DONE, ""), "the script")
    tables = {path.stem: list(csv.DictReader(path.open(encoding="utf-8", newline=""))) for path in (box.folder / "out").glob("*.csv")}
    equal([(row["benchmark"], row["mode"]) for row in tables["figure_5"]],
          [(kind, mode) for kind in ("recv", "iprobe") for mode in ("plain", "traced", "replayed")], "figure 5")
    for name in ("figure_6_tsp", "figure_6_bicgstab"):
        equal([row["ranks"] for row in tables[name]], ["1", "2", "4"], name)
        assert all(float(row[mode]) > 0 for row in tables[name] for mode in ("plain", "detection", "changed", "replay")), tables[name]
        equal((box.folder / f"out/{name}.svg").exists(), shutil.which("gnuplot") is not None, "its picture")
    equal([row["program"] for row in tables["ordinary"]], ["odd_even_sort", "queens_farm"], "ordinary programs")
    assert int(tables["ordinary"][1]["traced"]) > 0 and int(tables["ordinary"][0]["traced"]) == 0, tables["ordinary"]


if __name__ == "__main__":
    sys.exit(main(__doc__))
