"""Change one operator, number or argument at a time, and list the changes that no test notices.

    python tools/mutants.py                     all modules: hours; it goes on where it stopped
    python tools/mutants.py models.weights      one module or folder; name as many as you like
    python tools/mutants.py --list              the survivors so far, run nothing

mutmut does the work in a copy of the project, _build/mutants, by its settings in pyproject.toml:
it finds out which tests call a function, and runs for each mutant of the function just these, the
fastest first. It changes functions and methods, but neither constants outside them nor functions
under a decorator other than staticmethod and classmethod.

A mutant that no test can tell from the original belongs in tests/equivalent_mutants.txt. Those that
change no more than the word `strict` of a zip count as such: it guards against our own mistakes.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "_build" / "mutants"
EQUIVALENTS = ROOT / "tests" / "equivalent_mutants.txt"
ALIVE = {"survived", "no tests", "suspicious"}  # what is killed ended otherwise: failed, timed out


def places(name):
    """Where a file lies in the copy: the studies, whose module's name mutmut takes from its path,
    beside the package, and with them the stored results that they read."""
    if not name.startswith("book/studies/"):
        yield name
    if name.startswith(("book/studies/", "book/results/")):
        yield name.removeprefix("book/")


def synchronize():
    """Bring the copy up to date; files that did not change keep what mutmut knows of them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    files = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    sources = {place: ROOT / name for name in files for place in places(name)}
    for name, source in sources.items():
        target = COPY / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    for file in COPY.rglob("*"):
        inside = file.relative_to(COPY)
        if inside.parts[0] != "mutants" and file.is_file() and inside.as_posix() not in sources:
            file.unlink()


def results():
    """The file and the state of every mutant that was made, by its name."""
    from mutmut.mutation.data import SourceFileMutationData
    from mutmut.stats import status_by_exit_code
    from mutmut.utils.file_utils import walk_mutatable_files

    found = {}
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        for name, code in data.exit_code_by_key.items():
            found[name] = path, status_by_exit_code[code]
    return found


@cache
def function_of(mutant):
    """Module and function, without mutmut's marks: a.b.xǁClassǁf__mutmut_3 is a.b.Class.f."""
    module, _, name = mutant.rpartition(".")
    name = re.sub(r"__mutmut_\d+$", "", name)
    if name.startswith("xǁ"):
        name = name.removeprefix("xǁ").replace("ǁ", ".")
    return f"{module}.{name.removeprefix('x_')}"


def change_of(mutant, path):
    """A mutant as its function and the lines that it takes out and puts in."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    lines = [
        line[0] + " " + line[1:].strip()
        for line in get_diff_for_mutant(mutant, path=path).splitlines()
        if re.match(r"[-+](?![-+]{2} )", line)
    ]
    return "\n".join([function_of(mutant), *lines])


def equivalents():
    """The listed changes, each with its reason."""
    text = EQUIVALENTS.read_text(encoding="utf-8")
    listed = {}
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        change = [line for line in lines if not line.startswith("because ")]
        reason = [line for line in lines if line.startswith("because ")]
        if change and len(reason) != 1:
            sys.exit(f"{EQUIVALENTS.name}: {change[0]} needs one line that begins with 'because'.")
        if change:
            listed["\n".join(change)] = reason[0]
    return listed


def report(wanted):
    """Print the living mutants that are not listed, then the score; True if there are none."""
    found = {
        name: (path, state)
        for name, (path, state) in results().items()
        if state != "not checked" and any(function_of(name).startswith(x + ".") for x in wanted)
    }
    known, living, excused = equivalents(), [], []
    for name, (path, state) in found.items():
        if state in ALIVE:
            change = change_of(name, path)
            if change in known:
                excused.append(change)
            else:
                living.append(f"{change}\n# {state}: {name}")
    print("\n\n".join(living))
    for change in known.keys() - set(excused):
        if change.split("\n")[0] in map(function_of, found):
            print(f"\nlisted as equivalent, but not alive:\n{change}")
    killed = len(found) - len(living) - len(excused)
    count = Counter(state for _, state in found.values())
    states = ", ".join(f"{number} {state}" for state, number in count.items())
    print(
        f"\n{len(found)} mutants ({states}): "
        f"{killed} killed, {len(excused)} equivalent, {len(living)} alive."
    )
    return not living


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", help="as in arrays, models.weights, studies.verdicts")
    parser.add_argument("--list", action="store_true", help="do not run anything")
    parser.add_argument("--workers", type=int, default=2, help="mutants run at once (default: 2)")
    parser.add_argument(
        "--patience", type=float, default=60, help="seconds of tests for a mutant (default: 60)"
    )
    options = parser.parse_args()
    wanted = [
        name if name.startswith("studies") else f"rnmf_tutorial.{name}" for name in options.modules
    ]
    if not options.list:
        synchronize()
    os.chdir(COPY)  # where mutmut finds its settings, and keeps what it knows
    if not options.list:
        import mutmut_quick

        patterns = [pattern for name in wanted for pattern in (f"{name}.*", f"{name}.x*")]
        mutmut_quick.run(patterns, options.workers, options.patience)
    sys.exit(not report(wanted or ["rnmf_tutorial", "studies"]))


if __name__ == "__main__":
    main()
