"""`python -m colorless_green` is the command `colorless`."""

from colorless_green.cli import main

if __name__ == "__main__":
    main()
