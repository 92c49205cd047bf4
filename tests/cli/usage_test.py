#!/usr/bin/env python3
"""What a user types wrong, or has no place for: usage is told with exit code 2, help fits into 128 columns, and a place for a result is tried
before the work that makes it.

    usage_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from cli_cases import BAD_INPUT, USAGE, case, equal, main, refuses, simulation, succeeds, wait_until

EXIT_CODES = ("0", "1", "2", "3", "4", "5", "6", "70", "71", "130")
LONG = ("tasks: 20", "tasks: 20000000")  # of minutes: what is refused must be refused before


def helps(box, words=()):
    """Help of every command and of every command below it."""
    text = succeeds(box.run(*words, "--help"))
    yield words, text
    block = re.search(r"Subcommands:\n(.*?)(?:\n\n|\nExit codes|$)", text, re.S)
    for line in block[1].splitlines() if block else ():
        if re.match(r"  \S", line):
            yield from helps(box, (*words, line.split()[0].rstrip(",")))


@case
def every_line_of_help_fits_into_128_columns(box):
    texts = dict(helps(box))
    assert ("topology", "make") in texts and ("export",) in texts, texts.keys()
    wide = [(words, line) for words, text in texts.items() for line in text.splitlines() if len(line) > 128]
    equal(wide, [], "lines wider than 128 columns")


@case
def every_exit_code_stands_wherever_they_are_listed(box):
    readme = (box.source / "README.md").read_text(encoding="utf-8")
    table = (box.source / "docs/formats/command_line.md").read_text(encoding="utf-8")
    equal(tuple(re.findall(r"^\| (\d+) \|", table, re.M)), EXIT_CODES, "codes of docs/formats/command_line.md")
    for text in (succeeds(box.run("--help")), readme):
        listed = re.search(r"Exit codes: (.*?)\.\s", text, re.S)[1]
        equal(tuple(re.findall(r"(?:^|[,;]\s)(\d+) [a-z]", listed)), EXIT_CODES, f"codes in {listed!r}")


@simulation
def the_readme_shows_what_the_demo_prints(box):
    """Each line that it quotes is printed, in this order; `...` stands for lines between. Empty lines do not count."""
    readme = (box.source / "README.md").read_text(encoding="utf-8")
    command, *quoted = re.search(r"<!-- demo output -->\n```\n(.*?)```", readme, re.S)[1].splitlines()
    words = command.removeprefix("$ magicwire ").replace("out/demo", "demo").split()
    words = [str(box.source / word) if word.endswith(".yaml") else word for word in words]
    printed = [line for line in box.run(*words).stdout.splitlines() if line]
    assert f"magicwire {command.removeprefix('$ magicwire ')}" in (box.source / "scripts/demo").read_text(encoding="utf-8"), "the demo runs it"
    at, may_skip = 0, False
    for line in filter(None, quoted):
        if line.strip() == "...":
            may_skip = True
            continue
        assert line in printed[at:], f"{line!r} is not printed there"
        found = printed.index(line, at)
        assert found == at or may_skip, f"{printed[at]!r} stands before {line!r}, and README has no '...' for it"
        at, may_skip = found + 1, False


def is_usage(box, arguments, words):
    before = box.files()
    result = box.run(*arguments)
    equal(result.returncode, USAGE, f"exit code of {arguments} ({result.stderr!r})")
    equal(result.stdout, "", f"standard output of {arguments}")
    assert words in result.stderr, (arguments, result.stderr)
    assert "--json" in arguments or max(map(len, result.stderr.splitlines())) < 200, result.stderr
    equal(box.files(), before, "files")


@case
def a_wrong_value_of_an_option_of_a_stored_trace_is_wrong_usage(box):
    is_usage(box, ["export", "t.mwt", "--to", "perfeto", "-o", "x"], "--to perfeto: no such format, did you mean 'perfetto'?")
    is_usage(box, ["export", "t.mwt", "--to", "sqlite", "-o", "-"], "-o -: sqlite is no text and does not go to standard output")
    is_usage(box, ["export", "t.mwt", "--to", "csv", "-o", "-", "--json"], "'-o -' gives standard output to the export")
    is_usage(box, ["clocks", "t.mwt", "--picture", "x.gif"], "use a name that ends with .svg or .png")


@case
def a_dash_or_an_empty_name_is_no_file(box):
    for command in ("export", "trace", "clocks"):
        more = ["--to", "csv", "-o", "x"] if command == "export" else []
        is_usage(box, [command, "-", *more], "a trace is read twice; give the folder of a run, or its data.mwt")
        is_usage(box, [command, "", *more], "the name is empty")
    is_usage(box, ["export", "t.mwt", "--to", "csv", "-o", ""], "the name is empty")
    is_usage(box, ["topology", "make", "ring:8", "--out", "-"], "'-' is no standard stream here")


@simulation
def a_dash_is_no_scenario_and_no_place_for_a_result(box):
    box.scenario(LONG)
    for command in ("run", "overhead", "schedule", "top", "shell", "predict"):
        is_usage(box, [command, "-"], "give the scenario file")
    for option in ("--out", "--report-page"):
        for name in ("-", ""):
            is_usage(box, ["run", "s.yaml", option, name], "give it a name")
    for option in ("--csv", "--picture"):
        is_usage(box, ["overhead", "s.yaml", "--sweep", "seed=1,2", option, "-"], "'-' is no standard stream here")
    is_usage(box, ["schedule", "s.yaml", "--max-overhead", "5", "-o", "-"], "'-' is no standard stream here")


@simulation
def options_that_would_be_ignored_are_refused(box):
    box.scenario(LONG)
    sweep = ["overhead", "s.yaml", "--sweep", "monitor.buffer=16,32"]
    is_usage(box, [*sweep, "--by", "node"], "--by: selects a table of one run's bill")
    is_usage(box, ["overhead", "s.yaml", "--json", "--by", "node"], "--by: chooses a table of the text")
    is_usage(box, [*sweep, "--set", "monitor.buffer=8"], "--sweep monitor.buffer: has a value by --set as well")
    is_usage(box, ["overhead", "s.yaml", "--sweep", "seed=1,2", "--seed", "3"], "--sweep seed: has a value by --seed as well")
    is_usage(box, ["overhead", "s.yaml", "--sweep", "links=byte,message", "--links", "byte"], "--sweep links: has a value by --links as well")
    is_usage(box, [*sweep, "--dry-run", "--csv", "t.csv"], "--dry-run: runs nothing")
    is_usage(box, ["run", "s.yaml", "--stream"], "--stream: the records need a place; add --out FOLDER")
    refuses(box, ["run", "s.yaml", "--fork-at", "", "--what-if", "seed=2"], "--fork-at : '' is not a time; write a number and its unit, as in '20us'")
    for pace in ("0", "-1", "nan", "inf", "fast", "", "1e999"):
        is_usage(box, ["top", "s.yaml", "--pace", pace], f"--pace: '{pace}' is no number greater than 0")


@simulation
def settings_that_the_monitor_has_no_use_for_are_refused(box):
    box.scenario()
    message = "--set monitor.interrupt=5ms: the monitor is Tmon-de, which has no global interrupt; leave it out, or set monitor.kind=tmon"
    for command in (["run"], ["overhead"], ["overhead", "--sweep", "monitor.buffer=4,8"]):
        refuses(box, [command[0], "s.yaml", *command[1:], "--set", "monitor.interrupt=5ms"], message)
    refuses(box, ["run", "s.yaml", "--set", "monitor.link_percent=5"],
            "--set monitor.link_percent=5: buffers are unloaded by a sequence, and then nothing is adaptive; leave it out, or set monitor.unload=adaptive")
    succeeds(box.run("run", "s.yaml", "--set", "monitor.link_percent=5", "--set", "monitor.unload=adaptive"))


# Places for results


def bad_places(box, name):
    """Places where no file called `name` can be put, and what is said of each."""
    (box.folder / "folder").mkdir(exist_ok=True)
    for made, make in (("pipe" + name, os.mkfifo), ("link" + name, lambda path: os.symlink("nowhere", path))):
        if not os.path.lexists(box.folder / made):
            make(box.folder / made)
    (box.folder / ("folder" + name)).mkdir(exist_ok=True)
    places = [("no/such/x" + name, "cannot be created: No such file or directory; name another file"),
              ("folder" + name, "is a folder; name a file"),
              ("pipe" + name, "is a device, a pipe or a socket, and is not replaced; name another file"),
              ("link" + name, "is a link that leads to nothing; remove it, or name another file")]
    if os.geteuid() != 0:  # root may write everywhere
        (box.folder / "folder").chmod(0o555)
        places.append(("folder/x" + name, "cannot be created: Permission denied; name another file"))
    return places


def refuses_bad_places(box, name, arguments):
    for force in ([], ["-f"]):
        for place, message in bad_places(box, name):
            refuses(box, [*arguments, place, *force], f"{place}: {message}")
    box.write("x" + name, "mine\n")
    refuses(box, [*arguments, "x" + name], f"x{name}: exists already and is not replaced; name another file, or replace it with -f")
    equal(box.read("x" + name), "mine\n", "the file that was there")


@simulation
def a_place_where_no_result_can_be_put_is_refused_before_the_work(box):
    box.scenario(LONG)
    sweep = ["overhead", "s.yaml", "--sweep", "seed=1,2"]
    refuses_bad_places(box, ".csv", [*sweep, "--csv"])
    refuses_bad_places(box, ".svg", [*sweep, "--picture"])
    refuses_bad_places(box, ".unload", ["schedule", "s.yaml", "--max-overhead", "5%", "-o"])
    for option, more in (("--vcd", ["--watch", "n0.1"]), ("--report-page", [])):
        for place, message in bad_places(box, ".html"):
            refuses(box, ["run", "s.yaml", option, place, *more], f"{place}: {message}")


@case
def a_file_beside_the_result_is_not_touched(box):
    box.write("m.yaml.tmp", "mine\n")
    succeeds(box.run("topology", "make", "ring:8"))
    equal(box.run("topology", "make", "ring:8", "--out", "m.yaml").returncode, 0, "exit code")
    equal((box.read("m.yaml.tmp"), box.files()), ("mine\n", ["m.yaml", "m.yaml.tmp"]), "what lies in the folder")


def with_a_place_that_goes(box, arguments):
    """Runs it, and removes the folder of its file when the work has begun."""
    (box.folder / "gone").mkdir()
    with subprocess.Popen([box.magicwire, *arguments], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as work:
        wait_until(lambda: Path(f"/proc/{work.pid}/task/{work.pid}/children").read_text(encoding="ascii"))
        (box.folder / "gone").rmdir()
        stdout, stderr = work.communicate(timeout=60)
    equal(work.returncode, BAD_INPUT, f"exit code ({stderr!r})")
    assert "gone/x" in stderr and "cannot be created" in stderr, stderr
    return stdout


@simulation
def a_result_is_told_when_its_file_cannot_be_written(box):
    box.scenario()
    seeds = "seed=" + ",".join(map(str, range(1, 9)))
    text = with_a_place_that_goes(box, ["overhead", "s.yaml", "--sweep", seeds, "--csv", "gone/x.csv"])
    equal(len(re.findall(r"^ +\d+ +[\d.]+ +[\d.]+", text, re.M)), 8, "rows")
    assert "Slow-down" not in text
    text = with_a_place_that_goes(box, ["schedule", "s.yaml", "--max-overhead", "90%", "-o", "gone/x.unload"])
    assert "to use       magicwire run s.yaml" in text, text


@simulation
def what_gnuplot_warns_of_is_not_shown_and_what_it_fails_of_is(box):
    box.scenario()
    (box.folder / "bin").mkdir()
    sweep = ["overhead", "s.yaml", "--sweep", "seed=1,2", "--picture", "x.svg"]
    path = {**os.environ, "PATH": f"{box.folder}/bin:{os.environ['PATH']}"}

    def gnuplot(text):
        program = box.folder / box.write("bin/gnuplot", "#!/bin/sh\n" + text)
        program.chmod(0o755)

    gnuplot("echo warning: this and that >&2\necho so many fonts\n")
    succeeds(box.run(*sweep, env=path))
    gnuplot("echo warning: this and that >&2\necho 'line 3: no such terminal' >&2\nexit 1\n")
    result = box.run(*sweep, "-f", env=path)
    equal(result.returncode, BAD_INPUT, "exit code")
    equal(result.stderr, "magicwire: x.svg: gnuplot-nox's program 'gnuplot' failed with exit code 1: line 3: no such terminal; take the figures without the picture\n",
          "standard error")
    assert result.stdout.startswith("Price of monitoring small, swept"), result.stdout
    if shutil.which("gnuplot"):
        succeeds(box.run("overhead", "s.yaml", "--sweep", "farm.tasks=0,1", "--picture", "y.png"))


@simulation
def a_reader_that_goes_ends_a_command_quietly(box):
    box.scenario()
    for line in ("magicwire top s.yaml --lines | head -1", "magicwire overhead s.yaml | head -1", "magicwire schedule s.yaml --max-overhead 50 | head -1"):
        result = box.shell("set -o pipefail; " + line)
        assert result.returncode in (0, 128 + signal.SIGPIPE), result
        equal(result.stderr, "", "standard error")


if __name__ == "__main__":
    sys.exit(main(__doc__))
