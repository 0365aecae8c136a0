"""The API, described for programs that write programs: OpenAPI 3.1, with schemas taken from the types themselves."""

from typing import Any

import msgspec

from parlour import __version__
from parlour.tools.scoresheet import ScoreSheet
from parlour.web.api import JSON, LINES, Health, Problem, Tables
from parlour.web.site import DoorRow

TEMPLATE = "#/components/schemas/{name}"
TYPES = (Problem, Health, Tables, ScoreSheet, DoorRow)
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
FORMAT = {"name": "format", "in": "query", "schema": {"type": "string", "enum": ["json", "text", "ggz"]}}
TEXT: dict[str, Any] = {"schema": {"type": "string"}}


def _ref(kind: type) -> dict[str, str]:
    return {"$ref": TEMPLATE.format(name=kind.__name__)}


def _json(kind: dict[str, Any], description: str) -> dict[str, Any]:
    return {"description": description, "content": {JSON: {"schema": kind}}}


def _get(summary: str, responses: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
    limit = _json(_ref(Problem), "A limit was reached; the answer says which, and for how many seconds.")
    limit["headers"] = {"Retry-After": {"description": "Seconds", "schema": {"type": "integer"}}}
    answers = {**responses, "429": limit}
    return {"get": {"summary": summary, "parameters": list(parameters), "responses": answers}}


def document() -> dict[str, Any]:
    """The whole of it."""
    _, schemas = msgspec.json.schema_components(TYPES, ref_template=TEMPLATE)
    none = _json(_ref(Problem), "There is no such thing, or not yet in the log.")
    game = _json(_ref(ScoreSheet), "The game, in the format asked for.")
    game["content"] |= {"text/plain": TEXT, "application/xml": TEXT}
    full = _json(_ref(Problem), "The server takes nobody else, or is about to stop.")
    stream = {"description": "The table, then every change, a line of JSON each.", "content": {LINES: TEXT}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Parlour",
            "version": __version__,
            "description": "Tables and games of one server. To play, speak JSON on the WebSocket at /ws.",
        },
        "paths": {
            "/healthz": _get(
                "Whether games can be begun here.",
                {"200": _json(_ref(Health), "They can."), "503": _json(_ref(Health), "They cannot, and why.")},
            ),
            "/api/doors": _get(
                "The doors of this server, for other programs.",
                {"200": _json({"type": "array", "items": _ref(DoorRow)}, "All that are open.")},
            ),
            "/api/tables": _get("The tables of all doors.", {"200": _json(_ref(Tables), "As they are."), "503": full}),
            "/api/tables/{id}/stream": _get("One table, live.", {"200": stream, "404": none, "503": full}, ID),
            "/api/games/{id}": _get(
                "One game of the log.",
                {
                    "200": game,
                    "400": _json(_ref(Problem), "There is no such format."),
                    "404": none,
                    "409": _json(_ref(Problem), "This game cannot be written in that format."),
                },
                ID,
                FORMAT,
            ),
        },
        "components": {"schemas": schemas},
    }
