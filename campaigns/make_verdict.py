"""Makes a random session: machine, farm, monitor, bugs and faults (verdict_cases.py).

  make_verdict.py NUMBER FOLDER [--halo | --each] [--healthy | --planted WHAT]

Prints words about it, and its virtual machine. --halo: a halo in place of a farm (halo_cases.py). --each: pfvm, dcvm and halo in
turn (machine_cases.py). --healthy: without bugs and faults."""
import argparse
import importlib
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # no cache in the source tree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--halo", action="store_const", dest="cases", const="halo_cases", default="verdict_cases")
    parser.add_argument("--each", action="store_const", dest="cases", const="machine_cases")
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--planted", metavar="WHAT")
    options = parser.parse_args()
    cases = importlib.import_module(options.cases)
    if options.planted not in (None, *cases.PLANTED):
        parser.error(f"--planted is one of {', '.join(cases.PLANTED)}")
    case = cases.Case(options.number, options.healthy, options.planted)
    case.write(options.folder)
    print(json.dumps({"words": ", ".join(dict.fromkeys(case.words)), "vm": case.virtual_machine}))


if __name__ == "__main__":
    main()
