#!/usr/bin/env python3
"""The price of logs for flowback on the modelled machine, and their way to the host.

    flowback_costs_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py and flowback_farms.py. Answers about random programs are held against a judge:
tests/flowback.
"""
import json
import sys

from cli_cases import BAD_INPUT, DONE, UNKNOWN, case, equal, main
from flowback_farms import why


def logged_chain(box, store, *more):
    """The repaired program of the thesis, not monitored; its JSON, and the time at which the farm ended."""
    if not (box.folder / "image_group.prepared").exists():
        equal(box.run("prepare", box.source / "examples/programs/image_group.c").returncode, DONE, "prepare")
    done = box.run("run", box.source / "examples/thesis/chain6.yaml", "--flowback", "--store", store, "--out", "out", "-f", "--json",
                   "--progress", "never", *more)
    equal((done.returncode, done.stderr), (DONE, ""), "run")
    run = json.loads(done.stdout)
    return run["program"]["flowback"], run["farm_ended_us"]


@case
def logs_cost_what_their_way_costs(box):
    plain = json.loads(box.run("run", box.source / "examples/thesis/chain6.yaml", "--json", "--progress", "never").stdout)["farm_ended_us"]
    free, in_time = logged_chain(box, "free")
    equal((in_time, free["cycles"], free["messages"]), (plain, 0, 0), "a free log takes no modelled time")
    answer = why(box, "Nsegs@image_group.c:86")
    kept, with_node = logged_chain(box, "node")
    equal(why(box, "Nsegs@image_group.c:86"), answer, "the log that nodes kept")
    sent, with_host = logged_chain(box, "host")
    equal(why(box, "Nsegs@image_group.c:86"), answer, "the log that came over links")
    assert plain < with_node < with_host, (plain, with_node, with_host)
    equal((kept["messages"], kept["cycles"]), (0, sent["cycles"]), "the work of the processors is that of the store")
    assert sent["messages"] > 0 and sent["cycles"] > 0, sent


@case
def each_price_of_logs_counts(box):
    rows = ("check", "word", "entry", "byte")
    all_of_it = logged_chain(box, "host")[0]["cycles"]
    parts = 0
    for row in rows:
        others = [word for other in rows if other != row for word in ("--set", f"flowback.{other}=0")]
        part = logged_chain(box, "host", *others)[0]["cycles"]
        assert part > 0, row
        parts += part
    # Other prices, other times: a task may go to another node, whose log then begins anew.
    assert abs(parts - all_of_it) < all_of_it / 50, (parts, all_of_it)
    blocks = logged_chain(box, "host", "--set", "flowback.block=64")[0]["messages"]
    assert blocks > 5 * logged_chain(box, "host")[0]["messages"], blocks


@case
def a_node_without_memory_for_its_log_says_so(box):
    kept, _ = logged_chain(box, "host", "--set", "flowback.table=99000000")
    equal(kept["short_of_memory"], kept["logs"], "no node has so much memory")
    done = box.run("flowback", "out")
    overview = done.stdout + done.stderr
    assert "had no memory for more of it" in overview, overview
    for question in ("Nsegs@image_group.c:86", "Nsegs@image_group.c:53"):
        done = box.run("flowback", "out", "--why", question)
        assert done.returncode in (2, BAD_INPUT, UNKNOWN) and "certain." not in done.stdout, done.stdout + done.stderr


@case
def damage_on_the_way_cuts_a_log_and_makes_no_answer_wrong(box):
    questions = ("Nsegs@image_group.c:86", "Nsegs@image_group.c:53", "n1:compute_fn:bytes@image_group.c:71#1")
    logged_chain(box, "host")
    right = [why(box, question) for question in questions]
    cut = 0
    for seed in range(1, 7):
        (box.folder / "plan.faults").write_text(
            f"version: 1\nseed: {seed}\nfaults:\n  - {{flip: host - n0.0, rate: 3e-3, at: 600ms}}\n", encoding="utf-8")
        done = box.run("run", box.source / "examples/thesis/chain6.yaml", "--faults", "plan.faults", "--set", "flowback.block=64",
                       "--flowback", "--out", "out", "-f", "--progress", "never", "--exit-zero")
        equal(done.returncode, DONE, done.stderr)
        cut += "logs are cut: a part did not reach the host" in done.stdout
        for question, expected in zip(questions, right):
            done = box.run("flowback", "out", "--why", question, "--json")
            if done.returncode == BAD_INPUT:
                continue
            answer = json.loads(done.stdout)["answer"]
            if answer["certainty"] == "certain":
                equal(answer["title"], expected["title"], question)
    assert cut > 2, cut


@case
def overhead_bills_the_logs(box):
    scenario = box.source / "examples/thesis/chain6.yaml"
    equal(box.run("prepare", box.source / "examples/programs/image_group.c").returncode, DONE, "prepare")
    done = box.run("overhead", scenario, "--flowback", "--json")
    equal((done.returncode, done.stderr), (DONE, ""), "overhead")
    bill = json.loads(done.stdout)
    lines = {line["name"]: line for line in bill["bill"]["cause"]}
    assert lines["logs for flowback"]["monitored_ps"] > 0 and lines["logs for flowback"]["twin_ps"] == 0, lines
    assert lines["probe"]["monitored_ps"] == 0, lines
    assert bill["work"]["log_link_bytes"] > 0, bill["work"]
    done = box.run("overhead", scenario, "--flowback", "--store", "free", "--json")
    bill = json.loads(done.stdout)
    equal(bill["difference_ps"], 0, "a free log changes nothing of an explicit program")
    done = box.run("overhead", scenario)
    assert done.returncode == BAD_INPUT and "not monitored" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
