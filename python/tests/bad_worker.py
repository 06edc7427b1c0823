"""A worker that misbehaves: it dies, hangs or answers nonsense, once for each way asked for, and then works like any other.

``python bad_worker.py FOLDER die nonsense hang``: each word is used up by a file in the folder, so that the worker that replaces it
goes on with the next one. The folder also gets a line for every job that was answered.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


def take(folder: Path, words: list[str]) -> str | None:
    """The first word that was not used yet."""
    for number, word in enumerate(words):
        try:
            os.close(os.open(folder / f"{number}-{word}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        return word
    return None


def main() -> None:
    folder, words = Path(sys.argv[1]), sys.argv[2:]
    true = subprocess.Popen(
        [sys.executable, "-m", "yomi", "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert true.stdin is not None and true.stdout is not None
    for line in sys.stdin:
        # The first line is no job: it asks whether the worker is ready.
        word = take(folder, words) if "index" in line else None
        if word == "die":
            true.kill()
            os._exit(9)
        if word == "hang":
            time.sleep(600)
        if word == "nonsense":
            print("This is no JSON.", flush=True)
            continue
        if word == "other":
            # A row, but of another job.
            print('{"part":0,"index":999,"seed":1,"hash":"","work":"","told":{}}', flush=True)
            continue
        true.stdin.write(line)
        true.stdin.flush()
        answer = true.stdout.readline()
        if word == "damaged":
            answer = answer.replace('"seed":1', '"seed": 1', 1)
        with (folder / "answered").open("a") as log:
            log.write(line)
        print(answer, end="", flush=True)


if __name__ == "__main__":
    main()
