"""Runs the cases of a test of a judge: each is a function that gets the judge's module (scripts/)."""
import importlib
import pathlib
import sys


def run(cases, judge):
    words = sys.argv[1:]
    source = words[words.index("--source") + 1] if "--source" in words else pathlib.Path(__file__).resolve().parents[2]
    sys.path.insert(0, str(pathlib.Path(source) / "scripts"))
    module = importlib.import_module(judge)
    failed = 0
    for case in cases:
        try:
            case(module)
            print(f"ok      {case.__name__}")
        except AssertionError as error:
            failed += 1
            print(f"FAILED  {case.__name__}: {error}")
    return 1 if failed else 0
