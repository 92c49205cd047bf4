#!/usr/bin/env python3
"""Where 'magicwire export' puts its file: what it does not replace, and what is left when it does not come to its end.

    export_place_test.py --magicwire FILE --sample FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from cli_cases import case, equal, main, refuses

FORMATS = ["perfetto", "sqlite", "csv", "picl", "picl-old", "vcd"]
NO_FILE = "is a device, a pipe or a socket, and is not replaced; name another file"


def export(form, name, *more):
    return ["export", "mixed.mwt", "--to", form, "-o", name, *more]


@case
def what_is_no_file_is_not_replaced_with_force_either(box):
    box.sample("mixed")
    (box.folder / "folder").mkdir()
    os.mkfifo(box.folder / "pipe")
    (box.folder / "link").symlink_to("nowhere")
    for form in FORMATS:
        for name, what in (("folder", "is a folder; name a file"), ("pipe", NO_FILE),
                           ("link", "is a link that leads to nothing; remove it, or name another file")):
            for force in ([], ["-f"]):
                refuses(box, export(form, name, *force), f"{name}: {what}")


@case
def a_link_is_replaced_and_not_what_it_leads_to(box):
    box.sample("mixed")
    box.write("mine", "precious")
    for form in FORMATS:
        (box.folder / "link").unlink(missing_ok=True)
        (box.folder / "link").symlink_to("mine")
        equal(box.run(*export(form, "link", "-f")).returncode, 0, "exit code")
        equal((box.read("mine"), (box.folder / "link").is_symlink()), ("precious", False), "what the link led to, and whether it is one")


@case
def the_incomplete_file_of_another_export_is_not_replaced_without_force(box):
    box.sample("mixed")
    for form in FORMATS:
        (box.folder / "x").unlink(missing_ok=True)
        box.write("x.incomplete", "of another")
        refuses(box, export(form, "x"), "x.incomplete: already exists, from an export that was killed or still runs; remove it, or replace it with -f")
        equal(box.read("x.incomplete"), "of another", "the file of the other one")
        equal(box.run(*export(form, "x", "-f")).returncode, 0, "exit code")
        equal(box.files(), ["mixed.mwt", "x"], "files")


@case
def no_file_of_the_run_is_replaced_whatever_it_is_called(box):
    box.sample("mixed")
    trace = (box.folder / "mixed.mwt").read_bytes()
    (box.folder / "mixed.mwt").rename(box.folder / "data.mwt.incomplete")  # of a run that was killed
    box.write("oracle.json", '{"schema": "magicwire.oracle/1", "nodes": [{"node": 0, "clock": {"began_clock_us": 0, "offset_us": 0, "drift_ppm": 0}}]}')
    box.write("summary.json", "{}")
    os.link(box.folder / "data.mwt.incomplete", box.folder / "trace_too")
    os.link(box.folder / "oracle.json", box.folder / "y.incomplete")
    for form in FORMATS:
        for more in ([], ["-f"], ["--oracle"], ["--oracle", "-f"]):
            for name, what in (("data.mwt", "would be written as data.mwt.incomplete first, which is the trace itself"),
                               ("data.mwt.incomplete", "is the trace itself"), ("trace_too", "is the trace itself"),
                               ("oracle.json", "is the oracle itself"), ("summary.json", "is the run's summary.json itself"),
                               ("y", "would be written as y.incomplete first, which is the oracle itself")):
                refuses(box, ["export", ".", "--to", form, "-o", name, *more], f"{name}: {what}; name another file with -o")
    equal(((box.folder / "data.mwt.incomplete").read_bytes(), box.read("summary.json")), (trace, "{}"), "the trace and the summary")


# In a build with the address sanitizer (scripts/sanitize) also that the handle is given back.
@case
def a_name_that_is_too_long_for_sqlite_is_refused(box):
    box.sample("mixed")
    folder = box.folder / Path(*["f" * 200] * 3)
    folder.mkdir(parents=True)
    name = str((folder / "x").relative_to(box.folder))
    for force in ([], ["-f"]):
        done = box.run(*export("sqlite", name, *force))
        equal((done.returncode, done.stdout, done.stderr),
              (3, "", f"magicwire: {name}.incomplete: cannot be written: unable to open database file\n"), "what it says")
        equal(list(folder.iterdir()), [], "what is left")


def signalled(box, form, number, *more):
    """An export that gets a signal when it has begun to write: exit code, standard output, standard error."""
    with subprocess.Popen([box.magicwire, "export", "long.mwt", "--to", form, "-o", "x", *more], cwd=box.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as work:
        while not (box.folder / "x.incomplete").exists():
            assert work.poll() is None, work.communicate()
            time.sleep(0.001)
        work.send_signal(number)
        stdout, stderr = work.communicate(timeout=60)
        return work.returncode, stdout, stderr


@case
def an_interrupted_export_leaves_nothing_and_says_so(box):
    box.sample("long")
    for form in ("csv", "sqlite", "perfetto"):
        code, stdout, stderr = signalled(box, form, signal.SIGINT)
        equal((code, stdout), (130, ""), "exit code and standard output")
        assert re.fullmatch(r"magicwire: interrupted after \d+ records; x was not made, and nothing is left of it\n", stderr), stderr
        equal(box.files(), ["long.mwt"], "files")
    code, stdout, _ = signalled(box, "csv", signal.SIGINT, "--json")
    told = json.loads(stdout)
    equal((code, told["interrupted"], told["file"]), (130, True, None), "exit code and JSON")


@case
def a_killed_export_leaves_its_incomplete_file(box):
    box.sample("long")
    for form in ("csv", "sqlite"):
        equal(signalled(box, form, signal.SIGKILL)[0], -signal.SIGKILL, "what ended it")
        equal(box.files(), ["long.mwt", "x.incomplete"], "files")
        refuses(box, ["export", "long.mwt", "--to", form, "-o", "x"],
                "x.incomplete: already exists, from an export that was killed or still runs; remove it, or replace it with -f")
        (box.folder / "x.incomplete").unlink()


@case
def ctf_is_a_new_folder(box):
    box.sample("mixed")
    equal(box.run(*export("ctf", "x")).returncode, 0, "exit code")
    equal(box.files(), ["mixed.mwt", "x", "x/metadata", "x/n0", "x/n1", "x/n2"], "files")
    box.write("file", "mine")
    (box.folder / "y.incomplete").mkdir()
    why = "exists already, and a folder is not replaced; remove it, or name another with -o"
    for force in ([], ["-f"]):
        refuses(box, export("ctf", "x", *force), f"x: {why}")
        refuses(box, export("ctf", "file", *force), f"file: {why}")
        refuses(box, export("ctf", "y", *force), f"y.incomplete: {why}")
    refuses(box, export("ctf", "no/x"), "no/x.incomplete: cannot be written: No such file or directory; name another folder with -o")
    equal(box.run("export", "mixed.mwt", "--to", "ctf", "-o", "-").returncode, 2, "exit code of standard output")


@case
def an_interrupted_ctf_leaves_nothing(box):
    box.sample("long")
    equal(signalled(box, "ctf", signal.SIGINT)[0], 130, "exit code")
    equal(box.files(), ["long.mwt"], "files")


if __name__ == "__main__":
    sys.exit(main(__doc__))
