"""`python -m colorless_green` is the command `colorless`, and so is the script of this name."""

import sys


def main() -> None:
    """Run the command `colorless`. Ctrl-C while it loads is answered as later."""
    try:
        from .cli import main as run
    except KeyboardInterrupt:
        print("interrupted; nothing was begun; the same command starts it", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
