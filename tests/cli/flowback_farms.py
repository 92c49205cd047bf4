"""Farm programs for the tests of flowback: made, prepared, run with logs, and asked."""
import json
import shutil

from cli_cases import DONE, equal, specification


def recorded(box, text, name="prog", tasks=3, nodes=3, more=(), blocks="auto", expected=(DONE,)):
    """A program of one file, prepared, run and recorded in `out`."""
    folder = box.folder / name
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.c").write_text(text, encoding="utf-8")
    (folder / f"{name}.farm").write_text(specification(f"{name}.c", tasks=tasks, nodes=nodes), encoding="utf-8")
    done = box.run("prepare", name, "--e-blocks", blocks)
    equal(done.returncode, DONE, done.stdout + done.stderr)
    shutil.rmtree(box.folder / "out", ignore_errors=True)
    done = box.run("farm", "run", name, "--flowback", "--out", "out", "--progress", "never", *more)
    assert done.returncode in expected, done.stdout + done.stderr
    return done


def why(box, question, *more, folder="out", expected=(DONE,)):
    done = box.run("flowback", folder, "--why", question, "--json", *more)
    assert done.returncode in expected, f"{question}: {done.returncode} {done.stdout}{done.stderr}"
    return json.loads(done.stdout)["answer"]


def child(node, role):
    return next(each for each in node["children"] if each["role"].startswith(role))


FARM = """#include <stdlib.h>
#include <string.h>
#include <trek_kernel/trek.h>
struct message { int number; double half; };
void data_generator(void) {
    for (int i = 0; i < (int)total_tasks(); ++i) {
        struct message task = {i + 10, 0};
        task.half = task.number / 2.0;
        do_task(&task, sizeof task);
    }
}
%s
void result_receiver(void) {
    double sum = 0;
    for (unsigned i = 0; i < total_tasks(); ++i) {
        struct message result;
        memcpy(&result, get_result(0), sizeof result);
        sum += result.half;
    }
    trek_event(1, (long long)sum);
}
"""
PLAIN = FARM % """void compute_fn(const void* data, unsigned bytes) {
    struct message task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    if (task.number == 11)
        task.half = task.half * 3;
    return_result(&task, sizeof task);
}"""


def sliced(box, way, question, process=None):
    """Executions by line, of all processes or of one."""
    done = box.run("flowback", "out", way, question, "--json")
    equal(done.returncode, DONE, done.stderr)
    answer = json.loads(done.stdout)
    lines = {}
    for each in answer["lines"]:
        if process in (None, each["process"]):
            lines[int(each["place"].split(":")[1])] = each["executions"]
    return answer, lines
