"""Write the gallery of conversations: what the tests have recorded, read by `parlour trace`, as pages with diagrams.

python scripts/gallery.py           # writes docs/gallery/
python scripts/gallery.py --check   # says whether those files are as they would be written
"""

import re
import sys
from pathlib import Path

from parlour.registry import protocols
from parlour.trace.page import Section, page
from parlour.trace.reading import FOLLOWERS, Message, Reader
from parlour.trace.records import DATA
from parlour.trace.sources import Source

ROOT = Path(__file__).parents[1]
WIRES = ROOT / "tests" / "wires"
GALLERY = ROOT / "docs" / "gallery"
INTRO = (
    "Recorded conversations from the project's tests, read by parlour trace. An arrow is a message, with its name and"
    " its fields; the board beside it is the position after it. Red is what the protocol's document does not allow"
    " there, or what the rules of the game say otherwise: many of these programs have habits of their own."
)


def section(path: Path, wire: str) -> Section:
    """A transcript as a diagram."""
    text = path.read_text(encoding="utf-8")
    headers = dict(re.findall(r"^@(\S+) (.+)$", text, re.MULTILINE))
    reader = Reader(wire, boards=True, dialect=headers.get("version", ""))
    messages: list[Message] = []
    for record in Source(path, wire).records():
        connection, sender = record.connection, record.sender
        if record.what == DATA:
            messages += reader.feed(connection, sender, record.data)
        else:
            messages += reader.end(connection, sender)
    comments = re.findall(r"\A(?:# ?(.+)\n)", text)
    names = {int(key[10:]): name for key, name in headers.items() if re.fullmatch(r"connection[0-9]+", key)}
    title = headers["title"]
    return Section(title[0].upper() + title[1:], messages, " ".join(comments), id=path.stem, names=names)


def pages() -> dict[str, str]:
    """Every file of the gallery."""
    found: dict[str, str] = {}
    rows: list[str] = []
    for wire in FOLLOWERS:
        folder = WIRES / wire.replace("-", "")
        sections = [section(path, wire) for path in sorted(folder.glob("*.wire"))]
        title = protocols()[wire].title
        found[f"{wire}.html"] = page(f"{title}: conversations", sections, INTRO)
        rows += [f"\n## {title}\n", f"[All of them with diagrams and boards]({wire}.html); "
                 f"[the wire](../protocols/{wire}.md).\n"]  # fmt: skip
        rows += [f"- {one.title}{_noted(one)}" for one in sections]
    found["README.md"] = "\n".join([*HEAD, *rows]) + "\n"
    return found


def _noted(one: Section) -> str:
    notes = sum(bool(message.note) for message in one.messages)
    counted = f"{len(one.messages)} messages"
    return f" ({counted}, {notes} with a note)" if notes else f" ({counted})"


HEAD = (
    "# Gallery of wires",
    "",
    "How the programs of every wire really talk to each other, well and oddly: the conversations that the tests",
    "replay, as sequence diagrams with the boards. Each page is one HTML file that needs nothing else: open it in a",
    "browser. `make gallery` writes them with [`parlour trace`](../trace.md); it makes pages of your programs, too.",
)


def main() -> int:
    """Write, or check."""
    wanted = pages()
    if "--check" in sys.argv[1:]:
        stale = [name for name, text in wanted.items() if _there(GALLERY / name) != text]
        stale += [path.name for path in GALLERY.glob("*") if path.name not in wanted]
        if stale:
            print(f"docs/gallery is not current ({', '.join(sorted(stale))}): run make gallery")
        return 1 if stale else 0
    GALLERY.mkdir(exist_ok=True)
    for name, text in wanted.items():
        (GALLERY / name).write_text(text, encoding="utf-8")
    return 0


def _there(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
