#!/usr/bin/env python3
"""magicwire cc as a user runs it: what it makes, what it says, how it ends.

    cc_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import sys

from cli_cases import BAD_INPUT, USAGE, case, equal, main, succeeds

PROGRAM = "#include <node_programs/trollius.h>\nint main(void) { return getnodeid() + EXTRA; }\n"


@case
def a_program_is_compiled_once(box):
    box.write("a.c", PROGRAM)
    equal(succeeds(box.run("cc", "a.c", "-DEXTRA=1")), "Compiled a.c; built a\n", "what is told")
    equal(succeeds(box.run("cc", "a.c", "-DEXTRA=1")), "Nothing has changed since a was built.\n", "what is told the second time")
    assert {"a", "a.blocks"} <= set(box.files()), box.files()
    box.write("b.c", PROGRAM.replace("node_programs/", ""))
    equal(succeeds(box.run("cc", "b.c", "-DEXTRA=1")), "Compiled b.c; built b\n", "what is told with <trollius.h>")


@case
def options_reach_the_compiler(box):
    (box.folder / "headers").mkdir()
    box.write("headers/extra.h", "#define EXTRA 2\n")
    box.write("a.c", '#include "extra.h"\n' + PROGRAM)
    box.write("b.cpp", "int unused() { return 0; }\n")
    succeeds(box.run("cc", "-o", "prog", "a.c", "b.cpp", "-Iheaders", "-O2", "-Wextra", "-fno-strict-aliasing", "-lm"))


@case
def the_compilers_words_come_through(box):
    box.write("a.c", "int main(void) { return wrong; }\n")
    result = box.run("cc", "a.c")
    equal(result.returncode, BAD_INPUT, "exit code")
    assert "a.c:1:25: error: 'wrong' undeclared" in result.stderr, result.stderr
    assert "magicwire: a.c: cannot be compiled; correct what the compiler says above" in result.stderr, result.stderr


@case
def what_is_no_program_is_refused(box):
    box.write("a.c", "int helper(void) { return 1; }\n")
    for arguments, code, words in ((("a.c",), BAD_INPUT, "the sources have no function main()"),
                                   (("none.c",), BAD_INPUT, "none.c: there is no source file of this name"),
                                   (("a.c", "-o", "no/such/a", "--build", "b"), BAD_INPUT, "no function main()"),
                                   ((), USAGE, "SOURCES is required")):
        result = box.run("cc", *arguments)
        equal(result.returncode, code, f"exit code of {arguments}")
        assert words in result.stderr, (arguments, result.stderr)


@case
def json_has_the_compilers_messages(box):
    box.write("a.c", "int main(int count, char** words) { return count; }\n")
    made = json.loads(succeeds(box.run("cc", "a.c", "-Wextra", "--json")))
    assert "unused parameter 'words'" in made["messages"], made
    equal({key: made[key] for key in ("schema", "program", "compiled")}, {"schema": "magicwire.cc/1", "program": "a", "compiled": ["a.c"]}, "the rest")
    equal(json.loads(succeeds(box.run("cc", "a.c", "-Wextra", "--json")))["compiled"], [], "what is compiled the second time")
    box.write("a.c", "int main(void) { return wrong; }\n")
    result = box.run("cc", "a.c", "--json")
    equal((result.returncode, result.stdout), (BAD_INPUT, ""), "exit code and standard output")
    error = json.loads(result.stderr)
    assert "a.c:1:25: error: 'wrong' undeclared" in error["message"] and error["schema"] == "magicwire.error/1", error


if __name__ == "__main__":
    sys.exit(main(__doc__))
