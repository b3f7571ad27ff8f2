"""Synonyms: the groups of the lexicon, and the WordNet synonyms of words with few senses."""

import collections
import re

from corpus import wordnet_synsets
from spelling import DISCOVERY

FEW_SENSES = 3


def synonyms_of(known):
    synonyms = collections.defaultdict(set)
    for group in re.findall(r"^  '([a-z0-9 ]+)',$", (DISCOVERY / "ranking/lexicon.ts").read_text(), re.M):
        for word in group.split():
            synonyms[word] |= set(group.split()) - {word}
    senses = collections.defaultdict(list)
    for lemmas, _ in wordnet_synsets():
        usable = {lemma for lemma in lemmas if re.fullmatch("[a-z]+", lemma) and lemma in known}
        for lemma in usable:
            senses[lemma].append(usable - {lemma})
    for lemma, found in senses.items():
        if len(found) <= FEW_SENSES:
            synonyms[lemma] = synonyms[lemma].union(*found)
    kept = {word: sorted(found & known.keys()) for word, found in synonyms.items() if word in known}
    return {word: found for word, found in kept.items() if found}
