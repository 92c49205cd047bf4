"""What the commands of campaigns have in common: places, the files of a run, and their last word. It imports little, since it
runs at each point."""
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = os.environ.get("MAGICWIRE", "magicwire")  # a study sets it
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))  # judge.py and happened.py


def read(folder, *names):
    """The JSON files of a run."""
    return [json.loads((pathlib.Path(folder) / f"{name}.json").read_text(encoding="utf-8")) for name in names]


def costs(folder, **values):
    """Writes the cost table of the T800 with other values, as costs.yaml: monitor_buffer=12."""
    text = (ROOT / "topologies" / "costs" / "t800.yaml").read_text(encoding="utf-8")
    for name, value in values.items():
        text, found = re.subn(rf"^(  {re.escape(name.replace('_', '.', 1))}: +{{value: )[^,]+", rf"\g<1>{value}", text, flags=re.MULTILINE)
        assert found == 1, f"{name} is no cost"
    (folder / "costs.yaml").write_text(text, encoding="utf-8")


def end(problems, **found):
    """Prints what was found as JSON. Ends with 1 and the problems when there are some."""
    if problems:
        sys.exit("; ".join(problems))
    print(json.dumps(found))
