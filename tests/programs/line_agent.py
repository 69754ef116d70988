"""A small line-mode agent for tests: a ``> `` prompt, and questions that record what answered them.

``ask NAME`` asks a question and appends the answer to the file NAME; ``spin`` redraws a counter; ``quit`` ends.
"""

import sys
import time
from pathlib import Path


def main() -> None:
    said = Path(sys.argv[1])
    while True:
        line = input("> ")
        with said.open("a") as file:
            file.write(line + "\n")
        word, _, rest = line.partition(" ")
        if word == "quit":
            return
        if word == "ask":
            answer = input("Run the command rm -rf build? (y/n) ")
            with Path(rest).open("a") as file:
                file.write(answer + "\n")
        if word == "spin":
            for count in range(10_000):
                sys.stdout.write(f"\r✻ Working… ({count}s)")
                sys.stdout.flush()
                time.sleep(0.02)
        print("done", flush=True)


if __name__ == "__main__":
    main()
