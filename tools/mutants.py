"""Change one operator, number or argument at a time, and list the changes that no test notices.

    python tools/mutants.py                     all modules: hours; it goes on where it stopped
    python tools/mutants.py models.weights      one module or folder; name as many as you like
    python tools/mutants.py --list              the survivors so far, run nothing
    python tools/mutants.py --alive             these again, with your new tests, then the rest

mutmut does the work in a copy of the project, _build/mutants, by its settings in pyproject.toml:
it finds out which tests call a function, and runs for each mutant of the function just these, the
fastest first. It changes functions and methods, but neither constants outside them nor functions
under a decorator other than staticmethod and classmethod.

A mutant that no test can tell from the original belongs in tests/equivalent_mutants.txt. Those that
only take other memory for the same numbers count as such, by the rule of `takes_other_memory`.
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
ALL = ["rnmf_tutorial", "studies"]
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


def takes_other_memory(change):
    """Whether a change is only where the result goes of a call whose value is returned or named.

    That is: `out`, `work` or `copy` left out or another, where the line begins with "return" or a
    name that takes the value; or -2 in a `reshape`, where any negative number is the one to find.
    """
    before, after = ([x[2:] for x in change.split("\n") if x[0] == sign] for sign in "-+")
    if len(before) != 1 or len(after) != 1:
        return False
    if re.sub(r"(reshape\([^\[\]]*)-2", r"\1-1", after[0]) == before[0]:
        return True
    if not re.match(r"return |[\w., ]+ = ", before[0]):
        return False
    bare = [re.sub(r",? *\b(out|work|copy)=[\w.]+|, *(?=\))", "", x) for x in before + after]
    return bare[0] == bare[1]


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
    """Print the living mutants that are not listed, then the scores; return their names."""
    found = {
        name: (path, state)
        for name, (path, state) in results().items()
        if any(function_of(name).startswith(x + ".") for x in wanted)
    }
    known, excused, names, scores = equivalents(), set(), [], {}
    for name, (path, state) in found.items():
        score = scores.setdefault(str(path).removesuffix(".py").replace("/", "."), Counter())
        score["made"] += 1
        if state == "not checked":
            continue
        change = change_of(name, path) if state in ALIVE else None
        if change is None:
            score["killed"] += 1
        elif change in known or takes_other_memory(change):
            score["equivalent"] += 1
            excused.add(change)
        else:
            score["alive"] += 1
            names.append(name)
            print(f"{change}\n# {state}: {name}\n")
    checked = {function_of(name) for name, (_, state) in found.items() if state != "not checked"}
    for change in known.keys() - excused:
        if change.split("\n")[0] in checked:
            print(f"listed as equivalent, but not alive:\n{change}\n")
    scores["all"] = sum(scores.values(), Counter())
    columns = ("made", "killed", "equivalent", "alive")
    print(f"{'':<46}" + "".join(f"{column:>11}" for column in columns))
    for module, score in scores.items():
        print(f"{module:<46}" + "".join(f"{score[column]:>11}" for column in columns))
    return names


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", help="as in arrays, models.weights, studies.verdicts")
    parser.add_argument("--alive", action="store_true", help="begin with those that lived")
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

        alive = report(wanted or ALL) if options.alive else []
        if alive:
            mutmut_quick.forget(alive)
        named = [] if options.alive else wanted
        patterns = [pattern for name in named for pattern in (f"{name}.*", f"{name}.x*")]
        mutmut_quick.run(patterns, options.workers, options.patience, first=alive)
    sys.exit(bool(report(wanted or ALL)))


if __name__ == "__main__":
    main()
