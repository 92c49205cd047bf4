#!/usr/bin/env python3
"""magicwire asm and disasm as a user runs them: images, listings, mistakes with their places.

    t800_code_test.py --magicwire FILE --source DIR [NAME ...]

Habits and helpers are those of cli_cases.py.
"""
import json
import sys

from cli_cases import BAD_INPUT, USAGE, case, equal, main, succeeds

SOURCE = "start:  ldc 'A'\n        fpuabs\n        j start    ; for ever\n"


@case
def a_source_becomes_an_image_and_text_again(box):
    box.write("a.s", SOURCE)
    equal(succeeds(box.run("asm", "a.s")), "a.t8: 7 bytes of code at #80000070\n", "what is told")
    equal((box.folder / "a.t8").read_bytes(), bytes([7, 0x24, 0x41, 0x4B, 0x2A, 0xFB, 0x60, 0x09]), "image")
    equal(succeeds(box.run("disasm", "a.t8")),
          "; code from byte 1 of the file\n"
          "80000070  2441              ldc 65\n"
          "80000072  4B                ldc 11\n"
          "80000073  2AFB              fpentry               ; fpuabs\n"
          "80000075  6009              j 0x80000070\n", "text")


@case
def a_listing_has_addresses_and_bytes(box):
    box.write("a.s", SOURCE)
    text = succeeds(box.run("asm", "a.s", "-o", "b.t8", "--listing"))
    assert text.startswith("80000070  24 41 " + " " * 19), text
    assert "     3          j start    ; for ever" in text, text
    equal(sorted(box.files()), ["a.s", "b.t8"], "files")


@case
def long_code_comes_behind_a_loader(box):
    box.write("a.s", "rev\n.space 400\n")
    assert ", behind a loader of " in succeeds(box.run("asm", "a.s"))
    text = succeeds(box.run("disasm", "a.t8"))
    assert "; loader from byte 1 of the file" in text and "; program from byte " in text, text
    made = json.loads(succeeds(box.run("asm", "a.s", "--json")))
    equal((made["schema"], made["loader"], made["code_bytes"]), ("magicwire.asm/1", True, 401), "JSON")


@case
def code_without_a_boot_message(box):
    box.write("a.s", "ldc 5\nrev\n")
    succeeds(box.run("asm", "a.s", "--raw", "-o", "a.bin"))
    equal((box.folder / "a.bin").read_bytes(), bytes([0x45, 0xF0]), "code")
    equal(succeeds(box.run("disasm", "a.bin", "--raw", "--base", "#80001000")).splitlines()[1], "80001000  45                ldc 5", "text")
    lines = json.loads(succeeds(box.run("disasm", "a.bin", "--raw", "--json")))["parts"][0]["lines"]
    equal(lines[0], {"address": 0x80000070, "bytes": "45", "instruction": "ldc", "operand": 5}, "JSON")


@case
def mistakes_are_told_with_their_places(box):
    box.write("a.s", "rev\n  jumpp start\n")
    box.write("cut.t8", "\x20ab")
    box.write("empty.t8", "")
    for arguments, code, words in (
            (("asm", "a.s"), BAD_INPUT, "magicwire: a.s:2:3: unknown instruction 'jumpp'"),
            (("asm", "none.s"), BAD_INPUT, "none.s"),
            (("asm",), USAGE, "SOURCE is required"),
            (("disasm", "cut.t8"), BAD_INPUT, "magicwire: cut.t8: the image is cut: its first byte counts 32 bytes of code, but 2 follow"),
            (("disasm", "a.s"), BAD_INPUT, "this is an assembler source, and no image; 'magicwire asm a.s --listing'"),
            (("disasm", "empty.t8"), BAD_INPUT, "magicwire: empty.t8: the file is empty"),
            (("disasm", "cut.t8", "--raw", "--base", "x"), USAGE, "--base is 'x', but must be an address"),
            (("disasm", "cut.t8", "--base", "0"), USAGE, "--raw")):
        result = box.run(*arguments)
        equal(result.returncode, code, f"exit code of {arguments}")
        equal(result.stdout, "", "standard output")
        assert words in result.stderr, (arguments, result.stderr)
    assert "a.t8" not in box.files(), box.files()


if __name__ == "__main__":
    sys.exit(main(__doc__))
