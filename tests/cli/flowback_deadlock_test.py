#!/usr/bin/env python3
"""Ranks of an MPI program that wait, and whether for ever: flowback --deadlock.

    flowback_deadlock_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py, flowback_farms.py and flowback_ranks.py.
"""
import json
import sys

from cli_cases import DONE, FOUND, UNKNOWN, case, main
from flowback_farms import why
from flowback_ranks import equal, made


def deadlock(box, expected):
    done = box.run("flowback", "out", "--deadlock", "--json")
    equal(done.returncode, expected, done.stdout + done.stderr)
    return json.loads(done.stdout)


RING = """    int in = 0;
    MPI_Recv(&in, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD);"""
SENDS = """    int in = 0, other = 1 - rank;
    MPI_Ssend(&rank, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"""


@case
def waits_that_close_are_a_deadlock(box):
    """A ring of receives; two blocking sends; a collective operation that one rank does not reach."""
    made(box, RING, ranks=3, expected=(FOUND,))
    answer = deadlock(box, FOUND)
    equal((answer["cycle"], answer["certainty"]), ([0, 1, 2], "certain"))
    made(box, SENDS, ranks=2, expected=(FOUND,))
    answer = deadlock(box, FOUND)
    equal((answer["cycle"], [each["wants"][0]["waits"] for each in answer["waiting"]]), ([0, 1], ["to send", "to send"]))
    made(box, """    int in = 0;
    if (rank == 2)
        MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&in, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);""", ranks=3, expected=(FOUND,))
    answer = deadlock(box, FOUND)
    equal((answer["cycle"], answer["waiting"][0]["wants"][0]["of_library"]), ([0, 2], True))
    assert "Deadlock, certain: rank 0 -> rank 2 -> rank 0" in box.run("flowback", "out", "--deadlock").stdout


@case
def a_wrong_tag_is_named(box):
    at = made(box, """    int in[2], left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&rank, 1, MPI_INT, left, rank == 2 ? 4 : 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);""", ranks=4, expected=(FOUND,))
    answer = deadlock(box, FOUND)
    waiting = next(each for each in answer["waiting"] if each["function"] == "MPI_Waitall")
    equal((waiting["rank"], len(waiting["wants"])), (1, 1))
    want = waiting["wants"][0]
    equal((want["peer"], want["tag"], [(each["tag"], each["fits"]) for each in want["untaken"]]), (2, 2, [(4, False)]))
    equal(want["begun"]["place"], f"prog.c:{at['MPI_Irecv(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);']}")
    assert set(answer["cycle"]) == {1, 2}, answer["cycle"]


@case
def a_send_behind_a_false_condition_is_named(box):
    """With the predicate, whose event goes to --why."""
    at = made(box, """    int in = 0, turn = 0;
    if (rank == 0) {
        for (turn = 0; turn < 3; ++turn) in += turn;
        if (ready(turn))
            MPI_Send(&in, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }""", """static int ready(int turn) {
    return turn > 3;
}""", ranks=2, expected=(FOUND,))
    answer = deadlock(box, FOUND)
    (missing,) = answer["waiting"][1]["wants"][0]["missing"]
    equal((missing["send"], missing["decision"]["place"], missing["decided"]),
          (f"prog.c:{at['MPI_Send(&in, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);']}", f"prog.c:{at['if (ready(turn))']}", 0))
    equal(answer["waiting"][0]["wants"][0]["missing"], [])
    assert any("ready() = 0" in each["title"] for each in why(box, missing["decision"]["event"])["children"])


@case
def a_slow_rank_is_no_deadlock(box):
    """One computes when the time is up; another has ended."""
    body = """    int in = 0;
    if (rank == 0) {
        for (int i = 0; i < 2000000; ++i) in += i % 7;
        MPI_Send(&in, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }"""
    made(box, body, ranks=2, more=("--limit", "0.9"), expected=range(256))
    answer = deadlock(box, UNKNOWN)
    equal((answer["cycle"], answer["for_ever"], [each["rank"] for each in answer["waiting"]]), ([], [], [1]))
    made(box, body, ranks=2)
    equal(deadlock(box, DONE)["waiting"], [])
    made(box, """    int in = 0;
    if (rank == 1) exit(0);
    MPI_Recv(&in, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);""", ranks=2, expected=(FOUND,))
    equal(deadlock(box, FOUND)["for_ever"], [0])


@case
def a_send_that_has_left_waits_for_nobody(box):
    """A short message leaves at once, and so does a buffered one; nor is a message of another communicator waited for."""
    body = """    int a = 0, b = 0;
    MPI_Request requests[2];
    if (rank == 0) {
        CALL
        MPI_Send(&a, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&b, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&b, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < 2000000; ++i) a += i % 7;
        MPI_Send(&a, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    (void)requests;"""
    both = "MPI_Sendrecv(&a, 1, MPI_INT, 1, 1, &b, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
    later = ("MPI_Isend(&a, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]); MPI_Irecv(&b, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, "
             "&requests[1]); MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);")
    for call in (both, later):
        made(box, body.replace("CALL", call), ranks=3, more=("--limit", "0.9"), expected=range(256))
        answer = deadlock(box, UNKNOWN)
        equal((answer["cycle"], answer["for_ever"]), ([], []), call)
    made(box, """    int a = 0;
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    if (rank == 0) MPI_Send(&a, 1, MPI_INT, 1, 3, own);
    MPI_Recv(&a, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);""", ranks=2, expected=(FOUND,))
    answer = deadlock(box, FOUND)
    (told,) = answer["waiting"][1]["wants"][0]["untaken"]
    equal((answer["cycle"], told["fits"], told["same_communicator"]), ([0, 1], False, False), told)


@case
def a_run_that_an_error_ended_is_no_deadlock(box):
    made(box, """    int a = 0;
    MPI_Bcast(&a, 1, MPI_INT, rank < 2 ? 0 : 1, MPI_COMM_WORLD);""", ranks=3, expected=range(256))
    answer = deadlock(box, UNKNOWN)
    equal((answer["cycle"], answer["for_ever"]), ([], []), answer["doubts"])


if __name__ == "__main__":
    sys.exit(main(__doc__))
