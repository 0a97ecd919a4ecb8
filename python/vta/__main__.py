"""The command line: ``python -m vta`` takes what ``vta`` takes."""

import signal
import sys

from vta import _core


def main() -> None:
    """Runs a command, and exits with its status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
