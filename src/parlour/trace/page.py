"""Conversations as one HTML page that needs nothing else: sequence diagrams with boards and notes, light and dark."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

import msgspec

from parlour.trace.lines import value
from parlour.trace.reading import CLIENT, Message

LONGEST = 200
"""Letters of a value that are shown."""


class Section(msgspec.Struct, frozen=True):
    """One diagram, with what is to be said about it."""

    title: str
    messages: Sequence[Message] = ()
    text: str = ""
    verdict: str = ""
    """`pass`, `fail`, `warn`, `skip` or nothing."""
    id: str = ""
    """By which a link can point here; made from its number when empty."""
    names: Mapping[int, str] = {}
    """What the client of a connection is called; its number where there is no name."""


def page(title: str, sections: Iterable[Section], intro: str = "", facts: Mapping[str, str] | None = None) -> str:
    """The whole page. `facts` is a table at the top: names and values."""
    kept = list(sections)
    rows = "".join(f"<tr><th>{escape(name)}<td>{escape(text)}" for name, text in (facts or {}).items())
    return "".join(
        (
            f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>\n',
            f'<meta name="viewport" content="width=device-width,initial-scale=1">\n<style>{_STYLE}</style>\n',
            f"<h1>{escape(title)}</h1>\n",
            _paragraphs(intro),
            f"<table>{rows}</table>\n" if rows else "",
            _contents(kept),
            *(_section(section, number, len(kept) == 1) for number, section in enumerate(kept, 1)),
            "</html>\n",
        )
    )


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(part)}</p>\n" for part in text.split("\n\n") if part.strip())


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 2:
        return ""
    links = "".join(
        f'<li>{_badge(section)}<a href="#{_id(section, number)}">{escape(section.title)}</a>{_counted(section)}\n'
        for number, section in enumerate(sections, 1)
    )
    return f'<nav aria-label="Contents"><ol class="toc">\n{links}</ol></nav>\n'


def _counted(section: Section) -> str:
    notes = sum(bool(message.note) for message in section.messages)
    return f' <span class="n">{notes} note{"s" * (notes != 1)}</span>' if notes else ""


def _id(section: Section, number: int) -> str:
    return escape(section.id or f"s{number}")


def _badge(section: Section) -> str:
    verdict = escape(section.verdict)
    return f'<b class="v {verdict}">{verdict}</b> ' if verdict else ""


def _section(section: Section, number: int, alone: bool) -> str:
    opened = " open" if alone or section.verdict in ("fail", "warn") else ""
    head = f"<summary><h2>{_badge(section)}{escape(section.title)}</h2></summary>"
    body = _paragraphs(section.text) + _diagram(section)
    return f'<details id="{_id(section, number)}"{opened}>{head}\n{body}</details>\n'


def _diagram(section: Section) -> str:
    """One column for each client's connection, in the order of coming, and one for the server."""
    if not section.messages:
        return ""
    clients = list(dict.fromkeys(message.connection for message in section.messages))
    columns = {connection: place for place, connection in enumerate(clients, 1)}
    width = len(clients) + 1
    heads = [*(section.names.get(number, _called(number, len(clients))) for number in clients), "server"]
    titles = "".join(f"<b>{escape(head)}</b>" for head in heads)
    lines = "<i></i>" * width
    right = "24rem" if any(message.board for message in section.messages) else "0"
    return (
        f'<div class="d" style="--w:{width};--r:{right}"><div class="h" aria-hidden="true">{titles}</div>'
        f'<div class="l" aria-hidden="true">{lines}</div>\n<ol>\n'
        + "".join(_rows(section.messages, columns, width))
        + "</ol></div>\n"
    )


def _called(connection: int, clients: int) -> str:
    return "client" if clients == 1 else f"client #{connection}"


def _rows(messages: Sequence[Message], columns: Mapping[int, int], width: int) -> Iterator[str]:
    began = next((message.at for message in messages if message.at is not None), None)
    for message in messages:
        column = columns[message.connection]
        kind = ("c" if message.sender == CLIENT else "s") + (" e" if message.is_end else "")
        kind += " b" if message.note else ""
        when = "" if message.at is None or began is None else f"<time>{message.at - began:+.3f}</time>"
        who = f"client #{message.connection}" if len(columns) > 1 else "client"
        way = f"{who} to server: " if message.sender == CLIENT else f"server to {who}: "
        note = f"<em>{escape(message.note)}</em>" if message.note else ""
        board = f"<pre>{escape(message.board)}</pre>" if message.board else ""
        yield (
            f'<li class="{kind}"><p style="grid-column:{column}/{width + 1};--n:{width - column + 1}" '
            f'title="{escape(message.phase)}">{when}<s>{way}</s>{_label(message)}{note}</p>{board}\n'
        )


def _label(message: Message) -> str:
    if not message.name:
        return f"<b>?</b> <code>{escape(_cut(repr(message.raw)[2:-1]))}</code>"
    fields = " ".join(f"{name}={_cut(value(item))}" for name, item in message.fields.items())
    return f"<b>{escape(message.name)}</b>" + (f" <code>{escape(fields)}</code>" if fields else "")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


_STYLE = """
:root{color-scheme:light dark;--p:#fdfdfb;--t:#1c1f24;--m:#5d6470;--g:#d9dbe0;--c:#0b57a4;--s:#13683c;--b:#a3160b;
--h:#fdebe8;--k:#f3f3ef}
@media(prefers-color-scheme:dark){:root{--p:#15171b;--t:#e6e7ea;--m:#a2a8b4;--g:#3a3e47;--c:#8bbcf5;--s:#84d3a4;
--b:#ff9d90;--h:#3a1f1c;--k:#1e2126}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--t);background:var(--p);max-width:84rem;margin:1.5rem auto;
padding:0 1rem}
h1{font-size:1.5rem}h2{display:inline;font-size:1.1rem}a{color:var(--c)}table{border-collapse:collapse}
th,td{text-align:left;padding:.1rem .8rem .1rem 0;font-weight:400}th{color:var(--m)}
details{border-top:1px solid var(--g);padding:.6rem 0}summary{cursor:pointer}
.toc{columns:24rem;column-gap:1.5rem;padding:0}.toc li{margin-left:2.6rem;break-inside:avoid;overflow-wrap:anywhere}
.n{color:var(--b);font-size:.85em}.v{font-size:.8em;padding:0 .4em;border-radius:.3em;border:1px solid}
.v.pass{color:var(--s)}.v.fail{color:var(--b)}.v.warn{color:#9a6200}.v.skip{color:var(--m)}
@media(prefers-color-scheme:dark){.v.warn{color:#f0bf6a}}
.d{position:relative;overflow-x:auto;padding-bottom:.5rem}
.h,.l,.d li{display:grid;grid-template-columns:repeat(var(--w),minmax(8rem,1fr)) var(--r)}
.h b{text-align:center;background:var(--k);border:1px solid var(--g);border-radius:.3em;margin:0 15%;z-index:1}
.l{position:absolute;inset:1.5rem 0 0;pointer-events:none}.l i{border-left:1px dashed var(--g);margin-left:50%}
.d ol{list-style:none;margin:.4rem 0 0;padding:0;position:relative}
.d li p{margin:0 calc(50%/var(--n)) .35rem;padding:0 .9rem .1rem;border-bottom:1.5px solid var(--c);position:relative;
font-size:.86rem;min-width:0;overflow-wrap:anywhere}
li.s p{border-color:var(--s)}li p b{color:var(--c);background:var(--p)}li.s p b{color:var(--s)}
li p::after{content:"";position:absolute;bottom:-5px;right:0;border:5px solid transparent;border-right:0;
border-left:8px solid var(--c)}
li.s p::after{left:0;right:auto;border:5px solid transparent;border-left:0;border-right:8px solid var(--s)}
li.e p{border-bottom-style:dotted}code,pre{font:12.5px/1.25 ui-monospace,monospace}code{background:var(--p)}
li em{display:block;font-style:normal;color:var(--b);background:var(--h);border-left:3px solid var(--b);
padding:0 .4rem;margin:.1rem 0 .15rem}
li.b p{border-color:var(--b)}li.b p::after{border-left-color:var(--b)}
li.s.b p::after{border-left-color:transparent;border-right-color:var(--b)}
li pre{grid-column:-2/-1;margin:0 0 .4rem;padding:.2rem .5rem;background:var(--k);border-radius:.3em;
overflow-x:auto;justify-self:start;max-width:100%;box-sizing:border-box}
time{float:right;color:var(--m);font-size:.75rem;margin-left:.5rem}
s{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media print{details{break-inside:avoid}}
""".strip()
