#!/usr/bin/env python3
"""magicwire farm check as a user runs it: what it finds, what it ends, what it leaves.

    farm_check_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import os
import resource
import signal
import subprocess
import sys

from cli_cases import FOUND, USAGE, case, equal, main, succeeds, wait_until
from farm_cases import SPECIFICATION, program


# Check


@case
def check_does_the_tasks_without_a_machine(box):
    program(box)
    equal(succeeds(box.run("farm", "check", "p")),
          "p.farm: 6 tasks, 3 processors on chain_3\n  functions    data_generator, compute_fn, result_receiver\n"
          "  task_type    int, 4 bytes\n  result_type  int, 4 bytes\n  sequentially it runs to its end and prints\n    sum 55\n", "what is told")


@case
def check_warns_of_a_program_that_charges_nothing(box):
    program(box, source=("    work_us(1000);\n", ""))
    text = succeeds(box.run("farm", "check", "p"))
    assert "Warning: cost is explicit, and no source calls work_us()" in text, text


@case
def check_warns_of_a_split_that_changes_the_result(box):
    succeeds(box.run("farm", "new", "pi", "--kind", "dcvm"))
    box.write("pi/pi.c", box.read("pi/pi.c").replace("whole.area += part.area", "whole.area += part.area * 1.5"))
    text = succeeds(box.run("farm", "check", "pi"), FOUND)
    assert 'Warning: splitting and joining a task gives another result than computing it whole ("sequentially"):' in text, text


@case
def check_finds_a_program_that_fails(box):
    program(box, source=("i < total_tasks(); ++i) sum", "i + 1 < total_tasks(); ++i) sum"))
    text = succeeds(box.run("farm", "check", "p"), FOUND)
    assert "fails: result_receiver() took 5 of 6 results; on the farm it would end while the others are outstanding" in text, text


def check_fails(box, source, sentence, *options):
    program(box, source=source)
    text = succeeds(box.run("farm", "check", "p", *options), FOUND)
    assert f"sequentially it fails: {sentence}" in text, (sentence, text)


COMPUTES = ("    work_us(1000);\n", "    if (square == 25) { %s }\n    work_us(1000);\n")


def at_task_5(statement):
    return COMPUTES[0], COMPUTES[1] % statement


@case
def check_ends_a_function_that_does_not(box):
    advice = "; look for a loop that does not end, or allow more with farm check --seconds"
    for statement in ("volatile int z = 0; for (;;) ++z;", "extern int pause(void); for (;;) pause();"):
        check_fails(box, at_task_5(statement), "compute_fn() ran longer than 1 s at task 5" + advice, "--seconds", "1")
    check_fails(box, ("    int sum = 0;", "    for (volatile int z = 0; z >= 0; z ^= 1) {}\n    int sum = 0;"),
                "result_receiver() ran longer than 1 s" + advice, "--seconds", "1")
    equal(box.run("farm", "check", "p", "--seconds", "0").returncode, USAGE, "no seconds")


@case
def check_ends_a_program_that_does_not_begin(box):
    program(box, source=("void data_generator", "__attribute__((constructor)) static void first(void) { extern void _exit(int); _exit(3); }\nvoid data_generator"))
    box.write("p.farm", SPECIFICATION.replace('  task_type = "int";\n  result_type = "int";\n', ""))
    text = succeeds(box.run("farm", "check", "p"), FOUND)
    assert "fails: the program ended itself (exit) before its functions began; look at the constructors of global objects" in text, text


@case
def check_ends_a_generator_that_does_not(box):
    check_fails(box, ("i < (int)total_tasks()", "i >= 0"),
                "data_generator() made 160 tasks and goes on, and the specification says 6; look for a loop that does not end")


@case
def check_keeps_no_endless_text(box):
    program(box, source=at_task_5('for (;;) printf("%01000000d", 1);'))
    succeeds(box.run("farm", "build", "p"))
    text = succeeds(box.run("farm", "check", "p", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30_000_000, 30_000_000))), FOUND)
    assert ("sequentially it fails: compute_fn() wrote more than a file may hold (1 GB or ulimit -f) at task 5; look for a loop that prints "
            "and does not end") in text, text


def processes_of(box):
    return subprocess.run(["pgrep", "-f", f"{box.folder}/build/p/p.sequential"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()


@case
def check_leaves_nothing_when_it_is_ended(box):
    program(box, source=at_task_5("for (volatile int z = 0; z >= 0; z ^= 1) {}"))
    succeeds(box.run("farm", "build", "p"))
    (box.folder / "temporary").mkdir()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with subprocess.Popen([box.magicwire, "farm", "check", "p"], cwd=box.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "TMPDIR": str(box.folder / "temporary")}) as running:
            wait_until(lambda: len(processes_of(box)) >= 3)
            running.send_signal(number)
            equal(running.wait(10), -number, "how it ended")
        wait_until(lambda: not processes_of(box))
        if number != signal.SIGKILL:
            equal(os.listdir(box.folder / "temporary"), [], "temporary folders")


@case
def check_saves_only_plain_names(box):
    advice = "; give a plain file name: letters, digits, '.', '_' and '-', no folder"
    for name, shown in ((f"{box.folder}/absolute", f"{box.folder}/absolute"), ("../up", "../up"), (".hidden", ".hidden"), ("", ""), ("a b", "a b"),
                        ("a\\033[2J", "a?[2J"), ("x" * 101, "x" * 100)):
        check_fails(box, ('printf("sum', f'trek_save("{name}", &sum, sizeof sum); printf("sum'),
                    f"trek_save() was called with the name '{shown}'{advice}")
    check_fails(box, ('printf("sum', 'trek_save(0, &sum, sizeof sum); printf("sum'),
                "trek_save() was called without a name (a null pointer); give a plain file name")
    assert not (box.folder / "absolute").exists() and not (box.folder.parent / "up").exists()


@case
def check_says_which_function_ended_the_program(box):
    how = "ended the program (exit)"
    advice = "; return from the function instead"
    for call in ("extern void exit(int); exit(0);", "extern void _exit(int); _exit(0);", "extern void exit(int); exit(3);"):
        check_fails(box, at_task_5(call), f"compute_fn() {how} at task 5{advice}")
        check_fails(box, ("    for (int i = 0;", f"    {call}\n    for (int i = 0;"), f"data_generator() {how}{advice}")
        check_fails(box, ('    printf("sum', f'    {call}\n    printf("sum'), f"result_receiver() {how}{advice}")


@case
def check_says_that_a_message_is_too_long(box):
    program(box, source=("do_task(&i, sizeof i)", "do_task(&i, -1)"))
    box.write("p.farm", SPECIFICATION.replace('  task_type = "int";\n', ""))
    text = succeeds(box.run("farm", "check", "p"), FOUND)
    assert "fails: do_task() was called with 4294967295 bytes, and a message has 64 MB at most; look for a wrong size" in text, text


if __name__ == "__main__":
    sys.exit(main(__doc__))
