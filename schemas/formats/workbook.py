"""Workbooks (XLSX). A child process with limits writes the rows of a sheet as lines of JSON, in which values
keep their types.

`unpack` and `unpack_parts` run in the parent process, which loads no workbook. `write_rows` and `write_parts`
run in the child.
"""

import io
import json
import os
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO
from xml.parsers import expat

from schemas.formats import archives, encodings, workbook_rows
from schemas.formats.readers import MAX_LENGTH
from schemas.formats.refusals import FileRefused

MAX_INFLATED = 512 * 2**20  # bytes, also of what is written
MAX_RATIO, SMALL = 100, 16 * 2**20  # how many times its size a workbook may inflate to, beyond `SMALL` bytes
MAX_STRINGS, MAX_CELLS = 4_000_000, 10_000_000  # shared strings; cells of a sheet
MAX_MERGED, MAX_TAGS = 100_000, 250_000  # ranges of a sheet; tags of a part that is read at once
MAX_GAP = 16 * 2**20  # bytes from one of them to the next
MAX_COLUMNS = 1_000
MAX_ROWS, MAX_ROW_CELLS = 1_048_576, 16_384  # of any spreadsheet program
MAX_NAMES, MAX_NAME_LENGTH = 100, 255  # of sheets, in an answer
MOST_OTHERS, FIRST_ROWS, FIRST_CELLS = 20, 5, 100  # of further sheets
PIECE_SIZE, LARGE_PIECE_SIZE = 2**14, 2**20
TEXT = re.compile(rb"<(?:[^\s<>/]{1,99}:)?(si)[\s/>]")
OF_SHEET = re.compile(rb"<(?:[^\s<>/]{1,99}:)?(c|row|mergeCell)[\s/>]")
TAG = re.compile(b"<")
WORKBOOKS = ("XLSX", "XLSM", "XLTX", "XLTM")  # kinds, as openpyxl names them
PARTS = ("ARC_STYLE", "ARC_THEME", "ARC_CORE", "ARC_CUSTOM")

AS_CSV = "save the sheet as CSV in UTF-8, and import the CSV file."
TOO_LARGE = f"The workbook is too large to be read: {AS_CSV}"
TOO_MANY_COLUMNS = f"The sheet has more than {MAX_COLUMNS:,} columns: delete those that are not needed."
TOO_MANY_ROWS = f"The sheet has cells below row {MAX_ROWS:,}: {AS_CSV}"
LONG_ROW = f"Row {{number}} of the sheet has more than {MAX_LENGTH:,} characters: shorten it, or remove it."
UNREADABLE = f"The workbook cannot be read: open it in a spreadsheet program, then {AS_CSV}"
CRAFTED = f"The workbook contains a document type, which no spreadsheet program writes: {AS_CSV}"
NO_SHEET = (
    "The workbook has no sheet with that name or number: send the name of a sheet, or its number, "
    "from 1. `values` lists them."
)
OPEN_DOCUMENT = (
    "The file is an OpenDocument one (.ods): save it as an Excel workbook (.xlsx) or as CSV in UTF-8."
)
BINARY = "The file is a binary workbook (.xlsb): save it as an Excel workbook (.xlsx) or as CSV in UTF-8."

Run = Callable[..., Any]  # `audience.protocols.ChildProcess`


@dataclass(frozen=True)
class Workbook:
    """What is known of an unpacked workbook: the name of the `sheet` that was read, and of all `sheets`.

    `hidden` is the number of hidden rows in the sheet. `merged` are its cells that are merged downwards, as
    (column, first row, last row, value).

    `not_computed` has, by column, the first row with a formula that has no stored value. `others` has, by
    name, the first rows of further sheets.
    """

    sheet: str
    sheets: list[str]
    hidden: int = 0
    merged: Sequence[Sequence[Any]] = ()
    not_computed: Mapping[int, int] = field(default_factory=dict)
    others: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)


def unpack(
    run: Run, source: BinaryIO, target: BinaryIO, sheet: str | None = None, skip_hidden: bool = False
) -> Workbook:
    """Writes the rows of a sheet into `target`, for `readers.sheet_records`; not hidden ones if
    `skip_hidden`.

    `target` is an empty file; both files must have a descriptor of the system. `sheet` is a name, or a
    position from 1; without it, the first sheet is read that is not hidden.

    Raises `FileRefused`; if there is no such sheet, with the names of all as `values`.
    """
    answer = _answer(run, write_rows, source, target, sheet, skip_hidden)
    return Workbook(**answer | {"not_computed": dict(answer["not_computed"])})


def unpack_parts(run: Run, source: BinaryIO, target: BinaryIO) -> None:
    """Writes the names and texts of all parts of any archive into the empty file `target`.

    Raises `FileRefused`, also if a part is not UTF-8.
    """
    _answer(run, write_parts, source, target)


def _answer(run: Run, work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Returns what `work` returns in a child process. Raises `FileRefused`, also if the child fails."""
    try:
        answer: dict[str, Any] = run(work, *arguments)
    except (MemoryError, TimeoutError) as error:
        raise FileRefused(TOO_LARGE) from error
    except ChildProcessError as error:
        raise FileRefused(UNREADABLE) from error
    if "refused" in answer:
        raise FileRefused(answer["refused"], values=answer["sheets"])
    return answer


def write_rows(
    source: BinaryIO, target: BinaryIO, sheet: str | None, skip_hidden: bool = False
) -> dict[str, Any]:
    """Writes the rows of a sheet into `target`. Returns the fields of `Workbook`, or why it is `refused`.

    Memory is limited only by the limits of the process.
    """
    return _or_refused(_write_rows, source, target, sheet, skip_hidden)


def write_parts(source: BinaryIO, target: BinaryIO) -> dict[str, Any]:
    """Writes the parts of an archive into `target`. Returns an empty dict, or why it is `refused`."""
    return _or_refused(_write_parts, source, target)


def _or_refused(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Returns what `work` returns, or an answer with the key `refused`. Raises only `MemoryError`."""
    try:
        return work(*arguments)
    except FileRefused as error:
        return {"refused": error.problems[0].message, "sheets": error.found.get("values", [])}
    except MemoryError:
        raise
    except Exception as error:  # a damaged workbook fails in any way
        if _is_out_of_memory(error):
            raise MemoryError from error
        return {"refused": UNREADABLE, "sheets": []}


def _write_rows(source: BinaryIO, target: BinaryIO, sheet: str | None, skip_hidden: bool) -> dict[str, Any]:
    with zipfile.ZipFile(source) as archive:
        if members := archives.members(archive):
            return archives.write_rows(archive, members, target)
        _check(archive, source.seek(0, os.SEEK_END))
    return _write_sheet(source, target, sheet, skip_hidden)


def _write_parts(source: BinaryIO, target: BinaryIO) -> dict[str, Any]:
    with zipfile.ZipFile(source) as archive:
        _check_size(archive, source.seek(0, os.SEEK_END))
        for part in archive.infolist():
            target.write(f"\n{part.filename}\n".encode())
            with archive.open(part) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
                while chunk := text.read(LARGE_PIECE_SIZE):
                    if "\0" in chunk:
                        raise FileRefused(UNREADABLE)
                    target.write(chunk.encode())
    return {}


def _is_out_of_memory(error: Exception) -> bool:
    """Whether an error means that memory is used up. expat and zlib have their own exceptions for that."""
    return "out of memory" in str(error).lower()


def _check(archive: zipfile.ZipFile, size: int) -> None:
    """Raises `FileRefused` for an archive that is no workbook, is too large, or has a document type.

    `zipfile` reads no more of a part than the archive's directory says, so the sizes in it hold.
    """
    names = {name.lower() for name in archive.namelist()}
    if "[content_types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise FileRefused(OPEN_DOCUMENT if "mimetype" in names else encodings.ZIP)
    if "xl/workbook.bin" in names:
        raise FileRefused(BINARY)
    _check_size(archive, size)
    for part in archive.infolist():
        _check_beginning(archive, part)


def _check_size(archive: zipfile.ZipFile, size: int) -> None:
    if sum(part.file_size for part in archive.infolist()) > min(MAX_INFLATED, max(SMALL, MAX_RATIO * size)):
        raise FileRefused(TOO_LARGE)


def _check_beginning(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Raises `FileRefused` if a part has a document type, which can only stand before the first element."""
    started: list[str] = []
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.StartElementHandler = lambda name, _: started.append(name)
    with archive.open(part) as file, suppress(expat.ExpatError):  # not XML
        while not started and (chunk := file.read(PIECE_SIZE)):
            parser.Parse(chunk)


def _refuse_document_type(*_: Any) -> None:
    raise FileRefused(CRAFTED)


def _check_elements(
    archive: zipfile.ZipFile, part: str, element: re.Pattern[bytes], limits: Mapping[bytes, int]
) -> Counter[bytes]:
    """The number of each `element` in a part.

    Raises `FileRefused` if it is above the element's limit, or if the part has too long a stretch without
    any. Counts in the bytes: reading the XML would take a hundred times as long. NULs are removed, because
    the part may be UTF-16.
    """
    counts, gap = Counter[bytes](), 0
    with archive.open(part) as file:
        while chunk := file.read(LARGE_PIECE_SIZE):
            found = element.findall(chunk.replace(b"\0", b""))
            counts.update(found)
            gap = 0 if found else gap + len(chunk)
            if gap > MAX_GAP or any(counts[name] > most for name, most in limits.items()):
                raise FileRefused(TOO_LARGE)
    return counts


def _check_sheet(archive: zipfile.ZipFile, part: str) -> None:
    limits = {b"c": MAX_CELLS, b"row": MAX_ROWS, b"mergeCell": MAX_MERGED}
    counts = _check_elements(archive, part, OF_SHEET, limits)
    if counts[b"c"] > MAX_ROW_CELLS * max(1, counts[b"row"]):
        raise FileRefused(TOO_LARGE)


def _read(reader: Any) -> None:
    """Has openpyxl's `reader` read all but the sheets. Raises `FileRefused` before a part above its limit."""
    from openpyxl.packaging.relationship import get_rels_path
    from openpyxl.xml import constants

    _check_elements(reader.archive, constants.ARC_CONTENT_TYPES, TAG, {b"<": MAX_TAGS})
    reader.read_manifest()
    if strings := reader.package.find(constants.SHARED_STRINGS):
        _check_elements(reader.archive, strings.PartName[1:], TEXT, {b"si": MAX_STRINGS})
    books = [found for kind in WORKBOOKS if (found := reader.package.find(getattr(constants, kind)))]
    names = [book.PartName[1:] for book in books] or [constants.ARC_WORKBOOK]
    names += [*map(get_rels_path, names), *(getattr(constants, part) for part in PARTS)]
    for name in set(names).intersection(reader.valid_files):
        _check_elements(reader.archive, name, TAG, {b"<": MAX_TAGS})
    reader.read()


def _write_sheet(source: BinaryIO, target: BinaryIO, sheet: str | None, skip_hidden: bool) -> dict[str, Any]:
    """Reads a workbook and writes the rows of a sheet into `target`. Returns the fields of `Workbook`.

    Raises `FileRefused` if a limit is exceeded.
    """
    from openpyxl.reader.excel import ExcelReader  # only the child loads it

    reader: Any = ExcelReader(source, read_only=True, data_only=True, keep_links=False)
    _read(reader)
    sheets = reader.wb.worksheets
    names = [str(sheet.title) for sheet in sheets]
    hidden = [sheet.sheet_state != "visible" for sheet in sheets]
    chosen = sheets[_index(names, hidden, sheet)]
    parts = {sheet.name: relation.target for sheet, relation in reader.parser.find_sheets()}
    visible = [sheet for sheet in sheets if sheet is not chosen and sheet.sheet_state == "visible"]
    others = [] if sheet else visible[:MOST_OTHERS]
    for scanned in (chosen, *others):
        _check_sheet(reader.archive, parts[scanned.title])
    with reader.archive.open(parts[chosen.title]) as part:
        notes = workbook_rows.Scan().read(part)
    chosen.reset_dimensions()  # which may be wrong
    counts, merged = Counter[str](), workbook_rows.merged_columns(notes)
    for line in _lines(chosen.iter_rows(), notes.hidden, merged, counts, skip_hidden):
        counts["bytes"] += target.write(line)
        if counts["bytes"] > MAX_INFLATED:
            raise FileRefused(TOO_LARGE)
    return {
        "sheet": chosen.title,
        "sheets": _shown_names(names),
        "hidden": counts["hidden"],
        "merged": merged,
        "not_computed": list(notes.not_computed.items()),
        "others": {str(other.title): _beginning(other) for other in others},
    }


def _beginning(sheet: Any) -> list[list[str]]:
    sheet.reset_dimensions()
    rows = islice(sheet.iter_rows(values_only=True), FIRST_ROWS)
    return [[str(value)[:MAX_NAME_LENGTH] for value in row[:FIRST_CELLS]] for row in rows]


def _shown_names(names: Sequence[str]) -> list[str]:
    return [name[:MAX_NAME_LENGTH] for name in names[:MAX_NAMES]]


def _index(names: Sequence[str], hidden: Sequence[bool], sheet: str | None) -> int:
    """The index of a sheet by name or position from 1; for None, of the first that is not hidden.

    Raises `FileRefused` if there is no such sheet.
    """
    if sheet is None:
        return hidden.index(False) if False in hidden else 0
    wanted = sheet.strip().casefold()
    numbers = [str(number) for number in range(1, len(names) + 1)]
    for labels in ([name.strip().casefold() for name in names], numbers):
        if wanted in labels:
            return labels.index(wanted)
    raise FileRefused(NO_SHEET, values=_shown_names(names))


def _lines(
    rows: Iterable[Sequence[Any]],
    hidden: Container[int],
    merged: Sequence[list[Any]],
    counts: Counter[str],
    skip_hidden: bool,
) -> Iterator[bytes]:
    """Yields the rows that are not blank as lines of JSON: number and cells. Raises `FileRefused` at a limit.

    Counts the hidden rows in `counts`, and puts the value of each merged cell into its entry of `merged`.
    """
    starts = {(area[1], area[0]): area for area in merged}
    for number, row in enumerate(rows, 1):
        if number > MAX_ROWS:
            raise FileRefused(TOO_MANY_ROWS)
        cells = workbook_rows.shown_cells(row)
        while cells and cells[-1] == "":
            cells.pop()
        if len(cells) > MAX_COLUMNS:
            raise FileRefused(TOO_MANY_COLUMNS)
        for position, cell in enumerate(cells, 1) if starts else ():
            if (number, position) in starts:
                starts[number, position][3] = cell
        is_hidden = bool(cells) and number in hidden
        counts["hidden"] += is_hidden
        if cells and not (is_hidden and skip_hidden):
            line = json.dumps([number, cells], ensure_ascii=False)
            if len(line) >= MAX_LENGTH:
                raise FileRefused(LONG_ROW.format(number=number))
            yield f"{line}\n".encode()
