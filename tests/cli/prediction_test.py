#!/usr/bin/env python3
"""Predictions beside the runs that they are of.

    prediction_test.py --magicwire FILE --source DIR [NAME ...]

A NAME picks cases. Ends with 1 when one fails.
"""
import json
import sys

from cli_cases import case, equal, is_json, main, refuses, specification, succeeds


@case
def a_prediction_stands_beside_its_run(box):
    box.scenario()
    text = succeeds(box.run("predict", "s.yaml", "--run", "--topologies", "chain,binary"))
    assert "predicted" in text and "critical" in text and "not wired on this machine" in text, text
    data = is_json(succeeds(box.run("predict", "s.yaml", "--run", "--json")), "magicwire.predict/1")
    assert data["tasks_per_second"] > 0 and len(data["run"]["tasks_of_node"]) == len(data["tasks_of_node"]), data
    both = is_json(succeeds(box.run("run", "s.yaml", "--predict", "--json")), "magicwire.run/1")
    equal(both["prediction"]["tasks_per_second"], data["tasks_per_second"], "the same prediction")
    refuses(box, ["predict", "s.yaml", "--topologies", "star"],
            "--topologies star: there is no topology 'star'; topologies are chain, binary, ternary and best")


@case
def a_prediction_that_is_refused_leaves_the_run_as_it_is(box):
    box.scenario()
    cut = ["run", "s.yaml", "--json", "--set", "farm.tasks=3900", "--set", "application.grain=5ms", "--set", "end.limit=1500ms"]
    plain, done = box.run(*cut), box.run(*cut, "--predict")
    equal(done.returncode, plain.returncode, "exit code")
    assert "magicwire: no prediction: a pilot run of the farm did not finish" in done.stderr, done.stderr
    data = is_json(done.stdout, "magicwire.run/1")
    assert data.pop("prediction")["refused"].startswith("a pilot run"), data
    equal(data["run_hash"], json.loads(plain.stdout)["run_hash"], "run hash")


@case
def a_prediction_counts_what_the_programs_own_functions_cost_on_the_manager(box):
    box.write("g.c", """#include <trek_kernel/trek.h>
void data_generator(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) {
        for (volatile int k = 0; k < 20000; ++k) {}
        do_task(&i, sizeof i);
    }
}
void compute_fn(const void* data, unsigned bytes) { return_result(data, bytes); }
void result_receiver(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) get_result(0);
}
""")
    box.write("g.farm", specification("g.c", tasks=60, nodes=8, topology="BTREE", cost="estimated"))
    data = is_json(succeeds(box.run("predict", "g.farm", "--run", "--json")), "magicwire.predict/1")
    assert abs(data["tasks_per_second"] / data["run"]["tasks_per_second"] - 1) < 0.03, data
    equal(data["critical_node"], 0, "the manager is the limit")


# What a program does from its middle on, or at its end, its beginning does not show.
@case
def a_prediction_knows_what_a_program_does_later_or_says_that_it_does_not(box):
    for late in ("TASKS_LONGER", "GENERATOR_SLOWER", "RECEIVER_SLOWER"):
        box.write("g.c", "enum { NONE, TASKS_LONGER, GENERATOR_SLOWER, RECEIVER_SLOWER, LATE = %s };\n" % late + """
#include <string.h>
#include <trek_kernel/trek.h>
void data_generator(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) {
        if (LATE == GENERATOR_SLOWER && i >= 2500) work_us(3000);
        do_task(&i, sizeof i);
    }
}
void compute_fn(const void* data, unsigned bytes) {
    unsigned i;
    memcpy(&i, data, bytes);
    work_us(LATE == TASKS_LONGER && i >= 2500 ? 20000 : 2000);
    return_result(&i, sizeof i);
}
void result_receiver(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) get_result(0);
    if (LATE == RECEIVER_SLOWER) work_us(3000000);
}
""")
        box.write("g.farm", specification("g.c", tasks=5000, nodes=4))
        data = is_json(succeeds(box.run("predict", "g.farm", "--run", "--json")), "magicwire.predict/1")
        for key in ("tasks_per_second", "total_s"):
            assert abs(data[key] / data["run"][key] - 1) < 0.03, (late, key, data)
        equal((data["pilot"]["tasks"], data["caveats"]), (5000, []), late)
        assert data["speed_up"] < 3, data
    box.write("g.farm", specification("g.c", tasks=50000, nodes=4))
    data = is_json(succeeds(box.run("predict", "g.farm", "--json")), "magicwire.predict/1")
    some = data["pilot"]["tasks"]
    assert 2000 <= some < 2100, data
    equal(data["caveats"], [f"only the first {some} of 50000 tasks were run; what the program does later is not known"], "cautions")


if __name__ == "__main__":
    sys.exit(main(__doc__))
