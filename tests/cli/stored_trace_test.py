#!/usr/bin/env python3
"""detrek and tvmfilter on the text files of the thesis: exit codes, refusals, files that are replaced.

    stored_trace_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import re
import sys

from cli_cases import BAD_INPUT, case, equal, is_json, main, refuses, simulation, succeeds


# Stored traces


@case
def a_trace_without_fault_ends_with_0(box):
    box.trace()
    succeeds(box.run("detrek", "-p", "t"))
    is_json(succeeds(box.run("detrek", "-p", "t", "--json")), "magicwire.detrek/1")
    succeeds(box.run("deTrEK", "-cvp", "t"))


@case
def a_trace_that_is_cut_in_a_line_is_refused(box):
    box.trace()
    text = box.read("t.tvm")
    box.write("t.tvm", text[:-9])
    result = box.run("detrek", "-p", "t", "-o")
    equal(result.returncode, BAD_INPUT, "exit code")
    equal(result.stdout, "", "standard output")
    assert re.match(r"magicwire: t\.tvm:4(:\d+)?: [^;]+; .+\n$", result.stderr), result.stderr
    assert "t.bug" not in box.files(), box.files()


@case
def a_trace_that_is_not_there_is_refused(box):
    refuses(box, ["detrek", "-p", "no"], "no.spf: cannot open: No such file or directory; give a .spf file")


@case
def detrek_does_not_replace_its_list_unless_forced(box):
    box.trace()
    box.write("t.bug", "mine\n")
    refuses(box, ["detrek", "-p", "t", "-o"], "t.bug: exists already and is not replaced; name another file, or replace it with -f")
    succeeds(box.run("detrek", "-p", "t", "-o", "-f"))
    assert box.read("t.bug") != "mine\n"


@case
def stamps_are_listed_in_an_order_that_fits_them(box):
    box.trace()
    lines = [line.split() for line in succeeds(box.run("detrek", "-p", "t", "--stamps")).splitlines()]
    equal(lines[0], ["ID", "PTIME", "TYPE", "PEER", "KIND", "TASK", "SUBTASK", "LTIME"], "titles")
    stamps = [tuple(map(int, line[7].split(","))) for line in lines[1:]]
    later = [(a, b) for i, a in enumerate(stamps) for b in stamps[:i] if a != b and all(x <= y for x, y in zip(a, b))]
    equal(later, [], "events that are printed after what they happened before")
    usage = box.run("detrek", "-p", "t", "--stamps", "-o")
    equal((usage.returncode, usage.stdout), (2, ""), "with -o")


@simulation
def tvmfilter_makes_the_tvm_again(box):
    succeeds(box.run("run", box.scenario(), "--out", "out"))
    before = box.read("out/data.tvm")
    refuses(box, ["tvmfilter", "-p", "out/data"], "out/data.tvm: exists already and is not replaced; name another file, or replace it with -f")
    succeeds(box.run("tvmfilter", "-p", "out/data", "-f"))
    equal(box.read("out/data.tvm"), before, "data.tvm")
    equal(is_json(succeeds(box.run("tvmfilter", "-p", "out/data", "-f", "--json")), "magicwire.tvmfilter/1")["events"], before.count("\n"), "events")


if __name__ == "__main__":
    sys.exit(main(__doc__))
