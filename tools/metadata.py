"""Write what CITATION.cff says of the authors and the release into all files that repeat it.

python tools/metadata.py           writes codemeta.json, .zenodo.json, and lines of other files
python tools/metadata.py --check   says which of them are behind
"""

import json
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent


def full_name(author):
    """A person's given and family names, or the name of a group."""
    return author.get("name") or f"{author['given-names']} {author['family-names']}"


def codemeta(cff):
    """The release as CodeMeta 2.0 describes software."""
    authors = []
    for author in cff["authors"]:
        if "name" in author:
            authors.append({"@type": "Organization", "name": author["name"]})
            continue
        person = {
            "@type": "Person",
            "givenName": author["given-names"],
            "familyName": author["family-names"],
        }
        if "orcid" in author:
            person["@id"] = author["orcid"]
        if "affiliation" in author:
            person["affiliation"] = {"@type": "Organization", "name": author["affiliation"]}
        authors.append(person)
    whole = {
        "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
        "@type": "SoftwareSourceCode",
        "name": "rnmf_tutorial",
        "description": cff["abstract"],
        "version": cff["version"],
        "author": authors,
        "license": f"https://spdx.org/licenses/{cff['license']}",
        "codeRepository": cff["repository-code"],
        "url": cff["url"],
        "keywords": cff["keywords"],
        "programmingLanguage": "Python",
        "datePublished": str(cff.get("date-released", "")),
        "identifier": f"https://doi.org/{cff['doi']}" if "doi" in cff else "",
    }
    return {name: value for name, value in whole.items() if value}


def zenodo(cff):
    """The release as Zenodo archives it."""
    creators = []
    for author in cff["authors"]:
        name = author.get("name") or f"{author['family-names']}, {author['given-names']}"
        creator = {"name": name}
        if "affiliation" in author:
            creator["affiliation"] = author["affiliation"]
        if "orcid" in author:
            creator["orcid"] = author["orcid"].rsplit("/", 1)[-1]
        creators.append(creator)
    return {
        "title": cff["title"],
        "description": cff["abstract"],
        "version": cff["version"],
        "upload_type": "software",
        "access_right": "open",
        "license": cff["license"],
        "creators": creators,
        "keywords": cff["keywords"],
    }


def front_matter(cff):
    """The authors as a paper of the Open Journals names them."""
    places = list(dict.fromkeys(a.get("affiliation", "to be filled in") for a in cff["authors"]))
    lines = ["authors:"]
    for author in cff["authors"]:
        place = places.index(author.get("affiliation", "to be filled in")) + 1
        lines += [f"  - name: {full_name(author)}", f"    affiliation: {place}"]
        lines += [f"    orcid: {author['orcid'].rsplit('/', 1)[-1]}"] if "orcid" in author else []
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
        "codemeta.json": json.dumps(codemeta(cff), indent=2, ensure_ascii=False) + "\n",
        ".zenodo.json": json.dumps(zenodo(cff), indent=2, ensure_ascii=False) + "\n",
        "pyproject.toml": replaced(
            "pyproject.toml", r"^authors = \[.*?\]$", f"authors = [{people}]"
        ),
        "_config.yml": replaced("_config.yml", r"^author: [^\n]*$", f"author: {', '.join(names)}"),
    }
    for name in ("paper/paper.in.md", "paper/rescience.in.md"):
        pattern = r"^authors:\n.*?(?=^date:)"
        found[name] = replaced(name, pattern, front_matter(cff))
    return found


def main():
    behind = []
    for name, text in files().items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            behind.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
                print(f"written: {name}")
    if behind and "--check" in sys.argv:
        sys.exit(f"CITATION.cff says otherwise than {behind}; run `python tools/metadata.py`.")


if __name__ == "__main__":
    main()
