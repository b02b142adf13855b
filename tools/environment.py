"""Make the project's virtual environment in ``.venv``, or leave it alone if it is up to date.

``make`` calls this before everything else. It runs on any Python 3, so that an old interpreter
gets a sentence instead of a syntax error, and it uses nothing outside the standard library.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / ".installed"  # what was installed; written when it is finished
MARK = VENV / ".building"  # there while we install; it stays if we are interrupted
OLDEST = (3, 11)


def python_of(venv):
    if os.name == "nt":
        return venv / "Scripts" / "python.exe"
    return venv / "bin" / "python"


def works(command):
    """Whether a command runs and succeeds; its output is thrown away."""
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def healthy():
    """Whether .venv has a Python that runs and is new enough."""
    test = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    return works([str(python_of(VENV)), "-c", test])


def find_python():
    """This interpreter if it is new enough, else a newer one that is on the path."""
    if sys.version_info >= OLDEST:
        return getattr(sys, "_base_executable", sys.executable)  # not the one in .venv itself
    for minor in range(14, OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found and works([found, "-c", ""]):
            return found
    sys.exit(
        f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, but {sys.executable} is "
        f"{sys.version_info[0]}.{sys.version_info[1]}. Install a newer Python, or name one: "
        "make PYTHON=/path/to/python3"
    )


def prepare(python, uv):
    """An environment to install into, and the command that does it."""
    VENV.mkdir(exist_ok=True)
    MARK.touch()
    inside = str(python_of(VENV))
    pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
    pip_outside = [python, *pip, "--python", inside]
    new = not healthy()
    if uv:
        if new:
            run([uv, "venv", "--quiet", "--allow-existing", "--python", python, str(VENV)])
        return [uv, "pip", "install", "--quiet", "--python", inside]
    if new and works([python, "-c", "import ensurepip"]):
        run([python, "-m", "venv", str(VENV)])
    elif new and works([python, "-m", "pip", "--python", python, "--version"]):
        run([python, "-m", "venv", "--without-pip", str(VENV)])
    elif new:
        shutil.rmtree(str(VENV))
        sys.exit(
            "This Python cannot make environments: its ensurepip is missing, and so are uv and "
            "pip. Install one of them (on Debian and Ubuntu: apt install python3-venv) and try "
            "again."
        )
    has_pip = works([inside, "-m", "pip", "--version"])
    return [*([inside, *pip] if has_pip else pip_outside), "install"]


def run(command):
    try:
        subprocess.check_call(command, cwd=str(ROOT))
    except subprocess.CalledProcessError:
        sys.exit(
            "Making .venv failed in the step above. Without a network? Otherwise try again; "
            "the unfinished environment is rebuilt."
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="+", help="extras of pyproject.toml to install")
    asked = set(parser.parse_args().extras)

    requirements = (ROOT / "pyproject.toml").read_bytes()
    key = {"root": str(ROOT), "requirements": hashlib.sha256(requirements).hexdigest()}
    try:
        installed = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        installed = {}
    key["extras"] = sorted(asked.union(installed.get("extras", [])))
    fit, interrupted = healthy(), MARK.exists()
    if fit and installed == key and not interrupted:
        return

    print("Installing into .venv (the first time takes a minute or two) ...", flush=True)
    # One that was finished once is only installed into again: pip and uv repair what they left.
    half_made = interrupted and not installed
    moved = installed and installed.get("root") != key["root"]
    if half_made or moved or (installed and not fit):
        print("The .venv that is there is unfinished or was moved; starting again.", flush=True)
        shutil.rmtree(str(VENV))
    install = prepare(find_python(), shutil.which("uv"))
    run([*install, "--editable", f".[{','.join(key['extras'])}]"])
    STAMP.write_text(json.dumps(key))
    MARK.unlink()


if __name__ == "__main__":
    main()
