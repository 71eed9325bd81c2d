"""``python -m numerics``: the commands of this floor."""

import sys

if __name__ == "__main__":
    try:
        from numerics.cli import main

        status = main()
    except KeyboardInterrupt:  # while modules are imported; a command ends in good order itself
        print("largeprompt: interrupted", file=sys.stderr)
        status = 130
    raise SystemExit(status)
