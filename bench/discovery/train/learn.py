"""Teaches a static table, one vector a word piece, to find tools as two sentence encoders do.

  python3 learn.py MINILM_FOLDER TEXTS.txt.gz API.jsonl.gz TEACHERS_FOLDER OUT.bin [--dims 192] [--steps 3000] [--runs 3]

Two losses. Of the tools in a batch (a third of them of one server, a third alike, a third by chance) a request should prefer those
that the teachers prefer, and its own; a tool is composed as `vectorOf` in features.ts composes it. Words of the request are dropped
or replaced by others for the same, most requests get words that have nothing to do with them, as people's requests do, and half of
the tools hide the sentence that asks for them. And texts of the general corpus should find those alike that the teachers find
alike. The runs differ in their order of learning only, and are averaged. Two minutes on a GPU.
"""

import argparse
import collections
import gzip
import json
import pathlib
import random
import re

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

import pack
from spelling import USED, Pieces, without_stop_words, words_of
from synonyms import other_words

BATCH = 2048
RATE = 2e-3
TEMPERATURE = 0.05
# How sharply each teacher tells texts apart: bge-small's likenesses all lie close together.
TEACHERS = {"bge": 0.02, "minilm": 0.05}
# The rest of the label is the tool that the request was taken from.
TEACHERS_SHARE = 0.8
GENERAL_WEIGHT = 6
FORGET, REPLACE, DISTRACT, HIDE, WITHOUT_SERVER = 0.15, 0.15, 0.8, 0.5, 0.5
MOST_DISTRACTING, CHOICES = 16, 8
RARE, NEW_WORDS, READ_FOR_NEW_WORDS = 12, 9_000, 200_000
NEIGHBOURHOODS_OF_REQUESTS, NEIGHBOURHOODS_OF_TEXTS = 256, 512
device = "cuda" if torch.cuda.is_available() else "cpu"


def vocabulary_of(tokenizer, texts, operations):
    """The encoders' pieces, and whole words that these texts use often and the encoders spell in pieces."""
    pieces = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1]) if USED.match(piece)]
    known = set(pieces)
    sources = [*texts[:READ_FOR_NEW_WORDS], *(row["name"] for row in operations), *(row["text"] for row in operations)]
    counts = collections.Counter(
        word for text in sources for word in words_of(text) if word not in known and re.fullmatch("[a-z]{3,}", word)
    )
    return pieces + [word for word, count in counts.most_common(NEW_WORDS) if count >= RARE]


def padded(lists, length):
    rows = np.full((len(lists), length), PAD, np.int32)
    for row, pieces in zip(rows, lists):
        row[: len(pieces)] = pieces[:length]
    return torch.tensor(rows, device=device)


def embed(table, rows):
    return F.normalize(F.embedding_bag(rows.long(), table, mode="sum", padding_idx=PAD), dim=1, eps=1e-6)


def neighbourhoods(vectors, count):
    """Of each vector the number of its neighbourhood: only among neighbours is a relation worth learning."""
    centres = vectors[torch.randperm(len(vectors))[:count]].float()
    for _ in range(6):
        nearest = torch.cat([(chunk.float() @ centres.T).argmax(1) for chunk in vectors.split(65536)])
        centres = F.normalize(torch.zeros_like(centres).index_add_(0, nearest, vectors.float()), dim=1)
    return nearest


def chance(*shape):
    return torch.rand(shape, device=device)


def run_of(ordered, length):
    start = random.randrange(len(ordered) - length)
    return ordered[start : start + length]


def sorted_by(keys, shuffled):
    return shuffled[torch.argsort(keys[shuffled], stable=True)]


class Operations:
    """Documented operations as requests and as tools, a little different each time."""

    def __init__(self, rows, said):
        words = [{key: words_of(row[key][:700]) for key in ("server", "name", "ask", "text")} for row in rows]
        self.asked = padded([pieces.of(without_stop_words(of["ask"])) for of in words], 32)
        self.name = padded([pieces.of(of["name"]) for of in words], 14)
        self.server = padded([pieces.of(of["server"]) for of in words], 6)
        self.text = padded([pieces.of(of["text"]) for of in words], 72)
        self.rest = padded([pieces.of(of["text"][len(of["ask"]) :]) for of in words], 72)
        self.says_more = ((self.rest != PAD).sum(1) > 4)[:, None]
        self.in_name = (self.asked[:, :, None] == self.name[:, None, :]).any(2) & (self.asked != PAD)
        self.said = {name: (of["asked"].to(device), of["tools"].to(device)) for name, of in said.items()}
        servers = {}
        self.server_of = torch.tensor([servers.setdefault(row["server"], len(servers)) for row in rows], device=device)
        self.alike = neighbourhoods(self.said["bge"][0], NEIGHBOURHOODS_OF_REQUESTS)

    def shuffle(self):
        shuffled = torch.randperm(len(self.asked), device=device)
        self.orders = sorted_by(self.server_of, shuffled), sorted_by(self.alike, shuffled), shuffled

    def batch(self):
        return torch.unique(torch.cat([run_of(ordered, BATCH // 3) for ordered in self.orders]))

    def requests(self, rows, texts):
        asked, more = self.asked[rows].long(), 1 + self.in_name[rows].float()
        choice = torch.randint(0, CHOICES, (*asked.shape, 1), device=device)
        other = OTHERS[asked].gather(2, choice)[..., 0].long()
        dropped = torch.where(chance(*asked.shape) < more * FORGET, PAD, asked)
        changed = torch.where((other >= 0) & (chance(*asked.shape) < more * REPLACE), other, dropped)
        changed = torch.where((changed == PAD).all(1, keepdim=True), asked, changed)
        count = len(rows)
        unrelated = texts[torch.randint(0, len(texts), (count,), device=device)].long()[:, :MOST_DISTRACTING]
        length = torch.randint(0, MOST_DISTRACTING, (count, 1), device=device) * (chance(count, 1) < DISTRACT)
        kept = torch.arange(MOST_DISTRACTING, device=device)[None] < length
        return torch.cat([changed, torch.where(kept, unrelated, PAD)], 1)

    def tools(self, table, rows):
        count = len(rows)
        server = torch.where(chance(count, 1) < WITHOUT_SERVER, PAD, self.server[rows])
        called = torch.cat([server, self.name[rows]], 1)
        rest = torch.where(self.says_more[rows] & (chance(count, 1) < 0.5), self.rest[rows], PAD)
        body = torch.where(chance(count, 1) < HIDE, rest, self.text[rows])
        return (embed(table, called) + embed(table, torch.cat([called, body], 1))) / 2

    def wanted(self, rows):
        told = [
            (asked[rows].float() @ tools[rows].float().T / TEACHERS[name]).softmax(1)
            for name, (asked, tools) in self.said.items()
        ]
        return TEACHERS_SHARE * sum(told) / len(told) + (1 - TEACHERS_SHARE) * torch.eye(len(rows), device=device)

    def loss(self, table, texts):
        rows = self.batch()
        likeness = embed(table, self.requests(rows, texts)) @ self.tools(table, rows).T / TEMPERATURE
        return -(self.wanted(rows) * likeness.log_softmax(1)).sum(1).mean()


class GeneralTexts:
    def __init__(self, texts, said):
        self.rows = padded([pieces.of(words_of(text)) for text in texts], 40)
        self.said = {name: of["texts"].to(device) for name, of in said.items()}
        self.alike = neighbourhoods(self.said["bge"], NEIGHBOURHOODS_OF_TEXTS)

    def shuffle(self):
        self.shuffled = torch.randperm(len(self.rows), device=device)
        self.neighbours = sorted_by(self.alike, self.shuffled)

    def loss(self, table):
        rows = torch.cat([run_of(self.neighbours, BATCH // 2), run_of(self.shuffled, BATCH // 4)])
        vectors = embed(table, self.rows[rows])
        likeness = (vectors @ vectors.T / TEMPERATURE).fill_diagonal_(-1e4).log_softmax(1)
        told = []
        for name, said in self.said.items():
            of = said[rows].float()
            told.append((of @ of.T / TEACHERS[name]).fill_diagonal_(-1e4).softmax(1))
        return F.kl_div(likeness, sum(told) / len(told), reduction="batchmean")

    def first_table(self, dims):
        """A piece points where the texts that have it point, and the rarer it is the further."""
        said = self.said["minilm"]
        sums, counts = torch.zeros(PAD + 1, said.shape[1], device=device), torch.zeros(PAD + 1, device=device)
        middle = said.float().mean(0)
        for rows, vectors in zip(self.rows.long().split(65536), said.split(65536)):
            each = (vectors.float() - middle)[:, None].expand(-1, rows.shape[1], -1)
            sums.index_add_(0, rows.reshape(-1), each.reshape(-1, said.shape[1]))
            counts.index_add_(0, rows.reshape(-1), torch.ones(rows.numel(), device=device))
        points = F.normalize(sums[:PAD], dim=1)
        points = points - points.mean(0)
        _, _, directions = torch.linalg.svd(points, full_matrices=False)
        rarity = torch.log(1 + len(said) / (counts[:PAD] + 20))
        return points @ directions[:dims].T * 0.5 * (rarity / rarity.mean()).clamp(0.2, 1.5)[:, None]


def learned(first, operations, texts, steps, seed):
    random.seed(seed)
    torch.manual_seed(seed)
    table = torch.nn.Parameter(first.clone())
    optimizer = torch.optim.Adam([table], lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, eta_min=RATE / 20)
    nothing = torch.zeros(1, first.shape[1], device=device)
    for step in range(steps):
        if step % 40 == 0:
            operations.shuffle()
        if step % 200 == 0:
            texts.shuffle()
        with_padding = torch.cat([table, nothing])
        found, kept = operations.loss(with_padding, texts.rows), texts.loss(with_padding)
        optimizer.zero_grad()
        (found + GENERAL_WEIGHT * kept).backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            print(f"run {seed}, step {step + 1}: tools {found.item():.3f}, texts {kept.item():.3f}", flush=True)
    return table.detach()


def choices_of(others):
    """A row of choices a piece, the same ones again where there are few; -1 where there are none."""
    rows = torch.full((PAD + 1, CHOICES), -1, dtype=torch.int32)
    for word, found in others.items():
        numbers = [pieces.known[other] for other in found]
        many = random.Random(word).sample(numbers, CHOICES) if len(numbers) > CHOICES else (numbers * CHOICES)[:CHOICES]
        rows[pieces.known[word]] = torch.tensor(many, dtype=torch.int32)
    return rows.to(device)


parser = argparse.ArgumentParser()
parser.add_argument("minilm", type=pathlib.Path)
parser.add_argument("texts")
parser.add_argument("api")
parser.add_argument("teachers", type=pathlib.Path)
parser.add_argument("target")
parser.add_argument("--dims", type=int, default=192)
parser.add_argument("--steps", type=int, default=3000)
parser.add_argument("--runs", type=int, default=3)
options = parser.parse_args()
torch.manual_seed(0)

texts = gzip.open(options.texts, "rt", encoding="utf8").read().split("\n")
rows = [json.loads(line) for line in gzip.open(options.api, "rt", encoding="utf8")]
pieces = Pieces(vocabulary_of(Tokenizer.from_file(str(options.minilm / "tokenizer.json")), texts, rows))
PAD = len(pieces.all)
OTHERS = choices_of(other_words(pieces.known))
said = {name: torch.load(options.teachers / f"{name}.pt") for name in TEACHERS}
operations, general = Operations(rows, said), GeneralTexts(texts, said)
print(len(rows), "operations,", len(texts), "texts,", PAD, "pieces", flush=True)
first = general.first_table(options.dims)
tables = [learned(first, operations, general, options.steps, seed) for seed in range(1, options.runs + 1)]
pack.write(options.target, pieces.all, (sum(tables) / len(tables)).cpu().numpy())
