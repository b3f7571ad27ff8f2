"""Splits texts into words and word pieces as the gateway does (`words.ts`, `word-vectors.ts`), for Latin script."""

import pathlib
import re
import sys

DISCOVERY = pathlib.Path(__file__).parent / "../../../src/discovery"
STOP_WORDS = set(re.search(r"'(a an [a-z ]+)'", (DISCOVERY / "ranking/words.ts").read_text())[1].split())
# Latin letters with accents, digits, Greek and Cyrillic; the rest of the encoders' vocabulary is punctuation and single ideographs.
USED = re.compile(r"^(##)?[a-z0-9\u00df-\u024f\u0370-\u04ff]+$")


def words_of(text):
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    text = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", text)
    return [sys.intern(word) for word in re.split(r"[\W_]+", text.lower()) if word]


def without_stop_words(words):
    return [word for word in words if word not in STOP_WORDS] or words


class Pieces:
    """Greedy longest match from the left; the rest of a word that has no matching piece is ignored."""

    def __init__(self, pieces):
        self.all = list(pieces)
        self.known = {piece: number for number, piece in enumerate(self.all)}
        self.cache = {}

    def of(self, words):
        return [piece for word in words for piece in self.spell(word)]

    def spell(self, word):
        if word not in self.cache:
            found, start, end = [], 0, len(word)
            while start < len(word) and end > start:
                piece = self.known.get(word[start:end] if start == 0 else f"##{word[start:end]}")
                if piece is None:
                    end -= 1
                else:
                    found.append(piece)
                    start, end = end, len(word)
            self.cache[word] = found
        return self.cache[word]
