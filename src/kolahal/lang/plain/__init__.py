"""A plain program → a sketch with a place for noise wherever private data goes."""

from kolahal.lang.plain.convert import sketch_of as sketch_of
