"""Write the files that a workflow installs, each with its version and its hash: `make pins`.

python tools/pins.py site ".[book,test]"   writes requirements/site.txt
"""

import json
import subprocess
import sys
from pathlib import Path


def pins(report):
    """The lines of a requirements file, from what `pip install --report` tells."""
    for part in report["install"]:
        if archive := part["download_info"].get(
            "archive_info"
        ):  # the project itself is a folder
            about = part["metadata"]
            yield f"{about['name']}=={about['version']} --hash=sha256:{archive['hashes']['sha256']}"


if __name__ == "__main__":
    name, *wanted = sys.argv[1:]
    command = [
        "install",
        "--quiet",
        "--dry-run",
        "--ignore-installed",
        "--report",
        "-",
        *wanted,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *command], check=True, capture_output=True
    )
    head = "# Python {}.{}: make pins wrote this.".format(*sys.version_info)
    lines = [head, *sorted(pins(json.loads(done.stdout)), key=str.lower)]
    file = Path(__file__).resolve().parent.parent / "requirements" / f"{name}.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
