"""Writes the shipped file of word vectors.

Layout, little-endian: "TGWV", u32 dims, u32 count, u32 bytes of vocabulary; the vocabulary in UTF-8, one piece per line,
padded with newlines to a multiple of 4; count f32 scales; count × dims i8.
"""

import pathlib
import struct

import numpy as np


def write(target, pieces, table):
    scale = np.maximum(np.abs(table).max(1), 1e-8) / 127
    text = "\n".join(pieces).encode("utf8")
    text += b"\n" * (-len(text) % 4)
    with open(target, "wb") as file:
        file.write(b"TGWV" + struct.pack("<III", table.shape[1], len(pieces), len(text)))
        file.write(text)
        file.write(scale.astype("<f4").tobytes())
        file.write(np.round(table / scale[:, None]).astype(np.int8).tobytes())
    print(len(pieces), "pieces,", pathlib.Path(target).stat().st_size, "bytes")
