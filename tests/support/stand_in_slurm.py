#!/usr/bin/env python3
"""A stand-in for sbatch and squeue in tests, not Slurm: it runs the jobs of an array at once, two at a time, on this computer.

  stand_in_slurm.py sbatch|squeue ARGUMENTS

State lies in the folder $STAND_IN_SLURM. Its file rules.json says what goes wrong: `refuse` (a message of sbatch), `seconds` and `state` (a
job that takes longer is killed with -9 and ends in that state), `hold` (jobs stay pending), `forget` (squeue knows no job that has ended),
`gone` (by array: jobs whose node vanishes before they begin).
The real one: scripts/slurm_check."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(os.environ["STAND_IN_SLURM"])


def rules():
    file = FOLDER / "rules.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def option(arguments, name, otherwise=None):
    return next((word.split("=", 1)[1] for word in arguments if word.startswith(f"--{name}=")), otherwise)


def set_state(job, index, state):
    beside = FOLDER / f".{job}-{index}"
    beside.write_text(state, encoding="utf-8")
    beside.rename(FOLDER / f"{job}-{index}.state")


def sbatch(arguments):
    with open(FOLDER / "sbatch.calls", "a", encoding="utf-8") as calls:
        calls.write(" ".join(arguments) + "\n")
    if "refuse" in rules():
        print(f"sbatch: error: {rules()['refuse']}", file=sys.stderr)
        return 1
    numbers = [int(path.name.split("-")[0]) for path in FOLDER.glob("*.state")]
    job = max(numbers, default=100) + 1
    count = int(re.fullmatch(r"0-(\d+)", option(arguments, "array"))[1]) + 1
    for index in range(count):
        set_state(job, index, "PENDING")
    (FOLDER / f"{job}.name").write_text(option(arguments, "job-name", ""), encoding="utf-8")
    script = [word for word in arguments if not word.startswith("-")]
    subprocess.Popen([sys.executable, __file__, "work", str(job), str(count), option(arguments, "output"), *script], stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    print(job)
    return 0


def work(job, count, output, script):
    while rules().get("hold"):
        time.sleep(0.05)
    gone = rules().get("gone", {}).get(job, [])
    for index in gone:
        set_state(job, index, "NODE_FAIL")
    running, waiting = {}, [index for index in range(count) if index not in gone]
    while running or waiting:
        while waiting and len(running) < 2:
            index = waiting.pop(0)
            log = open(output.replace("%A", job).replace("%a", str(index)), "wb")  # pylint: disable=consider-using-with
            environment = {**os.environ, "SLURM_ARRAY_JOB_ID": job, "SLURM_ARRAY_TASK_ID": str(index)}
            set_state(job, index, "RUNNING")
            running[index] = (subprocess.Popen(["/bin/sh", *script], env=environment, stdout=log, stderr=log, start_new_session=True), time.monotonic())
        for index, (process, began) in list(running.items()):
            too_long = time.monotonic() - began > rules().get("seconds", 1e9)
            if too_long:
                os.killpg(process.pid, signal.SIGKILL)
            if process.poll() is None and not too_long:
                continue
            process.wait()
            set_state(job, index, rules().get("state", "FAILED") if too_long else "FAILED" if process.returncode else "COMPLETED")
            del running[index]
        time.sleep(0.01)


def squeue(arguments):
    states = {tuple(path.stem.split("-")): path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.state"))}
    if rules().get("forget"):
        states = {key: state for key, state in states.items() if state in ("PENDING", "RUNNING")}
    name = option(arguments, "name")
    if name is not None:
        for path in FOLDER.glob("*.name"):
            if path.read_text(encoding="utf-8") == name:
                print(path.stem)
        return 0
    wanted = option(arguments, "jobs").split(",")
    shown = [(job, index, state) for (job, index), state in states.items() if job in wanted]
    if not shown:
        print("slurm_load_jobs error: Invalid job id specified", file=sys.stderr)
        return 1
    for job, index, state in shown:
        print(f"{job}|{index}|{state}|{'Resources' if state == 'PENDING' else 'None'}")
    return 0


if __name__ == "__main__":
    what, rest = sys.argv[1], sys.argv[2:]
    sys.exit(sbatch(rest) if what == "sbatch" else squeue(rest) if what == "squeue" else work(rest[0], int(rest[1]), rest[2], rest[3:]))
