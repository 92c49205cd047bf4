#!/usr/bin/env python3
"""Records random programs and repeats them under other delays, with the library over sockets of the host (../socket_port.c).

    native_runs.py PROGRAM [FIRST_SEED [COUNT [OPERATIONS]]]

Every repetition must end with the same matches and results. The record is read as mpirun reads it: definite events alone, as the run
has ended.
"""
import os
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS, MAYBE, CLOCK = 8, -2, 1
STAMPS, CHANGES, SCRIPT = 0x10000, 0x20000, 0x100000


def launch(program, arguments, folder, size, wishes, jitter):
    ranks = []
    for rank in range(size):
        environment = dict(os.environ, LAM_FOLDER=str(folder), LAM_RANK=str(rank), LAM_SIZE=str(size), LAM_WISHES=str(wishes),
                           JITTER=str(jitter))
        ranks.append(subprocess.Popen([program, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True, process_group=ranks[0].pid if rank else 0))
    try:
        outputs = [one.communicate(timeout=20) for one in ranks]
    except subprocess.TimeoutExpired:
        for one in ranks:
            one.send_signal(signal.SIGKILL)
        return None, "does not end"
    errors = "".join(error for _, error in outputs)
    if any(one.returncode for one in ranks):
        return None, f"{[one.returncode for one in ranks]} {errors[:3000]}"
    return [text for text, _ in outputs], errors


def events_of(path):
    """Definite events of a rank, and its counters."""
    data, events, counters, at = path.read_bytes(), set(), [0] * KINDS, 0
    while at < len(data):
        what, length = struct.unpack_from("ii", data, at)
        if what == CLOCK:
            at += 8 + length
            continue
        counters = list(struct.unpack_from(f"{KINDS}i", data, at + 8))
        for place in range(at + 12 + 4 * KINDS, at + 8 + length, 20):
            kind, first, last, source, other = struct.unpack_from("5i", data, place)
            if other != MAYBE:
                events.update((kind, number, source) for number in range(first, last + 1))
        at += 8 + length
    return sorted(events), counters


def check(program, seed, operations):
    size = 3 + seed % 3
    arguments = [str(seed), str(operations)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted, why = launch(program, arguments, folder, size, STAMPS | (CHANGES if seed % 2 else 0), seed + 1)
        if wanted is None:
            return f"seed {seed}: recorded: {why}", 0, 0
        scripts, receives, critical = [], 0, 0
        for rank in range(size):
            events, counters = events_of(folder / f"record.{rank}")
            receives += counters[0]
            critical += sum(kind == 0 for kind, _, _ in events)
            script = struct.pack(f"{KINDS + 1}i", *([2 ** 31 - 1] * KINDS), counters[0])
            scripts.append(script + b"".join(struct.pack("5i", kind, number, number, source, -1) for kind, number, source in events))
        for turn in range(2):
            place = folder / f"again{turn}"
            place.mkdir()
            for rank, script in enumerate(scripts):
                (place / f"script.{rank}").write_bytes(script)
            came, why = launch(program, arguments, place, size, SCRIPT, 1000 * turn + seed + 7)
            if came != wanted:
                return f"seed {seed}: repeated: {why if came is None else came} instead of {wanted}", receives, critical
    return None, receives, critical


def main():
    program = os.path.abspath(sys.argv[1])
    first, count, operations = ([int(word) for word in sys.argv[2:5]] + [1, 20, 60][len(sys.argv[2:5]):])
    problems, receives, critical = [], 0, 0
    for seed in range(first, first + count):
        problem, its_receives, its_critical = check(program, seed, operations)
        receives, critical = receives + its_receives, critical + its_critical
        if problem:
            problems.append(problem)
            print(problem, flush=True)
    print(f"{count - len(problems)} of {count} programs repeat alike; {critical} of {receives} receives and probes are recorded")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
