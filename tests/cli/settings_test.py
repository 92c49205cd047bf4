#!/usr/bin/env python3
"""Holds the table of settings, its page and its schema together:

  - the table of docs/formats/scenario_file.md and schemas/scenario.schema.json are those that scripts/settings_page writes;
  - every scenario file of the repository passes that schema.

    settings_test.py --magicwire FILE --source DIR
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    sys.exit(f"settings_test: {missing}; install python3-jsonschema and python3-yaml (scripts/setup does)")

sys.dont_write_bytecode = True  # no cache in the source tree
from schema_test import Loader  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--magicwire", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    options = parser.parse_args()
    failures = subprocess.run([options.source / "scripts/settings_page", "--check", "--magicwire", options.magicwire], check=False).returncode
    validator = jsonschema.Draft202012Validator(json.loads((options.source / "schemas/scenario.schema.json").read_text(encoding="utf-8")))
    scenarios = 0
    for path in sorted([*options.source.glob("examples/**/*.yaml"), *options.source.glob("tests/cli/verdicts/**/*.yaml")]):
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
        if "farm" not in data:
            continue  # a machine
        scenarios += 1
        for error in validator.iter_errors(data):
            failures += 1
            print(f"FAILED  {path}: {list(error.path)}: {error.message}")
    print(f"{scenarios} scenarios")
    return 1 if failures or scenarios == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
