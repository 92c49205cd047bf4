#!/usr/bin/env python3
"""Exit codes tell apart what a person can put right in the request (3), what the host lacks (71), and a defect of Magicwire (70)."""
import json
import os
import resource
import signal
import subprocess
import sys

from cli_cases import DEFECT, HOST, PATIENCE, case, equal, main, simulation, wait_until, without_sanitizers


def limited(what, most):
    return lambda: resource.setrlimit(what, (most, most))


@case
def a_full_disk_is_not_taken_for_success(box):
    if not os.path.exists("/dev/full"):
        return
    result = box.shell("magicwire costs > /dev/full")
    equal(result.returncode, HOST, "exit code")
    equal(result.stderr, "magicwire: standard output: cannot be written; is the disk full?\n", "standard error")


@simulation
def a_disk_that_is_full_in_mid_run_ends_it_and_says_what_to_do(box):
    scenario = box.scenario(monitor="monitor: {unload: [[1ms, 1, 2]]}\n")

    for out, more in (("o", ()), ("streamed", ("--stream",))):
        result = box.run("run", scenario, "--out", out, *more, preexec_fn=limited(resource.RLIMIT_FSIZE, 2000))
        equal(result.returncode, HOST, f"exit code (standard error: {result.stderr!r})")
        equal(result.stdout, "", "standard output")
        equal(result.stderr, f"magicwire: {out}.incomplete/data.mwt.incomplete: cannot write: File too large; make room or choose another folder\n",
              "standard error")
        equal((box.folder / f"{out}.incomplete/data.mwt.incomplete").stat().st_size, 2000, "bytes that are there for 'magicwire trace'")


@without_sanitizers
def a_host_without_memory_is_told_as_such(box):
    result = box.run("run", box.scenario(), preexec_fn=limited(resource.RLIMIT_AS, 100 << 20))
    equal(result.returncode, HOST, f"exit code ({result.stderr!r})")
    assert "memory" in result.stderr and "Please report" not in result.stderr, result.stderr


@without_sanitizers
def a_host_without_channels_is_told_as_such_also_in_json(box):
    for form in ((), ("--json",)):
        result = box.run("overhead", box.scenario(), *form, preexec_fn=limited(resource.RLIMIT_NOFILE, 5))
        equal(result.returncode, HOST, f"exit code ({result.stderr!r})")
        text = json.loads(result.stderr)["message"] if form else result.stderr
        assert "the host has no channel left to another process: Too many open files; raise the limit" in text, text
        if form:
            equal(json.loads(result.stderr)["exit_code"], HOST, "exit code of the JSON")


@simulation
def a_process_of_a_run_that_the_host_kills_is_the_hosts_want(box):
    for child in (0, 1):
        equal(ended_by(box, signal.SIGKILL, child), HOST, f"exit code after SIGKILL of child {child}")


@without_sanitizers
def a_process_of_a_run_that_crashes_is_a_defect(box):
    equal(ended_by(box, signal.SIGSEGV, 0), DEFECT, "exit code after SIGSEGV of a child")


@simulation
def a_contract_that_does_not_hold_ends_with_the_code_of_a_defect(box):
    endless = box.scenario(("tasks: 20", "tasks: 500000"))
    with subprocess.Popen([box.magicwire, "run", endless], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        wait_until(lambda: blocks(run.pid, signal.SIGABRT))
        run.send_signal(signal.SIGABRT)
        equal(run.wait(timeout=PATIENCE), DEFECT, "exit code after abort()")


def blocks(process, number):
    """True once the process catches that signal."""
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        caught = next(line for line in status if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1 == 1


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as children:
        return [int(child) for child in children.read().split()]


def ended_by(box, number, child):
    """Exit code of an analysis of two processes, one of which gets the signal."""
    endless = box.scenario(("tasks: 20", "tasks: 500000"))
    with subprocess.Popen([box.magicwire, "overhead", endless], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        wait_until(lambda: len(children_of(run.pid)) == 2)
        os.kill(children_of(run.pid)[child], number)
        errors = run.communicate(timeout=PATIENCE)[1].decode()
        assert "failed: signal" in errors, errors
        return run.returncode


if __name__ == "__main__":
    sys.exit(main(__doc__))
