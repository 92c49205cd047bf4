#!/usr/bin/env python3
"""MPI programs that kept logs for flowback: values over ranks, costs, limits.

    flowback_mpi_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py, flowback_farms.py and flowback_ranks.py. Answers about random programs are held against a judge:
tests/flowback/judge_ranks.py.
"""
import json
import shutil
import sys

from cli_cases import BAD_INPUT, DONE, case, main
from flowback_farms import child, why
from flowback_ranks import asked, equal, made

@case
def a_sum_through_a_chain_of_six(box):
    """Each rank adds its own to what came from the one before."""
    at = made(box, """    int sum = 0, own = 10 * rank + 1;
    if (rank > 0)
        MPI_Recv(&sum, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += own;
    if (rank < size - 1)
        MPI_Send(&sum, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
    printf("%d\\n", sum);""", ranks=6)
    node = why(box, asked("rank5:sum", at), "--depth", "20")
    for rank in range(5, 0, -1):
        equal((node["title"], node["certainty"], node["place"]),
              (f"sum = {sum(10 * each + 1 for each in range(rank + 1))}", "certain", f"prog.c:{at['sum += own;']}"))
        receive = child(node, "")
        equal(receive["place"], f"prog.c:{at['MPI_Recv(&sum, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);']}")
        node = receive["children"][0]
        assert node["role"].endswith(f"(rank {rank - 1})"), node["role"]
    equal(node["title"], "sum = 1")


@case
def a_reduction_leads_to_the_variable_of_each_rank(box):
    """The library's own memory is passed through, in one call and in one that goes on in others."""
    for call in ("MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
                 "MPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);"):
        at = made(box, f"""    int own = rank * rank + 2, all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    {call}
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("%d\\n", all);""", ranks=5)
        node = why(box, asked("rank3:all", at))
        equal((node["title"], node["certainty"], node["place"]), ("all = 40", "certain", f"prog.c:{at[call]}"))
        values = sorted(int(each["title"].split(" = ")[1]) for each in node["children"] if each["role"].startswith("combined"))
        equal(values, [2, 3, 6, 11, 18])


@case
def a_receive_that_came_in_another_call(box):
    """The call that began it belongs to the slice, and not the one in which the library made progress."""
    at = made(box, """    int in[2] = {0, 0}, out = rank + 5, token = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&in[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Recv(&token, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%d\\n", in[1]);
    } else {
        MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }""", ranks=2)
    line = at['printf("%d\\n", in[1]);']
    node = why(box, f"rank0:in[1]@{line}")
    equal((node["title"], node["place"]), ("in[1] = 6", f"prog.c:{at['MPI_Irecv(&in[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);']}"))
    assert any("it happened during MPI_Recv()" in note for note in node["notes"]), node["notes"]
    done = box.run("flowback", "out", "--slice", f"rank0:in[1]@{line}", "--json")
    sliced = {(each["rank"], int(each["place"].split(":")[1])) for each in json.loads(done.stdout)["lines"]}
    assert (1, at["MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);"]) in sliced, sliced
    assert (0, at["MPI_Recv(&token, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"]) not in sliced, sliced


@case
def a_status_depends_on_the_sender(box):
    """Also where the receive takes any source and tag; a function of the program that combines is followed itself."""
    at = made(box, """    int in[3] = {0, 0, 0}, count = 0, best = 0;
    MPI_Status status;
    MPI_Op op;
    if (rank == 1) MPI_Send(in, 2, MPI_INT, 0, 40, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
    }
    MPI_Op_create(odd, 1, &op);
    MPI_Reduce(&rank, &best, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    printf("%d %d %d\\n", count, status.MPI_TAG, best);""", """static void odd(void* in, void* out, int* count, MPI_Datatype* type) {
    (void)count, (void)type;
    *(int*)out = *(int*)out + 2 * *(int*)in;
}""", ranks=2)
    line = at['printf("%d %d %d\\n", count, status.MPI_TAG, best);']
    equal(why(box, f"rank0:count@{line}")["title"], "count = 2")
    equal(why(box, f"rank0:status.MPI_TAG@{line}")["title"], "status.MPI_TAG = 40")
    done = box.run("flowback", "out", "--slice", f"rank0:count@{line}", "--json")
    assert 1 in {each["rank"] for each in json.loads(done.stdout)["lines"]}, done.stdout
    node = why(box, f"rank0:best@{line}", "--depth", "3")
    equal((node["title"].split(" = ")[0], node["certainty"]), ("best", "certain"))
    done = box.run("flowback", "out", "--slice", f"rank0:best@{line}", "--json")
    assert at["*(int*)out = *(int*)out + 2 * *(int*)in;"] in {int(each["place"].split(":")[1]) for each in json.loads(done.stdout)["lines"]}


@case
def a_call_that_fails_has_unknown_effects(box):
    at = made(box, """    int in[4] = {1, 2, 3, 4}, seen;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) MPI_Send(in, 4, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(in, 2, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen = in[0];
    printf("%d\\n", seen);""", ranks=2)
    node = why(box, f"rank0:in[0]@{at['seen = in[0];']}")
    equal((node["title"], node["certainty"]), ("in[0] = 1", "likely"))


@case
def a_thread_ends_the_log(box):
    made(box, """    int value = 1;
    if (rank == 0) kpar_Na(beside, 0, &value);
    value = 2;
    printf("%d\\n", value);""", """#include <trollius.h>
static void beside(void* data) {
    *(int*)data = 3;
}""", ranks=2)
    processes = {each["rank"]: each for each in json.loads(box.run("flowback", "out", "--json").stdout)["processes"]}
    equal((processes[0]["whole"], processes[1]["whole"]), (False, True))
    assert "thread" in processes[0]["problem"], processes[0]


@case
def logs_may_stay_or_cost_nothing(box):
    """The answer does not depend on the way of the logs; the time does."""
    body = """    int own = rank, all = 0;
    for (int i = 0; i < 40; ++i) {
        MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        own = all % 97 + rank;
    }
    printf("%d\\n", own);"""
    answers, times = set(), {}
    for store in ("host", "node", "free"):
        at = made(box, body, more=("--store", store, "-v"))
        node = why(box, asked("rank2:own", at))
        answers.add((node["title"], node["certainty"]))
        done = box.run("mpirun", "-np", "4", "--flowback", f"out_{store}", "--store", store, "--json", "./prog")
        times[store] = json.loads(done.stdout)["ended_us"]
    equal(len(answers), 1)
    assert times["free"] < times["node"] <= times["host"], times


FLIPPED = """    static int data[250];
    int turn, wrong = 0;
    for (turn = 0; turn < 100; ++turn) {
        for (int i = 0; i < 250; ++i) data[i] = rank == 0 ? turn + i : 0;
        if (rank == 0) MPI_Send(data, 250, MPI_INT, 1, 3, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(data, 250, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < 250; ++i) {
                if (data[i] != turn + i)
                    printf("%d %d %d\\n", turn, i, wrong = data[i]);
            }
        }
    }"""


@case
def a_bit_that_a_fault_flips_is_told(box):
    """The value received is another than the one sent; without the fault nothing of the kind is told."""
    at = made(box, FLIPPED, ranks=2)
    line = at["if (data[i] != turn + i)"]
    node = why(box, f"rank1:data[77]@prog.c:{line}#2000")
    equal([each for each in node["notes"] if "others than" in each], [], "notes")
    done = box.run("mpicc", "-O1", "-o", "prog", "prog.c")
    equal(done.returncode, DONE, done.stdout + done.stderr)
    (box.folder / "flip.yaml").write_text("version: 1\nname: flip\nmachine: chain:2\napplication: {mpi: prog, np: 2}\n"
                                          "faults: flip.faults\n", encoding="utf-8")
    told = []
    for seed in range(1, 30):  # most flips hit a word of the kernel's, and the run stands still
        (box.folder / "flip.faults").write_text(
            f"version: 1\nseed: {seed}\nfaults:\n  - {{flip: n0.1 - n1.0, rate: 5e-5, at: 450ms}}\n", encoding="utf-8")
        shutil.rmtree(box.folder / "out", ignore_errors=True)
        done = box.run("run", "flip.yaml", "--flowback", "--store", "free", "--out", "out", "--progress", "never")
        told = (box.folder / "out/console.txt").read_text(encoding="utf-8").split()
        if told:
            break
    turn, index, wrong = (int(each) for each in told[:3])
    printed = next(number for text, number in at.items() if text.startswith("printf("))
    node = why(box, f"rank1:data[{index}]@prog.c:{printed}#1")
    equal((node["title"], child(node, "sent by")["title"]), (f"data[{index}] = {wrong}", f"data[{index}] = {turn + index}"), "values")
    assert any("they changed on the way" in note for note in node["notes"]), node["notes"]


@case
def a_status_may_tell_of_a_message_that_came_before(box):
    """The sender decides about the count, although its message came in another call. MPI_Wait() leaves MPI_ERROR."""
    at = made(box, """    int in[4], many = rank + 2, count = 0, token = 0;
    MPI_Request request;
    MPI_Status status;
    status.MPI_ERROR = 41;
    if (rank == 0) {
        MPI_Irecv(in, 4, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Recv(&token, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Probe(1, 4, MPI_COMM_WORLD, &status);
        MPI_Recv(in, 4, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(in, many, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Send(in, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
    printf("%d\\n", count + status.MPI_ERROR + status.MPI_TAG);""", ranks=2)
    many = at["int in[4], many = rank + 2, count = 0, token = 0;"]

    def lines(way, question):
        done = box.run("flowback", "out", way, question, "--json")
        answer = json.loads(done.stdout)
        return answer["certainty"], {(each["rank"], int(each["place"].split(":")[1])) for each in answer["lines"]}

    certainty, sliced = lines("--slice", asked("rank0:count", at))
    send = at["MPI_Send(in, many, MPI_INT, 0, 2, MPI_COMM_WORLD);"]
    equal((certainty, (1, send) in sliced, (1, many) in sliced), ("certain", True, True), sliced)
    _, influenced = lines("--forward", f"rank1:many@{send}")
    assert {(0, at["MPI_Wait(&request, &status);"]), (0, at["MPI_Get_count(&status, MPI_INT, &count);"])} <= influenced, influenced
    _, sliced = lines("--slice", asked("rank0:status.MPI_TAG", at))
    assert (1, at["MPI_Send(in, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);"]) in sliced, sliced
    equal(why(box, asked("rank0:status.MPI_ERROR", at))["place"], f"prog.c:{at['status.MPI_ERROR = 41;']}", "MPI_ERROR")


@case
def arguments_that_decide_belong_to_a_slice(box):
    """Displacements, coordinates, and what made a persistent request; a communicator rests on other ranks."""
    at = made(box, """    int own = rank + 7, all[4] = {0}, counts[4], places[4], dims[1] = {4}, flat[1] = {1}, place[1], other, in = 0, key = -rank;
    MPI_Comm grid, turned;
    MPI_Request request;
    for (int i = 0; i < size; ++i) counts[i] = 1;
    for (int i = 0; i < size; ++i) places[i] = size - 1 - i;
    MPI_Gatherv(&own, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, flat, 0, &grid);
    place[0] = (rank + 1) % size;
    MPI_Cart_rank(grid, place, &other);
    MPI_Recv_init(&in, 1, MPI_INT, (rank + 3) % size, 2, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Send(&own, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, 0, key, &turned);
    MPI_Comm_rank(turned, &key);
    printf("%d\\n", all[0] + other + in + key);""")

    def sliced(variable):
        done = box.run("flowback", "out", "--slice", asked(f"rank0:{variable}", at), "--json")
        answer = json.loads(done.stdout)
        return answer["certainty"], {int(each["place"].split(":")[1]) for each in answer["lines"] if each["rank"] == 0}

    certainty, lines = sliced("all[0]")
    equal((certainty, at["for (int i = 0; i < size; ++i) places[i] = size - 1 - i;"] in lines), ("certain", True), lines)
    certainty, lines = sliced("other")
    equal((certainty, at["place[0] = (rank + 1) % size;"] in lines), ("certain", True), lines)
    certainty, lines = sliced("in")
    made_by = at["MPI_Recv_init(&in, 1, MPI_INT, (rank + 3) % size, 2, MPI_COMM_WORLD, &request);"]
    equal((certainty, made_by in lines), ("certain", True), lines)
    equal(sliced("key")[0], "likely", "a communicator's order")


@case
def a_function_that_is_not_prepared_may_change_what_it_sends(box):
    """Never a certain word that the message changed on the way."""
    at = made(box, """    int x = 1, y = 0;
    if (rank == 0) put(1, &x);
    if (rank == 1) MPI_Recv(&y, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d\\n", y);""", """#include <stdarg.h>
static void put(int count, ...) {
    va_list list;
    va_start(list, count);
    int* its = va_arg(list, int*);
    va_end(list);
    *its += 1000;
    MPI_Send(its, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
}""", ranks=2)
    node = why(box, asked("rank1:y", at))
    equal((node["title"], node["certainty"]), ("y = 1001", "likely"), node)
    equal([each for each in node["notes"] if "others than" in each], [], "notes")


@case
def the_price_of_logs_is_billed(box):
    """A scenario with an MPI program, against the plain version by the same compiler."""
    made(box, """    int own = rank, all = 0;
    for (int i = 0; i < 20; ++i) {
        MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        own = all % 97 + rank;
    }
    printf("%d\\n", own);""")
    done = box.run("mpicc", "-O1", "-o", "prog", "prog.c")
    equal(done.returncode, DONE, done.stdout + done.stderr)
    (box.folder / "prog.yaml").write_text("version: 1\nname: prog\nmachine: ring:4\napplication: {mpi: prog, np: 4}\n", encoding="utf-8")
    done = box.run("overhead", "prog.yaml", "--flowback")
    equal(done.returncode, DONE, done.stdout + done.stderr)
    assert "Price of logs for flowback in prog" in done.stdout and "logs for flowback" in done.stdout, done.stdout


@case
def what_cannot_be_done_is_said(box):
    (box.folder / "none.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    done = box.run("mpirun", "-np", "2", "--flowback", "out", "./none")
    equal(done.returncode, BAD_INPUT)
    assert "magicwire prepare" in done.stderr, done.stderr
    equal(box.run("prepare", "none.c").returncode, DONE)
    equal(box.run("mpirun", "-np", "2", "--flowback", "out", "./none").returncode, DONE)
    done = box.run("mpirun", "-np", "2", "--flowback", "out", "./none")
    equal(done.returncode, BAD_INPUT)
    assert "exists already" in done.stderr, done.stderr
    equal(box.run("flowback", "out", "--deadlock").returncode, DONE)


if __name__ == "__main__":
    sys.exit(main(__doc__))
