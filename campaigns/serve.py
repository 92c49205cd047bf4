"""Runs commands of campaigns for many points in one process, since a start of Python takes longer than most of them do
(docs/formats/study_file.md#commands-that-stay).

  serve.py

A line of standard input has a request, {"request": 3, "words": ["python3", "campaigns/judge_halo.py", "/dev/shm/..."]}. The script's
main() runs as if it had been started with these words. The answer is a line: its exit code, what it printed, and what it said
on standard error."""
import contextlib
import importlib
import io
import json
import os
import pathlib
import sys
import traceback

sys.dont_write_bytecode = True  # no cache in the source tree


def main_of(script):
    """The script's function; what it imports beside it is found, as when it is started."""
    folder = str(pathlib.Path(script).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(pathlib.Path(script).stem).main


def exit_code_of(end):
    """As Python has it for SystemExit: a text is said, and is 1."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def run(words):
    """Exit code, output and messages."""
    printed, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        sys.argv = words[1:]
        try:
            main_of(words[1])()
            code = 0
        except SystemExit as end:
            code = exit_code_of(end)
        except Exception:  # pylint: disable=broad-except  # the point fails, and the next one does not
            traceback.print_exc()
            code = 1
    return code, printed.getvalue(), said.getvalue()


def main():
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a script starts must not write between the answers
        for line in sys.stdin:
            request = json.loads(line)
            code, printed, said = run(request["words"])
            print(json.dumps({"request": request["request"], "exit_code": code, "printed": printed, "said": said}), file=answers, flush=True)


if __name__ == "__main__":
    main()
