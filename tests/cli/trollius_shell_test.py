#!/usr/bin/env python3
"""Trollius' commands in magicwire shell: sessions of the thesis typed as printed, and sessions with farms and programs."""
import csv
import json
import re
import sqlite3
import sys

from cli_cases import DONE, case, equal, main, succeeds
from shell_cases import ROWS, example, hash_of, machine, typed


# The thesis, section 6.1: the lines as printed there, but for the machine's name and a pause.
SESSION_1 = ["spread -Sc bnail.btree_8", "loadgo n0-7 nodemon", "hostmon n0-7 -e data &", "loadgo n4-7 slave", "loadgo n1-3 slave -- last",
             "loadgo n0 master -- 8 100 dc.dat", "monctrl -b n0-7", "run for 2s", "state n0-7", "kill %", "monctrl -q", "tvmfilter -p data",
             "detrek -cp data"]


@case
def the_first_session_of_the_thesis_can_be_typed(box):
    box.write("bnail.btree_8", (box.source / "examples/thesis/bnail.btree_8").read_text())
    out = succeeds(typed(box, example(box, "dc8"), SESSION_1))
    assert out.startswith("Ohio Trollius 2.2 - The Ohio State University\nsoldering...\n"), out[:200]
    programs = {(row[0], row[7]) for row in ROWS.findall(out)}
    silent = set(re.findall(r"^(n\d+) +does not answer$", out, re.M))
    assert ("n0", "nodemon") in programs and ("n0", "master") in programs and ("n1", "slave") in programs, out
    assert silent and not silent & {node for node, _ in programs}, "a node answers, or does not"
    lines = [(row[0], row[7]) for row in ROWS.findall(out)]
    wanted = [(f"n{i}", name) for i in range(8) if f"n{i}" not in silent for name in ("nodemon", "slave" if i else "master")]
    equal(lines, wanted, "lines of state: two a node, as the thesis has them")
    # The monitor begins node by node here, so other tasks are under way when the node crashes.
    assert re.search(r"^TASK SUBTASK NODE PROCESS$", out, re.M) and re.search(r"^49 \S+ [4-7] comp_fn\(\)$", out, re.M), out
    assert "certain" not in out.split("Failure")[0].lower().replace("not certain", ""), "records are missing, so nothing is certain"
    for name in ("data.all", "data.config", "data.tvm", "data.spf"):
        assert box.read(name), name
    again = box.run("detrek", "-cp", "data")
    assert again.stdout.strip() in out, "the program finds the same in the files"


@case
def a_session_by_hand_says_how_it_is_repeated(box):
    lines = ["spread", *(line.replace("data", "first") if "hostmon" in line else line for line in SESSION_1[1:11])]
    out = succeeds(typed(box, example(box, "dc8"), [*lines, "summary"]))
    repeat = re.search(r"repeat +(.*)", out)[1].replace("-e first", "-e second")
    again = box.shell(repeat)
    equal(again.returncode, DONE, f"exit code of {repeat} ({again.stderr})")
    equal(hash_of(again.stdout), hash_of(out), "run hash")


@case
def a_farm_that_the_monitor_holds_is_not_blamed(box):
    # n1 has a monitor that nobody begins, so it holds the slave at its first event. The farm stands still for that reason alone.
    lines = [line.replace("n0-7", "n0,2-7") if "monctrl -b" in line else line for line in ["spread", *SESSION_1[1:]]]
    out = succeeds(typed(box, example(box, "dc8"), lines))
    assert "node 1 open 0 0" in box.read("data.config"), box.read("data.config")
    assert re.search(r"^Likely: .*not certain", out, re.M) and not re.search(r"^Certain", out, re.M), out


@case
def a_farm_that_was_stopped_by_hand_is_not_blamed(box):
    lines = ["spread", *SESSION_1[1:7], "run for 20ms", "monctrl -s", "run for 300ms", "state n0-7", *SESSION_1[9:]]
    out = succeeds(typed(box, example(box, "dc8"), lines))
    equal(len(re.findall(r"^n\d .* nodemon$", out, re.M)), 8, "nodes that answer while the farm is held")
    assert re.search(r"^(Likely|Unknown): ", out, re.M) and not re.search(r"^Certain", out, re.M), out


@case
def a_session_of_the_scenario_is_stopped_and_begun_by_hand(box):
    out = succeeds(typed(box, box.scenario(("tasks: 20", "tasks: 400")), ["monctrl -b", "run for 5ms", "monctrl -s", "run for 50ms", "monctrl -b n0-7", "run", "verdict"]))
    assert "No fault: all 400 tasks were seen to finish." in out, out


@case
def the_second_session_of_the_thesis_can_be_typed(box):
    scenario = example(box, "chain6_bug")
    out = succeeds(typed(box, scenario, ["spread -vsc", "loadgo n1-5 slave", "loadgo n0 master -- 6 5", "run for 1s", "state n0-5"],
                         "--set", "monitor=off"))
    assert re.search(r"^Execution time = \d+ microseconds\n\*{5} Final Report\*{5}\nConfiguration : Linear Chain\nTotal Nodes = 6\n", out, re.M), out
    equal({row[0] for row in ROWS.findall(out)}, {f"n{i}" for i in range(6)}, "nodes that answer: all look alive")
    out = succeeds(typed(box, scenario, ["spread -vsc", "loadgo n0-5 nodemon", "hostmon n0-5 -e group &", "loadgo n1-5 slave", "loadgo n0 master -- 6 5",
                                         "monctrl -bn 6", "run for 2s", "monctrl -q", "tvmfilter -p group", "detrek -cp group"]))
    assert "***** Final Report*****" in out and "result_receiver() on node 0 ended early" in out, out
    assert re.search(r"^\d+ 0 0 Collecting$", out, re.M), out


@case
def the_machine_stays_when_the_run_has_ended(box):
    scenario = box.scenario()
    alone = succeeds(box.run("run", scenario))
    out = succeeds(typed(box, scenario, ["run", "state n1", "tping -c2 -d0 n7", "summary", "run for 1ms", "state n1 at now"]))
    equal(hash_of(out), hash_of(alone), "run hash: what is asked afterwards does not count")
    assert any(row[7] == "slave" for row in ROWS.findall(out)), out
    assert "roundtrip min/avg/max" in out, out


@case
def commands_change_the_run_and_their_repetition_is_the_same(box):
    scenario = box.scenario(("tasks: 20", "tasks: 1000"))
    out = succeeds(typed(box, scenario, ["spread", "loadgo", "tping -c1 -d0 -l 1000 n1-2", "set seed=4", "state -g n1", "status", "run", "summary"]))
    assert "command   at" in out and "changed   at" in out, out
    again = box.shell(re.search(r"repeat +(.*)", out)[1])
    equal(hash_of(succeeds(again)), hash_of(out), "run hash of the repetition")
    assert hash_of(out) != hash_of(succeeds(box.run("run", scenario))), "messages of the commands take time of the nodes"


@case
def a_network_description_of_trollius_is_a_machine(box):
    file = box.write("bnail.pair", "HOST h\nNODE 0 ITB conf h:0 1:0 - -\nNODE 1 ITB conf 0:1 - - -\nTORDER h 0 1\n")
    out = succeeds(typed(box, file, ["spread -vsc bnail.pair", "state -t n1"]))
    assert "kenyad" in out, out
    other = box.write("bnail.three", "NODE 0 ITB c h 1\nNODE 1 ITB c 0 2\nNODE 2 ITB c 1\n")
    result = typed(box, file, [f"spread {other}"])
    equal(result.stderr, "magicwire: standard input:1: the machine of this shell is 'pair', with another network; for this one start "
          "'magicwire shell bnail.three'\n", "standard error")


@case
def programs_of_ones_own_run_on_nodes(box):
    succeeds(box.run("cc", "-o", "ring", box.source / "examples/trollius/ring/ring.c"))
    out = succeeds(typed(box, machine(box, "chain_6"), ["spread", "loadgo -w N ./ring -- 2", "run for 1s", "loadgo n3 ./ring -- 1", "doom -5 n3", "state n3",
                                                        "doom -6 n3", "state n3", "why n3 %12", "doom n3", "state n3"]))
    assert re.search(r"^6 nodes, 2 rounds: sum 30, \d+ us a round$", out, re.M), out
    equal(re.findall(r"^n3 +\[12\] +\d+ +0 (\S+).* \./ring$", out, re.M), ["<stopped>", "BR"], "states of the arrested and the released process")
    assert "it waits for a message of event 100 and type 0; none is offered on n3" in out, out
    box.write("bad.c", "#include <trollius.h>\nint main(void) { int* p = 0; *p = 3; return 0; }\n")
    succeeds(box.run("cc", "bad.c"))
    result = typed(box, machine(box, "chain_6"), ["spread", "loadgo n2 ./bad", "run for 1s", "state n2"], "--time-out", "50ms")
    assert "bad.c:2: bad on n2 writes address 0x0, near the null pointer; the node has stopped" in result.stdout, result
    assert "n2     does not answer" in result.stdout, result


@case
def messages_of_programs_on_a_ring_are_recorded_and_joined(box):
    example_folder = box.source / "examples/trollius/vector_sum"
    succeeds(box.run("cc", "-o", "vector_sum", example_folder / "vector_sum.c"))
    session = re.search(r"^```\n(spread\n.*?)^```$", (example_folder / "README.md").read_text(encoding="utf-8"), re.M | re.S)[1]
    out = succeeds(typed(box, example_folder / "ring.yaml", session.splitlines()))
    assert re.search(r"^8 nodes, 3 rounds of 4 blocks: 0 wrong sums, \d+ us a round$", out, re.M), out
    succeeds(box.run("export", "ring/data.mwt", "--to", "csv", "-o", "ring.csv"))
    rows = list(csv.DictReader(box.read("ring.csv").splitlines()))
    records = {f"n{row['node']}:{row['seq']}": row for row in rows if row["row"] == "record"}
    pairs = [(records[row["partner"]], row) for row in rows if row["partner"]]  # by the clocks, which drift, either end may come first
    joined = [(one, other) if one["kind"] == "send-call" else (other, one) for one, other in pairs]
    equal(len(joined), 8 * 3 * 4, "messages of the ring")
    assert all((int(call["node"]) + 1) % 8 == int(got["node"]) and call["number"] == got["number"] == "100" for call, got in joined), joined
    in_order = sorted(joined, key=lambda ends: int(ends[1]["seq"]))
    for node in map(str, range(8)):
        numbers = [int(call["value"]) for call, got in in_order if got["node"] == node]
        assert numbers == sorted(numbers), "neighbours on a ring keep the order of their messages"


def the_ends_follow_from_all_begins(box):
    """Vector times by the definition, and times that are spread: no end before a begin of another member."""
    for options in (["--stamps"], ["--stamps", "--amortise", "--latency", "1000"]):
        done = box.run("sort", "rounds", "--to", "jsonl", "-o", "-", "--no-adjust", *options)
        equal(done.returncode, 0, done.stderr)
        records = [line for line in map(json.loads, done.stdout.splitlines()) if line["what"] == "record"]
        begins, newest, past = {}, {}, {}
        for line in records:
            if line["kind"] == "collective-begin":
                begins.setdefault(line["bytes"], []).append(line)
        for line in records:
            causes = [one for one in begins[line["bytes"]] if one["node"] != line["node"]] if line["kind"] == "collective-end" else []
            causes += [line["source"]] if line["source"] and not causes else []
            stamp = dict(newest.get(line["node"], {}))
            for cause in causes:
                for node, count in past[cause["id"]].items():
                    stamp[node] = max(count, stamp.get(node, 0))
                assert line["final_us"] >= cause["final_us"] + ("--latency" in options), (line, cause)
            stamp[f"n{line['node']}"] = line["seq"] + 1
            past[line["id"]] = newest[line["node"]] = stamp
            equal(line["stamp"], stamp, "vector time of " + line["id"])


@case
def rounds_of_a_reduction_are_recorded_with_their_group(box):
    example_folder = box.source / "examples/trollius/global_maximum"
    succeeds(box.run("cc", "-o", "global_maximum", example_folder / "global_maximum.c"))
    session = re.search(r"^```\n(spread\n.*?)^```$", (example_folder / "README.md").read_text(encoding="utf-8"), re.M | re.S)[1]
    out = succeeds(typed(box, box.source / "examples/trollius/vector_sum/ring.yaml", session.splitlines()))
    assert "8 nodes, 4 rounds: the largest error is 0.5000\n" in out, out
    done = box.run("sort", "rounds", "--to", "jsonl", "-o", "-", "--no-adjust")
    equal(done.returncode, 0, done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    members = [(line["node"], line["subtask"], line["peer"], line["bytes"]) for line in lines if line.get("kind") == "member"]
    equal(sorted(members), [(node, rank, rank, 8) for node in range(8) for rank in range(8)], "members, as each node records them")
    for round in range(1, 5):
        begins = [at for at, line in enumerate(lines) if line.get("kind") == "collective-begin" and line["bytes"] == round]
        ends = [at for at, line in enumerate(lines) if line.get("kind") == "collective-end" and line["bytes"] == round]
        equal((len(begins), len(ends)), (8, 8), f"records of round {round}")
        for at in ends:
            before = [other for other in begins if lines[other]["node"] != lines[at]["node"]]
            assert max(before) < at, (round, lines[at])
            latest = max(before, key=lambda other: (lines[other]["final_us"], -lines[other]["node"]))
            equal(lines[at]["source"]["id"], lines[latest]["id"], "the source that counts")
    assert not [line for line in lines if line.get("assumed")], "nothing is missing"
    the_ends_follow_from_all_begins(box)
    text = box.run("sort", "rounds").stdout
    assert re.search(r"collective-begin all-to-all 1 of cast 32768\n", text) and "member 7 of cast 32768: n7" in text, text
    succeeds(box.run("export", "rounds/data.mwt", "--to", "csv", "-o", "rounds.csv"))
    rows = list(csv.DictReader(box.read("rounds.csv").splitlines()))
    equal(sorted((row["peer"], row["number"], row["value"]) for row in rows if row["kind"] == "collective-end" and row["node"] == "3"),
          [("32768", str(round), "all-to-all") for round in range(1, 5)], "ends on node 3")
    for form in ("sqlite", "perfetto"):
        succeeds(box.run("export", "rounds/data.mwt", "--to", form, "-o", "rounds." + form))
    base = sqlite3.connect(box.folder / "rounds.sqlite")
    equal(base.execute("SELECT count(*) FROM events WHERE kind = 'collective-begin' AND name = 'all-to-all' AND peer = 32768").fetchall(), [(32,)], "in SQLite")


@case
def a_program_that_computes_without_end_is_told_with_its_line(box):
    box.write("loop.c", "#include <stdio.h>\nint main(void) {\n    volatile int x = 0;\n    printf(\"begins\\n\");\n    while (x == 0) x = 0;\n    return 0;\n}\n")
    succeeds(box.run("cc", "loop.c"))
    succeeds(box.run("cc", "-o", "ring", box.source / "examples/trollius/ring/ring.c"))
    out = succeeds(typed(box, machine(box, "chain_6"), ["spread", "loadgo n2 ./loop", "run", "why n2 %12", "loadgo -w N ./ring -- 2", "run", "doom n2", "state n2", "run"]))
    told = re.findall(r"^loop\.c:5: loop on n2 has computed for (\S+) s without a call; it goes on; look for a loop that does not end; 'doom n2 p(\d+)' ends the process$",
                      out, re.M)
    equal([time for time, _ in told], ["10.0", "20.0"], "the times when it is told: each twice the one before")
    equal(re.findall(r"^n2 +p(\d+) \./loop: it has computed for 10\.0 s without a call, and is at loop\.c:5$", out, re.M), [told[0][1]], "what why says")
    assert len(re.findall(r"^at \S+: the machine computes on; 'run' goes on with it, and 'why' tells of a process$", out, re.M)) == 2, out
    assert re.search(r"^6 nodes, 2 rounds: sum 30, ", out, re.M), "other programs work on, also on its node: " + out
    assert not [row for row in ROWS.findall(out) if row[7] == "./loop"] and out.endswith("nothing is left that could happen on the machine\n"), out
    result = typed(box, machine(box, "chain_6"), ["spread", "loadgo -w n1 ./loop"])
    assert "loop.c:5: loop on n1 has computed for 10.0 s" in result.stderr and result.stderr.endswith("the command waits no longer for a program that computes on\n"), result


@case
def messages_that_nobody_receives_are_told_at_the_end(box):
    box.write("send.c", """#include <trollius.h>
int main(int argc, char** argv) {
    char body[5000] = {0};
    struct nmsg message = {.nh_node = 2, .nh_event = 77, .nh_type = 6, .nh_length = sizeof body, .nh_msg = body};
    for (int i = 0; i < 3; ++i) nsend(&message);
    message.nh_event = 78;
    message.nh_length = 10;
    message.nh_flags = NOBUF;
    nsend(&message);
    return 0;
}
""")
    succeeds(box.run("cc", "send.c"))
    told = ["unreceived: 3 messages for event 77, type 6, of n2 (15000 bytes): held by the buffers of n2",
            "unreceived: 1 message for event 78, type 6, of n2 (10 bytes): held by dli_t4.0 of n2"]
    out = succeeds(typed(box, machine(box, "chain_6"), ["spread", "loadgo n1 ./send", "run"]))
    equal(out.splitlines()[-5:], ["nothing is left that could happen on the machine", *told, *told], "the run's answer, and the last lines")
    out = succeeds(typed(box, machine(box, "chain_6"), ["spread", "loadgo n1 ./send", "run for 1s", "sweep n2", "quit"]))
    equal(out.splitlines()[-1:], told[1:], "last line")
    out = succeeds(typed(box, box.scenario(), ["spread", "loadgo n1 ./send", "loadgo n1-7 slave", "loadgo n0 master", "run", "summary"], "--set",
                         "monitor=off"))
    equal(re.findall(r"^  unreceived   (.*)$", out, re.M), [line.removeprefix("unreceived: ") for line in told], "lines of the summary")
    assert out.splitlines()[-2:] == told, out


@case
def the_end_of_a_program_is_told_to_who_waits(box):
    box.write("ends.c", "#include <stdlib.h>\n#include <trollius.h>\nint main(int count, char** words) {\n"
              "    if (atoi(words[1]) == 1) abort();\n    if (atoi(words[1]) == 2) kdoom(0, SIGUDIE);\n    exit(atoi(words[1]));\n}\n")
    succeeds(box.run("cc", "ends.c"))
    out = succeeds(typed(box, machine(box, "chain_6"), ["spread", "loadgo -vw n1 ./ends -- 0", "loadgo -w n1-3 ./ends -- 7", "loadgo -w n4 ./ends -- 1",
                                                        "loadgo -w n5 ./ends -- 2", "state n1-5"]))
    assert re.search(r"^\[12\] p\d+ \./ends running on n1\n(?!\d+ on n1 exited with status 0)", out, re.M), out
    equal(sorted(re.findall(r"^\d+ on (n\d) exited with status (-?\d+)$", out, re.M)),
          [("n1", "7"), ("n2", "7"), ("n3", "7"), ("n4", "255"), ("n5", "-4")], "ends")
    assert "ends.c:4: ends on n4 calls abort()" in out and not ROWS.search(out), out


@case
def a_program_on_a_node_uses_the_files_of_the_folder(box):
    (box.folder / "work").mkdir()
    box.write("work/data", "some text\n")
    box.write("secret", "outside\n")
    succeeds(box.run("cc", "-o", "file_copy", box.source / "examples/trollius/file_copy/file_copy.c"))
    lines = ["spread", "loadgo -w n2 ./file_copy -- data 6:copy 5", "loadgo -w n2 ./file_copy -- ../secret copy2 5", "fstate h"]
    out = succeeds(typed(box, machine(box, "chain_6"), lines, "--files", "work"))
    assert "n5 has written 10 bytes\ndata is copied to 6:copy, in " in out and "../secret: Permission denied" in out, out
    equal(box.read("work/copy"), "some text\n", "the copy")
    equal(len(re.findall(r"^h +\d+/\d+ ", out, re.M)), 3, "descriptors: those of the programs are closed")
    out = succeeds(typed(box, machine(box, "chain_6"), lines[:2]))
    assert "data: Permission denied" in out, "no folder is allowed"


if __name__ == "__main__":
    sys.exit(main(__doc__))
