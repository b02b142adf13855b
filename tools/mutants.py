"""Write faults into a copy of the package, one at a time, and say which no test notices.

    python tools/mutants.py                         # all faults of
    tests/mutants/core.toml python tools/mutants.py --only history-one-short --only
    extrapolation-backward python tools/mutants.py --tests tests/laws/test_points.py
    # what these tests alone notice python tools/mutants.py --quick                 #
    only the tests that a fault names python tools/mutants.py --list                  #
    the faults in words

A fault replaces one text by another one. Its text has to be found exactly once in its
file: if the code has been rewritten, write the same fault into the new code. First all
the tests run without a fault, since a test that always fails notices nothing.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
FAULTS = ROOT / "tests" / "mutants" / "core.toml"
#: What runs after the tests that a fault names, if they have not noticed it.
USUAL = ["tests/doors/test_snapshot.py", "tests/laws"]
#: Seconds after which a run counts as endless, and its fault as noticed.
LIMIT = 900


def read(path=FAULTS):
    """Return the faults of a file, each a dict with name, file, why, old, new and maybe tests."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]


def mutated(fault, root=ROOT):
    """Return the text of a file with a fault; raise an error if it has no place there."""
    path = root / fault["file"]
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if (found := text.count(fault["old"])) != 1:
        raise ValueError(
            f"{fault['name']}: its text is found {found} times in {fault['file']}, and has to be "
            f"there once. Port it: write this fault into the new code. {fault['why']}"
        )
    return text.replace(fault["old"], fault["new"])


def without_a_place(fault):
    """Return the error of a fault that cannot be written into the code, or None."""
    try:
        mutated(fault)
    except ValueError as error:
        return str(error)
    return None


def copy_to(folder):
    """Copy the tracked files of the checkout, as they are now."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    for name in done.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def run_tests(folder, tests):
    """Return the first test that fails in a copy, or "" if none does."""
    paths = os.pathsep.join(str(folder / name) for name in (".", "book", "tools"))
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
    ]
    command += ["not long and not site", *tests]
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    try:
        done = subprocess.run(command, timeout=LIMIT, **options)
    except subprocess.TimeoutExpired:
        return f"no end within {LIMIT} seconds"
    if done.returncode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.M)
    return failed[1] if failed else (done.stdout + done.stderr).strip()[-500:]


def tests_of(fault, folder, options):
    """Return the tests to run: those given, or those that the fault names and then the usual."""
    tests = [*fault.get("tests", []), *USUAL]
    if options.tests:
        tests = options.tests
    elif options.quick and "tests" in fault:
        tests = fault["tests"]
    return [
        test for test in dict.fromkeys(tests) if (folder / test.split("::")[0]).exists()
    ]


def check_one(fault, folders, options):
    """Write a fault into a free copy, run its tests, and repair the copy; print and return it."""
    text = mutated(fault)
    folder = folders.get()
    path = folder / fault["file"]
    started = time.perf_counter()
    try:
        path.write_text(text, encoding="utf-8")
        killer = run_tests(folder, tests_of(fault, folder, options))
    finally:
        shutil.copy2(ROOT / fault["file"], path)
        folders.put(folder)
    seconds = time.perf_counter() - started
    result = f"killed by {killer}" if killer else "SURVIVED"
    print(f"{fault['name']:50} {seconds:4.0f} s  {result}", flush=True)
    return killer


def main(arguments=None):
    """Run the faults; return 1 if one survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="this fault; repeat it"
    )
    parser.add_argument("--list", action="store_true", help="print the faults in words")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once")
    parser.add_argument(
        "--quick", action="store_true", help="run only tests that a fault names"
    )
    parser.add_argument(
        "--tests", nargs="+", metavar="PATH", help="run these tests, no others"
    )
    options = parser.parse_args(arguments)
    faults = [
        fault for fault in read() if not options.only or fault["name"] in options.only
    ]
    if unknown := set(options.only or ()) - {fault["name"] for fault in faults}:
        parser.error(f"no fault is called {', '.join(sorted(unknown))}")
    if options.list:
        for fault in faults:
            print(f"{fault['name']}: {fault['why']}")
        return 0
    if lost := list(filter(None, map(without_a_place, faults))):
        print("\n".join(lost))
        return 1
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folders = SimpleQueue()
        for k in range(options.jobs):
            folder = Path(name, str(k))
            copy_to(folder)
            folders.put(folder)
        every = dict.fromkeys(
            x for fault in faults for x in tests_of(fault, folder, options)
        )
        if failed := run_tests(folder, list(every)):
            print(f"Without any fault a test fails: {failed}")
            return 1
        with ThreadPoolExecutor(options.jobs) as pool:
            killers = list(
                pool.map(lambda each: check_one(each, folders, options), faults)
            )
    survivors = [
        fault for fault, killer in zip(faults, killers, strict=True) if not killer
    ]
    print(f"{len(faults) - len(survivors)} of {len(faults)} killed.")
    for fault in survivors:
        print(f"  {fault['name']}: {fault['why']}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
