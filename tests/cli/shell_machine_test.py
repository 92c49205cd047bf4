#!/usr/bin/env python3
"""Trollius' commands in magicwire shell, on a machine alone."""
import json
import re
import sys

from cli_cases import BAD_INPUT, DONE, case, equal, main, succeeds
from shell_cases import ROWS, example, hash_of, machine, typed


@case
def a_machine_alone_obeys_commands(box):
    out = succeeds(typed(box, machine(box, "btree_8"), ["spread", "status", "state -g h n3", "state -t n3", "bfstate -l n3", "buffer -s 100000 n3",
                                                        "bfstate -l n3", "bfstate", "sweep N", "run for 5ms", "run"]))
    assert {"router", "bufferd", "kenyad", "flatd", "echod", "loadd", "filed"} <= {row[7] for row in ROWS.findall(out)}, out
    assert "n3        max space = 262144, used space = 0, user space = 196608" in out, out
    assert "n3        max space = 100000, used space = 0, user space = 100000" in out, out
    assert "nothing is left that could happen on the machine" in out, out


@case
def mstate_lists_the_memory_of_nodes(box):
    out = succeeds(typed(box, machine(box, "btree_8"), ["spread", "mstate n2", "state -g n2", "help mstate"]))
    parts = re.findall(r"^n2 +- +(\d+) (system|processes|heaps, modules, traces|free)$", out, re.M)
    equal([use for _, use in parts], ["system", "processes", "heaps, modules, traces", "free"], "uses")
    equal(sum(int(size) for size, _ in parts), 4 << 20, "bytes of the node")
    assert "mallocd" in out and "mstate [NODES]" in out, out
    result = typed(box, machine(box, "btree_8"), ["spread", "mstate h"])
    assert "h         service unavailable: the host has no mallocd; name nodes" in result.stdout + result.stderr, result


@case
def tping_prints_rounds_and_their_sum(box):
    out = succeeds(typed(box, machine(box, "btree_8"), ["spread", "tping -c2 -d0 n7", "tping -c1 -d0 n0-7 h", "tping -v -c3 -d0 -l 4096 n1", "tping -c1 -d0 h"]))
    equal(len(re.findall(r"^  1 byte from n7: 0\.00\d{4} secs$", out, re.M)), 2, "lines of n7")
    assert re.search(r"^  1 byte from 8 remote nodes and 1 local node: 0\.\d{6} secs$", out, re.M), out
    assert re.search(r"^2 messages, 2 bytes \(0K\), 0\.\d{6} secs \(\d+\.\d{3}K/sec\)$", out, re.M), out
    assert re.search(r"^3 messages, 12288 bytes \(12K\), ", out, re.M) and "4096 bytes from" not in out, out
    equal(len(re.findall(r"^roundtrip min/avg/max: [\d.]+/[\d.]+/[\d.]+$", out, re.M)), 4, "sums")


def time_of(answer):
    return json.loads(answer)["time_ps"]


@case
def spread_b_boots_by_bootd_and_says_what_is_dead(box):
    lines = ["spread -Scb", "state -t n7", "tping -c1 -d0 n0-7"]
    out = succeeds(typed(box, machine(box, "btree_8"), lines))
    assert out.startswith("Ohio Trollius 2.2 - The Ohio State University\nsoldering...\nthe machine has booted\n"), out
    assert "bootd" in {row[7] for row in ROWS.findall(out)} and "from 8 remote nodes" in out, out
    plain = succeeds(typed(box, machine(box, "btree_8"), ["spread", *lines[1:]]))
    assert "bootd" not in plain, plain
    lines = ["fault cut n1.1 - n2.0", "spread -b", "state -t n1", "state -t n4"]
    result = typed(box, machine(box, "btree_8"), lines)
    assert ("n2 could not be booted: it did not answer through n1.1 - n2.0\nn4 and n5 could not be booted: no way leads there past that node\n"
            "the rest of the machine has booted; ") in result.stdout, result.stdout
    assert "n1" in {row[0] for row in ROWS.findall(result.stdout)}, result.stdout


@case
def spread_b_is_for_power_up_and_is_repeated(box):
    result = typed(box, machine(box, "btree_8"), ["spread", "spread -b"])
    equal(result.stderr, "magicwire: standard input:2: 'spread -b' boots the machine from power-up, and time has gone on already; start the shell anew\n",
          "standard error")
    scenario = box.scenario(("tasks: 20", "tasks: 40"))
    out = succeeds(typed(box, scenario, ["spread -b", "loadgo", "tping -c1 -d0 n1", "run", "summary"]))
    again = box.shell(re.search(r"repeat +(.*)", out)[1])
    equal(hash_of(succeeds(again)), hash_of(out), "run hash of the repetition")
    assert "spread -b" in re.search(r"repeat +(.*)", out)[1], out


@case
def spread_b_takes_the_boot_order_of_the_description(box):
    text = "NODE 0 ITB c h 1 2\nNODE 1 ITB c 0\nNODE 2 ITB c 0\nTORDER h 0 {} {}\n"
    box.write("bnail.one", text.format(1, 2))
    box.write("bnail.two", text.format(2, 1))
    told = {}
    for name in ("one", "two"):
        told[name] = succeeds(typed(box, "bnail.one", ["fault die n1 at 60ms", f"spread -b bnail.{name}"]))
    assert "n1 has taken its image, but not its route table\n" in told["one"], told["one"]
    assert "n1 could not be booted: it did not answer through n0.1 - n1.0\n" in told["two"], told["two"]
    heavy = box.write("bnail.heavy", text.format(1, 2) + "TWEIGHT 2\n")
    result = typed(box, "bnail.one", [f"spread -b {heavy}"])
    assert "with another network" in result.stderr, result.stderr


@case
def days_in_which_nothing_happens_take_no_time_of_the_user(box):
    box.write("sleeps.c", "#include <trollius.h>\nint main(void) { kdelay(1000000000000ULL); return 7; }\n")
    succeeds(box.run("cc", "sleeps.c"))
    out = succeeds(typed(box, machine(box, "btree_8"), ["spread", "tping -c3 -d1000000 n1", "loadgo n2 ./sleeps", "run for 900000s", "state n2", "run for 200000s",
                                                        "state n2"]))
    assert re.search(r"^at 2900000\.\d+s$(.|\n)*^at 3100000\.\d+s$", out, re.M), out
    equal(len(ROWS.findall(out)), 1, "times that the sleeper is listed")


@case
def a_dead_node_does_not_answer_and_the_others_do(box):
    lines = ["spread", "fault die n3", "state -g n2-4", "tping -c2 -d0 n2-4", "doom n3", "bfstate -l n3,4"]
    out = succeeds(typed(box, machine(box, "btree_8"), lines, "--time-out", "50ms"))
    equal(out.count("n3     does not answer"), 4, "commands that got no answer from n3")
    equal({row[0] for row in ROWS.findall(out)}, {"n2", "n4"}, "nodes that answered")
    equal(out.count("from 2 remote nodes"), 2, "rounds of the two others")
    spent = [json.loads(line)["time_ps"] for line in succeeds(typed(box, machine(box, "btree_8"), lines[:3], "--time-out", "50ms", "--json")).splitlines()]
    assert 50_000_000_000 < spent[2] - spent[1] < 80_000_000_000, f"the time-out and two answers: {spent}"


@case
def a_classic_command_hangs_at_a_dead_node_and_says_why(box):
    result = typed(box, machine(box, "btree_8"), ["spread", "fault die n3", "state n2-4"], "--classic")
    equal(result.returncode, BAD_INPUT, "exit code")
    equal(result.stderr, "magicwire: standard input:3: the command hangs: nothing is left that could happen on the machine, and no answer comes\n", "error")


@case
def a_command_goes_back_with_a_snapshot(box):
    out = succeeds(typed(box, machine(box, "btree_8"), ["spread", "snapshot", "buffer -s 50000 n2", "bfstate -l n2", "back", "bfstate -l n2"]))
    equal(re.findall(r"^n2 +max space = (\d+)", out, re.M), ["50000", "262144"], "spaces")


WAITING = """#include <trollius.h>
#include <string.h>
int main(void) {
    struct nmsg circuit;
    memset(&circuit, 0, sizeof circuit);
    circuit.nh_node = 2;
    circuit.nh_event = 40;
    return psendopen(&circuit);
}
"""


@case
def why_tells_what_an_opening_circuit_waits_for(box):
    box.write("waiting.c", WAITING)
    succeeds(box.run("cc", "waiting.c"))
    # The first has the links and finds no receiver; the second waits for the first one's link.
    out = succeeds(typed(box, machine(box, "chain_6"), ["spread", "loadgo n0 ./waiting", "run for 1s", "loadgo n0 ./waiting", "run for 1s", "why n0 %12", "why n0 %13", "run"]))
    held = re.findall(r"^n0 +(p\d+) \./waiting: it opens a circuit to event 40 of n2, where no process has called precvopen\(\)$", out, re.M)
    equal(len(set(held)), 1, "circuits without a receiver")
    assert f"it opens a circuit to event 40 of n2, and waits on n0 for link 1, which a circuit of n0 {held[0]} holds" in out, out
    assert "deadlock" not in out, out


# The word says what the process does; the second, the other node.
HINDERED = """#include <trollius.h>
#include <stdlib.h>
#include <string.h>
static char body[20000];
int main(int argc, char** argv) {
    struct nmsg message;
    memset(&message, 0, sizeof message);
    message.nh_node = atoi(argv[2]);
    message.nh_event = 500 + message.nh_node;
    message.nh_length = strcmp(argv[1], "long") == 0 || strcmp(argv[1], "receive") == 0 ? sizeof body : 100;
    message.nh_msg = body;
    if (strcmp(argv[1], "tsend") == 0) return tsend(&message);
    message.nh_flags = strcmp(argv[1], "plug") == 0 ? NOBUF : 0;
    if (strcmp(argv[1], "receive") == 0) {
        message.nh_event = 500 + getnodeid();
        return nrecv(&message);
    }
    if (strcmp(argv[1], "ksend") == 0) {
        struct kmsg local = {500 + message.nh_node, 0, 100, 0, body};
        return ksend(&local);
    }
    for (int i = 0; i < 3; ++i) nsend(&message);
    return 0;
}
"""


def why(box, *lines, options=()):
    """The answers to the shell's lines, on a chain of 6."""
    return succeeds(typed(box, machine(box, "chain_6"), ["spread", *lines], "--time-out", "50ms", *options))


@case
def each_hindrance_is_told_by_name(box):
    box.write("held.c", HINDERED)
    succeeds(box.run("cc", "held.c"))
    # Two that send to each other and do not receive: over the network, and on one node.
    out = why(box, "loadgo n1 ./held -- tsend 2", "loadgo n2 ./held -- tsend 1", "run for 100ms", "why n1 %12")
    assert re.search(r"^n1 +(p\d+) \./held: it sends by tsend\(\) to event 502 of n2, and no process of n2 receives that; p\d+ \./held, alone there, sends as well\n"
                     r"n2 +p\d+ \./held: it sends by tsend\(\) to event 501 of n1, .*\nn1 +\1 \./held: the circle is closed, a deadlock$", out, re.M), out
    out = why(box, "loadgo n1 ./held -- ksend 2", "loadgo n1 ./held -- ksend 1", "run for 100ms", "why n1 %12")
    assert re.search(r"to event 502, type 0, and no process of n1 receives that; .*\n.*to event 501, .*\n.*the circle is closed, a deadlock$", out, re.M), out
    # A message past the buffers plugs the link for what comes behind it.
    out = why(box, "loadgo n1 ./held -- plug 2", "run for 100ms", "state n1", "why n1 %12", "tping -c1 n2")
    assert re.search(r"^n1 +p\d+ \./held: it waits for the output of link (\d)\nn1 +p\d+ dlo_t4\.\1: its message is on link \1 to n2\n"
                     r"n2 +p\d+ dli_t4\.\d: it sends to event 502, type 1?0?, and no process of n2 receives that$", out, re.M), out
    assert "n2     does not answer" in out, out
    # A table without room.
    out = typed(box, machine(box, "chain_6"), ["spread"] + 40 * ["loadgo n1 ./held -- receive 2"], "--set", "kernel.process_table=40")
    assert "the node's process table is full" in out.stdout + out.stderr, out
    # A process doomed in the middle of its message: the creator hears of it, and the receiver keeps waiting for the rest.
    out = why(box, "loadgo n2 ./held -- receive 1", "loadgo n1 ./held -- long 2", "run for 5ms", "state n1", "doom n1", "run for 100ms", "state n1 n2", "why n2 %12")
    assert re.search(r"^n2 +p\d+ \./held: it has the beginning of a message of event 502, and its next packet does not come: its sender has ended", out, re.M), out
    # A node that has died.
    out = why(box, "loadgo n1 ./held -- tsend 3", "fault die n2", "run for 100ms", "why n1 %12", "state n2", "loadgo n2 ./held -- tsend 1")
    assert out.count("n2     does not answer") >= 1, out


@case
def casts_are_made_and_listed(box):
    out = succeeds(typed(box, machine(box, "btree_8"), ["spread", "cast n1-3", "cstate n2 n5 h", "help cast"]))
    assert "cast 32768: n1,n2,n3\n" in out, out
    equal(re.findall(r"^(?:n\d|h) +32768 .*$", out, re.M), ["n2     32768         0        0 n1,n2,n3"], "rows of nodes that know it")


@case
def the_file_server_answers_about_its_directory_and_descriptors(box):
    (box.folder / "work/inner").mkdir(parents=True)
    lines = ["spread", "tfile h", "tfile h inner", "tfile h", "fstate h", "tfile -S h", "fstate -a -F 1 h"]
    out = succeeds(typed(box, machine(box, "btree_8"), lines, "--files", "work"))
    assert "\nh: /\nh: /inner\nNODE   FD/COUNT  FLAGS        FLOW CLIENT             NAME\n" in out, out
    equal(len(re.findall(r"^h +[012]/1 +(?:R-|-W)AL +0 none +console$", out, re.M)), 4, "rows of the console")
    assert "h      ...and more descriptors..." in out, out
    equal(box.files(), ["work", "work/inner"], "files: nothing is made or lost")


@case
def the_directory_of_files_comes_from_the_scenario_or_the_option(box):
    scenario = box.scenario()
    plain = hash_of(succeeds(box.run("run", scenario)))
    (box.folder / "sub/of_scenario/one").mkdir(parents=True)
    (box.folder / "of_option/two").mkdir(parents=True)
    for name in ("machine.yaml", "tasks.dat"):
        (box.folder / "sub" / name).write_text(box.read(name), encoding="utf-8")
    box.write("sub/s.yaml", box.read(scenario) + "files: of_scenario\n")
    equal(succeeds(typed(box, "sub/s.yaml", ["spread", "tfile h one", "tfile h"])).splitlines()[-1], "h: /one", "the scenario's directory")
    equal(succeeds(typed(box, "sub/s.yaml", ["spread", "tfile h two", "tfile h"], "--files", "of_option")).splitlines()[-1], "h: /two",
          "the option's directory")
    out = succeeds(box.run("run", "sub/s.yaml"))
    equal(hash_of(out), plain, "run hash: files that no program uses change nothing")
    assert "--files of_option" in succeeds(box.run("run", "sub/s.yaml", "--files", "of_option")), "the line that repeats the run"


@case
def files_are_refused_where_they_cannot_be(box):
    scenario = box.scenario()
    (box.folder / "work").mkdir()
    no_files = "no directory of the host is allowed; name one with --files, or in the scenario"
    branches = "branches would write the same files of the host; leave "
    for options, line, message in (([], "tfile h", f"standard input:2: h: {no_files}"),
                                   (["--files", "work"], "tfile h ..", "standard input:2: h: Permission denied"),
                                   (["--files", "work"], "tfile h /tmp", "standard input:2: h: Permission denied"),
                                   (["--files", "work"], "tfile n1", "standard input:2: n1: service unavailable"),
                                   (["--files", "work"], "what-if seed=2", f"standard input:2: {branches}'files' out of this session")):
        result = typed(box, scenario, ["spread", line], *options)
        equal((result.returncode, result.stderr), (BAD_INPUT, f"magicwire: {message}\n"), f"end of {line!r}")
    result = box.run("run", scenario, "--files", "none")
    equal((result.returncode, result.stderr),
          (BAD_INPUT, "magicwire: --set files=none: there is no folder 'none'; paths are relative to the folder of the command\n"), "a folder that is none")
    result = box.run("run", scenario, "--files", "work", "--fork-at", "1ms")
    equal((result.returncode, result.stderr), (BAD_INPUT, f"magicwire: {branches}'files' or '--fork-at' out\n"), "branches")


@case
def wrong_commands_are_refused_and_nothing_happens(box):
    for line, message in (
            ("tping", "no node is named; write 'tping [-v] [-c ROUNDS] [-d SECONDS] [-l BYTES] NODES'"),
            ("tping n8", "there is no node n8; the machine has n0 to n7, and 'h' is the host"),
            ("tping -l 5000 n1", "'-l 5000': expected a whole number from 0 to 4096; write 'tping [-v] [-c ROUNDS] [-d SECONDS] [-l BYTES] NODES'"),
            ("tping -c", "'-c' needs a value; write 'tping [-v] [-c ROUNDS] [-d SECONDS] [-l BYTES] NODES'"),
            ("state n3-1", "the range '3-1' has its ends the wrong way round"),
            ("state 'n3", "a quote ' is not closed"),
            ("doom n1 p5", "n1 p5: not a process"),
            ("doom n1 p263521", "n1 p263521: a system process"),
            ("buffer n1", "nothing to do; write 'buffer [-R] [-e EVENT] [-s BYTES] [-u BYTES] NODES'"),
            ("buffer -s 10 n1", "n1: refused: a pool holds at least one packet, and the users' part is not larger than the pool"),
            ("loadgo n1 prog", "there is no program 'prog'"),
            ("loadgo", "expected nodes and a program, for example 'loadgo n0-3 prog -- 5'"),
            ("monctrl -b", "the scenario is not monitored; add a 'monitor:' to it"),
            ("what-if seed=2", "a machine without a farm has no end to compare; give 'magicwire shell' a scenario")):
        result = typed(box, machine(box, "btree_8"), ["spread", line])
        equal(result.returncode, BAD_INPUT, f"exit code of {line!r}")
        equal(result.stderr, f"magicwire: standard input:2: {message}\n", f"standard error of {line!r}")
    result = box.run("shell", machine(box, "btree_8"), "--time-out", "soon")
    assert result.returncode != DONE and "--time-out" in result.stderr, result.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
