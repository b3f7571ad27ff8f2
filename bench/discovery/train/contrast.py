"""Teaches the distilled table to tell tools apart: a request must come closer to its tool than to the tool's neighbours.

  python3 contrast.py DISTILLED_FOLDER API.jsonl.gz TEXTS.txt.gz OUT.bin [--epochs 2] [--seed 1]

Two losses. Of the tools in a batch (a third of them of one server, a third alike, a third by chance) the asked one should
score highest, composed as `vectorOf` in features.ts composes it; words of the request are dropped or replaced by others
for the same, and half of the tools hide the sentence that asks for them. And texts of the general corpus that the distilled
table finds alike should stay alike. About five minutes on two cores.
"""

import argparse
import collections
import gzip
import json
import pathlib
import random
import re
import sys

import numpy as np
import torch
import torch.nn.functional as F

import pack
from corpus import wordnet_synsets

parser = argparse.ArgumentParser()
parser.add_argument("distilled")
parser.add_argument("api")
parser.add_argument("texts")
parser.add_argument("target")
parser.add_argument("--dims", type=int, default=128)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--batch", type=int, default=1024)
parser.add_argument("--rate", type=float, default=2e-3)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
chance = random.Random(options.seed)
numbers = np.random.default_rng(options.seed)
torch.manual_seed(options.seed)

TEMPERATURE = 0.05
NEW_WORDS = 9_000
RARE = 12
GENERAL_TEXTS = 200_000
NEIGHBOURHOODS = 256
FORGET, REPLACE, HIDE, WITHOUT_SERVER = 0.15, 0.15, 0.5, 0.5

DISCOVERY = pathlib.Path(__file__).parent / "../../../src/discovery"
STOP_WORDS = set(re.search(r"'(a an [a-z ]+)'", (DISCOVERY / "words.ts").read_text())[1].split())


def words_of(text):
    """As `plainWordsOf` in words.ts, for Latin script."""
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    text = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", text)
    return [sys.intern(word) for word in re.split(r"[\W_]+", text.lower()) if word]


class Pieces:
    """As `WordVectors` spells: the longest piece from the left, again and again."""

    def __init__(self, pieces):
        self.all = list(pieces)
        self.known = {piece: i for i, piece in enumerate(pieces)}
        self.spelled = {}

    def add(self, words):
        for word in words:
            self.known[word] = len(self.all)
            self.all.append(word)
        self.spelled = {}

    def of(self, words):
        return [piece for word in words for piece in self.spell(word)]

    def spell(self, word):
        if word not in self.spelled:
            found, start, end = [], 0, len(word)
            while start < len(word) and end > start:
                piece = self.known.get(word[start:end] if start == 0 else f"##{word[start:end]}")
                if piece is None:
                    end -= 1
                else:
                    found.append(piece)
                    start, end = end, len(word)
            self.spelled[word] = found
        return self.spelled[word]


def other_words(known):
    """The lexicon's groups, and WordNet's synonyms of words with few senses."""
    others = collections.defaultdict(set)
    for group in re.findall(r"^  '([a-z0-9 ]+)',$", (DISCOVERY / "ranking/lexicon.ts").read_text(), re.M):
        for word in group.split():
            others[word] |= set(group.split()) - {word}
    senses = collections.defaultdict(list)
    for lemmas, _ in wordnet_synsets():
        usable = {lemma for lemma in lemmas if re.fullmatch("[a-z]+", lemma) and lemma in known}
        for lemma in usable:
            senses[lemma].append(usable - {lemma})
    for lemma, found in senses.items():
        if len(found) <= 3:
            others[lemma] = others[lemma].union(*found)
    return {word: sorted(found) for word, found in others.items() if found}


def embed(table, lists):
    starts = np.cumsum([0] + [len(pieces) for pieces in lists[:-1]])
    flat = torch.tensor([piece for pieces in lists for piece in pieces])
    return F.normalize(F.embedding_bag(flat, table, torch.tensor(starts), mode="sum"), dim=1, eps=1e-6)


def neighbourhoods(vectors):
    centres = vectors[torch.randperm(len(vectors))[:NEIGHBOURHOODS]]
    for _ in range(6):
        nearest = torch.cat([(chunk @ centres.T).argmax(1) for chunk in vectors.split(65536)])
        centres = F.normalize(torch.zeros_like(centres).index_add_(0, nearest, vectors), dim=1)
    return nearest.numpy()


class Pair:
    def __init__(self, line):
        row = json.loads(line)
        self.server, self.name, self.ask, self.text = (words_of(row[key]) for key in ("server", "name", "ask", "text"))

    def request(self):
        kept = []
        for word in self.ask:
            more = 2 if word in self.name else 1
            if word in STOP_WORDS:
                continue
            if word in others and chance.random() < more * REPLACE:
                kept.append(chance.choice(others[word]))
            elif chance.random() >= more * FORGET:
                kept.append(word)
        return pieces.of(kept or self.ask)

    def tool(self):
        called = self.name if chance.random() < WITHOUT_SERVER else self.server + self.name
        said = self.text
        if chance.random() < HIDE:
            rest = self.text[len(self.ask) :]
            said = rest if len(rest) > 4 and chance.random() < 0.5 else []
        return pieces.of(called), pieces.of(called + said)


pairs = [Pair(line) for line in gzip.open(options.api, "rt", encoding="utf8")]
texts = gzip.open(options.texts, "rt", encoding="utf8").read().split("\n")[:GENERAL_TEXTS]
texts = [words_of(text) for text in texts]

names, wide = pack.read(options.distilled, 256)
pieces = Pieces(names)
counts = collections.Counter(
    word
    for text in [*texts, *(pair.name for pair in pairs), *(pair.text for pair in pairs)]
    for word in text
    if word not in pieces.known and re.fullmatch("[a-z]{3,}", word)
)
new = [word for word, count in counts.most_common(NEW_WORDS) if count >= RARE]
wide = np.concatenate([wide, [wide[pieces.spell(word)].sum(0) for word in new]]).astype(np.float32)
pieces.add(new)
others = other_words(pieces.known)
# PCA comes sorted: the first columns are the narrower table.
table = torch.nn.Parameter(torch.tensor(wide[:, : options.dims].copy()))

general = [pieces.of(text) for text in texts]
wanted = embed(torch.tensor(wide), general)
alike_texts = neighbourhoods(wanted)
alike_pairs = neighbourhoods(embed(torch.tensor(wide), [pieces.of(pair.ask) for pair in pairs]))
servers = {}
server_of = np.array([servers.setdefault(" ".join(pair.server), len(servers)) for pair in pairs])
print(len(pairs), "pairs,", len(new), "new words", flush=True)

optimizer = torch.optim.Adam([table], lr=options.rate)
steps = len(pairs) // options.batch
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(
    optimizer, options.epochs * steps, eta_min=options.rate / 20
)
third, half = options.batch // 3, options.batch // 2


def run_of(ordered, length):
    start = chance.randrange(len(ordered) - length)
    return ordered[start : start + length]


def sorted_by(keys, shuffled):
    return shuffled[np.argsort(keys[shuffled], kind="stable")]


for epoch in range(options.epochs):
    shuffled, shuffled_texts = numbers.permutation(len(pairs)), numbers.permutation(len(texts))
    siblings, alike = sorted_by(server_of, shuffled), sorted_by(alike_pairs, shuffled)
    alike_general = sorted_by(alike_texts, shuffled_texts)
    total = collections.Counter()
    for step in range(steps):
        rows = np.unique(np.concatenate([run_of(ordered, third) for ordered in (siblings, alike, shuffled)]))
        tools = [pairs[row].tool() for row in rows]
        short, long = (embed(table, [tool[part] for tool in tools]) for part in (0, 1))
        likeness = embed(table, [pairs[row].request() for row in rows]) @ (short + long).T / 2
        told_apart = F.cross_entropy(likeness / TEMPERATURE, torch.arange(len(rows)))

        rows = np.concatenate([run_of(alike_general, half), run_of(shuffled_texts, half // 2)])
        now = embed(table, [general[row] for row in rows])
        now, before = now @ now.T / TEMPERATURE, wanted[rows] @ wanted[rows].T / TEMPERATURE
        kept = F.kl_div(
            now.fill_diagonal_(-1e4).log_softmax(1),
            before.fill_diagonal_(-1e4).log_softmax(1),
            log_target=True,
            reduction="batchmean",
        )
        optimizer.zero_grad()
        (told_apart + kept).backward()
        optimizer.step()
        schedule.step()
        total.update({"told apart": told_apart.item(), "kept": kept.item()})
    print(f"epoch {epoch + 1}:", {name: round(loss / steps, 4) for name, loss in total.items()}, flush=True)
    pack.write(options.target, pieces.all, table.detach().numpy())
