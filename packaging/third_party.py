#!/usr/bin/env python3
"""Prints the licences of everything that is linked into the program: a list, then each text once.

    packaging/third_party.py TARGET > THIRD-PARTY.txt
"""
import json
import pathlib
import subprocess
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")

RUNTIME = """\
The Rust standard library: MIT OR Apache-2.0, The Rust Project Contributors.
The GNU C Library, linked statically on targets that end in -gnu: LGPL-2.1-or-later, Free Software Foundation. The source of this
program and the script that links it, scripts/release, are what you need to link it with another version of that library.
The outlines of kanji in pictures: Noto Serif CJK, SIL Open Font License 1.1 (OFL.txt).
"""


def linked(metadata):
    """The packages that the program is linked from, itself and its own crates apart."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    own = set(metadata["workspace_members"])
    todo, seen = [next(p["id"] for p in metadata["packages"] if p["id"] in own and p["name"] == "yomi")], set()
    while todo:
        package = todo.pop()
        if package in seen:
            continue
        seen.add(package)
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                todo.append(dependency["pkg"])
    found = [p for p in metadata["packages"] if p["id"] in seen - own]
    return sorted(found, key=lambda p: (p["name"], p["version"]))


def texts(package):
    """The licence files of a package."""
    directory = pathlib.Path(package["manifest_path"]).parent
    files = sorted(f for f in directory.iterdir() if f.is_file() and f.name.upper().startswith(NAMES))
    return [f.read_text(encoding="utf-8", errors="replace").strip() for f in files]


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", sys.argv[1]]
    packages = linked(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    print("Yomi is linked from these, beside its own crates.\n")
    print(RUNTIME)
    holders = {}
    for package in packages:
        print(f"{package['name']} {package['version']}: {package['license'] or 'see below'}")
        for text in texts(package):
            holders.setdefault(text, []).append(f"{package['name']} {package['version']}")
    for text, names in holders.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n{'=' * 100}\n\n{text}")


if __name__ == "__main__":
    main()
