#!/usr/bin/env python3
"""links, connect, disconnect and reconfigure in magicwire shell: the network of a running machine."""
import json
import re
import sys

from cli_cases import BAD_INPUT, DONE, case, equal, main, succeeds
from shell_cases import hash_of, machine, typed

FARM = """version: 1
name: {name}
machine: {machine}
farm: {{nodes: 16, tree: {tree}, tasks: {tasks}}}
application: {{tasks: tasks.dat, task_bytes: {size}, result_bytes: {size}}}
"""
TASK = "0  20 10 0  3000 1000 0  10 10 0  100 10 0  100 10 0\n"


def farm_on(box, name, machine_file, tree="chain", tasks=60, size=64, more=""):
    box.write("tasks.dat", TASK)
    return box.write(f"{name}.yaml", FARM.format(name=name, machine=machine_file, tree=tree, tasks=tasks, size=size) + more)


def rows(text):
    """The table of `links`: from, to, through, state."""
    return {row[0]: row[1:] for row in re.findall(r"^((?:n\d+\.\d|host(?:\.\d)?)) +(\S+) +(\S+(?:, \S+)*) +(\S.*)$", text, re.M)}


def microseconds(text, unit):
    return float(text) * {"us": 1, "ms": 1000, "s": 1e6}[unit]


@case
def links_lists_where_each_link_leads_and_through_which_switches(box):
    out = succeeds(typed(box, machine(box, "ubc_btree_8"), ["spread", "links", "links n4"]))
    table, four = out.split("LINK")[1:]
    found = rows(table)
    equal(found["n0.1"], ("n1.3", "x2", "idle"), "n0.1")
    equal(found["n1.3"], ("n0.1", "x2", "idle"), "n1.3")
    equal(found["host"][0], "n0.2", "the host's first connection")
    assert all(to != "nowhere" for to, _, _ in found.values()), found
    equal(len(rows(four)), 4, "a node that is named shows all of its links")
    assert any(to == "nowhere" for to, _, _ in rows(four).values()), four
    plain = succeeds(typed(box, machine(box, "btree_8"), ["spread", "links n1"]))
    equal(rows(plain)["n1.0"][:1], ("n0.1",), "a soldered link")
    assert "a cable" in plain, plain


@case
def connect_and_disconnect_go_over_the_control_connections(box):
    result = typed(box, machine(box, "ubc_btree_8"), ["spread", "links n7-74"])
    free = [(name, row[1].split(".")[0]) for name, row in rows(result.stdout).items() if row[0] == "nowhere"]
    a, which = next((name, switch) for name, switch in free if name.startswith("n7."))
    b = next(name for name, switch in free if switch == which and not name.startswith("n7."))
    out = succeeds(typed(box, machine(box, "ubc_btree_8"), ["spread", f"connect {a} {b}", f"links n7", f"disconnect {b}", "links n7", "tping -c1 -d0 n7"]))
    equal(re.findall(r"(\d) connections made, (\d) taken away", out), [("1", "0"), ("0", "1")], "changes")
    before, after = out.split("LINK")[1:]
    equal(rows(before)[a][:2], (b, which), "where it leads then")
    equal(rows(after)[a][0], "nowhere", "where it leads in the end")
    assert "routes reached" in out, out


@case
def the_plan_tells_the_time_that_the_control_connections_take(box):
    out = succeeds(typed(box, machine(box, "ubc_btree_16"), ["spread", "reconfigure -y ring:16"]))
    made, taken, kept = map(int, re.search(r"settings +(\d+) connections made, (\d+) taken away, (\d+) kept", out).groups())
    equal((made, taken, kept), (15, 13, 3), "changes")
    assert "no network whose links pass a switch at most once changes fewer" in out, out
    total, lines, told, unit = re.search(r"control +(\d+) bytes \(([\d and]+) over each control connection\), ([\d.]+) (us|ms)", out).groups()
    first, second = map(int, lines.split(" and "))
    equal(first + second, int(total), "bytes of both")
    # By hand: message 1 or 6 a change, message 3 where something is made, 64 bytes of enquiries for each of the switches.
    switches = len(re.findall(r"^ +(?:switches +)?x\d: ", out, re.M))
    makes = len(re.findall(r"^ +(?:switches +)?x\d: .* new", out, re.M))
    equal(int(total), 3 * (made + taken) + makes + 64 * switches, "bytes")
    done, done_unit = re.search(r"set and read back in ([\d.]+) (us|ms)", out).groups()
    equal(microseconds(done, done_unit), microseconds(told, unit), "time as told before")
    # A byte takes 11 bits of 50 ns and more one way; the longest of two lines, each byte on the line and on the configuration link.
    least = max(first, second) * 0.55
    assert least < microseconds(done, done_unit) < 10 * least, (least, done)


@case
def the_plan_is_shown_and_a_pipe_cannot_agree(box):
    file = machine(box, "ubc_btree_16")
    result = typed(box, file, ["spread", "reconfigure ring:16", "links"])
    equal(result.returncode, BAD_INPUT, "exit code")
    assert "connections made" in result.stdout and "LINK" not in result.stdout, result.stdout
    equal(result.stderr, "magicwire: standard input:2: nothing has changed: the command asks first, and nobody can answer here; "
          "'reconfigure -y ring:16' does it\n", "standard error")
    out = succeeds(typed(box, file, ["spread", "reconfigure -n ring:16", "links n0"]))
    assert "done" not in out and rows(out)["n0.1"][0] != "nowhere", out
    line = json.loads(typed(box, file, ["spread", "reconfigure -n ring:16"], "--json").stdout.splitlines()[1])
    equal((len(line["data"]["made"]), len(line["data"]["taken_away"]), line["data"]["least_changes"]), (15, 13, 28), "changes")
    equal(line["data"]["under_way"], [], "messages")


@case
def a_farm_on_the_new_ring_gives_the_results_of_a_machine_wired_so(box):
    tree = machine(box, "ubc_btree_16")
    scenario = farm_on(box, "moved", tree)
    moved = succeeds(typed(box, scenario, ["spread", "reconfigure -y ring:16", "run", "summary"]))
    succeeds(box.run("topology", "solve", "ring:16", "--onto", tree, "--keep-places", "--fewest-changes", "--host-port", "any", "--out", "ring.yaml"))
    wired = succeeds(typed(box, farm_on(box, "wired", "ring.yaml"), ["run", "summary"]))
    for what in (r"  tasks +(.*)", r"^Node \d+ +(\d+) Tasks$", r"Results taken = (\d+)"):
        equal(re.findall(what, moved, re.M), re.findall(what, wired, re.M), what)
    times = [float(re.search(r"farm +([\d.]+) ms from its first task to its last step", out)[1]) for out in (moved, wired)]
    assert abs(times[0] - times[1]) < 0.002 * times[1], f"clocks and timers stand elsewhere, and nothing else differs: {times}"
    assert "60 of 60 results came back to the manager" in moved and "no links of the machine" not in moved, moved
    assert "switches     at" in moved and "not answer" not in moved.split("  state")[0], moved
    # Without the change the branches of a chain are no links of the tree.
    assert "are no links of the machine" in succeeds(typed(box, scenario, ["run", "summary"])), "the chain on the tree"


@case
def programs_loaded_by_hand_run_on_the_new_ring(box):
    scenario = farm_on(box, "moved", machine(box, "ubc_btree_16"))
    out = succeeds(typed(box, scenario, ["spread", "tping -c1 -d0 N", "reconfigure -y ring:16", "tping -c1 -d0 n0-15", "loadgo n1-15 slave", "loadgo n0 master",
                                         "run", "summary"]))
    assert "60 of 60 results came back to the manager" in out, out
    assert "from 16 remote nodes" in out, out


@case
def a_running_farm_loses_what_was_under_way_and_every_task_has_an_account(box):
    scenario = farm_on(box, "cut", machine(box, "ubc_btree_16"), "binary", 400, 1000, "end: {quiet: 50ms}\n")
    looks = [line for _ in range(60) for line in ("run for 300us", "links n1")]
    answers = [json.loads(line) for line in succeeds(typed(box, scenario, ["spread", "loadgo", "run for 30ms", *looks], "--json")).splitlines()]
    moment = next(answer["time_ps"] for answer in answers if any(link["from"] in ("n1.2", "n1.3") and link["state"] == "sends" and "task" in link["message"]["message"]
                                                                 for link in answer.get("data", {}).get("links", [])))
    lines = [f"run until {moment}ps", "links", "reconfigure -n ring:16", "reconfigure -y ring:16", "run", "summary", "save out"]
    out = succeeds(typed(box, scenario, lines))
    assert re.search(r"farm +\d+ of its tree's branches end: n\d+ - n\d+", out), out
    assert re.search(r"^  under way +n\d+\.\d -> n\d+\.\d: (task|the result of task) \d+ \(\d+ bytes\) since ", out, re.M), out
    told = re.findall(r"^  (?:lost)? +(\d+ bytes on n\d+\.\d -> n\d+\.\d at .*task \d+)", out, re.M)
    assert told and len(told) == 2 * len(set(told)), f"the answer and the summary name each lost message: {told}"
    oracle = json.loads(box.read("out/oracle.json"))
    account = oracle["conservation"]
    results = int(re.search(r"(\d+) of 400 results came back", out)[1])
    assert 0 < results < 400, out
    equal(account["completed"], results, "results")
    equal(account["completed"] + account["lost"] + account["waits"] + account["unexplained"], 400, "tasks")
    equal(account["unexplained"], 0, "tasks without a cause")
    repeat = re.search(r"repeat +(.*)", out)[1]
    equal(hash_of(succeeds(box.shell(repeat))), hash_of(out), "run hash of the repetition")


@case
def an_order_by_hand_is_the_order_of_a_scenario(box):
    """The same change at the same time, once typed and once in the file."""
    text = (box.source / "topologies/machines/btree_8_c004.yaml").read_text(encoding="utf-8")
    box.write("tree.yaml", text)
    box.write("tasks.dat", TASK)
    base = "version: 1\nname: same\nmachine: tree.yaml\nfarm: {nodes: 8, tree: binary, tasks: 100}\napplication: {tasks: tasks.dat}\nend: {quiet: 50ms}\n"
    connected = re.search(r"connect: \[(.*?)\]", text, re.S)[1].split(",")
    file = box.write("s.yaml", base)
    loaded = json.loads(succeeds(typed(box, file, ["spread", "loadgo"], "--json")).splitlines()[1])["time_ps"]
    moment = f"{loaded // 1000000000 + 10}ms"
    typed_out = succeeds(typed(box, file, [f"run until {moment}", "status", "disconnect n3.0", "run", "summary"]))
    assert "phase     run" in typed_out, typed_out
    way = re.search(r"(\d+ - \d+) ends", typed_out)[1]
    left = [one.strip() for one in connected if one.strip() != way]
    equal(len(left), len(connected) - 1, "connections left")
    ordered = box.run("run", box.write("o.yaml", base + f"reconfigure: [{{at: {moment}, connect: {{x0: [{', '.join(left)}]}}}}]\n"))
    equal(hash_of(typed_out), hash_of(ordered.stdout), "run hash")


@case
def a_machine_without_crossbars_says_why(box):
    for line in ("connect n0.1 n3.2", "disconnect n0.1", "reconfigure -y ring:8"):
        result = typed(box, machine(box, "btree_8"), ["spread", line])
        equal(result.returncode, BAD_INPUT, line)
        assert "the machine 'btree_8' has no switches, so its links are soldered" in result.stderr, result.stderr


@case
def wrong_words_are_refused_and_nothing_changes(box):
    file = machine(box, "ubc_btree_8")
    for line, message in (("connect n0.1", "expected 'connect n0.1 n3.2'"), ("connect n0.1 n99.0", "there is no node 'n99'"), ("connect n0.4 n1.0", "there is no link 'n0.4'"),
                          ("connect n0.1 n3.1", "leads to n1.3 already; 'disconnect n0.1' first"), ("connect x0.1 n3.1", "is a way of a switch"),
                          ("disconnect n0.3", "leads nowhere"), ("disconnect", "expected 'disconnect n0.1'"), ("disconnect n0.1 n3.0", "leads to n1.3, not to n3.0"),
                          ("reconfigure", "one shape or machine file is needed"), ("reconfigure rung:8", "there is no shape 'rung', did you mean 'ring'?"),
                          ("reconfigure -y ring:80", "wants 80 nodes"), ("reconfigure -y none.yaml", "is neither a machine file nor a shape"),
                          ("reconfigure -x ring:8", "reconfigure [-y | -n] ring:16"), ("links n99", "n99")):
        result = typed(box, file, ["spread", line])
        equal(result.returncode, BAD_INPUT, line)
        assert message in result.stderr, (line, result.stderr)
    result = typed(box, file, ["connect n7.1 n40.1"])
    equal(result.stderr, "magicwire: standard input:1: the machine has not booted; let time go on with 'spread'\n", "before the boot")


@case
def nodes_that_have_not_booted_are_named(box):
    out = succeeds(typed(box, machine(box, "ubc_btree_8"), ["spread", "reconfigure -n ring:16"]))
    assert "not booted   n8 to n15; messages to them, and over them, go nowhere" in out, out
    assert "not booted" not in succeeds(typed(box, machine(box, "ubc_btree_16"), ["spread", "reconfigure -n ring:8"])), "a smaller ring"


@case
def a_snapshot_brings_the_network_back(box):
    out = succeeds(typed(box, machine(box, "ubc_btree_16"), ["spread", "snapshot", "reconfigure -y ring:16", "links", "back", "links", "tping -c1 -d0 n15"]))
    ring, tree = (rows(part) for part in out.split("LINK")[1:])
    equal(sum(1 for name in ring if name.startswith("n")), 33, "ends of the ring and of the host's link")
    equal(sum(1 for name in tree if name.startswith("n")), 31, "ends of the tree and of the host's link")


if __name__ == "__main__":
    sys.exit(main(__doc__))
