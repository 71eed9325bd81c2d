"""``python -m numerics``: the commands of this floor."""

from numerics.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
