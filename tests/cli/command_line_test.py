#!/usr/bin/env python3
"""Runs the built binary as a user does and checks exit codes, both output streams, and what is left on the disk.

    command_line_test.py --magicwire FILE --source DIR [--cases all|trace-tools] [NAME ...]

Every case works in an empty folder of its own. A NAME picks the cases whose name contains it. A case that fails keeps its
folder and prints where it is; exit code 1.
"""
import json
import os
import re
import sys

from cli_cases import BAD_INPUT, DONE, FOUND, TASK, UNKNOWN, USAGE, case, equal, is_json, main, refuses, simulation, succeeds


# Help and usage


def commands_of(box):
    block = re.search(r"Subcommands:\n(.*?)(?:\n\n|\nExit codes)", succeeds(box.run("--help")), re.S)[1]
    return [line.split()[0].rstrip(",") for line in block.splitlines() if re.match(r"  \S", line)]


@case
def help_is_a_result_and_lists_the_exit_codes(box):
    text = succeeds(box.run("--help"))
    for words in ("0 done, nothing found", "2 wrong usage", "3 input unreadable", "4 the answer is unknown"):
        assert words in text, words
    succeeds(box.run("--version"))


@case
def every_command_has_help_with_its_options(box):
    commands = commands_of(box)
    assert {"describe", "costs", "bugs", "detrek", "tvmfilter"} <= set(commands), commands
    for command in commands:
        text = succeeds(box.run(command, "--help"))
        # The words of cc and of mpicc are the compiler's; a graph is DOT, which programs read. Standard output of record and
        # replay is the program's.
        others = command in ("cc", "mpicc", "mpicxx", "graph", "record", "replay")
        assert "Usage" in text and ("--json" in text or "Subcommands:" in text or others), command


@case
def wrong_usage_is_told_on_standard_error(box):
    for arguments in ([], ["bogus"], ["describe"], ["describe", "a", "b"], ["costs", "--bogus"]):
        result = box.run(*arguments)
        equal(result.returncode, USAGE, f"exit code of {arguments}")
        equal(result.stdout, "", "standard output")
        assert "--help" in result.stderr, result.stderr
    equal(box.files(), [], "files")


@simulation
def a_seed_that_is_no_number_from_zero_is_wrong_usage(box):
    scenario = box.scenario()
    for seed in ("-1", "x", "1.5", "", "+1", "1x", "9223372036854775808", "18446744073709551615", "18446744073709551617"):
        result = box.run("run", scenario, "--seed", seed)
        equal(result.returncode, USAGE, f"exit code of seed {seed}")
        equal(result.stdout, "", "standard output")
        assert "--seed" in result.stderr, result.stderr


@simulation
def the_largest_seed_is_taken_as_it_is(box):
    text = succeeds(box.run("run", box.scenario(), "--seed", "9223372036854775807", "--json"))
    equal(json.loads(text)["seed"], 9223372036854775807, "seed")


@simulation
def the_line_that_repeats_a_run_can_be_pasted_into_a_shell(box):
    box.write("a b.yaml", box.read(box.scenario()))
    text = succeeds(box.run("run", "a b.yaml", "--seed", "7", "--set", "farm.tasks=10", "--json"))
    data = json.loads(text)
    equal(data["repeat"], "magicwire run 'a b.yaml' --seed 7 --set farm.tasks=10", "repeat")
    again = box.shell(data["repeat"] + " --json")
    equal(json.loads(succeeds(again))["run_hash"], data["run_hash"], "run hash")


@simulation
def slower_memory_makes_a_run_longer(box):
    scenario, times = box.scenario(), []
    for access in ("1", "3", "4", "6"):
        times.append(json.loads(succeeds(box.run("run", scenario, "--set", f"memory.external_access={access}", "--json")))["modelled_us"])
    equal(times, sorted(times), "modelled times from on-chip memory to external memory of six cycles")
    equal(len(set(times)), 4, "number of different times")
    refuses(box, ["run", scenario, "--set", "memory.external_access=2"],
            "s.yaml: cost 'memory.external_access' is 2, but must be 1 (as on chip), 3, 4, 5 or 6 cycles")


# Tables


@case
def tables_can_be_had_as_json(box):
    machine = box.source / "topologies/machines/btree_8_c004.yaml"
    is_json(succeeds(box.run("costs", "--json")), "magicwire.costs/1")
    is_json(succeeds(box.run("bugs", "--json")), "magicwire.bugs/1")
    is_json(succeeds(box.run("describe", machine, "--json")), "magicwire.describe/1")
    text = succeeds(box.run("costs"))
    assert re.search(r"^kernel\.rendezvous +60 us +cycles +A ", text, re.M) and re.search(r"^processor\.timeslice +1024 us +time +V ", text, re.M), text
    assert re.search(r"^kernel\.most_packet +4096 bytes +- +D ", text, re.M), text
    succeeds(box.run("bugs"))
    succeeds(box.run("describe", machine))


@case
def faults_lists_every_verb_with_an_example(box):
    text = succeeds(box.run("faults"))
    verbs = is_json(succeeds(box.run("faults", "--json")), "magicwire.faults/1")["verbs"]
    for verb in verbs:
        assert verb["verb"] in text and verb["example"] in text, verb
    plan = "version: 1\nfaults:\n" + "".join(f"  - {{{verb['example']}}}\n" for verb in verbs)
    machine = box.source / "topologies" / "machines" / "btree_8_c004.yaml"
    checked = succeeds(box.run("faults", box.write("all.faults", plan), "--machine", machine))
    equal(len(checked.splitlines()), 1 + len(verbs), "lines of the plan in words")


@case
def a_fault_that_the_machine_cannot_have_is_refused(box):
    plan = box.write("p.faults", "version: 1\nfaults: [{die: n8, at: 1ms}]\n")
    machine = box.source / "topologies" / "machines" / "btree_8.yaml"
    refuses(box, ["faults", plan, "--machine", machine], "p.faults:2:16: machine 'btree_8' has no node 'n8': it has n0 to n7; name one of these")


@simulation
def a_plan_on_the_command_line_strikes_and_is_told(box):
    plan = box.write("p.faults", "version: 1\nfaults: [{die: n3, on: {task: 3, step: start}}]\n")
    result = succeeds(box.run("run", box.scenario(), "--faults", plan, "--exit-zero"))
    assert "1 die n3 (when task 3 starts): struck at" in result, result
    assert "--faults p.faults" in result.split("repeat")[1], result


@simulation
def bugs_explains_every_kind_with_an_example_that_a_scenario_takes(box):
    text = succeeds(box.run("bugs"))
    kinds = is_json(succeeds(box.run("bugs", "--json")), "magicwire.bugs/1")["bugs"][1:]
    assert len(kinds) == 15, kinds
    box.write("p.bugs", "version: 1\nbugs: []\n")
    scenario = box.scenario(("{tasks: tasks.dat}", "{tasks: tasks.dat, bugs: p.bugs}"))
    for kind in kinds:
        assert kind["name"] in text and kind["seen"] and kind["processes"], kind
        box.write("p.bugs", f"version: 1\nbugs:\n  - {{{kind['example']}}}\n")
        succeeds(box.run("bugs", "p.bugs"))
    box.write("p.bugs", "version: 1\nbugs: [{kind: slow, task: 7-19, process: compute, factor: 2}]\n")
    equal(succeeds(box.run("bugs", "p.bugs", "--scenario", scenario)), "1 bug\n    1 slow by 2 in compute of tasks 7-19: before it sends the result\n",
          "the list in words")
    is_json(succeeds(box.run("bugs", "p.bugs", "--json")), "magicwire.bug_list/1")


@simulation
def a_bug_list_that_the_farm_cannot_have_is_refused(box):
    bugs = box.write("p.bugs", "version: 1\nbugs: [{kind: slow, task: 20, process: compute, factor: 2}]\n")
    message = "p.bugs:2:8: the farm has tasks 0 to 19, and no task 20; name one of these"
    refuses(box, ["bugs", bugs, "--scenario", box.scenario()], message)
    refuses(box, ["run", "s.yaml", "--bugs", bugs, "--out", "out"], message)


@simulation
def a_bug_list_on_the_command_line_strikes_and_is_told(box):
    bugs = box.write("p.bugs", "version: 1\nbugs: [{kind: waits-for-ever, task: 3, process: compute}]\n")
    result = succeeds(box.run("run", box.scenario(), "--bugs", bugs, "--exit-zero", "--out", "out"))
    assert "1 waits-for-ever in compute of task 3: struck on n" in result, result
    assert "comp_fn() is in task 3\n" in result, result
    assert "--bugs p.bugs" in result.split("repeat")[1], result
    oracle, summary = json.loads(box.read("out/oracle.json")), json.loads(box.read("out/summary.json"))
    strike = oracle["planted"][0]["strikes"][0]
    equal((oracle["planted"][0]["kind"], strike["task"], strike["process"]), ("waits-for-ever", 3, "comp_fn()"), "what was planted")
    assert strike["visible"]["verdict"] in ("certain", "likely") and strike["visible"]["node"] == strike["node"], strike
    assert "bugs" in [file["role"] for file in summary["inputs"]], summary["inputs"]
    assert "is in task 3" in [line["text"] for line in summary["standing"]], summary["standing"]


@case
def a_reader_that_closes_the_pipe_is_no_error(box):
    for line in ("magicwire costs | head -1", "magicwire costs --json | true", "magicwire --help | head -1"):
        result = box.shell("set -o pipefail; " + line)
        assert result.returncode in (0, 128 + 13), result.returncode
        equal(result.stderr, "", "standard error")


# Machines

HEAD = "version: 1\nname: bad\nnodes: {count: 3, ram: 4MiB}\nhost: n0.0\nlinks:\n  - n0.1 - n1.0\n"


@case
def a_machine_with_a_fifth_link_is_refused(box):
    box.write("m.yaml", HEAD + "  - n1.4 - n2.0\n")
    refuses(box, ["describe", "m.yaml"], "m.yaml:7:5: there is no link 'n1.4': a T800 has links 0 to 3; use one of these")


@case
def a_machine_with_an_odd_link_is_refused(box):
    box.write("m.yaml", HEAD + "  - n1.1\n")
    refuses(box, ["describe", "m.yaml"], "m.yaml:7:5: 'n1.1' names 1 end, but a wire has two; write it as in 'n0.1 - n1.0'")


@case
def a_machine_that_is_not_there_is_refused(box):
    refuses(box, ["describe", "no.yaml"], "no.yaml: cannot be read: No such file or directory; check the path")
    refuses(box, ["costs", "no.yaml"], "no.yaml: cannot be read: No such file or directory; check the path")


# Scenarios


@simulation
def a_run_without_fault_ends_with_0(box):
    text = succeeds(box.run("run", box.scenario(), "--out", "out"))
    assert "***** Final Report*****" in text and "run hash" in text, text
    data = is_json(succeeds(box.run("run", "s.yaml", "--json")), "magicwire.run/1")
    equal(data["results"], 20, "results")
    equal(data["verdict"]["schema"], "magicwire.detrek/1", "schema of the verdict")
    equal(is_json(box.read("out/summary.json"), "magicwire.run/1")["run_hash"], data["run_hash"], "run hash")
    is_json(box.read("out/oracle.json"), "magicwire.oracle/1")
    is_json(succeeds(box.run("overhead", "s.yaml", "--json")), "magicwire.overhead/2")


@simulation
def the_same_run_gives_the_same_bytes_whatever_the_folder_is_called(box):
    scenario = box.scenario()
    succeeds(box.run("run", scenario, "--out", "a"))
    succeeds(box.run("run", scenario, "--out=b/"))
    names = sorted(path.name for path in (box.folder / "a").iterdir())
    equal(sorted(path.name for path in (box.folder / "b").iterdir()), names, "files")
    for name in names:
        assert (box.folder / "a" / name).read_bytes() == (box.folder / "b" / name).read_bytes(), f"{name} differs"


CRASH = TASK + TASK.replace("0  20", "5  20", 1).replace("1000 0", "1000 4") + TASK.replace("0  20", "6  20", 1)


@simulation
def a_fault_ends_with_1_and_an_unknown_answer_with_4(box):
    dc8 = box.source / "examples/thesis/dc8.yaml"
    succeeds(box.run("run", dc8, "--out", "out"), FOUND)
    succeeds(box.run("detrek", "-cp", "out/data"), FOUND)
    succeeds(box.run("run", dc8, "--exit-zero"), DONE)
    # Nobody watched, so nobody knows.
    succeeds(box.run("run", box.scenario(tasks=CRASH, monitor="")), UNKNOWN)
    # Everything was lost.
    lost = "monitor: {unload: [[1000s, 256, 256]]}\n"
    succeeds(box.run("run", box.scenario(tasks=CRASH, monitor=lost), "--set", "monitor.events="), UNKNOWN)


@simulation
def the_image_program_of_the_thesis_runs_beside_the_binary(box):
    text = succeeds(box.run("run", box.source / "examples/thesis/chain6.yaml"))
    equal(text.count(" belongs to: "), 5, "groups printed")
    text = box.run("run", box.source / "examples/thesis/chain6_bug.yaml").stdout
    equal(text.count(" belongs to: "), 0, "groups printed by the program with the bug")


@simulation
def the_examples_of_tmon_run_to_their_end(box):
    for example in ("farm", "all_events"):
        data = json.loads(succeeds(box.run("run", box.source / f"examples/tmon/{example}.yaml", "--json")))
        equal(data["finished"], True, f"{example}: farm finished")


@simulation
def tmon_on_a_machine_without_interrupt_wires_is_refused(box):
    result = box.run("run", box.source / "examples/thesis/dc8.yaml", "--set", "monitor.kind=tmon")
    equal(result.returncode, BAD_INPUT, "exit code")
    assert "add 'interrupts: {master: n0}' to the machine file" in result.stderr, result.stderr


@simulation
def a_scenario_that_is_not_there_is_refused(box):
    refuses(box, ["run", "no.yaml", "--out", "out"], "no.yaml: cannot be read: No such file or directory; check the path")
    refuses(box, ["overhead", "no.yaml"], "no.yaml: cannot be read: No such file or directory; check the path")


@simulation
def a_wrong_key_is_refused_with_the_nearest(box):
    scenario = box.scenario(("tasks: 20", "task: 20"))
    refuses(box, ["run", scenario, "--out", "out"], "s.yaml:4:32: unknown key 'task', did you mean 'tasks'?")


@simulation
def a_negative_time_is_refused(box):
    scenario = box.scenario(("1000s", "-1000s"))
    refuses(box, ["run", scenario, "--out", "out"], "s.yaml:6:21: '-1000s' is negative, but times start at 0; write 0 or more, as in '20us'")


@simulation
def a_bad_machine_is_refused_with_its_own_position(box):
    box.scenario(machine=HEAD + "  - n1.4 - n2.0\n")
    refuses(box, ["run", "s.yaml", "--out", "out"], "machine.yaml:7:5: there is no link 'n1.4': a T800 has links 0 to 3; use one of these")


@simulation
def a_task_line_of_14_numbers_is_refused(box):
    box.scenario(tasks=TASK + "5  20 10 0  140 1000 0  10 10 0  100 10 0  100\n")
    refuses(box, ["run", "s.yaml", "--out", "out"],
            "tasks.dat:2:1: a task has 16 numbers and this line has 14; give the task number, then time, space and bug id for generate, compute, "
            "post-process, split and join")


@simulation
def an_unload_sequence_out_of_order_is_refused(box):
    box.write("u.txt", "2000 0 0\n1000 0 0\n")
    text = "time 1000 us does not come after 2000 us of the line before; put the lines in the order of their times"
    box.scenario(monitor="monitor: {unload: u.txt}\n")
    refuses(box, ["run", "s.yaml", "--out", "out"], "u.txt:2:1: " + text)
    box.scenario(monitor="monitor: {unload: [[2ms, 0, 0], [1ms, 0, 0]]}\n")
    refuses(box, ["run", "s.yaml", "--out", "out"], "s.yaml:6:33: " + text)


@simulation
def a_bad_setting_is_refused(box):
    scenario = box.scenario()
    refuses(box, ["run", scenario, "--set", "farm.tasks"], "--set farm.tasks: expected NAME=VALUE, for example --set kernel.rendezvous=30")
    refuses(box, ["run", scenario, "--set", "farm.tsks=1"], "--set farm.tsks=1: there is no setting or cost 'farm.tsks', did you mean 'farm.tasks'?")


@simulation
def a_limit_of_modelled_time_ends_the_run(box):
    refuses(box, ["run", box.scenario(), "--set", "end.limit=1us", "--out", "out"],
            "the machine did not boot within the scenario's limit of modelled time; raise end.limit")


@simulation
def a_monitored_tree_that_the_machine_has_not_goes_over_the_network(box):
    scenario = box.scenario(("binary", "chain"))
    out = succeeds(box.run("run", scenario, "--out", "out"))
    assert "are no links of the machine; their messages go over the network" in out and "No fault: all 20 tasks were seen to finish." in out, out
    bill = succeeds(box.run("overhead", scenario))
    assert "trace messages" in bill, bill
    chosen = succeeds(box.run("schedule", scenario, "--max-overhead", "5%"))
    assert "monitor.unload=" in chosen and "a prediction by formulas needs a tree whose branches are links, since they count" in chosen, chosen


@simulation
def an_existing_folder_is_not_replaced_and_no_work_is_done_for_it(box):
    # A scenario that would take minutes: the refusal must come first.
    scenario = box.scenario(("tasks: 20", "tasks: 20000000"))
    (box.folder / "out").mkdir()
    box.write("out/mine", "precious")
    refuses(box, ["run", scenario, "--out", "out"], "out: already exists and is not replaced; name another folder with --out, or add --force")
    refuses(box, ["run", scenario, "--out", "out", "--force"],
            "out: holds no run of magicwire (no oracle.json or summary.json) and is not replaced; name another folder with --out")
    refuses(box, ["run", scenario, "--out", ".", "--force"],
            ".: is the current folder or one around it and is not replaced; name another folder with --out")
    (box.folder / "out/mine").unlink()
    (box.folder / "out").rmdir()
    succeeds(box.run("run", scenario, "--set", "farm.tasks=20", "--out", "out"))
    box.write("out/mine", "of the earlier run")
    succeeds(box.run("run", scenario, "--set", "farm.tasks=20", "--out", "out", "--force"))
    assert "out/mine" not in box.files() and "out/summary.json" in box.files(), box.files()
    assert not any("incomplete" in name or "replaced" in name for name in box.files()), box.files()


@simulation
def a_folder_that_cannot_be_made_leaves_nothing(box):
    box.write("file", "")
    box.scenario()
    refuses(box, ["run", "s.yaml", "--out", "file/out"], "file/out: cannot be written: Not a directory; name another folder with --out")


# Totals


@simulation
def totals_of_a_run_are_shown_as_asked(box):
    scenario = box.scenario()
    assert re.search(r"^  n7 +\d", succeeds(box.run("run", scenario)), re.M)
    assert "busy%" not in succeeds(box.run("run", scenario, "--totals", "none"))
    equal(box.run("run", scenario, "--totals", "some").returncode, USAGE, "exit code")


if __name__ == "__main__":
    sys.exit(main(__doc__))
