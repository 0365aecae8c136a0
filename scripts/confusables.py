"""Write `core/confusables.py` from Unicode's confusables.txt (UTS #39): scripts/confusables.py confusables.txt

The file is at https://www.unicode.org/Public/security/. Characters that normalization (NFKC, then NFD) replaces anyway
are left out: what is looked up has been normalized.
"""

import sys
import textwrap
import unicodedata
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "parlour" / "core" / "confusables.py"
WIDTH = 120
HEAD = '''"""Characters that look alike: each prototype, and those that look like it. Unicode {version}, UTS #39.

Made by `scripts/confusables.py` from confusables.txt, © Unicode, Inc., https://www.unicode.org/terms_of_use.html
"""

TABLE = """
'''


def groups(lines: list[str]) -> dict[str, list[str]]:
    """By prototype, the characters that look like it."""
    found: dict[str, list[str]] = {}
    for line in lines:
        body = line.partition("#")[0].strip()
        if body:
            source, prototype, _ = (part.split() for part in body.split(";"))
            letter = chr(int(source[0], 16))
            if unicodedata.normalize("NFD", unicodedata.normalize("NFKC", letter)) == letter:
                found.setdefault("+".join(f"{int(code, 16):x}" for code in prototype), []).append(f"{ord(letter):x}")
    return found


def main() -> None:
    lines = Path(sys.argv[1]).read_text("utf-8-sig").splitlines()
    version = next(line.partition(":")[2].strip() for line in lines if line.startswith("# Version:"))
    words = (f"{prototype}={','.join(letters)}" for prototype, letters in sorted(groups(lines).items()))
    rows = textwrap.wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
    TARGET.write_text(HEAD.format(version=version) + "\n".join(rows) + '\n"""\n', "utf-8")
    print(f"{TARGET}: {len(rows)} lines")


main()
