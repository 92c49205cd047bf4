#!/usr/bin/env python3
"""`magicwire validate`: its table, its exit code, and what it refuses.

    validation_test.py --magicwire FILE --source DIR [NAME ...]

A NAME picks cases. Ends with 1 when one fails.
"""
import re
import sys

from cli_cases import SELF_CHECK, case, equal, is_json, main, refuses, succeeds


@case
def validate_prints_the_table_of_the_documentation(box):
    table = (box.source / "docs/results/validation.txt").read_text(encoding="utf-8")
    equal(succeeds(box.run("validate")), table, "output; scripts/validation_table renews the document")


@case
def validate_ends_with_five_and_names_the_figure_that_a_changed_cost_makes_wrong(box):
    result = box.run("validate", "--set", "link.data_packet=13")
    equal(result.returncode, SELF_CHECK, "exit code")
    assert re.search(r"^link 20 Mbit/s one way .* ! fitted +R T800 data sheet", result.stdout, re.M), result.stdout
    assert "\n  link_20.one_way: " in result.stdout and "are allowed because: " in result.stdout, result.stdout
    wrong = [row["name"] for row in is_json(box.run("validate", "--set", "link.data_packet=13", "--json").stdout, "magicwire.validate/1")["figures"]
             if not row["good"]]
    assert "link_20.one_way" in wrong and "commstime.loop" not in wrong, wrong


@case
def validate_counts_one_figure_in_the_singular(box):
    text = succeeds(box.run("validate", "--only", "link_5.one_way"))
    assert "\nThe figure lies within its tolerance. " in text and "\n1 is independent: " in text, text
    text = box.run("validate", "--only", "link_5.one_way", "--set", "link.data_packet=13").stdout
    assert "\n1 of 1 figure left the tolerance:\n" in text and text.endswith("\nWithin the tolerance: 0 of 1 independent figure.\n"), text


@case
def validate_refuses_what_it_does_not_know(box):
    refuses(box, ["validate", "--only", "link_2"], "--only link_2: there is no such figure or group of figures, did you mean 'link_5'?")
    refuses(box, ["validate", "--set", "link.data_packet"], "--set link.data_packet: expected COST=VALUE, for example --set link.data_packet=12")


if __name__ == "__main__":
    sys.exit(main(__doc__))
