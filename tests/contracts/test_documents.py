"""The pages name what there is."""

import re
from pathlib import Path

import pytest

from parlour import registry
from parlour.client.address import SCHEMES
from tests.conftest import ROOT

SURFACE = (ROOT / "docs" / "surface.md").read_text(encoding="utf-8")
PAGES = sorted(
    [*ROOT.glob("*.md"), *(page for folder in ("docs", "src", "examples") for page in (ROOT / folder).rglob("*.md"))]
)


@pytest.mark.parametrize("command", sorted(registry.COMMANDS))
def test_every_command_is_documented(command: str) -> None:
    assert re.search(rf"`parlour {command}\b", SURFACE)


@pytest.mark.parametrize("name", sorted(registry.PROTOCOLS))
def test_every_door_is_documented_with_its_keys_and_ports(name: str) -> None:
    row = next((line for line in SURFACE.splitlines() if line.startswith(f"| `{name}` |")), "")
    protocol = registry.protocols()[name]
    for port, _ in protocol.ports:
        assert str(port) in row
    undocumented = [key for key in protocol.keys if not re.search(rf"`{key}[`=]", row)]
    assert not undocumented
    assert f"`{SCHEMES.get(name, name)}://" in SURFACE


@pytest.mark.parametrize("key", sorted(registry.GAMES))
def test_every_game_is_documented_with_its_options(key: str) -> None:
    row = next((line for line in SURFACE.splitlines() if f"| `{key}` |" in line and line.count("|") == 6), "")
    assert row
    assert not [option for option in registry.games()[key].options({}) if f"`{option}`" not in row]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) if "://" not in target]
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_files_that_newcomers_are_sent_to_are_there() -> None:
    named = re.findall(r"`((?:src|tests|docs|bench|scripts)/[\w./-]+)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert len(named) > 20
    assert not [path for path in named if "NAME" not in path and not (ROOT / path).exists()]


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links: lower case, hyphens for blanks, no other marks."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_a_heading_find_it(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    wanted = [(page.parent / target if target else page, anchor) for target, anchor in links if "://" not in target]
    assert not [anchor for target, anchor in wanted if anchor not in anchors(target)]


@pytest.mark.parametrize("name", sorted(registry.PROTOCOLS))
def test_page_of_every_protocol_shows_the_gaps_or_leads_to_them(name: str) -> None:
    page = (ROOT / "docs" / "protocols" / f"{name}.md").read_text(encoding="utf-8")
    folder = name.replace("-", "")
    assert f"protocols/{folder}/README.md" in page
    assert f"protocols/{folder}/README.md#gaps)" in page or "\n## Gaps\n" in page
