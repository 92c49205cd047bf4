"""The program, as the commands of campaigns call it."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from cases import BINARY


def call(arguments, folder, seconds, codes=(0, 1, 4), typed=None):
    """Runs magicwire, with `typed` on its standard input. Raises RuntimeError when it ends with another code, or does not end."""
    try:
        done = subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, text=True, timeout=seconds, check=False, input=typed)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"hang: no end within {seconds} s: {' '.join(arguments)}") from None
    if done.returncode not in codes:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done


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
