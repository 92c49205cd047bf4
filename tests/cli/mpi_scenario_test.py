#!/usr/bin/env python3
"""MPI programs in scenarios: run, its files and exit codes, the monitor's trace, the bill, faults, forks, shell.

    mpi_scenario_test.py --magicwire FILE --source DIR [NAME ...]
"""
import json
import re
import sys

from cli_cases import BAD_INPUT, DONE, FOUND, case, equal, main, succeeds

BUDGET, UNKNOWN = 6, 4
PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
    int rank, size, value = 0;
    char line[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "waits") == 0) MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(what, "aborts") == 0 && rank == 2) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(what, "crashes") == 0 && rank == 1) *(volatile int*)8 = 1;
    if (strcmp(what, "sleeps") == 0) sleep(3);
    if (strcmp(what, "reads") == 0 && rank == 0 && fgets(line, sizeof line, stdin) != NULL) printf("got %s", line);
    for (int i = 0; i < 60; ++i) {
        MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(2000);
    }
    printf("rank %d of %d: %d\\n", rank, size, value);
    MPI_Finalize();
    return strcmp(what, "fails") == 0 && rank == 3 ? 9 : 0;
}
"""
MONITOR = "monitor: {unload: [[1000s, 8, 32]], events: [message]}\n"


def scenario(box, more="", np=4):
    box.write("prog.c", PROGRAM)
    equal(box.run("mpicc", "-O1", "-o", "prog", "prog.c").returncode, DONE, "mpicc")
    box.write("s.yaml", f'version: 1\nname: s\nmachine: "ring:4"\napplication: {{mpi: prog, np: {np}}}\n{more}')


def run(box, *words, end=DONE):
    """What the run tells as JSON."""
    done = box.run("run", "s.yaml", "--json", *words)
    equal((done.returncode, done.stderr), (end, ""), f"run {words}")
    return json.loads(done.stdout)


def mode(word):
    return ("--set", f"application.args={word}")


@case
def a_run_tells_of_each_rank(box):
    scenario(box, np=6)
    told = run(box)
    equal(sorted(told["console"].splitlines()), [f"rank {rank} of 6: 15" for rank in range(6)], "output")
    equal((told["end"], told["model"], told["tasks"], told["results"], told["finished"]), ("the program ended", "mpi", 6, 6, True), "the end")
    equal([line["node"] for line in told["mpi"]["ranks"]], [0, 1, 2, 3, 0, 1], "places")
    by_slot = run(box, "--set", "application.map=slot")
    equal([line["node"] for line in by_slot["mpi"]["ranks"]], [0, 0, 1, 1, 2, 2], "places by slot")
    assert told["run_hash"] != by_slot["run_hash"], "run hash with other places"


@case
def exit_codes_are_the_programs(box):
    scenario(box)
    equal(run(box, *mode("aborts"), end=7)["mpi"]["aborted"], {"rank": 2, "code": 7}, "MPI_Abort()")
    equal(run(box, *mode("fails"), end=9)["mpi"]["end"], "ended", "end of a rank with 9")
    crashed = run(box, *mode("crashes"), end=139)["mpi"]
    assert crashed["end"] == "crashed" and "prog.c:" in crashed["diagnoses"][0]["text"], crashed
    equal(run(box, *mode("sleeps"))["mpi"]["end"], "ended", "ranks that sleep do not stand still")
    equal(run(box, *mode("sleeps"), "--set", "end.limit=1500ms", end=BUDGET)["mpi"]["end"], "limit", "the limit")


@case
def a_standstill_is_told_as_mpirun_tells_it(box):
    scenario(box)
    own = run(box, *mode("waits"), end=FOUND)["mpi"]
    mpirun = json.loads(box.run("mpirun", "-np", "4", "--machine", "ring:4", "--json", "./prog", "waits").stdout)
    equal((own["end"], own["waits"], own["cycle"]), ("standstill", mpirun["waits"], [0, 1, 2, 3]), "who waits")


@case
def it_reads_and_takes_arguments(box):
    scenario(box)
    box.write("input.txt", "a line\n")
    told = run(box, *mode("[reads, more]"), "--set", "application.input=input.txt")
    assert "got a line\n" in told["console"], told["console"]


@case
def the_trace_has_the_messages_of_the_ranks(box):
    scenario(box, MONITOR)
    for folder in ("a", "b"):
        succeeds(box.run("run", "s.yaml", "--out", folder))
    for name in ("data.mwt", "summary.json", "oracle.json"):
        equal((box.folder / "a" / name).read_bytes() == (box.folder / "b" / name).read_bytes(), True, f"same bytes of {name}")
    told = box.run("sort", "a/data.mwt").stderr
    assert "backwards       0 messages" in told and re.search("; 0 records reported without a cause", told), told
    truth = json.loads(box.read("a/oracle.json"))
    assert truth["events"] > 4 * 20, truth["events"]
    seen = {node["node"]: node["recorded"] for node in truth["nodes"]}
    assert all(seen[node] > 40 for node in range(4)), seen
    order = json.loads(succeeds(box.run("order", "s.yaml", "--json")))
    by_cause = order["orders"][0]
    equal((by_cause["name"], by_cause["backwards"]), ("cause", 0), "messages backwards in causal order")


@case
def the_bill_adds_up(box):
    scenario(box, MONITOR)
    bill = json.loads(succeeds(box.run("overhead", "s.yaml", "--json")))
    equal((bill["monitored"]["results"], bill["twin"]["results"]), (4, 4), "ranks that ended")
    spans = bill["monitored"]["span_ps"] - bill["twin"]["span_ps"]
    assert spans > 0, "the monitor costs time"
    for by in ("cause", "node", "link", "probe", "class"):
        equal(sum(line["difference_ps"] for line in bill["bill"][by]), spans, f"sum by {by}")


@case
def a_fault_that_stops_it_is_told(box):
    scenario(box, MONITOR)
    cut = run(box, "--set", "fault=cut n0.1 - n1.0 at 850ms", end=FOUND)
    equal(cut["mpi"]["end"], "standstill", "a cut link")
    assert cut["modelled_us"] < 20e6 and cut["mpi"]["waits"], cut["mpi"]
    died = run(box, "--set", "monitor=off", "--set", "fault=die n3 at 850ms", end=FOUND)
    equal([wait["rank"] for wait in died["mpi"]["waits"] if wait.get("node_stopped")], [3], "the rank of the dead node")
    early = run(box, "--set", "fault=die n3 at 300ms", end=UNKNOWN)
    assert early["mpi"]["end"] == "never began" and "rank 3 on n3" in early["diagnosis"], early


@case
def a_fork_without_a_change_is_the_run(box):
    scenario(box, MONITOR)
    told = json.loads(succeeds(box.run("run", "s.yaml", "--json", "--fork-at", "750ms", "--what-if", "", "--what-if", "fault=die n2")))
    base, same, dead = told["branches"]
    equal({**base, "name": 0, "changes": 0}, {**same, "name": 0, "changes": 0}, "unchanged branch")
    equal((base["run_hash"], base["farm"]), (run(box)["run_hash"], "ended"), "the run without forks")
    equal((dead["farm"], dead["verdict"]["kind"]), ("standstill", "standstill"), "branch with a dead node")


@case
def the_shell_shows_ranks_and_goes_back(box):
    scenario(box, MONITOR)
    told = succeeds(box.run("shell", "s.yaml", input="run until 750ms\nranks\nsnapshot a\nrun until +1ms\nback a\nranks\nrun\nverdict\n"))
    first, second = (part.split("snapshot")[0].split("The run")[0] for part in told.split("RANK")[1:])
    equal([line.split()[:3] for line in first.splitlines()], [line.split()[:3] for line in second.splitlines()], "ranks after 'back'")
    shown = succeeds(box.run("shell", "s.yaml", "--json", input="run until 750ms\nranks\n")).splitlines()
    (ranks,) = (answer["data"]["ranks"] for answer in map(json.loads, shown) if answer["command"] == "ranks")
    equal([(line["rank"], line["node"]) for line in ranks], [(0, 0), (1, 1), (2, 2), (3, 3)], "ranks in JSON")
    assert "4 of 4 ranks have ended" in told and "all ranks ended with exit code 0" in told, told


@case
def mistakes_are_told_with_their_place(box):
    scenario(box)
    head = 'version: 1\nname: s\nmachine: "ring:4"\n'
    for more, where, words in (("application: {mpi: prog}\n", "4:14", "'np' is missing"),
                               ("application: {mpi: none, np: 2}\n", "4:20", "there is no file"),
                               ("application: {mpi: prog, np: 0}\n", "4:30", "1 to 1024"),
                               ("application: {mpi: prog, np: 2, map: turn}\n", "4:38", "write node or slot"),
                               ("application: {mpi: prog, np: 2, grain: 1ms}\n", "4:40", "setting of a farm"),
                               ("application: {mpi: prog, np: 2}\nfarm: {nodes: 4}\n", "5:7", "needs no tree"),
                               ("application: {mpi: prog, np: 2}\nfault: '{die: n1, on: {task: 1, step: start}}'\n", "", "no tasks")):
        box.write("wrong.yaml", head + more)
        done = box.run("run", "wrong.yaml")
        equal(done.returncode, BAD_INPUT, f"exit code of {more}")
        assert (not where or f"wrong.yaml:{where}:" in done.stderr) and words in done.stderr, done.stderr
    for command in ("predict",):
        done = box.run(command, "s.yaml")
        equal(done.returncode, BAD_INPUT, command)
        assert "runs an MPI program" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(main(__doc__))
