"""Compares `magicwire predict` with the run of a scenario: the rate of the steady state, the whole time, and the start-up.

  check_prediction.py [--any] SCENARIO [--set NAME=VALUE]...

Prints JSON: both rates; the errors of rate and time in percent; the predicted start-up over the run's; whether the prediction had a
caution. Exit code 1 when the rate is off by more than 3 %, unless --any. MAGICWIRE names the program."""
import json
import os
import subprocess
import sys

TOLERANCE = 3  # percent


def main():
    any_error = sys.argv[1] == "--any"
    arguments = sys.argv[2:] if any_error else sys.argv[1:]
    done = subprocess.run([os.environ.get("MAGICWIRE", "magicwire"), "predict", *arguments, "--run", "--json"], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return done.returncode
    found = json.loads(done.stdout)
    run = found["run"]
    error = 100 * (found["tasks_per_second"] / run["tasks_per_second"] - 1)
    if abs(error) > TOLERANCE and not any_error:
        sys.exit(f"the rate is off by {error:+.2f} %: predicted {found['tasks_per_second']:.1f}, run {run['tasks_per_second']:.1f} tasks a second")
    print(json.dumps({"predicted": found["tasks_per_second"], "ran": run["tasks_per_second"], "error": error, "total": 100 * (found["total_s"] / run["total_s"] - 1),
                      "start": found["start_up_s"] / run["start_up_s"] if run["start_up_s"] else 0, "cautioned": bool(found["caveats"])}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
