"""Averages tables that began alike and met the pairs in another order: steadier than either of them.

  python3 average.py ../../../assets/word-vectors.bin RUN.bin RUN.bin
"""

import sys

import numpy as np

import pack

target, *runs = sys.argv[1:]
loaded = [pack.load(run) for run in runs]
assert all(pieces == loaded[0][0] for pieces, _ in loaded)
pack.write(target, loaded[0][0], np.mean([table for _, table in loaded], axis=0, dtype=np.float32))
