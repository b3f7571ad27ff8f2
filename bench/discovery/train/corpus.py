"""Collects the general texts for training the word vectors. All are openly licensed, and none is from a benchmark.

  python3 corpus.py OUT.txt.gz

- Debian's package descriptions (the `Translation-en` index of the archive; free licences of the packages)
- WordNet 3.0 glosses and synonyms (WordNet licence; Debian package wordnet-base)
- phrases generated from the word lists in phrases.py (our own)

Debian: apt-get install -y wordnet-base lz4 && apt-get -o Acquire::Languages=en update
"""

import glob
import gzip
import random
import re
import subprocess
import sys

from phrases import phrases

MAX_WORDS = 40


def debian():
    for file in sorted(glob.glob("/var/lib/apt/lists/*_main_i18n_Translation-en*")):
        reader = ["lz4cat", file] if file.endswith(".lz4") else ["cat", file]
        text = subprocess.run(reader, capture_output=True, check=True).stdout.decode("utf8", "replace")
        for entry in text.split("\n\n"):
            match = re.search(r"^Description-en: (.+)\n((?: .*\n?)*)", entry, re.M)
            if not match:
                continue
            name = re.search(r"^Package: (.+)", entry, re.M)
            yield match[1]
            if name:
                yield f"{name[1].replace('-', ' ')}: {match[1]}"
            body = re.sub(r"\n ", " ", match[2].replace("\n .", "\n")).strip()
            for sentence in re.split(r"(?<=[.!?])\s+", body)[:6]:
                yield sentence


def wordnet_synsets():
    """Lemmas and gloss of every synset."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in open(f"/usr/share/wordnet/data.{part}", encoding="latin-1"):
            if line.startswith("  ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            yield [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))], gloss


def wordnet():
    for lemmas, gloss in wordnet_synsets():
        definition = gloss.split(";")[0].strip()
        yield from lemmas
        yield definition
        yield f"{lemmas[0]}: {definition}"
        yield from re.findall(r'"([^"]+)"', gloss)


def main(target):
    texts = set()
    for source in (debian(), wordnet(), phrases(400_000)):
        before = len(texts)
        for text in source:
            text = " ".join(text.split()[:MAX_WORDS])
            if 2 < len(text) and re.search("[A-Za-z]", text):
                texts.add(text)
        print(len(texts) - before, file=sys.stderr)
    ordered = sorted(texts)
    random.Random(1).shuffle(ordered)
    with gzip.open(target, "wt", encoding="utf8") as file:
        file.write("\n".join(ordered))


if __name__ == "__main__":
    main(sys.argv[1])
