#!/usr/bin/env python3
"""How runs end that do not end by themselves, or not alone: by SIGTERM as by Ctrl-C, two into one folder, and what stands on the terminal then.

    endings_test.py --magicwire FILE --source DIR [NAME ...]

A NAME picks cases. Ends with 1 when one fails.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from cli_cases import BAD_INPUT, case, equal, is_json, main, processes_of, refuses, specification, succeeds, wait_until

INTERRUPTED = 130
LONG = ("tasks: 20", "tasks: 100000")


def signalled(box, arguments, number, under_way, stdin=""):
    """What a command says that gets the signal when it is under way."""
    with subprocess.Popen([box.magicwire, *arguments], cwd=box.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            process.stdin.write(stdin)
            process.stdin.flush()
            wait_until(lambda: under_way(process))
        except AssertionError:
            process.kill()
            raise
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout, stderr


def processor_time(box):
    """That the processes in the folder have used so far, in seconds."""
    used = 0
    for process in processes_of(box.folder):
        user, system = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[11:13]
        used += int(user) + int(system)
    return used / os.sysconf("SC_CLK_TCK")


def growing(box, name):
    """Whether the run that makes this folder has unloaded something."""
    trace = box.folder / f"{name}.incomplete" / "data.mwt.incomplete"
    return trace.exists() and trace.stat().st_size > 100_000


@case
def sigterm_keeps_the_results_of_a_run_as_ctrl_c_does(box):
    scenario = box.scenario(LONG)
    for number in (signal.SIGINT, signal.SIGTERM):
        name = f"o{int(number)}"
        code, stdout, stderr = signalled(box, ["run", scenario, "--out", name], number, lambda _, name=name: growing(box, name))
        equal((code, stderr), (INTERRUPTED, ""), f"exit code and standard error after {number.name}")
        assert "of 100000 results" in stdout or "100000" in stdout, stdout
        summary = is_json(box.read(f"{name}/summary.json"), "magicwire.run/1")
        assert 0 < summary["results"] < 100000, summary["results"]
        assert not (box.folder / f"{name}.incomplete").exists(), box.files()


@case
def sigterm_keeps_what_a_sweep_has_measured(box):
    scenario = box.scenario()
    seeds = "seed=" + ",".join(str(seed) for seed in range(1, 400))

    def one_is_done(process):
        seen.update(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split())
        return len(seen) > 4

    seen = set()
    code, stdout, _ = signalled(box, ["overhead", scenario, "--sweep", seeds], signal.SIGTERM, one_is_done)
    equal(code, INTERRUPTED, "exit code")
    assert "not run: interrupted" in stdout and re.search(r"^ +1 +\d+\.\d+ ", stdout, re.M), stdout[:2000]


@case
def a_signal_to_the_shell_alone_ends_its_script_after_the_answer(box):
    scenario = box.scenario(LONG)

    def the_run_is_under_way(process):
        while len(heard) < 2:
            heard.append(process.stdout.readline())
        computed.append(processor_time(box))
        return computed[-1] - computed[0] > 0.3

    for number in (signal.SIGINT, signal.SIGTERM):
        heard, computed = [], []
        code, stdout, stderr = signalled(box, ["shell", scenario, "--json"], number, the_run_is_under_way, "status\nsnapshot\nrun\nsummary\n")
        equal(code, INTERRUPTED, f"exit code after {number.name}")
        answers = [json.loads(line) for line in [*heard, *stdout.splitlines()]]
        equal([(answer["command"], answer["ok"]) for answer in answers], [("status", True), ("snapshot", True), ("run", False)], "answers")
        equal(is_json(stderr, "magicwire.error/1")["exit_code"], INTERRUPTED, "error")


@case
def a_second_signal_of_either_kind_ends_at_once(box):
    scenario = box.scenario(LONG)
    with subprocess.Popen([box.magicwire, "run", scenario, "--out", "o"], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: growing(box, "o"))
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
    assert process.returncode in (-signal.SIGTERM, -signal.SIGINT, INTERRUPTED), process.returncode


SPINNING = """#include <trek_kernel/trek.h>
static volatile int zero, sink;
void data_generator(void) { do_task(0, 0); }
void compute_fn(const void* task, unsigned bytes) { (void)task, (void)bytes; SPINS; }
void result_receiver(void) { get_result(0); }
"""


def spinning(box, spins):
    """A farm program whose function does not end."""
    box.write("spin.c", SPINNING.replace("SPINS", spins))
    box.write("spin.farm", specification("spin.c"))
    succeeds(box.run("farm", "build", "spin.farm"))


def computes(process):
    """Whether it has used the processor for longer than it takes to begin with a function."""
    used = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()[11]
    return int(used) > 0.6 * os.sysconf("SC_CLK_TCK")


@case
def a_signal_ends_a_users_function_that_does_not_return_and_blames_nobody(box):
    counted, uncounted = "while (zero == 0) ++sink", '__asm__ volatile("1: jmp 1b")'
    for number, spins in ((signal.SIGINT, counted), (signal.SIGTERM, uncounted), (signal.SIGINT, "for (;;) trek_event(1, 1)")):
        spinning(box, spins)
        code, stdout, stderr = signalled(box, ["farm", "run", "spin.farm", "--json"], number, computes)
        equal((code, stderr), (INTERRUPTED, ""), f"exit code and standard error after {number.name}")
        equal(json.loads(stdout)["program"]["diagnoses"], [], "what is told of the program")


@case
def a_second_signal_ends_a_users_function_at_once(box):
    spinning(box, '__asm__ volatile("1: jmp 1b")')
    with subprocess.Popen([box.magicwire, "farm", "run", "spin.farm"], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: computes(process))
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode in (-signal.SIGINT, INTERRUPTED), process.returncode


@case
def of_two_runs_into_one_folder_the_later_says_where_its_result_lies(box):
    for monitor, seed in (("monitor: {unload: [[1000s, 8, 32]]}\n", 2), ("", 3)):
        long = box.scenario(("tasks: 20", "tasks: 3000"), monitor=monitor)
        with subprocess.Popen([box.magicwire, "run", long, "--seed", str(seed), "--out", "o", "--json"], cwd=box.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as later:
            wait_until(lambda: (box.folder / "o.incomplete").exists())
            later.send_signal(signal.SIGSTOP)  # it waits for the other however fast it is
            succeeds(box.run("run", box.scenario(), "--seed", 1, "--out", "o"))
            later.send_signal(signal.SIGCONT)
            _, stderr = later.communicate(timeout=60)
        equal(later.returncode, BAD_INPUT, "exit code")
        error = is_json(stderr, "magicwire.error/1")
        equal(error["what"], "was created by another program during this run and is not replaced; the whole result of this run is in o.2; "
              "rename it, or name another folder with --out", "what is said")
        equal((json.loads(box.read("o/summary.json"))["seed"], json.loads(box.read("o.2/summary.json"))["seed"]), (1, seed), "seeds of the two")
        equal([name for name in box.files() if "incomplete" in name or "replaced" in name], [], "what is left over")
        box.shell("rm -rf o o.2")


@case
def the_shell_takes_its_progress_line_away_before_it_answers(box):
    scenario = box.scenario()
    result = subprocess.run([box.magicwire, "shell", scenario, "--progress", "always"], cwd=box.folder, input=b"run until 190ms\nrun\n", stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=60, check=False)
    equal(result.returncode, 0, "exit code")
    assert b" ms modelled" in result.stdout, "no progress was drawn"
    shown = [line.split("\r\033[K")[-1] for line in result.stdout.decode().split("\n")]  # as on a terminal
    for answer in ("at 190ms", "The run has ended after"):
        equal([line.index(answer) for line in shown if answer in line], [0], f"where '{answer}' begins")
    assert not any("modelled," in line for line in shown), shown


@case
def errors_are_objects_when_json_is_asked_for(box):
    refuses(box, ["run", "none.yaml"], "none.yaml: cannot be read: No such file or directory; check the path")
    box.write("bad.yaml", "version: 1\nname: bad\nmachin: m\n")
    result = box.run("run", "bad.yaml", "--json")
    error = is_json(result.stderr, "magicwire.error/1")
    equal((result.returncode, result.stdout, error["exit_code"]), (BAD_INPUT, "", BAD_INPUT), "exit code, result and code in the error")
    equal(error["where"], {"name": "bad.yaml", "line": 3, "column": 1}, "where")
    equal(error["message"], "bad.yaml:3:1: " + error["what"], "message")


if __name__ == "__main__":
    sys.exit(main(__doc__))
