"""The reader takes what the writer can have written; for all else it gives advice that works."""

import csv
import random
import re
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rnmf_tutorial.evaluation.fields import LONGEST, axis_text, check_name, from_text, to_text
from rnmf_tutorial.evaluation.parsing import (
    BOOKKEEPING,
    PROVENANCE,
    check_partial_header,
    parse,
    to_frame,
    to_lines,
)

from rnmf_tutorial.evaluation import Grid, experiments, load_results, run

RESULTS = Path(__file__).resolve().parent.parent / "book" / "results"
FILES = sorted(RESULTS.glob("*.csv"))


def quiet(grid, **options):
    return run(grid, n_jobs=1, progress=False, **options)


# ------------------------------------------------------------------ one field

values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=9)
)


@given(values)
def test_a_field_gives_back_the_value_and_its_type(value):
    try:
        text = to_text(value)
    except ValueError:
        assert set(value) & set("\n\r") or re.search("[\ud800-\udfff]", value)
        return
    back = from_text(text)
    assert (type(back), repr(back)) == (type(value), repr(value))


def test_a_string_is_as_long_as_the_reader_of_files_takes():
    longest = "x" * LONGEST
    assert from_text(to_text(longest)) == longest
    assert csv.field_size_limit() > LONGEST
    with pytest.raises(ValueError, match=r"at most 100,000 characters, got 100,001"):
        to_text(longest + "x")
    check_name(longest)
    with pytest.raises(ValueError, match=r"at most 100,000 characters, got 100,001"):
        check_name(longest + "x")


@pytest.mark.parametrize("text", ["seven", "7", "True", "", "'", "nan", "-inf"])
def test_numpys_strings_and_numbers_are_stored_as_pythons(text):
    assert to_text(np.str_(text)) == to_text(text)
    for number in (np.int8(3), np.float32(0.5), np.bool_(True), np.float64("nan")):
        assert to_text(number) == to_text(number.item())
        assert type(from_text(to_text(number))) is type(number.item())


@given(st.one_of(st.text(max_size=9), st.from_regex(r"\A['\"]?[-+]?[0-9._e]{0,6}['\"]?\Z")))
def test_a_field_that_is_read_is_one_that_is_written(text):
    try:
        value = from_text(text)
    except ValueError:
        assert text[0] in "'\""
        return
    if not set(text) & set("\n\r") and not re.search("[\ud800-\udfff]", text):
        assert to_text(value) == text


@given(values, values)
def test_two_values_are_one_cell_if_they_are_equal_numbers_or_the_same(a, b):
    try:
        one_cell = axis_text(a) == axis_text(b)
    except ValueError:
        return
    numbers = all(type(v) in (int, float) for v in (a, b))
    assert one_cell == (a == b if numbers else (type(a), a) == (type(b), b))


# ------------------------------------------------------------------ a damaged file


def axes_of(path):
    """The first columns that tell the cells of a right file apart."""
    data = path.read_bytes()
    header = parse(data, path)[0]
    for n in range(1, len(header)):
        try:
            parse(data, path, header[:n])
        except ValueError:
            continue
        return header[:n]


def stored_grid(path):
    """A grid whose cells are those of a file, and return what the file holds."""
    axes = axes_of(path)
    header, cells, _ = parse(path.read_bytes(), path, axes)
    columns = header[len(axes) : -len(BOOKKEEPING)]
    points, rows, computed = [], {}, []
    for key, lines in cells.items():
        points.append(dict(zip(axes, map(from_text, lines[0]), strict=False)))
        fields = [line[len(axes) : len(axes) + len(columns)] for line in lines]
        rows[key] = [dict(zip(columns, map(from_text, line), strict=True)) for line in fields]

    def cell(**point):
        key = tuple(map(axis_text, point.values()))
        computed.append(key)
        return rows[key]

    name = path.stem.removesuffix("-paper")
    grid = SimpleNamespace(
        name=name, axes=axes, cell=cell, cells=lambda scale, where: points, computed=computed
    )
    return grid, len(rows)


def followed(message, path):
    """Do literally what the advice says: delete the lines that it names."""
    (advice,) = re.findall(r"Delete lines? ([\d, -]+), which", message)
    lines = path.read_bytes().split(b"\n")
    for part in advice.split(", "):
        first, _, last = part.partition("-")
        for number in range(int(first), int(last or first) + 1):
            lines[number - 1] = None
    path.write_bytes(b"\n".join(line for line in lines if line is not None))
    return sum(line is None for line in lines)


def changed(column, text):
    """Damage that writes a text into a column of one line."""

    def damage(lines, k):
        fields = lines[k].split(b",")
        fields[column] = text
        lines[k] = b",".join(fields)

    return damage


def other_cell(lines, k, n_axes):
    """Give a line the axes of another cell: of the nearest one behind the middle."""
    middle = len(lines) // 2 + 1
    texts = [line.decode() for line in (lines[k], *lines[middle:-1], *lines[1:middle])]
    fields, *others = csv.reader(texts)
    place = next(other[:n_axes] for other in others if other[:n_axes] != fields[:n_axes])
    lines[k] = to_lines([place + fields[n_axes:]]).encode().rstrip(b"\n")


def joined(lines, k):
    lines[k : k + 2] = [lines[k] + lines[k + 1]]


def doubled(lines, k):
    lines.insert(k, lines[k])


def doubled_at_the_end(lines, k):
    lines.insert(len(lines) - 1, lines[k])


def exchanged(lines, k):
    lines[k], lines[-2] = lines[-2], lines[k]


DAMAGES = {
    "line lost": lambda lines, k: lines.pop(k),
    "line doubled": doubled,
    "line doubled at the end": doubled_at_the_end,
    "line empty": lambda lines, k: lines.insert(k, b""),
    "lines joined": joined,
    "lines exchanged": exchanged,
    "field lost": lambda lines, k: lines.__setitem__(k, lines[k].partition(b",")[2]),
    "not UTF-8": lambda lines, k: lines.__setitem__(k, lines[k][:9] + b"\xff" + lines[k][9:]),
    "a quotation mark": lambda lines, k: lines.__setitem__(k, b'"' + lines[k]),
    "a line end of Windows": lambda lines, k: lines.__setitem__(k, lines[k] + b"\r"),
    "cell_rows 999": changed(-len(BOOKKEEPING), b"999"),
    "cell_rows 0": changed(-len(BOOKKEEPING), b"0"),
    "cell_rows -1": changed(-len(BOOKKEEPING), b"-1"),
    "cell_rows x": changed(-len(BOOKKEEPING), b"x"),
    "cell_rows 02": changed(-len(BOOKKEEPING), b"02"),
    "another commit": changed(-1, b"0123"),
}


def with_several_rows():
    for path in FILES:
        _, cells, _ = parse(path.read_bytes(), path)
        if max(map(len, cells.values())) > 1:
            yield path


SEVERAL = list(with_several_rows())


def test_eleven_stored_files_have_cells_of_several_rows():
    assert len(SEVERAL) >= 11


@pytest.mark.filterwarnings("ignore:The last cell")  # which damage to the end may cut short
@pytest.mark.parametrize("path", SEVERAL, ids=lambda path: path.stem)
def test_following_the_advice_gives_a_right_file(path, tmp_path):
    """On a copy of every stored file with cells of several rows, for every kind of damage."""
    grid, n_cells = stored_grid(path)
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    right = quiet(grid, scale="paper", results=tmp_path).drop(columns=["seconds", *PROVENANCE])
    assert grid.computed == []
    sizes = [len(cell) for cell in parse(path.read_bytes(), path, grid.axes)[1].values()]
    size_of_line = [size for size in sizes for _ in range(size)]
    # The lines of cells of several rows, and not of the last, which a kill can cut short.
    several = [k for k, size in enumerate(size_of_line[: -sizes[-1] - 3], start=1) if size > 1]
    rng = random.Random(path.stem)
    moved = {"another cell's place": partial(other_cell, n_axes=len(grid.axes))}
    for kind, damage in (DAMAGES | moved).items():
        lines = path.read_bytes().split(b"\n")
        k = rng.choice(several[1:])
        damage(lines, k)
        copy.write_bytes(b"\n".join(lines))
        broken = copy.read_bytes()
        with pytest.raises(ValueError, match=r"Lines? \d") as caught:
            print(kind, "at line", k + 1)
            quiet(grid, scale="paper", results=tmp_path)
        assert copy.read_bytes() == broken, kind
        deleted = followed(str(caught.value), copy)
        grid.computed.clear()
        frame = quiet(grid, scale="paper", results=tmp_path)
        pd.testing.assert_frame_equal(frame.drop(columns=["seconds", *PROVENANCE]), right, obj=kind)
        header, cells, length = parse(copy.read_bytes(), copy, grid.axes)
        assert len(cells) == n_cells and length == len(copy.read_bytes()), kind
        # Only the cells that were hit: of one line or two, with what stands beside them.
        assert len(grid.computed) <= 4 and deleted <= 5 * max(sizes), kind
        left = to_frame(header, [row for cell in cells.values() for row in cell])
        assert len(left) == len(right), kind


def two_rows(seed):
    return [{"split": split, "root": (seed + split) ** 0.5} for split in (0, 1)]


def toy(cell=two_rows, n=60):
    return Grid("toy", cell, quick={"seed": list(range(n))}, paper={"seed": [0]})


def test_one_wrong_digit_never_drops_the_rest(tmp_path):
    """The file of the report: 2 → 999 in one line made 121 lines five, without a word."""
    grid, path = toy(), tmp_path / "toy-quick.csv"
    whole = quiet(grid, results=tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[5] = lines[5].replace(b",2,", b",999,")
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ValueError, match=r"Lines 6-7 of .* disagree .*Delete lines 6-7, which"):
        quiet(grid, results=tmp_path)
    with pytest.raises(ValueError, match=r"Delete lines 6-7, which"):
        load_results("toy", "quick", tmp_path)
    assert path.read_bytes() == b"\n".join(lines)
    followed("Delete lines 6-7, which", path)
    again = quiet(grid, results=tmp_path)
    pd.testing.assert_frame_equal(
        again[["seed", "split", "root"]], whole[["seed", "split", "root"]]
    )
    assert quiet(grid, results=tmp_path, where={"seed": [2]}).seed.tolist() == [2, 2]


def test_a_row_lost_from_each_of_two_cells_does_not_make_one():
    """Rows of two cells that together are as many as one cell has."""
    header = ",".join(["seed", "split", *BOOKKEEPING])
    ends = ",".join(["2", "0.5", *"nssrc"])
    lines = [f"{seed},{split},{ends}" for seed in range(3) for split in (0, 1)]
    del lines[2], lines[2:4]  # (1, 0), (1, 1) and (2, 0)
    data = "\n".join([header, *lines, ""]).encode()
    _, cells, length = parse(data, "x", ["seed"])
    assert list(cells) == [("0",)] and length < len(data)  # (2, 1) may be a beginning
    lines[1], lines[2] = lines[2], lines[1]
    with pytest.raises(ValueError, match=r"Lines? 2 of x is a cell of 2 rows .*lines 2-3, which"):
        parse("\n".join([header, *lines, ""]).encode(), "x", ["seed"])


@pytest.mark.parametrize("text", ["2", "999"])
def test_a_wrong_size_of_the_last_cell_costs_that_cell_and_is_said(tmp_path, text):
    def one_row(seed):
        return {"root": seed**0.5}

    path = tmp_path / "toy-quick.csv"
    quiet(toy(one_row, 3), results=tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[-2] = lines[-2].replace(b",1,", f",{text},".encode(), 1)
    path.write_bytes(b"\n".join(lines))
    with pytest.warns(UserWarning, match="last cell of .* incomplete"):
        assert load_results("toy", "quick", tmp_path).seed.tolist() == [0, 1]
    with pytest.warns(UserWarning, match="last cell of .* incomplete"):
        assert quiet(toy(one_row, 3), results=tmp_path).root.tolist() == [0, 1, 2**0.5]


def test_a_cell_stored_twice_is_deleted_twice(tmp_path):
    """Which of the two is right, nobody knows."""
    grid, path = toy(n=4), tmp_path / "toy-quick.csv"
    quiet(grid, results=tmp_path)
    data = path.read_bytes()
    cell = b"\n".join(data.split(b"\n")[3:5]) + b"\n"
    for twice, lines in [(data + cell, "4-5, 10-11"), (data.replace(cell, cell + cell), "4-7")]:
        path.write_bytes(twice)
        with pytest.raises(ValueError, match=f"Delete lines {lines}, which"):
            quiet(grid, results=tmp_path)
    # A run computes no cell again that is stored: half of one at the end is no kill's.
    path.write_bytes(data + cell[: cell.index(b"\n") + 1])
    with pytest.raises(ValueError, match="stored twice"):
        quiet(grid, results=tmp_path)


HEADER = ",".join(["seed", "root", *BOOKKEEPING]).encode()
ROW = b"0,0.0,1,0.1,n,s,s,r,c"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xef\xbb\xbf" + HEADER + b"\n" + ROW + b"\n", "Line 1 of .* byte-order mark"),
        (HEADER + b"\r\n" + ROW + b"\r\n", "end as on Windows"),
        (b"a,b\n1,2\n", "not written by the runner .*does not end with cell_rows"),
        (b"\xff\xfe\n", "not written by the runner .*line 1 is not UTF-8 from byte 1 on"),
        (HEADER.replace(b"root", b"seed") + b"\n", "toy-quick.csv was .*names a column twice"),
        (HEADER.replace(b"seed", b'"seed"') + b"\n", "quoted in another way"),
        (HEADER + b"\n" + ROW.replace(b"0.0", b'"0.0') + b"\n", "Line 2 of .* no line of a CSV"),
        (HEADER + b"\n" + ROW.replace(b"0.0", b'"0.0"') + b"\n", "Line 2 of .* quoted in another"),
        (HEADER + b"\n" + ROW.replace(b"0.0", b"'x") + b"\n", "Line 2 of .*no quoted string"),
        (HEADER + b"\n" + ROW.replace(b"0.0", b"'x'") + b"\n", "Line 2 of .*no quoted string"),
        (HEADER + b"\n" + ROW.replace(b",0.1,", b",,") + b"\n", "Line 2 of .*is no time"),
        (HEADER + b"\n" + ROW.replace(b",0.1,", b",-1,") + b"\n", "Line 2 of .*is no time"),
        (HEADER + b"\n" + ROW.replace(b",1,", b",0,") + b"\n", "Line 2 of .* cell_rows 0"),
        (HEADER + b"\n" + ROW.replace(b",1,", b",1.0,") + b"\n", "Line 2 of .* cell_rows 1.0"),
        (HEADER + b"\n" + ROW.replace(b",1,", b",,") + b"\n", "Line 2 of .* cell_rows None"),
        (HEADER + b"\n" + ROW + b"\n\n", "Line 3 of .* 0 fields instead of 9"),
        (HEADER + b"\n" + ROW[:-4] + b"\n", "Line 2 of .* 7 fields instead of 9"),
    ],
)
def test_what_no_run_has_written_is_named_and_left_alone(tmp_path, data, message):
    path = tmp_path / "toy-quick.csv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        quiet(toy(n=1), results=tmp_path)
    with pytest.raises(ValueError, match=message):
        load_results("toy", "quick", tmp_path)
    assert path.read_bytes() == data


def test_a_file_of_another_kind_is_not_taken_for_a_header_cut_short(tmp_path):
    path = tmp_path / "toy-quick.csv"
    for other in (b"my notes", b"seeds", b"\x00"):
        path.write_bytes(other)
        with pytest.raises(ValueError, match="not written by the runner"):
            quiet(toy(n=1), results=tmp_path)
        assert path.read_bytes() == other
    for cut in (b"s", b"seed", b"seed,", b"seed,sp"):
        path.write_bytes(cut)
        with pytest.warns(UserWarning, match="incomplete"):
            assert len(quiet(toy(n=1), results=tmp_path)) == 2


# ------------------------------------------------------------------ the files of the book


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_stored_file_is_whole(path):
    assert axes_of(path)
    data = path.read_bytes()
    assert parse(data, path)[2] == len(data)


@pytest.mark.filterwarnings("ignore:The last cell")
def test_a_full_disk_costs_the_last_cell_at_most(tmp_path, monkeypatch):
    """The system refuses to let files grow beyond a size, at every size."""
    resource = pytest.importorskip("resource", reason="there are no limits of this kind")
    signal = pytest.importorskip("signal")
    monkeypatch.setattr(experiments, "provenance", lambda cell: dict.fromkeys(PROVENANCE, "x"))
    grid, path = toy(n=6), tmp_path / "toy-quick.csv"
    quiet(grid, results=tmp_path)
    size = path.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for limit in range(1, size - 9, 17):
            path.unlink()
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            with pytest.raises(OSError):
                quiet(grid, results=tmp_path)
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            frame = quiet(grid, results=tmp_path)
            assert frame.seed.tolist() == [seed for seed in range(6) for _ in (0, 1)]
            assert len(load_results("toy", "quick", tmp_path)) == 12
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def test_one_line_is_a_line_and_several_are_lines():
    header = ",".join(["seed", *BOOKKEEPING])
    rows = [f"{seed},2,0.5,n,s,s,r,c" for seed in (0, 1, 1, 2, 2)]
    with pytest.raises(ValueError, match=r"^Line 2 of x is a cell .*\. Delete line 2, which is"):
        parse("\n".join([header, *rows, ""]).encode(), "x", ["seed"])
    rows[0:0] = ["0,3,0.5,n,s,s,r,c"]
    with pytest.raises(ValueError, match=r"^Lines 2-3 of .* disagree.*\. Delete lines 2-3, which"):
        parse("\n".join([header, *rows, ""]).encode(), "x", ["seed"])


def test_a_foreign_file_without_a_whole_line_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"notes was not written .*its first line has no end"):
        check_partial_header(b"something else", ("method", "seed"), "notes")
    for data in (b"", b"meth", b"method,se", b"method,seed,err"):
        check_partial_header(data, ("method", "seed"), "notes")


def file_of(n_axes, columns=("b", "c", "d"), n_cells=3):
    """Cells of two rows, known apart by so many of the columns: the last value is that of a row."""
    header = ",".join(["a", *columns, *BOOKKEEPING])
    lines = [
        ",".join([*n_axes * [str(cell)], *[f"{row}.5"] * (4 - n_axes), "2,0.5,n,s,s,r,c"])
        for cell in range(n_cells)
        for row in (0, 1)
    ]
    return [header, *lines, ""]


@pytest.mark.parametrize("n_axes", [1, 2, 3])
def test_the_axes_are_found_where_only_one_number_of_them_is_right(n_axes):
    data = "\n".join(file_of(n_axes)).encode()
    header, cells, length = parse(data, "x")
    assert header[:4] == ["a", "b", "c", "d"] and length == len(data)
    assert list(cells) == [n_axes * (str(cell),) for cell in range(3)]
    assert parse(data, "x", header[:n_axes]) == (header, cells, length)


def test_of_several_readings_that_of_the_least_damage_is_told():
    """With more than one axis every row would stand alone; with one, a single cell is damaged."""
    lines = file_of(1)
    lines[4] = lines[4].replace(",2,", ",3,")
    with pytest.raises(ValueError, match=r"Lines 4-5 of x is .*Delete lines 4-5, which"):
        parse("\n".join(lines).encode(), "x")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe\n", "not UTF-8 from byte 1 on"),
        (b"a,b\n1,2\n", "does not end with cell_rows, seconds, numpy"),
    ],
)
def test_a_foreign_file_is_named(data, message):
    with pytest.raises(ValueError, match=f"^notes.csv was not written .*line 1 .*{message}"):
        parse(data, "notes.csv")


def test_no_cell_takes_forever():
    data = b"\n".join([HEADER, ROW.replace(b",0.1,", b",inf,"), b""])
    with pytest.raises(ValueError, match="Line 2 of x has seconds inf, which is no time"):
        parse(data, "x")


def test_a_last_cell_cut_short_is_told_by_its_bytes_and_then_gone(tmp_path):
    grid, path = toy(n=4), tmp_path / "toy-quick.csv"
    whole = quiet(grid, results=tmp_path)
    with warnings.catch_warnings(action="error"):  # nothing is said of a file that is whole
        load_results("toy", "quick", tmp_path)
        quiet(grid, results=tmp_path)
    data = path.read_bytes()
    kept = data.index(b"\n3,0,") + 1
    path.write_bytes(data[: kept + 10])
    told = f"The last cell of {re.escape(str(path))} is incomplete.* its 10 bytes do not count"
    with pytest.warns(UserWarning, match=told):
        assert len(load_results("toy", "quick", tmp_path)) == 6
    with pytest.warns(UserWarning, match=told):
        again = quiet(grid, results=tmp_path)
    assert path.read_bytes()[:kept] == data[:kept]
    with warnings.catch_warnings(action="error"):
        stored = load_results("toy", "quick", tmp_path)
    for frame in (again, stored):
        pd.testing.assert_frame_equal(
            frame[["seed", "split", "root"]], whole[["seed", "split", "root"]]
        )


def test_the_folder_of_results_is_made_with_those_above(tmp_path):
    quiet(toy(n=1), results=tmp_path / "some" / "where")
    assert len(load_results("toy", "quick", tmp_path / "some" / "where")) == 2


def test_without_results_the_call_that_makes_them_is_told(tmp_path):
    call = re.escape(f"run(grid, 'paper', results={str(tmp_path)!r}) with the grid 'toy'")
    with pytest.raises(FileNotFoundError, match=call):
        load_results("toy", "paper", tmp_path)


def test_every_line_that_cannot_be_read_is_named():
    lines = [HEADER, ROW[2:], ROW, b"1" + ROW[1:], b"2" + ROW[1:] + b",", b""]
    with pytest.raises(ValueError, match=r"^Line 2 of x has 8 fields.*Delete lines 2, 5, which"):
        parse(b"\n".join(lines), "x", ["seed"])


def test_a_string_begins_as_it_likes():
    for character in map(chr, range(ord(" "), 127)):
        if character not in "'\"":
            assert from_text(f"{character}-ray") == f"{character}-ray"


def test_a_file_that_is_no_header_cut_short_is_named(tmp_path):
    path = tmp_path / "toy-quick.csv"
    path.write_bytes(b"my notes")
    told = f"^{re.escape(str(path))} was not written .*its first line has no end"
    with pytest.raises(ValueError, match=told):
        quiet(toy(n=1), results=tmp_path)


def test_versions_and_commits_are_text_even_where_they_look_like_numbers():
    header = ["seed", *BOOKKEEPING]
    frame = to_frame(header, [["7", "1", "0.5", "2.4", "1.10", "True", "", "1234567"]])
    assert frame.iloc[0].tolist() == [7, 1, 0.5, "2.4", "1.10", "True", "", "1234567"]
    assert list(map(type, frame.iloc[0]))[-5:] == 5 * [str]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_stored_string_is_one_line_on_every_system(end):
    for refuse in (to_text, check_name):
        with pytest.raises(ValueError, match="must be one line"):
            refuse(f"a{end}b")


@pytest.mark.skipif(hasattr(load_results, "__wrapped__"), reason="mutmut's frames stand between")
def test_the_warning_points_to_who_asked_for_the_results(tmp_path):
    quiet(toy(n=2), results=tmp_path)
    path = tmp_path / "toy-quick.csv"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.warns(UserWarning, match="incomplete") as said:
        load_results("toy", "quick", tmp_path)
    assert said[0].filename == __file__
