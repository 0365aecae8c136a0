"""What is kept of a password: an argon2 hash, from which it cannot be got back, and what a password has to be."""

from typing import Protocol

from parlour.core.names import alike

SHORTEST = 4
LONGEST = 128
"""Bytes of a password."""
PASSES = 2
MEMORY = 19 << 10
"""Kilobytes. What OWASP's password storage cheat sheet asks for where hashing shall keep one core busy and no more: the
loop needs the other one."""


def fair(password: str, name: str) -> bool:
    """Whether this may be the password of that name: a few letters at least, no book, and not the name once more."""
    return SHORTEST <= len(_bytes(password)) <= LONGEST and not alike(password, name)


class Hasher(Protocol):
    """Argon2 with some parameters; each call takes some hundredths of a second, on purpose."""

    def hash(self, password: bytes, *, salt: bytes | None = None) -> str: ...

    def verify(self, hash: str, password: bytes) -> bool: ...

    def check_needs_rehash(self, hash: str) -> bool: ...


class Passwords:
    """Hashes passwords and recognises them again."""

    def __init__(self, hasher: Hasher | None = None) -> None:
        if hasher is None:
            from argon2 import PasswordHasher

            hasher = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY, parallelism=1)
        self._hasher = hasher
        self._decoy = hasher.hash(b"decoy")

    def hashed(self, password: str) -> str:
        return self._hasher.hash(_bytes(password))

    def belongs(self, password: str, kept: str | None) -> bool:
        """Whether this is the password of the hash; without one it takes as long to say that it is not."""
        from argon2.exceptions import VerifyMismatchError

        try:
            self._hasher.verify(self._decoy if kept is None else kept, _bytes(password))
        except VerifyMismatchError:
            return False
        return kept is not None

    def outdated(self, kept: str) -> bool:
        """Whether the hash was made with other parameters than it would be today."""
        return self._hasher.check_needs_rehash(kept)


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")  # whatever a wire makes of odd bytes, it makes it again
