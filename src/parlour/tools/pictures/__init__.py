"""Pictures of games: a position as SVG, a whole game as an animated GIF or PNG.

A board is drawn once, as shapes; what they are written as is left to other modules: `svg` writes text, `raster`
needs Pillow, which is imported only there.
"""
