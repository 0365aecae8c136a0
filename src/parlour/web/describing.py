"""Words for describing paths of the API in OpenAPI; every module with paths describes its own."""

from typing import Any

import msgspec

JSON = "application/json"
LINES = "application/x-ndjson"
TEMPLATE = "#/components/schemas/{name}"
TEXT: dict[str, Any] = {"schema": {"type": "string"}}
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why there is no other answer."""

    why: str
    """A word for programs."""
    text: str
    """A sentence for people."""
    limit: str = ""
    """Of limits: which it was."""
    seconds: int = 0
    """Of limits and bans: how long it holds."""
    counted: str = ""
    """Of limits: whether by `account`, `address`, `name`, `player`, or in the whole `house`."""


def ref(kind: type) -> dict[str, str]:
    return {"$ref": TEMPLATE.format(name=kind.__name__)}


def content(kind: dict[str, Any], description: str) -> dict[str, Any]:
    return {"description": description, "content": {JSON: {"schema": kind}}}


def trouble(description: str) -> dict[str, Any]:
    return content(ref(Problem), description)


def operation(
    summary: str, responses: dict[str, Any], *parameters: dict[str, Any], body: type | None = None
) -> dict[str, Any]:
    """One method of one path. Every path has a limit, and is one of this server alone."""
    limit = trouble("A limit was reached; the answer says which, and for how many seconds.")
    limit["headers"] = {"Retry-After": {"description": "Seconds", "schema": {"type": "integer"}}}
    described: dict[str, Any] = {
        "summary": summary,
        "parameters": list(parameters),
        "responses": {
            **responses,
            "421": trouble("Asked by a name to which this server does not answer."),
            "429": limit,
        },
    }
    if body is not None:
        described["responses"] |= {
            "400": trouble("The body is not valid."),
            "403": trouble("A page of another server asked, or this server does not do it."),
            "413": trouble("The body is too long."),
            "415": trouble("The body is not JSON."),
            **responses,
        }
        described["requestBody"] = {"required": True, "content": {JSON: {"schema": ref(body)}}}
    return described
