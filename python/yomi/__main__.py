"""``python -m yomi worker``: the worker of the program, from the installed package.

Jobs come as lines on standard input, rows of the ledger go out as lines: see ``yomi worker --help`` of the program.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time

from yomi import _native


def _end_with_parent() -> None:
    """Ends the process when its parent is gone: a worker of a machine that lost its manager does no more work."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m yomi",
        description=__doc__,
        epilog="example:\n  yomi experiment plan s0-fig3 | python -m yomi worker >> ledger.jsonl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    worker = commands.add_parser("worker", help="do the jobs that come on standard input")
    worker.add_argument("--allow-programs", action="store_true", help="start the programs that the jobs name")
    options = parser.parse_args(arguments)
    _end_with_parent()
    # Ctrl-C ends it at once: a job that was not answered is done again.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        _native.worker(options.allow_programs)
    except (_native.Error, OSError) as error:
        print(f"yomi: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
