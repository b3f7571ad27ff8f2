"""Reads the distilled table, reduced, and writes the file that ships.

Layout, little-endian: "TGWV", u32 dims, u32 count, u32 bytes of vocabulary; the vocabulary in UTF-8, one piece a line,
padded with newlines to a multiple of 4; count f32 scales; count × dims i8.
"""

import json
import pathlib
import re
import struct

import numpy as np

# Latin letters with their accents, digits, Greek and Cyrillic; the rest of the vocabulary is marks and single ideographs.
USED = re.compile(r"^(##)?[a-z0-9\u00df-\u024f\u0370-\u04ff]+$")


def read(folder, dims):
    """The pieces that a tool may use, and their vectors reduced by PCA."""
    folder = pathlib.Path(folder)
    vocabulary = json.loads((folder / "vocabulary.json").read_text())
    scales = np.frombuffer((folder / "scales.f32").read_bytes(), np.float32)
    table = np.frombuffer((folder / "vectors.i8").read_bytes(), np.int8).reshape(len(vocabulary), -1) * scales[:, None]
    kept = [i for i, piece in enumerate(vocabulary) if USED.match(piece)]
    table = table[kept]
    _, _, directions = np.linalg.svd(table - table.mean(0), full_matrices=False)
    # A fixed sign for each direction: libraries differ in it.
    directions = directions[:dims]
    directions *= np.sign(directions[np.arange(dims), np.abs(directions).argmax(1)])[:, None]
    return [vocabulary[i] for i in kept], table @ directions.T


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


def load(file):
    """What `write` wrote: the pieces and their vectors."""
    data = pathlib.Path(file).read_bytes()
    dims, count, length = struct.unpack("<III", data[4:16])
    at = 16 + length
    scale = np.frombuffer(data[at : at + 4 * count], "<f4")
    table = np.frombuffer(data[at + 4 * count :], np.int8).reshape(count, dims) * scale[:, None]
    return data[16:at].decode("utf8").rstrip("\n").split("\n"), table
