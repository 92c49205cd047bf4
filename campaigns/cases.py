"""What the commands of campaigns have in common: the program, its runs, and their last word."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = os.environ.get("MAGICWIRE", "magicwire")  # a study sets it
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))  # judge.py and happened.py


def call(arguments, folder, seconds, codes=(0, 1, 4)):
    """Runs magicwire. Raises RuntimeError when it ends with another code, or does not end."""
    try:
        done = subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"hang: no end within {seconds} s: {' '.join(arguments)}") from None
    if done.returncode not in codes:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done


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


def compiled(source, name, seconds):
    """A folder with that program for the nodes. It is compiled once for all cases, since that takes seconds: the folder stays among the
    temporary ones, under a name that changes with the source and with magicwire."""
    program = pathlib.Path(shutil.which(BINARY) or BINARY).resolve()
    made = program.stat()
    key = hashlib.sha256(source.read_bytes() + f"{program} {made.st_size} {made.st_mtime_ns} {os.getuid()}".encode()).hexdigest()[:16]
    place = pathlib.Path(tempfile.gettempdir()) / f"magicwire.{name}.{key}"
    if not place.is_dir():
        growing = tempfile.mkdtemp(prefix=f"{place.name}.", dir=place.parent)
        call(["cc", "-o", f"{growing}/{name}", str(source), "-w"], growing, seconds)
        try:
            os.rename(growing, place)
        except OSError:  # another case was quicker
            shutil.rmtree(growing)
    if place.stat().st_uid != os.getuid():
        raise RuntimeError(f"{place} belongs to somebody else; name another folder by TMPDIR")
    return place


def end(problems, **found):
    """Prints what was found as JSON. Ends with 1 and the problems when there are some."""
    if problems:
        sys.exit("; ".join(problems))
    print(json.dumps(found))
