"""The API, described for programs that write programs: OpenAPI 3.1, with schemas taken from the types themselves."""

from typing import Any

import msgspec

from parlour import __version__
from parlour.web import api, archive, cards, games, here, host, house, ladders, people, playing, texts, watching
from parlour.web.describing import TEMPLATE

PARTS = (api, archive, cards, games, here, house, playing, people, host, ladders, texts, watching)
"""Modules with paths; each has its TYPES, and `described`."""


def document(root: str = "") -> dict[str, Any]:
    """The whole of it, for a server whose paths begin with `root`."""
    types = dict.fromkeys(kind for part in PARTS for kind in part.TYPES)
    _, schemas = msgspec.json.schema_components(types, ref_template=TEMPLATE)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Parlour",
            "version": __version__,
            "description": "Tables and games of one server, and a way to play them: docs/api.md tells how.",
        },
        "servers": [{"url": root or "/"}],
        "paths": {path: methods for part in PARTS for path, methods in part.described().items()},
        "components": {"schemas": schemas, "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    }
