"""Moves per CPU-second as bars, for the page about speed. Drawn to be read on light and on dark paper."""

from html import escape

from bench.peers.report import Report, Row

WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 780, 215, 65, 14, 14, 56
COLOURS = ("#2f81c7", "#d0803a")
"""By number of tables; both stand out from white and from black."""
INK = "#7d8590"
"""A grey that does the same."""


def drawn(report: Report) -> str:
    """Returns an SVG with a group of bars for every server, a bar for every number of tables."""
    rows, tables = [row for row in report.rows if row.moves], report.tables()
    most = max((value for row in rows for value in row.moves.values()), default=1.0)
    height = TOP + len(rows) * (len(tables) * BAR + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' font-family="system-ui, sans-serif" font-size="12">',
        "<title>Moves per second of the server's processor time</title>",
        f'<g fill="{INK}">',
        '<text x="0" y="16" font-size="14" font-weight="600">Moves per second of processor time</text>',
    ]
    for number, count in enumerate(tables):
        x = LEFT + 110 * number
        parts.append(f'<rect x="{x}" y="31" width="10" height="10" rx="2" fill="{COLOURS[number % 2]}"/>')
        parts.append(f'<text x="{x + 18}" y="40">{count:,} tables</text>')
    for number, row in enumerate(rows):
        parts += _group(row, tables, TOP + number * (len(tables) * BAR + GAP), most)
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _group(row: Row, tables: list[int], top: int, most: float) -> list[str]:
    """One server's name, and its bars."""
    middle = top + len(tables) * BAR / 2
    parts = [
        f'<text x="{LEFT - 10}" y="{middle - 2:g}" text-anchor="end" font-weight="600">{escape(row.name)}</text>',
        f'<text x="{LEFT - 10}" y="{middle + 12:g}" text-anchor="end">{escape(row.keeps)}</text>',
    ]
    for number, count in enumerate(tables):
        moves = row.moves.get(count)
        if moves is None:
            continue
        y, width = top + number * BAR, max(1.0, (WIDTH - LEFT - RIGHT) * moves / most)
        bar = f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" rx="2" fill="{COLOURS[number % 2]}"/>'
        parts += [bar, f'<text x="{LEFT + width + 6:.1f}" y="{y + BAR - 4}">{moves:,.0f}</text>']
    return parts
