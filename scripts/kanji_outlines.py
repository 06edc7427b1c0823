#!/usr/bin/env python3
"""Writes crates/games/src/draw/glyphs/kanji.txt: the outlines of the characters on shogi pieces and at the board's edge.

    apt-get install fonts-noto-cjk python3-fonttools
    /usr/bin/python3 scripts/kanji_outlines.py > crates/games/src/draw/glyphs/kanji.txt
    /usr/bin/python3 scripts/kanji_outlines.py --text 読み日本語 > web/src/words.txt    # the words at the head of the studio's page

The outlines come from Noto Serif CJK JP Bold (SIL Open Font License 1.1, see OFL.txt beside the data) and are rounded to a
grid of 100 steps to the em, which is a quarter of a pixel on a usual board. One line per character: the character, a space, an SVG path inside
the box 0 0 100 100.
"""

import sys

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTCollection

FONT = "/usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc"
PIECES = "王玉飛角金銀桂香歩龍馬全圭杏と"
NUMERALS = "一二三四五六七八九"
GRID = 100
EM, TOP = 1000, 880  # units to the em; height of the em box above the baseline


class GridPen(BasePen):
    """Collects relative path commands with whole numbers, and leaves out what rounds to nothing."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.out, self.at, self.start, self.last = [], (0, 0), (0, 0), ""

    def grid(self, point):
        return (round(point[0] * GRID / EM), round((TOP - point[1]) * GRID / EM))

    def put(self, command, *numbers):
        text = "" if command == self.last else command
        for i, n in enumerate(numbers):
            glue = "" if n < 0 or (i == 0 and text) else " "
            text += glue + str(n)
        self.out.append(text)
        self.last = command

    def _moveTo(self, point):
        self.at = self.start = self.grid(point)
        self.put("M", *self.at)

    def _lineTo(self, point):
        x, y = self.grid(point)
        dx, dy = x - self.at[0], y - self.at[1]
        if dx and dy:
            self.put("l", dx, dy)
        elif dx:
            self.put("h", dx)
        elif dy:
            self.put("v", dy)
        self.at = (x, y)

    def _curveToOne(self, a, b, c):
        x0, y0 = self.at
        ends = [self.grid(p) for p in (a, b, c)]
        (dx, dy) = (ends[2][0] - x0, ends[2][1] - y0)
        # A curve that stays within half a step of its chord is a line.
        if all(abs((x - x0) * dy - (y - y0) * dx) <= 0.5 * (dx * dx + dy * dy) ** 0.5 for x, y in ends[:2]):
            self._lineTo(c)
            return
        self.put("c", *[n for x, y in ends for n in (x - x0, y - y0)])
        self.at = ends[2]

    def _closePath(self):
        self.put("z")
        self.at = self.start


def main():
    text = sys.argv[2] if sys.argv[1:2] == ["--text"] else PIECES + NUMERALS
    font = next(f for f in TTCollection(FONT).fonts if f["name"].getDebugName(4) == "Noto Serif CJK JP Bold")
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    print("# Outlines from Noto Serif CJK JP Bold, (c) 2017-2022 Adobe (http://www.adobe.com/), licensed under the SIL Open")
    print("# Font License 1.1 (OFL.txt). Rounded to a grid of 100 by scripts/kanji_outlines.py; do not edit.")
    for character in text:
        pen = GridPen(glyphs)
        glyphs[names[ord(character)]].draw(pen)
        print(character, "".join(pen.out))


if __name__ == "__main__":
    main()
