"""Makes the file that ships: drops pieces that no tool uses, reduces the table by PCA, rounds to one byte a number.

  python3 pack.py DISTILLED_FOLDER ../../../assets/word-vectors.bin [--dims 128]

Layout, little-endian: "TGWV", u32 dims, u32 count, u32 bytes of vocabulary; the vocabulary in UTF-8, one piece a line,
padded with newlines to a multiple of 4; count f32 scales; count × dims i8.
"""

import argparse
import json
import pathlib
import re
import struct

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("target")
parser.add_argument("--dims", type=int, default=128)
options = parser.parse_args()
folder = pathlib.Path(options.folder)

vocabulary = json.loads((folder / "vocabulary.json").read_text())
scales = np.frombuffer((folder / "scales.f32").read_bytes(), np.float32)
table = np.frombuffer((folder / "vectors.i8").read_bytes(), np.int8).reshape(len(vocabulary), -1) * scales[:, None]

# Latin letters with their accents, digits, Greek and Cyrillic; the rest of the vocabulary is marks and single ideographs.
USED = re.compile(r"^(##)?[a-z0-9\u00df-\u024f\u0370-\u04ff]+$")
kept = [i for i, piece in enumerate(vocabulary) if USED.match(piece)]
table = table[kept]
pieces = [vocabulary[i] for i in kept]

centred = table - table.mean(0)
_, _, directions = np.linalg.svd(centred, full_matrices=False)
# A fixed sign for each direction: libraries differ in it.
directions = directions[: options.dims]
directions *= np.sign(directions[np.arange(options.dims), np.abs(directions).argmax(1)])[:, None]
reduced = table @ directions.T
scale = np.maximum(np.abs(reduced).max(1), 1e-8) / 127
text = "\n".join(pieces).encode("utf8")
text += b"\n" * (-len(text) % 4)
with open(options.target, "wb") as file:
    file.write(b"TGWV" + struct.pack("<III", options.dims, len(pieces), len(text)))
    file.write(text)
    file.write(scale.astype("<f4").tobytes())
    file.write(np.round(reduced / scale[:, None]).astype(np.int8).tobytes())
print(len(pieces), "pieces,", pathlib.Path(options.target).stat().st_size, "bytes")
