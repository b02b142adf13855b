"""Write what CITATION.cff says of the authors and the release into all files that repeat it.

`python tools/metadata.py` writes them; a test says which files are behind. GitHub and
Zenodo read CITATION.cff itself.
"""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent


def full_name(author):
    """A person's given and family names, or the name of a group."""
    return author.get("name") or f"{author['given-names']} {author['family-names']}"


def front_matter(cff):
    """The authors as a paper of the Open Journals names them."""
    places = list(
        dict.fromkeys(a.get("affiliation", "to be filled in") for a in cff["authors"])
    )
    lines = ["authors:"]
    for author in cff["authors"]:
        place = places.index(author.get("affiliation", "to be filled in")) + 1
        lines += [f"  - name: {full_name(author)}", f"    affiliation: {place}"]
        lines += (
            [f"    orcid: {author['orcid'].rsplit('/', 1)[-1]}"]
            if "orcid" in author
            else []
        )
    lines.append("affiliations:")
    for index, place in enumerate(places, start=1):
        lines += [f"  - name: {place}", f"    index: {index}"]
    return "\n".join(lines) + "\n"


def replaced(name, pattern, text):
    """The text of a file with the one place that the pattern finds replaced."""
    old = (ROOT / name).read_text(encoding="utf-8")
    new, count = re.subn(pattern, lambda _: text, old, flags=re.M | re.S)
    if count != 1:
        raise ValueError(f"{name} has {count} places like {pattern!r}; one is needed.")
    return new


def files():
    """Path -> the text that it should have."""
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    names = [full_name(author) for author in cff["authors"]]
    people = ", ".join(f'{{ name = "{name}" }}' for name in names)
    found = {
        "pyproject.toml": replaced(
            "pyproject.toml", r"^authors = \[.*?\]$", f"authors = [{people}]"
        ),
        "_config.yml": replaced(
            "_config.yml", r"^author: [^\n]*$", f"author: {', '.join(names)}"
        ),
    }
    for name in ("paper/paper.in.md", "paper/rescience.in.md"):
        pattern = r"^authors:\n.*?(?=^date:)"
        found[name] = replaced(name, pattern, front_matter(cff))
    return found


def main():
    for name, text in files().items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {name}")


if __name__ == "__main__":
    main()
