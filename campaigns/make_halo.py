"""Makes a random session of a halo: machine, tree, monitor, bugs and faults (halo_cases.py).

  make_halo.py NUMBER FOLDER [--healthy | --planted WHAT]

Prints words about it. --healthy: without bugs and faults."""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # no cache in the source tree
import halo_cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--planted", choices=halo_cases.PLANTED)
    options = parser.parse_args()
    case = halo_cases.HaloCase(options.number, options.healthy, options.planted)
    case.write(options.folder)
    print(json.dumps({"words": ", ".join(dict.fromkeys(case.words))}))


if __name__ == "__main__":
    main()
