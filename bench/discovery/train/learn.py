"""Trains a static table, one vector per word piece, to rank tools like two sentence encoders.

  python3 learn.py MINILM_FOLDER TEXTS.txt.gz API.jsonl.gz TEACHERS_FOLDER OUT.bin [--dims 192] [--steps 3000] [--runs 3]

Two losses. First, among the tools of a batch (a third from one server, a third similar, a third random) a request should rank those
first that the teachers rank first, and its own tool; a tool vector is composed as by `vectorOf` in features.ts. Words of the request
are dropped or replaced by synonyms, most requests get unrelated words, as real requests have, and half of the tools omit the sentence
that the request was taken from. Second, texts of the general corpus should have the similarities that the teachers give them. The runs
differ only in their random order, and are averaged. Two minutes on a GPU.
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
from synonyms import synonyms_of

BATCH = 2048
RATE = 2e-3
TEMPERATURE = 0.05
# Softmax temperature per teacher: the similarities of bge-small are all close together.
TEACHERS = {"bge": 0.02, "minilm": 0.05}
# The rest of the label is the tool from which the request was taken.
TEACHERS_SHARE = 0.8
GENERAL_WEIGHT = 6
DROP, REPLACE, DISTRACT, HIDE, WITHOUT_SERVER = 0.15, 0.15, 0.8, 0.5, 0.5
MAX_DISTRACTING, CHOICES = 16, 8
MIN_COUNT, MAX_NEW_WORDS, TEXTS_FOR_NEW_WORDS = 12, 9_000, 200_000
REQUEST_CLUSTERS, TEXT_CLUSTERS = 256, 512
device = "cuda" if torch.cuda.is_available() else "cpu"


def vocabulary_of(tokenizer, texts, operations):
    """The pieces of the encoders, and frequent whole words of these texts that the encoders split into pieces."""
    pieces = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1]) if USED.match(piece)]
    known = set(pieces)
    sources = [*texts[:TEXTS_FOR_NEW_WORDS], *(row["name"] for row in operations), *(row["text"] for row in operations)]
    counts = collections.Counter(
        word for text in sources for word in words_of(text) if word not in known and re.fullmatch("[a-z]{3,}", word)
    )
    return pieces + [word for word, count in counts.most_common(MAX_NEW_WORDS) if count >= MIN_COUNT]


def pad(lists, length):
    rows = np.full((len(lists), length), PAD, np.int32)
    for row, pieces in zip(rows, lists):
        row[: len(pieces)] = pieces[:length]
    return torch.tensor(rows, device=device)


def embed(table, rows):
    return F.normalize(F.embedding_bag(rows.long(), table, mode="sum", padding_idx=PAD), dim=1, eps=1e-6)


def cluster(vectors, count):
    """Returns the cluster number of each vector (k-means): only similar texts are useful to compare."""
    centres = vectors[torch.randperm(len(vectors))[:count]].float()
    for _ in range(6):
        nearest = torch.cat([(chunk.float() @ centres.T).argmax(1) for chunk in vectors.split(65536)])
        centres = F.normalize(torch.zeros_like(centres).index_add_(0, nearest, vectors.float()), dim=1)
    return nearest


def uniform(*shape):
    return torch.rand(shape, device=device)


def random_range(ordered, length):
    start = random.randrange(len(ordered) - length)
    return ordered[start : start + length]


def sorted_by(keys, shuffled):
    return shuffled[torch.argsort(keys[shuffled], stable=True)]


class Operations:
    """Documented operations as requests and as tools, with random changes in each batch."""

    def __init__(self, rows, teachers):
        words = [{key: words_of(row[key][:700]) for key in ("server", "name", "ask", "text")} for row in rows]
        self.request = pad([pieces.of(without_stop_words(of["ask"])) for of in words], 32)
        self.name = pad([pieces.of(of["name"]) for of in words], 14)
        self.server = pad([pieces.of(of["server"]) for of in words], 6)
        self.text = pad([pieces.of(of["text"]) for of in words], 72)
        self.rest = pad([pieces.of(of["text"][len(of["ask"]) :]) for of in words], 72)
        self.has_rest = ((self.rest != PAD).sum(1) > 4)[:, None]
        self.in_name = (self.request[:, :, None] == self.name[:, None, :]).any(2) & (self.request != PAD)
        self.teachers = {name: (of["requests"].to(device), of["tools"].to(device)) for name, of in teachers.items()}
        servers = {}
        self.server_of = torch.tensor([servers.setdefault(row["server"], len(servers)) for row in rows], device=device)
        self.clusters = cluster(self.teachers["bge"][0], REQUEST_CLUSTERS)

    def shuffle(self):
        shuffled = torch.randperm(len(self.request), device=device)
        self.orders = sorted_by(self.server_of, shuffled), sorted_by(self.clusters, shuffled), shuffled

    def batch(self):
        return torch.unique(torch.cat([random_range(ordered, BATCH // 3) for ordered in self.orders]))

    def requests(self, rows, texts):
        request, more = self.request[rows].long(), 1 + self.in_name[rows].float()
        choice = torch.randint(0, CHOICES, (*request.shape, 1), device=device)
        synonym = SYNONYMS[request].gather(2, choice)[..., 0].long()
        dropped = torch.where(uniform(*request.shape) < more * DROP, PAD, request)
        changed = torch.where((synonym >= 0) & (uniform(*request.shape) < more * REPLACE), synonym, dropped)
        changed = torch.where((changed == PAD).all(1, keepdim=True), request, changed)
        count = len(rows)
        unrelated = texts[torch.randint(0, len(texts), (count,), device=device)].long()[:, :MAX_DISTRACTING]
        length = torch.randint(0, MAX_DISTRACTING, (count, 1), device=device) * (uniform(count, 1) < DISTRACT)
        is_added = torch.arange(MAX_DISTRACTING, device=device)[None] < length
        return torch.cat([changed, torch.where(is_added, unrelated, PAD)], 1)

    def tools(self, table, rows):
        count = len(rows)
        server = torch.where(uniform(count, 1) < WITHOUT_SERVER, PAD, self.server[rows])
        names = torch.cat([server, self.name[rows]], 1)
        rest = torch.where(self.has_rest[rows] & (uniform(count, 1) < 0.5), self.rest[rows], PAD)
        body = torch.where(uniform(count, 1) < HIDE, rest, self.text[rows])
        return (embed(table, names) + embed(table, torch.cat([names, body], 1))) / 2

    def labels(self, rows):
        preferences = [
            (requests[rows].float() @ tools[rows].float().T / TEACHERS[name]).softmax(1)
            for name, (requests, tools) in self.teachers.items()
        ]
        return TEACHERS_SHARE * sum(preferences) / len(preferences) + (1 - TEACHERS_SHARE) * torch.eye(len(rows), device=device)

    def loss(self, table, texts):
        rows = self.batch()
        similarity = embed(table, self.requests(rows, texts)) @ self.tools(table, rows).T / TEMPERATURE
        return -(self.labels(rows) * similarity.log_softmax(1)).sum(1).mean()


class GeneralTexts:
    def __init__(self, texts, teachers):
        self.rows = pad([pieces.of(words_of(text)) for text in texts], 40)
        self.teachers = {name: of["texts"].to(device) for name, of in teachers.items()}
        self.clusters = cluster(self.teachers["bge"], TEXT_CLUSTERS)

    def shuffle(self):
        self.shuffled = torch.randperm(len(self.rows), device=device)
        self.by_cluster = sorted_by(self.clusters, self.shuffled)

    def loss(self, table):
        rows = torch.cat([random_range(self.by_cluster, BATCH // 2), random_range(self.shuffled, BATCH // 4)])
        vectors = embed(table, self.rows[rows])
        similarity = (vectors @ vectors.T / TEMPERATURE).fill_diagonal_(-1e4).log_softmax(1)
        targets = []
        for name, teacher in self.teachers.items():
            of = teacher[rows].float()
            targets.append((of @ of.T / TEACHERS[name]).fill_diagonal_(-1e4).softmax(1))
        return F.kl_div(similarity, sum(targets) / len(targets), reduction="batchmean")

    def first_table(self, dims):
        """The vector of a piece is the mean of the texts that have it, longer for rare pieces."""
        teacher = self.teachers["minilm"]
        sums, counts = torch.zeros(PAD + 1, teacher.shape[1], device=device), torch.zeros(PAD + 1, device=device)
        center = teacher.float().mean(0)
        for rows, vectors in zip(self.rows.long().split(65536), teacher.split(65536)):
            each = (vectors.float() - center)[:, None].expand(-1, rows.shape[1], -1)
            sums.index_add_(0, rows.reshape(-1), each.reshape(-1, teacher.shape[1]))
            counts.index_add_(0, rows.reshape(-1), torch.ones(rows.numel(), device=device))
        points = F.normalize(sums[:PAD], dim=1)
        points = points - points.mean(0)
        _, _, directions = torch.linalg.svd(points, full_matrices=False)
        rarity = torch.log(1 + len(teacher) / (counts[:PAD] + 20))
        return points @ directions[:dims].T * 0.5 * (rarity / rarity.mean()).clamp(0.2, 1.5)[:, None]


def train(first, operations, texts, steps, seed):
    random.seed(seed)
    torch.manual_seed(seed)
    table = torch.nn.Parameter(first.clone())
    optimizer = torch.optim.Adam([table], lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, eta_min=RATE / 20)
    padding = torch.zeros(1, first.shape[1], device=device)
    for step in range(steps):
        if step % 40 == 0:
            operations.shuffle()
        if step % 200 == 0:
            texts.shuffle()
        with_padding = torch.cat([table, padding])
        tool_loss, text_loss = operations.loss(with_padding, texts.rows), texts.loss(with_padding)
        optimizer.zero_grad()
        (tool_loss + GENERAL_WEIGHT * text_loss).backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            print(f"run {seed}, step {step + 1}: tools {tool_loss.item():.3f}, texts {text_loss.item():.3f}", flush=True)
    return table.detach()


def choices_of(synonyms):
    """A row of synonyms per piece, repeated where there are few; -1 where there are none."""
    rows = torch.full((PAD + 1, CHOICES), -1, dtype=torch.int32)
    for word, found in synonyms.items():
        numbers = [pieces.known[synonym] for synonym in found]
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
SYNONYMS = choices_of(synonyms_of(pieces.known))
teachers = {name: torch.load(options.teachers / f"{name}.pt") for name in TEACHERS}
operations, general = Operations(rows, teachers), GeneralTexts(texts, teachers)
print(len(rows), "operations,", len(texts), "texts,", PAD, "pieces", flush=True)
first = general.first_table(options.dims)
tables = [train(first, operations, general, options.steps, seed) for seed in range(1, options.runs + 1)]
pack.write(options.target, pieces.all, (sum(tables) / len(tables)).cpu().numpy())
