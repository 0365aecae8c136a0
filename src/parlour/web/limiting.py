"""Who asks over HTTP, as the gate counts them."""

from starlette.requests import Request

from parlour.core.house.gate import Identity


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return "" if request.client is None else request.client.host


def identity_of(request: Request, account: str = "", name: str = "") -> Identity:
    """Who is counted for a request."""
    return Identity(account, address_of(request), name)
