"""The part of XML that GGZ programs speak, read element by element: why it is read here is told in docs/adr/0007.

Tags, attributes, the five named entities, numeric character references, CDATA, UTF-8. No comments, no processing
instructions but the prolog, no DOCTYPE, so nothing that expands. Section numbers below are those of XML 1.0.

An incomplete element is looked at again from its beginning when more of it arrives. That looking goes from tag to tag
and leaves texts and attributes alone until the element is complete; as the number of tags is limited, every segment
costs at most that many steps, however small the segments are.
"""

import re
from typing import NamedTuple

from parlour.protocols.ggz.messages import BAD_OPTIONS, Element, Ended, Malformed, Message, Opened


class Limits(NamedTuple):
    """How large an element may be."""

    size: int
    """Bytes, with everything since the message before."""
    tags: int
    """Start tags, end tags and CDATA sections, before the last end tag."""
    children: int
    """Of one element."""


FROM_CLIENT = Limits(size=16 * 1024, tags=128, children=64)
FROM_SERVER = Limits(size=1024 * 1024, tags=64 * 1024, children=16 * 1024)
"""A zone may have many rooms, tables and players to list."""

DEPTH = 8
ATTRIBUTES = 32
TAG = 4096
"""Bytes of one tag with its attributes."""
IDLE_TEXT = 512
"""Bytes between two elements: after more of them, the original server gives up."""
PROLOGS = 8
"""Between two elements."""
LONG = 16 * 1024
"""Beyond this, an element is not looked at before its end tag may have arrived."""

_WS = r"[ \t\r\n]"
_NAME = r"[A-Za-z_:][A-Za-z0-9_:.-]*+"
_ATTRIBUTE = rf"""{_WS}++{_NAME}{_WS}*+={_WS}*+(?:'[^<']*+'|"[^<"]*+")"""
_TAG = re.compile(
    rf"<(?:(?P<name>{_NAME})(?P<attributes>(?:{_ATTRIBUTE})*+){_WS}*+(?P<empty>/?+)>|/(?P<end>{_NAME}){_WS}*+>)".encode()
)
_TAG_BEGUN = re.compile(
    rf"""<(?:{_NAME}(?:{_ATTRIBUTE})*+
    (?:{_WS}*+/|{_WS}++(?:{_NAME}(?:{_WS}*+(?:={_WS}*+(?:'[^<']*+|"[^<"]*+)?+)?+)?+)?+)?+
    |/(?:{_NAME}{_WS}*+)?+)?+\Z""".replace("\n    ", "").encode()
)
"""What may still become a tag when more arrives."""
_EACH_ATTRIBUTE = re.compile(rf"""({_NAME}){_WS}*+={_WS}*+(?:'([^']*+)'|"([^"]*+)")""")

_PROLOG = re.compile(rf"<\?xml{_WS}[^<>]*+(?<=\?)>".encode())
_PROLOG_BEGUN = re.compile(rf"<(?:\?(?:x(?:m(?:l(?:{_WS}[^<>]*+)?+)?+)?+)?+)?+\Z".encode())
_MARK = b"\xef\xbb\xbf"
_CDATA, _CDATA_END = b"<![CDATA[", b"]]>"

_REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]{1,8})|#([0-9]{1,10})|(lt|gt|amp|apos|quot));|&")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may contain, not even as a reference (2.2)."""


Piece = tuple[int, int, re.Match[bytes] | None]
"""Where a tag or a CDATA section begins and ends, and the tag if it is one."""


def parse(data: bytes, start: int, limits: Limits) -> tuple[Message, int] | None:
    """The message at `start` and where it ends; None when it is not complete. Raises Malformed."""
    try:
        found = _parse(data, start, limits)
    except Malformed as wrong:
        wrong.resume = len(data)
        raise
    if (len(data) if found is None else found[1]) - start > limits.size:
        raise Malformed(f"element longer than {limits.size} bytes", len(data))
    return found


def require_document(data: bytes, start: int) -> None:
    """Raise Malformed for text where a document should begin: only blanks and a byte order mark may come before it.

    Between elements stray text may pass, but somebody who begins with it speaks another protocol and waits for words.
    """
    text = data[start : start + IDLE_TEXT].removeprefix(_MARK).lstrip(b" \t\r\n")
    if text and not text.startswith(b"<") and not _MARK.startswith(text):
        raise Malformed(f"no document: {text[:20]!r}", len(data))


def _parse(data: bytes, start: int, limits: Limits) -> tuple[Message, int] | None:
    begin = _element_begin(data, start)
    if begin is None:
        return None
    first = _tag(data, begin)
    if first is None:
        return None
    name = (first["name"] or first["end"]).upper()
    if first["end"]:
        if name == b"SESSION":
            return Ended(), first.end()
        raise Malformed(f"end of {_shown(name)}, which has not begun")
    if name == b"SESSION":
        _attributes(first)
        return (Ended() if first["empty"] else Opened()), first.end()
    if len(data) - begin > LONG and not first["empty"] and not _may_have_ended(data, begin, name):
        return None
    pieces = _pieces(data, begin, first, limits)
    return None if pieces is None else (_element(data, pieces, limits), pieces[-1][1])


def _element_begin(data: bytes, start: int) -> int | None:
    """Where the next tag begins: past line ends, stray text and prologs."""
    at = start
    for _ in range(PROLOGS + 1):
        begin = data.find(b"<", at, at + IDLE_TEXT + 1)
        if begin < 0:
            if len(data) - at > IDLE_TEXT:
                raise Malformed(f"more than {IDLE_TEXT} bytes without a tag", code=BAD_OPTIONS)
            return None
        _decoded(data[at:begin])
        if not _is(data, begin, b"<?"):
            return begin
        prolog = _PROLOG.match(data, begin)
        if prolog is None:
            if _PROLOG_BEGUN.match(data, begin) is None:
                raise Malformed(f"no prolog: {data[begin : begin + 20]!r}")
            return None
        at = prolog.end()
    raise Malformed(f"more than {PROLOGS} prologs between two elements")


def _is(data: bytes, at: int, word: bytes) -> bool:
    """Whether this word stands there, or the beginning of it where the data ends; never for a lone `<`."""
    found = data[at : at + len(word)]
    return found == word or (len(found) > 1 and at + len(found) == len(data) and word.startswith(found))


def _tag(data: bytes, at: int) -> re.Match[bytes] | None:
    """The tag that begins here; None if it may yet become one."""
    found = _TAG.match(data, at, at + TAG)
    if found is None:
        if _TAG_BEGUN.match(data, at, at + TAG) is None:
            raise Malformed(f"neither a tag nor text: {data[at : at + 20]!r}")
        if len(data) - at >= TAG:
            raise Malformed(f"tag longer than {TAG} bytes")
    return found


def _may_have_ended(data: bytes, begin: int, name: bytes) -> bool:
    """Whether there is an end tag of that name at all."""
    return data.upper().find(b"</" + name, begin) >= 0


def _pieces(data: bytes, begin: int, first: re.Match[bytes], limits: Limits) -> list[Piece] | None:
    """All tags and CDATA sections of the element that begins here; None while its end is missing."""
    pieces: list[Piece] = []
    open_names: list[bytes] = []
    at, tag = begin, first
    while True:
        end = tag.end()
        pieces.append((at, end, tag))
        _enter_or_leave(open_names, tag)
        if not open_names:
            return pieces
        while (at := data.find(b"<", end)) >= 0 and _is(data, at, _CDATA):
            end = data.find(_CDATA_END, at + len(_CDATA)) + len(_CDATA_END)
            if end < at:
                return None
            pieces.append((at, end, None))
            _few(pieces, limits)
        _few(pieces, limits)
        found = None if at < 0 else _tag(data, at)
        if found is None:
            return None
        tag = found


def _few(pieces: list[Piece], limits: Limits) -> None:
    if len(pieces) > limits.tags:
        raise Malformed(f"more than {limits.tags} tags in one element")


def _enter_or_leave(open_names: list[bytes], tag: re.Match[bytes]) -> None:
    """What is open after this tag. Names are told apart without regard to case, as both sides do."""
    name, _, empty, end = tag.groups()
    if end:
        if open_names.pop() != end.upper():
            raise Malformed(f"end of {_shown(end)} inside another element")
        return
    if len(open_names) >= DEPTH:
        raise Malformed(f"more than {DEPTH} elements within each other")
    if not empty:
        open_names.append(name.upper())


class _Open(NamedTuple):
    """An element whose end tag is still to come."""

    name: str
    attrs: dict[str, str]
    texts: list[str]
    children: list[Element]

    def close(self) -> Element:
        text = "".join(self.texts)
        if self.children and text.isspace():
            text = ""
        return Element(self.name, self.attrs, text, tuple(self.children))


def _element(data: bytes, pieces: list[Piece], limits: Limits) -> Element:
    """The element that is made of these pieces and the texts between them."""
    stack: list[_Open] = []
    before = pieces[0][0]
    for begin, end, tag in pieces:
        if begin > before:
            stack[-1].texts.append(_text(data[before:begin]))
        before = end
        if tag is None:
            stack[-1].texts.append(_lines(_decoded(data[begin + len(_CDATA) : end - len(_CDATA_END)])))
            continue
        if tag["name"]:
            stack.append(_Open(tag["name"].decode().upper(), _attributes(tag), [], []))
            if not tag["empty"]:
                continue
        element = stack.pop().close()
        if not stack:
            return element
        if len(stack[-1].children) >= limits.children:
            raise Malformed(f"more than {limits.children} children of one element")
        stack[-1].children.append(element)
    raise AssertionError("the last piece ends the element")


def _attributes(tag: re.Match[bytes]) -> dict[str, str]:
    if not tag["attributes"]:
        return {}
    attrs: dict[str, str] = {}
    found = _EACH_ATTRIBUTE.findall(_decoded(tag["attributes"]))
    if len(found) > ATTRIBUTES:
        raise Malformed(f"more than {ATTRIBUTES} attributes")
    for name, single, double in found:
        value = _BLANK.sub(" ", _lines(single or double))  # 3.3.3: what is written as a line end or tab is a blank
        attrs[name.upper()] = _replaced(value)
    if len(attrs) < len(found):
        raise Malformed("an attribute twice in one tag")
    return attrs


_BLANK = re.compile(r"[\t\n]")


def _text(raw: bytes) -> str:
    """What a text means."""
    text = _decoded(raw)
    if "]]>" in text:
        raise Malformed("]]> outside a CDATA section")  # 2.4
    return _replaced(_lines(text))


def _decoded(raw: bytes) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise Malformed(f"not UTF-8: {raw[:40]!r}") from None
    if FORBIDDEN.search(text):
        raise Malformed(f"a character that XML forbids: {raw[:40]!r}")
    return text


def _lines(text: str) -> str:
    """Every line end is a line feed (2.11)."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _replaced(text: str) -> str:
    """The same with every reference replaced by its character."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    hexadecimal, decimal, name = reference.groups()
    if name:
        return _NAMED[name]
    if not hexadecimal and not decimal:
        raise Malformed("an & that begins no known reference")
    number = int(hexadecimal, 16) if hexadecimal else int(decimal)
    character = chr(number) if number <= 0x10FFFF else "\0"
    if FORBIDDEN.match(character):
        raise Malformed(f"a reference to a character that XML forbids: {reference[0]}")
    return character


def _shown(name: bytes) -> str:
    return name[:20].decode()
