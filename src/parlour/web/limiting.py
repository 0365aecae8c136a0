"""Who asks over HTTP, as the gate counts them."""

from starlette.requests import Request

from parlour.core.house.gate import Keys


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return "" if request.client is None else request.client.host


def keys_of(request: Request, account: str = "", name: str = "") -> Keys:
    """By what a request is counted."""
    return Keys(account, address_of(request), name)
