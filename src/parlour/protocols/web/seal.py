"""Words that we gave out and recognise when they come back; only we can make them."""

import base64
import hashlib
import hmac

LONGEST = 512
WORD_LENGTH = 32


class Seal:
    """Signs short texts. A text sealed for one purpose is worth nothing for another."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def close(self, purpose: str, text: str) -> str:
        """The text with its signature, as letters that a cookie may hold."""
        return f"{_letters(text.encode())}.{_letters(self._sign(purpose, text.encode()))}"

    def open(self, purpose: str, sealed: str) -> str | None:
        """The text, if it was sealed here and for this."""
        body, dot, signature = sealed.partition(".")
        if not dot or len(sealed) > LONGEST:
            return None
        try:
            text, given = _bytes(body), _bytes(signature)
            if not hmac.compare_digest(given, self._sign(purpose, text)):
                return None
            return text.decode()
        except ValueError:
            return None

    def word(self, purpose: str) -> str:
        """An unguessable word, always the same for one purpose."""
        return base64.b32encode(self._sign("word", purpose.encode()))[:WORD_LENGTH].decode().lower()

    def _sign(self, purpose: str, text: bytes) -> bytes:
        return hmac.digest(self._secret, purpose.encode() + b"\0" + text, hashlib.sha256)


def _letters(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(letters: str) -> bytes:
    """Raises ValueError."""
    return base64.urlsafe_b64decode(letters.encode("ascii") + b"=" * (-len(letters) % 4))
