#!/usr/bin/env python3
"""magicwire farm new, build, check and run as a user runs them: from an empty folder to a result, refusals, exit codes, files.

    farm_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import os
import re
import sys

from cli_cases import BAD_INPUT, FOUND, USAGE, case, equal, main, refuses, succeeds
from farm_cases import SPECIFICATION, program


# A new program


@case
def a_new_program_runs_as_it_is(box):
    told = succeeds(box.run("farm", "new", "pi"))
    assert told.endswith("Next: magicwire farm run pi\n"), told
    text = succeeds(box.run("farm", "run", "pi", "--compare"))
    assert text.startswith("pi is about 3.141592654\n"), text
    for words in ("***** Final Report*****\nConfiguration : Binary Tree\nTotal Nodes = 16\n", "100 of 100 results came back",
                  "\nSequentially the program prints and saves the same.\n"):
        assert words in text, (words, text)


@case
def a_new_program_that_divides_in_cpp_runs_as_it_is(box):
    succeeds(box.run("farm", "new", "deep/sum", "--kind", "dcvm", "--lang", "cpp"))
    equal(box.files(), ["deep", "deep/sum", "deep/sum/sum.cpp", "deep/sum/sum.farm"], "files")
    text = succeeds(box.run("farm", "run", "deep/sum", "--compare"))
    assert text.startswith("pi is about 3.141592654\n") and "prints and saves the same" in text, text
    assert "splitting and joining give the same" in succeeds(box.run("farm", "check", "deep/sum"))


@case
def a_new_program_overwrites_nothing(box):
    succeeds(box.run("farm", "new", "pi"))
    refuses(box, ["farm", "new", "pi"], "pi: already exists and is not replaced; choose another name")
    refuses(box, ["farm", "new", "p i"], "NAME 'p i': the last part of the path becomes a file name; use letters, digits, _ and -")


@case
def a_new_program_compiles_without_a_word(box):
    for kind in ("pfvm", "dcvm"):
        for language in ("c", "cpp"):
            name = f"{kind}_{language}"
            succeeds(box.run("farm", "new", name, "--kind", kind, "--lang", language))
            box.write(f"{name}/{name}.farm", box.read(f"{name}/{name}.farm").replace("Programs\n", 'Programs\n    options = "-Wextra";\n', 1))
            succeeds(box.run("farm", "build", name))


@case
def a_new_programs_name_is_one_for_files(box):
    refuses(box, ["farm", "new", "--", "-x"], "NAME '-x': the last part of the path begins with '-'; begin it with a letter")
    name = "x" * 101
    refuses(box, ["farm", "new", name], f"NAME '{name}': the last part of the path has 101 characters; use 100 at most")
    folder = "y" * 300
    refuses(box, ["farm", "new", f"{folder}/x"],
            f"{folder}/x: the folder cannot be created: File name too long; name one in a place where you can write")
    refuses(box, ["farm", "check", folder],
            f"{folder}: there is neither a specification file nor a folder of this name; 'magicwire farm new {folder}' makes one")


# Names


@case
def a_program_is_named_by_file_stem_or_folder(box):
    succeeds(box.run("farm", "new", "pi"))
    for name in ("pi", "pi/", "pi/pi", "pi/pi.farm", "./pi"):
        succeeds(box.run("farm", "build", name))
    os.rename(box.folder / "pi/pi.farm", box.folder / "pi/other.farm")
    succeeds(box.run("farm", "build", "pi"))
    box.write("pi/third.farm", "")
    refuses(box, ["farm", "build", "pi"], "pi: the folder has several specification files; name one of pi/other.farm, pi/third.farm")
    (box.folder / "empty").mkdir()
    refuses(box, ["farm", "build", "empty"], "empty: the folder has no specification file, NAME.farm; write one, or name another")
    refuses(box, ["farm", "run", "po"],
            "po: there is neither a specification file nor a folder of this name; 'magicwire farm new po' makes one")


# Build


@case
def build_says_what_it_did(box):
    program(box)
    equal(succeeds(box.run("farm", "build", "p")),
          "Compiled p.c; built build/p/p.so\n  task_type    int, 4 bytes\n  result_type  int, 4 bytes\n", "what is told")
    assert succeeds(box.run("farm", "build", "p")).startswith("Nothing has changed since build/p/p.so was built.\n")
    assert succeeds(box.run("farm", "build", "p", "--build", "elsewhere")).startswith("Compiled p.c; built elsewhere/p.so\n")


@case
def a_compile_error_shows_the_users_line_and_one_of_ours(box):
    program(box, source=("int square = ", "int square = cube + "))
    result = box.run("farm", "run", "p")
    equal((result.returncode, result.stdout), (BAD_INPUT, ""), "result")
    assert "p.c:7:18: error: 'cube' undeclared" in result.stderr, result.stderr
    equal(result.stderr.splitlines()[-1], "magicwire: p.farm:9:20: 'p.c' cannot be compiled; correct what the compiler says above", "last line")


# Run


@case
def options_take_the_place_of_the_files_values(box):
    program(box)
    text = succeeds(box.run("farm", "run", "p", "--topology", "BTREE", "--processors", "7", "--tasks", "10", "--compare"))
    assert "sum 285" in text and "Configuration : Binary Tree\nTotal Nodes = 7\n" in text, text
    assert "10 of 10 results" in succeeds(box.run("farm", "run", "p", "--topology", "{n0: [1, 2], n1: [3]}", "--tasks", "10"))
    refuses_here = "--tasks none: 'total_tasks' is 'none', but must be a whole number from 1 to 268435456; write a number in that range"
    refuses(box, ["farm", "run", "p", "--tasks", "none"], refuses_here)
    refuses(box, ["farm", "run", "p", "--topology", "rng:5"],
            "--topology rng:5: 'rng:5' is neither a machine file nor a shape: there is no shape 'rng', did you mean 'ring'?")


@case
def tasks_may_have_fixed_costs(box):
    program(box)
    box.write("times", "* 2ms\n3 50ms\n")
    data = json.loads(succeeds(box.run("farm", "run", "p", "--cost", "times", "--json")))
    equal(data["program"]["costs"], "fixed", "costs")
    assert 52_000 < data["farm_ended_us"] - data["farm_began_us"] < 80_000, data["farm_ended_us"] - data["farm_began_us"]
    refuses(box, ["farm", "run", "p", "--cost", "tims"],
            "--cost tims: 'cost' is 'tims', and there is no such file; write explicit, estimated, or the name of a file of costs")


@case
def a_network_gives_its_best_tree(box):
    program(box)
    text = succeeds(box.run("farm", "run", "p", "--topology", "mesh:3x3", "--compare"))
    assert "6 of 6 results" in text and "Configuration : Given Tree\nTotal Nodes = 9\n" in text, text


@case
def the_order_of_lines_alone_is_no_difference_for_compare(box):
    program(box, source=("sum += *(const int*)get_result(0);", "{ int one = *(const int*)get_result(0); printf(\"%d\\n\", one); sum += one; }"))
    box.write("times", "* 2ms\n0 50ms\n")  # the first result comes last
    text = succeeds(box.run("farm", "run", "p", "--cost", "times", "--compare"))
    said = r"\nSequentially the program prints and saves the same, with its lines in another order: line 1 is '\d+', sequentially '0'\.\n"
    assert re.search(said, text), text
    data = json.loads(succeeds(box.run("farm", "run", "p", "--cost", "times", "--compare", "--json")))["comparison"]
    equal((data["equal"], data["differences"]), (True, ""), "comparison")
    assert re.fullmatch(r"line 1 is '\d+', sequentially '0'", data["other_order"]), data


@case
def a_result_that_depends_on_the_machine_is_shown_by_compare(box):
    program(box, source=("int square = ", "int square = (int)trek_node() + "))
    text = succeeds(box.run("farm", "run", "p", "--compare"), FOUND)
    assert re.search(r"\nOther than sequentially:\nthe printed text differs: line 1 is 'sum \d+', sequentially 'sum 55'\n", text), text
    succeeds(box.run("farm", "run", "p", "--compare", "--exit-zero"))


@case
def a_message_of_another_size_than_its_type_is_told(box):
    program(box, source=("return_result(&square, sizeof square)", "return_result(&square, 3)"))
    text = succeeds(box.run("farm", "run", "p"), FOUND)
    assert "calls return_result() with 3 bytes, and result_type 'int' has 4" in text, text


@case
def a_farm_that_divides_needs_the_functions(box):
    program(box)
    result = box.run("farm", "run", "p", "--set", "farm.degree=2")
    equal((result.returncode, result.stdout), (BAD_INPUT, ""), "result")
    assert "has no split_fn(), which a farm that divides its tasks needs; write it, or set farm.degree to 1" in result.stderr, result.stderr


@case
def the_same_run_gives_the_same_bytes(box):
    program(box)
    first = succeeds(box.run("farm", "run", "p", "--json"))
    equal(succeeds(box.run("farm", "run", "p", "--json", "--build", "b")), first, "second run")
    data = json.loads(first)
    equal((data["schema"], data["results"], data["program"]["costs"]), ("magicwire.run/1", 6, "explicit"), "what it says")
    again = succeeds(box.shell(data["repeat"] + " --json"))
    equal(json.loads(again)["run_hash"], data["run_hash"], "run hash of the repeated run")


@case
def json_has_the_comparison(box):
    program(box)
    data = json.loads(succeeds(box.run("farm", "run", "p", "--json", "--compare")))
    equal(data["comparison"], {"equal": True, "differences": "", "other_order": "", "printed": "sum 55\n", "sequentially": "sum 55\n"}, "comparison")


@case
def a_monitored_run_has_a_verdict_and_its_files(box):
    program(box)
    text = succeeds(box.run("farm", "run", "p", "--monitor", "--out", "out"))
    assert "\nNo fault: all 6 tasks were seen to finish.\n" in text, text
    assert (box.folder / "out/data.tvm").exists()
    refuses(box, ["farm", "run", "p", "--out", "out"], "out: already exists and is not replaced; name another folder with --out, or add --force")


@case
def streams_are_led_where_the_specification_says(box):
    box.write("numbers.txt", "41")
    program(box, specification=("Configuration\n", "Interface\n  input_stream = numbers.txt;\n  output_stream = said.txt;\nConfiguration\n"),
            source=("int sum = 0;", "int sum = 0; char c[3] = {0}; if (trek_read(c, 2) == 2) sum = (c[0] - '0') * 1000;"))
    text = succeeds(box.run("farm", "run", "p", "--compare"))
    equal(box.read("said.txt"), "sum 4055\n", "said.txt")
    assert "sum 4055" not in text and "printed      said.txt (9 bytes)" in text, text
    box.write("p.farm", SPECIFICATION)
    box.write("more.txt", "7x")
    assert "sum 7055" in succeeds(box.run("farm", "run", "p", "--input", "more.txt"))
    refuses(box, ["farm", "run", "p", "--input", "none.txt"], "--input none.txt: cannot be read; name a file, or - for standard input")
    assert "sum 7055" in succeeds(box.run("farm", "check", "p", "--input", "more.txt"))
    refuses(box, ["farm", "check", "p", "--input", "none.txt"], "--input none.txt: cannot be read; name a file, or - for standard input")


@case
def a_prediction_reads_what_the_run_reads(box):
    program(box, source=("do_task(&i, sizeof i)", "{ char c; int n = i + 1000 * (int)trek_read(&c, 1); do_task(&n, sizeof n); }"))
    box.write("p.c", box.read("p.c").replace("work_us(1000);", "work_us(*(const int*)task >= 1000 ? 90000 : 1000);"))
    box.write("much.txt", "many letters, more than tasks")
    slow = json.loads(succeeds(box.run("predict", "p.farm", "--input", "much.txt", "--json")))
    fast = json.loads(succeeds(box.run("predict", "p.farm", "--json")))
    assert slow["tasks_per_second"] * 10 < fast["tasks_per_second"], (slow, fast)
    box.scenario()
    refuses(box, ["predict", "s.yaml", "--input", "much.txt"], "--input much.txt: the application of s.yaml is no program and reads no input; leave it out")


@case
def the_best_tree_needs_a_network(box):
    program(box)
    refuses(box, ["farm", "run", "p", "--topology", "BEST"],
            "--topology BEST: BEST is the best tree of a network, and the specification names none; give the network itself, and its best tree is "
            "taken: --topology mesh:4x4, or --topology FILE for a machine file")
    assert "6 of 6 results" in succeeds(box.run("farm", "run", "p", "--topology", "mesh:2x2"))


@case
def a_farm_that_reads_a_long_input_lives(box):
    read = 'char room[512]; unsigned n, all = 0; while ((n = trek_read(room, sizeof room)) > 0) all += n; printf("read %u\\n", all);'
    program(box, source=("    for (int i = 0; i < (int)total_tasks(); ++i) do_task", f"    {read}\n    for (int i = 0; i < (int)total_tasks(); ++i) do_task"))
    box.write("long.txt", "a line of the input\n" * 15000)
    for monitor in ([], ["--monitor"]):
        text = succeeds(box.run("farm", "run", "p", "--input", "long.txt", *monitor))
        assert "read 300000" in text and "sum 55" in text and "6 of 6 results came back" in text, text


@case
def saved_files_lie_beside_the_program_or_where_one_says(box):
    program(box, source=('printf("sum', 'trek_save("sum.bin", &sum, sizeof sum); printf("sum'))
    assert "file         out/sum.bin" in succeeds(box.run("farm", "run", "p", "--compare"))
    equal((box.folder / "out/sum.bin").stat().st_size, 4, "bytes")
    succeeds(box.run("farm", "run", "p", "--files", "there"))
    assert (box.folder / "there/sum.bin").exists()


@case
def a_place_for_saved_files_that_cannot_be_made_is_refused_before_the_run(box):
    program(box)
    for place in ("p.c", "p.c/there", "z" * 300):
        refuses(box, ["farm", "run", "p", "--files", place],
                f"--files {place}: the folder cannot be made or written; name another, or leave it out for out/ beside the program")


@case
def a_place_for_temporary_files_that_is_not_there_is_told(box):
    program(box)
    result = box.run("farm", "check", "p", env={**os.environ, "TMPDIR": str(box.folder / "none")})
    assert result.returncode not in (0, FOUND), result
    equal(result.stderr, "magicwire: there is no folder for temporary files; set TMPDIR to an existing folder\n", "standard error")


@case
def a_program_that_makes_or_takes_another_number_than_total_tasks_is_warned_of(box):
    advice = "; call do_task() total_tasks() times, or change total_tasks\n"
    program(box)
    assert "warning" not in succeeds(box.run("farm", "run", "p"))
    program(box, source=("i < (int)total_tasks()", "i < 9"))
    assert f"  warning      data_generator() made 9 tasks, total_tasks is 6{advice}" in box.run("farm", "run", "p").stdout
    program(box, source=("i < (int)total_tasks()", "i < 4"))
    text = box.run("farm", "run", "p").stdout
    assert f"  warning      data_generator() made 4 tasks, total_tasks is 6{advice}" in text and "result_receiver() took" not in text, text
    program(box, source=("i < total_tasks(); ++i) sum", "i < 1; ++i) sum"))
    sentence = "result_receiver() took 1 results of 6 tasks, and the farm ended with the others outstanding; call get_result() once for each task"
    assert f"  warning      {sentence}\n" in box.run("farm", "run", "p").stdout
    equal(json.loads(box.run("farm", "run", "p", "--json").stdout)["program"]["warnings"], [sentence], "warnings")


# In a scenario


@case
def a_scenario_takes_a_specification(box):
    program(box)
    box.write("s.yaml", "version: 1\nname: s\napplication: {farm: p.farm}\n")
    text = succeeds(box.run("run", "s.yaml", "--totals", "none"))
    assert "sum 55" in text and "program p on chain_3" in text, text
    assert "sum 55" in succeeds(box.run("run", "p.farm"))
    box.write("s.yaml", "version: 1\nname: s\nfarm: {nodes: 2, tree: chain, tasks: 3}\napplication: {farm: p.farm}\n")
    assert "sum 5\n" in succeeds(box.run("run", "s.yaml"))
    box.write("s.yaml", "version: 1\nname: s\napplication: {farm: p.farm, costs: explicit}\n")
    refuses(box, ["run", "s.yaml"], "s.yaml:3:36: 'costs' belongs in the specification that 'farm' names; move it there")


@case
def usage_is_wrong_without_a_name(box):
    for arguments in (["farm"], ["farm", "run"], ["farm", "new"], ["farm", "new", "x", "--kind", "tree"]):
        equal(box.run(*arguments).returncode, USAGE, " ".join(arguments))


if __name__ == "__main__":
    sys.exit(main(__doc__))
