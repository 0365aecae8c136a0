"""Where things are kept on this machine."""

from pathlib import Path


def data_directory(given: str | None) -> Path:
    """The directory of the log: the one given, or the user's own."""
    if given is not None:
        return Path(given).expanduser()
    import platformdirs

    return platformdirs.user_data_path("parlour", appauthor=False)


def kernel_directory(data: str | None) -> Path:
    """Where compiled code is kept for this data directory; `none`, which keeps no games, uses the usual one."""
    return data_directory(None if data == "none" else data) / "kernels"
